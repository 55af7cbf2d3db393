"""Commands about a model itself: what it is, and a smaller one made of it."""

from __future__ import annotations

import json
from typing import Any

import click

from superword.cli.group import examples, tell
from superword.cli.train import check_output
from superword.tokenizer import Tokenizer

__all__ = ["describe", "inspect", "truncate"]


def describe(tokenizer: Tokenizer, top: int = 10) -> dict[str, Any]:
    """What `superword inspect` says about a model, as plain data."""
    superwords: dict[bytes, int] = {}
    for id in range(tokenizer.n_vocab):
        if tokenizer.is_superword(id):
            superwords[tokenizer.token_bytes(id)] = id
    supermerges = tokenizer.supermerges
    counts: dict[bytes, int] = {}
    for left, right, count in supermerges:
        # A token that two supermerges make counts with the first, which made it.
        counts.setdefault(left + right, count)
    longest = sorted(superwords, key=lambda token: (-len(_text(token)), token))[:top]
    frequent = sorted(superwords, key=lambda token: (-counts.get(token, 0), token))[:top]
    pretokenizer = tokenizer.pretokenizer

    def shown(token: bytes) -> dict[str, Any]:
        return {"token": _text(token), "id": superwords[token], "count": counts.get(token, 0)}

    return {
        "method": tokenizer.method,
        "n_vocab": tokenizer.n_vocab,
        "alphabet": tokenizer.alphabet,
        "merges": len(tokenizer.merges),
        "supermerges": len(supermerges),
        "superwords": len(superwords),
        "superword_share": len(superwords) / tokenizer.n_vocab,
        "special_tokens": tokenizer.special_tokens,
        "pretokenizer": {
            "name": pretokenizer.name,
            "pattern": pretokenizer.pattern,
            "script_pattern": pretokenizer.script_pattern,
            "scripts": pretokenizer.scripts,
            "eligible": pretokenizer.eligible,
        },
        "longest_superwords": [shown(token) for token in longest],
        "most_frequent_superwords": [shown(token) for token in frequent],
        "facts": tokenizer.facts,
    }


@click.command(
    short_help="What a model is and holds.",
    epilog=examples(
        "superword inspect wiki.superword",
        "superword inspect wiki.superword --json | jq .superword_share",
    ),
)
@click.argument("model", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.option(
    "--top", type=click.IntRange(min=0), default=10, show_default=True, help="How many to list."
)
def inspect(model: str, as_json: bool, top: int) -> None:
    """Say what a model is: kind, sizes, share of superwords, the longest, the most frequent, facts.

    The count of a superword is how often its two parts stood together when it was made.
    """
    told = describe(Tokenizer.load(model), top)
    if as_json:
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    for name, value in _rows(told):
        click.echo(f"{name:<18} {value}")
    for title in ("most frequent superwords", "longest superwords"):
        listed = told[title.replace(" ", "_")]
        if listed:
            click.echo(f"\n{title}")
        for entry in listed:
            token = json.dumps(entry["token"], ensure_ascii=False)
            click.echo(f"  {entry['count']:>12,}  {token}")
    click.echo("\ntraining facts")
    for name, value in told["facts"].items():
        _fact(name, value, "  ")


def _rows(told: dict[str, Any]) -> list[tuple[str, str]]:
    special = ", ".join(f"{name} ({id})" for name, id in told["special_tokens"].items())
    pretokenizer = told["pretokenizer"]
    return [
        ("method", told["method"]),
        ("vocabulary", f"{told['n_vocab']:,} tokens"),
        ("alphabet", told["alphabet"]),
        ("merges", f"{told['merges']:,}"),
        ("supermerges", f"{told['supermerges']:,}"),
        ("superwords", f"{told['superwords']:,} ({told['superword_share']:.1%})"),
        ("special tokens", special or "none"),
        ("pretokenizer", pretokenizer["name"] or pretokenizer["pattern"]),
    ]


def _fact(name: str, value: Any, indent: str) -> None:
    if isinstance(value, dict):
        click.echo(f"{indent}{name}")
        for inner, inner_value in value.items():
            _fact(inner, inner_value, indent + "  ")
        return
    said = f"{value:,}" if type(value) is int else value
    if not isinstance(said, str):
        said = json.dumps(said, ensure_ascii=False)
    click.echo(f"{indent}{name:<{18 - len(indent)}} {said}")


@click.command(
    short_help="A smaller model out of a model.",
    epilog=examples("superword truncate m.superword 16384 -o small.superword"),
)
@click.argument("model", type=click.Path())
@click.argument("size", type=click.IntRange(min=1))
@click.option("-o", "--output", required=True, type=click.Path(), help="Where to save it.")
def truncate(model: str, size: int, output: str) -> None:
    """Cut a model to a smaller vocabulary of SIZE tokens, special tokens included."""
    check_output(output)
    smaller = Tokenizer.load(model).truncate(size)
    smaller.save(output)
    tell(f"saved {smaller.n_vocab:,} tokens as {output}")


def _text(token: bytes) -> str:
    return token.decode(errors="backslashreplace")
