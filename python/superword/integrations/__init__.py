"""Superword's engine behind the interfaces of other libraries, for every model and with its ids.

- `superword.integrations.transformers`: a tokenizer class for transformers.
- `superword.integrations.tiktoken`: the result of `Tokenizer.as_tiktoken()`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from superword.integrations import tiktoken, transformers

__all__ = ["tiktoken", "transformers"]


def __getattr__(name: str) -> Any:
    # Imported when first used: transformers is an optional package.
    if name in __all__:
        import importlib

        return importlib.import_module(f"superword.integrations.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
