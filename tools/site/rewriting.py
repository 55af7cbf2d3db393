"""Turns a Markdown page of the repository into a page of the site.

The pages are written for GitHub. The site needs other links, other indentation and no comments:

- Links to files outside the site lead to the public repository.
- Links to the public site, which pages use for generated pages, lead to the page itself, so that a
  copy of the site works without a network.
- Python-Markdown wants four spaces for everything inside a list item.
- A part between `<!-- site: NAME -->` and `<!-- /site: NAME -->` is replaced by a generated part.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

__all__ = ["REPOSITORY", "SITE", "SiteError", "prepare", "relative"]

REPOSITORY = "https://github.com/superword/superword"
SITE = "https://superword.github.io/superword/"

_FENCE = re.compile(r"^ *(```+|~~~+)")
_LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)(.*)$")


class SiteError(Exception):
    """A page cannot be made. The message says which, and what to do."""


def prepare(
    text: str,
    source: str,
    pages: Mapping[str, str],
    root: Path,
    parts: Mapping[str, str] | None = None,
) -> str:
    """The page at `source`, a path in the repository, as the generator wants it.

    `pages` maps paths in the repository to paths in the site. It must contain `source`.
    """
    text = _replace_parts(text, source, parts or {})
    kept = []
    for is_code, piece in _pieces(text):
        if not is_code:
            piece = _COMMENT.sub("", piece)
            piece = _LINK.sub(_rewriter(source, pages, root), piece)
        kept.append(piece)
    return _indent_lists("".join(kept))


def relative(target: str, page: str) -> str:
    """The link from one page of the site to another."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def _replace_parts(text: str, source: str, parts: Mapping[str, str]) -> str:
    def generated(match: re.Match[str]) -> str:
        if match[1] not in parts:
            raise SiteError(f"{source}: nothing generates the part {match[1]!r}")
        return parts[match[1]]

    return re.sub(
        r"^<!-- site: (\w+) -->\n.*?^<!-- /site: \1 -->\n", generated, text, flags=re.M | re.S
    )


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Runs of lines, each with whether it is a fenced block."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if found and not fence:
            yield False, "".join(lines)
            lines, fence = [line], found[1]
        elif found and line.strip() == fence:
            yield True, "".join([*lines, line])
            lines, fence = [], ""
        else:
            lines.append(line)
    yield bool(fence), "".join(lines)


def _rewriter(source: str, pages: Mapping[str, str], root: Path) -> Callable[[re.Match[str]], str]:
    here = pages[source]
    in_site = set(pages.values())

    def rewrite(match: re.Match[str]) -> str:
        link = match[1]
        path, hash_, anchor = link.partition("#")
        if link.startswith(SITE):
            page = path.removeprefix(SITE).removesuffix(".html")
            found = next((p for p in (f"{page}.md", f"{page}.html") if p in in_site), None)
            if found is None:
                raise SiteError(f"{source}: the site has no page {link}")
            return relative(found, here) + hash_ + anchor
        if not path or re.match(r"[a-z]+:", link):
            return link
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        readme = f"{target}/README.md"
        for known in (target, readme):
            if known in pages:
                return relative(pages[known], here) + hash_ + anchor
        if target.startswith("..") or not (root / target).exists():
            raise SiteError(f"{source}: the link {link} leads to no file of the repository")
        kind = "tree" if (root / target).is_dir() else "blob"
        return f"{REPOSITORY}/{kind}/main/{target}{hash_}{anchor}"

    return rewrite


def _indent_lists(text: str) -> str:
    """Indent everything inside list items by four spaces for each level.

    An item that follows a second paragraph also gets an empty line before it.
    """
    lines: list[str] = []
    offsets: list[int] = []  # Where the content of each open item starts.
    fence, shift, after_blank, second = "", 0, True, False
    for line in text.splitlines():
        content = line.lstrip(" ")
        indent = len(line) - len(content)
        if fence:
            lines.append(_shifted(line, shift))
            fence = "" if content.rstrip() == fence else fence
            continue
        item = _ITEM.match(line)
        if content and (item or after_blank):
            while offsets and indent < offsets[-1]:
                offsets.pop()
        if content:
            shift = 4 * len(offsets) - (offsets[-1] if offsets else 0)
            if indent < (offsets[-1] if offsets else 0):
                shift = 0  # The lazy continuation of a paragraph.
        opened = _FENCE.match(line)
        if item:
            if second and not after_blank:
                lines.append("")
            second = False
            lines.append(" " * (indent + shift) + f"{item[2]} {item[4]}")
            offsets.append(indent + len(item[2]) + len(item[3]))
        else:
            second = bool(offsets) and (second or (after_blank and bool(content)))
            lines.append(_shifted(line, shift))
            fence = opened[1] if opened else ""
        after_blank = not content
    return "\n".join(lines) + "\n"


def _shifted(line: str, shift: int) -> str:
    return line if not line.strip() else " " * shift + line
