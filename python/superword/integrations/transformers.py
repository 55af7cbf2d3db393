"""Superword models as tokenizers of transformers, run by superword's engine.

>>> from superword.integrations.transformers import SuperwordTokenizer
>>> tokenizer = SuperwordTokenizer.from_superword("m.superword")
>>> tokenizer(["as well as", "the rest"], padding=True, return_tensors="np")
>>> tokenizer.save_pretrained("folder")

Once this module is imported, `AutoTokenizer.from_pretrained("folder")` loads such a directory.
Without the import, use `trust_remote_code=True`, which runs the code that `save_pretrained` saved
there. superword must be installed in either case.
"""

from __future__ import annotations

from superword._support.extras import need

need("transformers", "transformers", "superword.integrations.transformers")

from transformers import AutoConfig, AutoTokenizer, PreTrainedConfig  # noqa: E402

from superword.integrations.tokenization_superword import SuperwordTokenizer  # noqa: E402

__all__ = ["SuperwordConfig", "SuperwordTokenizer"]


class SuperwordConfig(PreTrainedConfig):  # type: ignore[misc]
    """A placeholder for models that use superword's tokenizer and have no config class."""

    model_type = "superword"


AutoConfig.register("superword", SuperwordConfig, exist_ok=True)
AutoTokenizer.register(SuperwordConfig, tokenizer_class=SuperwordTokenizer, exist_ok=True)
SuperwordTokenizer.register_for_auto_class("AutoTokenizer")
