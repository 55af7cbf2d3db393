"""Import the model files of the paper's program.

A file is text in UTF-8, with one item per line and blanks between the fields of an item. Tokens are
written in the printable byte alphabet of GPT-2. This is the layout of the files that the program
wrote for `tests/data/golden/models`:

    BoundlessBPE v2 boundless        the kind: word, boundless or superbpe
    vocabulary
    3000                             the number of tokens
    272 Ġthe 41 0                    id, token, and two numbers that encoding does not use
    special_tokens
    1
    3000 <|endoftext|>               id, text
    words
    {"tau": 1.1, ...}                options of the training, as JSON
    merges
    2488
    0 Ġ Ġ 13895 1                    place, left, right, count, a flag that encoding does not use
    deletions
    1
    75 ĬĶ                            place, token
    superwords                       not in files of the kind "word"
    {"tau": 1.1, ...}
    merges
    269
    0 ãģ¨ ãģŁ 169 0
    deletions
    0

The place orders the merges and deletions of a part together. Encoding uses these options: the
patterns (`main_regex`, `script_specific_regex` with `script_specific_scripts`), `merge_pattern`,
which an eligible pretoken matches, and `blowup`, which says that a deleted token becomes bytes
instead of parts. Files of models with greedy splitting do not hold the n-grams, because the program
does not use them when it encodes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from superword import _core
from superword._files.read import read_file
from superword._support.bytechars import to_bytes
from superword._support.json_values import parse_json
from superword.errors import ConversionError, PatternError, SuperwordError
from superword.options import Method
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer

__all__ = ["from_paper"]

# The longest number of a file.
_DIGITS = 20

_METHODS: dict[str, Method] = {"word": "bpe", "boundless": "boundless", "superbpe": "superbpe"}

# Kind, left (or the deleted token), right, count: an event as the engine takes it.
Event = tuple[str, bytes, bytes, int]


def from_paper(
    path: str | os.PathLike[str], *, pretokenizer: str | Pretokenizer | None = None
) -> Tokenizer:
    """Import a model file of the paper's program. See `Tokenizer`."""
    file = Path(path)
    content = read_file(file, "check the path")
    try:
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise ConversionError(
            f"{file} is not UTF-8 at byte {error.start}",
            hint="give a file that starts with 'BoundlessBPE v2'",
            path=str(file),
        ) from None
    return _Reader(file, lines).model(pretokenizer)


class _Reader:
    """Reads a file from top to bottom. `at` is the next line, from 0."""

    def __init__(self, file: Path, lines: list[str]) -> None:
        self.file = file
        self.lines = lines
        self.at = 0

    def model(self, pretokenizer: str | Pretokenizer | None) -> Tokenizer:
        method = self.header()
        self.title("vocabulary")
        ids = {
            self.token(text): int(id)
            for id, text, *_ in self.items(4, "an id, a token and two numbers", digits=(0, 2, 3))
        }
        self.title("special_tokens")
        special = {text: int(id) for id, text in self.items(2, "an id and a text", digits=(0,))}
        self.title("words")
        options = self.options()
        words = self.events("merge")
        supermerges: list[Event] = []
        if method != "bpe":
            self.title("superwords")
            self.options()
            supermerges = self.events("supermerge")
            if any(kind == "delete" for kind, *_ in supermerges):
                self.refuse("it deletes superwords, which superword cannot express")
        if any(self.lines[self.at :]):
            self.refuse("the file goes on after its last section")
        with _laid_out(self.file):
            chosen = _pretokenizer(options) if pretokenizer is None else pretokenizer
            if not isinstance(chosen, Pretokenizer):
                chosen = Pretokenizer(chosen)
            facts = {
                "version": _core.__version__,
                "imported": {"format": "paper", "words": options},
            }
            model = _core.Model.from_parts(
                method,
                chosen._engine,
                _alphabet(ids),
                _by_id(words, supermerges, ids),
                None,
                [(text, id, True, False, False, False, False) for text, id in special.items()],
                json.dumps(facts),
                picky_split="bytes" if options.get("blowup") else "parts",
            )
            _check_ids(model, ids)
        return Tokenizer._wrap(model)

    # The parts of a file.

    def header(self) -> Method:
        words = self.lines[0].split()
        if len(words) != 3 or words[0] != "BoundlessBPE":
            self.refuse("it does not start with 'BoundlessBPE v2' and a kind", at=0)
        if words[1] != "v2":
            self.refuse(f"it is of version {words[1]}; version v2 can be read", at=0)
        if words[2] not in _METHODS:
            self.refuse(f"the kind {words[2]!r} is not one of {', '.join(_METHODS)}", at=0)
        self.at = 1
        return _METHODS[words[2]]

    def title(self, name: str) -> None:
        if self.line() != name:
            self.refuse(f"expected the section {name!r}", at=self.at - 1)

    def options(self) -> dict[str, Any]:
        try:
            options = parse_json(self.line())
        except ValueError as error:
            self.refuse(f"not JSON: {error}", at=self.at - 1)
        if not isinstance(options, dict):
            self.refuse("not a JSON object", at=self.at - 1)
        return options

    def events(self, kind: str) -> list[Event]:
        """The sections `merges` and `deletions`, in the order of their places."""
        placed: list[tuple[int, Event]] = []
        self.title("merges")
        for place, left, right, count, _ in self.items(
            5, "a place, two tokens, a count and a flag", digits=(0, 3, 4)
        ):
            event = (kind, self.token(left), self.token(right), int(count))
            placed.append((int(place), event))
        self.title("deletions")
        for place, token in self.items(2, "a place and a token", digits=(0,)):
            placed.append((int(place), ("delete", self.token(token), b"", 0)))
        placed.sort(key=lambda item: item[0])
        if [place for place, _ in placed] != list(range(len(placed))):
            self.refuse("the places of merges and deletions have gaps, or one is given twice")
        return [event for _, event in placed]

    def items(self, fields: int, what: str, digits: tuple[int, ...]) -> list[list[str]]:
        """The number of items in the next line, and then the items."""
        number = self.line()
        if not _is_number(number):
            self.refuse(f"expected the number of lines of the section, not {number[:40]!r}")
        found = []
        for _ in range(int(number)):
            item = self.line().split(" ")
            if len(item) != fields or not all(_is_number(item[field]) for field in digits):
                self.refuse(f"expected {what}", at=self.at - 1)
            found.append(item)
        return found

    def line(self) -> str:
        if self.at >= len(self.lines):
            self.refuse("the file ends in the middle of a section")
        self.at += 1
        return self.lines[self.at - 1]

    def token(self, text: str) -> bytes:
        try:
            return to_bytes(text)
        except KeyError as error:
            self.refuse(
                f"{error.args[0]!r} in {text!r} is not in the alphabet of bytes", at=self.at - 1
            )

    def refuse(self, message: str, at: int | None = None) -> NoReturn:
        number = min(self.at if at is None else at, len(self.lines) - 1) + 1
        raise ConversionError(
            f"{self.file}:{number}: {message}",
            hint="the module superword.imports.paper documents the format",
            path=str(self.file),
            line=number,
        )


def _is_number(text: str) -> bool:
    """Whether this is a whole number with as many digits as a count can have."""
    return text.isdecimal() and len(text) <= _DIGITS


@contextmanager
def _laid_out(file: Path) -> Iterator[None]:
    """Name the file in every `ConversionError`, and turn surprises in its layout into one."""
    try:
        yield
    except ConversionError as error:
        raise error._at(str(file), path=str(file)) from None
    except SuperwordError:
        raise
    except (
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        ValueError,
        OverflowError,
    ) as error:
        raise ConversionError(
            f"{file}: not laid out as expected ({type(error).__name__}: {error})",
            hint="the file is damaged, or of a version that superword does not know",
            path=str(file),
        ) from error


def _pretokenizer(options: dict[str, Any]) -> Pretokenizer:
    scripts = options.get("script_specific_scripts") or None
    try:
        made = Pretokenizer(
            pattern=options["main_regex"],
            script_pattern=options.get("script_specific_regex") if scripts else None,
            scripts=scripts,
            eligible=options.get("merge_pattern"),
        )
    except PatternError as error:
        raise ConversionError(
            f"the pattern cannot be used: {error._texts[0]}", hint=error._texts[1]
        ) from error
    return Pretokenizer._wrap(made._engine.or_preset())


def _by_id(words: list[Event], supermerges: list[Event], ids: dict[bytes, int]) -> list[Event]:
    """All events. A supermerge is placed so that tokens are made in the order of their ids."""
    last = {left + right: at for at, (kind, left, right, _) in enumerate(words) if kind == "merge"}
    merged: list[Event] = []
    waiting = list(reversed(supermerges))
    for at, event in enumerate(words):
        kind, left, right, _ = event
        token = left + right
        # A token that is deleted and made again has the id of its last merge.
        if kind == "merge" and token in ids and last[token] == at:
            while waiting and ids.get(waiting[-1][1] + waiting[-1][2], 0) < ids[token]:
                merged.append(waiting.pop())
        merged.append(event)
    return [*merged, *reversed(waiting)]


def _alphabet(ids: dict[bytes, int]) -> str:
    return "bytes" if b"\xff" in ids else "utf8"


def _check_ids(model: _core.Model, ids: dict[bytes, int]) -> None:
    """The ids must follow from the order of the events, as the program assigns them."""
    for token, id in ids.items():
        found = model.token_to_id(token)
        if found != id:
            shown = token.decode(errors="backslashreplace")
            missing = "no merge makes it" if found is None else f"its merges give it the id {found}"
            raise ConversionError(
                f"the token {shown!r} has the id {id} in the vocabulary, but {missing}",
                hint="the sections of the file contradict each other",
                token=shown,
            )
