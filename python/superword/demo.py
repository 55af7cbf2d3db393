"""`python -m superword.demo`: compare the three methods on text that comes with Python.

Trains BPE, BoundlessBPE and SuperBPE on the source code of Python's standard library, measures them
on held-out files, shows how each method splits a sentence, and writes a report.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from superword import inputs, progress, reports
from superword._reading.sources import gather
from superword._support.systems import prepare_stream
from superword._support.text import format_bytes, format_seconds, plural
from superword.evaluation import evaluate
from superword.options import TrainOptions
from superword.tokenizer import Tokenizer
from superword.training import Report, run
from superword.views import Encoded, terminal

__all__ = ["main"]

SENTENCE = (
    "Return the number of items in the list, as well as the name of the file if there is one."
)
HOLD_OUT_EVERY = 10
# SuperBPE needs the number of supermerges: the vocabulary divided by this.
SUPERBPE_SHARE = 4
# Installed packages differ between machines and are not part of the standard library.
LEFT_OUT = {"site-packages", "dist-packages", "__pycache__"}
# The directories of tests in the standard library.
TESTS = {"test", "tests", "idle_test"}


@dataclass(frozen=True)
class Texts:
    """The files of the standard library: for training, for measuring, and how many were skipped.

    The held-out files are in groups: the library itself, and its tests.
    """

    training: list[str]
    held_out: dict[str, list[str]]
    skipped: int

    def measured(self) -> list[str]:
        """All held-out files."""
        return [text for texts in self.held_out.values() for text in texts]


@dataclass(frozen=True)
class Trained:
    """A trained tokenizer, its report and where it was saved."""

    tokenizer: Tokenizer
    report: Report
    path: Path
    seconds: float


def read_standard_library() -> Texts:
    """Read the source code of the standard library. Every tenth file is held out."""
    root = Path(sysconfig.get_path("stdlib"))
    training: list[str] = []
    held_out: dict[str, list[str]] = {}
    kept = skipped = 0
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if LEFT_OUT.intersection(parts):
            continue
        try:
            text = path.read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            skipped += 1  # Some test files of Python are invalid on purpose.
            continue
        kept += 1
        if kept % HOLD_OUT_EVERY:
            training.append(text)
        else:
            group = "tests" if TESTS.intersection(parts) else "library"
            held_out.setdefault(group, []).append(text)
    return Texts(training, held_out, skipped)


def train_all(
    texts: Sequence[str], vocab_size: int, folder: Path, console: Console
) -> list[Trained]:
    """Train and save one model with each method."""
    models = []
    ways: tuple[dict[str, Any], ...] = (
        {"method": "bpe"},
        {"method": "boundless"},
        {"method": "superbpe", "supermerges": vocab_size // SUPERBPE_SHARE},
    )
    for way in ways:
        console.print(f"[bold]{way['method']}[/bold]")
        started = time.monotonic()
        options = TrainOptions(vocab_size=vocab_size, special_tokens=["<|endoftext|>"], **way)
        with progress.show(console) as callback:
            tokenizer, report = run(
                gather(inputs.expand(inputs.Texts(texts)), options), options, callback
            )
        path = folder / f"{tokenizer.method}.superword"
        tokenizer.save(path)
        models.append(Trained(tokenizer, report, path, time.monotonic() - started))
    return models


def comparison(models: Sequence[Trained], held_out: Sequence[str]) -> Table:
    """A table of vocabulary, superwords, bytes per token on held-out files, and times."""
    # One column per method: three columns fit into every terminal.
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column()
    for model in models:
        table.add_column(model.tokenizer.method, justify="right")
    superwords, density = [], []
    size = sum(len(text.encode()) for text in held_out)
    for tokenizer in (model.tokenizer for model in models):
        superwords.append(sum(map(tokenizer.is_superword, range(tokenizer.n_vocab))))
        density.append(size / sum(map(len, tokenizer.encode_batch(list(held_out)))))
    table.add_row("vocabulary", *(f"{model.tokenizer.n_vocab:,}" for model in models))
    table.add_row("superwords learned", *(f"{count:,}" for count in superwords))
    table.add_row("bytes per token, held out", *(f"{value:.3f}" for value in density))
    for phase in dict.fromkeys(phase for model in models for phase in model.report.seconds):
        times = (model.report.seconds.get(phase) for model in models)
        name = progress.PHASES.get(phase, phase)
        table.add_row(name, *("–" if t is None else format_seconds(t) for t in times))
    table.add_row("total", *(format_seconds(model.seconds) for model in models))
    return table


def write_report(models: Sequence[Trained], texts: Texts, folder: Path) -> Path:
    """Evaluate the models on the held-out files, and write the result and a report."""
    result = evaluate(
        {model.tokenizer.method: model.path for model in models},
        {group: inputs.Texts(held_out) for group, held_out in texts.held_out.items()},
        reference=models[0].tokenizer.method,
    )
    result.save(folder / "result.json")
    reports.write(result, folder / "report.html")
    return folder / "report.html"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the demo. Results go to stdout, progress to stderr."""
    parser = argparse.ArgumentParser(prog="superword.demo", description=__doc__)
    parser.add_argument("--vocab-size", type=int, default=16_384, metavar="N")
    parser.add_argument("--output", type=Path, default=Path("demo-models"), metavar="FOLDER")
    given = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        prepare_stream(stream)
    out, err = Console(), Console(stderr=True)
    folder: Path = given.output
    folder.mkdir(parents=True, exist_ok=True)

    texts = read_standard_library()
    size = format_bytes(sum(len(text.encode()) for text in texts.training))
    err.print(
        f"Python's standard library: training on {plural(len(texts.training), 'file')} ({size}), "
        f"{len(texts.measured()):,} held out, {texts.skipped} skipped because they are not UTF-8",
        soft_wrap=True,
    )
    models = train_all(texts.training, given.vocab_size, folder, err)

    out.print(comparison(models, texts.measured()))
    out.print(
        "More bytes per token is better. BoundlessBPE finds the number of superwords itself.\n"
        f"SuperBPE is given the number: here 1/{SUPERBPE_SHARE} of the vocabulary.\n",
        highlight=False,
        soft_wrap=True,
    )
    style = terminal.style_for(out.file)
    for model in models:
        tokens = len(model.tokenizer.encode_ordinary(SENTENCE))
        out.print(f"[bold]{model.tokenizer.method}[/bold], {tokens} tokens", highlight=False)
        pieces = Encoded(model.tokenizer, SENTENCE, model.tokenizer.method)
        out.file.write("".join(terminal.tokens(pieces, style, width=out.width)) + "\n\n")
    saved = ", ".join(str(model.path) for model in models)
    out.print(f"saved: {saved}", highlight=False, markup=False, soft_wrap=True)
    report = write_report(models, texts, folder)
    out.print(
        f"report: {report} compares them on the held-out files; open it in a browser",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


if __name__ == "__main__":
    main()
