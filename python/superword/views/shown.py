"""A text as one or several tokenizers encode it, which draws itself in notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from superword._encoding.specials import Allowed
from superword._support.text import plural, printable
from superword.errors import OptionError
from superword.views import html, terminal
from superword.views.encoded import Encoded
from superword.views.totals import left_out

if TYPE_CHECKING:
    from superword.tokenizer import Tokenizer

__all__ = ["Shown", "show"]

MOST_TOKENS = 2_000
"""How many tokens of each model a notebook shows. A browser is slow with more."""


class Shown:
    """A text as one or several tokenizers encode it. Made by `Tokenizer.show`.

    A notebook draws it in colors, with superwords underlined. `print` writes it with `│` between
    tokens.
    """

    text: str
    models: tuple[Encoded, ...]
    """The text as each tokenizer encodes it, with the number of tokens and bytes per token."""

    def __init__(self, text: str, models: Sequence[Encoded]) -> None:
        self.text = text
        self.models = tuple(models)

    def parts(
        self,
        style: terminal.Style = "plain",
        *,
        ids: bool = False,
        width: int | None = None,
        limit: int | None = None,
    ) -> Iterator[str]:
        """Yield the parts of what a terminal shows. `limit` is that of `to_html`."""
        for model in self.models:
            if len(self.models) > 1:
                name = printable(model.name)
                yield (name if style == "plain" else f"\x1b[1m{name}\x1b[0m") + "\n"
            last = ""
            for last in terminal.tokens(islice(model, limit), style, ids=ids, width=width):
                yield last
            more = left_out(model, limit)
            yield ("\n" if last and not last.endswith("\n") else "") + (f"{more}\n" if more else "")
            yield "\n"
        yield terminal.table(self.models) + "\n"

    def to_html(self, *, limit: int | None = None) -> str:
        """The text in colors, as HTML without style sheets or scripts.

        `limit` is the number of tokens to show of each model. The totals are those of the text.
        """
        return html.shown(self.models, limit)

    def __str__(self) -> str:
        return "".join(self.parts()).removesuffix("\n")

    def __repr__(self) -> str:
        return "".join(self.parts(limit=MOST_TOKENS)).removesuffix("\n")

    def _repr_html_(self) -> str:
        return self.to_html(limit=MOST_TOKENS)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def show(
    tokenizers: Sequence[Tokenizer],
    text: str,
    *,
    names: Sequence[str] | None = None,
    allowed_special: Allowed = frozenset(),
) -> Shown:
    """The text as each tokenizer encodes it. `Tokenizer.show` describes the rest.

    Without `names`, tokenizers are called by their method and size.
    """
    if names is None:
        names = [f"{tok.method}, {tok.n_vocab:,} tokens" for tok in tokenizers]
    if len(names) != len(tokenizers):
        raise OptionError(
            f"{plural(len(tokenizers), 'tokenizer')} cannot have {plural(len(names), 'name')}",
            hint="give one name for each tokenizer",
            option="names",
            value=names,
        )
    models = [
        Encoded(tokenizer, text, name, allowed_special)
        for tokenizer, name in zip(tokenizers, names, strict=True)
    ]
    return Shown(text, models)
