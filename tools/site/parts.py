"""The generated parts of pages: picture and numbers of the home page, and the benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import superword
from rewriting import SiteError
from superword import views

from benches import render
from benches.output import bars, tables

__all__ = ["SENTENCE", "benchmarks", "numbers", "picture"]

SENTENCE = (
    "Return the number of items in the list, as well as the name of the file if there is one."
)
NAMES = {"bpe": "BPE", "boundless": "BoundlessBPE", "superbpe": "SuperBPE"}
PLOTS = {
    "training": "Seconds to train",
    "time-by-size": "Training time by size of the text",
    "time-by-vocabulary": "Training time by size of the vocabulary",
    "memory-by-size": "Peak memory of training by size of the text",
    "phases": "Where the time of training goes",
    "counts-by-documents": "Distinct pretokens and candidates by number of documents",
    "memory-by-documents": "Peak memory by number of documents",
    "encoding-english": "Speed of encoding English text",
    "encoding-by-language": "Speed of encoding by language",
    "encoding-worst-cases": "Speed of encoding on worst cases",
}


def picture(models: Mapping[str, superword.Tokenizer], text: str = SENTENCE) -> str:
    """A sentence with the tokens that each model makes of it, as HTML."""
    rows = []
    for method, model in models.items():
        pieces = list(views.Encoded(model, text, method))
        tokens = "".join(map(_token, pieces))
        rows.append(
            f'<div class="sw-row"><div class="sw-name"><b>{NAMES[method]}</b> '
            f'<span class="sw-count">{len(pieces)} tokens</span></div>'
            f'<div class="sw-tokens">{tokens}</div></div>'
        )
    return (
        '<figure class="sw-picture">\n' + "\n".join(rows) + "\n<figcaption>The same sentence, as "
        "real models of the same size split it. Superwords are colored. A dot is a space."
        "</figcaption>\n</figure>\n"
    )


def _token(piece: Any) -> str:
    text = piece.content.decode()
    shown = escape(text[1:]) if text.startswith(" ") else escape(text)
    # Inside a token, words stay visible as words; a line may break between tokens only.
    shown = shown.replace(" ", '<i class="sw-space">·</i>')
    if text.startswith(" "):
        shown = f'<i class="sw-space">·</i>{shown}'
    kind = " sw-super" if piece.kind == "superword" else ""
    return f'<span class="sw-token{kind}" title="id {piece.id}">{shown}</span>'


def numbers(folder: Path) -> str:
    """Three numbers of the newest recorded benchmark."""
    result = _newest(folder)[1]
    encoding, training = result["encoding"], result["training"]
    size, vocab = training["headline"]
    tokens = {
        record["encoder"]: record["tokens"]
        for record in encoding["results"]
        if record["text"] == "english" and record["threads"] == 1 and not record["failed"]
    }
    ours = bars.training_time(training, "superword")
    theirs = bars.training_time(training, "tokenizers")
    boundless = bars.training_time(training, "superword", "boundless")
    if ours is None or theirs is None or boundless is None:
        raise SiteError(f"{folder}: the newest recorded run lacks a number of the home page")
    fewer = 1 - tokens["boundless"] / tokens["words"]
    text = f"{size / 1e6:.0f} MB of English text"
    cards = [
        (
            f"{fewer:.0%}",
            f"fewer tokens than BPE with BoundlessBPE, on English text, at {vocab:,} tokens",
        ),
        (
            f"{theirs / ours:.0f} ×",
            f"the speed of Hugging Face tokenizers in training BPE on {text}",
        ),
        (
            f"{boundless:.1f} s",
            f"to train BoundlessBPE, words and superwords, on {text}",
        ),
    ]
    inner = "\n".join(
        f'<div class="sw-number"><b>{number}</b><span>{escape(what)}</span></div>'
        for number, what in cards
    )
    machine = result["machine"]
    return (
        f'<div class="sw-numbers">\n{inner}\n</div>\n\n'
        f"Measured on {machine['cores']} cores of {machine['processor']}, {result['date']}. "
        "[All benchmarks](benchmarks.md), also those where superword is not the fastest.\n"
    )


def benchmarks(folder: Path) -> str:
    """The tables and plots of the newest recorded run, and links to the other recorded pages.

    The links are those of a page in docs/.
    """
    path, result = _newest(folder)
    lines = []
    for name in ("training", "encoding"):
        text, _, _ = render.section(name, path).partition("\n\n![")
        lines += [f"## {name.capitalize()}\n", text.replace("](benches/", "](../benches/"), ""]
    lines += ["## Plots\n"]
    for plot in render.plots_of(path):
        kind = plot.removeprefix(f"{path.stem}-").removesuffix(".svg")
        title = PLOTS.get(kind, kind.replace("-", " ").capitalize())
        # A link to the plot itself, because it is small on a phone.
        where = f"../benches/results/{plot}"
        lines += [f"### {title}\n", f"[![{title}]({where})]({where})\n"]
    lines += [
        "## Targets\n",
        "Each run is compared with targets, and the missed ones are listed too.\n",
    ]
    lines += [tables.bar_table(result), "\n## All recorded runs\n"]
    for page in sorted(folder.rglob("*.md"), reverse=True):
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        where = page.relative_to(folder).as_posix()
        lines.append(f"- [{title}](../benches/results/{where})")
    return "\n".join(lines) + "\n"


def _newest(folder: Path) -> tuple[Path, dict[str, Any]]:
    path = render.newest(folder)
    if path is None:
        raise SiteError(f"{folder}: no benchmark is recorded; run `make bench`")
    return path, render.load(path)
