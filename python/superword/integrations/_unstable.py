"""Which tokens at the end of a text can still change when more text follows.

`Unstable.encode(text)` returns stable ids and completions. For every text that may follow, the ids
of the whole begin with the stable ids and one of the completions. This is why that holds:

- Following text can change how the end of a text is split into pretokens. For the presets, what
  matters is the kind of the next two characters, and whether they complete a contraction such as
  `'ll`. `_PROBES` has an example of each, so splitting the text with each of them appended finds
  every possible split.
- Let a split be given. One token of the result reaches the end of the text or goes beyond it. If
  it starts where a pretoken starts, it is any token that starts with the rest of the text.
  Otherwise it starts inside the last pretoken, which then has several tokens: none of them is a
  superword, and no superword contains that pretoken.
- No merge and no supermerge crosses the start of that token. So what precedes it is encoded as if
  the text ended there.

The last point needs merges that are never undone, so models with deleted tokens are refused. The
first one needs a known pattern.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise, product

from superword.errors import TextError
from superword.integrations._pieces import Pieces
from superword.tokenizer import Tokenizer

__all__ = ["Unstable"]

# A character of every kind that the patterns of the presets tell apart, and of every script that
# has a pattern of its own.
_KINDS = "aAǅʰא的のカกກកကー\u0301\u30991Ⅷ'’!-/。・゛😀\u200d\u3040\x00 \u00a0\u3000\t\n\r\u2028"
_CONTRACTIONS = ("s", "t", "d", "m", "re", "ve", "ll")
_PROBES = (
    "",
    *_KINDS,
    *map("".join, product(_KINDS, repeat=2)),
    *_CONTRACTIONS,
    *map(str.upper, _CONTRACTIONS),
    *(f"'{letters}" for letters in _CONTRACTIONS),
    *("e", "E", "l", "L"),
)
# Without script runs, only the last pretokens can change, and a split can start at any of them.
_LAST = 64


class Unstable:
    """Finds the stable ids and the completions of texts; see `Encoding.encode_with_unstable`."""

    def __init__(
        self, tokenizer: Tokenizer, pieces: Callable[[], Pieces], ranks: dict[bytes, int]
    ) -> None:
        pretokenizer = tokenizer.pretokenizer
        if pretokenizer.meaning is None:
            raise _refusal("it has a custom pattern")
        if tokenizer.normalizer is not None:
            raise _refusal("it normalizes text, so that its tokens are not parts of the text")
        if tokenizer._model.has_deletions:
            raise _refusal("it has deleted tokens")
        if tokenizer._model.has_ngrams:
            raise _refusal("it splits runs of words greedily")
        self._tokenizer = tokenizer
        self._pieces = pieces()
        self._ranks = ranks
        self._tokens = sorted(ranks)

    def encode(self, text: str, allowed: frozenset[str]) -> tuple[list[int], list[list[int]]]:
        """The stable ids, and all sequences of ids that may follow them."""
        added = [
            token
            for token in self._tokenizer.added_tokens
            if not token.special or token.content in allowed
        ]
        if any(token.lstrip or token.rstrip or token.single_word for token in added):
            raise _refusal("it has added tokens that depend on the text beside them")
        ids, spans = self._tokenizer.encode_with_offsets(text, unit="byte", allowed_special=allowed)
        data = text.encode()
        # Nothing before the end of the last added token can change.
        hard = {token.id for token in added}
        last = max((at + 1 for at, id in enumerate(ids) if id in hard), default=0)
        head = ids[:last]
        start = spans[last - 1][1] if last else 0
        found = {(*head, *rest) for rest in self._completions(data[start:].decode())}
        for token in added:
            for length in range(1, len(token.content)):
                if text.endswith(token.content[:length]):
                    found.add(self._with(text, token.content[length:], allowed))
        if not found:
            return ids, []
        stable = _common(found)
        return list(stable), sorted(list(one[len(stable) :]) for one in found)

    def _with(self, text: str, following: str, allowed: frozenset[str]) -> tuple[int, ...]:
        """The ids of both texts, up to the one that reaches the end of the first."""
        ids, spans = self._tokenizer.encode_with_offsets(
            text + following, unit="byte", allowed_special=allowed
        )
        size = len(text.encode())
        return tuple(ids[: 1 + sum(end < size for _, end in spans)])

    def _completions(self, text: str) -> Iterator[tuple[int, ...]]:
        """All ids that a text without added tokens can have, up to the one that reaches its end."""
        data = text.encode()
        for starts in self._splits(text):
            for start in starts:
                following = self._starting_with(data[start:])
                if start != starts[-1]:
                    # Only a superword reaches over the end of a pretoken.
                    following = [
                        token
                        for token in following
                        if self._tokenizer.is_superword(self._ranks[token])
                    ]
                if following:
                    before = self._before(data[:start], starts)
                    for token in following:
                        yield (*before, self._ranks[token])
            before = self._before(data[: starts[-1]], starts)
            piece = data[starts[-1] :]
            for at in range(1, len(piece)):
                left = self._pieces.merge(piece[:at])
                for token in self._starting_with(piece[at:]):
                    if self._pieces.merge(piece[:at] + token) == [*left, token]:
                        yield (*before, *(self._ranks[one] for one in left), self._ranks[token])

    def _splits(self, text: str) -> set[tuple[int, ...]]:
        """The places where pretokens may start, for every kind of text that may follow."""
        if not text:
            return set()
        split = self._tokenizer.pretokenizer.split
        skipped = ""
        if self._tokenizer.pretokenizer.script_pattern is None:
            skipped = "".join(split(text)[:-_LAST])
        fixed, rest = len(skipped.encode()), text[len(skipped) :]
        size = len(rest.encode())
        found = set()
        for probe in _PROBES:
            starts = []
            at = size + len(probe.encode())
            for pretoken in reversed(split(rest + probe)):
                at -= len(pretoken.encode())
                if at < size:
                    starts.append(fixed + at)
            found.add(tuple(reversed(starts)))
        return found

    def _before(self, data: bytes, starts: tuple[int, ...]) -> list[int]:
        """The ids of a text that ends where a pretoken ends, when it is split as `starts` says."""
        text = data.decode()
        pretokens = self._tokenizer.pretokenizer.split(text)
        known = [start for start in starts if start < len(data)]
        places = list(accumulate((len(pretoken.encode()) for pretoken in pretokens), initial=0))
        if places[-1 - len(known) : -1] == known:
            return self._tokenizer.encode_ordinary(text)
        # Without the text that follows, it is split in another way.
        bounds = [*(place for place in places if place < starts[0]), *known, len(data)]
        return self._pieces.encode_pretokens(
            [data[start:end].decode() for start, end in pairwise(bounds)]
        )

    def _starting_with(self, start: bytes) -> list[bytes]:
        at = bisect_left(self._tokens, start)
        found = []
        while at < len(self._tokens) and self._tokens[at].startswith(start):
            found.append(self._tokens[at])
            at += 1
        return found


def _common(sequences: set[tuple[int, ...]]) -> tuple[int, ...]:
    """The longest common start that leaves at least one id of each sequence."""
    first, last = min(sequences), max(sequences)
    most = min(map(len, sequences)) - 1
    size = 0
    while size < most and first[size] == last[size]:
        size += 1
    return first[:size]


def _refusal(why: str) -> TextError:
    return TextError(
        f"encode_with_unstable cannot tell which tokens of this model may change: {why}",
        hint="encode the whole text again when more of it is known",
    )
