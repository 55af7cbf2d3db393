"""Runs of the words in superwords, which an exact export keeps in one piece.

- `find.py`: the runs of a model, and the conditions under which they can be exported.
- `pattern.py`: the pattern that matches them.
- `seams.py`: where two words may stand in one piece, and where a run is cut.

docs/concepts-exact-export.md has the proof.
"""
