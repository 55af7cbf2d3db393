"""Encode a column of a Ray dataset."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from superword._support.extras import need
from superword._support.text import suggestion
from superword.errors import OptionError
from superword.tokenizer import Tokenizer

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Encode"]


class Encode:
    """Adds a column of ids to the batches of a Ray dataset.

    >>> from superword.integrations.ray import Encode
    >>> encoded = dataset.map_batches(
    ...     Encode,
    ...     fn_constructor_kwargs={"tokenizer": tok, "column": "text", "into": "input_ids"},
    ...     batch_format="pyarrow",
    ...     concurrency=8,
    ... )

    `tokenizer` is a `Tokenizer`, or the path of a model that every node can read. It is loaded once
    in each process. The new column has the type `list<int32>`; a null text has null ids. `threads`
    is the number of threads of each process, for which Ray reserves CPUs with `num_cpus`.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | str | os.PathLike[str],
        *,
        column: str = "text",
        into: str = "input_ids",
        allowed_special: Literal["all"] | Iterable[str] = frozenset(),
        threads: int = 1,
    ) -> None:
        self._pa = need("pyarrow", "ray", "superword.integrations.ray")
        if not isinstance(tokenizer, Tokenizer):
            tokenizer = Tokenizer.load(tokenizer)
        self._tokenizer = tokenizer
        self._column, self._into = column, into
        self._allowed: Any = (
            allowed_special if allowed_special == "all" else frozenset(allowed_special)
        )
        self._threads = threads

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """The batch with the column of ids. A column of that name is replaced."""
        if self._column not in batch.column_names:
            names = ", ".join(map(repr, batch.column_names))
            raise OptionError(
                f"`column` is {self._column!r}, but the columns are {names}",
                hint=suggestion(self._column, batch.column_names),
                option="column",
                value=self._column,
            )
        pa = self._pa
        ids = self._tokenizer.encode_arrow(
            batch.column(self._column), allowed_special=self._allowed, threads=self._threads
        ).cast(pa.list_(pa.int32()))
        if self._into in batch.column_names:
            return batch.set_column(batch.column_names.index(self._into), self._into, ids)
        return batch.append_column(self._into, ids)
