"""Mistakes that users make, in Python and on the command line: the cases of `messages.txt`.

Each case has a name, what to do in Python, and the arguments of the command that makes the same
mistake. Paths are relative to a directory that `prepare` fills.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import superword
from superword import Tokenizer
from superword._support.bytechars import to_chars
from superword.counts import Candidates, Counts
from superword.inputs import documents
from superword.reports.training import measure
from superword.shards import PackedShard
from superword.stages import count_candidates, count_pretokens, extend, train_words

SENTENCE = "One of the first things that one of the people in the house said. "


class Case(NamedTuple):
    """A mistake. `python` or `command` is None if it cannot be made there."""

    name: str
    python: Callable[[], object] | None
    command: Sequence[str] | None = None
    input: str = ""


def train_on_ray(*given: str) -> list[str]:
    """A command that stops before it needs Ray."""
    return ["train", "a.jsonl", "--engine", "ray", "--vocab-size", "300", "-o", "n", *given]


def prepare(folder: Path) -> None:
    """Write the files that the cases use."""
    lines = [json.dumps({"text": SENTENCE * n}) for n in range(1, 20)]
    (folder / "a.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "b.txt").write_text(SENTENCE)
    (folder / "body.jsonl").write_text('{"body": "x"}\n')
    (folder / "number.jsonl").write_text('{"text": 5}\n')
    (folder / "broken.jsonl").write_text("not json\n")
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    (folder / "empty.txt").write_text("")
    (folder / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00")
    (folder / "nothing").mkdir()
    texts = [SENTENCE * n for n in range(1, 20)]
    train = superword.train_from_iterator
    train(texts, vocab_size=300, method="bpe").save(folder / "words.superword")
    tok = train(texts, vocab_size=300, special_tokens=["<|x|>"])
    tok.save(folder / "m.superword")
    train(texts, vocab_size=300, pretokenizer="gpt4o-script").save(folder / "script.superword")
    data = tok.to_bytes()
    (folder / "cut.superword").write_bytes(data[: len(data) // 2])
    count_pretokens(folder / "a.jsonl").save(folder / "counts.tsv")
    count_pretokens(folder / "a.jsonl", pretokenizer="gpt2").save(folder / "gpt2.tsv")
    words = Tokenizer.load(folder / "words.superword")
    count_candidates(folder / "a.jsonl", words).save(folder / "candidates.tsv")
    for name, weight in (("de1.tsv", 1.0), ("de2.tsv", 2.0)):
        weighted = count_pretokens({"de": folder / "a.jsonl"}, weights={"de": weight})
        weighted.save(folder / name)
    (folder / "plain.tsv").write_text("ab\t3\n")
    (folder / "wrong.tsv").write_text("ab\tthree\n")
    (folder / "results").mkdir()
    for name, content in (
        ("results/newer.json", {"format": 2}),
        ("results/no-groups.json", {"format": 1, "models": []}),
        ("results/models.json", {"format": 1, "groups": [], "models": [{"name": 5}]}),
    ):
        (folder / name).write_text(json.dumps({"superword": "0.1.0", **content}))
    _write_tokenizers(folder)


def _train(**options: Any) -> Callable[[], object]:
    return lambda: superword.train("a.jsonl", **{"vocab_size": 300, **options})


def _flags(*arguments: str) -> list[str]:
    return ["train", "a.jsonl", "-o", "new.superword", "--vocab-size", "300", "-q", *arguments]


def _read(name: str) -> Case:
    python = lambda: superword.train(name, vocab_size=300)  # noqa: E731
    command = ["train", name, "-o", "new.superword", "--vocab-size", "300", "-q"]
    return Case(f"train on {name}", python, command)


def cases() -> list[Case]:
    """All cases, in the order of the snapshot."""
    tok = Tokenizer.load("m.superword")
    words = Tokenizer.load("words.superword")
    small = ["--vocab-size", "100"]
    return [
        Case("vocabulary too small", _train(vocab_size=100), _flags(*small)),
        Case("vocabulary too large", _train(vocab_size=2**40), _flags("--vocab-size", str(2**40))),
        Case("unknown method", _train(method="boundles")),
        Case(
            "superbpe without supermerges",
            _train(method="superbpe"),
            _flags("--method", "superbpe"),
        ),
        Case("supermerges with boundless", _train(supermerges=5), _flags("--supermerges", "5")),
        Case(
            "superword option with bpe",
            _train(method="bpe", max_words=3),
            _flags("--method", "bpe", "--max-words", "3"),
        ),
        Case("picky out of range", _train(picky=2.0), _flags("--picky", "2")),
        Case("picky_split alone", _train(picky_split="bytes"), _flags("--picky-split", "bytes")),
        Case("max_words too small", _train(max_words=1), _flags("--max-words", "1")),
        Case("min_count zero", _train(min_count=0), _flags("--min-count", "0")),
        Case("empty veto", _train(veto=""), _flags("--veto", "")),
        Case("broken veto", _train(veto="("), _flags("--veto", "(")),
        Case("greedy_split", _train(greedy_split="always")),
        Case("special tokens as a string", _train(special_tokens="<|x|>")),
        Case(
            "special token twice",
            _train(special_tokens=["<|x|>", "<|x|>"]),
            _flags("--special-token", "<|x|>", "--special-token", "<|x|>"),
        ),
        Case(
            "sample and max_bytes",
            _train(sample=5, max_bytes=5),
            _flags("--sample", "5", "--max-bytes", "5"),
        ),
        Case("seed alone", _train(seed=3), _flags("--seed", "3")),
        Case("size", _train(sample="10 parsecs"), _flags("--sample", "10 parsecs")),
        Case("sample too small", _train(sample=3), _flags("--sample", "3")),
        Case("weight", _train(weights={"de": -1}), _flags("--weight", "de=-1")),
        Case("weight of no group", _train(weights={"de": 2}), _flags("--weight", "de=2")),
        Case(
            "memory",
            _train(max_memory="1MB", threads=2),
            _flags("--max-memory", "1MB", "--threads", "2"),
        ),
        Case(
            "work_dir with standard input",
            lambda: superword.train("-", vocab_size=300, work_dir="work"),
            [
                "train",
                "-",
                "-o",
                "new.superword",
                "--vocab-size",
                "300",
                "--work-dir",
                "work",
                "-q",
            ],
            "text\n",
        ),
        Case("threads", _train(threads=-1), _flags("--threads", "-1")),
        Case("on_error", _train(on_error="ignore")),
        Case("format", _train(format="json")),
        Case("unknown preset", _train(pretokenizer="gpt4-o"), _flags("--pretokenizer", "gpt4-o")),
        Case(
            "preset and pattern",
            lambda: superword.Pretokenizer("gpt2", pattern="."),
            _flags("--pretokenizer", "gpt2", "--pattern", "."),
        ),
        Case(
            "scripts without pattern",
            lambda: superword.Pretokenizer(scripts=["Han"], script_pattern="."),
            _flags("--scripts", "Han", "--script-pattern", "."),
        ),
        Case(
            "scripts without script_pattern",
            lambda: superword.Pretokenizer(pattern=".", scripts=["Han"]),
            _flags("--pattern", ".", "--scripts", "Han"),
        ),
        Case(
            "unknown script",
            lambda: superword.Pretokenizer(pattern=".", script_pattern=".", scripts=["Hann"]),
            _flags("--pattern", ".", "--script-pattern", ".", "--scripts", "Hann"),
        ),
        Case(
            "broken pattern",
            lambda: superword.Pretokenizer(pattern="(a"),
            _flags("--pattern", "(a"),
        ),
        Case(
            "empty match", lambda: superword.Pretokenizer(pattern="a*"), _flags("--pattern", "a*")
        ),
        *map(_read, ("missing.jsonl", "a.json", "nothing", "*.csv", "body.jsonl", "number.jsonl")),
        *map(_read, ("broken.jsonl", "latin.txt", "empty.txt", "cut.jsonl.gz")),
        Case(
            "nothing to read",
            lambda: superword.train([], vocab_size=300),
            ["train", "-o", "m", "--vocab-size", "300"],
        ),
        Case("texts that are numbers", lambda: superword.train_from_iterator([5], vocab_size=300)),  # type: ignore[list-item]
        Case("lone surrogate", lambda: tok.encode("a\ud800")),
        Case("bytes that are not UTF-8", lambda: tok.encode_batch(["a", b"caf\xe9"])),
        Case("documents of a missing file", lambda: list(documents("missing"))),
        Case(
            "model is missing",
            lambda: Tokenizer.load("none.superword"),
            ["inspect", "none.superword"],
        ),
        Case("show a mistyped model", None, ["show", "m.superword", "wrds.superword"]),
        Case("show a missing file", None, ["show", "m.superword", "none.txt"]),
        Case("show without a model", None, ["show", "One of the"]),
        Case("show a text without quotes", None, ["show", "m.superword", "One", "of"]),
        Case("show text and file", None, ["show", "m.superword", "--text", "a", "--file", "b.txt"]),
        Case(
            "names of tokenizers",
            lambda: Tokenizer.load("m.superword").show("a", names=["a", "b"]),
        ),
        Case("report on nothing", None, ["report", "-o", "r.html"]),
        Case(
            "report on no training",
            lambda: measure("nothing"),
            ["report", "--training", "nothing", "-o", "r.html"],
        ),
        Case("report on training as CSV", None, ["report", "--training", "nothing", "-o", "r.csv"]),
        Case("explain no token", None, ["explain", "m.superword", "zebra"]),
        Case("explain nothing", None, ["explain", "m.superword"]),
        Case("not a model", lambda: Tokenizer.load("a.jsonl"), ["inspect", "a.jsonl"]),
        Case(
            "damaged model", lambda: Tokenizer.load("cut.superword"), ["inspect", "cut.superword"]
        ),
        Case(
            "save into nowhere",
            lambda: tok.save("none/m.superword"),
            [*_flags()[:3], "none/m.superword", "--vocab-size", "300"],
        ),
        Case(
            "truncate",
            lambda: tok.truncate(5),
            ["truncate", "m.superword", "5", "-o", "s.superword"],
        ),
        Case(
            "unknown id", lambda: tok.decode([5, 100_000]), ["decode", "m.superword"], "5 100000\n"
        ),
        Case("negative id", lambda: tok.token_bytes(-1)),
        Case("not an id", None, ["decode", "m.superword"], "5 x\n"),
        Case("not UTF-8", None, ["encode", "m.superword", "latin.txt"]),
        Case("whole and null", None, ["encode", "m.superword", "--whole", "--null"]),
        Case("unknown special token", lambda: tok.encode("x", allowed_special={"<|y|>"})),
        Case("special token as a string", lambda: tok.encode("x", allowed_special="<|x|>")),  # type: ignore[arg-type]
        Case("special token as an id", lambda: tok.encode("x", allowed_special={5})),  # type: ignore[arg-type]
        Case("disallowed special token", lambda: tok.encode("a<|x|>", disallowed_special="all")),
        Case("cache size", lambda: tok.set_cache_bytes("much")),
        Case("unit of offsets", lambda: tok.encode_with_offsets("x", unit="word")),  # type: ignore[arg-type]
        Case(
            "no end of text",
            lambda: tok.encode_files("a.jsonl", "shards"),
            ["encode-files", "a.jsonl", "-m", "m.superword", "-o", "shards", "-q"],
        ),
        Case(
            "dtype",
            lambda: tok.encode_files("a.jsonl", "shards", dtype="uint8", eot=False),  # type: ignore[arg-type]
        ),
        Case(
            "dtype that the format of shards does not have",
            lambda: tok.encode_files("a.jsonl", "shards", format="megatron", dtype="uint32"),
            [
                "encode-files",
                "a.jsonl",
                "-m",
                "m.superword",
                "-o",
                "s",
                "--format",
                "parquet",
                "--dtype",
                "uint16",
            ],
        ),
        Case(
            "format of inputs as format of shards",
            lambda: tok.encode_files("a.jsonl", "shards", format="jsonl"),  # type: ignore[arg-type]
            ["encode-files", "a.jsonl", "-m", "m.superword", "-o", "s", "--format", "lines"],
        ),
        Case(
            "format of shards",
            lambda: tok.encode_files("a.jsonl", "shards", format="megatrom"),  # type: ignore[arg-type]
            ["encode-files", "a.jsonl", "-m", "m.superword", "-o", "s", "--format", "megatrom"],
        ),
        Case("not a packed shard", lambda: PackedShard("a.jsonl")),
        Case(
            "address without an engine",
            None,
            ["encode-files", "a.jsonl", "-m", "m.superword", "-o", "s", "--address", "h:1"],
        ),
        Case("sample on a cluster", None, train_on_ray("--sample", "1GB")),
        Case("counts on a cluster", None, train_on_ray("--counts", "c.tsv")),
        Case(
            "format of the inputs of encode-files",
            lambda: tok.encode_files("a.jsonl", "shards", input_format="json", eot=False),  # type: ignore[arg-type]
            ["encode-files", "broken.jsonl", "-m", "m.superword", "-o", "s", "--no-eot", "-q"],
        ),
        Case(
            "counts without a pretokenizer",
            lambda: Counts.load("plain.tsv"),
            [
                "train",
                "--counts",
                "plain.tsv",
                "--method",
                "bpe",
                "--vocab-size",
                "257",
                "-o",
                "n.superword",
            ],
        ),
        Case(
            "wrong counts",
            lambda: Counts.load("wrong.tsv"),
            ["merge-counts", "wrong.tsv", "-o", "n.tsv"],
        ),
        Case(
            "suffix of counts",
            lambda: Counts.load("a.csv"),
            ["merge-counts", "a.csv", "-o", "n.csv"],
        ),
        Case("candidates for counts", lambda: Counts.load("candidates.tsv")),
        Case("counts for candidates", lambda: Candidates.load("counts.tsv")),
        Case(
            "counts of two pretokenizers",
            lambda: Counts.merge([Counts.load("counts.tsv"), Counts.load("gpt2.tsv")]),
            ["merge-counts", "counts.tsv", "gpt2.tsv", "-o", "n.tsv"],
        ),
        Case(
            "an input counted twice",
            lambda: Counts.merge([Counts.load("counts.tsv")] * 2),
            ["merge-counts", "counts.tsv", "counts.tsv", "-o", "n.tsv"],
        ),
        Case(
            "a group with two weights",
            lambda: Counts.merge(
                [Counts.load("de1.tsv"), Counts.load("de2.tsv")], allow_repeats=True
            ),
            ["merge-counts", "de1.tsv", "de2.tsv", "--allow-repeats", "-o", "n.tsv"],
        ),
        Case("cut_below", lambda: count_candidates("a.jsonl", words, cut_below=0)),
        Case("train_words on too little", lambda: train_words(Counts({b"a": 1}), vocab_size=3)),
        Case(
            "superwords on superwords",
            lambda: extend(tok, "a.jsonl", supermerges=2),
            [
                "train",
                "a.jsonl",
                "--base",
                "m.superword",
                "--method",
                "superbpe",
                "--supermerges",
                "2",
                "-o",
                "n",
            ],
        ),
        Case("base with boundless", None, _flags("--base", "words.superword")),
        Case("candidates without counts", None, _flags("--candidates", "candidates.tsv")),
        Case("counts and work_dir", None, _flags("--counts", "counts.tsv", "--work-dir", "work")),
        Case("also too large", None, _flags("--also", "400")),
        Case(
            "export with superwords",
            lambda: Tokenizer.load("script.superword").export_huggingface("exported"),
            ["export", "script.superword", "--to", "huggingface", "-o", "exported"],
        ),
        Case(
            "export without renumbering",
            lambda: tok.export_tiktoken("m.tiktoken", "approximate"),
            [
                "export",
                "m.superword",
                "--to",
                "tiktoken",
                "-o",
                "m.tiktoken",
                "--mode",
                "approximate",
            ],
        ),
        Case(
            "unknown role",
            lambda: words.export_huggingface("exported", eos_token="<|y|>"),
            [
                "export",
                "words.superword",
                "--to",
                "huggingface",
                "-o",
                "exported",
                "--eos-token",
                "<|y|>",
            ],
        ),
        Case("import of no tokenizer", lambda: Tokenizer.from_huggingface("a.jsonl")),
        Case("import of no ranks", lambda: Tokenizer.from_tiktoken("b.txt", pattern=".")),
        Case("import of no paper file", lambda: Tokenizer.from_paper("b.txt")),
        *(
            _import(*case)
            for case in (
                ("a missing file", "missing.json"),
                ("an empty directory", "nothing"),
                ("a file of another kind", "b.txt"),
                ("truncated JSON", "hf/cut.json"),
                ("another JSON file", "hf/other.json"),
                ("a Unigram model", "hf/unigram.json"),
                ("WordPiece", "hf/wordpiece.json"),
                ("SentencePiece in JSON", "hf/fallback.json"),
                ("a SentencePiece file", "hf/tokenizer.model"),
                ("an unknown normalizer", "hf/lowercase.json"),
                ("an unknown sequence of splits", "hf/splits.json"),
                ("a role without a token", "role"),
                ("ranks without a pattern", "hf/ranks.tiktoken"),
            )
        ),
        Case(
            "import with an option of another format",
            lambda: Tokenizer.from_file("role", pattern="x"),
            ["import", "role", "-o", "new.superword", "--pattern", "x"],
        ),
        Case(
            "import with a special token without an id",
            None,
            ["import", "hf/ranks.tiktoken", "-o", "new.superword", "--special-token", "<s>"],
        ),
        *_evaluations(),
        *_reports(),
    ]


def _reports() -> list[Case]:
    def case(name: str, result: str) -> Case:
        return Case(
            f"report: {name}",
            lambda: superword.evaluation.Evaluation.load(result),
            ["report", result, "-o", "new.html"],
        )

    return [
        case("no such result", "none.json"),
        case("a file that is not JSON", "b.txt"),
        case("JSON that is not a result", "body.jsonl"),
        case("a result of a newer version", "results/newer.json"),
        case("a field that is missing", "results/no-groups.json"),
        case("a field of a wrong type", "results/models.json"),
        Case(
            "report: a suffix without a format",
            lambda: superword.reports.format_of("report.pdf"),
            ["report", "results/newer.json", "-o", "report.pdf"],
        ),
        Case(
            "report: an output that is not a report",
            None,
            ["report", "results/newer.json", "-o", "b.txt", "--format", "html"],
        ),
    ]


def _evaluations() -> list[Case]:
    def case(name: str, options: dict[str, Any], *flags: str, on: Any = "b.txt") -> Case:
        given = [f"{group}={path}" for group, path in on.items()] if isinstance(on, dict) else [on]
        return Case(
            f"evaluate: {name}",
            lambda: superword.evaluate("m.superword", on, **options),
            ["evaluate", "m.superword", "--on", *given, *flags],
        )

    return [
        case("no such reference", {"reference": "n"}, "--reference", "n"),
        case("a group without text", {}, on={"en": "b.txt", "de": "empty.txt"}),
        case("a group called all", {}, on={"all": "b.txt"}),
        case("pairs without a tab", {"pairs": "b.txt"}, "--pairs", "b.txt"),
        case("morphemes without a tab", {"morphemes": "b.txt"}, "--morphemes", "b.txt"),
        case("an empty list of words", {"words": "empty.txt"}, "--words", "empty.txt"),
        case(
            "parallel files of different lengths",
            {"parallel": {"en": "a.jsonl", "de": "b.txt"}},
            *("--parallel", "en=a.jsonl", "de=b.txt"),
        ),
        case(
            "a shape without heads",
            {"shape": superword.evaluation.ModelShape(heads=0)},
            *("--shape", "heads=0"),
        ),
        Case(
            "evaluate: the same model twice",
            lambda: superword.evaluate(["m.superword", "m.superword"], "b.txt"),
            ["evaluate", "m.superword", "m.superword", "--on", "b.txt"],
        ),
        Case(
            "evaluate: a check of an unknown number",
            lambda: superword.evaluation.Check.parse("bytes_per_tokens>4"),
            ["evaluate", "m.superword", "--on", "b.txt", "--check", "bytes_per_tokens>4"],
        ),
        Case(
            "evaluate: a check without a comparison",
            lambda: superword.evaluation.Check.parse("bytes_per_token"),
            ["evaluate", "m.superword", "--on", "b.txt", "--check", "bytes_per_token"],
        ),
        Case(
            "evaluate: a parallel file without a language",
            None,
            ["evaluate", "m.superword", "--on", "b.txt", "--parallel", "b.txt"],
        ),
        Case(
            "evaluate: a shape with a wrong name",
            None,
            ["evaluate", "m.superword", "--on", "b.txt", "--shape", "layer=4"],
        ),
    ]


def _import(what: str, path: str) -> Case:
    python = lambda: Tokenizer.from_file(path)  # noqa: E731
    return Case(f"import of {what}", python, ["import", path, "-o", "new.superword"])


def _write_tokenizers(folder: Path) -> None:
    """Write tokenizers that cannot be imported, and one with a wrong configuration."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": "x"}, "behavior": "Isolated"}
    sequence = {"type": "Sequence", "pretokenizers": [split, split, byte_level]}
    vocab = {to_chars(bytes([byte])): byte for byte in range(256)}
    good = {"model": {"type": "BPE", "vocab": vocab, "merges": []}, "pre_tokenizer": byte_level}
    changes: dict[str, dict[str, Any]] = {
        "unigram": {"model": {"type": "Unigram"}},
        "wordpiece": {"model": {"type": "WordPiece"}},
        "fallback": {"model": {"type": "BPE", "byte_fallback": True}},
        "lowercase": {"normalizer": {"type": "Lowercase"}},
        "splits": {"pre_tokenizer": sequence},
    }
    (folder / "hf").mkdir()
    for name, change in changes.items():
        (folder / "hf" / f"{name}.json").write_text(json.dumps({**good, **change}))
    (folder / "hf" / "cut.json").write_text(json.dumps(good)[:100])
    (folder / "hf" / "other.json").write_text('{"model_max_length": 5}')
    (folder / "hf" / "tokenizer.model").write_bytes(
        b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02"
    )
    (folder / "hf" / "ranks.tiktoken").write_text("IQ== 0\nIg== 1\n")
    (folder / "role").mkdir()
    (folder / "role" / "tokenizer.json").write_text(json.dumps(good))
    (folder / "role" / "tokenizer_config.json").write_text('{"pad_token": "<pad>"}')
