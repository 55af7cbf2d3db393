"""Files with one entry per line: words, segmented words, pairs, and parallel sentences."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from superword._support.text import plural
from superword.errors import DocumentError, InputError, MissingInputError, OptionError
from superword.evaluation.results import Morphemes, Pairs, Parallel, ParallelLines, Share
from superword.tokenizer import Tokenizer

__all__ = [
    "ParallelText",
    "measure_morphemes",
    "measure_pairs",
    "measure_parallel",
    "read_morphemes",
    "read_pairs",
    "read_parallel",
    "read_words",
]

PathLike = str | os.PathLike[str]
ParallelText = dict[str, list[str]]


def _lines(path: PathLike, what: str) -> list[str]:
    name = os.fspath(path)
    try:
        content = Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise MissingInputError(f"there is no file {name}", hint=what, path=name) from None
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {error.strerror or error}", hint=what, path=name
        ) from None
    lines = content.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n")
    decoded = []
    for number, line in enumerate(lines, start=1):
        try:
            decoded.append(line.decode().removesuffix("\r"))
        except UnicodeDecodeError:
            raise _bad(name, number, "the line is not UTF-8", "convert the file to UTF-8") from None
    return decoded if content else []


def _bad(name: str, line: int, problem: str, hint: str) -> DocumentError:
    return DocumentError(f"{name}:{line}: {problem}", hint=hint, path=name, line=line)


def _not_empty(name: str, entries: Iterable[object], what: str) -> None:
    if not entries:
        raise InputError(f"there is nothing in {name}", hint=what, path=name)


def read_words(path: PathLike) -> list[str]:
    """One word per line. Empty lines are skipped; words that are there twice count twice."""
    what = "give a file with one word per line"
    words = [line.strip() for line in _lines(path, what)]
    words = [word for word in words if word]
    _not_empty(os.fspath(path), words, what)
    return words


def read_morphemes(path: PathLike) -> list[tuple[str, list[str]]]:
    """Lines of a word, a tab and its pieces with spaces between them."""
    what = "write a word, a tab, and its pieces with spaces: unhappiness<TAB>un happi ness"
    name = os.fspath(path)
    found = []
    for number, line in enumerate(_lines(path, what), start=1):
        if not line.strip():
            continue
        word, tab, rest = line.partition("\t")
        if not tab:
            raise _bad(name, number, "there is no tab in the line", what)
        pieces = rest.split()
        if "".join(pieces) != word:
            raise _bad(
                name, number, f"the pieces make {''.join(pieces)!r}, but the word is {word!r}", what
            )
        found.append((word, pieces))
    _not_empty(name, found, what)
    return found


def measure_morphemes(tokenizer: Tokenizer, words: list[tuple[str, list[str]]]) -> Morphemes:
    """Compare token boundaries with those of the pieces, after a space."""
    both = of_tokens = of_morphemes = 0
    for word, pieces in words:
        _, spans = tokenizer.encode_with_offsets(f" {word}", unit="byte")
        at, cuts = 1, set()
        for piece in pieces[:-1]:
            at += len(piece.encode())
            cuts.add(at)
        boundaries = {place for place in _boundaries(spans) if place > 1}
        both += len(cuts & boundaries)
        of_tokens += len(boundaries)
        of_morphemes += len(cuts)
    precision = both / of_tokens if of_tokens else None
    recall = both / of_morphemes if of_morphemes else None
    f1 = None
    if precision is not None and recall is not None:
        # The same as 2pr / (p + r), also where both are 0.
        f1 = 2 * both / (of_tokens + of_morphemes)
    return Morphemes(len(words), precision, recall, f1)


def _boundaries(spans: list[tuple[int, int]]) -> set[int]:
    """The token boundaries inside a text. Tokens of a normalized text may overlap."""
    places: set[int] = set()
    reached = 0
    for start, end in spans:
        if start >= reached:
            places.update((reached, start))
        reached = max(reached, end)
    return places


def read_pairs(path: PathLike) -> list[tuple[str, str]]:
    """Lines of a prompt, a tab and its continuation. Only empty lines are skipped."""
    what = "write a prompt, a tab and its continuation on each line"
    name = os.fspath(path)
    found = []
    for number, line in enumerate(_lines(path, what), start=1):
        if not line:
            continue
        prompt, tab, continuation = line.partition("\t")
        if not tab:
            raise _bad(name, number, "there is no tab in the line", what)
        if not prompt or not continuation:
            empty = "continuation" if prompt else "prompt"
            raise _bad(name, number, f"the {empty} is empty", what)
        found.append((prompt, continuation))
    _not_empty(name, found, what)
    return found


def measure_pairs(tokenizer: Tokenizer, pairs: list[tuple[str, str]]) -> Pairs:
    """Encode prompts alone, and with their continuation."""
    bridged = changed = 0
    for prompt, continuation in pairs:
        alone = tokenizer.encode_ordinary(prompt)
        ids, spans = tokenizer.encode_with_offsets(prompt + continuation, unit="byte")
        bridged += len(prompt.encode()) not in _boundaries(spans)
        changed += ids[: len(alone)] != alone
    return Pairs(Share(bridged, len(pairs)), Share(changed, len(pairs)))


def read_parallel(files: Mapping[str, PathLike]) -> ParallelText:
    """The lines of each language. All files have the same number of lines."""
    what = "give a file with one sentence per line for each language"
    if len(files) < 2:
        raise OptionError("`parallel` needs two or more languages", hint=what, option="parallel")
    texts = {language: _lines(path, what) for language, path in files.items()}
    first = next(iter(texts))
    for language, lines in texts.items():
        _not_empty(os.fspath(files[language]), lines, what)
        if len(lines) != len(texts[first]):
            raise InputError(
                f"{os.fspath(files[language])} has {plural(len(lines), 'line')}, but "
                f"{os.fspath(files[first])} has {len(texts[first]):,}",
                hint="line n of each file must be the same sentence",
                path=os.fspath(files[language]),
            )
    return texts


def measure_parallel(tokenizer: Tokenizer, texts: ParallelText, threads: int) -> Parallel:
    """Count the tokens of each line. The first language is the reference."""
    counts = {
        language: tokenizer.count_tokens(lines, threads=threads)
        for language, lines in texts.items()
    }
    reference = next(iter(counts))
    base = counts[reference]
    languages = {}
    for language, tokens in counts.items():
        ratios = [mine / its for mine, its in zip(tokens, base, strict=True) if its]
        languages[language] = ParallelLines(
            tokens=sum(tokens),
            parity=sum(tokens) / sum(base) if sum(base) else None,
            premium=sum(ratios) / len(ratios) if ratios else None,
        )
    return Parallel(reference, len(base), languages)
