"""Superword models in SGLang, run by superword's engine.

    python -m sglang.launch_server --model-path MODEL --tokenizer-path m.superword

SGLang has no registry of tokenizers. It has plugins that may wrap its functions, which it finds
through the entry point `sglang.srt.plugins`. `register` is such a plugin: it wraps the function
that loads tokenizers. Paths that mean a superword model are loaded with superword's engine, and
all others as before. Tested with SGLang 0.5.23.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["register"]

_LOADER = "sglang.srt.utils.hf_transformers.tokenizer.get_tokenizer"


def register() -> None:
    """Make SGLang load superword models. SGLang calls it once in every process."""
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    # Directories that `save_pretrained` wrote then load from the Hub, too.
    import superword.integrations.transformers  # noqa: F401

    HookRegistry.register(_LOADER, _load, HookType.AROUND)


def _load(original: Callable[..., Any], tokenizer_name: Any, *args: Any, **kwargs: Any) -> Any:
    from superword.integrations.serving import ServedTokenizer, find_model

    model = find_model(tokenizer_name)
    if model is None:
        return original(tokenizer_name, *args, **kwargs)
    from sglang.srt.utils.hf_transformers.common import attach_additional_stop_token_ids

    tokenizer = ServedTokenizer.from_pretrained(tokenizer_name)
    attach_additional_stop_token_ids(tokenizer)
    return tokenizer
