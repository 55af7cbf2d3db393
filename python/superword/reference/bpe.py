"""Phase 1: ordinary BPE over counted pretokens.

>>> learn_words({b"hug": 10, b"pug": 5, b"hugs": 5}, vocab_size=258)
[Merge(left=b'u', right=b'g', count=20), Merge(left=b'h', right=b'ug', count=15)]
"""

from __future__ import annotations

from collections.abc import Mapping

from superword.reference.pairs import Sequences, split_bytes
from superword.reference.picky import Deleter
from superword.reference.steps import Event, Merge, Vocabulary, check_size


def learn_words(
    counts: Mapping[bytes, int],
    vocab_size: int,
    *,
    alphabet: str = "bytes",
    min_count: int = 1,
    picky: float | None = None,
    picky_split: str = "parts",
) -> list[Event]:
    """Learn merges from counted pretokens until the vocabulary has `vocab_size` tokens.

    Each merge is recorded with its count, which phase 2 needs. `picky` is the threshold τ of
    PickyBPE (see `picky.py`). Training ends early if no pair occurs at least `min_count` times.
    """
    vocabulary = Vocabulary(alphabet)
    check_size(vocab_size, vocabulary)
    deleter = None if picky is None else Deleter(picky, picky_split)
    words = Sequences((split_bytes(pretoken), count) for pretoken, count in counts.items())
    events: list[Event] = []

    def do(event: Event) -> None:
        events.append(event)
        vocabulary.apply(event)

    while len(vocabulary) < vocab_size:
        best = words.best()
        if best is None or best[1] < min_count:
            break
        merge = Merge(*best[0], best[1])
        before = words.token_counts[merge.left], words.token_counts[merge.right]
        words.merge(merge.pair)
        do(merge)
        if deleter is not None:
            for deletion in deleter.after(merge, before):
                words.split(deletion.token, deletion.parts)
                do(deletion)
    return events
