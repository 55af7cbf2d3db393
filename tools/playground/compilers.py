"""Finds a Rust compiler for WebAssembly.

The compiler needs the standard library for `wasm32-unknown-unknown`. rustup downloads it. Where that
is impossible, Debian's packages bring a compiler with the sources of the library.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TARGET = "wasm32-unknown-unknown"
PACKAGES = ["cargo-web", "lld-22", "rust-web-src", "rustc-web"]
LINKER = "wasm-ld-22"
# rustup retries for many minutes without a connection.
SECONDS_TO_DOWNLOAD = 60

Compiler = tuple[list[str], dict[str, str]]


def compiler(folder: Path) -> Compiler:
    """The command that builds a package for the target, and its environment.

    `folder` remembers that rustup cannot download the target, because trying takes a minute.
    """
    failed = folder / "rustup-cannot-download"
    if has_target() or (not failed.exists() and add_target()):
        return ["cargo", "build", "--quiet", f"--target={TARGET}"], {}
    failed.touch()
    return debian()


def has_target() -> bool:
    """Whether the standard library for the target is installed by rustup."""
    if shutil.which("rustup") is None:
        return False
    listed = subprocess.run(
        ["rustup", "target", "list", "--installed"], capture_output=True, text=True, check=False
    )
    return TARGET in listed.stdout.split()


def add_target() -> bool:
    """Try to download the standard library for the target."""
    if shutil.which("rustup") is None:
        return False
    print(f"playground: rustup target add {TARGET}", flush=True)
    try:
        added = subprocess.run(
            ["rustup", "target", "add", TARGET],
            capture_output=True,
            timeout=SECONDS_TO_DOWNLOAD,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return added.returncode == 0 and has_target()


def debian() -> Compiler:
    """The compiler of Debian's packages, which also builds the standard library."""
    rustc, cargo = Path("/usr/bin/rustc"), Path("/usr/bin/cargo")
    if not all(map(is_installed, PACKAGES)):
        install(
            PACKAGES,
            "there is no Rust compiler for WebAssembly",
            f"rustup target add {TARGET}",
        )
    environment = {
        # The packages are a stable release, and building the library is not a stable feature.
        "RUSTC_BOOTSTRAP": "1",
        "RUSTC": str(rustc),
        f"CARGO_TARGET_{TARGET.upper().replace('-', '_')}_LINKER": LINKER,
    }
    command = [str(cargo), "build", "--quiet", f"--target={TARGET}"]
    return [*command, "-Zbuild-std=std,panic_abort"], environment


def is_installed(package: str) -> bool:
    """Whether a package of Debian is installed."""
    if shutil.which("dpkg-query") is None:
        return False
    asked = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    return subprocess.run(asked, capture_output=True, check=False).stdout == b"installed"


def install(packages: list[str], missing: str, hint: str) -> None:
    """Install packages of Debian, or end with a message."""
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if os.geteuid() != 0:
        command = ["sudo", "--non-interactive", *command]
    print(f"playground: {' '.join(command)}", flush=True)
    try:
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    except FileNotFoundError:
        ended = 1
    if ended:
        sys.exit(
            f"playground: {missing}\n"
            f"hint: {hint}, or as root on Debian: apt-get install {' '.join(packages)}"
        )


def require(program: str, hint: str) -> None:
    """End with a message if a program is not installed."""
    if shutil.which(program) is None:
        sys.exit(f"playground: {program} is not installed\nhint: {hint}")
