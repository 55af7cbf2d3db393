"""Weighted groups that are counted on several machines equal one run over everything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner
from superword.cli import cli
from superword.counts import Candidates, Counts
from superword.errors import CountsError
from superword.stages import count_candidates, count_pretokens, train_superwords, train_words

WEIGHTS = {"de": 2.0, "en": 0.5}


@pytest.fixture
def parts(tmp_path: Path, texts: list[str]) -> dict[str, Path]:
    """A file for each group, with different documents."""
    found = {}
    for group, chosen in (("de", texts[::2]), ("en", texts[1::2]), ("fr", texts[3:9])):
        found[group] = tmp_path / f"{group}.jsonl"
        lines = (json.dumps({"text": f"{group} {n} {text}"}) for n, text in enumerate(chosen))
        found[group].write_text("\n".join(lines) + "\n")
    return found


def weights_of(group: str) -> dict[str, float]:
    return {group: WEIGHTS[group]} if group in WEIGHTS else {}


def test_parts_with_different_weights_add_up_to_one_run(parts: dict[str, Path]) -> None:
    whole = count_pretokens(parts, weights=WEIGHTS)
    by_group = [
        count_pretokens({group: path}, weights=weights_of(group)) for group, path in parts.items()
    ]
    merged = Counts.merge(by_group)
    assert merged == whole
    assert merged.facts == whole.facts
    assert merged.origin.options == whole.origin.options
    words = train_words(merged, vocab_size=400)
    assert words == train_words(whole, vocab_size=400)
    assert words == superword.train(parts, vocab_size=400, method="bpe", weights=WEIGHTS)
    candidates = Candidates.merge(
        count_candidates({group: path}, words, weights=weights_of(group))
        for group, path in parts.items()
    )
    assert train_superwords(words, candidates, vocab_size=400) == superword.train(
        parts, vocab_size=400, weights=WEIGHTS
    )


def test_a_part_without_groups_is_the_group_without_a_name(parts: dict[str, Path]) -> None:
    whole = count_pretokens([("de", parts["de"]), parts["en"]], weights={"de": 2.0})
    merged = Counts.merge(
        [count_pretokens({"de": parts["de"]}, weights={"de": 2.0}), count_pretokens(parts["en"])]
    )
    assert merged == whole
    assert merged.facts == whole.facts


def test_one_group_has_one_weight(parts: dict[str, Path]) -> None:
    two = count_pretokens({"de": parts["de"]}, weights={"de": 2.0})
    for other in (count_pretokens({"de": parts["en"]}, weights={"de": 3.0}),):
        with pytest.raises(CountsError, match="weights 2 and 3"):
            Counts.merge([two, other])
    # Also where the weight is the default.
    with pytest.raises(CountsError, match="weights 2 and 1"):
        Counts.merge([two, count_pretokens({"de": parts["en"]})])


def test_merge_counts_adds_up_weighted_parts(parts: dict[str, Path], tmp_path: Path) -> None:
    run = CliRunner().invoke
    files = []
    for group in ("de", "en"):
        files.append(str(tmp_path / f"{group}.tsv"))
        weight = f"{group}={WEIGHTS[group]}"
        inputs = f"{group}={parts[group]}"
        result = run(cli, ["count", inputs, "--weight", weight, "-o", files[-1], "-q"])
        assert result.exit_code == 0, result.stderr
    merged = tmp_path / "all.tsv"
    result = run(cli, ["merge-counts", *files, "-o", str(merged)])
    assert result.exit_code == 0, result.stderr
    both = {group: parts[group] for group in ("de", "en")}
    assert Counts.load(merged) == count_pretokens(both, weights=WEIGHTS)


def test_merge_counts_tells_candidates_by_what_they_record(
    parts: dict[str, Path], tmp_path: Path
) -> None:
    words = train_words(count_pretokens(parts["de"]), vocab_size=300)
    for suffix in (".tsv", ".parquet", ".arrow"):
        path, merged = tmp_path / f"c{suffix}", tmp_path / f"merged{suffix}"
        found = count_candidates(parts["de"], words)
        found.save(path)
        result = CliRunner().invoke(cli, ["merge-counts", str(path), "-o", str(merged)])
        assert result.exit_code == 0, result.stderr
        assert dict(Candidates.load(merged)) == dict(found)
