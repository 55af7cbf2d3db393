"""Training on a corpus of many gigabytes: `python -m benches.large` makes it and measures with it."""
