"""Train and run superword tokenizers: BPE, BoundlessBPE and SuperBPE."""

from superword._core import __version__

__all__ = ["__version__"]
