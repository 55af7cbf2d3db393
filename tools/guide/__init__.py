"""The parts of the documentation that are measured or run: the guide to choosing, the notebook."""
