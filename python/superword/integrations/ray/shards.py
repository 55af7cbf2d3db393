"""Encode files on the cluster: each group of files becomes a directory of shards.

`out_dir/task-00003` is what `Tokenizer.encode_files` writes for the files of a group, and it is
resumed in the same way. `manifest.json` lists the shards of all groups and is written last.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from superword import _core
from superword._cluster.models import Shipped
from superword._encoding.files import run as encode_locally
from superword._files.replace import make_directory, replace_own
from superword._support.json_values import parse_json
from superword.errors import ClusterError, ShardsMismatchError
from superword.inputs import expand
from superword.integrations.ray import tasks
from superword.integrations.ray.cluster import connected, cpus_for, ray
from superword.plans import TASK_SIZE, Task, group_inputs
from superword.shards import EncodedCorpus, Shard
from superword.tokenizer import Tokenizer
from superword.training import Inputs, ProgressOption, watching

__all__ = ["run"]

MANIFEST = "manifest.json"
# What the shards are made from. It is written before the first of them.
RECIPE = "cluster.json"
KIND = "superword shards of a cluster"

_TASK = re.compile(r"task-\d{5,}")


def run(
    tokenizer: Tokenizer,
    inputs: Inputs,
    out_dir: str | os.PathLike[str],
    options: Mapping[str, Any],
    *,
    threads: int | None = None,
    address: str | None = None,
    task_size: int | str = TASK_SIZE,
    overwrite: bool = False,
    progress: ProgressOption = False,
) -> EncodedCorpus:
    """Encode files. `options` are those of `Tokenizer.encode_files` that decide the shards."""
    folder = Path(os.path.abspath(out_dir))  # noqa: PTH100 - links may differ on other nodes.
    found = expand(inputs, options["input_format"], work_dir=folder)
    groups = group_inputs(found, task_size)
    recipe = {
        "model_sha256": tokenizer._digest().hex(),
        **options,
        "tasks": [[vars(item) for item in group.inputs] for group in groups],
    }
    if overwrite:
        _remove(folder)
    _claim(folder, json.loads(json.dumps(recipe)))
    total = sum(group.bytes for group in groups)
    with watching(progress) as tell, connected(address):
        cpus = cpus_for(len(groups), threads)
        shipped = ray.put(Shipped(tokenizer))
        settings = ({**options, "threads": cpus}, tokenizer.cache_bytes)
        jobs = [
            tasks.Job(_encode, (shipped, group, str(folder), settings), group.bytes)
            for group in groups
        ]

        def on_done(size: int) -> None:
            if tell is not None:
                tell("encode", "bytes", size, total)

        made = tasks.run(jobs, cpus=cpus, on_done=on_done)
    _check_shared(folder, groups)
    corpus = _together(folder, groups, made)
    _write_manifest(folder, recipe, corpus)
    return replace(corpus, path=Path(out_dir))


def _encode(
    shipped: Shipped, group: Task, folder: str, settings: tuple[dict[str, Any], int]
) -> EncodedCorpus:
    options, cache_bytes = settings
    tokenizer = shipped.tokenizer()
    tokenizer.set_cache_bytes(cache_bytes)
    inputs = [item.path for item in group.opened()]
    target = Path(folder) / group.name
    return encode_locally(tokenizer, inputs, target, **options)


def _claim(folder: Path, recipe: dict[str, Any]) -> None:
    """Record what the shards are made from. An error if the directory holds other shards."""
    try:
        before = parse_json((folder / RECIPE).read_bytes())
        changed = [name for name in recipe if before.get(name) != recipe[name]]
    except FileNotFoundError:
        before, changed = None, []
    except (OSError, ValueError, AttributeError) as error:
        raise _mismatch(folder, f"{folder / RECIPE} cannot be read: {error}") from None
    if before is None and _core.files_of_shards(folder, False):
        raise _mismatch(folder, f"{folder} holds the shards of a run on one machine")
    if changed:
        shown = ["inputs" if name == "tasks" else name for name in changed]
        raise _mismatch(
            folder, f"{folder} holds shards that were made from other {', '.join(shown)}", shown
        )
    if before is None:
        make_directory(folder)
        replace_own(folder / RECIPE, json.dumps(recipe, indent=1).encode())


def _mismatch(folder: Path, message: str, changed: Sequence[str] = ()) -> ShardsMismatchError:
    return ShardsMismatchError(
        message,
        hint="use another directory, or set `overwrite=True` to replace the shards",
        path=str(folder),
        changed=list(changed),
    )


def _remove(folder: Path) -> None:
    """Remove the shards of an earlier run and its records, and no other file."""
    for name in (MANIFEST, RECIPE):
        (folder / name).unlink(missing_ok=True)
    for place in [folder, *folder.glob("task-*")]:
        if place is folder or _TASK.fullmatch(place.name):
            for name in _core.files_of_shards(place, False):
                (place / name).unlink(missing_ok=True)


def _check_shared(folder: Path, groups: Sequence[Task]) -> None:
    missing = [group.name for group in groups if not (folder / group.name / MANIFEST).exists()]
    if missing:
        raise ClusterError(
            f"{missing[0]} was encoded, but there is no {folder / missing[0] / MANIFEST}",
            hint="choose an output directory that all nodes share, such as one on NFS",
            path=str(folder),
        )


def _together(folder: Path, groups: Sequence[Task], made: Sequence[EncodedCorpus]) -> EncodedCorpus:
    """All shards as one corpus, in the order of the inputs."""
    return replace(
        made[0],
        path=folder,
        shards=tuple(
            _below(group.name, shard)
            for group, corpus in zip(groups, made, strict=True)
            for shard in corpus.shards
        ),
        skipped=sum(corpus.skipped for corpus in made),
        skipped_examples=tuple(text for corpus in made for text in corpus.skipped_examples)[:5],
        resumed=sum(corpus.resumed for corpus in made),
    )


def _below(directory: str, shard: Shard) -> Shard:
    documents = shard.documents_file
    return replace(
        shard,
        tokens_file=f"{directory}/{shard.tokens_file}",
        documents_file=None if documents is None else f"{directory}/{documents}",
        files=tuple(f"{directory}/{name}" for name in shard.files),
    )


def _write_manifest(folder: Path, recipe: Mapping[str, Any], corpus: EncodedCorpus) -> None:
    content = {
        "kind": KIND,
        "version": _core.__version__,
        **{name: value for name, value in recipe.items() if name != "tasks"},
        "dtype": corpus.dtype,
        "documents": corpus.documents,
        "tokens": corpus.tokens,
        "bytes": corpus.bytes,
        "skipped": corpus.skipped,
        "shards": [asdict(shard) for shard in corpus.shards],
    }
    replace_own(folder / MANIFEST, (json.dumps(content, indent=1) + "\n").encode())
