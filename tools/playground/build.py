"""Build the assets of the playground: the engine in WebAssembly, and the page.

    python tools/playground/build.py

Each step is skipped if its inputs have not changed since it last ran. The results are in
python/superword/playground/assets/, where `superword playground` finds them.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import zopfli.gzip

sys.path.insert(0, str(Path(__file__).parent))
from compilers import compiler, require

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "target" / "playground"
WEB = ROOT / "web"
ENGINE_CODE = WEB / "engine"
ASSETS = ROOT / "python" / "superword" / "playground" / "assets"
BINDGEN = Path(__file__).parent / "bindgen"

# What compilers for WebAssembly use without being asked, and every browser since 2023 has.
FEATURES = [
    "bulk-memory",
    "bulk-memory-opt",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
]
INLINE_LITTLE = [
    "--always-inline-max-function-size=0",
    "--flexible-inline-max-function-size=0",
    "--one-caller-inline-max-function-size=0",
]

STRIP = ["--strip-debug", "--strip-producers", "--strip-target-features"]


def main() -> None:
    """Build everything that is missing or out of date."""
    BUILT.mkdir(parents=True, exist_ok=True)
    rust = files(ROOT / "crates" / "superword", "rs", "toml")
    rust += files(ROOT / "crates" / "superword-wasm", "rs", "toml")
    rust += [ROOT / "Cargo.toml", ROOT / "Cargo.lock"]
    bindgen = [*files(BINDGEN, "rs", "toml"), BINDGEN / "Cargo.lock"]
    page = files(WEB / "src", "ts", "css", "html", "json")
    page += [WEB / "build.mjs", WEB / "package-lock.json", WEB / "tsconfig.json"]
    code = ENGINE_CODE / "superword_wasm.js"
    engine = ASSETS / "engine.wasm.gz"
    step("packages", [WEB / "package-lock.json"], [WEB / "node_modules"], install_packages)
    step("engine", rust + bindgen, [code, engine], build_engine)
    step("page", [*page, code], [ASSETS / "page.html"], build_page)


def files(folder: Path, *suffixes: str) -> list[Path]:
    """All files with these suffixes in a directory, and in the directories in it."""
    found = (path for suffix in suffixes for path in folder.rglob(f"*.{suffix}"))
    return sorted(path for path in found if "node_modules" not in path.parts)


def step(
    name: str, inputs: Iterable[Path], outputs: Iterable[Path], build: Callable[[], None]
) -> None:
    """Run `build`, unless the outputs exist and were built from the same inputs."""
    digest = hashlib.sha256()
    for path in inputs:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    stamp = BUILT / f"{name}.inputs"
    known = stamp.read_text() if stamp.exists() else None
    if known == digest.hexdigest() and all(path.exists() for path in outputs):
        return
    print(f"playground: building the {name}", flush=True)
    stamp.unlink(missing_ok=True)
    build()
    stamp.write_text(digest.hexdigest())


def install_packages() -> None:
    """Install the programs that build the page."""
    require("npm", "install Node.js 20 or later, e.g. apt-get install nodejs npm")
    run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", cwd=WEB)


def build_engine() -> None:
    """Compile the engine, write its JavaScript interface, and make it small."""
    cargo, environment = compiler(BUILT)
    target = BUILT / "wasm"
    run(
        *cargo,
        *("--package=superword-wasm", "--profile=page", f"--target-dir={target}"),
        environment=environment,
    )
    program = BUILT / "bindgen"
    manifest = BINDGEN / "Cargo.toml"
    bindgen = ["--locked", f"--manifest-path={manifest}", f"--target-dir={program}"]
    run("cargo", "build", "--quiet", *bindgen)
    module = target / "wasm32-unknown-unknown" / "page" / "superword_wasm.wasm"
    ENGINE_CODE.mkdir(exist_ok=True)
    run(program / "debug" / "playground-bindgen", module, ENGINE_CODE)
    ASSETS.mkdir(exist_ok=True)
    shrink(ENGINE_CODE / "superword_wasm_bg.wasm", ASSETS / "engine.wasm")


def shrink(module: Path, result: Path) -> None:
    """Make a module small, above all when it is compressed.

    Less inlining and similar functions side by side help the compression. zopfli writes ordinary
    gzip that is five percent smaller.
    """
    optimize = WEB / "node_modules" / "binaryen" / "bin" / "wasm-opt"
    named = BUILT / "named.wasm"
    features = [f"--enable-{feature}" for feature in FEATURES]
    run(optimize, "-g", "-Os", *INLINE_LITTLE, *features, module, "-o", named)
    run(optimize, "-g", "--reorder-functions-by-name", *features, named, "-o", named)
    run(optimize, *STRIP, *features, named, "-o", result)
    packed = zopfli.gzip.compress(result.read_bytes(), numiterations=30)
    result.with_name(f"{result.name}.gz").write_bytes(packed)


def build_page() -> None:
    """Put the code and the styles into one page."""
    run("node", "build.mjs", cwd=WEB)


def run(*command: str | Path, cwd: Path = ROOT, environment: dict[str, str] | None = None) -> None:
    """Run a program, and end if it fails."""
    ended = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=os.environ | (environment or {}), check=False
    )
    if ended.returncode:
        sys.exit(f"playground: {Path(command[0]).name} failed with exit code {ended.returncode}")


if __name__ == "__main__":
    main()
