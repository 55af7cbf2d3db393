"""Train and run superword tokenizers: BPE, BoundlessBPE and SuperBPE.

>>> import superword
>>> tok = superword.train(["docs/*.jsonl"], vocab_size=32_768, method="boundless")
>>> tok.decode(tok.encode("as well as the rest"))
'as well as the rest'
"""

from typing import TYPE_CHECKING, Any

# Everything is imported when it is first used, so that `import superword` and the start of the
# command line are quick. Type checkers see the imports below.
if TYPE_CHECKING:
    from superword import (
        counts,
        errors,
        evaluation,
        export,
        imports,
        inputs,
        integrations,
        options,
        plans,
        playground,
        pretokenizer,
        progress,
        reports,
        shards,
        stages,
        tokenizer,
        training,
        views,
    )
    from superword._core import __version__
    from superword.evaluation import evaluate
    from superword.pretokenizer import Pretokenizer
    from superword.tokenizer import AddedToken, Tokenizer
    from superword.training import train, train_from_iterator

__all__ = [
    "AddedToken",
    "Pretokenizer",
    "Tokenizer",
    "__version__",
    "counts",
    "errors",
    "evaluate",
    "evaluation",
    "export",
    "imports",
    "inputs",
    "integrations",
    "options",
    "plans",
    "playground",
    "pretokenizer",
    "progress",
    "reports",
    "shards",
    "stages",
    "tokenizer",
    "train",
    "train_from_iterator",
    "training",
    "views",
]

# The names that are not modules, and where they are defined.
_DEFINED_IN = {
    "AddedToken": "tokenizer",
    "Pretokenizer": "pretokenizer",
    "Tokenizer": "tokenizer",
    "__version__": "_core",
    "evaluate": "evaluation",
    "train": "training",
    "train_from_iterator": "training",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'superword' has no attribute {name!r}")
    import importlib

    module = importlib.import_module(f"superword.{_DEFINED_IN.get(name, name)}")
    if name not in _DEFINED_IN:
        return module
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
