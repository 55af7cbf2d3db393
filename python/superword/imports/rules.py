"""The merges that make the tokens of a vocabulary, found by encoding each token.

Other programs may list several merges that make the same token, or only the ranks of tokens. In
any text, at most one pair ever makes a token: the last one that is merged when the bytes of the
token are encoded alone. (As long as nothing crosses their ends, the bytes of a token go through the
same merges wherever they stand.) That pair becomes the merge of the token. A token that is not
reached in this way is never made by merging: it is *unmade*.

Usually a merge comes after the merges of its parts. Where it does not, the ranks are recorded
beside the merges, and encoding applies the merge with the lowest rank, one at a time.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from superword.errors import ConversionError

__all__ = ["Rule", "Rules", "check_alphabet", "rules_of"]

Rule = tuple[bytes, bytes]
RankOf = Callable[[bytes, bytes], int | None]


@dataclass(frozen=True)
class Rules:
    """The merges of a vocabulary."""

    merges: list[Rule]
    """One for each token that merging makes. The merges of its parts come before it."""
    order: list[int] | None
    """The rank of each merge, if ranks are not the order of the list."""
    unmade: set[bytes]
    """The tokens that no merge makes."""


def rules_of(tokens: Iterable[bytes], rank_of: RankOf) -> Rules:
    """The merges that make these tokens.

    `rank_of` gives the rank of a pair, or None if it is not merged. No two pairs have one rank.
    """
    ranked: list[tuple[int, Rule]] = []
    unmade: set[bytes] = set()
    for token in tokens:
        if len(token) == 1:
            continue
        pair = last_pair(token, rank_of) if token else None
        if pair is None:
            unmade.add(token)
            continue
        rank = rank_of(*pair)
        assert rank is not None  # It was just merged.
        ranked.append((rank, pair))
    ranked.sort()
    merges = [rule for _, rule in ranked]
    listed = _parts_first(merges)
    if listed == merges:
        return Rules(merges, None, unmade)
    place = {rule: at for at, rule in enumerate(merges)}
    return Rules(listed, [place[rule] for rule in listed], unmade)


def _parts_first(merges: list[Rule]) -> list[Rule]:
    """The merges in the same order, except that each part is moved in front of what it is for."""
    making = {left + right: (left, right) for left, right in merges}
    listed: dict[Rule, None] = {}
    for rule in merges:
        waiting = [rule]
        while waiting:
            missing = [
                making[part] for part in waiting[-1] if len(part) > 1 and making[part] not in listed
            ]
            if missing:
                waiting += missing
            else:
                listed.setdefault(waiting.pop())
    return list(listed)


def last_pair(token: bytes, rank_of: RankOf) -> Rule | None:
    """The two tokens that are joined last when the bytes of `token` are encoded alone."""
    parts = [token[at : at + 1] for at in range(len(token))]
    if len(parts) > 40:
        return _last_pair_of_many(parts, rank_of)
    ranks = [rank_of(left, right) for left, right in pairwise(parts)]
    while len(parts) > 2:
        best = min((rank for rank in ranks if rank is not None), default=None)
        if best is None:
            return None
        at = ranks.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at > 0:
            ranks[at - 1] = rank_of(parts[at - 1], parts[at])
        if at < len(ranks):
            ranks[at] = rank_of(parts[at], parts[at + 1])
    left, right = parts
    return (left, right) if rank_of(left, right) is not None else None


def _last_pair_of_many(parts: list[bytes], rank_of: RankOf) -> Rule | None:
    """The same with a heap, because very long tokens would take quadratic time."""
    count = len(parts)
    after = [*range(1, count), -1]
    before = [-1, *range(count - 1)]
    alive: list[bytes | None] = [*parts]
    heap: list[tuple[int, int, bytes, bytes]] = []

    def push(at: int) -> None:
        left, right = alive[at], alive[after[at]]
        assert left is not None
        assert right is not None
        rank = rank_of(left, right)
        if rank is not None:
            heapq.heappush(heap, (rank, at, left, right))

    for at in range(count - 1):
        push(at)
    left_over = count
    while heap:
        _, at, left, right = heapq.heappop(heap)
        next_at = after[at]
        if alive[at] != left or next_at < 0 or alive[next_at] != right:
            continue
        if left_over == 2:
            return left, right
        alive[at], alive[next_at] = left + right, None
        after[at] = after[next_at]
        left_over -= 1
        if after[at] >= 0:
            before[after[at]] = at
            push(at)
        if before[at] >= 0:
            push(before[at])
    return None


def check_alphabet(ids: Mapping[bytes, int]) -> str:
    """`"bytes"` or `"utf8"`. An error if bytes of UTF-8 are missing."""
    missing = [byte for byte in range(256) if bytes([byte]) not in ids]
    if not missing:
        return "bytes"
    never = {0xC0, 0xC1, *range(0xF5, 0x100)}
    if set(missing) == never:
        return "utf8"
    wanted = [byte for byte in missing if byte not in never]
    if not wanted:
        named = ", ".join(f"0x{byte:02X}" for byte in sorted(never - set(missing)))
        raise ConversionError(
            f"the vocabulary has some of the bytes that never occur in UTF-8 ({named}) and not all",
            hint="a vocabulary must have all 256 bytes, or exactly the 243 of UTF-8",
        )
    named = ", ".join(f"0x{byte:02X}" for byte in wanted[:8])
    raise ConversionError(
        f"the vocabulary lacks {len(wanted)} of the bytes that texts consist of: {named}"
        f"{', ...' if len(wanted) > 8 else ''}",
        hint="the original drops them from texts; train it with the whole byte alphabet "
        "(initial_alphabet=ByteLevel.alphabet() in Hugging Face's trainer)",
    )
