"""Private parts of `Tokenizer`: encoding texts and files, decoding ids."""
