"""The commands, run in this process: what they print where, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner, Result
from superword.cli import cli

LINES = "one of the words\n\nOf the 12 言葉, don't\tstop\n"


def superword_command(*arguments: str | Path, input: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=input)


def test_help_of_everything_has_an_example() -> None:
    for command in ([], *([name] for name in cli.commands)):
        result = superword_command(*command, "--help")
        assert result.exit_code == 0
        assert "Examples:\n" in result.stdout
        assert "superword" in result.stdout
        assert max(map(len, result.stdout.splitlines())) <= 100
    assert set(cli.commands) >= {
        "train",
        "encode",
        "decode",
        "pretokenize",
        "inspect",
        "truncate",
    }


def test_version_is_that_of_the_package() -> None:
    assert superword_command("--version").stdout == f"superword, version {superword.__version__}\n"


@pytest.mark.parametrize("method", ["bpe", "boundless", "superbpe"])
def test_train_makes_the_model_that_the_api_makes(jsonl: Path, tmp_path: Path, method: str) -> None:
    output = tmp_path / "m.superword"
    extra = ["--supermerges", "10"] if method == "superbpe" else []
    result = superword_command(
        "train", jsonl, "--vocab-size", "400", "--method", method, *extra, "-o", output
    )
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    for word in ("reading 1 file", "learning words", "saved as", "400 tokens", "superwords"):
        assert word in result.stderr
    supermerges = 10 if method == "superbpe" else None
    wanted = superword.train(jsonl, vocab_size=400, method=method, supermerges=supermerges)  # type: ignore[arg-type]
    assert superword.Tokenizer.load(output) == wanted


def test_a_shortfall_is_said_and_the_model_is_saved(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ab ab")
    output = tmp_path / "m.superword"
    result = superword_command("train", tmp_path / "a.txt", "--vocab-size", "9000", "-o", output)
    assert result.exit_code == 0
    assert "warning: " in result.stderr
    assert superword.Tokenizer.load(output).n_vocab < 9000


def test_skipped_documents_are_said(jsonl: Path, tmp_path: Path) -> None:
    with jsonl.open("a") as file:
        file.write("{oops\n")
    output = tmp_path / "m.superword"
    arguments = ("train", jsonl, "--vocab-size", "300", "-o", output)
    stopped = superword_command(*arguments)
    assert stopped.exit_code == 1
    assert stopped.stderr.count("\nhint: ") == 1
    assert "--on-error" in stopped.stderr
    assert not output.exists()
    skipped = superword_command(*arguments, "--on-error", "skip")
    assert skipped.exit_code == 0
    assert "warning: skipped 1 document" in skipped.stderr
    assert output.exists()


def test_encode_and_decode_are_inverse_line_by_line(
    model_path: Path, boundless: superword.Tokenizer
) -> None:
    encoded = superword_command("encode", model_path, input=LINES)
    assert encoded.exit_code == 0
    assert encoded.stderr == ""
    lines = encoded.stdout.splitlines()
    assert [[int(i) for i in line.split()] for line in lines] == [
        boundless.encode(text) for text in LINES.splitlines()
    ]
    decoded = superword_command("decode", model_path, input=encoded.stdout)
    assert decoded.stdout_bytes == LINES.encode()


@pytest.mark.parametrize("ends", [b"\n", b"\0"])
def test_a_last_document_without_its_end_is_a_document(model_path: Path, ends: bytes) -> None:
    flags = ["--null"] if ends == b"\0" else []
    encoded = superword_command("encode", model_path, *flags, input=ends.join([b"a", b"b c"]))
    assert len(encoded.stdout.splitlines()) == 2
    decoded = superword_command("decode", model_path, *flags, input=encoded.stdout)
    assert decoded.stdout_bytes == b"a" + ends + b"b c" + ends


def test_null_and_whole_documents_keep_newlines(model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(LINES.encode())
    whole = superword_command("encode", model_path, path, "--whole")
    assert whole.stdout.count("\n") == 1
    back = superword_command("decode", model_path, "--whole", input=whole.stdout)
    assert back.stdout_bytes == LINES.encode()
    null = superword_command("encode", model_path, "-0", input=f"{LINES}\0{LINES}\0")
    assert null.stdout == whole.stdout * 2
    assert superword_command("encode", model_path, "-0", "--whole", input="").exit_code == 2


def test_tokens_are_shown_as_json(model_path: Path) -> None:
    result = superword_command("encode", model_path, "--tokens", input="one of 鬱<|pad|>\n")
    tokens = json.loads(result.stdout)
    assert "".join(tokens[:2]).startswith("one")
    assert "<|pad|>" not in tokens
    special = superword_command("encode", model_path, "--tokens", "--special", input="a<|pad|>")
    assert json.loads(special.stdout) == ["a", "<|pad|>"]


def test_pretokenize_writes_json_lines() -> None:
    result = superword_command("pretokenize", input="Of the 12 words\n\nx\n")
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        ["Of", " the", " ", "12", " words"],
        [],
        ["x"],
    ]
    own = superword_command("pretokenize", "--pattern", r"\w", input="ab!")
    assert json.loads(own.stdout) == ["a", "b", "!"]
    unknown = superword_command("pretokenize", "--pretokenizer", "gpt-2", input="x")
    assert unknown.exit_code == 2
    assert "did you mean 'gpt2'" in unknown.stderr


def test_inspect_says_what_the_model_is(
    model_path: Path, boundless: superword.Tokenizer, words: superword.Tokenizer, tmp_path: Path
) -> None:
    told = superword_command("inspect", model_path)
    assert told.exit_code == 0
    assert told.stderr == ""
    for word in ("boundless", "440 tokens", "superwords", "<|pad|> (439)", "training facts"):
        assert word in told.stdout
    data = json.loads(superword_command("inspect", model_path, "--json", "--top", "3").stdout)
    superwords = sum(map(boundless.is_superword, range(440)))
    assert data["superwords"] == superwords
    assert data["superword_share"] == superwords / 440
    assert len(data["longest_superwords"]) == 3
    counts = [entry["count"] for entry in data["most_frequent_superwords"]]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == max(count for _, _, count in boundless.supermerges)
    words.save(tmp_path / "w.superword")
    assert "0 (0.0%)" in superword_command("inspect", tmp_path / "w.superword").stdout


def test_truncate_saves_a_smaller_model(
    model_path: Path, boundless: superword.Tokenizer, tmp_path: Path
) -> None:
    output = tmp_path / "small.superword"
    result = superword_command("truncate", model_path, "400", "-o", output)
    assert result.exit_code == 0
    assert superword.Tokenizer.load(output) == boundless.truncate(400)
    too_large = superword_command("truncate", model_path, "441", "-o", output)
    assert too_large.exit_code == 2
    assert superword.Tokenizer.load(output).n_vocab == 400


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["encode", "{model}", "nowhere.txt"], 1, "no such file: nowhere.txt"),
        (["encode", "nowhere.superword"], 1, "nowhere.superword"),
        (["encode", "{text}"], 1, "error: "),
        (["train", "nowhere", "--vocab-size", "300", "-o", "m"], 1, "nowhere"),
        (["train", "{text}", "--vocab-size", "30", "-o", "m"], 2, "--vocab-size 30"),
        (["train", "{text}", "--vocab-size", "300", "-o", "no/m"], 1, "mkdir -p no"),
        (["train", "{text}", "--vocab-size", "300", "-o", "."], 1, "is a directory"),
        (["train", "{text}", "--vocab-size", "300"], 2, "'-o'"),
        (["train", "--vocab-size", "300", "-o", "m"], 2, "INPUT"),
        (["train", "{text}", "--vocab-size", "300", "--method", "x", "-o", "m"], 2, "boundless"),
        (
            ["train", "{text}", "--vocab-size", "300", "--pattern", "(a", "-o", "m"],
            2,
            "error: ",
        ),
        (["trian"], 2, "No such command"),
    ],
)
def test_errors_say_what_and_what_next_without_a_traceback(
    arguments: list[str],
    code: int,
    says: str,
    model_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("some text")
    given = [a.format(model=model_path, text=tmp_path / "a.txt") for a in arguments]
    result = superword_command(*given, input="")
    assert result.exit_code == code, result.output
    assert says in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "\x1b" not in result.stderr
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("input", "says"),
    [
        ("97\n97 x\n", "stdin:2: 'x' is not an id"),
        ("97\n440\n", "stdin:2: "),
        ("97\n-1\n", "stdin:2: "),
        ("97\n1_0\n", "stdin:2: '1_0' is not an id"),
        ("97\n+97\n", "stdin:2: '+97' is not an id"),
        ("97\n" + "9" * 5000 + "\n", "stdin:2: '999"),
    ],
)
def test_wrong_ids_are_errors_with_their_line(model_path: Path, input: str, says: str) -> None:
    result = superword_command("decode", model_path, input=input)
    assert result.exit_code == 1
    assert says in result.stderr


def test_invalid_utf8_is_an_error_with_its_line(model_path: Path) -> None:
    result = superword_command("encode", model_path, input=b"fine\nnot \xff fine\n")
    assert result.exit_code == 1
    assert "stdin:2: invalid UTF-8 at byte 4" in result.stderr
