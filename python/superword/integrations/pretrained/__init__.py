"""The parts of `SuperwordTokenizer`. Needs transformers.

Directories that `save_pretrained` wrote import `Batches` from here. It must stay here, so that a
later version of superword can load them.
"""

from superword.integrations.pretrained.batches import Batches

__all__ = ["Batches"]
