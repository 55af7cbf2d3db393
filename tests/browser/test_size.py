"""The playground without a model is small enough to send around."""

from __future__ import annotations

import gzip

from superword.playground import pages

LIMIT = 500_000


def test_the_page_and_the_engine_are_small() -> None:
    engine = (pages.ASSETS / "engine.wasm.gz").stat().st_size
    page = len(gzip.compress((pages.ASSETS / "page.html").read_bytes(), 9))
    assert engine + page <= LIMIT, f"engine {engine}, page {page}"
