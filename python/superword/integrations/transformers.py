"""Superword models as tokenizers of transformers, run by superword's engine.

>>> from superword.integrations.transformers import SuperwordTokenizer
>>> tokenizer = SuperwordTokenizer.from_superword("m.superword")
>>> tokenizer(["as well as", "the rest"], padding=True, return_tensors="np")
>>> tokenizer.save_pretrained("folder")

Once this module is imported, `AutoTokenizer.from_pretrained("folder")` loads such a folder. Where
it is not, `trust_remote_code=True` does, with the code that `save_pretrained` put there (superword
must be installed in any case).
"""

from __future__ import annotations

from superword._support.extras import need

need("transformers", "transformers", "superword.integrations.transformers")

from transformers import AutoConfig, AutoTokenizer, PreTrainedConfig  # noqa: E402

from superword.integrations.tokenization_superword import SuperwordTokenizer  # noqa: E402

__all__ = ["SuperwordConfig", "SuperwordTokenizer"]


class SuperwordConfig(PreTrainedConfig):  # type: ignore[misc]
    """Stands for models that have superword's tokenizer and no type of their own."""

    model_type = "superword"


AutoConfig.register("superword", SuperwordConfig, exist_ok=True)
AutoTokenizer.register(SuperwordConfig, tokenizer_class=SuperwordTokenizer, exist_ok=True)
SuperwordTokenizer.register_for_auto_class("AutoTokenizer")
