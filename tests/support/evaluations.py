"""Plausible results of evaluations, without evaluating anything."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate

from superword.evaluation import results as r

__all__ = ["bare", "evaluation", "model_result"]

LANGUAGES = ("en", "de", "fr", "ru", "el", "ar", "hi", "zh", "ja", "ko", "th", "code")
MODELS = ("bpe", "boundless", "superbpe", "gpt2", "cl100k_base", "o200k_base")
SCRIPTS = ("Latin", "Cyrillic", "Han", "Arabic", "Greek", "Mixed", "No letters", "Partial")


def evaluation(
    models: Sequence[str] | int = 3,
    groups: Sequence[str] | int = 4,
    *,
    reference: bool = True,
    extras: bool = True,
    seed: int = 1,
) -> r.Evaluation:
    """A result for these models and groups: names, or how many of the usual ones.

    With `extras`, models have morphemes, pairs and parallel lines. The last model is imported: its
    counts are not known, and it cannot be truncated.
    """
    names = MODELS[:models] if isinstance(models, int) else tuple(models)
    parts = LANGUAGES[:groups] if isinstance(groups, int) else tuple(groups)
    rng = random.Random(seed)
    texts = tuple(_group(name, rng) for name in parts)
    made = tuple(
        model_result(name, i, texts, rng, extras=extras, imported=i == len(names) - 1 and i > 0)
        for i, name in enumerate(names)
    )
    base = {group: found.size.tokens for group, found in made[0].numbers.items()}
    if reference:
        made = tuple(_relative(model, base) for model in made)
    return r.Evaluation("0.0.0", texts, made, names[0] if reference else None)


def bare(evaluation: r.Evaluation) -> r.Evaluation:
    """The same result without anything that may be absent."""
    curves = r.Curves(None, None, "it has merges that are not in order", (), ())
    return replace(
        evaluation,
        reference=None,
        models=tuple(
            replace(
                model,
                curves=curves,
                morphemes=None,
                pairs=None,
                parallel=None,
                trained_on=(),
                numbers={name: _bare_numbers(one) for name, one in model.numbers.items()},
            )
            for model in evaluation.models
        ),
    )


def _bare_numbers(numbers: r.Numbers) -> r.Numbers:
    nothing = r.Share(0, 0)
    return replace(
        numbers,
        size=r.Size(0, None, None, None, None, None, None),
        distribution=r.Distribution({}, {}, {}, {}, {}, None, ()),
        use=r.Use(r.Share(0, 1000), 1000, 0, 0, {}, {}),
        words=r.Words(None, nothing, nothing, nothing, "the 0 most frequent words of the text"),
        superwords=r.Superwords(nothing, None, nothing, 0, None),
        edges=r.Edges(nothing, nothing, nothing),
        cost=r.Cost(None, None, None, None),
    )


def _relative(model: r.ModelResult, base: dict[str, int]) -> r.ModelResult:
    numbers = {
        group: replace(
            found, size=replace(found.size, relative_length=found.size.tokens / base[group])
        )
        for group, found in model.numbers.items()
    }
    return replace(model, numbers=numbers)


def _group(name: str, rng: random.Random) -> r.Group:
    characters = rng.randrange(200_000, 4_000_000)
    width = 1.0 if name in ("en", "code") else rng.uniform(1.02, 2.6)
    lines = characters // rng.randrange(60, 90)
    return r.Group(
        name,
        (f"corpus/{name}",),
        rng.randrange(40, 4000),
        0,
        int(characters * width),
        characters,
        lines,
        characters // 6,
    )


def model_result(
    name: str,
    index: int,
    groups: Sequence[r.Group],
    rng: random.Random,
    *,
    extras: bool,
    imported: bool,
) -> r.ModelResult:
    """One model. Models with a higher index are better."""
    n_vocab = 16_384 if index < 3 else 50_257
    superwords = 0 if index in (0, 3) else n_vocab // (3 + index)
    density = {group.name: (3.6 + 0.35 * index) * rng.uniform(0.62, 1.05) for group in groups}
    tokens = {group.name: round(group.bytes / density[group.name]) for group in groups}
    numbers = {
        group.name: _numbers(group, tokens[group.name], n_vocab, superwords, rng)
        for group in groups
    }
    whole = _sum_groups(groups)
    numbers[r.OVERALL] = _numbers(whole, sum(tokens.values()), n_vocab, superwords, rng)
    return r.ModelResult(
        name=name,
        path=f"models/{name}.superword",
        kind="huggingface" if imported else "superword",
        method=("bpe", "boundless", "superbpe")[index % 3],
        n_vocab=n_vocab,
        pretokenizer="gpt4o-portable",
        trained_on=(groups[0].name,) if index == 1 else (),
        vocabulary=_vocabulary(n_vocab, superwords, rng),
        numbers=numbers,
        curves=_no_curves() if imported else _curves(groups, tokens, n_vocab, superwords),
        morphemes=r.Morphemes(1200, 0.41 + index / 50, 0.52, 0.4587) if extras else None,
        pairs=r.Pairs(r.Share(31 * index, 500), r.Share(37 * index + 5, 500)) if extras else None,
        parallel=_parallel(groups, rng) if extras else None,
    )


def _sum_groups(groups: Sequence[r.Group]) -> r.Group:
    def total(field: str) -> int:
        return sum(getattr(group, field) for group in groups)

    return r.Group(
        r.OVERALL,
        (),
        total("documents"),
        0,
        total("bytes"),
        total("characters"),
        total("lines"),
        total("words"),
    )


def _numbers(
    group: r.Group, tokens: int, n_vocab: int, superwords: int, rng: random.Random
) -> r.Numbers:
    used = int(n_vocab * rng.uniform(0.45, 0.97))
    orders = ("1", "2", "2.5", "3")
    entropy = dict(zip(orders, (10.4, 8.1, 7.6, 7.2), strict=True))
    without = int(tokens * 1.14) if superwords else tokens
    words = group.words
    return r.Numbers(
        size=r.Size(
            tokens,
            group.bytes / tokens,
            group.characters / tokens,
            group.bytes / tokens * 0.98,
            group.characters / tokens * 0.97,
            tokens / group.lines,
            None,
        ),
        distribution=r.Distribution(
            entropy,
            {order: bits / math.log2(n_vocab) for order, bits in entropy.items()},
            {order: bits / math.log2(used) for order, bits in entropy.items()},
            _top(used),
            {"0.5": used // 60, "0.9": used // 4, "0.99": used // 2},
            0.87,
            _ranks(tokens, used),
        ),
        use=r.Use(
            r.Share(used, n_vocab),
            n_vocab - used,
            used // 7,
            (n_vocab - used) // 3,
            _lengths(tokens, 3.5 + superwords / n_vocab),
            {"1": tokens - tokens // 9, "2": tokens // 12, "3": tokens // 9 - tokens // 12}
            if superwords
            else {"1": tokens},
        ),
        words=r.Words(
            tokens / words,
            r.Share(words // 5, words),
            r.Share(612, 1000),
            r.Share(868, 1000),
            "the 1,000 most frequent words of the text",
        ),
        superwords=r.Superwords(
            r.Share(tokens // 9 if superwords else 0, tokens),
            2.31 if superwords else None,
            r.Share(words // 4 if superwords else 0, words),
            without,
            1 - tokens / without,
        ),
        edges=r.Edges(
            r.Share(words // 6 if superwords else 0, words),
            r.Share(words // 900 if superwords else 0, words // 14),
            r.Share(group.lines // 300, group.lines),
        ),
        cost=r.Cost(
            1e6 * tokens / group.bytes,
            1.4e16 * tokens / group.bytes,
            1.5e16 * tokens / group.bytes,
            131072e6 * tokens / group.bytes,
        ),
    )


def _ranks(tokens: int, used: int) -> tuple[tuple[int, int], ...]:
    ranks = sorted({round(10 ** (i * math.log10(used) / 80)) for i in range(81)})
    return tuple((rank, max(1, int(tokens / 12 / rank**1.02))) for rank in ranks)


@cache
def _weights() -> list[float]:
    """Sums of the weights of the most frequent tokens, for each number of them."""
    return list(accumulate(rank**-1.02 for rank in range(1, 60_000)))


def _top(used: int) -> dict[str, float]:
    sums = _weights()
    return {str(k): sums[min(k, used) - 1] / sums[used - 1] for k in (10, 100, 1000, 10_000)}


def _lengths(total: int, middle: float) -> dict[str, int]:
    weights = [math.exp(-((length - middle) ** 2) / 14) for length in range(24)]
    return {
        str(length): max(1, int(total * weight / sum(weights)))
        for length, weight in enumerate(weights)
    }


def _vocabulary(n_vocab: int, superwords: int, rng: random.Random) -> r.Vocabulary:
    shares = [rng.random() for _ in SCRIPTS]
    return r.Vocabulary(
        tokens=n_vocab - 1,
        special=1,
        superwords=superwords,
        partial_characters=231,
        unreachable=17,
        unreachable_examples=(" th", "\n  re", "<b>&"),
        by_script={
            script: int(n_vocab * share / sum(shares))
            for script, share in zip(SCRIPTS, shares, strict=True)
        },
        by_length=_lengths(n_vocab, 6.5 + superwords / n_vocab * 9),
        by_words={"1": n_vocab - superwords, "2": superwords // 2, "3": superwords // 3}
        if superwords
        else {"1": n_vocab},
    )


def _no_curves() -> r.Curves:
    return r.Curves(None, None, "its merges are not known", (), ())


def _curves(
    groups: Sequence[r.Group], tokens: dict[str, int], n_vocab: int, superwords: int
) -> r.Curves:
    sizes: dict[str, tuple[tuple[int, int], ...]] = {}
    supermerges: dict[str, tuple[tuple[int, int], ...]] = {}
    words = n_vocab - superwords
    for group in (*groups, _sum_groups(groups)):
        end = tokens.get(group.name) or sum(tokens.values())
        steps = [256 + round(i * (n_vocab - 256) / 199) for i in range(200)]
        slope = (group.bytes - end) / math.log(n_vocab / 256)
        sizes[group.name] = tuple(
            (size, round(group.bytes - slope * math.log(size / 256))) for size in steps
        )
        if superwords:
            supermerges[group.name] = tuple(
                (round(i * superwords / 99), round(end * (1.14 - 0.14 * (i / 99) ** 0.5)))
                for i in range(100)
            )
    counts = tuple(
        (size, int(9e6 / (size - 255) ** 0.93)) for size in range(257, words, 1 + words // 400)
    )
    supercounts = tuple(
        (size, int(4e5 / (size - words + 1) ** 0.6))
        for size in range(words + 1, n_vocab, 1 + superwords // 200)
    )
    return r.Curves(sizes, supermerges or None, None, counts, supercounts)


def _parallel(groups: Sequence[r.Group], rng: random.Random) -> r.Parallel:
    first = groups[0].name
    languages = {
        group.name: r.ParallelLines(
            int(30_000 * factor), factor, factor * 1.02 if factor != 1 else 1.0
        )
        for group in groups
        for factor in [1.0 if group.name == first else rng.uniform(1.05, 2.4)]
    }
    return r.Parallel(first, 1000, languages)
