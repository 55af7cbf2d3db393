"""Train and run superword tokenizers: BPE, BoundlessBPE and SuperBPE.

>>> import superword
>>> tok = superword.train(["docs/*.jsonl"], vocab_size=32_768, method="boundless")
>>> tok.decode(tok.encode("as well as the rest"))
'as well as the rest'
"""

from superword import errors
from superword._core import __version__
from superword.pretokenizer import Pretokenizer
from superword.tokenizer import Tokenizer
from superword.training import train, train_from_iterator

__all__ = [
    "Pretokenizer",
    "Tokenizer",
    "__version__",
    "errors",
    "train",
    "train_from_iterator",
]
