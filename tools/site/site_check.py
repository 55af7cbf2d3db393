"""Checks a built site: every link leads somewhere, and no page loads anything from elsewhere.

python tools/site/site_check.py site             # links inside the site; no network
python tools/site/site_check.py site --online    # also asks for every outside address
"""

from __future__ import annotations

import argparse
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["Page", "check", "outside_links", "read"]

SITE = "https://superword.github.io/superword/"
# What a browser fetches without being asked.
FETCHED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("link", "href")}
# `<link>` elements that only name an address.
NAMING = {"canonical", "next", "prev", "alternate"}
# Signs that a piece of Markdown was not understood.
UNREAD = re.compile(r"```|\]\([^)\s]+\)|^ *\|? *:?-{3,}:? *\||<!--", re.MULTILINE)


@dataclass
class Page(HTMLParser):
    """One HTML file: its anchors, its links, what it fetches, and its text outside code."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    headings: int = 0
    text: list[str] = field(default_factory=list)
    _inside: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect anchors and addresses."""
        given = {name: value or "" for name, value in attrs}
        if tag in ("code", "pre", "script", "style", "svg", "textarea"):
            self._inside.append(tag)
        self.headings += tag == "h1"
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        for name, value in given.items():
            if (tag, name) in FETCHED and given.get("rel") not in NAMING:
                self.fetched.append(value)
        if tag in ("a", "area") and "href" in given:
            self.links.append(given["href"])

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """Collect the text that a person reads."""
        if not self._inside:
            self.text.append(data)


def read(folder: Path) -> dict[Path, Page]:
    """All pages of a site."""
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        page = pages[path] = Page(path)
        page.feed(path.read_text(encoding="utf-8"))
    return pages


def check(folder: Path, pages: dict[Path, Page]) -> list[str]:
    """Everything that is wrong, one line each."""
    folder = folder.resolve()
    if not pages:
        return [f"{folder}: there are no pages"]
    return [
        f"{path.relative_to(folder)}: {problem}"
        for path, page in pages.items()
        for problem in _problems(folder, pages, page)
    ]


def _problems(folder: Path, pages: dict[Path, Page], page: Page) -> Iterator[str]:
    for address in page.fetched:
        if re.match(r"https?:|//", address):
            yield f"loads {address} from elsewhere"
        else:
            yield from _leads(folder, pages, page, address)
    for address in page.links:
        yield from _leads(folder, pages, page, address)
    if "standalone" in page.path.relative_to(folder).parts:
        return  # Made by `superword playground` and `superword report`, not from Markdown.
    if page.headings != 1:
        yield f"has {page.headings} headings of the first level"
    for text in page.text:
        found = UNREAD.search(text)
        if found:
            yield f"shows Markdown that was not understood: {text.strip()[:80]!r}"


def _leads(folder: Path, pages: dict[Path, Page], page: Page, address: str) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.scheme in ("mailto", "data", "javascript"):
        return
    if address.startswith(SITE):
        parts = urlsplit(address.removeprefix(SITE) or "index.html")
        target = folder / unquote(parts.path)
    elif parts.scheme or parts.netloc:
        if parts.scheme != "https" or not parts.netloc or re.search(r"\s", address):
            yield f"the address {address} is not a valid https address"
        return
    elif parts.path.startswith("/"):
        # The page for missing pages has addresses from the root of the server.
        target = folder / unquote(parts.path.removeprefix(urlsplit(SITE).path))
    else:
        target = page.path.parent / unquote(parts.path) if parts.path else page.path
    target = target.resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(folder) or not target.is_file():
        yield f"the link {address} leads to no file of the site"
    elif parts.fragment and target in pages:
        known = pages[target].anchors
        if unquote(parts.fragment) not in known and not parts.fragment.startswith("__"):
            yield f"the link {address} leads to no anchor"


def outside_links(pages: dict[Path, Page]) -> list[str]:
    """Every address outside the site that a page links to."""
    found = {address.partition("#")[0] for page in pages.values() for address in page.links}
    return sorted(a for a in found if a.startswith("https://") and not a.startswith(SITE))


def ask(address: str) -> str | None:
    """Ask for an address. Returns what is wrong, or None."""
    request = urllib.request.Request(address, method="HEAD", headers={"User-Agent": "superword"})
    try:
        with urllib.request.urlopen(request, timeout=20):
            return None
    except urllib.error.HTTPError as error:
        # Some servers refuse HEAD or programs, which says nothing about the page.
        return None if error.code in (403, 405, 429) else f"{address}: HTTP {error.code}"
    except (OSError, ValueError) as error:
        return f"{address}: {error}"


def main() -> None:
    """Check a site, and exit with 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--online", action="store_true", help="also ask for outside addresses")
    given = parser.parse_args()
    folder = given.folder.resolve()
    pages = read(folder)
    problems = check(folder, pages)
    outside = outside_links(pages)
    if given.online:
        problems += [problem for problem in map(ask, outside) if problem]
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {links:,} links, {len(outside)} addresses outside the site")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
