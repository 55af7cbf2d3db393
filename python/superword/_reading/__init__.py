"""Private parts of reading: turn inputs into the sources that the engine reads."""
