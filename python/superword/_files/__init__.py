"""Files that superword writes: outputs, atomic replacement, work directories."""
