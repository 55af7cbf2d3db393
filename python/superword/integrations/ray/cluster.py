"""Connect to Ray: use what runs already, or start it, quietly and only for this machine."""

from __future__ import annotations

import logging
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from superword._support.extras import need
from superword.errors import ClusterError, OptionError

__all__ = ["connected", "cpus_for", "loopback", "ray"]

ray = need("ray", "ray", "superword.integrations.ray")

LOCALHOST = "127.0.0.1"
_SECONDS_TO_ANSWER = 10.0


@contextmanager
def connected(address: str | None) -> Iterator[None]:
    """Connect to Ray until the block ends. A connection that exists is used and kept.

    Without an address, this is the cluster in `RAY_ADDRESS`, or the one that `ray start` has made
    this machine a part of. If there is none, Ray is started on this machine.
    """
    if ray.is_initialized():
        _check_same(address)
        yield
        return
    address = address or os.environ.get("RAY_ADDRESS") or _current() or "local"
    with _own_signals():
        _start() if address == "local" else _connect(address)
    try:
        yield
    finally:
        with _own_signals():
            ray.shutdown()


def cpus_for(tasks: int, threads: int | None) -> int:
    """The number of CPUs for each of `tasks` tasks.

    Without `threads`, tasks get as many CPUs as possible while all of them can run at once, and one
    each if there are more tasks than CPUs. A task never gets more than one node has, because it
    would wait forever.
    """
    nodes = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    # A cluster that starts its nodes on demand may have none yet.
    most = max([1, *nodes])
    if threads is not None and threads > most:
        raise OptionError(
            f"`threads` is {threads}, but the largest node of the cluster has {most} CPUs",
            hint=f"give {most} or less, or leave `threads` out",
            option="threads",
            value=threads,
        )
    if threads is not None:
        return threads or most
    fitting = (cpus for cpus in range(most, 1, -1) if sum(n // cpus for n in nodes) >= tasks)
    return next(fitting, 1)


def _check_same(address: str | None) -> None:
    """Raise if Ray is connected to another cluster than the one asked for."""
    now = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", now):
        raise OptionError(
            f"`address` is {address}, but this process is connected to the cluster at {now}",
            hint="leave `address` out, or call ray.shutdown() first",
            option="address",
            value=address,
        )


def _current() -> str | None:
    """The cluster of this machine, as `ray start` has recorded it. None if it does not answer."""
    folder = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    try:
        address = Path(folder, "ray", "ray_current_cluster").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    # The record of a cluster that has crashed stays, and Ray would wait for it for minutes.
    return address if _answers(address) else None


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS_TO_ANSWER):
            return True
    except (OSError, ValueError):
        return False


def _start() -> None:
    # Read by the processes that Ray starts.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with loopback():
        _init(address="local", include_dashboard=False, _node_ip_address=LOCALHOST)


def _connect(address: str) -> None:
    host, _, port = address.rpartition(":")
    plain = "://" not in address and port.isdigit()
    if plain and not _answers(address):
        raise ClusterError(
            f"no Ray cluster answers at {address}",
            hint="check `address`: it is HOST:PORT, and `ray start --head` prints it",
            address=address,
        )
    if plain and host in (LOCALHOST, "localhost"):
        with loopback():
            _init(address=address)
    else:
        _init(address=address)


def _init(address: str, **options: Any) -> None:
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except (OSError, RuntimeError, ValueError) as error:
        raise ClusterError(
            f"Ray cannot be used at {address}: {error}",
            hint="check `address` and that the cluster runs the same version of Ray",
            address=address,
        ) from None


@contextmanager
def loopback() -> Iterator[None]:
    """Let Ray use 127.0.0.1, so that no other machine can reach what it starts.

    Ray replaces 127.0.0.1 by the address of the machine and then listens on all of them, except on
    systems for which it has no clusters. This pretends to be such a system.
    """
    constants: Any = getattr(getattr(ray, "_private", None), "ray_constants", None)
    before = getattr(constants, "ENABLE_RAY_CLUSTER", None)
    if before is None:
        yield
        return
    constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep the handlers of the process: Ray installs one for SIGTERM. Hide its messages."""
    logger = logging.getLogger("ray")
    level, before = logger.level, signal.getsignal(signal.SIGTERM)
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGTERM, before)
