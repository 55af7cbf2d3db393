"""Import tokenizers of Hugging Face, tiktoken, Mistral and the paper's program.

Ids are kept, and the model encodes as the original does. If that is impossible, `ConversionError`
says why.
"""

from superword.imports.files import open_any
from superword.imports.huggingface import from_huggingface
from superword.imports.paper import from_paper
from superword.imports.tekken import from_tekken
from superword.imports.tiktoken import from_tiktoken

__all__ = ["from_huggingface", "from_paper", "from_tekken", "from_tiktoken", "open_any"]
