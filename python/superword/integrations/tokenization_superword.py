"""The tokenizer class. Import it from `superword.integrations.transformers`.

`save_pretrained` copies this file into the saved directory as remote code. So it may only import
installed packages, and from superword only public names, which stay where they are.
"""

from __future__ import annotations

import os
from typing import Any

from superword import Tokenizer
from superword.integrations.pretrained import Batches

__all__ = ["SuperwordTokenizer"]


class SuperwordTokenizer(Batches):
    """A superword model as a tokenizer of transformers. Every model is supported.

    Special tokens in a text become their ids, as with other tokenizers of transformers, unless
    `split_special_tokens=True`. The model's settings say which special tokens begin, end and pad a
    text, and which are added to it. Arguments override them: `bos_token` and so on, and either
    `add_bos_token` and `add_eos_token`, or `special_tokens_pattern`, which is `"none"`, `"bos"`,
    `"eos"` or `"bos_eos"`.
    """

    @classmethod
    def from_superword(
        cls, model: Tokenizer | str | os.PathLike[str], **kwargs: Any
    ) -> SuperwordTokenizer:
        """Wrap a model, or load one from a path. `kwargs` are those of transformers."""
        return cls(model, **kwargs)
