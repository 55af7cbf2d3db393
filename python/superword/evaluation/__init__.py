"""Evaluate tokenizers on text: `superword.evaluate` and its typed result."""
