"""Try which other programs load exports, and whether they give the same ids.

    python tools/check_peers.py export CORPUS FOLDER      # where superword is installed
    python tools/check_peers.py load FOLDER PROGRAM       # where PROGRAM is installed

CORPUS is a folder with *.jsonl.zst and multi/*.jsonl.zst. PROGRAM is tokenizers, fastokens or
gigatoken. The second step needs nothing of superword, so that it can run with other versions.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any


def export(corpus: Path, folder: Path) -> None:
    """Train small models with every preset, and export them with the ids of some documents."""
    import superword
    from superword.inputs import documents

    warnings.simplefilter("ignore", superword.errors.ShortfallWarning)
    files = sorted((corpus / "multi").glob("*.jsonl.zst"))[::3] + sorted(corpus.glob("*.jsonl.zst"))
    texts = [
        text[:3000] for file in files for text in islice(documents([file], max_bytes="60kB"), 20)
    ]
    ids: dict[str, list[list[int]]] = {}
    for preset in superword.pretokenizer.preset_names():
        if superword.Pretokenizer(preset).script_pattern is not None:
            continue
        for kind, superwords in (("words", {}), ("superwords", {"supermerges": 300})):
            model = superword.train_from_iterator(
                texts,
                vocab_size=4000,
                method="superbpe" if superwords else "bpe",
                pretokenizer=preset,
                special_tokens=["<|endoftext|>"],
                boundary="exportable" if superwords else "auto",
                **superwords,  # type: ignore[arg-type]
            )
            model.export_huggingface(folder / f"{preset}, {kind}", "exact")
            ids[f"{preset}, {kind}"] = model.encode_batch(texts)
    (folder / "expected.json").write_text(json.dumps({"texts": texts, "ids": ids}))


def load(folder: Path, program: str) -> None:
    """Load every export and compare the ids."""
    expected = json.loads((folder / "expected.json").read_text())
    module: Any = importlib.import_module(program)
    for name, ids in expected["ids"].items():
        path = str(folder / name / "tokenizer.json")
        try:
            encode = _encoder(module, program, path)
            differ = sum(
                encode(text) != given for text, given in zip(expected["texts"], ids, strict=True)
            )
            print(f"{name}: {differ} of {len(ids)} documents differ")
        except Exception as error:  # These programs raise no common class.
            print(f"{name}: {str(error)[:100]}")


def _encoder(module: Any, program: str, path: str) -> Callable[[str], list[int]]:
    if program == "gigatoken":
        tokenizer = module.Tokenizer(path)
        return lambda text: list(tokenizer.encode(text))
    tokenizer = module.Tokenizer.from_file(path)

    def encode(text: str) -> list[int]:
        found = tokenizer.encode(text, add_special_tokens=False)
        return list(getattr(found, "ids", found))

    return encode


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    step, first, second = sys.argv[1:]
    if step == "export":
        export(Path(first), Path(second))
    else:
        load(Path(first), second)
