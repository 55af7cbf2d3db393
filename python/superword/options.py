"""The reading and training options: one definition of each.

A definition holds the name, the default, the meaning and the check. The keyword arguments of
`superword.train`, the flags of the commands and the options that the engine is given are derived
from these definitions or tested against them.
"""

# ruff: noqa: RUF009 - _option is dataclasses.field with our metadata.
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from superword._support import checks
from superword._support.faces import option
from superword.errors import OptionError
from superword.pretokenizer import DEFAULT, Pretokenizer

__all__ = ["ALPHABETS", "FORMATS", "METHODS", "ReadOptions", "TrainOptions"]

Method = Literal["bpe", "boundless", "superbpe"]
Alphabet = Literal["bytes", "utf8"]
PickySplit = Literal["parts", "bytes"]
GreedySplit = bool | Literal["encode"]
Boundary = Literal["auto", "any", "space", "exportable"]
OnError = Literal["stop", "skip"]
Format = Literal["jsonl", "text", "lines", "paragraphs", "parquet", "arrow"]

METHODS = ("bpe", "boundless", "superbpe")
FORMATS = ("jsonl", "text", "lines", "paragraphs", "parquet", "arrow")
# The size of the initial vocabulary: all bytes, or those that occur in UTF-8 (no C0, C1, F5..FF).
ALPHABETS = {"bytes": 256, "utf8": 243}
# The values of greedy_split as the command line and the engine name them.
GREEDY_SPLIT: Mapping[str, GreedySplit] = {"off": False, "train": True, "encode": "encode"}

# Options that have an effect only if superwords are learned.
SUPERWORDS_ONLY = ("greedy_split", "max_words", "same_script", "boundary", "veto")
# Options that have no meaning for texts from an iterator.
FILES_ONLY = ("text_field", "weights", "work_dir", "on_error", "format")

# The sections in which the help of a command lists its options, in this order.
SECTIONS = ("Vocabulary", "Pretokenizer", "Deletions", "Superwords", "Input", "Resources")


def _option(
    meaning: str,
    default: Any = ...,
    *,
    section: str,
    choices: Iterable[str] | None = None,
    metavar: str | None = None,
    flag: str | None = None,
) -> Any:
    metadata = {
        "meaning": meaning,
        "section": section,
        "choices": tuple(choices) if choices else None,
        "metavar": metavar,
        "flag": flag,
    }
    if default is ...:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The options that decide what is read and how, checked one by one and together.

    >>> ReadOptions(sample="10GB").sample
    10000000000
    """

    threads: int | None = _option(
        "Number of threads; 0 uses all cores. Does not change the result.",
        None,
        section="Resources",
        metavar="N",
    )
    text_field: str = _option(
        "The JSON field or table column that holds the text.",
        "text",
        section="Input",
        metavar="FIELD",
    )
    max_bytes: int | str | None = _option(
        "Read at most about this much text, such as 10GB: a sample if there is more.",
        None,
        section="Input",
        metavar="SIZE",
    )
    sample: int | str | None = _option(
        "Use a random sample of about this much text, such as 10GB: whole documents, drawn evenly "
        "from all inputs. The same seed draws the same documents.",
        None,
        section="Input",
        metavar="SIZE",
    )
    seed: int = _option("Draw a different sample for each seed.", 0, section="Input", metavar="N")
    weights: Mapping[str, float] | Iterable[str] = _option(
        "How many times the documents of an input group count, such as de=2.0. A fraction uses "
        "that share of the documents.",
        (),
        section="Input",
        metavar="GROUP=W",
        flag="--weight",
    )
    max_memory: int | str | None = _option(
        "Stay within about this much memory, such as 4GB, with temporary files for the rest. "
        "Does not change the result.",
        None,
        section="Resources",
        metavar="SIZE",
    )
    on_error: OnError = _option(
        "What to do with a document that cannot be read: stop, or skip it and report the number "
        "of skipped documents.",
        "stop",
        section="Input",
        choices=("stop", "skip"),
    )
    format: Format | None = _option(
        "How the inputs store documents: one JSON object per line; one document per file, line or "
        "paragraph; or a table. Detected from the file name by default.",
        None,
        section="Input",
        choices=FORMATS,
    )

    def __post_init__(self) -> None:
        self._check_choices()
        if self.threads is not None:
            self._put("threads", checks.threads(self.threads))
        for name in ("max_bytes", "sample", "max_memory"):
            if getattr(self, name) is not None:
                self._put(name, checks.size(name, getattr(self, name)))
        self._put("seed", checks.whole("seed", self.seed, at_least=0))
        self._put("weights", checks.weights(self.weights))
        if not isinstance(self.text_field, str):
            raise checks.wrong_type("text_field", self.text_field, "the name of a field")
        checks.check_unicode("text_field", self.text_field)
        if self.sample is not None and self.max_bytes is not None:
            raise OptionError(
                "`sample` and `max_bytes` were both given, but they mean the same",
                hint="leave one of them out",
                option="sample",
            )
        if self.seed and self.sample is None and self.max_bytes is None:
            raise OptionError(
                "`seed` was given without `sample`, so there is no sample to draw",
                hint="give `sample`, such as 10GB, or leave `seed` out",
                option="seed",
            )

    def _check_choices(self) -> None:
        for given in fields(self):
            choices = given.metadata["choices"]
            value = getattr(self, given.name)
            if given.name == "greedy_split" or not choices:
                continue
            if not (value is None and given.default is None):
                checks.check_choice(given.name, value, choices)

    def _put(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def group_weights(self) -> Mapping[str, float]:
        """`weights`, which is a mapping once it is checked."""
        assert isinstance(self.weights, Mapping)
        return self.weights

    def for_reading(self) -> dict[str, Any]:
        """These options as the engine takes them.

        `format` is part of each source instead, and `weights` part of the groups of sources.
        """
        return {
            "threads": self.threads or 0,
            "text_field": self.text_field,
            "sample": self.sample if self.max_bytes is None else self.max_bytes,
            "seed": self.seed,
            "max_memory": self.max_memory,
            "on_error": self.on_error,
        }


@dataclass(frozen=True, kw_only=True)
class TrainOptions(ReadOptions):
    """All options of a training run, checked one by one and together.

    >>> TrainOptions(vocab_size=1000, method="bpe").supermerges is None
    True
    >>> TrainOptions(vocab_size=100)
    Traceback (most recent call last):
    superword.errors.OptionError: vocab_size 100 is smaller than ...
    """

    vocab_size: int = _option(
        "Size of the whole vocabulary: bytes, words, superwords and special tokens.",
        section="Vocabulary",
        metavar="N",
    )
    method: Method = _option(
        "bpe: words only. boundless: words and superwords, in a proportion chosen automatically. "
        "superbpe: words first, then the given number of supermerges.",
        "boundless",
        section="Vocabulary",
        choices=METHODS,
    )
    supermerges: int | None = _option(
        "Number of supermerges that superbpe learns, as part of the vocabulary.",
        None,
        section="Vocabulary",
        metavar="N",
    )
    pretokenizer: str | Pretokenizer = _option(
        "How text is split into pretokens: the name of a preset.",
        DEFAULT,
        section="Pretokenizer",
        metavar="NAME",
    )
    alphabet: Alphabet = _option(
        "The initial vocabulary. bytes: all 256 bytes. utf8: the 243 that occur in UTF-8.",
        "bytes",
        section="Vocabulary",
        choices=ALPHABETS,
    )
    min_count: int = _option(
        "Do not merge pairs that occur less often.", 1, section="Vocabulary", metavar="N"
    )
    picky: float | None = _option(
        "Delete a word token when a merge uses at least this share of its occurrences "
        "(PickyBPE). Above 0, at most 1.",
        None,
        section="Deletions",
        metavar="SHARE",
    )
    picky_split: PickySplit = _option(
        "What replaces a deleted token: its two parts, or its bytes.",
        "parts",
        section="Deletions",
        choices=("parts", "bytes"),
    )
    greedy_split: GreedySplit = _option(
        "Split runs of words at frequent n-grams before learning superwords. "
        "train: while training. encode: also when encoding.",
        False,
        section="Superwords",
        choices=GREEDY_SPLIT,
    )
    max_words: int | None = _option(
        "Maximum number of pretokens in a superword, 2 or more.",
        None,
        section="Superwords",
        metavar="N",
    )
    same_script: bool = _option(
        "Do not join pretokens of different scripts.", False, section="Superwords"
    )
    boundary: Boundary = _option(
        "any: join any neighbours. space: the right part of a supermerge must start with a space. "
        "exportable: leave out superwords that cannot be exported exactly. auto: exportable with "
        "the default pretokenizer, else any.",
        "auto",
        section="Superwords",
        choices=("auto", "any", "space", "exportable"),
    )
    veto: str | None = _option(
        "Do not create superwords that match this pattern.",
        None,
        section="Superwords",
        metavar="PATTERN",
    )
    special_tokens: Iterable[str] = _option(
        "Special tokens, in order. They get the last ids.",
        (),
        section="Vocabulary",
        metavar="TOKEN",
        flag="--special-token",
    )
    work_dir: str | os.PathLike[str] | None = _option(
        "Keep finished work in this directory. Run the same command again to resume.",
        None,
        section="Resources",
        metavar="DIR",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._put("greedy_split", checks.greedy_split(self.greedy_split))
        self._put("vocab_size", checks.whole("vocab_size", self.vocab_size, at_least=1))
        self._put("min_count", checks.whole("min_count", self.min_count, at_least=1))
        if self.supermerges is not None:
            self._put("supermerges", checks.whole("supermerges", self.supermerges, at_least=1))
        if self.max_words is not None:
            self._put("max_words", checks.whole("max_words", self.max_words, at_least=2))
        if self.picky is not None:
            self._put("picky", checks.share("picky", self.picky))
        if self.work_dir is not None:
            self._put("work_dir", checks.directory("work_dir", self.work_dir))
        if not isinstance(self.same_script, bool):
            raise checks.wrong_type("same_script", self.same_script, "True or False")
        if self.veto is not None and (not isinstance(self.veto, str) or not self.veto):
            raise OptionError(
                f"`veto` must be a pattern that is not empty, not {self.veto!r}",
                hint=r"for example \p{N} for no digits in superwords; or leave `veto` out",
                option="veto",
            )
        if self.veto is not None:
            checks.check_unicode("veto", self.veto)
        self._put("pretokenizer", pretokenizer_of(self.pretokenizer))
        self._put("special_tokens", checks.special_tokens(self.special_tokens))
        self._check_together()

    def _check_together(self) -> None:
        if self.method == "superbpe" and self.supermerges is None:
            raise OptionError(
                '`method="superbpe"` needs `supermerges`, the number of superwords to learn',
                hint=f"give `supermerges`, such as {max(self.vocab_size // 10, 1)} of "
                f'{self.vocab_size}, or use `method="boundless"`, which finds the number itself',
                option="supermerges",
            )
        if self.method != "superbpe" and self.supermerges is not None:
            boundless = self.method == "boundless"
            raise OptionError(
                f"`supermerges` was given with {option('method', self.method)}, which "
                + ("finds the number itself" if boundless else "learns no superwords"),
                hint='use `method="superbpe"`, or leave `supermerges` out',
                option="supermerges",
            )
        if self.method == "bpe":
            for name in SUPERWORDS_ONLY:
                if getattr(self, name) != DEFAULTS[name]:
                    raise OptionError(
                        f'`{name}` was given with `method="bpe"`, which learns no superwords',
                        hint='use `method="boundless"` or `method="superbpe"`, '
                        f"or leave `{name}` out",
                        option=name,
                    )
        if self.picky is None and self.picky_split != "parts":
            raise OptionError(
                "`picky_split` was given without `picky`, so no token is ever deleted",
                hint="give `picky`, such as 0.9, or leave `picky_split` out",
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
                f"`vocab_size` {self.vocab_size} is smaller than what it must hold: {counted}",
                hint=f"give {smallest} or more",
                option="vocab_size",
                value=self.vocab_size,
                smallest=smallest,
            )

    def for_learning(self) -> dict[str, Any]:
        """The options that decide what is learned from counts, as the engine takes them.

        The pretokenizer is not among them: counts come with their own.
        """
        by_value = {value: word for word, value in GREEDY_SPLIT.items()}
        return {
            "vocab_size": self.vocab_size,
            "method": self.method,
            "supermerges": self.supermerges,
            "alphabet": self.alphabet,
            "min_count": self.min_count,
            "picky": self.picky,
            "picky_split": self.picky_split,
            "greedy_split": by_value[self.greedy_split],
            "max_words": self.max_words,
            "same_script": self.same_script,
            "boundary": self.boundary,
            "veto": self.veto,
            "special_tokens": list(self.special_tokens),
            "threads": self.threads or 0,
        }

    def for_engine(self) -> dict[str, Any]:
        """All options as the engine takes them, except `work_dir`, which is opened first."""
        pretokenizer = pretokenizer_of(self.pretokenizer)
        return {
            **self.for_reading(),
            **self.for_learning(),
            "pretokenizer": pretokenizer._engine,
        }


DEFAULTS: Mapping[str, Any] = {given.name: given.default for given in fields(TrainOptions)}


def pretokenizer_of(given: object) -> Pretokenizer:
    """A pretokenizer, or the preset of that name."""
    if isinstance(given, Pretokenizer):
        return given
    if isinstance(given, str):
        return Pretokenizer(given)
    raise checks.wrong_type("pretokenizer", given, "a name or a Pretokenizer")
