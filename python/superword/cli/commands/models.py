"""Commands about a model: inspect and truncate."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from superword._files.outputs import check_not_read, check_output
from superword._files.timeline import TIMELINE, runs_in
from superword._support.text import format_bytes, format_seconds, plural, printable
from superword._support.visible import token_text
from superword.cli.console import rows_of_report
from superword.cli.group import examples, tell
from superword.cli.json_text import as_json_text
from superword.cli.options import force_option
from superword.errors import WorkDirError
from superword.tokenizer import Tokenizer
from superword.training import Report
from superword.views.superwords import Superword, superwords

__all__ = ["describe", "inspect", "rows_of_parts", "setting_text", "truncate"]


def describe(tokenizer: Tokenizer, top: int = 10) -> dict[str, Any]:
    """What `superword inspect` shows about a model, as plain data."""
    found = superwords(tokenizer)
    longest = sorted(found, key=lambda entry: (-len(token_text(entry.token)), entry.token))[:top]
    frequent = sorted(found, key=lambda entry: (-entry.count, entry.token))[:top]

    def shown(entry: Superword) -> dict[str, Any]:
        return {"token": token_text(entry.token), "id": entry.id, "count": entry.count}

    return {
        "method": tokenizer.method,
        "n_vocab": tokenizer.n_vocab,
        "alphabet": tokenizer.alphabet,
        "merges": len(tokenizer.merges),
        "supermerges": len(tokenizer.supermerges),
        "superwords": len(found),
        "superword_share": len(found) / tokenizer.n_vocab,
        "special_tokens": tokenizer.special_tokens,
        "added_tokens": [asdict(token) for token in tokenizer.added_tokens],
        "normalizer": tokenizer.normalizer,
        "whole_pieces": tokenizer.whole_pieces,
        "unmade_tokens": len(tokenizer.unmade_tokens),
        "settings": tokenizer.settings,
        "pretokenizer": tokenizer.pretokenizer._described(),
        "splits_as": tokenizer.pretokenizer.meaning,
        "longest_superwords": [shown(entry) for entry in longest],
        "most_frequent_superwords": [shown(entry) for entry in frequent],
        "facts": tokenizer.facts,
    }


@click.command(
    short_help="Show what a model contains.",
    epilog=examples(
        "superword inspect wiki.superword",
        "superword inspect wiki.superword --json | jq .superword_share",
        "superword inspect work/",
    ),
)
@click.argument("model", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many superwords to list.",
)
def inspect(model: str, as_json: bool, top: int) -> None:
    """Show the method, sizes, superwords and training facts of a model.

    The count of a superword is how often its two parts were adjacent when it was created.

    If MODEL is the work directory of superword train, the last complete run in it is shown: what it
    counted, where candidates were cut, and the time and memory of each phase.
    """
    if (Path(model) / TIMELINE).is_file():
        _inspect_run(model, as_json)
        return
    told = describe(Tokenizer.load(model), top)
    if as_json:
        click.echo(as_json_text(told, indent=2))
        return
    # A model is untrusted data: its texts must be escaped before they reach the terminal.
    for name, value in _rows(told):
        click.echo(f"{name:<18} {printable(value)}")
    for title in ("most frequent superwords", "longest superwords"):
        listed = told[title.replace(" ", "_")]
        if listed:
            click.echo(f"\n{title}")
        for entry in listed:
            token = as_json_text(entry["token"])
            click.echo(f"  {entry['count']:>12,}  {token}")
    if told["settings"]:
        click.echo("\nsettings")
    for name, value in told["settings"].items():
        click.echo(f"  {printable(name):<28} {printable(setting_text(value))}")
    click.echo("\ntraining facts")
    for name, value in told["facts"].items():
        _fact(name, value, "  ")


def _inspect_run(folder: str, as_json: bool) -> None:
    """Show the last complete run that a work directory has a record of."""
    run = next((run for run in reversed(runs_in(folder)) if run.get("complete")), None)
    if run is None:
        raise WorkDirError(
            f"{folder} has no record of a complete training run",
            hint="give a model, or the directory that was the `work_dir` of a training run",
            path=folder,
        )
    if as_json:
        shown = {name: value for name, value in run.items() if name not in ("phases", "groups")}
        click.echo(as_json_text(shown, indent=2))
        return
    try:
        report = Report.of(
            {
                **run["counts"],
                "seconds": run["seconds_by_phase"],
                "peak_memory": run["peak_memory_by_phase"],
            }
        )
        rows = {
            "method": str(run["method"]),
            "vocabulary": f"{run['vocab_size']:,} tokens",
            "read": f"{plural(run['documents'], 'document')}, {format_bytes(run['bytes'])}",
            **rows_of_report(report),
            "total": format_seconds(run["seconds"]),
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        raise WorkDirError(
            f"the record of the last run in {folder} cannot be read",
            hint="train again with the same options; finished work is used",
            path=folder,
        ) from None
    for name, value in rows.items():
        click.echo(f"{name:<22} {printable(value)}")


def _rows(told: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("method", told["method"]),
        ("vocabulary", f"{told['n_vocab']:,} tokens"),
        ("alphabet", told["alphabet"]),
        ("merges", f"{told['merges']:,}"),
        ("supermerges", f"{told['supermerges']:,}"),
        ("superwords", f"{told['superwords']:,} ({told['superword_share']:.1%})"),
        ("special tokens", _named(told["special_tokens"])),
        *rows_of_parts(told),
    ]


def rows_of_parts(told: dict[str, Any]) -> list[tuple[str, str]]:
    """The rows for the pretokenizer and for what only imported models have."""
    pretokenizer = told["pretokenizer"]
    shown = pretokenizer["name"] or pretokenizer["pattern"]
    if pretokenizer["name"] is None and told["splits_as"] is not None:
        shown = f"a custom pattern that splits as {told['splits_as']}"
    rows = [("pretokenizer", shown)]
    ordinary = {t["content"]: t["id"] for t in told["added_tokens"] if not t["special"]}
    if ordinary:
        rows.append(("in every text", _named({as_json_text(t): id for t, id in ordinary.items()})))
    flags = ("lstrip", "rstrip", "single_word", "normalized")
    for flag in flags:
        flagged = [token["content"] for token in told["added_tokens"] if token[flag]]
        if flagged:
            rows.append((flag, _listed([as_json_text(text) for text in flagged])))
    if told["normalizer"] is not None:
        rows.append(("normalizer", told["normalizer"]))
    if told["unmade_tokens"]:
        found = "found as whole pretokens" if told["whole_pieces"] else "never found in a text"
        rows.append(("unmade tokens", f"{told['unmade_tokens']:,}, {found}"))
    return rows


# More are counted, not listed: some vocabularies have a thousand special tokens.
_MOST_LISTED = 8


def _listed(items: list[str]) -> str:
    more = len(items) - _MOST_LISTED
    return ", ".join(items[:_MOST_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _named(tokens: dict[str, int]) -> str:
    return _listed([f"{name} ({id})" for name, id in tokens.items()]) or "none"


def setting_text(value: Any) -> str:
    """A setting on one line. Templates are long, so only their size is shown."""
    if isinstance(value, str):
        lines = value.count("\n") + 1
        return value if lines == 1 and len(value) <= 60 else f"{lines:,} lines"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    if isinstance(value, list):
        return _listed([str(item["name"]) for item in value if "name" in item])
    return as_json_text(value)


def _fact(name: str, value: Any, indent: str) -> None:
    if isinstance(value, dict):
        click.echo(f"{indent}{printable(name)}")
        for inner, inner_value in value.items():
            _fact(inner, inner_value, indent + "  ")
        return
    said = f"{value:,}" if type(value) is int else value
    if not isinstance(said, str):
        said = as_json_text(said)
    click.echo(f"{indent}{printable(name):<{18 - len(indent)}} {printable(said)}")


@click.command(
    short_help="Reduce the vocabulary of a model.",
    epilog=examples("superword truncate m.superword 16384 -o small.superword"),
)
@click.argument("model", type=click.Path())
@click.argument("n_vocab", type=click.IntRange(min=1), metavar="SIZE")
@click.option("-o", "--output", required=True, type=click.Path(), help="The file to write.")
@force_option
def truncate(model: str, n_vocab: int, output: str, overwrite: bool) -> None:
    """Reduce a model to SIZE tokens, including special tokens."""
    check_not_read([output], lambda: [model])
    check_output(output, "model", overwrite)
    smaller = Tokenizer.load(model).truncate(n_vocab)
    smaller.save(output, overwrite=overwrite)
    tell(f"saved {smaller.n_vocab:,} tokens as {output}")
