"""Train and encode on a Ray cluster, with the result of a run on one machine.

>>> from superword.integrations import ray
>>> tok = ray.train(["/shared/corpus/*.jsonl.zst"], vocab_size=131_072, work_dir="/shared/work")
>>> corpus = ray.encode_files(["/shared/corpus/*.jsonl.zst"], tok, "/shared/shards")

`pip install 'superword[ray]'` on all nodes. If Ray is initialised, that connection is used;
otherwise `address` says where the cluster is. Without an address, it is the cluster in
`RAY_ADDRESS` or that of this machine. If there is none, Ray is started on this machine.

Nodes lose nothing that another node cannot do again: a task whose node or process is lost is
repeated. A driver that was stopped or killed resumes from the finished tasks.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping

from superword._encoding.files import SHARD_SIZE
from superword._support.faces import for_python
from superword.counts import Candidates, Counts
from superword.errors import ChangedWorkWarning, ShortfallWarning, SkippedWarning
from superword.integrations.ray import counted, shards, training
from superword.integrations.ray.cluster import connected
from superword.integrations.ray.encode import Encode
from superword.integrations.ray.planning import Settings
from superword.options import (
    Alphabet,
    Boundary,
    Format,
    GreedySplit,
    Method,
    OnError,
    PickySplit,
    ReadOptions,
    TrainOptions,
    pretokenizer_of,
)
from superword.plans import TASK_SIZE
from superword.pretokenizer import DEFAULT, Pretokenizer
from superword.shards import Dtype, EncodedCorpus, ShardFormat
from superword.tokenizer import Tokenizer
from superword.training import Inputs, ProgressOption, Report, watching

__all__ = ["Encode", "count_candidates", "count_pretokens", "encode_files", "train"]


def train(
    inputs: Inputs,
    *,
    vocab_size: int,
    method: Method = "boundless",
    supermerges: int | None = None,
    pretokenizer: str | Pretokenizer = DEFAULT,
    alphabet: Alphabet = "bytes",
    min_count: int = 1,
    picky: float | None = None,
    picky_split: PickySplit = "parts",
    greedy_split: GreedySplit = False,
    max_words: int | None = None,
    same_script: bool = False,
    boundary: Boundary = "auto",
    veto: str | None = None,
    special_tokens: Iterable[str] = (),
    threads: int | None = None,
    text_field: str = "text",
    weights: Mapping[str, float] | Iterable[str] = (),
    work_dir: str | os.PathLike[str] | None = None,
    max_memory: int | str | None = None,
    on_error: OnError = "stop",
    format: Format | None = None,
    address: str | None = None,
    partitions: int | None = None,
    task_size: int | str = TASK_SIZE,
    progress: ProgressOption = False,
) -> Tokenizer:
    """Train a tokenizer on a cluster. The model is that of `superword.train`, byte for byte.

    `inputs` are files, directories and globs that all nodes can read, or a `ray.data.Dataset` with
    a column `text_field`. Options are those of `superword.train`, except for those that draw a
    sample, which need the whole text in one place.

    Files need a `work_dir` that all nodes share, such as a directory on NFS. They are divided into
    tasks of about `task_size` bytes, and a file is never divided. Finished tasks stay in
    `work_dir`, so the same call resumes a run that was stopped. A dataset takes no `work_dir`, and
    is read twice: it must give the same text both times.

    Each task uses `threads` CPUs (by default, one, or more if there are fewer tasks than CPUs) and
    `max_memory`. Counts are added up in `partitions` independent parts. Words and superwords are
    learned on the largest node, which holds all counts in memory.
    """
    options = TrainOptions(
        vocab_size=vocab_size,
        method=method,
        supermerges=supermerges,
        pretokenizer=pretokenizer,
        alphabet=alphabet,
        min_count=min_count,
        picky=picky,
        picky_split=picky_split,
        greedy_split=greedy_split,
        max_words=max_words,
        same_script=same_script,
        boundary=boundary,
        veto=veto,
        special_tokens=special_tokens,
        threads=threads,
        text_field=text_field,
        weights=weights,
        work_dir=work_dir,
        max_memory=max_memory,
        on_error=on_error,
        format=format,
    )

    def note(change: str) -> None:
        # 4: the line that called train.
        warnings.warn(for_python(change), ChangedWorkWarning, stacklevel=4)

    tokenizer, report = training.run(
        inputs,
        options,
        address=address,
        settings=Settings(work_dir, partitions, task_size),
        progress=progress,
        note=note,
    )
    _warn(report)
    return tokenizer


def count_pretokens(
    inputs: Inputs,
    *,
    pretokenizer: str | Pretokenizer = DEFAULT,
    threads: int | None = None,
    text_field: str = "text",
    weights: Mapping[str, float] | Iterable[str] = (),
    work_dir: str | os.PathLike[str] | None = None,
    max_memory: int | str | None = None,
    on_error: OnError = "stop",
    format: Format | None = None,
    address: str | None = None,
    partitions: int | None = None,
    task_size: int | str = TASK_SIZE,
    progress: ProgressOption = False,
) -> Counts:
    """Count pretokens on a cluster. Inputs and options as in `train`.

    The result is that of `superword.stages.count_pretokens`. It is loaded into the memory of this
    process.
    """
    splitter = pretokenizer_of(pretokenizer)
    options = ReadOptions(
        threads=threads,
        text_field=text_field,
        weights=weights,
        max_memory=max_memory,
        on_error=on_error,
        format=format,
    )
    settings = Settings(work_dir, partitions, task_size)
    with connected(address), watching(progress) as tell:
        counts, report = counted.pretokens(inputs, splitter, options, settings, tell)
    _warn(report)
    return counts


def count_candidates(
    inputs: Inputs,
    words: Tokenizer,
    *,
    threads: int | None = None,
    text_field: str = "text",
    weights: Mapping[str, float] | Iterable[str] = (),
    work_dir: str | os.PathLike[str] | None = None,
    max_memory: int | str | None = None,
    on_error: OnError = "stop",
    format: Format | None = None,
    address: str | None = None,
    partitions: int | None = None,
    task_size: int | str = TASK_SIZE,
    progress: ProgressOption = False,
) -> Candidates:
    """Count the candidates for superwords on a cluster, without cutting them. See `train`."""
    options = ReadOptions(
        threads=threads,
        text_field=text_field,
        weights=weights,
        max_memory=max_memory,
        on_error=on_error,
        format=format,
    )
    settings = Settings(work_dir, partitions, task_size)
    with connected(address), watching(progress) as tell:
        candidates, report = counted.candidates(inputs, words, options, settings, tell)
    _warn(report)
    return candidates


def encode_files(
    inputs: Inputs,
    tokenizer: Tokenizer,
    out_dir: str | os.PathLike[str],
    *,
    format: ShardFormat = "npy",
    dtype: Dtype = "auto",
    shard_size: int = SHARD_SIZE,
    eot: bool | str = True,
    threads: int | None = None,
    text_field: str = "text",
    on_error: OnError = "stop",
    input_format: Format | None = None,
    overwrite: bool = False,
    address: str | None = None,
    task_size: int | str = TASK_SIZE,
    progress: ProgressOption = False,
) -> EncodedCorpus:
    """Encode files into shards on a cluster. Options as in `Tokenizer.encode_files`.

    The files are divided into groups of about `task_size` bytes, and `out_dir/task-00000` and so on
    get the shards of one group each. All nodes must share `out_dir`. The ids of all shards, one
    after the other, are those of `Tokenizer.encode_files`. `manifest.json` lists the shards and is
    written last. Call it again to resume a run that was stopped: finished groups are kept.
    """
    corpus = shards.run(
        tokenizer,
        inputs,
        out_dir,
        {
            "format": format,
            "dtype": dtype,
            "shard_size": shard_size,
            "eot": eot,
            "text_field": text_field,
            "on_error": on_error,
            "input_format": input_format,
        },
        threads=threads,
        address=address,
        task_size=task_size,
        overwrite=overwrite,
        progress=progress,
    )
    if corpus.skipped:
        warnings.warn(corpus.skipped_text(), SkippedWarning, stacklevel=2)
    return corpus


def _warn(report: Report) -> None:
    # 3: the line that called the function.
    if report.skipped:
        warnings.warn(for_python(report.skipped_text()), SkippedWarning, stacklevel=3)
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=3)
