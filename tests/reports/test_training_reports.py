"""Reports on training: numbers by hand, and what is said about a run that cannot be reported on."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from typing import Any

import pytest
import superword
from click.testing import CliRunner, Result
from superword import reports
from superword.cli import cli
from superword.counts import Candidates
from superword.errors import InputError, MissingInputError, WorkDirError
from superword.reference.greedy import count_ngrams, split_candidates
from superword.reports.training import measure, sections
from superword.reports.training.greedy import split_counts
from superword.reports.training.results import Amount, Ratio

pytestmark = pytest.mark.filterwarnings("ignore::superword.errors.SuperwordWarning")

# 41 documents: 20 * 4 + 20 * 2 + 3 pretokens, each of which is one token.
TEXTS = ["aa bb aa bb"] * 20 + ["aa bb"] * 20 + ["aa bb cc"]


def write(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def trained(folder: Path, inputs: Any, **options: Any) -> Path:
    """The work directory of a run."""
    options = {"vocab_size": 300, "method": "boundless", **options}
    superword.train(inputs, work_dir=folder / "work", **options)
    return folder / "work"


def test_counts_and_ratios_by_hand(tmp_path: Path) -> None:
    told = measure(trained(tmp_path, write(tmp_path / "a.jsonl", TEXTS)))
    size = sum(map(len, TEXTS))
    # Pretokens: `aa`, ` bb`, ` aa`, ` cc`. Every document is one candidate.
    assert told.amounts[-1] == Amount(41, size, 123, 4, 41, 3)
    assert told.amounts[0] == Amount(1, 11, 4, 3, 1, 1)
    documents = [amount.documents for amount in told.amounts]
    assert documents == [1, 2, 3, 6, 11, 21, 41]
    (group,) = told.groups
    assert (group.name, group.documents, group.bytes) == ("", 41, size)
    assert group.pretokens == Ratio(4, 123)
    assert group.candidates == Ratio(3, 41)
    # ` bb cc` occurs once, so it is split off; `aa bb` is left of that document.
    assert (group.split, group.split_below) == (Ratio(2, 41), 15)
    assert told.whole
    assert told.notes == ()


def test_candidates_are_not_cut(tmp_path: Path) -> None:
    texts = [f"the word{chr(97 + n)} of the book" for n in range(20)]
    file = write(tmp_path / "a.jsonl", texts)
    # Every run occurs once. Cutting would leave `the` and ` of the book`.
    last = measure(trained(tmp_path, file, vocab_size=600)).amounts[-1]
    assert (last.candidates, last.unique_candidates) == (20, 20)


def test_groups_are_compared_on_the_same_number_of_bytes(tmp_path: Path) -> None:
    inputs = {
        "long": write(tmp_path / "a.jsonl", ["aa bb"] * 100),
        "short": write(tmp_path / "b.jsonl", ["cc dd"] * 10),
    }
    told = measure(trained(tmp_path, inputs))
    assert [(g.name, g.documents, g.bytes) for g in told.groups] == [
        ("long", 10, 50),
        ("short", 10, 50),
    ]
    assert told.groups[0].pretokens == Ratio(2, 20)
    # All of both groups.
    assert (told.amounts[-1].documents, told.amounts[-1].pretokens) == (110, 220)
    assert "same number of bytes" in told.notes[0]


def test_the_limit_is_shared_by_the_groups_and_said(tmp_path: Path) -> None:
    inputs = {
        "a": write(tmp_path / "a.jsonl", ["aa bb"] * 100),
        "b": write(tmp_path / "b.jsonl", ["cc dd"] * 100),
    }
    told = measure(trained(tmp_path, inputs), max_bytes=100)
    assert told.amounts[-1].documents == 20
    assert (told.whole, told.limit) == (False, 50)
    assert "first 50 B of each group" in told.notes[0]


@pytest.mark.parametrize("method", ["bpe", "superbpe"])
def test_every_method_is_measured(tmp_path: Path, method: str) -> None:
    more = {"supermerges": 2} if method == "superbpe" else {}
    work = trained(tmp_path, write(tmp_path / "a.jsonl", TEXTS), method=method, **more)
    told = measure(work)
    assert told.method == method
    assert told.amounts[-1].unique_candidates == 3
    assert bool(told.supermerges) == (method != "bpe")
    model = superword.train(tmp_path / "a.jsonl", vocab_size=300, method=method, **more)  # type: ignore[arg-type]
    assert told.merges == tuple((n, count) for n, (_, _, count) in enumerate(model.merges, 1))


def test_splitting_is_that_of_the_reference() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        tokens = [bytes([97 + n]) for n in range(rng.choice([2, 3, 5]))]
        counts = {
            tuple(rng.choices(tokens, k=rng.randint(2, rng.choice([3, 8, 45])))): rng.randint(1, 6)
            for _ in range(rng.randint(1, 40))
        }
        threshold = rng.randint(1, 30)
        split = split_candidates(counts, count_ngrams(counts, threshold))
        found = split_counts(Candidates(counts), threshold)
        assert found == (len(split), sum(split.values())), seed
    assert split_counts(Candidates({}), 1) == (0, 0)


def test_a_run_that_reused_earlier_work_says_so(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", TEXTS)
    work = trained(tmp_path, file)
    trained(tmp_path, file)
    first, second = measure(work).courses
    assert {phase.reused for phase in first.phases} == {"no"}
    assert {phase.reused for phase in second.phases} == {"yes"}
    assert first.documents == 41
    assert [phase.name for phase in first.phases] == ["count", "merge", "candidates", "supermerge"]
    # Another method learns fewer words, so only the counts are used again.
    work = trained(tmp_path, file, method="superbpe", supermerges=3)
    (course,) = measure(work).courses
    assert [phase.reused for phase in course.phases] == ["yes", "no", "no", "no"]


def test_a_directory_without_a_record_of_times_has_the_other_figures(tmp_path: Path) -> None:
    work = trained(tmp_path, write(tmp_path / "a.jsonl", TEXTS))
    (work / "timeline.json").unlink()
    told = measure(work)
    assert told.courses == ()
    page = reports.render(None, sections=sections(told))
    assert "no record of a complete run" in page
    assert page.count("<figure") == 3


def test_the_page_has_every_figure(tmp_path: Path) -> None:
    work = trained(tmp_path, write(tmp_path / "a.jsonl", TEXTS))
    page = reports.render(None, sections=sections(measure(work)))
    for title in (
        "Pretokens and candidates against documents",
        "Type–token ratio",
        "Time against documents",
        "Time against vocabulary size",
        "Counts of merges and supermerges",
    ):
        assert title in page
    assert page.count("<figure") == 5
    assert "nan" not in page.lower().replace("nance", "")


def test_a_text_without_pretokens_is_no_error(tmp_path: Path) -> None:
    # No candidates: nothing is eligible.
    work = trained(tmp_path, write(tmp_path / "a.jsonl", ["1 2 3", "", "4"]), method="bpe")
    told = measure(work)
    assert told.amounts[-1].candidates == 0
    assert told.groups[0].candidates.value is None
    assert "<svg" in reports.render(None, sections=sections(told))


def test_skipped_documents_are_left_out_without_further_warnings(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", TEXTS)
    file.write_text(file.read_text() + "broken\n")
    work = trained(tmp_path, file, on_error="skip")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert measure(work).amounts[-1].documents == 41


def test_changed_and_missing_inputs_are_errors(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", TEXTS)
    work = trained(tmp_path, file)
    write(file, [*TEXTS, "more"])
    with pytest.raises(InputError, match="changed after the run"):
        measure(work)
    file.unlink()
    with pytest.raises(MissingInputError, match="is gone"):
        measure(work)


def test_directories_that_are_no_work_directories_are_errors(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="no directory"):
        measure(tmp_path / "none")
    with pytest.raises(WorkDirError, match=r"no run\.json"):
        measure(tmp_path)
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(WorkDirError, match="cannot be read"):
        measure(tmp_path)


def test_a_run_that_is_not_complete_is_an_error(tmp_path: Path) -> None:
    work = trained(tmp_path, write(tmp_path / "a.jsonl", TEXTS))
    for file in work.glob("words-*"):
        file.unlink()
    with pytest.raises(WorkDirError, match="not complete: it has not learned its words"):
        measure(work)


def report(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["report", *map(str, arguments)])


def test_the_command_writes_a_page_from_another_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("a.jsonl"), TEXTS)
    trained(Path(), {"x": "a.jsonl"})
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    result = report("--training", "../work", "-o", "r.html")
    assert result.exit_code == 0, result.stderr
    assert "<svg" in Path("r.html").read_text()
    result = report("--training", "../work", "-o", "r.md", "--max-bytes", "20")
    assert "first 20 B of the text" in Path("r.md").read_text()


def test_the_command_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", TEXTS)
    work = trained(tmp_path, file)
    assert "nothing to report on" in report("-o", tmp_path / "r.html").stderr
    assert "CSV" in report("--training", work, "-o", tmp_path / "r.csv").stderr
    before = file.read_bytes()
    onto = report("--training", work, "-o", file, "--format", "html", "--force")
    assert onto.exit_code != 0
    assert file.read_bytes() == before
