"""The trained tokenizer: text to ids and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from superword import _core
from superword._encoding.imports import Imports
from superword._encoding.specials import (
    Allowed,
    Disallowed,
    allowed_names,
    each_text,
    one_text,
    thread_count,
)
from superword._encoding.texts import Text, Texts, not_text
from superword._encoding.vocabulary import END_OF_TEXT, AddedToken, Vocabulary
from superword._support.checks import size as checked_size
from superword.errors import OptionError
from superword.options import Format, OnError

if TYPE_CHECKING:
    from numpy import uint32, uint64
    from numpy.typing import NDArray

    from superword.export import Mode, Plan, Unicode
    from superword.integrations.tiktoken import Encoding
    from superword.progress import Progress
    from superword.shards import Dtype, EncodedCorpus, ShardFormat
    from superword.training import Inputs
    from superword.views import Shown

__all__ = ["END_OF_TEXT", "AddedToken", "Tokenizer"]

MOST_CACHE_BYTES = 1 << 30


class Tokenizer(Imports, Vocabulary):
    """A trained tokenizer. Made by `superword.train`, `Tokenizer.load` or `truncate`.

    >>> tok = superword.train(["docs/*.jsonl"], vocab_size=32_768)
    >>> tok.decode(tok.encode("as well as the rest")) == "as well as the rest"
    True

    Tokenizers are immutable, safe to use from several threads at once, and can be pickled. Two
    are equal if their models are. Ids are `0 .. n_vocab - 1`; special tokens have the last ids.
    """

    __slots__ = ()

    @classmethod
    def _wrap(cls, model: _core.Model) -> Tokenizer:
        self = cls.__new__(cls)
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_content", None)
        return self

    # Files.

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, cache_bytes: int | str | None = None
    ) -> Tokenizer:
        """Read a model file. Raises `MissingModelError` or another `ModelFileError`.

        `cache_bytes` is passed to `set_cache_bytes`.
        """
        tokenizer = cls._wrap(_core.Model.load(os.fspath(path)))
        if cache_bytes is not None:
            tokenizer.set_cache_bytes(cache_bytes)
        return tokenizer

    @classmethod
    def from_bytes(cls, data: bytes) -> Tokenizer:
        """The tokenizer with this file content: `from_bytes(tok.to_bytes()) == tok`."""
        return cls._wrap(_core.Model.from_bytes(data))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model file atomically: if saving fails, an existing file is unchanged.

        A model is replaced. Any other existing file is replaced only with `overwrite=True`.
        """
        from superword._files.outputs import check_replaceable

        check_replaceable(path, "model", overwrite)
        self._model.save(os.fspath(path))

    def truncate(self, n_vocab: int) -> Tokenizer:
        """The tokenizer with a smaller vocabulary. Special tokens are kept.

        Without deletions, the result has the same tokens and merges as training at that size.
        """
        try:
            return Tokenizer._wrap(self._model.truncate(n_vocab))
        except OverflowError:
            raise OptionError(
                f"a vocabulary cannot have {n_vocab} tokens",
                hint=f"give a size between that of the alphabet and {self.n_vocab}",
                option="n_vocab",
                value=n_vocab,
            ) from None

    # Text to ids.

    def encode_ordinary(self, text: Text) -> list[int]:
        """The ids of `text`, with special tokens treated as plain text.

        Added tokens that are not special are found, as in every other method.
        """
        try:
            return self._model.encode(text, [])
        except _core.NotTextError:
            raise not_text(text) from None

    def encode(
        self,
        text: Text,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
    ) -> list[int]:
        """The ids of `text`: a `str`, or UTF-8 as `bytes`, `bytearray` or `memoryview`.

        Special tokens in `text` become their ids if they are in `allowed_special`, or if it is
        `"all"`. Others are plain text, unless they are in `disallowed_special`: then they raise
        `SpecialTokenError`. `disallowed_special="all"` means all that are not allowed.
        """
        model = self._model
        return one_text(model, text, allowed_special, disallowed_special, model.encode)

    def encode_batch(
        self,
        texts: Texts,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
        threads: int | None = None,
    ) -> list[list[int]]:
        """The ids of each text, as `encode` returns them, on all cores or on `threads` threads.

        A text is anything that `encode` takes. A column of text of pyarrow is taken as a whole,
        without an object for each text.
        """
        workers = thread_count(threads)
        return each_text(
            self._model,
            texts,
            allowed_special,
            disallowed_special,
            lambda batch, allowed: self._model.encode_batch(batch, allowed, workers),
        )

    def encode_to_numpy(
        self,
        text: Text,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
    ) -> NDArray[uint32]:
        """The ids of `text` as a `uint32` array, without a Python object for each id."""
        ids, _ = one_text(
            self._model,
            text,
            allowed_special,
            disallowed_special,
            lambda text, allowed: self._model.encode_flat(text, allowed, 1, True),
        )
        return ids

    def encode_batch_to_numpy(
        self,
        texts: Texts,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
        threads: int | None = None,
    ) -> tuple[NDArray[uint32], NDArray[uint64]]:
        """The ids of all texts in one flat array, and the offsets of the texts in it.

        >>> ids, offsets = tok.encode_batch_to_numpy(texts)
        >>> ids[offsets[7] : offsets[8]]  # text 7; there is one more offset than texts

        Texts are those of `encode_batch`.
        """
        workers = thread_count(threads)
        ids, offsets = each_text(
            self._model,
            texts,
            allowed_special,
            disallowed_special,
            lambda batch, allowed: self._model.encode_flat(batch, allowed, workers, False),
        )
        return ids, offsets

    def encode_arrow(
        self, column: Any, *, allowed_special: Allowed = frozenset(), threads: int | None = None
    ) -> Any:
        """The ids of each row of a pyarrow column, as lists of `uint32`. Nulls stay null.

        A `string` column becomes a `list` column, a `large_string` column a `large_list` column.
        Chunks stay the same. Columns of other libraries with Arrow's PyCapsule interface, such as
        polars, are accepted too. No Python object is made for a row.
        """
        from superword._encoding.arrow import encode_arrow

        allowed = allowed_names(self._model, allowed_special)
        return encode_arrow(self._model, column, allowed, thread_count(threads))

    def encode_with_offsets(
        self,
        text: Text,
        *,
        unit: Literal["char", "byte"] = "char",
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = (),
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """The ids of `text`, and the `(start, end)` of each token in it.

        >>> ids, offsets = tok.encode_with_offsets("of the")
        >>> [("of the"[start:end]) for start, end in offsets]

        With `unit="byte"`, offsets count bytes of the UTF-8 text, and each token starts where the
        previous one ends. With `unit="char"`, a token covers every character that it holds a part
        of, so tokens that share a character overlap. With a `normalizer`, offsets still refer to
        `text`: a changed character is covered with all characters that it was composed of.
        """
        if unit not in ("char", "byte"):
            raise OptionError(
                f'`unit` must be "char" or "byte", not {unit!r}', option="unit", value=unit
            )
        return one_text(
            self._model,
            text,
            allowed_special,
            disallowed_special,
            lambda text, allowed: self._model.encode_with_offsets(text, allowed, unit == "char"),
        )

    @overload
    def count_tokens(  # type: ignore[overload-overlap]  # A str is an Iterable[str], sadly.
        self, texts: Text, *, allowed_special: Allowed = ..., threads: int | None = ...
    ) -> int: ...
    @overload
    def count_tokens(
        self, texts: Texts, *, allowed_special: Allowed = ..., threads: int | None = ...
    ) -> list[int]: ...
    def count_tokens(
        self,
        texts: Text | Texts,
        *,
        allowed_special: Allowed = frozenset(),
        threads: int | None = None,
    ) -> int | list[int]:
        """The number of tokens in a text, or in each of several texts, without storing the ids."""
        workers = thread_count(threads)
        if isinstance(texts, str | bytes | bytearray | memoryview):
            (count,) = one_text(
                self._model,
                texts,
                allowed_special,
                (),
                lambda text, allowed: self._model.count_tokens(text, allowed, 1, True),
            )
            return count
        return each_text(
            self._model,
            texts,
            allowed_special,
            (),
            lambda batch, allowed: self._model.count_tokens(batch, allowed, workers, False),
        )

    def encode_files(
        self,
        inputs: Inputs,
        out_dir: str | os.PathLike[str],
        *,
        format: ShardFormat = "npy",
        dtype: Dtype = "auto",
        shard_size: int = 100_000_000,
        eot: bool | str = True,
        threads: int | None = None,
        text_field: str = "text",
        on_error: OnError = "stop",
        input_format: Format | None = None,
        overwrite: bool = False,
        progress: bool | Callable[[Progress], object] | None = None,
    ) -> EncodedCorpus:
        """Encode a corpus into shards of ids in `out_dir`, to train a language model on.

        >>> corpus = tok.encode_files(["docs/*.jsonl.zst"], "shards")
        >>> ids = numpy.load("shards/shard-00000.npy", mmap_mode="r")

        A shard holds whole documents, in the order of the inputs, and ends with the document that
        fills it to `shard_size` tokens. Each document ends with `<|endoftext|>`, or with the
        special token given as `eot`; `eot=False` adds nothing. Special tokens in the text are
        plain text. `format` is that of the shards: numpy arrays, plain ids (`raw`), what
        Megatron, datatrove or Parquet readers expect, or ids in as few bits as possible (`packed`),
        which `superword.shards.PackedShard` reads. `dtype="auto"` uses the smallest type that holds
        all ids in that format. Inputs and their options are those of `superword.train`, but their
        format is `input_format`.

        Shards are written atomically and do not depend on the number of threads. Call it again to
        resume a run that was stopped. `ShardsMismatchError` means that the model, the inputs or
        the options have changed, or that superword cannot tell (standard input, `Texts`, tables
        and streamed datasets). `overwrite=True` starts again.
        """
        from superword._encoding.files import encode_files

        return encode_files(
            self,
            inputs,
            out_dir,
            format=format,
            dtype=dtype,
            shard_size=shard_size,
            eot=eot,
            threads=threads,
            text_field=text_field,
            on_error=on_error,
            input_format=input_format,
            overwrite=overwrite,
            progress=progress,
        )

    @property
    def cache_bytes(self) -> int:
        """The size limit of the encoding cache, per thread."""
        return self._model.cache_bytes()

    def set_cache_bytes(self, size: int | str) -> None:
        """Limit the size of the encoding cache, per thread: `set_cache_bytes("64MB")`.

        A larger cache is faster on text with many rare words. 0 turns it off; the maximum is
        1 GiB. The ids do not depend on it, and it is neither saved nor pickled.
        """
        limit = checked_size("cache_bytes", size, at_least=0, clamp_to=MOST_CACHE_BYTES)
        self._model.set_cache_bytes(limit)

    def clear_cache(self) -> None:
        """Free the memory of the encoding cache."""
        self._model.clear_cache()

    # Other programs.

    def export_huggingface(
        self,
        folder: str | os.PathLike[str],
        mode: Mode = "auto",
        *,
        unicode: Unicode | None = None,
        chat_template: str | None = None,
        bos_token: str | None = None,
        eos_token: str | None = None,
        pad_token: str | None = None,
        overwrite: bool = False,
    ) -> Plan:
        """Write a directory that `tokenizers` and `transformers` can load, with the same ids.

        `mode="exact"` gives the same ids on all texts or raises `ExportError`. `"approximate"` is
        the paper's approximation for superwords. `"auto"` is exact where possible. The result has
        the `mode` that was used and the reason `why_not_exact`, if there is one.

        `unicode="engine"` writes published patterns as others know them; letters that are new in
        Unicode 17 then split differently in programs with an older version. `"17"` lists these
        letters in the pattern. The default is `"engine"` without superwords and `"17"` with them.

        Roles and the chat template are those of `settings`, unless others are given.

        An earlier export is replaced. Any other existing file is replaced only with
        `overwrite=True`.
        """
        from superword.export import export_huggingface

        return export_huggingface(
            self,
            folder,
            mode,
            unicode=unicode,
            chat_template=chat_template,
            bos_token=bos_token,
            eos_token=eos_token,
            pad_token=pad_token,
            overwrite=overwrite,
        )

    def export_tiktoken(
        self,
        path: str | os.PathLike[str],
        mode: Mode = "auto",
        *,
        unicode: Unicode | None = None,
        renumber: bool = False,
        overwrite: bool = False,
    ) -> Plan:
        """Write a `.tiktoken` file of ranks, and a `.json` file with the pattern beside it.

        `mode`, `unicode` and `overwrite` are as in `export_huggingface`. A BoundlessBPE model needs
        `renumber=True`, because tiktoken merges in the order of ids. The `.json` file then has the
        original ids. tiktoken does not normalize texts, and finds no added token that is not
        allowed; `superword.export.load_tiktoken` returns an encoding that does.
        """
        from superword.export import export_tiktoken

        return export_tiktoken(
            self, path, mode, unicode=unicode, renumber=renumber, overwrite=overwrite
        )

    def as_tiktoken(self, name: str = "superword") -> Encoding:
        """This tokenizer with the interface of `tiktoken.Encoding`."""
        from superword.integrations.tiktoken import Encoding

        return Encoding(self, name)

    # Looking at it.

    def show(
        self,
        text: str,
        *others: Tokenizer,
        names: Sequence[str] | None = None,
        allowed_special: Allowed = frozenset(),
    ) -> Shown:
        """The text with its tokens, for a notebook or for `print`: `tok.show("one of the")`.

        The tokens of `others` are shown below, to compare them.
        """
        from superword.views import show

        return show([self, *others], text, names=names, allowed_special=allowed_special)

    def _repr_html_(self) -> str:
        from superword.views.html import card

        return card(self)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokenizer.from_bytes, (self.to_bytes(),)
