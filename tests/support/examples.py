"""How many random examples a property is tested with."""

from __future__ import annotations

import os


def examples(count: int) -> int:
    """Return the number of examples: `count`, or more where `SUPERWORD_EXAMPLES` says so."""
    return count * int(os.environ.get("SUPERWORD_EXAMPLES", "1"))
