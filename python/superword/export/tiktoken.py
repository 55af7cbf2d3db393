"""Export to tiktoken: a file of ranks, and a `.json` file with everything else it needs.

`m.tiktoken` has a line for each token, with its bytes in base64 and its rank, like tiktoken's own
files. `m.tiktoken.json` has the pattern, the special tokens and the size of the vocabulary.

tiktoken merges the two neighbours whose *joined bytes* have the lowest rank, and the rank is the
id. So ids must increase in the order of the merges, words before superwords. BoundlessBPE numbers
tokens in the order in which it creates them, with superwords between words. Such a model needs
`renumber=True`, which numbers tokens as SuperBPE would. The sidecar maps the new ids to the old.
"""

from __future__ import annotations

import base64
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

from superword import _core
from superword._files.outputs import check_replaceable
from superword._files.read import read_file
from superword._files.replace import make_directory, replace
from superword._support.extras import need
from superword._support.paths import as_unicode
from superword.errors import ExportError
from superword.export.config import json_bytes
from superword.export.plan import Mode, Plan, Unicode, make_plan
from superword.export.whole import refuse_other_joins, refuse_whole_runs
from superword.tokenizer import Tokenizer

__all__ = ["export_tiktoken", "load_tiktoken", "sidecar_content", "sidecar_of"]


def sidecar_of(path: Path) -> Path:
    """The `.json` file of an export: `m.tiktoken.json` for `m.tiktoken`."""
    return path.with_name(path.name + ".json")


def export_tiktoken(
    tokenizer: Tokenizer,
    path: str | os.PathLike[str],
    mode: Mode = "auto",
    *,
    unicode: Unicode | None = None,
    renumber: bool = False,
    overwrite: bool = False,
) -> Plan:
    """Write the ranks to `path`, and the `.json` file beside it. See `Tokenizer`."""
    plan = make_plan(tokenizer, mode, unicode)
    _refuse_flags(tokenizer)
    to_id = tokenizer._model.token_to_id
    alphabet = [bytes([byte]) for byte in range(256) if to_id(bytes([byte])) is not None]
    made = list(dict.fromkeys(left + right for left, right in plan.merges))
    # tiktoken looks up whole pieces, so it must not have tokens that the model never produces.
    unmade = [token for token in tokenizer.unmade_tokens if token and tokenizer.whole_pieces]
    tokens = alphabet + made + unmade
    ids = {token: to_id(token) for token in tokens}
    added = {token.content: token.id for token in tokenizer.added_tokens}
    own_ids: list[int] | None = None
    if renumber:
        ranks = {token: rank for rank, token in enumerate(tokens)}
        own_ids = [id for id in ids.values() if id is not None] + list(added.values())
        added = {name: len(tokens) + place for place, name in enumerate(added)}
    else:
        ranks = {token: id for token, id in ids.items() if id is not None}
        _refuse_other_order(made, ranks)
    if plan.runs is not None:
        refuse_whole_runs(plan, "tiktoken")
    refuse_other_joins(plan, unmade)
    sidecar = {
        "name": as_unicode(Path(path).name.removesuffix(".tiktoken")),
        "pat_str": _complete(plan),
        "special_tokens": added,
        "n_vocab": max([*ranks.values(), *added.values()]) + 1,
        "mode": plan.mode,
        # With renumber: the id in the model, for each id in this export.
        "ids": own_ids,
    }
    # tiktoken itself has none of these; `load_tiktoken` adds them.
    if tokenizer.normalizer is not None:
        sidecar["normalizer"] = tokenizer.normalizer
        after = [token.content for token in tokenizer.added_tokens if token.normalized]
        if after:
            sidecar["found_after_normalizing"] = after
    always = [token.content for token in tokenizer.added_tokens if not token.special]
    if always:
        sidecar["always_encoded"] = always
    target = Path(path)
    make_directory(target.parent)
    check_replaceable(target, "tiktoken", overwrite)
    check_replaceable(sidecar_of(target), "tiktoken sidecar", overwrite)
    lines = [base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items()]
    replace(target, b"".join(lines))
    replace(sidecar_of(target), json_bytes(sidecar))
    return plan


def _refuse_flags(tokenizer: Tokenizer) -> None:
    for token in tokenizer.added_tokens:
        for flag in ("lstrip", "rstrip", "single_word"):
            if getattr(token, flag):
                raise ExportError(
                    f"the added token {token.content!r} has {flag}, which tiktoken cannot express",
                    hint="export to Hugging Face instead",
                    reason="added",
                    token=token.content,
                )


def _complete(plan: Plan) -> str:
    """The pattern with a last branch for all other text, which tiktoken would drop."""
    if plan.tokenizer.pretokenizer.meaning is not None:
        return plan.pattern  # The presets match all text.
    return f"{plan.pattern}|(?:(?!{plan.pattern})[\\s\\S])+"


def _refuse_other_order(made: list[bytes], ranks: dict[bytes, int]) -> None:
    for before, after in pairwise(made):
        if ranks[before] > ranks[after]:
            first, second = (token.decode(errors="backslashreplace") for token in (before, after))
            raise ExportError(
                f"tiktoken merges in the order of ids, and the id of {first!r} "
                f"({ranks[before]}) comes after that of {second!r} ({ranks[after]}), which has to "
                "be merged later: words come before superwords",
                hint="train with `method='superbpe'`, or export with `renumber=True`, which "
                "gives the tokens new ids",
                reason="order",
                token=second,
            )


def load_tiktoken(path: str | os.PathLike[str]) -> Any:
    """The `tiktoken.Encoding` of an export: `load_tiktoken("m.tiktoken").encode("as well as")`.

    Added tokens that are not special are encoded in every text, and a text is normalized first if
    the model does that.
    """
    tiktoken = need("tiktoken", "tiktoken", "loading a tiktoken export")
    sidecar = read_sidecar(Path(path))
    lines = read_file(Path(path), "give a .tiktoken file").splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    normalizer = sidecar.get("normalizer")
    always = frozenset(sidecar.get("always_encoded") or ())
    try:
        encoding = tiktoken.Encoding(
            sidecar["name"],
            pat_str=sidecar["pat_str"],
            mergeable_ranks=ranks,
            special_tokens=sidecar["special_tokens"],
        )
    except ValueError as error:
        raise ExportError(
            f"tiktoken's regex engine does not accept the pattern of {len(sidecar['pat_str'])} "
            f"characters: {str(error)[:300]}",
            hint="export with `mode='approximate'`, or to Hugging Face",
            reason="engine",
        ) from error
    if normalizer is None and not always:
        return encoding
    from superword.export.prepared import prepared

    after = frozenset(sidecar.get("found_after_normalizing") or ())
    return prepared(encoding, normalizer, always, after)


def sidecar_content(path: Path) -> tuple[str, bytes]:
    """The name of the `.json` file of an export, for errors, and its content."""
    beside = sidecar_of(path)
    content = read_file(beside, "keep the two files of the export in one directory")
    return as_unicode(str(beside)), content


def read_sidecar(path: Path) -> dict[str, Any]:
    """The content of the `.json` file of an export."""
    content = sidecar_content(path)
    _core.read_sidecar(content)  # Raises an error if it is not a sidecar.
    sidecar: dict[str, Any] = json.loads(content[1])
    return sidecar
