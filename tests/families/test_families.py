"""Published tokenizers are imported with the ids of their origin.

They are fetched by `python tools/families.py fetch` and are not part of the repository. The
environment variable SUPERWORD_FAMILIES names their directory; the default is that of the tool.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from superword import Tokenizer
from superword.errors import ConversionError
from support.export_models import some_documents

pytest.importorskip("tokenizers", reason="pip install 'superword[huggingface]'")
pytest.importorskip("tiktoken", reason="pip install 'superword[tiktoken]'")
pytest.importorskip("zstandard", reason="pip install zstandard")

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

from family_check import check_nasty, compare, open_origin  # type: ignore[import-not-found]  # noqa: E402
from family_fetch import DEFAULT, FAMILIES  # type: ignore[import-not-found]  # noqa: E402

FOLDER = Path(os.environ.get("SUPERWORD_FAMILIES") or DEFAULT)


def fetched(name: str) -> Path:
    """Return the directory of a family, or skip the test if it was not fetched."""
    if not (FOLDER / name / "family.json").is_file():
        pytest.skip(f"no {name} in {FOLDER}; run python tools/families.py fetch {name}")
    return FOLDER / name


@pytest.mark.parametrize("name", [family.name for family in FAMILIES if not family.refused])
def test_a_family_has_the_ids_of_its_origin(name: str, request: pytest.FixtureRequest) -> None:
    folder = fetched(name)
    model = Tokenizer.from_file(folder)
    origin = open_origin(folder)
    tekken = (folder / "tekken.json").is_file()
    nasty = check_nasty(origin, model, tekken)
    assert nasty.same, "\n".join(nasty.first)
    corpus: Path = request.getfixturevalue("corpus_dir")
    for language in ("hi", "ja", "ar", "vi"):
        texts = some_documents(corpus / "multi" / f"{language}.jsonl.zst", 20_000)
        found = compare(origin, model, texts, tekken)
        assert found.same, "\n".join(found.first)


@pytest.mark.parametrize("name", [family.name for family in FAMILIES if family.refused])
def test_a_family_of_another_kind_is_refused_with_a_hint(name: str) -> None:
    with pytest.raises(ConversionError, match=r"SentencePiece") as caught:
        Tokenizer.from_file(fetched(name))
    assert caught.value.hint is not None
    assert "superword train" in caught.value.hint
