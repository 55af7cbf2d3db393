"""Files that superword writes: outputs, atomic replacement, shards."""
