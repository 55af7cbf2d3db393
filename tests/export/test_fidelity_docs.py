"""The numbers in the docs are those of the recorded measurement."""

from __future__ import annotations

import json
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_table_says_what_was_measured() -> None:
    files = json.loads((DOCS / "data" / "fidelity.json").read_text())["files"]
    page = (DOCS / "concepts-exact-export.md").read_text()
    table = re.findall(
        r"^\| ([\w -]+) \| ([\d,]+) \| (\d+) \| (\d+) \((.*)%\) \| (.*)% \|$", page, re.M
    )
    assert len(table) > 20
    for name, documents, exact, approximate, share, tokens in table:
        rows = list(files.values()) if name.startswith("all ") else [files[name]]
        if name.startswith("all "):
            assert name == f"all {len(files)} files"

        def total(what: str, count: str, rows: list[dict[str, dict[str, int]]] = rows) -> int:
            return sum(row[what][count] for row in rows)

        of = total("of", "documents")
        for target in ("huggingface", "tiktoken"):
            assert total(f"{target}, exact", "documents_differ") == int(exact) == 0
            assert total(f"{target}, approximate", "documents_differ") == int(approximate)
        assert int(documents.replace(",", "")) == of
        assert share == f"{int(approximate) / of:.1%}".rstrip("%")
        differ = total("huggingface, approximate", "tokens_differ") / total("of", "tokens")
        assert tokens == f"{differ:.3%}".rstrip("%")
