"""Which files of the repository are in the site, and copying them to where the site is built."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from rewriting import SiteError, prepare

__all__ = ["MOVED", "check_navigation", "copy", "pages_of"]

# Pages with another place in the site than in docs/.
MOVED = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benches/LOG.md": "benchmarks/log.md",
    "benches/README.md": "benchmarks/method.md",
    # Not the index of a section, which the navigation of the site would not list.
    "docs/decisions/README.md": "decisions.md",
    "tests/README.md": "tests.md",
}
RESULTS = "benches/results"
# Made by `make playground`; the build writes its own.
LEFT_OUT = {"docs/playground.html"}
# Other pages list these.
LISTED = re.compile(r"decisions/\d|benchmarks/results/")


def pages_of(root: Path) -> dict[str, str]:
    """Every file that is copied: its path in the repository, and its path in the site."""
    pages = {}
    for path in sorted((root / "docs").rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and name not in LEFT_OUT:
            pages[name] = name.removeprefix("docs/")
    pages |= {source: page for source, page in MOVED.items() if (root / source).exists()}
    for path in sorted((root / RESULTS).rglob("*")):
        if path.suffix in (".md", ".svg"):
            name = path.relative_to(root).as_posix()
            pages[name] = "benchmarks/results/" + name.removeprefix(f"{RESULTS}/")
    return pages


def copy(
    root: Path,
    stage: Path,
    generated: Mapping[str, str],
    parts: Mapping[str, str],
    later: Sequence[str] = (),
) -> None:
    """Copy all pages and write the generated ones.

    Generated pages may link to each other and to files of the repository, as if they were in docs/.
    All pages may link to the files named in `later`, which the caller writes.
    """
    pages = pages_of(root)
    taken = {f"docs/{name}" for name in generated} & pages.keys()
    if taken:
        raise SiteError(f"{sorted(taken)[0]}: a generated page has the same name")
    copied = list(pages)
    pages |= {f"docs/{name}": name for name in [*generated, *later]}
    for source in [*copied, *(f"docs/{name}" for name in generated)]:
        page = pages[source]
        target = stage / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if page in generated:
            text = generated[page]
        elif target.suffix == ".md":
            text = (root / source).read_text(encoding="utf-8")
        else:
            shutil.copyfile(root / source, target)
            continue
        if target.suffix == ".md":
            text = prepare(text, source, pages, root, parts)
        target.write_text(text, encoding="utf-8")


def check_navigation(configuration: str, pages: set[str]) -> None:
    """Raise an error unless the navigation has every page, and only pages that exist."""
    _, _, navigation = configuration.partition("\nnav:\n")
    named = re.findall(r"(?<=[ :])([\w./-]+\.md)$", navigation, re.MULTILINE)
    expected = {page for page in pages if page.endswith(".md") and not LISTED.match(page)}
    problems = [f"{page} does not exist" for page in named if page not in expected]
    problems += [f"{page} is missing there" for page in sorted(expected - {*named})]
    problems += [f"{page} is there twice" for page in sorted({*named}) if named.count(page) > 1]
    if problems:
        raise SiteError("the navigation in mkdocs.yml is wrong: " + "; ".join(problems))
