"""Superword models in vLLM, run by superword's engine.

    vllm serve MODEL --tokenizer m.superword --tokenizer-mode superword

vLLM finds this module through the entry point `vllm.general_plugins` and calls `register` in every
process. Nothing has to be imported. Tested with vLLM 0.32.
"""

from __future__ import annotations

import logging

__all__ = ["MODE", "register"]

MODE = "superword"

_TOKENIZER = ("superword.integrations.serving", "ServedTokenizer")
# vLLM's class for tokenizers of transformers: it applies chat templates.
_RENDERER = ("vllm.renderers.hf", "HfRenderer")


def register() -> None:
    """Add the tokenizer mode `superword` to vLLM. May be called more than once.

    Never raises an error, because it runs in every vLLM process, also if no superword model is
    used there. If vLLM has other registries than expected, it logs a warning.
    """
    try:
        from vllm.renderers.registry import RENDERER_REGISTRY
        from vllm.tokenizers import TokenizerRegistry

        if TokenizerRegistry.tokenizers.get(MODE) != _TOKENIZER:
            TokenizerRegistry.register(MODE, *_TOKENIZER)
        if RENDERER_REGISTRY.renderers.get(MODE) != _RENDERER:
            RENDERER_REGISTRY.register(MODE, *_RENDERER)
    except Exception as error:
        logging.getLogger(__name__).warning(
            "superword cannot add the tokenizer mode %r to this version of vLLM: %s", MODE, error
        )
