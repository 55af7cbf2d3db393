r"""Step 1: text to pretokens (the paper, Appendix B).

A pretoken is roughly a word with the space before it. Ordinary tokens never cross its boundary.

>>> Pretokenizer("gpt4o").split("Tokens can't be 1234.")
['Tokens', " can't", ' be', ' ', '123', '4', '.']

In scripts without spaces, the default preset makes each letter a separate pretoken:

>>> Pretokenizer("gpt4o-script").split("the 德国HYDAC")
['the', ' 德', '国', 'HYDAC']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import regex

from superword.reference.scripts import SCRIPTS, script_runs

_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"  # upper case or no case, and marks
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"  # lower case or no case, and marks
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_APOSTROPHES = r"(?:['’](?:\p{L}\p{M}*)+)*"
_NO_WORDS = (
    r"\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)"
    r"|\s+"
)

# Listing 1.
GPT4O = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}"
    rf"|{_NO_WORDS}"
)
# Listing 2: one letter and its marks, for scripts without spaces between words.
GPT4O_SCRIPT = rf" ?\p{{L}}\p{{M}}*|{_NO_WORDS}"
GPT4O_SCRIPTS = ("Han", "Hiragana", "Katakana", "Thai", "Myanmar", "Khmer", "Lao")
# Listing 3, fine: only a space may precede a word, and apostrophes only occur between letters.
GPT4O_EXPORT = (
    rf" ?{_UPPER}*{_LOWER}+{_APOSTROPHES}"
    rf"| ?{_UPPER}+{_LOWER}*{_APOSTROPHES}"
    rf"|{_NO_WORDS}"
)
# Listing 1 with single letters for the scripts of Listing 2, without script runs.
_SINGLE = "".join(rf"\p{{{script}}}" for script in GPT4O_SCRIPTS) + "ー"
_UNCASED = rf"[\p{{Lm}}\p{{Lo}}&&[^{_SINGLE}]]"
GPT4O_PORTABLE = (
    rf" ?[\p{{L}}&&[{_SINGLE}]]\p{{M}}*"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{M}}{_UNCASED}]*[\p{{Ll}}\p{{M}}{_UNCASED}]+{_CONTRACTION}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{M}}{_UNCASED}]+[\p{{Ll}}\p{{M}}{_UNCASED}]*{_CONTRACTION}"
    rf"|{_NO_WORDS}"
)
TEKKEN = GPT4O.replace(_CONTRACTION, "").replace(r"\p{N}{1,3}", r"\p{N}")
_NOT_HAN = r"&&[^\p{Han}]]"
KIMI_K2 = r"[\p{Han}]+|" + (
    GPT4O.replace(_UPPER, _UPPER[:-1] + _NOT_HAN)
    .replace(_LOWER, _LOWER[:-1] + _NOT_HAN)
    .replace(r"[\r\n/]*", r"[\r\n]*")
)
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
GPT4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# tiktoken's GPT-4: white space at the end of a text is one pretoken.
CL100K = GPT4.replace(r"|\s*[\r\n]+", r"|\s++$|\s*[\r\n]+")
QWEN2 = GPT4.replace(r"\p{N}{1,3}", r"\p{N}")
QWEN35 = QWEN2.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(
    r" ?[^\s\p{L}\p{N}]", r" ?[^\s\p{L}\p{M}\p{N}]"
)
# Several splits in sequence, as one pattern. What an earlier split takes out ends the text for a
# later one, also for its look-ahead.
_CJK = "一-龥぀-ゟ゠-ヿ"
DEEPSEEK_V3 = (
    r"\p{N}{1,3}"
    rf"|[{_CJK}&&[^\p{{L}}\p{{P}}\p{{S}}]]?[{_CJK}&&[\p{{L}}\p{{M}}]]+"
    rf"|[{_CJK}&&[\p{{P}}\p{{S}}]]+"
    rf"|[{_CJK}&&[^\p{{L}}\p{{M}}\p{{P}}\p{{S}}]]+(?![{_CJK}&&[\p{{L}}\p{{M}}]])"
    r"|[!-/:-@\[-`{-~][A-Za-z]+"
    rf"|[^\r\n\p{{L}}\p{{N}}\p{{P}}\p{{S}}{_CJK}]?[\p{{L}}\p{{M}}&&[^{_CJK}]]+"
    rf"| ?[\p{{P}}\p{{S}}&&[^{_CJK}]]+[\r\n]*"
    r"|\s*[\r\n]+"
    rf"|\s+(?![^\s\p{{N}}{_CJK}])"
    r"|\s+"
    rf"|[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}{_CJK}]+(?![\p{{L}}\p{{M}}&&[^{_CJK}]])"
)
COMMAND_R = r"\p{N}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"

# name: main pattern, script pattern, scripts of the script pattern
PRESETS: dict[str, tuple[str, str | None, tuple[str, ...]]] = {
    "gpt4o": (GPT4O, None, ()),
    "gpt4o-script": (GPT4O, GPT4O_SCRIPT, GPT4O_SCRIPTS),
    "gpt4o-portable": (GPT4O_PORTABLE, None, ()),
    "gpt4o-export": (GPT4O_EXPORT, None, ()),
    "gpt4": (GPT4, None, ()),
    "llama3": (GPT4, None, ()),
    "cl100k": (CL100K, None, ()),
    "qwen2": (QWEN2, None, ()),
    "qwen3.5": (QWEN35, None, ()),
    "tekken": (TEKKEN, None, ()),
    "kimi-k2": (KIMI_K2, None, ()),
    "deepseek-v3": (DEEPSEEK_V3, None, ()),
    "command-r": (COMMAND_R, None, ()),
    "gpt2": (GPT2, None, ()),
}
DEFAULT_PRESET = "gpt4o-script"
HAS_LETTER = r"\p{L}"


class Pretokenizer:
    """Patterns that split a text: a preset or custom patterns.

    >>> Pretokenizer(pattern="[a-z]+").split("ab-cd")  # unmatched text becomes pretokens too
    ['ab', '-', 'cd']
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        pattern: str | None = None,
        script_pattern: str | None = None,
        scripts: Sequence[str] = (),
        eligible: str = HAS_LETTER,
    ) -> None:
        if name is None and pattern is None:
            name = DEFAULT_PRESET
        if name is not None:
            if name not in PRESETS:
                raise ValueError(f"no preset {name!r}; there are {', '.join(PRESETS)}")
            if pattern is not None or script_pattern is not None or scripts:
                raise ValueError("give the name of a preset or patterns, not both")
            pattern, script_pattern, scripts = PRESETS[name]
        assert pattern is not None
        if unknown := set(scripts) - set(SCRIPTS):
            raise ValueError(f"unknown scripts: {', '.join(sorted(unknown))}")
        if (script_pattern is None) != (not scripts):
            raise ValueError("give a script pattern and its scripts together")
        self.name = name
        self.pattern = pattern
        self.script_pattern = script_pattern
        self.scripts = tuple(scripts)
        self.eligible = eligible
        self._main = _compile(pattern)
        self._script = None if script_pattern is None else _compile(script_pattern)
        self._eligible = _compile(eligible)
        for compiled in (self._main, self._script):
            if compiled is not None and compiled.match(""):
                raise ValueError(f"the pattern {compiled.pattern!r} matches the empty string")

    def _key(self) -> tuple[object, ...]:
        return self.pattern, self.script_pattern, self.scripts, self.eligible

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pretokenizer) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def split(self, text: str) -> list[str]:
        """Split a text into pretokens, whose concatenation is the text.

        Without a script pattern the whole text is one run.
        """
        if self._script is None:
            return cut(self._main, text)
        return [
            pretoken
            for script, run in script_runs(text)
            for pretoken in cut(self._script if script in self.scripts else self._main, run)
        ]

    def is_eligible(self, pretoken: str) -> bool:
        """Return whether the eligibility pattern matches anywhere in the pretoken.

        >>> [Pretokenizer().is_eligible(p) for p in (" of", "123", ".")]
        [True, False, False]
        """
        return self._eligible.search(pretoken) is not None


def _compile(pattern: str) -> regex.Pattern[str]:
    # Only version 1 of `regex` knows sets in sets.
    return regex.compile(pattern, regex.V1 if "&&" in pattern else 0)


def cut(pattern: regex.Pattern[str], text: str) -> list[str]:
    r"""Return the matches of a pattern from left to right, and the text between them.

    >>> cut(regex.compile(r"\d{1,2}"), "a123b")
    ['a', '12', '3', 'b']
    """
    pieces: list[str] = []
    end = 0
    for match in pattern.finditer(text):
        if match.end() == match.start():
            continue
        if end < match.start():
            pieces.append(text[end : match.start()])
        pieces.append(match.group())
        end = match.end()
    if end < len(text):
        pieces.append(text[end:])
    return pieces


def split(text: str, pretokenizer: str | Pretokenizer = DEFAULT_PRESET) -> list[str]:
    """Split a text with a preset or a pretokenizer.

    >>> split(" Hello world")
    [' Hello', ' world']
    """
    return as_pretokenizer(pretokenizer).split(text)


def as_pretokenizer(pretokenizer: str | Pretokenizer) -> Pretokenizer:
    """Return the pretokenizer of a preset; a pretokenizer is returned unchanged."""
    return Pretokenizer(pretokenizer) if isinstance(pretokenizer, str) else pretokenizer


def count_pretokens(
    texts: Iterable[str], pretokenizer: str | Pretokenizer = DEFAULT_PRESET
) -> dict[bytes, int]:
    """Count the pretokens of all documents. Phase 1 needs nothing else.

    >>> count_pretokens(["to be or not", " to be"])
    {b'to': 1, b' be': 2, b' or': 1, b' not': 1, b' to': 1}
    """
    pretokenizer = as_pretokenizer(pretokenizer)
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(pretokenizer.split(text))
    return {pretoken.encode("utf-8"): count for pretoken, count in counts.items()}
