"""Text to ids, in the shapes that people use: the methods of `Tokenizer` that encode."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from superword import _core
from superword._encoding.specials import (
    Allowed,
    Disallowed,
    allowed_names,
    each_text,
    one_text,
    thread_count,
)
from superword._support.text import lone_surrogate, parse_size
from superword.errors import OptionError
from superword.options import Format, OnError

if TYPE_CHECKING:
    from numpy import uint32, uint64
    from numpy.typing import NDArray

    from superword.progress import Progress
    from superword.shards import EncodedCorpus
    from superword.tokenizer import Tokenizer
    from superword.training import Inputs

__all__ = ["Encodes"]

MOST_CACHE_BYTES = 1 << 30


class Encodes:
    """What `Tokenizer` can do with text."""

    __slots__ = ()

    _model: _core.Model

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of `text`, in which special tokens are plain text."""
        try:
            return self._model.encode_ordinary(text)
        except UnicodeEncodeError as error:
            raise lone_surrogate(error) from None

    def encode(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
    ) -> list[int]:
        """The ids of `text`.

        Special tokens in `text` become their ids if they are in `allowed_special` (or it is
        `"all"`); the others are plain text. Those in `disallowed_special` (`"all"`: every one
        that is not allowed) raise `SpecialTokenError` where they occur; by default none does.
        """
        special = self._model.special_tokens
        return one_text(special, text, allowed_special, disallowed_special, self._model.encode)

    def encode_batch(
        self,
        texts: Iterable[str],
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
        threads: int | None = None,
    ) -> list[list[int]]:
        """The ids of each text, as `encode` gives them, on all cores (or `threads` of them)."""
        workers = thread_count(threads)
        return each_text(
            self._model.special_tokens,
            texts,
            allowed_special,
            disallowed_special,
            lambda batch, allowed: self._model.encode_batch(batch, allowed, workers),
        )

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
    ) -> NDArray[uint32]:
        """The ids of `text` as an array of `uint32`. No Python object is made for each id."""
        ids, _ = one_text(
            self._model.special_tokens,
            text,
            allowed_special,
            disallowed_special,
            lambda text, allowed: self._model.encode_flat([text], allowed, 1),
        )
        return ids

    def encode_batch_to_numpy(
        self,
        texts: Iterable[str],
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
        threads: int | None = None,
    ) -> tuple[NDArray[uint32], NDArray[uint64]]:
        """The ids of all texts in one flat array, and where each text starts and ends in it.

        >>> ids, offsets = tok.encode_batch_to_numpy(texts)
        >>> ids[offsets[7] : offsets[8]]  # text 7; there is one offset more than texts
        """
        workers = thread_count(threads)
        ids, offsets = each_text(
            self._model.special_tokens,
            texts,
            allowed_special,
            disallowed_special,
            lambda batch, allowed: self._model.encode_flat(batch, allowed, workers),
        )
        return ids, offsets

    def encode_arrow(
        self, column: Any, *, allowed_special: Allowed = frozenset(), threads: int | None = None
    ) -> Any:
        """The ids of each row of a pyarrow column, as lists of `uint32`. A null stays a null.

        A `string` column gives a `list`, a `large_string` column a `large_list`; an Array gives an
        Array, a ChunkedArray one with the same chunks. No object is made for a row. Columns of
        other libraries that speak Arrow's PyCapsule interface, such as polars, are taken as well.
        """
        from superword.encode_arrow import encode_arrow

        allowed = allowed_names(self._model.special_tokens, allowed_special)
        return encode_arrow(self._model, column, allowed, thread_count(threads))

    def encode_with_offsets(
        self,
        text: str,
        *,
        unit: Literal["char", "byte"] = "char",
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of `text`, and the `(start, end)` of each token in it.

        >>> ids, offsets = tok.encode_with_offsets("of the")
        >>> [("of the"[start:end]) for start, end in offsets]

        In bytes of the UTF-8 text (`unit="byte"`) each token starts where the one before it ends.
        In characters a token reaches from the character in which it starts to the end of the one
        in which it ends: tokens that share a character overlap there, and no character is left
        out.
        """
        if unit not in ("char", "byte"):
            raise OptionError(
                f'unit must be "char" or "byte", not {unit!r}', option="unit", value=unit
            )
        return one_text(
            self._model.special_tokens,
            text,
            allowed_special,
            disallowed_special,
            lambda text, allowed: self._model.encode_with_offsets(text, allowed, unit == "char"),
        )

    @overload
    def count_tokens(  # type: ignore[overload-overlap]  # A str is an Iterable[str], sadly.
        self, texts: str, *, allowed_special: Allowed = ..., threads: int | None = ...
    ) -> int: ...
    @overload
    def count_tokens(
        self, texts: Iterable[str], *, allowed_special: Allowed = ..., threads: int | None = ...
    ) -> list[int]: ...
    def count_tokens(
        self,
        texts: str | Iterable[str],
        *,
        allowed_special: Allowed = frozenset(),
        threads: int | None = None,
    ) -> int | list[int]:
        """The number of tokens of a text, or of each of many texts. The ids are not kept."""
        workers = thread_count(threads)
        special = self._model.special_tokens
        if isinstance(texts, str):
            return one_text(
                special,
                texts,
                allowed_special,
                (),
                lambda text, allowed: self._model.count_tokens([text], allowed, 1)[0],
            )
        return each_text(
            special,
            texts,
            allowed_special,
            (),
            lambda batch, allowed: self._model.count_tokens(batch, allowed, workers),
        )

    def encode_files(
        self,
        inputs: Inputs,
        out_dir: str | os.PathLike[str],
        *,
        dtype: Literal["auto", "uint16", "uint32"] = "auto",
        shard_size: int = 100_000_000,
        eot: bool | str = True,
        threads: int | None = None,
        text_field: str = "text",
        on_error: OnError = "stop",
        format: Format | None = None,
        overwrite: bool = False,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> EncodedCorpus:
        """Encode a corpus into shards of ids in `out_dir`, for training a language model.

        >>> corpus = tok.encode_files(["docs/*.jsonl.zst"], "shards")
        >>> ids = numpy.load("shards/shard-00000.npy", mmap_mode="r")

        A shard holds whole documents, in the order of the inputs, and ends with the one that
        brings it to `shard_size` tokens. `eot` ends each document with `<|endoftext|>` (or the
        special token named); special tokens in the text are plain text. `dtype="auto"` takes
        `uint16` where all ids fit. Inputs and the options about them are those of
        `superword.train`: files of text and JSON lines, Parquet and Arrow files, Arrow tables,
        Hugging Face datasets and `superword.inputs.Texts`.

        Shards appear whole or not at all, and are the same for any number of threads. A run that
        was stopped goes on behind the last finished shard when it is called again;
        `ShardsMismatchError` if the model, the inputs or the options are not the same, or if it
        cannot be told whether they are: standard input, `Texts`, tables and streamed datasets
        (`overwrite=True` starts anew).
        """
        from superword.encode_files import encode_files

        return encode_files(
            cast("Tokenizer", self),
            inputs,
            out_dir,
            dtype=dtype,
            shard_size=shard_size,
            eot=eot,
            threads=threads,
            text_field=text_field,
            on_error=on_error,
            format=format,
            overwrite=overwrite,
            progress=progress,
        )

    @property
    def cache_bytes(self) -> int:
        """The memory that what encoding remembers may take, for each thread."""
        return self._model.cache_bytes()

    def set_cache_bytes(self, size: int | str) -> None:
        """Bound what encoding remembers, for each thread: `set_cache_bytes("64MB")`.

        More of it is faster where there are many rare words; 0 remembers nothing, and more than
        1 GiB is taken as 1 GiB. Ids never depend on it, and it is neither saved nor pickled.
        """
        self._model.set_cache_bytes(_cache_bytes(size))

    def clear_cache(self) -> None:
        """Give back the memory of what encoding remembers; it is never more than `cache_bytes`
        for each thread, and results do not depend on it.
        """
        self._model.clear_cache()


def _cache_bytes(size: int | str) -> int:
    whole = parse_size(size) if isinstance(size, str) else size
    if isinstance(whole, bool) or not isinstance(whole, int) or whole < 0:
        raise OptionError(
            f"cache_bytes must be a number of bytes, 0 or more, not {size!r}",
            hint="write it like 4_000_000 or 4MB; 0 remembers nothing",
            option="cache_bytes",
            value=size,
        )
    return min(whole, MOST_CACHE_BYTES)
