"""What the tests share: texts, seeded generators, cases, models and comparisons."""
