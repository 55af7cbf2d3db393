"""Lists the public API of the crate, from the JSON that rustdoc writes.

`public_api.py INPUT OUTPUT` writes one line for each item, such as
`function superword::encode::Encoder::encode`.
Hidden items are not part of the API, and rustdoc leaves them out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Item = dict[str, Any]


class Api:
    """The items of a crate by number, as rustdoc writes them."""

    def __init__(self, document: Item) -> None:
        self.items: dict[str, Item] = document["index"]
        self.root: int = document["root"]

    def lines(self) -> list[str]:
        """Return one line for each item, sorted by path."""
        found = {(path, kind) for kind, path in self._module(self.root, "superword")}
        return [f"{kind} {path}" for path, kind in sorted(found)]

    def _module(self, number: int, path: str) -> Iterator[tuple[str, str]]:
        for child in self._inner(number)[1]["items"]:
            kind, inner = self._inner(child)
            name = self.items[str(child)]["name"]
            target = child
            if kind == "use":
                target, name = inner["id"], inner["name"]
                if str(target) not in self.items:
                    yield "use", f"{path}::{name}"
                    continue
                kind = self._inner(target)[0]
            if kind == "module":
                yield from self._module(target, f"{path}::{name}")
            else:
                yield from self._item(target, f"{path}::{name}")

    def _item(self, number: int, path: str) -> Iterator[tuple[str, str]]:
        kind, inner = self._inner(number)
        yield kind, path
        members = list(inner.get("variants", [])) if kind == "enum" else []
        if kind == "struct" and isinstance(inner["kind"], dict):
            members += inner["kind"].get("plain", {}).get("fields", [])
        if kind == "trait":
            members += inner["items"]
        for block in inner.get("impls", []) if kind in ("struct", "enum", "union") else []:
            implementation = self._inner(block)[1]
            if implementation["trait"] is None:
                members += implementation["items"]
        for member in members:
            member_kind = self._inner(member)[0].replace("struct_field", "field")
            yield member_kind, f"{path}::{self.items[str(member)]['name']}"

    def _inner(self, number: int) -> tuple[str, Item]:
        ((kind, inner),) = self.items[str(number)]["inner"].items()
        return kind, inner


def main() -> None:
    """Write the list."""
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    lines = Api(document).lines()
    Path(sys.argv[2]).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
