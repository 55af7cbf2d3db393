"""Private parts of reading: inputs as the sources that the engine reads."""
