"""Check that a wheel runs on every x86-64 processor, with the same models and ids.

    python tools/packaging/baseline_cpu.py [--dist dist]

qemu pretends to be processors without AVX: the first x86-64, and one of 2008. The same program
trains and encodes on them and on the real processor. Debian's package is qemu-user.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from notices import ROOT

QEMU = "qemu-x86_64"
# The baseline that compilers assume, and the one of x86-64-v2.
PROCESSORS = ["qemu64,-avx,-avx2,-sse3,-ssse3,-sse4.1,-sse4.2,-popcnt", "Nehalem"]
# Numpy needs more than the baseline since version 2.4, so the check uses an older one.
NUMPY = "numpy<2.4"
PROGRAM = """
import hashlib, pathlib, superword, sysconfig
modules = pathlib.Path(sysconfig.get_path("stdlib")).glob("[a-d]*.py")
texts = [path.read_text("utf-8") for path in sorted(modules)]
texts += ["naïve café, 東京都に行く。 Привет, мир! " * 20]
done = hashlib.sha256()
for method, supermerges in (("bpe", None), ("boundless", None), ("superbpe", 100)):
    model = superword.train_from_iterator(
        texts, vocab_size=1000, threads=2, method=method, supermerges=supermerges
    )
    done.update(model.to_bytes())
    for ids in model.encode_batch(texts, threads=2):
        done.update(repr(ids).encode())
print(done.hexdigest())
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare what the processors compute."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    given = parser.parse_args(arguments)
    if shutil.which(QEMU) is None:
        sys.exit(f"baseline: {QEMU} is not installed\nhint: apt-get install qemu-user")
    wheels = sorted(given.dist.glob("superword-*-cp310-abi3-*x86_64.whl"))
    if not wheels:
        sys.exit(f"baseline: {given.dist} has no wheel for x86-64\nhint: run make wheel")
    with tempfile.TemporaryDirectory(prefix="superword-baseline-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, NUMPY, wheels[-1]], check=True)
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM, encoding="utf-8")
        expected = run([python, program])
        print(f"this processor: {expected}")
        for processor in PROCESSORS:
            got = run([QEMU, "-cpu", processor, python.resolve(), program], prefix=folder)
            print(f"{processor}: {got}")
            if got != expected:
                sys.exit(f"baseline: {processor} computes something else")


def run(command: Sequence[str | Path], prefix: str | None = None) -> str:
    """What the program prints."""
    environment = {"PATH": "/usr/bin:/bin"}
    if prefix:
        # qemu runs the interpreter itself, which must know its environment.
        (packages,) = Path(prefix).glob("lib/python3*/site-packages")
        environment["PYTHONPATH"] = str(packages)
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ended.returncode:
        sys.exit(f"baseline: {' '.join(map(str, command))} failed\n{ended.stdout}{ended.stderr}")
    return ended.stdout.strip()


if __name__ == "__main__":
    main()
