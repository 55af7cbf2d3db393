"""`superword.evaluate`: one pass over the text, then all numbers."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from superword import _core
from superword._reading.sources import open_sources, raising
from superword._support.checks import whole as whole_number
from superword._support.faces import for_python
from superword._support.text import plural
from superword.errors import EmptyCorpusError, OptionError, SkippedWarning
from superword.evaluation import lists
from superword.evaluation.numbers import Counted, check_shape, numbers, sum_of, together
from superword.evaluation.results import OVERALL, Evaluation, Group, ModelResult, ModelShape
from superword.evaluation.subjects import Models, Subject, find_reference, subjects, trained_on
from superword.evaluation.vocabulary import Tokens, curves, vocabulary
from superword.inputs import Input, expand, is_data, listed, name_of
from superword.options import Format, OnError, ReadOptions
from superword.training import Inputs, ProgressOption, Report, watching

__all__ = ["evaluate", "run"]

# The name of the group if the inputs have none.
TEXT = "text"

PathLike = str | os.PathLike[str]


def evaluate(
    models: Models,
    on: Inputs,
    *,
    reference: str | None = None,
    parallel: Mapping[str, PathLike] | None = None,
    pairs: PathLike | None = None,
    words: PathLike | None = None,
    morphemes: PathLike | None = None,
    shape: ModelShape = ModelShape(),  # noqa: B008 - it is immutable
    rare_below: int = 5,
    top_words: int = 1000,
    threads: int | None = None,
    text_field: str = "text",
    format: Format | None = None,
    on_error: OnError = "stop",
    progress: ProgressOption = False,
) -> Evaluation:
    """Measure tokenizers on text, and compare them.

    >>> result = superword.evaluate(["wiki.superword", "gpt2/"], {"de": "corpus/de", "en": "en"})
    >>> result.models[0].numbers["de"].size.bytes_per_token
    >>> result.save("result.json")

    `models` are paths of any kind that `Tokenizer.from_file` opens, `Tokenizer` objects, or a
    mapping of names to either. `on` is the text: the inputs of `superword.train`. A mapping defines
    groups, such as languages. Each document is encoded with each model, with special tokens as
    plain text. `superword.evaluation.results` defines every number.

    `reference` names the model that lengths are relative to. `words` is a file with one word per
    line for the single-token retention; the default is the `top_words` most frequent words of the
    text. `morphemes` is a file of lines `word<TAB>piece piece`, `pairs` a file of lines
    `prompt<TAB>continuation`. `parallel` maps languages to files with the same sentences line by
    line; the first is the reference language. `shape` is the language model that costs are computed
    for. `rare_below` says when a token is rare. The other options are those of `superword.train`.
    """
    evaluation, report = run(
        models,
        on,
        reference=reference,
        parallel=parallel,
        pairs=pairs,
        words=words,
        morphemes=morphemes,
        shape=shape,
        rare_below=rare_below,
        top_words=top_words,
        threads=threads,
        text_field=text_field,
        format=format,
        on_error=on_error,
        progress=progress,
    )
    if report.skipped:
        # 2: the line that called evaluate.
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=2)
    return evaluation


def run(
    models: Models,
    on: Inputs,
    *,
    reference: str | None,
    parallel: Mapping[str, PathLike] | None,
    pairs: PathLike | None,
    words: PathLike | None,
    morphemes: PathLike | None,
    shape: ModelShape,
    rare_below: int,
    top_words: int,
    threads: int | None,
    text_field: str,
    format: Format | None,
    on_error: OnError,
    progress: ProgressOption,
) -> tuple[Evaluation, Report]:
    """Evaluate, and return a report. `evaluate` and the command line both use this."""
    # Everything that may be wrong is checked before the text is read.
    reading = ReadOptions(threads=threads, text_field=text_field, on_error=on_error, format=format)
    rare_below = whole_number("rare_below", rare_below, at_least=1)
    top_words = whole_number("top_words", top_words, at_least=1)
    check_shape(shape)
    names, found = _groups(on, reading.format)
    word_list = None if words is None else lists.read_words(words)
    segmented = None if morphemes is None else lists.read_morphemes(morphemes)
    prompts = None if pairs is None else lists.read_pairs(pairs)
    sentences = None if parallel is None else lists.read_parallel(parallel)
    subjects_ = subjects(models)
    base = find_reference(subjects_, reference)

    counted = _read(subjects_, names, found, reading, top_words, progress)
    groups = _described(names, found, counted)
    whole = sum_of(groups)
    workers = reading.threads or 0

    def of_model(subject: Subject, index: int) -> ModelResult:
        tokenizer = subject.tokenizer
        tokens = Tokens.of(tokenizer)
        per_group = _counts_of(counted, names, index)
        base_counts = None
        if base is not None:
            base_counts = _counts_of(counted, names, subjects_.index(base))
        return ModelResult(
            name=subject.name,
            path=subject.path,
            kind=subject.kind,
            method=tokenizer.method,
            n_vocab=tokenizer.n_vocab,
            pretokenizer=subject.pretokenizer,
            trained_on=trained_on(tokenizer, groups, whole),
            vocabulary=vocabulary(tokenizer, tokens),
            numbers={
                group.name: numbers(
                    tokenizer,
                    tokens,
                    group,
                    per_group[group.name],
                    None if base_counts is None else base_counts[group.name],
                    _word_list(word_list, words, counted, group.name, names, top_words),
                    shape=shape,
                    rare_below=rare_below,
                    threads=workers,
                )
                for group in (*groups, whole)
            },
            curves=curves(tokenizer, {name: one.uses for name, one in per_group.items()}),
            morphemes=None if segmented is None else lists.measure_morphemes(tokenizer, segmented),
            pairs=None if prompts is None else lists.measure_pairs(tokenizer, prompts),
            parallel=None
            if sentences is None
            else lists.measure_parallel(tokenizer, sentences, workers),
        )

    evaluation = Evaluation(
        version=_core.__version__,
        groups=tuple(groups),
        models=tuple(of_model(subject, index) for index, subject in enumerate(subjects_)),
        reference=None if base is None else base.name,
        rare_below=rare_below,
        shape=shape,
    )
    return evaluation, Report.of(counted)


def _groups(on: Inputs, format: str | None) -> tuple[dict[str, tuple[str, ...]], list[Input]]:
    """The inputs of each group as they were given, and the files that they stand for."""
    given = [(TEXT if group is None else group, item) for group, item in listed(on)]
    names: dict[str, tuple[str, ...]] = {}
    for group, item in given:
        shown = name_of(item) if is_data(item) else os.fspath(item)
        names[group] = (*names.get(group, ()), str(shown))
    if OVERALL in names:
        raise OptionError(
            f"a group cannot be called {OVERALL!r}, which stands for all groups together",
            hint="give it another name",
            option="on",
        )
    return names, expand(given, format)


def _read(
    models: list[Subject],
    names: dict[str, tuple[str, ...]],
    found: list[Input],
    reading: ReadOptions,
    top_words: int,
    progress: ProgressOption,
) -> dict[str, Any]:
    order = {name: index for index, name in enumerate(names)}
    options = {
        **reading.for_reading(),
        "group_of": [order[item.group or TEXT] for item in found],
        "top_words": top_words,
        # Checked afterwards, because every group needs text.
        "allow_empty": True,
    }
    # Memory has no limit here, and the engine takes only the options that it uses.
    del options["max_memory"]
    failures: list[BaseException] = []
    with watching(progress) as tell, raising(failures):
        sources = open_sources(found, reading.text_field, failures=failures)
        tokenizers = [model.tokenizer._model for model in models]
        return _core.evaluate(sources, tokenizers, options, tell)
    raise AssertionError("unreachable")  # `raising` returns only what the block returns.


def _described(
    names: dict[str, tuple[str, ...]], found: list[Input], counted: dict[str, Any]
) -> list[Group]:
    read: dict[str, list[int]] = {name: [0, 0, 0] for name in names}
    for item, source in zip(found, counted["inputs"], strict=True):
        sums = read[item.group or TEXT]
        for at, number in enumerate(source):
            sums[at] += number
    groups = []
    for (name, inputs), text in zip(names.items(), counted["groups"], strict=True):
        documents, size, skipped = read[name]
        if not size:
            raise _empty(name, inputs, documents, skipped, counted)
        groups.append(
            Group(
                name=name,
                inputs=inputs,
                documents=documents,
                skipped=skipped,
                bytes=size,
                characters=text["characters"],
                lines=text["lines"],
                words=text["words"],
            )
        )
    return groups


def _empty(
    group: str, inputs: tuple[str, ...], documents: int, skipped: int, counted: dict[str, Any]
) -> EmptyCorpusError:
    where = f"the group {group}" if len(counted["groups"]) > 1 else ", ".join(inputs[:5])
    first = counted["skipped_examples"][:1]
    return EmptyCorpusError(
        f"there is no text in {where}: {plural(documents, 'document')} of 0 bytes, "
        f"{skipped:,} skipped",
        hint=f"the first skipped document: {first[0]}"
        if skipped and first
        else "give files that hold text",
    )


def _counts_of(
    counted: dict[str, Any], names: dict[str, tuple[str, ...]], model: int
) -> dict[str, Counted]:
    """The counts of one model, by group and for all groups together."""
    each = [Counted(text, text["models"][model]) for text in counted["groups"]]
    return {**dict(zip(names, each, strict=True)), OVERALL: together(each)}


def _word_list(
    given: list[str] | None,
    path: PathLike | None,
    counted: dict[str, Any],
    group: str,
    names: dict[str, tuple[str, ...]],
    top_words: int,
) -> tuple[list[str], str]:
    """The words for the single-token retention, and what they are."""
    if given is not None and path is not None:
        return given, os.fspath(path)
    if group == OVERALL:
        found = counted["top_words"]
    else:
        found = counted["groups"][list(names).index(group)]["top_words"]
    many = f"{len(found):,} most frequent words" if len(found) > 1 else "most frequent word"
    all_words = len(found) < top_words
    shown = (
        f"all {plural(len(found), 'word')} of the text" if all_words else f"the {many} of the text"
    )
    return found, shown
