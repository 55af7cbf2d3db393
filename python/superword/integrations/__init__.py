"""Superword's engine behind the interfaces of other libraries, for every model and with its ids.

- `superword.integrations.transformers`: a tokenizer class for transformers.
- `superword.integrations.tiktoken`: the result of `Tokenizer.as_tiktoken()`.
- `superword.integrations.vllm` and `superword.integrations.sglang`: plugins of inference servers.
  `superword.integrations.serving` is the tokenizer class that they use.
- `superword.integrations.ray`: training and encoding on Ray.
- `superword.integrations.spark`: training and encoding on Spark.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from superword.integrations import ray, serving, sglang, spark, tiktoken, transformers, vllm

__all__ = ["ray", "serving", "sglang", "spark", "tiktoken", "transformers", "vllm"]


def __getattr__(name: str) -> Any:
    # Imported when first used, because the other packages are optional.
    if name in __all__:
        import importlib

        return importlib.import_module(f"superword.integrations.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
