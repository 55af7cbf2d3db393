"""An extension of Griffe: docstrings of the package as Markdown.

The docstrings are written to be read in the source. On the site, examples with `>>>` become blocks
of code, and the names of public objects become links. Constants are described by the comment above
them, and options by their definition in `superword.options`.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import griffe
from api_pages import anchors
from docstring_text import as_markdown, comment_above

__all__ = ["Docstrings"]


class Docstrings(griffe.Extension):
    """Rewrites every docstring when it is loaded."""

    def __init__(self, package: str) -> None:
        self.known = set(anchors(Path(package)))

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called for each object that Griffe has read."""
        if isinstance(obj, griffe.Attribute) and obj.docstring is None:
            _describe(obj)
        elif isinstance(obj, griffe.Class):
            _hide_empty_init(obj)
        elif isinstance(obj, griffe.Function):
            for parameter in obj.parameters:
                parameter.default = _default(parameter.default)
        self._rewrite(obj)

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Called for the package itself, which `on_object` leaves out."""
        self._rewrite(pkg)

    def _rewrite(self, obj: griffe.Object) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value, self.known)


def _describe(attribute: griffe.Attribute) -> None:
    """Give an attribute the docstring that its definition holds."""
    value = attribute.value
    text = ""
    if _is_option(value):
        text = ast.literal_eval(str(value.arguments[0]))
        attribute.value = _default(value)
    elif "module-attribute" in attribute.labels and attribute.lineno is not None:
        lines = Path(str(attribute.filepath)).read_text(encoding="utf-8").splitlines()
        text = comment_above(lines, attribute.lineno)
    if text:
        attribute.docstring = griffe.Docstring(text, parent=attribute)


def _hide_empty_init(cls: griffe.Class) -> None:
    """Remove an `__init__` that takes nothing: such objects are made by functions."""
    made = cls.members.get("__init__")
    if isinstance(made, griffe.Function) and len(made.parameters) == 1:
        del cls.members["__init__"]


def _is_option(value: Any) -> bool:
    return isinstance(value, griffe.ExprCall) and str(value.function) == "_option"


def _default(value: Any) -> Any:
    """The default of an option, or the value itself if it does not define one."""
    if not _is_option(value):
        return value
    given = [each for each in value.arguments[1:] if not isinstance(each, griffe.ExprKeyword)]
    return given[0] if given else None
