"""Finds a Rust compiler for WebAssembly.

The standard library is compiled for `wasm32-unknown-unknown` as well, so its sources are needed.
rustup downloads them. Where that is impossible, Debian's packages bring a compiler and the sources.
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

# The standard library is compiled with the engine, so that it is small too. This is not a stable
# feature, and RUSTC_BOOTSTRAP allows it.
COMMAND = ["build", "--quiet", f"--target={TARGET}"]
COMMAND += ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"]
PREFIX = f"CARGO_TARGET_{TARGET.upper().replace('-', '_')}"
ENVIRONMENT = {
    "RUSTC_BOOTSTRAP": "1",
    # A page shows no panics, so it need not contain their texts.
    f"{PREFIX}_RUSTFLAGS": "-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none "
    "-Zfmt-debug=shallow",
}


def compiler(folder: Path) -> Compiler:
    """The command that builds a package for the target, and its environment.

    `folder` remembers that rustup cannot download the target, because trying takes a minute.
    """
    failed = folder / "rustup-cannot-download"
    if has_target() or (not failed.exists() and add_target()):
        return ["cargo", *COMMAND], ENVIRONMENT
    failed.touch()
    return debian()


def has_target() -> bool:
    """Whether rustup has the target and the sources of the standard library."""
    if shutil.which("rustup") is None:
        return False
    listed = subprocess.run(
        ["rustup", "component", "list", "--installed"], capture_output=True, text=True, check=False
    )
    return {f"rust-std-{TARGET}", "rust-src"} <= set(listed.stdout.split())


def add_target() -> bool:
    """Try to download the target and the sources of the standard library."""
    if shutil.which("rustup") is None:
        return False
    for command in (["target", "add", TARGET], ["component", "add", "rust-src"]):
        print(f"playground: rustup {' '.join(command)}", flush=True)
        try:
            added = subprocess.run(
                ["rustup", *command],
                capture_output=True,
                timeout=SECONDS_TO_DOWNLOAD,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        if added.returncode:
            return False
    return has_target()


def debian() -> Compiler:
    """The compiler of Debian's packages."""
    if not all(map(is_installed, PACKAGES)):
        install(
            PACKAGES,
            "there is no Rust compiler for WebAssembly",
            f"rustup target add {TARGET} && rustup component add rust-src",
        )
    environment = {"RUSTC": "/usr/bin/rustc", f"{PREFIX}_LINKER": LINKER}
    return ["/usr/bin/cargo", *COMMAND], ENVIRONMENT | environment


def is_installed(package: str) -> bool:
    """Whether a package of Debian is installed."""
    if shutil.which("dpkg-query") is None:
        return False
    asked = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    return subprocess.run(asked, capture_output=True, check=False).stdout == b"installed"


def install(packages: list[str], missing: str, hint: str) -> None:
    """Install packages of Debian, or end with a message."""
    as_root = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    wanted = ["install", "--yes", "--no-install-recommends", *packages]
    try:
        # A new machine has no lists of packages.
        for arguments in (["update"], wanted):
            command = [*as_root, "apt-get", "--quiet", *arguments]
            print(f"playground: {' '.join(command)}", flush=True)
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
