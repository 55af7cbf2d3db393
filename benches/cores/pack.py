"""Pack what `python -m benches.cores` needs on a machine without a network.

    python -m benches.cores.pack DIR --superword WHEEL --python 3.12

writes `site.tar.xz`, which holds superword, the peers and numpy for that Python as an installed
tree, and `text/en.jsonl.xz`, a part of the main text. The other machine needs only Python and a
checkout of this repository, and neither pip nor a virtual environment:

    tar -xf DIR/site.tar.xz -C DIR
    PYTHONPATH=DIR/site python3 -m benches.cores --corpus DIR/text --output OUT --seconds 500
"""

from __future__ import annotations

import argparse
import email
import json
import lzma
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from benches.running.texts import MB, documents, find_sources

PACKAGES = ("numpy", "gigatoken", "gigabpe")
LIMIT = 60 * 2**20
# The systems whose wheels run on a current Linux with glibc, the newest first.
PLATFORMS = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
LEFT_OUT = ("tests", "__pycache__", "bin")
# The smallest that the standard library can read, for a text of some hundred megabytes.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 256 << 20}]


def install(site: Path, wheel: Path, python: str, machine: str) -> None:
    """Install superword and the peers for another Python into a folder."""
    shutil.rmtree(site, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--target", str(site), "--only-binary=:all:", "--no-compile"]
    command += ["--implementation", "cp", "--python-version", python]
    for platform in PLATFORMS:
        command += ["--platform", f"{platform}_{machine}"]
    with zipfile.ZipFile(wheel) as ours:
        (metadata,) = (n for n in ours.namelist() if n.endswith(".dist-info/METADATA"))
        facts = email.message_from_bytes(ours.read(metadata))
        needed = [n for n in facts.get_all("Requires-Dist", []) if "extra ==" not in n]
        if subprocess.run([*command, *PACKAGES, *needed]).returncode:
            raise SystemExit(f"error: not everything has a wheel for Python {python}; see above")
        # Not by pip, which would refuse a wheel that was built for this system only.
        ours.extractall(site)
    for name in LEFT_OUT:
        for folder in [*site.rglob(name)]:
            shutil.rmtree(folder, ignore_errors=True)


def pack_site(site: Path, target: Path) -> None:
    """Write a folder as an archive."""
    with tarfile.open(target, "w:xz", preset=9) as archive:
        archive.add(site, arcname="site")


def pack_text(target: Path, size: int) -> int:
    """Write the beginning of the main text, and return its bytes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with lzma.open(target, "wb", filters=FILTERS) as file:
        for text in documents(find_sources().main):
            file.write(json.dumps({"text": text}, ensure_ascii=False).encode() + b"\n")
            written += len(text.encode())
            if written >= size:
                break
    return written


def main(given: list[str] | None = None) -> None:
    """Pack, and refuse what is too large to be carried."""
    parser = argparse.ArgumentParser(prog="python -m benches.cores.pack")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--superword", type=Path, required=True, metavar="WHEEL")
    parser.add_argument("--python", default="3.12", help="version there (default: 3.12)")
    parser.add_argument("--machine", default="x86_64")
    parser.add_argument("--megabytes", type=float, default=170, help="of text (default: 170)")
    asked = parser.parse_args(given)
    folder: Path = asked.directory
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "text" / "en.jsonl.xz"
    if not text.is_file():  # It takes minutes and does not change.
        partial = text.with_suffix(".partial")
        pack_text(partial, int(asked.megabytes * MB))
        partial.replace(text)
    site = folder / "site"
    install(site, asked.superword, asked.python, asked.machine)
    pack_site(site, folder / "site.tar.xz")
    shutil.rmtree(site)
    sizes = {path.name: path.stat().st_size for path in (folder / "site.tar.xz", text)}
    said = ", ".join(f"{name} {size / 2**20:.1f} MiB" for name, size in sizes.items())
    print(said, file=sys.stderr)
    if sum(sizes.values()) > LIMIT:
        raise SystemExit(f"error: more than {LIMIT // 2**20} MiB\nhint: use fewer --megabytes")


if __name__ == "__main__":
    main()
