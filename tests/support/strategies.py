"""Hypothesis strategies for text that exercises a model's merges.

The texts mix phrases of the training documents, whole or cut anywhere, with arbitrary text.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

from support.texts import SENTENCES

PHRASES = sorted({piece for text in SENTENCES for piece in re.findall(r"\s?\S+", text)})

letters = st.text(alphabet="aeth ofn'", max_size=60)
words = st.lists(st.sampled_from(PHRASES), max_size=30).map("".join)
cuts = st.sampled_from(SENTENCES).flatmap(
    lambda text: st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(
        lambda ends: text[min(ends) : max(ends)]
    )
)
scripts = st.text(alphabet="aé ñ из слов言葉はのกำ한 글\u0301👩‍👧\r\n\t 12<|>_-", max_size=40)
anything = st.text(max_size=30)

texts = st.lists(st.one_of(letters, words, cuts, scripts, anything), max_size=4).map("".join)
