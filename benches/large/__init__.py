"""Training on many gigabytes: `python -m benches.large` makes the corpus and measures with it."""
