"""How superword uses many cores: `python -m benches.cores` measures, checks and records it."""
