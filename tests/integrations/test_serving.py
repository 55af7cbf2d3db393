"""The tokenizer behind servers: vLLM's protocol, decoding token by token, and the two plugins.

vLLM and SGLang are large packages that need an accelerator to serve. Where they are installed, the
tests use them. Elsewhere they use the parts of their interfaces that are written down here.
"""

from __future__ import annotations

import copy
import importlib
import importlib.metadata
import importlib.util
import logging
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from superword.errors import MissingModelError
from support.export_models import texts
from support.imported_models import BOS, END, EXTRA, TEMPLATE, THINK, chat_model

pytest.importorskip("transformers", reason="pip install 'superword[transformers]'")

from superword.integrations.serving import ServedTokenizer, find_model

# The members of `vllm.tokenizers.TokenizerLike` in vLLM 0.32, and the types of its properties.
METHODS = (
    "from_pretrained",
    "num_special_tokens_to_add",
    "get_vocab",
    "get_added_vocab",
    "encode",
    "apply_chat_template",
    "convert_tokens_to_ids",
    "convert_tokens_to_string",
    "decode",
    "convert_ids_to_tokens",
    "__hash__",
    "__len__",
    "__call__",
)
PROPERTIES = {
    "all_special_tokens": list,
    "all_special_ids": list,
    "bos_token_id": int,
    "eos_token_id": int,
    "pad_token_id": int,
    "is_fast": bool,
    "vocab_size": int,
    "max_token_id": int,
    "max_chars_per_token": int,
    "truncation_side": str,
}


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "m.superword"
    chat_model().save(path)
    return path


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("served") / "m.superword"
    chat_model().save(path)
    return ServedTokenizer.from_pretrained(path, truncation_side="left", pad_token="<|end|>")


def test_every_member_of_the_protocol_is_there(tokenizer: Any) -> None:
    for name in METHODS:
        assert callable(getattr(tokenizer, name)), name
    for name, kind in PROPERTIES.items():
        assert isinstance(getattr(tokenizer, name), kind), name
    if importlib.util.find_spec("vllm") is not None:
        protocol = importlib.import_module("vllm.tokenizers").TokenizerLike
        members = {name for name in vars(protocol) if not name.startswith("_")}
        assert members <= {*METHODS, *PROPERTIES}


def test_members_of_the_protocol_have_their_meaning(tokenizer: Any) -> None:
    model = chat_model()
    the = model.encode("the")
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id) == (
        BOS,
        END,
        END,
    )
    assert set(tokenizer.all_special_ids) == set(model.special_tokens.values())
    assert set(tokenizer.all_special_tokens) >= {"<s>", "<|end|>", "<|extra|>"}
    assert tokenizer.is_fast
    assert len(tokenizer) == tokenizer.vocab_size == tokenizer.max_token_id + 1 == model.n_vocab
    assert tokenizer.max_chars_per_token >= len("<|same as call|>")
    assert tokenizer.truncation_side == "left"
    assert tokenizer.num_special_tokens_to_add() == 1
    assert tokenizer.encode("the") == tokenizer("the")["input_ids"] == [BOS, *the]
    assert tokenizer.encode("the", add_special_tokens=False) == the
    assert tokenizer.encode("of the", truncation=True, max_length=2)[0] == BOS
    assert tokenizer.get_vocab()["<think>"] == THINK
    assert tokenizer.get_added_vocab()["<think>"] == THINK
    assert tokenizer.convert_tokens_to_ids("<think>") == THINK
    assert tokenizer.convert_tokens_to_ids(["<think>", "the"]) == [THINK, *the]
    assert tokenizer.decode(THINK) == "<think>"
    assert tokenizer.decode([BOS, *the], skip_special_tokens=True) == "the"
    messages = [{"role": "user", "content": "the"}]
    said = "<user>the<|end|>"
    assert tokenizer.apply_chat_template(messages, tools=None, tokenize=False) == said
    ids = tokenizer.apply_chat_template(messages, tokenize=True, return_dict=False)
    assert ids == model.encode(said, allowed_special="all")
    assert hash(tokenizer) == hash(tokenizer)
    for other in (copy.copy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
        assert other.encode("the of") == tokenizer.encode("the of")
        assert other.is_fast


def test_what_is_kept_follows_changes() -> None:
    tokenizer = ServedTokenizer(chat_model())
    assert "<new>" not in tokenizer.get_vocab()
    tokenizer.add_special_tokens({"additional_special_tokens": ["<new>"]})
    assert tokenizer.get_vocab()["<new>"] == tokenizer.max_token_id
    assert "<new>" in tokenizer.all_special_tokens
    assert tokenizer.encode("<new>", add_special_tokens=False) == [tokenizer.max_token_id]
    tokenizer.mask_token = "<think>"
    assert THINK in tokenizer.all_special_ids


# Loading.


def test_files_and_directories_are_found(tmp_path: Path, model_file: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert find_model(model_file) == model_file
    assert find_model(folder) is None
    assert find_model("owner/name") is None
    shutil.copy(model_file, folder / "any name.superword")
    assert find_model(str(folder)) == folder / "any name.superword"
    shutil.copy(model_file, folder / "second.superword")
    assert find_model(folder) is None
    shutil.copy(model_file, folder / "tokenizer.superword")
    assert find_model(folder) == folder / "tokenizer.superword"
    (folder / "tokenizer.json").write_text("{}")
    assert find_model(folder / "tokenizer.json") is None


def test_directories_load_with_their_config_and_without(tmp_path: Path, model_file: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    shutil.copy(model_file, bare / "tokenizer.superword")
    saved = tmp_path / "saved"
    ServedTokenizer(chat_model(), pad_token="<|extra|>").save_pretrained(saved)
    arguments: dict[str, Any] = {"trust_remote_code": False, "revision": None, "download_dir": None}
    for path in (model_file, bare, saved):
        loaded = ServedTokenizer.from_pretrained(path, truncation_side="right", **arguments)
        assert type(loaded) is ServedTokenizer
        assert loaded.encode("the") == [BOS, *chat_model().encode("the")]
        assert loaded.chat_template == TEMPLATE
        assert loaded.truncation_side == "right"
        assert loaded.pad_token_id == (EXTRA if path == saved else None)


def test_a_directory_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError, match="no superword model") as caught:
        ServedTokenizer.from_pretrained(tmp_path)
    assert "tokenizer.superword" in str(caught.value)


# Decoding token by token.


def stream(tokenizer: Any, ids: list[int], skip_special_tokens: bool) -> str:
    """Decode as servers do: compare the text of the last tokens with and without the new one.

    Text that ends within a character is held back.
    """
    tokens: list[str] = []
    start = end = 0
    text = ""
    for id in ids:
        tokens += tokenizer.convert_ids_to_tokens([id], skip_special_tokens=skip_special_tokens)
        before = tokenizer.convert_tokens_to_string(tokens[start:end])
        after = tokenizer.convert_tokens_to_string(tokens[start:])
        if len(after) > len(before) and not after.endswith("\ufffd"):
            text += after[len(before) :]
            start, end = end, len(tokens)
    return text


CHARACTERS = st.text(st.sampled_from("aé是ꙮ👩‍👧हिं \n"), max_size=6)
ADDED = st.sampled_from(["<think>", "<s>", "<|extra|>", "<|same as call|>"])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    parts=st.lists(st.one_of(texts(), CHARACTERS, ADDED), max_size=6),
    skip=st.booleans(),
)
def test_streamed_text_is_the_decoded_text(tokenizer: Any, parts: list[str], skip: bool) -> None:
    text = "".join(parts)
    if text.endswith("\ufffd"):
        text += "."  # Servers hold this character back, because it looks incomplete.
    ids = tokenizer.encode(text)
    assert stream(tokenizer, ids, skip) == tokenizer.decode(ids, skip_special_tokens=skip)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), skip=st.booleans())
def test_streams_of_any_ids_end_where_a_character_is_incomplete(
    tokenizer: Any, data: st.DataObject, skip: bool
) -> None:
    known = [id for id, name in enumerate(tokenizer._names) if name is not None]
    ids = data.draw(st.lists(st.sampled_from(known), max_size=20))
    whole = tokenizer.decode(ids, skip_special_tokens=skip)
    found = stream(tokenizer, ids, skip)
    assert whole.startswith(found)
    assert set(whole[len(found) :]) <= {"\ufffd"} or whole.endswith("\ufffd")


def test_streaming_in_vllm_is_exact(tokenizer: Any) -> None:
    utils = pytest.importorskip("vllm.tokenizers.detokenizer_utils", reason="vLLM is not installed")
    ids = tokenizer.encode("the<think> of 是ꙮ 👩‍👧<|extra|> naïve")
    for skip in (False, True):
        tokens: list[str] | None = None
        start = end = 0
        text = ""
        for size in range(1, len(ids) + 1):
            new, more, start, end = utils.detokenize_incrementally(
                tokenizer, ids[:size], tokens, start, end, skip_special_tokens=skip
            )
            tokens = [*(tokens or []), *new]
            text += more
        assert text == tokenizer.decode(ids, skip_special_tokens=skip)


# The plugins.


@pytest.mark.parametrize(
    ("group", "module"),
    [("vllm.general_plugins", "vllm"), ("sglang.srt.plugins", "sglang")],
)
def test_servers_find_the_plugin(group: str, module: str) -> None:
    (found,) = importlib.metadata.entry_points(group=group, name="superword")
    expected = importlib.import_module(f"superword.integrations.{module}").register
    assert found.load() is expected


def test_plugins_import_nothing_until_a_server_calls_them() -> None:
    code = (
        "import sys, superword\n"
        "superword.integrations.vllm.register, superword.integrations.sglang.register\n"
        "print({'vllm', 'sglang', 'transformers', 'torch'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


class Registry:
    """A registry of vLLM: what it has, and how often it was told."""

    def __init__(self, attribute: str) -> None:
        self.known: dict[str, tuple[str, str]] = {}
        self.calls = 0
        setattr(self, attribute, self.known)

    def register(self, mode: str, module: str, class_name: str) -> None:
        self.calls += 1
        self.known[mode] = (module, class_name)


def pretend(monkeypatch: pytest.MonkeyPatch, modules: dict[str, dict[str, Any]]) -> None:
    """Install modules with these contents, and all packages above them."""
    for name, content in modules.items():
        parts = name.split(".")
        for size in range(1, len(parts)):
            package = ".".join(parts[:size])
            if package not in sys.modules:
                monkeypatch.setitem(sys.modules, package, ModuleType(package))
        module = ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)


def resolved(place: tuple[str, str]) -> Any:
    return getattr(importlib.import_module(place[0]), place[1])


def test_vllm_gets_a_tokenizer_mode_and_a_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    from superword.integrations.vllm import register

    tokenizers, renderers = Registry("tokenizers"), Registry("renderers")
    pretend(
        monkeypatch,
        {
            "vllm.tokenizers": {"TokenizerRegistry": tokenizers},
            "vllm.renderers.registry": {"RENDERER_REGISTRY": renderers},
        },
    )
    for _ in range(2):
        register()
    assert (tokenizers.calls, renderers.calls) == (1, 1)
    assert resolved(tokenizers.known["superword"]) is ServedTokenizer
    assert renderers.known["superword"] == ("vllm.renderers.hf", "HfRenderer")


def test_an_unknown_version_of_vllm_gets_a_warning_and_no_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from superword.integrations.vllm import register

    pretend(monkeypatch, {"vllm.tokenizers": {}, "vllm.renderers.registry": {}})
    with caplog.at_level(logging.WARNING):
        register()
    assert "cannot add the tokenizer mode 'superword'" in caplog.text


def test_vllm_itself_loads_the_tokenizer(model_file: Path) -> None:
    plugins = pytest.importorskip("vllm.plugins", reason="vLLM is not installed")
    plugins.load_general_plugins()
    get_tokenizer = importlib.import_module("vllm.tokenizers").get_tokenizer
    loaded = get_tokenizer(str(model_file), tokenizer_mode="superword")
    assert type(loaded) is ServedTokenizer
    registry = importlib.import_module("vllm.renderers.registry").RENDERER_REGISTRY
    assert registry.load_renderer_cls("superword").__name__ == "HfRenderer"


class HookType(Enum):
    AROUND = "around"


def test_sglang_loads_superword_models_and_leaves_others_alone(
    monkeypatch: pytest.MonkeyPatch, model_file: Path, tmp_path: Path
) -> None:
    from superword.integrations.sglang import register

    hooks: list[tuple[str, Callable[..., Any], HookType]] = []

    class HookRegistry:
        @classmethod
        def register(cls, target: str, hook: Callable[..., Any], kind: HookType) -> None:
            hooks.append((target, hook, kind))

    def attach(tokenizer: Any) -> None:
        tokenizer.additional_stop_token_ids = None

    pretend(
        monkeypatch,
        {
            "sglang.srt.plugins.hook_registry": {
                "HookRegistry": HookRegistry,
                "HookType": HookType,
            },
            "sglang.srt.utils.hf_transformers.common": {"attach_additional_stop_token_ids": attach},
        },
    )
    register()
    ((target, hook, kind),) = hooks
    assert target == "sglang.srt.utils.hf_transformers.tokenizer.get_tokenizer"
    assert kind is HookType.AROUND

    def original(name: str, *args: Any, **options: Any) -> tuple[Any, ...]:
        return name, args, options

    assert hook(original, "owner/name", tokenizer_mode="auto") == (
        "owner/name",
        (),
        {"tokenizer_mode": "auto"},
    )
    assert hook(original, str(tmp_path / "tokenizer.json"))[1:] == ((), {})
    loaded = hook(original, str(model_file), tokenizer_mode="auto", trust_remote_code=False)
    assert type(loaded) is ServedTokenizer
    assert loaded.additional_stop_token_ids is None


def test_sglang_itself_loads_the_tokenizer(model_file: Path) -> None:
    plugins = pytest.importorskip("sglang.srt.plugins", reason="SGLang is not installed")
    utils = importlib.import_module("sglang.srt.utils.hf_transformers_utils")
    plugins.load_plugins()
    assert type(utils.get_tokenizer(str(model_file))) is ServedTokenizer
