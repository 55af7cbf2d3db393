"""What encoding takes as a text or as several texts, and what can be wrong with them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from superword import _core
from superword._encoding.arrow import column_of_texts
from superword._support.text import lone_surrogate, surrogate_in
from superword.errors import TextError

__all__ = ["Batch", "Text", "Texts", "Utf8", "not_text", "several", "text_at"]

# Bytes in UTF-8. They are encoded as they are, without a `str`.
Utf8: TypeAlias = bytes | bytearray | memoryview
Text: TypeAlias = str | Utf8
# Also a column of text of pyarrow, whose types are not known here.
Texts: TypeAlias = Iterable[Text]

Batch: TypeAlias = Sequence[Text] | _core.Column


def several(texts: Texts) -> tuple[Sequence[Any], Batch]:
    """Several texts, to look at one of them, and as the engine takes them."""
    if isinstance(texts, str | bytes | bytearray | memoryview):
        kind = type(texts).__name__
        raise TypeError(
            f"texts must be several texts, not a single {kind}; for one text use encode"
        )
    pyarrow: Any = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(texts, pyarrow.Array | pyarrow.ChunkedArray):
        return column_of_texts(texts)
    batch = texts if isinstance(texts, list | tuple) else list(_each(texts))
    return batch, batch


def _each(texts: Texts) -> Iterator[Text]:
    try:
        return iter(texts)
    except TypeError:
        raise TypeError(
            f"texts must be a list or another iterable of texts, not {type(texts).__name__}"
        ) from None


def text_at(texts: Sequence[Any], index: int) -> Any:
    """One of several texts. The text of a column is given as bytes."""
    text = texts[index]
    return text.as_buffer().to_pybytes() if hasattr(text, "as_buffer") else text


def not_text(text: Any, where: str = "the text") -> TextError:
    """The error for a text that the engine refused."""
    if isinstance(text, str):
        error = surrogate_in(text)
        if error is not None:
            return lone_surrogate(error, where)
    else:
        try:
            bytes(text).decode()
        except UnicodeDecodeError as wrong:
            return TextError(
                f"{where} is not UTF-8: byte 0x{wrong.object[wrong.start]:02x} at byte offset "
                f"{wrong.start}",
                hint='decode it in its own encoding, or clean it: data.decode("utf-8", "replace")',
                position=wrong.start,
            )
    return TextError(
        f"{where} was not valid Unicode when it was read",
        hint="do not change a buffer while it is being encoded",
    )
