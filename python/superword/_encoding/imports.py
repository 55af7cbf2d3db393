"""The ways to make a `Tokenizer` from files and objects of other programs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from superword.pretokenizer import Pretokenizer
    from superword.tokenizer import Tokenizer

__all__ = ["Imports"]


class Imports:
    """The static methods of `Tokenizer` that import tokenizers. Ids are kept.

    The result encodes as the original does. `ConversionError` says why a tokenizer cannot be
    imported.
    """

    __slots__ = ()

    @staticmethod
    def from_file(
        path: str | os.PathLike[str],
        *,
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        ignore_normalizer: bool = False,
    ) -> Tokenizer:
        """Import a file or directory of any known kind, recognised by its content.

        >>> tok = Tokenizer.from_file("Qwen3-8B/")

        Known are the `tokenizer.json` of Hugging Face, `vocab.json` with `merges.txt`, `.tiktoken`
        files, Mistral's `tekken.json`, and the models of superword and of the paper's program.
        `pattern` and `special_tokens` are for `.tiktoken` files that have no `.json` file beside
        them. `ignore_normalizer` is that of `from_huggingface`.
        """
        from superword.imports import open_any

        return open_any(
            path,
            pattern=pattern,
            special_tokens=special_tokens,
            ignore_normalizer=ignore_normalizer,
        )

    @staticmethod
    def from_huggingface(
        source: str | os.PathLike[str] | Any, *, ignore_normalizer: bool = False
    ) -> Tokenizer:
        """Import byte-level BPE of Hugging Face: a file, a directory or an object.

        `source` is a `tokenizer.json`, a `vocab.json` with a `merges.txt` beside it, a directory
        with either, a `tokenizers.Tokenizer`, or a fast tokenizer of transformers. The result
        encodes as the original does with `add_special_tokens=False`. `tokenizer_config.json` and
        the chat template beside the file become `settings`.

        With `ignore_normalizer=True`, texts are not normalized.
        """
        from superword.imports import from_huggingface

        return from_huggingface(source, ignore_normalizer=ignore_normalizer)

    @staticmethod
    def from_tiktoken(
        ranks: str | os.PathLike[str] | Mapping[bytes, int] | Any,
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
    ) -> Tokenizer:
        """Import the ranks of tiktoken: a `.tiktoken` file, a mapping, or a `tiktoken.Encoding`.

        `pattern` and `special_tokens` are those of the encoding. An `Encoding` has them, and a
        file that `export_tiktoken` wrote has them beside it. `pattern` may be the name of a preset.
        Text that the pattern does not match is kept; tiktoken drops it.
        """
        from superword.imports import from_tiktoken

        return from_tiktoken(ranks, pattern, special_tokens)

    @staticmethod
    def from_paper(
        path: str | os.PathLike[str], *, pretokenizer: str | Pretokenizer | None = None
    ) -> Tokenizer:
        """Import a `BoundlessBPE v2` file of the paper's program.

        The file has the patterns. `pretokenizer` replaces them.
        """
        from superword.imports import from_paper

        return from_paper(path, pretokenizer=pretokenizer)
