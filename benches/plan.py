"""What a run measures: `BENCH=quick|full|training|encoding`, sizes and the time budget."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from benches.running.machine import cores
from benches.running.texts import MB

MODES = ("quick", "full", "training", "encoding")
# The languages of the bars, and some more. A full run uses all that exist.
BAR_LANGUAGES = ("zh", "ja", "th", "ar", "hi")
QUICK_LANGUAGES = (*BAR_LANGUAGES, "ru", "ko", "de")


def numbers(name: str, default: list[float]) -> list[float]:
    """The numbers in an environment variable, or the default."""
    given = os.environ.get(name)
    try:
        return [float(part) for part in given.replace(",", " ").split()] if given else default
    except ValueError:
        raise SystemExit(f"{name} must be numbers such as 10,50,200, not {given!r}") from None


@dataclass
class Plan:
    """Sizes in bytes, vocabularies, rounds and limits of a run."""

    mode: str
    seconds: float
    sizes: list[int]
    vocabs: list[int]
    vocab: int  # of the headline and of the runs over text sizes
    vocab_size_text: int  # the text of the runs over vocabulary sizes
    figure_vocab: int
    model_vocab: int
    model_bytes: int
    english_bytes: int
    slice_bytes: int
    rounds: int
    languages: list[str] | None
    training_limit: float
    encoding_limit: float
    worst_limit: float  # of a peer on a worst case; ours get four times as long
    language_bytes: int  # of each language but those of the bars, which get all there is
    every_peer: bool  # on every text; else the two fastest on all but English
    repeat_seconds: float  # Slower jobs, if much slower than the fastest, run once.
    warm_seconds: float  # Passes are repeated until they have taken this long together.
    cores: int = field(default_factory=cores)
    pattern: str = ""

    @property
    def training(self) -> bool:
        """Whether training is measured."""
        return self.mode != "encoding"

    @property
    def encoding(self) -> bool:
        """Whether encoding is measured."""
        return self.mode != "training"

    @property
    def figure_sizes(self) -> list[int]:
        """Texts for the figures over documents: the largest, halved four times."""
        return sorted(self.sizes[-1] // 2**i for i in range(5))

    @property
    def figure_texts(self) -> list[str]:
        """Their names."""
        return [f"train-{size}" for size in self.figure_sizes]


def plan() -> Plan:
    """From the environment: BENCH, BENCH_SECONDS, SIZES (MB), VOCABS, ENGLISH (MB), ROUNDS."""
    mode = os.environ.get("BENCH") or "quick"
    if mode not in MODES:
        raise SystemExit(f"BENCH must be one of {', '.join(MODES)}, not {mode!r}")
    quick = mode == "quick"
    short = mode in ("quick", "encoding")
    # Four sizes, because a curve of fewer points says little.
    usual_sizes: list[float] = [10, 50] if quick else [25, 50, 100, 200]
    sizes = sorted({int(x * MB) for x in numbers("SIZES", usual_sizes)})
    usual_vocabs: list[float] = [8192, 32768, 131072] if quick else [8192, 16384, 32768, 131072]
    vocabs = sorted(int(x) for x in numbers("VOCABS", usual_vocabs))
    middle = sizes[len(sizes) // 2] if len(sizes) > 2 else sizes[0]
    usual_english = {"quick": 16, "encoding": 64}.get(mode, 128)
    english = int(numbers("ENGLISH", [usual_english])[0] * MB)
    usual = {"quick": 560, "full": 3 * 3600, "training": 2 * 3600, "encoding": 690}[mode]
    return Plan(
        mode=mode,
        seconds=numbers("BENCH_SECONDS", [usual])[0],
        sizes=sizes,
        vocabs=vocabs[:-1] if quick and len(vocabs) > 2 else vocabs,
        vocab=vocabs[len(vocabs) // 2] if quick else vocabs[-1],
        vocab_size_text=middle,
        figure_vocab=vocabs[len(vocabs) // 2],
        model_vocab=vocabs[-1],
        model_bytes=min(128 * MB, max(sizes)),
        english_bytes=english,
        slice_bytes=english // 8,
        rounds=int(numbers("ROUNDS", [2 if short else 3])[0]),
        languages=list(QUICK_LANGUAGES) if quick else None,
        training_limit=120 if quick else 900,
        encoding_limit={"quick": 30, "encoding": 60}.get(mode, 300),
        worst_limit=15 if short else 120,
        language_bytes=(2 if short else 8) * MB,
        every_peer=not short,
        repeat_seconds=6 if short else 20,
        warm_seconds=4 if quick else 10,
    )
