"""What `superword evaluate` measures: every number, with its definition.

A result is plain data: `Evaluation.save` writes it as JSON, and `Evaluation.load` reads it again.
Shares lie between 0 and 1. A number that cannot be computed is None: a ratio of nothing, or one
that needs something that was not given. `docs/how-to/evaluate.md` explains how to read the numbers.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Cost",
    "Curves",
    "Distribution",
    "Edges",
    "Evaluation",
    "Group",
    "ModelResult",
    "ModelShape",
    "Morphemes",
    "Numbers",
    "Pairs",
    "Parallel",
    "ParallelLines",
    "Share",
    "Size",
    "Superwords",
    "Use",
    "Vocabulary",
    "Words",
]

FORMAT = 1
# The name of the entry for the text of all groups together.
OVERALL = "all"


@dataclass(frozen=True)
class Share:
    """A part of a total: how many of how many."""

    part: int
    total: int

    @property
    def share(self) -> float | None:
        """`part / total`. None if the total is 0."""
        return self.part / self.total if self.total else None


@dataclass(frozen=True)
class ModelShape:
    """The language model that costs are computed for. The default is that of Llama 3 8B."""

    layers: int = 32
    hidden: int = 4096
    heads: int = 32
    kv_heads: int = 8
    feed_forward: int = 14336
    context: int = 8192
    """The number of tokens that attention sees on average is half of this."""
    bytes_per_value: int = 2
    """The size of a number in the KV cache."""


@dataclass(frozen=True)
class Group:
    """A named part of the text. Its numbers do not depend on a model."""

    name: str
    inputs: tuple[str, ...]
    documents: int
    skipped: int
    bytes: int
    characters: int
    lines: int
    """Pieces of a document that a newline ends, and the piece after the last newline if it is not
    empty."""
    words: int
    """Maximal runs of characters that are not white space."""


@dataclass(frozen=True)
class Size:
    """How many tokens the text takes."""

    tokens: int
    bytes_per_token: float | None
    characters_per_token: float | None
    median_bytes_per_token: float | None
    """The median over documents. Documents without tokens do not count."""
    median_characters_per_token: float | None
    tokens_per_line: float | None
    relative_length: float | None
    """Tokens divided by those of the reference model. Below 1 is shorter."""


@dataclass(frozen=True)
class Distribution:
    """How evenly the tokens are used. `p` is the share of each token among the emitted tokens."""

    entropy: dict[str, float]
    """Rényi entropy in bits, by order: `log2(sum(p ** a)) / (1 - a)`. Order 1 is Shannon's."""
    efficiency_vocabulary: dict[str, float | None]
    """Entropy divided by `log2` of the number of tokens that are not special, by order."""
    efficiency_observed: dict[str, float | None]
    """Entropy divided by `log2` of the number of different tokens that occur, by order."""
    top_share: dict[str, float]
    """The share of the k most frequent tokens, by k."""
    tokens_for_share: dict[str, int]
    """How many of the most frequent tokens make up this share of the text."""
    gini: float | None
    """The Gini coefficient of the counts of all tokens that are not special. 0: all equally
    often."""
    rank_frequency: tuple[tuple[int, int], ...]
    """Ranks and counts. Ranks are spaced logarithmically; the first and the last are included."""


@dataclass(frozen=True)
class Use:
    """Which tokens of the vocabulary the text uses."""

    used: Share
    """Tokens that occur in the text. Special tokens are not counted."""
    never_used: int
    rare: int
    """Tokens that occur, but fewer than `Evaluation.rare_below` times."""
    only_steps: int
    """Tokens that never occur, although longer tokens that do are merged from them."""
    by_length: dict[str, int]
    """Emitted tokens by their number of whole characters. `"0"`: less than one character."""
    by_words: dict[str, int]
    """Emitted tokens by the number of pretokens they join. Ordinary tokens have 1."""


@dataclass(frozen=True)
class Words:
    """How words are split. A word is a maximal run of characters that are not white space."""

    fertility: float | None
    """Tokens of the text divided by words of the text."""
    continued: Share
    """Words of the text with a token boundary inside."""
    retained: Share
    """Single-token retention (STRR): words of a list that are one token when encoded alone. By
    default the list has the most frequent words of the group, of at most 64 bytes."""
    retained_after_space: Share
    """The same with a space before the word, as in the middle of a sentence."""
    listed: str
    """What the list is: `"the 1,000 most frequent words of the text"`, `"all 17 words of the
    text"`, or the name of a file."""


@dataclass(frozen=True)
class Superwords:
    """What superwords do. Without superwords in the model, all parts are 0."""

    emitted: Share
    """Emitted tokens that are superwords."""
    words_per_superword: float | None
    """Pretokens joined by an emitted superword, on average."""
    spaces_bridged: Share
    """Runs of white space between two words of a document: those that lie inside a token together
    with a part of both words."""
    tokens_without: int
    """Tokens of the text if the same model had no supermerges."""
    saved: float | None
    """The share of tokens that the superwords save: `1 - tokens / tokens_without`."""


@dataclass(frozen=True)
class Edges:
    """Places where a prompt may end, and how many of them lie inside a token.

    The last position of a document is not counted, because every token ends there.
    """

    words: Share
    """After the last character of a word."""
    sentences: Share
    """After `.`, `!`, `?`, `…` and their equivalents in other scripts, with closing quotes and
    brackets, before white space. After `。`, `！`, `？`, `｡` and `．` no white space is needed."""
    lines: Share
    """Before a newline, except at the start of a document."""


@dataclass(frozen=True)
class Cost:
    """What a language model of the stated shape computes for a megabyte (10^6 bytes) of text."""

    tokens_per_megabyte: float | None
    prefill_flops: float | None
    """Operations of all layers: two for each weight and token, and attention over half of the
    context. The output layer is left out, because only the last token of a prompt needs it."""
    decode_flops: float | None
    """The same with the output layer, two operations for each weight of it and token."""
    kv_cache_bytes: float | None
    """Keys and values of all layers."""


@dataclass(frozen=True)
class Numbers:
    """All numbers of one model on one group."""

    size: Size
    distribution: Distribution
    use: Use
    words: Words
    superwords: Superwords
    edges: Edges
    cost: Cost


@dataclass(frozen=True)
class Vocabulary:
    """The vocabulary itself, independent of a text. Special tokens are only in `special`."""

    tokens: int
    special: int
    superwords: int
    partial_characters: int
    """Tokens that are not valid UTF-8, so they hold a part of a character."""
    unreachable: int
    """Tokens that are valid UTF-8 and do not come out when their own text is encoded."""
    unreachable_examples: tuple[str, ...]
    by_script: dict[str, int]
    """Tokens by the script of their letters; `"Mixed"`, `"No letters"`, `"Partial"`."""
    by_length: dict[str, int]
    """Tokens by their number of whole characters. `"0"`: less than one character."""
    by_words: dict[str, int]
    """Tokens by the number of pretokens they join."""


@dataclass(frozen=True)
class Curves:
    """How the text shrinks while the vocabulary grows. Truncation is exact, so one model tells.

    Each list has at most 1,000 points, evenly spaced; the first and the last are included.
    """

    vocabulary_sizes: dict[str, tuple[tuple[int, int], ...]] | None
    """For each group and for `"all"`: sizes of the vocabulary, and the tokens of the text at that
    size. None if the model cannot be truncated exactly; `why_not` has the reason."""
    supermerges: dict[str, tuple[tuple[int, int], ...]] | None
    """The same for the number of supermerges, with all ordinary merges. None as well if there are
    no supermerges."""
    why_not: str | None
    merge_counts: tuple[tuple[int, int], ...]
    """The size of the vocabulary after a merge, and how often its pair occurred in training.
    Empty if the counts are not known, as in an imported model."""
    supermerge_counts: tuple[tuple[int, int], ...]
    """The same for supermerges."""


@dataclass(frozen=True)
class Morphemes:
    """How token boundaries inside words agree with those of a file of segmented words."""

    words: int
    precision: float | None
    """The share of token boundaries that are morpheme boundaries."""
    recall: float | None
    """The share of morpheme boundaries that are token boundaries."""
    f1: float | None


@dataclass(frozen=True)
class Pairs:
    """What happens at the end of a prompt, for pairs of a prompt and its continuation."""

    bridged: Share
    """Pairs with a token across the cut when prompt and continuation are encoded together."""
    changed: Share
    """Pairs whose joint encoding does not begin with the tokens of the prompt."""


@dataclass(frozen=True)
class ParallelLines:
    """One language of a parallel text, compared with the reference language line by line."""

    tokens: int
    parity: float | None
    """Tokens of all lines divided by those of the reference language."""
    premium: float | None
    """The mean, over lines, of tokens divided by those of the same line in the reference
    language."""


@dataclass(frozen=True)
class Parallel:
    """A text in several languages, the same sentences line by line."""

    reference: str
    lines: int
    languages: dict[str, ParallelLines]


@dataclass(frozen=True)
class ModelResult:
    """One model: what it is, and its numbers for each group and for all groups together."""

    name: str
    """Unique in a result: the name of the file or directory, or the one that was given."""
    path: str | None
    kind: str
    """`"superword"`, `"huggingface"`, `"tiktoken"`, `"tekken"` or `"paper"`."""
    method: str
    n_vocab: int
    pretokenizer: str
    trained_on: tuple[str, ...]
    """Groups that are probably the text that the model was trained on, or a part of it. `"all"`:
    all groups together."""
    vocabulary: Vocabulary
    numbers: dict[str, Numbers]
    """By group. `"all"` is the text of all groups together."""
    curves: Curves
    morphemes: Morphemes | None = None
    pairs: Pairs | None = None
    parallel: Parallel | None = None


@dataclass(frozen=True)
class Evaluation:
    """The result of `superword.evaluate`."""

    version: str
    """The version of superword."""
    groups: tuple[Group, ...]
    models: tuple[ModelResult, ...]
    reference: str | None = None
    """The name of the model that lengths are relative to."""
    rare_below: int = 5
    shape: ModelShape = field(default_factory=ModelShape)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the result as JSON. A file that is not a result needs `overwrite=True`."""
        from superword.evaluation.files import save

        save(self, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Evaluation:
        """Read a result that was saved. `ResultFileError` says which field is wrong."""
        from superword.evaluation.files import load

        return load(path)

    def to_json(self) -> dict[str, Any]:
        """The result as dicts, lists, strings and numbers, as `save` writes them."""
        from superword.evaluation.files import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, content: object) -> Evaluation:
        """The result from what `to_json` returns."""
        from superword.evaluation.files import from_json

        return from_json(content)
