"""Prove that published tokenizers are imported exactly, and write the table in docs/families.md.

    python tools/families.py fetch                     # about 400 MB, into a cache directory
    python tools/families.py check CORPUS              # compare, and record the results
    python tools/families.py table                     # write docs/families.md from the results

CORPUS is a folder with en-*.jsonl.zst, code.jsonl.zst and multi/*.jsonl.zst. Each family is
imported and compared with its origin on the first 300 kB of each file and on nasty texts. Then
superwords are added, and the result is exported to Hugging Face and tiktoken and compared with the
exports. Nothing that is fetched is part of the repository.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import superword
from family_check import ROOT, check_nasty, compare, documents, open_origin
from family_fetch import DEFAULT, FAMILIES, Family, fetch
from superword import Tokenizer
from superword.errors import SuperwordError
from superword.export import open_export, verify
from superword.stages import extend

RESULTS = ROOT / "docs" / "data" / "families.json"
TABLE = ROOT / "docs" / "families.md"
SUPERMERGES = 2_000
HEAD = """\
# Published tokenizers

`superword import` and `Tokenizer.from_file` take over every published tokenizer that is byte-level
BPE, with the same ids on every text. `python tools/families.py` fetches these tokenizers from the
registries of npm, Python and Rust, compares each with the program it belongs to, and writes this
page. None of them is part of the repository.

Made on {date} with superword {superword}, tokenizers {tokenizers} and tiktoken {tiktoken}.

- **ids differ**: texts whose ids or decoded text differ from the origin. The texts are the
  documents in the first {size} kB of each of the 63 files of the corpus, and
  [nasty ones](../tests/support/nasty.py). Special tokens in the texts are compared both as tokens
  and as plain text.
- **added**: special tokens, and other added tokens, which are found in every text.
- **unmade**: tokens that no merge makes. A star means that some merges come before those of their
  parts.
- **superwords**: how many were added to the vocabulary, learned with `boundary="{boundary}"`. All
  ids of the family are kept.
- **Hugging Face**, **tiktoken**: documents of the corpus on which the exact export of the extended
  tokenizer gives other ids.
"""


def main() -> None:
    """Run one of the three steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=DEFAULT, help=f"default: {DEFAULT}")
    parser.add_argument("--results", type=Path, default=RESULTS)
    steps = parser.add_subparsers(dest="step", required=True)
    fetching = steps.add_parser("fetch")
    fetching.add_argument("names", nargs="*", help="default: all families")
    checking = steps.add_parser("check")
    checking.add_argument("corpus", type=Path)
    checking.add_argument("names", nargs="*", help="default: all families that were fetched")
    checking.add_argument("--bytes", type=int, default=300_000, help="text of each file")
    checking.add_argument("--boundary", default="exportable", help="of superwords")
    checking.add_argument("--learn-from", default="20MB", help="text to learn superwords from")
    checking.add_argument("--only-import", action="store_true", help="no superwords, no exports")
    table = steps.add_parser("table")
    table.add_argument("-o", "--output", type=Path, default=TABLE)
    options = parser.parse_args()
    if options.step == "table":
        options.output.write_text(as_page(json.loads(options.results.read_text())))
        return
    families = [f for f in FAMILIES if not options.names or f.name in options.names]
    if options.step == "fetch":
        failed = fetch(families, options.folder)
        for name, reason in failed.items():
            print(f"{name}: {reason}", file=sys.stderr)
        sys.exit(bool(failed))
    sys.exit(not check_all(families, options))


def check_all(families: list[Family], options: argparse.Namespace) -> bool:
    """Check the families one by one, and write the results after each."""
    texts = [text for _, found in documents(options.corpus, options.bytes) for text in found]
    passed = True
    for family in families:
        folder = options.folder / family.name
        if not (folder / "family.json").is_file():
            print(f"{family.name}: not fetched")
            continue
        started = time.monotonic()
        found = check(family, folder, texts, options)
        found["package"] = json.loads((folder / "family.json").read_text())
        passed &= found["passed"]
        results = json.loads(options.results.read_text()) if options.results.is_file() else {}
        results.setdefault("families", {})[family.name] = found
        results["made"] = about_this_run(options)
        options.results.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(results, indent=2, ensure_ascii=False, sort_keys=True)
        options.results.write_text(text + "\n")
        verdict = "passed" if found["passed"] else "FAILED"
        print(f"{family.name}: {verdict} in {time.monotonic() - started:.0f} s", flush=True)
        for line in found.get("differences", []):
            print(f"    {line}", flush=True)
    return passed


def about_this_run(options: argparse.Namespace) -> dict[str, Any]:
    """The versions and the date, for the page."""
    packages = ("tokenizers", "tiktoken")
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "superword": superword.__version__,
        **{package: importlib.metadata.version(package) for package in packages},
        "bytes": options.bytes,
        "boundary": options.boundary,
        "supermerges": SUPERMERGES,
    }


def check(
    family: Family, folder: Path, texts: list[str], options: argparse.Namespace
) -> dict[str, Any]:
    """Import a family, compare it with its origin, and take it through superwords and exports."""
    try:
        model = Tokenizer.from_file(folder)
    except SuperwordError as error:
        return {"refused": error.message, "passed": family.refused}
    if family.refused:
        return {"passed": False, "differences": ["it should have been refused"]}
    origin = open_origin(folder)
    tekken = (folder / "tekken.json").is_file()
    on_text = compare(origin, model, texts, tekken)
    on_nasty = check_nasty(origin, model, tekken)
    found: dict[str, Any] = {
        **about(model),
        "documents": on_text.texts,
        "documents_differ": on_text.ids + on_text.plain + on_text.decoded,
        "nasty": on_nasty.texts,
        "nasty_differ": on_nasty.ids + on_nasty.plain + on_nasty.decoded,
        "passed": on_text.same and on_nasty.same,
        "differences": [*on_text.first, *on_nasty.first],
    }
    if not options.only_import:
        found |= add_superwords(model, texts, options)
        found["passed"] &= found.get("ids_kept", False) and all(
            found[export] == 0 for export in ("huggingface_differ", "tiktoken_differ")
        )
    return found


def about(model: Tokenizer) -> dict[str, Any]:
    """What an imported model has."""
    added = model.added_tokens
    return {
        "n_vocab": model.n_vocab,
        "special": len(model.special_tokens),
        "not_special": len([token for token in added if not token.special]),
        "normalizer": model.normalizer,
        "pretokenizer": model.pretokenizer.meaning or model.pretokenizer.name or "custom",
        "unmade": len(model.unmade_tokens),
        "whole_pieces": model.whole_pieces,
        "unordered": model._model.order is not None,
    }


def add_superwords(
    base: Tokenizer, texts: list[str], options: argparse.Namespace
) -> dict[str, Any]:
    """Add superwords to a model, export the result, and count the documents that differ."""
    try:
        model = extend(
            base,
            options.corpus,
            supermerges=SUPERMERGES,
            boundary=options.boundary,
            sample=options.learn_from,
        )
    except SuperwordError as error:
        return {"superwords": f"refused: {error.message}"}
    kept = all(_bytes(model, id) == _bytes(base, id) for id in range(base.n_vocab))
    found: dict[str, Any] = {"superwords": model.n_vocab - base.n_vocab, "ids_kept": kept}
    with tempfile.TemporaryDirectory() as temporary:
        for name, place, export in (
            ("huggingface", Path(temporary, "hf"), model.export_huggingface),
            ("tiktoken", Path(temporary, "m.tiktoken"), model.export_tiktoken),
        ):
            try:
                export(place, "exact")
                compared = verify(model, open_export(place, model), texts)
                found[f"{name}_differ"] = compared.documents_differ
            except SuperwordError as error:
                found[f"{name}_differ"] = f"refused: {error.message}"
    return found


def _bytes(model: Tokenizer, id: int) -> bytes | None:
    try:
        return model.token_bytes(id)
    except SuperwordError:
        return None  # The ids have holes.


def as_page(results: dict[str, Any]) -> str:
    """The page with the table."""
    made = results["made"]
    head = HEAD.format(**made, size=made["bytes"] // 1000)
    lines = [
        "| family | package | tokens | added | normalizer | splits as | "
        "unmade | ids differ | superwords | Hugging Face | tiktoken |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    refused = ["| family | package | why |", "|---|---|---|"]
    for family in FAMILIES:
        found = results["families"].get(family.name)
        if found is None:
            continue
        package = "{registry} `{package}` {version}".format(**found["package"])
        if "refused" in found:
            why = found["refused"].partition(": ")[2] or found["refused"]
            refused.append(f"| {family.name} | {package} | {why} |")
            continue
        differ = found["documents_differ"] + found["nasty_differ"]
        of = found["documents"] + found["nasty"]
        unmade = f"{found['unmade']:,}" if found["unmade"] else "-"
        cells = [
            family.name,
            package,
            f"{found['n_vocab']:,}",
            f"{found['special']:,}, {found['not_special']:,}",
            found["normalizer"] or "-",
            f"`{found['pretokenizer']}`" if found["pretokenizer"] != "custom" else "its pattern",
            unmade + (" *" if found["unordered"] else ""),
            f"{differ:,} of {of:,}",
            _cell(found.get("superwords")),
            _cell(found.get("huggingface_differ")),
            _cell(found.get("tiktoken_differ")),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([head.rstrip(), "", *lines, "", "## Refused", "", *refused, ""])


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else "refused"


if __name__ == "__main__":
    main()
