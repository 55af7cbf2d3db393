"""Renders tables, plots and the marked sections of README.md from a recorded JSON file.

`python -m benches.render [results/<date>.json]` renders that file (the newest by default) to
`results/<date>.md` and plots, and updates README.md from the newest one. This is the only way
numbers get into README.md; a test checks that they match.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from benches import RECORDED, ROOT
from benches.output.chart import Row, chart
from benches.output.tables import (
    PATTERN_REMARK,
    at,
    bar_table,
    encoding_table,
    figures_table,
    language_table,
    machine,
    measured,
    trainer_name,
    training_table,
    version,
)
from benches.peers import SAME_BUT_TIES

Record = dict[str, Any]
README = ROOT / "README.md"
NONE_YET = "*No results are recorded yet: `make bench` measures them on your machine.*"
MARK = "<!-- bench:{0} -->\n{1}\n<!-- /bench:{0} -->"
HOW_TRAINING = (
    "From raw files to saved model, all cores, GPT-4o pattern. superword and gigatoken read JSONL. "
    "The others get the text in the cheapest form they accept; *without reading* subtracts the "
    "time Python takes to read it. *Shared tokens* is the share of tokens that superword learns "
    "too. No other library breaks ties as superword does."
)
HOW_OTHER_PATTERN = (
    " gigatoken and gigabpe train with GPT-2's pattern only, so superword is shown with it too."
)
HOW_ENCODING = (
    "Every library runs the same word model, and its ids were checked to equal ours before its "
    "time counted. The superword models were checked to decode to the text. Slow libraries get "
    "only the first part of the text. *First pass*: a fresh process with empty caches."
)


def newest(folder: Path = RECORDED) -> Path | None:
    """The newest recorded run. Quick runs count only if there is no other."""
    found = sorted(folder.glob("*.json"))
    full = [path for path in found if not path.stem.endswith("-quick")]
    return full[-1] if full else found[-1] if found else None


def load(path: Path) -> Record:
    """A recorded run."""
    result: Record = json.loads(path.read_text())
    return result


def plots_of(path: Path) -> list[str]:
    """The plots beside a recorded run."""
    kinds = f"{path.stem}-[!q]*.svg" if not path.stem.endswith("-quick") else f"{path.stem}-*.svg"
    return sorted(plot.name for plot in path.parent.glob(kinds))


def largest(result: Record) -> tuple[int, int]:
    """Text and vocabulary of the headline."""
    size, vocab = result["training"]["headline"]
    return size, vocab


def headline_chart(path: Path) -> Path:
    """The file of the bar chart of a run."""
    return path.with_name(f"{path.stem}-training.svg")


def draw_headline(result: Record) -> str | None:
    """The bar chart of all trainers on the text of the headline, or None if there is none."""
    if not result.get("training"):
        return None
    size, vocab = largest(result)
    rows = []
    for record in at(result["training"], size, vocab):
        if record["failed"]:
            continue
        ours = record["trainer"] == "superword"
        name = trainer_name(record).replace("**", "").removesuffix(PATTERN_REMARK)
        if ours:
            remark = PATTERN_REMARK.removeprefix(", ") if record.get("pattern") == "gpt2" else ""
        else:
            name += version(result, record["trainer"])
            remark = "" if record["rules"] == SAME_BUT_TIES else record["rules"]
        rows.append(Row(name, record["seconds"], ours, remark))
    if not rows:
        return None
    facts = result["machine"]
    title = f"Seconds to train on {size / 1e6:.0f} MB of text, {vocab:,} tokens"
    on = f"{facts['processor']}, {facts['cores']} cores"
    note = f"From raw files to saved model. The other libraries train plain BPE. {on}."
    return chart(title, note, rows)


def how_training(result: Record) -> str:
    """How training was measured in a run."""
    patterns = {r.get("pattern") for r in result["training"]["results"]}
    return HOW_TRAINING + (HOW_OTHER_PATTERN if "gpt2" in patterns else "")


def section(name: str, path: Path | None) -> str:
    """What README.md shows between the marks of `name`: `training` or `encoding`."""
    result = load(path) if path else {}
    done = [r for r in result.get(name, {}).get("results", []) if not r["failed"]]
    if path is None or not done:
        return NONE_YET
    link = f"[All results]({RECORDED.relative_to(ROOT)}/{path.stem}.md)"
    if name == "training":
        size, vocab = largest(result)
        head = f"{size / 1e6:.0f} MB of text, {vocab:,} tokens. {how_training(result)}"
        body = training_table(result, size, vocab)
        plot = headline_chart(path)
    else:
        head = f"{done[0]['bytes'] / 1e6:.0f} MB of English text. {HOW_ENCODING}"
        body = encoding_table(result)
        plot = path.with_name(f"{path.stem}-encoding-by-language.svg")
    image = ""
    if plot.is_file():
        image = f"\n\n![{name}]({RECORDED.relative_to(ROOT)}/{plot.name})"
    return f"{head}\n\n{body}\n\n{machine(result)}. {link}.{image}"


def update_readme(text: str, path: Path | None) -> str:
    """README.md with its marked sections regenerated."""
    for name in ("training", "encoding"):
        pattern = re.compile(MARK.format(name, ".*?"), re.DOTALL)
        made = MARK.format(name, section(name, path))
        text = pattern.sub(made.replace("\\", r"\\"), text)
    return text


def loading(load: Record) -> str:
    """The times of a loaded tokenizer."""
    text = f"{load['seconds'] * 1000:.1f} ms"
    ready = load.get("ready")
    return (
        text
        if ready is None
        else f"{text}, {ready * 1000:.1f} ms until the first words are encoded"
    )


def page(result: Record, plots: list[str]) -> str:
    """The whole Markdown page of a run."""
    parts = [f"# Results of {result['date']} ({result['mode']})", machine(result) + "."]
    busy = result["machine"].get("load_before")
    parts.append(f"Text: {result['source']}. Load before the run: {busy}.")
    parts += ["## Targets", bar_table(result)]
    if result.get("training"):
        training = result["training"]
        parts += ["## Training", how_training(result)]
        pairs = sorted({(r["bytes"], r["vocab_size"]) for r in training["results"]})
        for size, vocab in reversed(pairs):
            if at(training, size, vocab):
                parts += [f"### {size / 1e6:.0f} MB, {vocab:,} tokens"]
                parts.append(training_table(result, size, vocab))
        if training.get("figures"):
            parts += ["### superword by number of documents", figures_table(training)]
    if result.get("encoding", {}).get("models"):
        encoding = result["encoding"]
        parts += ["## Encoding", HOW_ENCODING, encoding_table(result)]
        if encoding.get("languages"):
            named = encoding["languages"]
            parts += ["### Languages and code", language_table(result, named)]
            for key, threads in (("warm", 1), ("first", 2), ("warm", 2)):
                if measured(encoding, named, key, threads):
                    parts.append(language_table(result, named, key, threads))
        if encoding.get("worst"):
            parts += ["### Worst cases, one line of 16 MB"]
            parts.append(language_table(result, encoding["worst"]))
        loads = encoding.get("startup", {}).get("load", {}).items()
        lines = [f"- {name}: {load['failed'] or loading(load)}" for name, load in loads]
        parts += ["### Loading", "\n".join(lines)]
    out = [f"- {n}: could not be installed" for n, p in result["peers"].items() if not p["version"]]
    missing = [*out, *(f"- {line}" for line in result["log"])]
    parts += ["## Skipped", "\n".join(missing) or "Nothing."]
    if plots:
        parts += ["## Plots", "\n\n".join(f"![{name}]({name})" for name in plots)]
    return "\n\n".join(parts) + "\n"


def render(path: Path) -> str:
    """Write the page and the plots beside the JSON, and README.md. Return the table of bars."""
    result = load(path)
    picture = draw_headline(result)
    if picture is not None:
        headline_chart(path).write_text(picture)
    try:
        from benches.output.plots import draw
    except ImportError:
        print("matplotlib is not installed: no new plots", file=sys.stderr)
    else:
        draw(result, path)
    path.with_suffix(".md").write_text(page(result, plots_of(path)))
    if path.parent == RECORDED:
        README.write_text(update_readme(README.read_text(), newest()))
    return bar_table(result)


def main() -> None:
    """Render the file that is given, or the newest."""
    path = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else newest()
    if path is None:
        raise SystemExit("error: no results are recorded\nhint: run make bench")
    print(render(path))


if __name__ == "__main__":
    main()
