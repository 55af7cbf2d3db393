"""Import the model files of the paper's program: text, with tokens in the alphabet of GPT-2.

The layout, with one item per line:

    BoundlessBPE v2 boundless        the kind: word, boundless or superbpe
    vocabulary                       a section, maybe with the number of its lines after the name
    Ġthe 271                         a token and its id
    special_tokens
    <|endoftext|> 40000
    words                            merges in order: left, right, maybe the count
    Ġ t 123
    superwords                       supermerges in order, likewise
    Ġof Ġthe 45

This reader was written without such a file. The header, the sections and the alphabet follow the
description by the authors. It is an assumption that items are separated by blanks or tabs, that an
id may come before or after its token or be left out (then it is the position in the list), and
that section names may have brackets, colons or numbers around them. Everything else is an error
that names the line. The files do not contain the patterns; pass them as `pretokenizer`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NoReturn

from superword._files.read import read_file
from superword._support.bytechars import to_bytes
from superword.errors import ConversionError
from superword.imports.build import build
from superword.imports.rules import Rule, check_alphabet
from superword.options import Method
from superword.pretokenizer import DEFAULT, Pretokenizer
from superword.tokenizer import Tokenizer

__all__ = ["from_paper"]

_METHODS: dict[str, Method] = {"word": "bpe", "boundless": "boundless", "superbpe": "superbpe"}
_HEADER = re.compile(r"BoundlessBPE v(\d+) (\w+)\s*")
_SECTION = re.compile(
    r"[\[#=\s]*(vocabulary|special_tokens|words|superwords)[\]:=\s]*(\d*)[\]:=\s]*"
)

Line = tuple[int, list[str]]


def from_paper(
    path: str | os.PathLike[str], *, pretokenizer: str | Pretokenizer = DEFAULT
) -> Tokenizer:
    """Import a `.model` file of the paper's program. See `Tokenizer`."""
    file = Path(path)
    content = read_file(file, "check the path")
    try:
        # As in Python's text mode: any line ending counts as one.
        lines = content.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise ConversionError(
            f"{file} is not UTF-8 at byte {error.start}", path=str(file)
        ) from None
    return _Reader(file, lines).read(pretokenizer)


class _Reader:
    def __init__(self, file: Path, lines: list[str]) -> None:
        self.file = file
        self.lines = lines

    def read(self, pretokenizer: str | Pretokenizer) -> Tokenizer:
        header = _HEADER.fullmatch(self.lines[0].removeprefix("\ufeff"))
        if header is None:
            self.refuse(1, "it does not start with 'BoundlessBPE v2' and a kind")
        if header[1] != "2":
            self.refuse(1, f"it is of version {header[1]}; version 2 can be read")
        if header[2] not in _METHODS:
            self.refuse(1, f"the kind {header[2]!r} is not one of {', '.join(_METHODS)}")
        sections = self.sections()
        special = self.special_tokens(sections["special_tokens"])
        counts: dict[Rule, int] = {}
        merges = self.merges(sections["words"], counts)
        supermerges = self.merges(sections["superwords"], counts)
        ids = self.vocabulary(sections["vocabulary"], special)
        made = {left + right for left, right in [*merges, *supermerges]}
        for token in ids:
            if len(token) > 1 and token not in made:
                self.refuse(None, f"no merge makes the token {token.decode(errors='replace')!r}")
        for token in made:
            if token not in ids:
                text = token.decode(errors="replace")
                self.refuse(
                    None,
                    f"the token {text!r} that a merge makes is not in the vocabulary: models "
                    "with deletions cannot be read, since the file does not say when they were",
                )
        chosen = pretokenizer if isinstance(pretokenizer, Pretokenizer) else None
        return build(
            method=_METHODS[header[2]],
            pretokenizer=chosen or Pretokenizer(str(pretokenizer)),
            alphabet=check_alphabet(ids),
            merges=merges,
            supermerges=supermerges,
            ids=ids,
            special_tokens=special,
            counts=counts,
            facts={"format": "paper", "header": self.lines[0].strip()},
        )

    def sections(self) -> dict[str, list[Line]]:
        found: dict[str, list[Line]] = {
            name: [] for name in ("vocabulary", "special_tokens", "words", "superwords")
        }
        seen: set[str] = set()
        current: list[Line] | None = None
        left: int | None = None  # The remaining lines of this section, if it gives a number.
        for number, line in enumerate(self.lines[1:], start=2):
            if not line.strip():
                continue
            # A token may look like the name of a section. A known number of lines tells them apart.
            title = None if left else _SECTION.fullmatch(line)
            if title is not None and title[1] not in seen:
                seen.add(title[1])
                current = found[title[1]]
                left = int(title[2]) if title[2] else None
                continue
            if current is None:
                self.refuse(number, "it comes before the first section")
            current.append((number, line.split()))
            if left is not None:
                left -= 1
        if "vocabulary" not in seen or "words" not in seen:
            self.refuse(None, "it lacks the section vocabulary or words")
        return found

    def vocabulary(self, lines: list[Line], special: dict[str, int]) -> dict[bytes, int]:
        ids: dict[bytes, int] = {}
        for place, (number, items) in enumerate(lines):
            name, id = self.named(number, items, place)
            if special.get(name) == id:
                continue
            token = self.token(number, name)
            if token in ids:
                self.refuse(number, f"the token {name!r} is listed twice")
            ids[token] = id
        return ids

    def special_tokens(self, lines: list[Line]) -> dict[str, int]:
        found: dict[str, int] = {}
        for number, items in lines:
            if len(items) == 1:
                self.refuse(number, f"the special token {items[0]!r} has no id")
            name, id = self.named(number, items, 0)
            found[name] = id
        return found

    def merges(self, lines: list[Line], counts: dict[Rule, int]) -> list[Rule]:
        found: list[Rule] = []
        for number, items in lines:
            if len(items) not in (2, 3) or (len(items) == 3 and not items[2].isdigit()):
                self.refuse(number, "it is not two tokens, and maybe a count")
            rule = self.token(number, items[0]), self.token(number, items[1])
            if len(items) == 3:
                counts[rule] = int(items[2])
            found.append(rule)
        return found

    def named(self, number: int, items: list[str], place: int) -> tuple[str, int]:
        """A token and its id, in either order. A token without an id gets its position."""
        if len(items) == 1:
            return items[0], place
        if len(items) == 2:
            # "5 5": the first may be the token or the id; the token comes first.
            if items[1].isdigit():
                return items[0], int(items[1])
            if items[0].isdigit():
                return items[1], int(items[0])
        return self.refuse(number, "it is not a token and its id")

    def token(self, number: int, text: str) -> bytes:
        try:
            return to_bytes(text)
        except KeyError as error:
            self.refuse(number, f"{error.args[0]!r} in {text!r} is not in the alphabet of bytes")

    def refuse(self, number: int | None, message: str) -> NoReturn:
        where = f"{self.file}:{number}" if number is not None else str(self.file)
        raise ConversionError(
            f"{where}: {message}",
            hint="the module superword.imports.paper documents the format",
            path=str(self.file),
            line=number,
        )
