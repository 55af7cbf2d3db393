"""The options of training: one definition of each, with its default, its meaning and its check.

The keyword arguments of `superword.train`, the flags of `superword train`, what the engine is
given and what a model's facts say all come from here or are tested against it.
"""

# ruff: noqa: RUF009 - _option is dataclasses.field with our metadata.
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from superword._support import checks
from superword._support.text import parse_size
from superword.errors import OptionError
from superword.pretokenizer import DEFAULT, Pretokenizer

__all__ = ["ALPHABETS", "FORMATS", "METHODS", "TrainOptions"]

Method = Literal["bpe", "boundless", "superbpe"]
Alphabet = Literal["bytes", "utf8"]
PickySplit = Literal["parts", "bytes"]
GreedySplit = bool | Literal["encode"]
Boundary = Literal["any", "space"]
OnError = Literal["stop", "skip"]
Format = Literal["jsonl", "text", "lines", "paragraphs", "parquet", "arrow"]

METHODS = ("bpe", "boundless", "superbpe")
FORMATS = ("jsonl", "text", "lines", "paragraphs", "parquet", "arrow")
# Bytes in the vocabulary from the start: all, or those that occur in UTF-8 (not C0, C1, F5..FF).
ALPHABETS = {"bytes": 256, "utf8": 243}
# The words of the command line and of the engine for the values of greedy_split.
GREEDY_SPLIT: Mapping[str, GreedySplit] = {"off": False, "train": True, "encode": "encode"}

# Options that only mean something where there are superwords, and only where text is read.
SUPERWORDS_ONLY = ("greedy_split", "max_words", "same_script", "boundary", "veto")
FILES_ONLY = ("text_field", "weights", "work_dir", "on_error", "format")
# Options that decide what is read and how, and nothing else.
READING = (
    "threads",
    "text_field",
    "max_bytes",
    "sample",
    "seed",
    "weights",
    "max_memory",
    "on_error",
)


def _option(
    meaning: str,
    default: Any = ...,
    *,
    choices: Iterable[str] | None = None,
    metavar: str | None = None,
    flag: str | None = None,
) -> Any:
    metadata = {
        "meaning": meaning,
        "choices": tuple(choices) if choices else None,
        "metavar": metavar,
        "flag": flag,
    }
    if default is ...:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """All options of a training run, checked one by one and against each other.

    >>> TrainOptions(vocab_size=1000, method="bpe").supermerges is None
    True
    >>> TrainOptions(vocab_size=100)
    Traceback (most recent call last):
    superword.errors.OptionError: vocab_size 100 is smaller than ...
    """

    vocab_size: int = _option(
        "Size of the whole vocabulary: bytes, words, superwords and special tokens.", metavar="N"
    )
    method: Method = _option(
        "bpe: words only. boundless: words and superwords, the mix found by itself. "
        "superbpe: words, then the given number of supermerges.",
        "boundless",
        choices=METHODS,
    )
    supermerges: int | None = _option(
        "How many supermerges superbpe learns; they are part of the vocabulary.", None, metavar="N"
    )
    pretokenizer: str | Pretokenizer = _option(
        "How text is cut into pretokens: the name of a preset.", DEFAULT, metavar="NAME"
    )
    alphabet: Alphabet = _option(
        "bytes: all 256. utf8: the 243 that occur in UTF-8.", "bytes", choices=ALPHABETS
    )
    min_count: int = _option("Pairs that occur less often are not merged.", 1, metavar="N")
    picky: float | None = _option(
        "Delete a word token once a merge takes at least this share of its occurrences "
        "(PickyBPE), above 0 and at most 1.",
        None,
        metavar="SHARE",
    )
    picky_split: PickySplit = _option(
        "What takes the place of a deleted token: its two parts, or its bytes.",
        "parts",
        choices=("parts", "bytes"),
    )
    greedy_split: GreedySplit = _option(
        "Cut runs of words at frequent n-grams before learning superwords. "
        "train: while training. encode: also when encoding.",
        False,
        choices=GREEDY_SPLIT,
    )
    max_words: int | None = _option(
        "The most pretokens that a superword may have, 2 or more.", None, metavar="N"
    )
    same_script: bool = _option("A superword may not mix scripts.", False)
    boundary: Boundary = _option(
        "space: what is joined on the right must start with a space.",
        "any",
        choices=("any", "space"),
    )
    veto: str | None = _option(
        "Superwords that match this pattern are not made.", None, metavar="PATTERN"
    )
    special_tokens: Iterable[str] = _option(
        "Special tokens, in order; their ids are the last ones.",
        (),
        metavar="TOKEN",
        flag="--special-token",
    )
    threads: int | None = _option(
        "Threads to use; 0 means all cores. The result is the same.", None, metavar="N"
    )
    text_field: str = _option(
        "The field of each JSON line, or the column of each table, that holds the text.",
        "text",
        metavar="FIELD",
    )
    max_bytes: int | str | None = _option(
        "Read no more than about this much text, such as 10GB: a sample of that size where there "
        "is more (the same as sample).",
        None,
        metavar="SIZE",
    )
    sample: int | str | None = _option(
        "Learn from a sample of about this much text, such as 10GB: whole documents drawn evenly "
        "from all inputs, the same ones each time.",
        None,
        metavar="SIZE",
    )
    seed: int = _option("Another seed gives another sample.", 0, metavar="N")
    weights: Mapping[str, float] | Iterable[str] = _option(
        "How often documents of a group of inputs count, such as de=2.0. A fraction means that "
        "share of the documents.",
        (),
        metavar="GROUP=W",
        flag="--weight",
    )
    work_dir: str | os.PathLike[str] | None = _option(
        "Keep what is finished in this directory; the same command goes on from there.",
        None,
        metavar="DIR",
    )
    max_memory: int | str | None = _option(
        "Read and count within about this much memory, such as 4GB; what does not fit is put into "
        "temporary files. The result is the same.",
        None,
        metavar="SIZE",
    )
    on_error: OnError = _option(
        "What to do with a document that cannot be read: stop, or skip it and report how many.",
        "stop",
        choices=("stop", "skip"),
    )
    format: Format | None = _option(
        "How the inputs hold documents: a JSON object per line, one document per file, per line "
        "or per block between blank lines; or a table. Told from file names unless given.",
        None,
        choices=FORMATS,
    )

    def __post_init__(self) -> None:
        for option in fields(self):
            choices = option.metadata["choices"]
            value = getattr(self, option.name)
            if option.name == "greedy_split":
                self._put("greedy_split", checks.greedy_split(value))
            elif choices and not (value is None and option.default is None):
                checks.check_choice(option.name, value, choices)
        self._put("vocab_size", checks.whole("vocab_size", self.vocab_size, at_least=1))
        self._put("min_count", checks.whole("min_count", self.min_count, at_least=1))
        if self.supermerges is not None:
            self._put("supermerges", checks.whole("supermerges", self.supermerges, at_least=1))
        if self.max_words is not None:
            self._put("max_words", checks.whole("max_words", self.max_words, at_least=2))
        if self.threads is not None:
            self._put("threads", checks.whole("threads", self.threads, at_least=0))
        for name in ("max_bytes", "sample", "max_memory"):
            given = getattr(self, name)
            if given is not None:
                size = parse_size(given) if isinstance(given, str) else given
                self._put(name, checks.whole(name, size, at_least=1))
        self._put("seed", checks.whole("seed", self.seed, at_least=0))
        self._put("weights", checks.weights(self.weights))
        if self.picky is not None:
            self._put("picky", checks.share("picky", self.picky))
        if self.work_dir is not None:
            if not isinstance(self.work_dir, str | os.PathLike) or not os.fspath(self.work_dir):
                raise checks.wrong_type("work_dir", self.work_dir, "a directory")
            self._put("work_dir", os.fspath(self.work_dir))
        if not isinstance(self.same_script, bool):
            raise checks.wrong_type("same_script", self.same_script, "True or False")
        if not isinstance(self.text_field, str):
            raise checks.wrong_type("text_field", self.text_field, "the name of a field")
        if self.veto is not None and (not isinstance(self.veto, str) or not self.veto):
            raise OptionError(
                f"veto must be a pattern that is not empty, not {self.veto!r}",
                hint=r"for example veto=r'\p{N}' for no digits in superwords; or leave it out",
                option="veto",
            )
        if not isinstance(self.pretokenizer, Pretokenizer):
            if not isinstance(self.pretokenizer, str):
                raise checks.wrong_type(
                    "pretokenizer", self.pretokenizer, "a name or a Pretokenizer"
                )
            self._put("pretokenizer", Pretokenizer(self.pretokenizer))
        self._put("special_tokens", checks.special_tokens(self.special_tokens))
        self._check_together()

    def _put(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_together(self) -> None:
        if self.method == "superbpe":
            if self.supermerges is None:
                raise OptionError(
                    'method "superbpe" needs supermerges: how many superwords to learn',
                    hint=f"give supermerges, such as {max(self.vocab_size // 10, 1)} of "
                    f'{self.vocab_size}; method "boundless" finds the number by itself',
                    option="supermerges",
                )
        elif self.supermerges is not None:
            boundless = self.method == "boundless"
            raise OptionError(
                f'supermerges was given with method "{self.method}", which '
                + ("finds their number by itself" if boundless else "learns none"),
                hint='use method "superbpe", or leave supermerges out',
                option="supermerges",
            )
        if self.method == "bpe":
            for option in fields(self):
                given = getattr(self, option.name)
                if option.name in SUPERWORDS_ONLY and given != option.default:
                    raise OptionError(
                        f'{option.name} was given with method "bpe", which learns no superwords',
                        hint=f'use method "boundless" or "superbpe", or leave {option.name} out',
                        option=option.name,
                    )
        if self.sample is not None and self.max_bytes is not None:
            raise OptionError(
                "sample and max_bytes were both given; they mean the same",
                hint="leave one of them out",
                option="sample",
            )
        if self.seed and self.sample is None and self.max_bytes is None:
            raise OptionError(
                "seed was given without sample, so nothing is drawn",
                hint="give sample, such as 10GB, or leave seed out",
                option="seed",
            )
        if self.picky is None and self.picky_split != "parts":
            raise OptionError(
                "picky_split was given without picky, so nothing is ever deleted",
                hint="give picky, such as 0.9, or leave picky_split out",
                option="picky_split",
            )
        self._check_room()

    def _check_room(self) -> None:
        parts = {
            f"the alphabet ({self.alphabet})": ALPHABETS[self.alphabet],
            "special tokens": len(tuple(self.special_tokens)),
            "supermerges": self.supermerges or 0,
        }
        smallest = sum(parts.values())
        if self.vocab_size < smallest:
            counted = " + ".join(f"{count} for {what}" for what, count in parts.items() if count)
            raise OptionError(
                f"vocab_size {self.vocab_size} is smaller than what it must hold: {counted}",
                hint=f"give {smallest} or more",
                option="vocab_size",
                value=self.vocab_size,
                smallest=smallest,
            )

    def for_reading(self) -> dict[str, Any]:
        """The options that decide what is read, as the stages of the engine take them."""
        return {name: value for name, value in self.for_engine().items() if name in READING}

    def for_learning(self) -> dict[str, Any]:
        """The options that decide what is learned from counts; the pretokenizer is not in."""
        left_out = {*READING, "pretokenizer"} - {"threads"}
        return {name: value for name, value in self.for_engine().items() if name not in left_out}

    def for_engine(self) -> dict[str, Any]:
        """The options as the engine takes them.

        `format` goes with each source instead, `weights` with the groups of sources, and
        `work_dir` is opened first.
        """
        options = {option.name: getattr(self, option.name) for option in fields(self)}
        for name in ("format", "weights", "max_bytes", "work_dir"):
            del options[name]
        options["sample"] = self.sample if self.max_bytes is None else self.max_bytes
        assert isinstance(self.pretokenizer, Pretokenizer)
        options["pretokenizer"] = self.pretokenizer._engine
        options["special_tokens"] = list(self.special_tokens)
        options["threads"] = self.threads or 0
        by_value = {value: word for word, value in GREEDY_SPLIT.items()}
        options["greedy_split"] = by_value[self.greedy_split]
        return options
