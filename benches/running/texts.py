"""The texts: found, decompressed and cut to size under `.bench/`, in the forms trainers read.

Sizes are bytes of UTF-8 text, without JSON or separators; 1 MB is 1,000,000 of them. A zero
character would end a document, so it becomes a space.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import os
import random
import shutil
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benches import ROOT, SCRATCH

MB = 1_000_000
WORST_BYTES = 16 * MB
ENDINGS = tuple(f".{kind}{how}" for kind in ("jsonl", "txt") for how in ("", ".gz", ".xz", ".zst"))


@dataclass
class Sources:
    """Where text comes from: files for the main text, for code, and one for each language."""

    name: str
    main: list[Path] = field(default_factory=list)
    code: list[Path] = field(default_factory=list)
    languages: dict[str, Path] = field(default_factory=dict)


def find_sources() -> Sources:
    """`CORPUS=path`, else the corpus beside the repository, else Python's standard library."""
    given = os.environ.get("CORPUS")
    if given:
        path = Path(given)
        if not path.exists():
            raise SystemExit(f"CORPUS={given}: there is no such file or folder")
        return from_folder(path, "CORPUS") if path.is_dir() else Sources("CORPUS", [path])
    beside = ROOT.parent / "shared" / "corpus"
    if beside.is_dir():
        return from_folder(beside, "corpus")
    library = Path(sysconfig.get_path("stdlib"))
    left_out = {"site-packages", "dist-packages", "__pycache__"}
    files = [p for p in sorted(library.rglob("*.py")) if not left_out & set(p.parts)]
    return Sources("Python's standard library", files, files)


def from_folder(folder: Path, name: str) -> Sources:
    """Main text is `en*`, or all files of the folder; code is `code*`, languages are `multi/`."""
    files = [p for p in sorted(folder.iterdir()) if p.name.endswith(ENDINGS)]
    code = [p for p in files if p.name.startswith("code")]
    main = [p for p in files if p.name.startswith("en")] or [p for p in files if p not in code]
    if not main:
        raise SystemExit(f"{name}: no {', '.join(ENDINGS)} file in the folder")
    multi = folder / "multi"
    found = sorted(multi.iterdir()) if multi.is_dir() else []
    languages = {p.name.split(".")[0]: p for p in found if p.name.endswith(ENDINGS)}
    return Sources(name, main, code, languages)


def open_text(path: Path) -> IO[str]:
    """A file as text, decompressed according to its name."""
    if path.suffix == ".zst":
        import zstandard

        return io.TextIOWrapper(zstandard.open(path, "rb"), encoding="utf-8", newline="")
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8", newline="")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")


def documents(paths: Iterable[Path]) -> Iterator[str]:
    """The documents: lines of JSONL files, and other files whole if they are UTF-8."""
    for path in paths:
        if ".jsonl" in path.name:
            with open_text(path) as file:
                for line in file:
                    text = json.loads(line)["text"].replace("\0", " ")
                    if text:
                        yield text
            continue
        try:
            with open_text(path) as file:
                text = file.read().replace("\0", " ")
        except UnicodeDecodeError:
            continue
        if text:
            yield text


class Writer:
    """Writes documents until it has `limit` bytes, after skipping the first `skip` bytes."""

    def __init__(self, stem: Path, limit: int, skip: int = 0, forms: str = "jsonl nul txt") -> None:
        self.stem, self.limit, self.skip = stem, limit, skip
        self.held_out = skip > 0
        self.bytes = self.documents = 0
        self.files = {form: stem.with_suffix(f".{form}").open("wb") for form in forms.split()}

    def full(self) -> bool:
        """Whether it has enough."""
        return self.bytes >= self.limit

    def add(self, text: str, data: bytes) -> None:
        """Write a document in each form."""
        if self.skip > 0:
            self.skip -= len(data)
            return
        if self.full():
            return
        self.bytes += len(data)
        self.documents += 1
        if "jsonl" in self.files:
            line = json.dumps({"text": text}, ensure_ascii=False)
            self.files["jsonl"].write(line.encode() + b"\n")
        if "nul" in self.files:
            self.files["nul"].write(data + b"\0")
        if "txt" in self.files:
            self.files["txt"].write(data + b"\n")

    def close(self) -> dict[str, Any]:
        """Close the files, and return what was written."""
        for file in self.files.values():
            file.close()
        return {"bytes": self.bytes, "documents": self.documents}


def write_all(paths: list[Path], writers: list[Writer]) -> None:
    """Fill all writers in one pass, and in a second one if there is too little held-out text."""
    for _ in range(2):
        for text in documents(paths):
            try:
                data = text.encode()
            except UnicodeEncodeError:
                continue  # JSON may contain lone surrogates, which are not text.
            for writer in writers:
                writer.add(text, data)
            if all(writer.full() for writer in writers):
                return
        if not any(writer.held_out for writer in writers):
            return
        # A small source: use text that the models have seen. No other text is repeated.
        writers = [writer for writer in writers if writer.held_out and not writer.bytes]
        for writer in writers:
            writer.skip = 0


def worst_cases(english: str, size: int) -> Iterator[tuple[str, str]]:
    """Texts of one line and about `size` bytes that are hard for an encoder."""
    rng = random.Random(7)

    def pick(alphabet: str, count: int) -> str:
        return "".join(rng.choices(alphabet, k=count))

    yield "one letter", "a" * size
    yield "random letters", pick("abcdefghijklmnopqrstuvwxyz", size)
    joined = "".join(english.split())
    joined *= size // max(1, len(joined.encode())) + 1
    yield "no spaces", joined.encode()[:size].decode(errors="ignore")
    yield "all punctuation", pick("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", size)
    yield "all Han", pick("".join(map(chr, range(0x4E00, 0x9FA6))), size // 3)
    yield "all emoji", pick("".join(map(chr, range(0x1F300, 0x1F650))), size // 4)


def prepare(
    sizes: list[int], model_bytes: int, english_bytes: int, languages: list[str] | None
) -> dict[str, Any]:
    """All texts of a run, made once: name -> stem of its files, bytes, documents.

    `train-<bytes>` are training texts, each the beginning of the same stream; `english` is main
    text after the first `model_bytes`, which the encoders' models do not see; then `code`, the
    languages, and the worst cases.
    """
    sources = find_sources()
    chosen = {
        name: path
        for name, path in sources.languages.items()
        if languages is None or name in languages
    }
    signature = json.dumps(
        [
            [(str(p), p.stat().st_size) for p in [*sources.main, *sources.code]],
            [(str(p), p.stat().st_size) for p in chosen.values()],
            [sizes, model_bytes, english_bytes, WORST_BYTES],
        ]
    )
    key = hashlib.sha256(signature.encode()).hexdigest()
    folder = SCRATCH / "text"
    manifest = folder / "manifest.json"
    if manifest.is_file():
        kept: dict[str, Any] = json.loads(manifest.read_text())
        if kept["key"] == key:
            return kept
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    texts: dict[str, Any] = {}

    def run(paths: list[Path], wanted: dict[str, Writer]) -> None:
        with ExitStack() as stack:
            for name, writer in wanted.items():
                stack.callback(
                    lambda n=name, w=writer: texts.update({n: {"stem": str(w.stem), **w.close()}})
                )
            write_all(paths, list(wanted.values()))

    main = {f"train-{size}": Writer(folder / f"train-{size}", size) for size in sizes}
    main["model"] = Writer(folder / "model", model_bytes)
    main["english"] = Writer(folder / "english", english_bytes, model_bytes, "nul")
    run(sources.main, main)
    if sources.code:
        run(sources.code, {"code": Writer(folder / "code", min(english_bytes, 32 * MB), 0, "nul")})
    for name, path in chosen.items():
        run([path], {f"lang {name}": Writer(folder / f"lang-{name}", 8 * MB, 0, "nul")})
    english = (folder / "english.nul").read_bytes()[: 8 * MB].decode(errors="ignore")
    for name, text in worst_cases(english.replace("\0", " "), WORST_BYTES):
        stem = folder / f"worst-{name.replace(' ', '-')}"
        stem.with_suffix(".nul").write_bytes(text.encode())
        texts[f"worst {name}"] = {"stem": str(stem), "bytes": len(text.encode()), "documents": 1}
    # Empty text cannot be measured. Shorter text than requested is kept, with its actual size.
    texts = {name: facts for name, facts in texts.items() if facts["bytes"]}
    made = {"key": key, "source": sources.name, "texts": texts}
    manifest.write_text(json.dumps(made, indent=1))
    return made
