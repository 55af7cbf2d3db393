"""The merges that create the tokens of a vocabulary, found by encoding each token.

Other programs may list several merges that make the same token, or only the ranks of tokens. By
lemma 4 of docs/concepts-exact-export.md, only one pair ever makes a token: the last one that is
merged when the bytes of the token are encoded alone. That pair becomes the merge of the token. The
tokenizer cannot be imported if a token is not reached in this way, or if a merge comes before the
merges of its parts.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from itertools import pairwise

from superword.errors import ConversionError

__all__ = ["Rule", "check_alphabet", "rules_of"]

Rule = tuple[bytes, bytes]
RankOf = Callable[[bytes, bytes], int | None]


def rules_of(ids: Mapping[bytes, int], rank_of: RankOf) -> list[Rule]:
    """The merge of each token longer than a byte, in the order in which they apply.

    `rank_of` gives the rank of a pair, or None if it is not merged. `ConversionError` names the
    first token that no merge can create.
    """
    ranked: list[tuple[int, Rule]] = []
    unreached: list[bytes] = []
    for token in ids:
        if len(token) == 1:
            continue
        pair = last_pair(token, rank_of)
        if pair is None:
            unreached.append(token)
            continue
        rank = rank_of(*pair)
        assert rank is not None  # It was just merged.
        ranked.append((rank, pair))
    if unreached:
        shown = ", ".join(_shown(token) for token in unreached[:5])
        raise ConversionError(
            f"{len(unreached):,} of {len(ids):,} tokens are not what their own merges make of "
            f"their bytes: {shown}{', ...' if len(unreached) > 5 else ''}",
            hint="superword cannot express such tokens, so this tokenizer cannot be imported",
            tokens=[token.decode(errors="backslashreplace") for token in unreached[:100]],
        )
    ranked.sort()
    place = {left + right: at for at, (_, (left, right)) in enumerate(ranked)}
    for at, (_, (left, right)) in enumerate(ranked):
        for part in (left, right):
            if len(part) > 1 and place[part] > at:
                raise ConversionError(
                    f"the merge that makes {_shown(left + right)} comes before the one that "
                    f"makes its part {_shown(part)}",
                    hint="no training creates such an order, so the tokenizer cannot be imported",
                )
    return [rule for _, rule in ranked]


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


def _shown(token: bytes) -> str:
    return repr(token.decode(errors="backslashreplace"))
