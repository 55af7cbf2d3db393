"""Tokenizers of other programs as models: Hugging Face, tiktoken, the paper's files.

Ids are kept, and the model encodes as its origin does, or it is refused with the reason.
"""

from superword.imports.huggingface import from_huggingface
from superword.imports.paper import from_paper
from superword.imports.tiktoken import from_tiktoken

__all__ = ["from_huggingface", "from_paper", "from_tiktoken"]
