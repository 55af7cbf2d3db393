"""Private parts of `Tokenizer`: encoding text, decoding ids."""
