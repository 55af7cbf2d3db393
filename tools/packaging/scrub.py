"""Removes paths of the build machine from the bill of materials in a wheel.

maturin writes the directories of our own packages into it. They say nothing to anyone else, and two
machines would build different wheels.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from pathlib import Path

from notices import ROOT


def scrub(wheel: Path) -> None:
    """Rewrite the wheel, if a bill of materials in it names the repository's directory."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    changed = {}
    for info, content in entries:
        if "/sboms/" in info.filename:
            scrubbed = content.replace(ROOT.as_posix().encode(), b"/superword")
            if scrubbed != content:
                changed[info.filename] = scrubbed
    if not changed:
        return
    temporary = wheel.with_suffix(".tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, content in entries:
            if info.filename.endswith(".dist-info/RECORD"):
                content = with_hashes(content, changed)
            archive.writestr(info, changed.get(info.filename, content), info.compress_type)
    temporary.replace(wheel)


def with_hashes(record: bytes, changed: dict[str, bytes]) -> bytes:
    """RECORD with the new hashes and sizes of the changed files."""
    rows = io.StringIO(newline="")
    writer = csv.writer(rows, lineterminator="\n")
    for name, digest, size in csv.reader(io.StringIO(record.decode())):
        if name in changed:
            hashed = base64.urlsafe_b64encode(hashlib.sha256(changed[name]).digest())
            digest, size = f"sha256={hashed.rstrip(b'=').decode()}", str(len(changed[name]))
        writer.writerow([name, digest, size])
    return rows.getvalue().encode()
