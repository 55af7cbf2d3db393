"""Facts about the machine and the software, without anything that identifies the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def caches() -> dict[str, int]:
    """The sizes of the caches of one core, in bytes: L1d, L2, L3."""
    found: dict[str, int] = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            kind, level, size = (
                (folder / name).read_text().strip() for name in ("type", "level", "size")
            )
        except OSError:
            continue
        if kind != "Instruction" and size.endswith("K"):
            found[f"L{level}{'d' if kind == 'Data' else ''}"] = int(size[:-1]) * 1024
    return found


def siblings(core: int) -> list[int]:
    """The logical cores that share a physical core with this one, itself included."""
    path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
    try:
        parts = path.read_text().strip().split(",")
        ranges = [[int(end) for end in part.split("-")] for part in parts]
    except (OSError, ValueError):
        return [core]
    return sorted(core for ends in ranges for core in range(ends[0], ends[-1] + 1))


def threads_per_core() -> int | None:
    """How many logical cores share a physical one; None if that is unknown."""
    return len(siblings(0)) if hasattr(os, "sched_getaffinity") else None


def _field(path: str, name: str) -> str | None:
    try:
        for line in Path(path).read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    except OSError:
        pass
    return None


def facts() -> dict[str, Any]:
    """Processor, cores, memory, system, versions, and how busy the machine was at the start."""
    memory = _field("/proc/meminfo", "MemTotal")
    try:
        said = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True)
        rust: str | None = said.stdout.split("(")[0].strip()
    except (OSError, subprocess.CalledProcessError):
        rust = None
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": _field("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        "cores": cores(),
        "memory_bytes": int(memory.split()[0]) * 1024 if memory else None,
        "system": platform.system(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
        "rust": rust,
        "load_before": None if load is None else round(load, 2),
    }
