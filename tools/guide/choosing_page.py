"""The tables and figures of docs/choosing.md and docs/faq.md, from docs/data/choosing.json."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from superword.reports.plots import (
    Axis,
    BarChart,
    Bars,
    LineChart,
    Panel,
    Series,
    standalone,
)

from guide.choosing_data import DATA, DOCS, SHAPES, SIXTEENTHS, SIZE, SIZES, TEXTS, Data

__all__ = ["DATA", "made", "render"]

PAGES = (DOCS / "choosing.md", DOCS / "faq.md")
MARKED = re.compile(
    r"(<!-- choosing:(?P<name>\w+) -->\n).*?(<!-- /choosing:(?P=name) -->)", re.DOTALL
)
MADE_OF = {"en": "articles, documentation, books", "code": "about 20 programming languages"}
SAME = {"gpt4": "`gpt4`, `llama3`"}
NAMES = {
    "ar": "Arabic",
    "code": "source code",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "ja": "Japanese",
    "km": "Khmer",
    "ko": "Korean",
    "ru": "Russian",
    "th": "Thai",
    "zh": "Chinese",
}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """A table. The first columns are words, the others numbers."""
    rule = f"|{'---|' * words}{'---:|' * (len(head) - words)}"
    first, *rest = (f"| {' | '.join(row)} |" for row in (head, *rows))
    return "\n".join((first, rule, *rest)) + "\n"


def setup(data: Data) -> str:
    """The texts."""
    rows = []
    for text, shown in TEXTS.items():
        learned = data.record["learned_from_bytes"][text]
        what = MADE_OF.get(text, f"{len(learned) - 2} languages, English, source code")
        documents = sum(count for count, _ in data.record["held_out"][text].values())
        rows.append(
            [
                shown,
                what,
                f"{sum(learned.values()) / 1e6:.1f} MB",
                f"{data.bytes[text]['all'] / 1e6:.1f} MB",
                f"{documents:,}",
            ]
        )
    head = ["text", "made of", "trained on", "held out", "documents held out"]
    return _table(head, rows, words=2)


def methods(data: Data) -> str:
    """BPE and BoundlessBPE at each vocabulary size."""
    rows = []
    for text, shown in TEXTS.items():
        for size in SIZES:
            words = data.method(text, "bpe", size)
            super_ = data.method(text, "boundless", size)
            rows.append(
                [
                    shown,
                    f"{size:,}",
                    f"{words.density:.2f}",
                    f"{super_.density:.2f}",
                    f"{1 - super_.tokens / words.tokens:.1%}",
                    f"{super_.superwords:,}",
                ]
            )
    head = ["text", "vocabulary", "`bpe`", "`boundless`", "fewer tokens", "superwords"]
    return _table(head, rows)


def sizes(data: Data) -> str:
    """What vocabularies cost in language models of some sizes."""
    rows = []
    for size in SIZES:
        row = [f"{size:,}"]
        for shape in SHAPES.values():
            relative = data.operations("en", size, shape) / data.operations("en", 32_768, shape)
            row += [f"{size * shape.hidden / 1e6:,.0f} M", f"{relative:.2f}"]
        rows.append(row)
    head = ["vocabulary"]
    for name in SHAPES:
        head += [f"{name}: one matrix", "operations"]
    return _table(head, rows)


def best(data: Data) -> str:
    """The sizes with the fewest operations."""
    rows = []
    for text, shown in TEXTS.items():
        found = [data.best_size(text, shape) for shape in SHAPES.values()]
        rows.append(
            [shown, *(f"{size:,}" if size < SIZES[-1] else f"{size:,} or more" for size in found)]
        )
    return _table(["text", *SHAPES], rows)


def supermerges(data: Data) -> str:
    """SuperBPE with more and more supermerges."""
    columns = [("en", 32_768), ("en", SIZE), ("en", 131_072), ("code", SIZE), ("mixed", SIZE)]
    found = {
        sixteenths: [data.supermerges(text, size, sixteenths).density for text, size in columns]
        for sixteenths in SIXTEENTHS
    }
    best = [max(column) for column in zip(*found.values(), strict=True)]
    rows = [
        [SIXTEENTHS[sixteenths]]
        + [
            f"**{value:.2f}**" if value == top else f"{value:.2f}"
            for value, top in zip(values, best, strict=True)
        ]
        for sixteenths, values in found.items()
    ]
    chosen = [data.method(text, "boundless", size) for text, size in columns]
    rows.append(["`boundless`", *(f"{row.density:.2f}" for row in chosen)])
    shares = zip(chosen, columns, strict=True)
    rows.append(["its share", *(f"{row.superwords / size:.0%}" for row, (_, size) in shares)])
    head = ["share of supermerges", *(f"{TEXTS[text]}, {size:,}" for text, size in columns)]
    return _table(head, rows)


def presets(data: Data) -> str:
    """Each preset, on all text and on some groups."""
    groups = ("en", "code", "ru", "hi", "zh", "ja", "th")
    rows = []
    for name in data.record["presets"]["bpe"]:
        if name == "llama3":
            continue
        words = data.row("presets", "bpe", name)
        super_ = data.row("presets", "boundless", name)
        each = [data.row("presets", "boundless", name, group).density for group in groups]
        rows.append(
            [
                SAME.get(name, f"`{name}`"),
                f"{words.density:.2f}",
                f"{super_.density:.2f}",
                *(f"{value:.2f}" for value in each),
                f"{super_.partial:,}",
            ]
        )
    names = [NAMES[group] for group in groups]
    return _table(["preset", "`bpe`, all", "`boundless`, all", *names, "partial"], rows)


def languages(data: Data) -> str:
    """What the default saves in each language."""
    rows = []
    for group in [*sorted(data.languages, key=data.fewer, reverse=True), "all"]:
        words = data.row("presets", "bpe", "gpt4o", group)
        default = data.row("presets", "boundless", "gpt4o-portable", group)
        rows.append(
            [
                NAMES.get(group, "all together"),
                f"{words.density:.2f}",
                f"{default.density:.2f}",
                f"{data.fewer(group):.1%}".replace("-", "−"),
                f"{words.edge('words'):.1%}",
                f"{default.edge('words'):.1%}",
            ]
        )
    return _table(
        [
            "text",
            "bytes per token: words",
            "default",
            "fewer tokens",
            "word ends inside a token: words",
            "default",
        ],
        rows,
    )


def zero_width(data: Data) -> str:
    """Khmer with zero-width spaces, and without."""
    rows = []
    for kind, shown in (("km", "as it is"), ("km-joined", "without them")):
        models = ("bpe gpt4o", "boundless gpt4o-portable", "boundless gpt4o")
        found = [data.row("zero_width", kind, model).tokens for model in models]
        rows.append([shown, *(f"{tokens:,}" for tokens in found)])
    head = ["zero-width spaces", "words, `gpt4o`", "default", "`boundless`, `gpt4o`"]
    return _table(head, rows)


def restrictions(data: Data) -> str:
    """Options that leave superwords out."""
    rows = []
    for name in data.record["restrictions"]["en"]:
        option, _, value = name.rpartition(" ")
        preset, _, option = option.rpartition(", ")
        shown = f"`{option}={value if value.isdigit() else repr(value)}`".replace("'", '"')
        row = [f"{shown}, preset `{preset}`" if preset else shown]
        for text in ("en", "mixed"):
            found = data.row("restrictions", text, name)
            row += [f"{found.superwords:,}", f"{found.density:.3f}", f"{found.edge('words'):.1%}"]
        rows.append(row)
    head = ["option"]
    for text in ("English", "mixed"):
        head += [f"{text}: superwords", "bytes per token", "word ends inside"]
    return _table(head, rows)


def amounts(data: Data) -> str:
    """What more text brings."""
    found = data.record["amounts"]["en"]
    rows = []
    for name in found:
        method, _, amount = name.partition(" ")
        if method == "bpe":
            words, super_ = (
                data.row("amounts", "en", f"{m} {amount}") for m in ("bpe", "boundless")
            )
            rows.append(
                [
                    amount.replace("MB", " MB"),
                    f"{words.density:.2f}",
                    f"{super_.density:.2f}",
                    f"{super_.superwords:,}",
                ]
            )
    return _table(["trained on", "`bpe`", "`boundless`", "superwords"], rows)


def edges(data: Data) -> str:
    """Where prompts may end."""
    rows = []
    for text, shown in TEXTS.items():
        for method in ("bpe", "boundless"):
            row = data.method(text, method, SIZE)
            shares = [f"{row.edge(place):.1%}" for place in ("words", "sentences", "lines")]
            rows.append([shown, f"`{method}`", *shares])
    return _table(["text", "method", "ends of words", "of sentences", "of lines"], rows, words=2)


TABLES: dict[str, Callable[[Data], str]] = {
    "setup": setup,
    "methods": methods,
    "sizes": sizes,
    "best": best,
    "supermerges": supermerges,
    "presets": presets,
    "languages": languages,
    "restrictions": restrictions,
    "amounts": amounts,
    "zero_width": zero_width,
    "edges": edges,
}


def curve_figure(data: Data) -> LineChart:
    """Bytes per token against the vocabulary size."""
    panels = []
    for text, shown in TEXTS.items():
        lines = []
        for index, method in enumerate(("bpe", "boundless")):
            size = data.bytes[text]["all"]
            points = tuple((v, size / n) for v, n in data.curve(text, method))
            lines.append(Series(method, index, points))
        panels.append(Panel(shown, tuple(lines)))
    return LineChart(
        "Bytes per token against the size of the vocabulary",
        "Three panels with a line for bpe and a line for boundless, which is higher.",
        Axis("size of the vocabulary (tokens, logarithmic)", log=True),
        Axis("bytes per token of held-out text"),
        tuple(panels),
    )


def supermerge_figure(data: Data) -> LineChart:
    """What supermerges save, by their share of the vocabulary."""
    lines = []
    columns = [("en", 32_768), ("en", SIZE), ("en", 131_072), ("code", SIZE), ("mixed", SIZE)]
    for index, (text, size) in enumerate(columns):
        without = data.supermerges(text, size, 0).tokens
        points = tuple(
            (some / 16, 1 - data.supermerges(text, size, some).tokens / without)
            for some in SIXTEENTHS
        )
        lines.append(Series(f"{TEXTS[text]}, {size:,}", index, points, marks=points))
    return LineChart(
        "SuperBPE: tokens saved against the share of supermerges in the vocabulary",
        "Lines that rise steeply, are flat from an eighth to a half, and fall after that.",
        Axis("share of the vocabulary that supermerges make", percents=True),
        Axis("fewer tokens than bpe with a vocabulary of the same size", percents=True),
        (Panel(None, tuple(lines)),),
    )


def language_figure(data: Data) -> BarChart:
    """What the default saves, by language."""
    order = sorted(data.languages, key=data.fewer, reverse=True)
    return BarChart(
        "Fewer tokens with superwords, by language",
        "Bars: the tokens that the default saves in each language.",
        Axis("fewer tokens than bpe with the preset gpt4o", percents=True, zero=True),
        tuple(NAMES[group] for group in order),
        (Bars("boundless, default preset, 65,536 tokens", 0, tuple(map(data.fewer, order))),),
        shown=lambda value: "" if value is None else f"{value:.1%}".replace("-", "−"),
    )


def made() -> dict[Path, str]:
    """The contents of the pages and figures."""
    data = Data.load()
    found = {
        DOCS / "images" / f"choosing-{name}.svg": standalone(chart, id=name)
        for name, chart in (
            ("sizes", curve_figure(data)),
            ("supermerges", supermerge_figure(data)),
            ("languages", language_figure(data)),
        )
    }
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found[page] = MARKED.sub(
            lambda match: match[1] + TABLES[match["name"]](data) + match[3], text
        )
    return found


def render() -> None:
    """Write the tables between their markers, and the figures."""
    for path, content in made().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
