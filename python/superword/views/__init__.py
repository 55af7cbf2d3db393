"""Look at what a tokenizer does: its tokens in a text, and how a token came about."""

from superword.views.encoded import Encoded, Kind, Piece
from superword.views.explaining import explain
from superword.views.explanation import Explanation, Step, Use
from superword.views.shown import Shown, show
from superword.views.superwords import Superword, superwords

__all__ = [
    "Encoded",
    "Explanation",
    "Kind",
    "Piece",
    "Shown",
    "Step",
    "Superword",
    "Use",
    "explain",
    "show",
    "superwords",
]
