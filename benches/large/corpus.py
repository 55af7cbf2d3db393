"""A large mixed corpus, made on the spot from the source packages of a Debian mirror.

Source packages contain program code in many languages, documentation, and translations. Each text
file becomes one document of a JSONL file. Files that are not UTF-8, that are mostly digits, or that
were seen before are left out. Archives are checked against the index of the mirror, read once, and
deleted, so the directory needs little more space than the text.

Work that is done is kept: a second call with the same directory goes on after the last package.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benches.running.texts import MB, documents, find_sources

PART_BYTES = 1_000 * MB
LARGEST_ARCHIVE = 60 * MB
LARGEST_FILE = 1 * MB
SMALLEST_FILE = 64
# No package may be a large part of the corpus.
PACKAGE_BYTES = 50 * MB
# Text from the corpus beside the repository, for running text in many languages.
PROSE_SHARE = 0.03
DIGITS_AT_MOST = 0.3
AHEAD = 3  # Archives that are downloaded while another one is read.
ENDINGS = (".tar.xz", ".tar.gz", ".tar.bz2", ".tgz")


@dataclass(frozen=True)
class Archive:
    """The sources of one package."""

    package: str
    path: str  # below the mirror
    size: int
    sha256: str


def mirror() -> tuple[str, str]:
    """The address of the first Debian mirror that apt uses, and its release."""
    form = "$(CREATED_BY)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
    command = ["apt-get", "indextargets", "--format", form]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        said = ""
    for line in said.splitlines():
        kind, address, release, component = line.split("|")
        if kind == "Packages" and component == "main":
            return address.rstrip("/"), release
    raise SystemExit(
        "error: apt knows no Debian mirror\nhint: give one with --mirror and --release"
    )


def archives(index: str) -> list[Archive]:
    """All archives of an index of source packages, in an order that mixes them."""
    found = []
    for stanza in index.split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in stanza.splitlines():
            if line.startswith(" "):
                fields[name] += line + "\n"
            else:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
        for line in fields.get("Checksums-Sha256", "").splitlines():
            sha256, size, file = line.split()
            upstream = ".debian." not in file and ".orig-" not in file
            if upstream and file.endswith(ENDINGS) and int(size) <= LARGEST_ARCHIVE:
                path = f"{fields['Directory']}/{file}"
                found.append(Archive(fields["Package"], path, int(size), sha256))
    # Several packages may be built from one archive.
    once = {archive.sha256: archive for archive in found}.values()
    # Reading xz takes several times as long as reading gzip, so those archives come last.
    return sorted(
        once, key=lambda a: (a.path.endswith("xz"), hashlib.sha256(a.package.encode()).digest())
    )


def download(address: str, archive: Archive, folder: Path) -> Path | None:
    """An archive as a file, or None if it did not arrive as the index says."""
    path = folder / archive.sha256
    for _ in range(3):
        try:
            with (
                urllib.request.urlopen(f"{address}/{archive.path}", timeout=120) as source,
                path.open("wb") as file,
            ):
                shutil.copyfileobj(source, file, 1 << 20)
        except OSError:
            continue
        with path.open("rb") as file:
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
        if digest.hexdigest() == archive.sha256:
            return path
    path.unlink(missing_ok=True)
    return None


def downloads(
    address: str, wanted: list[Archive], folder: Path
) -> Iterator[tuple[Archive, Path | None]]:
    """The archives in order; a few are on their way while one is used."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(AHEAD) as pool:
        coming: deque[tuple[Archive, Future[Path | None]]] = deque()
        waiting = iter(wanted)
        try:
            while True:
                while len(coming) < AHEAD and (archive := next(waiting, None)) is not None:
                    coming.append((archive, pool.submit(download, address, archive, folder)))
                if not coming:
                    return
                archive, arrived = coming.popleft()
                yield archive, arrived.result()
        finally:
            for _, late in coming:
                late.cancel()


def text_files(path: Path) -> Iterator[bytes]:
    """The files of an archive that are text. A damaged archive gives what can be read."""
    digits = bytes(range(ord("0"), ord("9") + 1))
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                if not member.isreg() or not SMALLEST_FILE <= member.size <= LARGEST_FILE:
                    continue
                file = archive.extractfile(member)
                data = file.read() if file else b""
                if b"\0" in data[:4096] or b"\0" in data:
                    continue
                if len(data) - len(data.translate(None, digits)) > DIGITS_AT_MOST * len(data):
                    continue
                yield data
    except (tarfile.TarError, lzma.LZMAError, EOFError, OSError, ValueError):
        return


class Output:
    """The JSONL files, and the state that a later call continues from.

    `state.jsonl` has a line for each finished package. What was written after the last one, when a
    run was killed, is cut off.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.state = folder / "state.jsonl"
        self.seen: set[bytes] = set()
        self.done: set[str] = set()
        self.part = self.offset = self.bytes = self.documents = 0
        digests = folder / "digests.bin"
        kept = 0
        if self.state.is_file():
            whole = self.state.read_bytes()
            whole = whole[: whole.rfind(b"\n") + 1]
            self.state.write_bytes(whole)
            for line in whole.splitlines():
                last = json.loads(line)
                self.done.add(last["package"])
                self.part, self.offset = last["part"], last["offset"]
                self.bytes, self.documents = last["bytes"], last["documents"]
                kept = last["digests"]
        if digests.is_file():
            data = digests.read_bytes()[: kept * 16]
            self.seen = {data[i : i + 16] for i in range(0, len(data), 16)}
        self.digests = digests.open("r+b" if digests.is_file() else "w+b")
        self.digests.truncate(kept * 16)
        self.digests.seek(kept * 16)
        for path in folder.glob("part-*.jsonl"):
            if int(path.stem.removeprefix("part-")) > self.part:
                path.unlink()
        self.file = self._open()

    def _open(self) -> IO[bytes]:
        path = self.folder / f"part-{self.part:02}.jsonl"
        file = path.open("r+b" if path.is_file() else "w+b")
        file.truncate(self.offset)
        file.seek(self.offset)
        return file

    def add(self, data: bytes) -> int:
        """Write a document unless it is not UTF-8 or was seen. Return the bytes of its text."""
        key = hashlib.blake2b(data, digest_size=16).digest()
        if key in self.seen:
            return 0
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return 0
        self.seen.add(key)
        self.digests.write(key)
        line = json.dumps({"text": text}, ensure_ascii=False).encode() + b"\n"
        if self.offset >= PART_BYTES:
            self.file.close()
            self.part, self.offset = self.part + 1, 0
            self.file = self._open()
        self.file.write(line)
        self.offset += len(line)
        self.bytes += len(data)
        self.documents += 1
        return len(data)

    def finished(self, package: str) -> None:
        """Note that a package is complete."""
        self.digests.flush()
        self.file.flush()
        self.done.add(package)
        line = {
            "package": package,
            "part": self.part,
            "offset": self.offset,
            "bytes": self.bytes,
            "documents": self.documents,
            "digests": len(self.seen),
        }
        with self.state.open("a") as state:
            state.write(json.dumps(line) + "\n")

    def close(self) -> None:
        """Close the files."""
        self.file.close()
        self.digests.close()


def add_prose(output: Output, wanted: int) -> None:
    """Running text of the corpus beside the repository, the same amount from each file."""
    sources = find_sources()
    files = [*sources.main, *sources.languages.values()]
    if "prose" in output.done or not sources.languages:
        return
    for path in files:
        left = wanted // len(files)
        for text in documents([path]):
            left -= output.add(text.encode(errors="ignore"))
            if left <= 0:
                break
    output.finished("prose")


def make(folder: Path, size: int, address: str, release: str) -> dict[str, int]:
    """Fill `folder` with `part-*.jsonl` until their text has `size` bytes."""
    manifest = folder / "manifest.json"
    output = Output(folder)
    with urllib.request.urlopen(f"{address}/dists/{release}/main/source/Sources.xz") as source:
        index = lzma.decompress(source.read()).decode()
    add_prose(output, int(size * PROSE_SHARE))
    wanted = [a for a in archives(index) if a.path not in output.done]
    shutil.rmtree(folder / "archives", ignore_errors=True)
    coming = downloads(address, wanted, folder / "archives")
    for count, (archive, path) in enumerate(coming):
        if output.bytes >= size:
            break
        left = PACKAGE_BYTES
        if path is not None:
            for data in text_files(path):
                left -= output.add(data)
                if left <= 0 or output.bytes >= size:
                    break
            path.unlink()
        output.finished(archive.path)
        if count % 50 == 0:
            said = f"{output.bytes / 1e9:.2f} GB, {output.documents:,} documents"
            print(f"{said}, {len(output.done):,} packages", file=sys.stderr, flush=True)
    coming.close()
    output.close()
    shutil.rmtree(folder / "archives", ignore_errors=True)
    made = {
        "bytes": output.bytes,
        "documents": output.documents,
        "packages": len(output.done),
        "jsonl_bytes": sum(p.stat().st_size for p in folder.glob("part-*.jsonl")),
    }
    manifest.write_text(json.dumps(made, indent=1) + "\n")
    return made
