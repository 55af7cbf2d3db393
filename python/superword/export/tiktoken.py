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

from superword._files.outputs import check_replaceable
from superword._files.read import read_file
from superword._files.replace import make_directory, replace
from superword._support.extras import need
from superword._support.paths import as_unicode
from superword.errors import ConversionError, ExportError
from superword.export.patterns import preset_of
from superword.export.plan import Mode, Plan, make_plan
from superword.tokenizer import Tokenizer

__all__ = ["export_tiktoken", "load_tiktoken", "sidecar_of"]


def sidecar_of(path: Path) -> Path:
    """The `.json` file of an export: `m.tiktoken.json` for `m.tiktoken`."""
    return path.with_name(path.name + ".json")


def export_tiktoken(
    tokenizer: Tokenizer,
    path: str | os.PathLike[str],
    mode: Mode = "auto",
    *,
    renumber: bool = False,
    overwrite: bool = False,
) -> Plan:
    """Write the ranks to `path`, and the `.json` file beside it. See `Tokenizer`."""
    plan = make_plan(tokenizer, mode)
    to_id = tokenizer._model.token_to_id
    alphabet = [bytes([byte]) for byte in range(256) if to_id(bytes([byte])) is not None]
    tokens = alphabet + list(dict.fromkeys(left + right for left, right in plan.merges))
    ids = [to_id(token) for token in tokens]
    special = tokenizer.special_tokens
    own_ids: list[int] | None = None
    ranks: dict[bytes, int]
    if renumber:
        ranks = {token: rank for rank, token in enumerate(tokens)}
        own_ids = [id for id in ids if id is not None] + list(special.values())
        special = {name: len(tokens) + place for place, name in enumerate(special)}
    else:
        ranks = {token: id for token, id in zip(tokens, ids, strict=True) if id is not None}
        _refuse_other_order(tokens[len(alphabet) :], ranks)
    _refuse_unreached(plan)
    sidecar = {
        "name": as_unicode(Path(path).name.removesuffix(".tiktoken")),
        "pat_str": _complete(plan),
        "special_tokens": special,
        "n_vocab": max([*ranks.values(), *special.values()]) + 1,
        "mode": plan.mode,
        # With renumber: the id in the model, for each id in this export.
        "ids": own_ids,
    }
    target = Path(path)
    make_directory(target.parent)
    check_replaceable(target, "tiktoken", overwrite)
    check_replaceable(sidecar_of(target), "tiktoken sidecar", overwrite)
    lines = [base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items()]
    replace(target, b"".join(lines))
    text = json.dumps(sidecar, ensure_ascii=False, indent=2) + "\n"
    replace(sidecar_of(target), text.encode())
    return plan


def _complete(plan: Plan) -> str:
    """The pattern with a last branch for all other text, which tiktoken would drop."""
    if preset_of(plan.tokenizer.pretokenizer.pattern) is not None:
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


def _refuse_unreached(plan: Plan) -> None:
    """Each word must be the result of its own merges on its bytes.

    Then tiktoken, which looks at joined bytes and not at pairs, applies the same merges (the proof
    is in docs/concepts-exact-export.md). Training creates only such tokens; an imported model may
    have others.
    """
    rank = {rule: place for place, rule in enumerate(plan.merges[: plan.n_words])}
    for left, right in rank:
        parts = standalone(left + right, rank)
        if len(parts) > 1:
            token = (left + right).decode(errors="backslashreplace")
            raise ExportError(
                f"the token {token!r} is not what its own merges make of its bytes, and tiktoken "
                "would use it where the model does not",
                hint="export to Hugging Face instead",
                reason="unreached",
                token=token,
            )


def standalone(token: bytes, rank: dict[tuple[bytes, bytes], int]) -> list[bytes]:
    """Encode the bytes of a token. More than one token if the token cannot be reached."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 1:
        places = [rank.get(pair, -1) for pair in pairwise(parts)]
        best = min((place for place in places if place >= 0), default=-1)
        if best < 0:
            break
        at = places.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def load_tiktoken(path: str | os.PathLike[str]) -> Any:
    """The `tiktoken.Encoding` of an export: `load_tiktoken("m.tiktoken").encode("as well as")`."""
    tiktoken = need("tiktoken", "tiktoken", "loading a tiktoken export")
    sidecar = read_sidecar(Path(path))
    lines = read_file(Path(path), "give a .tiktoken file").splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    try:
        return tiktoken.Encoding(
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


def read_sidecar(path: Path) -> dict[str, Any]:
    """The content of the `.json` file of an export."""
    beside = sidecar_of(path)
    content = read_file(beside, "keep the two files of the export in one directory")
    try:
        sidecar = json.loads(content)
    except ValueError as error:
        raise ConversionError(f"{beside} is not JSON: {error}", path=str(beside)) from None
    if not isinstance(sidecar, dict) or not {"pat_str", "special_tokens"} <= sidecar.keys():
        raise ConversionError(
            f"{beside} is not the sidecar of a tiktoken export: it has no pattern",
            hint="export the model again",
            path=str(beside),
        )
    return sidecar
