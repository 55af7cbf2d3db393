"""Cases in which every pair of option values occurs.

Most bugs need at most two options to come together. Covering all pairs takes a few dozen cases
where covering all combinations would take many thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any, TypeAlias

Parameters: TypeAlias = Mapping[str, Sequence[Any]]
# A parameter with one of its values.
Choice: TypeAlias = tuple[str, Any]
Conflict: TypeAlias = Callable[[Choice, Choice], bool]

CANDIDATES = 30
ATTEMPTS = 1000


def all_pairs(parameters: Parameters, conflict: Conflict) -> list[tuple[Choice, Choice]]:
    """Return every pair of values of two parameters that may occur together."""
    return [
        ((first, a), (second, b))
        for first, second in combinations(parameters, 2)
        for a in parameters[first]
        for b in parameters[second]
        if not conflicts((first, a), (second, b), conflict)
    ]


def conflicts(a: Choice, b: Choice, conflict: Conflict) -> bool:
    """Say whether two values exclude each other, in either order."""
    return conflict(a, b) or conflict(b, a)


def covers(case: Mapping[str, Any], pair: tuple[Choice, Choice]) -> bool:
    """Say whether both values of a pair occur in a case."""
    return all(case[name] == value for name, value in pair)


def pairwise(parameters: Parameters, conflict: Conflict, seed: int = 0) -> list[dict[str, Any]]:
    """Return cases that together cover `all_pairs`, the same ones for the same seed.

    Each case starts from a pair that is not covered yet. Of several random completions, the one
    that covers most of the other pairs is kept.
    """
    rng = Random(seed)
    uncovered = all_pairs(parameters, conflict)
    cases = []
    while uncovered:
        candidates = [
            _complete(dict(uncovered[0]), parameters, conflict, rng) for _ in range(CANDIDATES)
        ]
        best = max(candidates, key=lambda case: sum(covers(case, pair) for pair in uncovered))
        uncovered = [pair for pair in uncovered if not covers(best, pair)]
        cases.append({name: best[name] for name in parameters})
    return cases


def _complete(
    start: dict[str, Any], parameters: Parameters, conflict: Conflict, rng: Random
) -> dict[str, Any]:
    """Choose a value for every other parameter without any conflict."""
    for _ in range(ATTEMPTS):
        case = dict(start)
        for name in rng.sample(list(parameters), len(parameters)):
            if name in case:
                continue
            allowed = [
                value
                for value in parameters[name]
                if not any(conflicts((name, value), choice, conflict) for choice in case.items())
            ]
            if not allowed:
                break
            case[name] = rng.choice(allowed)
        else:
            return case
    raise ValueError(f"no case can contain {start}")
