"""What a `Tokenizer` has to do with other programs; each method imports what it needs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from superword.export import Mode, Plan
    from superword.integrations.tiktoken import Encoding
    from superword.pretokenizer import Pretokenizer
    from superword.tokenizer import Tokenizer

__all__ = ["Interop"]


class Interop:
    """The part of `Tokenizer` that exports, imports and puts on other faces."""

    __slots__ = ()

    def _tokenizer(self) -> Tokenizer:
        return cast("Tokenizer", self)

    @staticmethod
    def from_huggingface(
        path: str | os.PathLike[str], *, ignore_normalizer: bool = False
    ) -> Tokenizer:
        """The model of a byte-level BPE `tokenizer.json`, or of the folder it is in, ids kept.

        It encodes as its origin does with `add_special_tokens=False`, added tokens being special
        tokens here (`allowed_special="all"`). `ConversionError` says why it cannot. A normalizer,
        such as Qwen's NFC, is left out only if asked for: normalize texts first.
        """
        from superword.imports import from_huggingface

        return from_huggingface(path, ignore_normalizer=ignore_normalizer)

    @staticmethod
    def from_tiktoken(
        ranks: str | os.PathLike[str] | Mapping[bytes, int],
        pattern: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
    ) -> Tokenizer:
        """The model of tiktoken's ranks (a `.tiktoken` file, or bytes to rank), ids kept.

        `pattern` and `special_tokens` are what tiktoken is given; a file that `export_tiktoken`
        wrote has them beside it. Text that the pattern does not match is kept, not dropped.
        """
        from superword.imports import from_tiktoken

        return from_tiktoken(ranks, pattern, special_tokens)

    @staticmethod
    def from_paper(
        path: str | os.PathLike[str], *, pretokenizer: str | Pretokenizer = "gpt4o-script"
    ) -> Tokenizer:
        """The model of a `BoundlessBPE v2` text file of the paper's own program, ids kept.

        The file does not hold the patterns: `pretokenizer` must be what it was trained with.
        """
        from superword.imports import from_paper

        return from_paper(path, pretokenizer=pretokenizer)

    def export_huggingface(
        self,
        folder: str | os.PathLike[str],
        mode: Mode = "auto",
        *,
        chat_template: str | None = None,
        bos_token: str | None = None,
        eos_token: str | None = None,
        pad_token: str | None = None,
    ) -> Plan:
        """Write a folder that `tokenizers` and `transformers` load, with the same ids.

        `mode="exact"` gives the same ids on all texts or raises `ExportError`; `"approximate"`
        is the paper's form for superwords; `"auto"` is exact where possible. The result says
        which it became (`.mode`) and, for `"auto"`, why not exact (`.why_not_exact`).
        """
        from superword.export import export_huggingface

        return export_huggingface(
            self._tokenizer(),
            folder,
            mode,
            chat_template=chat_template,
            bos_token=bos_token,
            eos_token=eos_token,
            pad_token=pad_token,
        )

    def export_tiktoken(
        self, path: str | os.PathLike[str], mode: Mode = "auto", *, renumber: bool = False
    ) -> Plan:
        """Write a `.tiktoken` file of ranks, and beside it a `.json` with pattern and the rest.

        `mode` is as for `export_huggingface`. A BoundlessBPE model needs `renumber=True`: tiktoken
        merges in the order of ids, so words must come first; the sidecar has the way back.
        """
        from superword.export import export_tiktoken

        return export_tiktoken(self._tokenizer(), path, mode, renumber=renumber)

    def as_tiktoken(self, name: str = "superword") -> Encoding:
        """This model with the methods of `tiktoken.Encoding`, for code that was written for it."""
        from superword.integrations.tiktoken import Encoding

        return Encoding(self._tokenizer(), name)
