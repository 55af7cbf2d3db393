"""Sets up `.venv-bench`: the peers from the package registry, and superword built in release mode.

Run by `make bench` with any Python, before anything is installed: standard library only. A peer
that does not install is recorded in `.venv-bench/peers.json` and does not affect the others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benches import ROOT, VENV
from benches.peers import APART, PEERS, folder_apart, package

TOOLS = ["maturin>=1.9,<2", "matplotlib", "numpy", "zstandard"]
# YouTokenToMe has no wheels and does not declare its build requirements.
BUILD_TOOLS = {"youtokentome": ["cython<3", "wheel", "setuptools<70"]}
SECONDS = 900


def python() -> Path:
    """The Python of the environment."""
    folder = "Scripts" if os.name == "nt" else "bin"
    return VENV / folder / "python"


def pip(*arguments: str) -> str | None:
    """Install something. Return None, or the last line of the error."""
    command = [str(python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        done = subprocess.run(
            [*command, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"not finished after {SECONDS} s"
    if done.returncode == 0:
        return None
    lines = [line.strip() for line in done.stderr.splitlines() if "rror" in line]
    said = lines[-1] if lines else "pip failed"
    return said.replace(str(ROOT), ".")[:200]


def version(name: str, folder: Path | None = None) -> str | None:
    """The version of a package in the environment or in a folder, or None."""
    found = [*VENV.glob("lib*/**/site-packages"), *VENV.glob("Lib/site-packages")]
    paths = [str(path) for path in ([folder] if folder else found)]
    for held in metadata.distributions(name=name, path=paths):
        return held.version
    return None


def install(name: str) -> dict[str, str | None]:
    """The version of a peer, or why it could not be installed."""
    wanted, held = PEERS[name][0], package(name)
    folder = folder_apart(name) if name in APART else None
    known = version(held, folder)
    error = None
    if known is None:
        extra = BUILD_TOOLS.get(held)
        if folder is not None:
            error = pip("--no-deps", "--target", str(folder), wanted)
        elif extra is None:
            error = pip(wanted)
        else:
            error = pip(*extra) or pip("--no-build-isolation", wanted)
        known = version(held, folder) if error is None else None
    return {"version": known, "error": error}


def main() -> None:
    """Set everything up; only superword itself and the tools must succeed."""
    if not python().exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip("--upgrade", "pip")
    # Install only what is missing, so that a second run needs no network.
    missing = [tool for tool in TOOLS if version(tool.split(">")[0]) is None]
    error = pip(*missing) if missing else None
    if error is not None:
        raise SystemExit(f"error: the tools of the benchmark do not install: {error}")
    peers = {}
    for name in PEERS:
        peers[name] = install(name)
        held = peers[name]["version"] or f"does not install here ({peers[name]['error']})"
        print(f"{name}: {held}", file=sys.stderr, flush=True)
    print("superword: building in release mode", file=sys.stderr, flush=True)
    wheels = VENV / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    build = [str(python()), "-m", "maturin", "build", "--release", "--quiet", "--out", str(wheels)]
    if subprocess.run(build, cwd=ROOT).returncode:
        raise SystemExit("error: superword does not build; see above")
    wheel = next(wheels.glob("*.whl"))
    error = pip(str(wheel)) or pip("--force-reinstall", "--no-deps", str(wheel))
    if error is not None:
        raise SystemExit(f"error: superword does not install: {error}")
    peers["superword"] = {"version": version("superword"), "error": None}
    (VENV / "peers.json").write_text(json.dumps(peers, indent=1))


if __name__ == "__main__":
    main()
