"""The parts of a tokenizer of Hugging Face, and the files beside it."""
