"""Superword's engine behind the faces of other libraries: every model, exactly.

- `superword.integrations.transformers`: a tokenizer class for transformers.
- `superword.integrations.tiktoken`: what `Tokenizer.as_tiktoken()` gives.
"""
