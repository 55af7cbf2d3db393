"""JSON that is safe to show on a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

from superword._support.text import UNSAFE

__all__ = ["as_json_text"]

# JSON itself escapes U+0000 to U+001F.
_UNSAFE = re.compile(f"[{UNSAFE}]")


def as_json_text(value: Any, indent: int | None = None) -> str:
    r"""A value as JSON, with all characters readable except control characters.

    >>> as_json_text("of the \x9b")
    '"of the \\u009b"'
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
