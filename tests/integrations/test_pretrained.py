"""`SuperwordTokenizer` takes roles, flags and templates from the model, without guessing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from superword import AddedToken
from superword.errors import OptionError, SpecialTokenError
from support.export_models import superwords, training_text
from support.imported_models import ALIAS, BOS, END, EXTRA, TEMPLATE, THINK, chat_model, rebuilt

transformers = pytest.importorskip("transformers", reason="pip install 'superword[transformers]'")

from superword.integrations.transformers import SuperwordTokenizer  # noqa: E402


@pytest.fixture
def tokenizer() -> Any:
    return SuperwordTokenizer.from_superword(chat_model())


def test_roles_are_those_of_the_settings_and_no_others(tokenizer: Any) -> None:
    assert tokenizer.special_tokens_map == {"bos_token": "<s>", "eos_token": "<|end|>"}
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id) == (BOS, END)
    # Without settings, the usual names have their usual roles.
    guessed = SuperwordTokenizer.from_superword(superwords())
    assert guessed.special_tokens_map == {"eos_token": "<|endoftext|>", "pad_token": "<|pad|>"}
    # A model that names one role is not guessed at for the others.
    model = rebuilt(
        superwords(),
        [AddedToken("<|endoftext|>", 899, special=True), AddedToken("<pad>", 900, special=True)],
        {"bos_token": "<|endoftext|>"},
    )
    named = SuperwordTokenizer.from_superword(model)
    assert named.special_tokens_map == {"bos_token": "<|endoftext|>"}


def test_arguments_override_the_settings() -> None:
    tokenizer = SuperwordTokenizer.from_superword(
        chat_model(), pad_token="<|end|>", model_max_length=8, special_tokens_pattern="none"
    )
    assert tokenizer.pad_token_id == END
    assert tokenizer.model_max_length == 8
    assert tokenizer("the")["input_ids"] == chat_model().encode("the")


def test_settings_carry_template_lengths_and_sides(tokenizer: Any) -> None:
    assert tokenizer.model_max_length == 64
    assert (tokenizer.padding_side, tokenizer.truncation_side) == ("left", "left")
    messages = [{"role": "user", "content": "the of"}]
    assert tokenizer.chat_template == TEMPLATE
    said = tokenizer.apply_chat_template(messages, tokenize=False)
    assert said == "<user>the of<|end|>"
    several = rebuilt(
        superwords(),
        [],
        {
            "chat_template": [
                {"name": "default", "template": "a"},
                {"name": "tool", "template": "b"},
            ]
        },
    )
    assert SuperwordTokenizer.from_superword(several).chat_template == {"default": "a", "tool": "b"}


def test_special_tokens_around_a_text_are_those_of_the_settings(tokenizer: Any) -> None:
    model = chat_model()
    the, of = model.encode("the"), model.encode("of")
    assert tokenizer("the")["input_ids"] == [BOS, *the]
    pair = tokenizer("the", "of", return_special_tokens_mask=True, return_offsets_mapping=True)
    assert pair["input_ids"] == [BOS, *the, END, *of, END]
    assert pair["special_tokens_mask"] == [1, *[0] * len(the), 1, *[0] * len(of), 1]
    assert pair["offset_mapping"] == [(0, 0), (0, 3), (0, 0), (0, 2), (0, 0)]
    assert tokenizer("the", add_special_tokens=False)["input_ids"] == the
    assert tokenizer("")["input_ids"] == [BOS]
    assert tokenizer("", "")["input_ids"] == [BOS, END, END]
    assert tokenizer.num_special_tokens_to_add() == 1
    assert tokenizer.num_special_tokens_to_add(pair=True) == 3
    text = "the of and that это и не"
    cut = tokenizer(text, truncation=True, max_length=3, return_offsets_mapping=True)
    assert cut["input_ids"] == [BOS, *model.encode(text)[-2:]]
    assert cut["offset_mapping"][0] == (0, 0)
    assert cut["offset_mapping"][-1][1] == len(text)


@pytest.mark.parametrize(
    ("bos", "eos"), [(False, False), (True, False), (False, True), (True, True)]
)
def test_bos_and_eos_are_added_as_asked(bos: bool, eos: bool, tmp_path: Path) -> None:
    tokenizer = SuperwordTokenizer.from_superword(
        chat_model(), add_bos_token=bos, add_eos_token=eos
    )
    expected = [BOS] * bos + chat_model().encode("the") + [END] * eos
    assert tokenizer("the")["input_ids"] == expected
    tokenizer.save_pretrained(tmp_path)
    assert SuperwordTokenizer.from_pretrained(tmp_path)("the")["input_ids"] == expected


def test_settings_that_name_no_token_are_refused() -> None:
    model = rebuilt(superwords(), [], {"single": ["<none>", "$A"]})
    with pytest.raises(SpecialTokenError, match="'<none>' around a text"):
        SuperwordTokenizer.from_superword(model)


def test_only_special_tokens_are_skipped(tokenizer: Any) -> None:
    model = chat_model()
    ids = [BOS, *model.encode("the"), THINK, *model.encode(" of"), EXTRA, END]
    assert tokenizer.decode(ids, skip_special_tokens=True) == "the<think> of"
    assert tokenizer.decode(ids) == "<s>the<think> of<|extra|><|end|>"
    assert tokenizer.convert_ids_to_tokens(ids, skip_special_tokens=True) == [
        "the",
        "<think>",
        "Ġof",
    ]
    assert tokenizer.batch_decode([ids], skip_special_tokens=True) == ["the<think> of"]
    assert "<think>" not in tokenizer.all_special_tokens
    assert sorted(tokenizer.all_special_ids)[:3] == [BOS, END, EXTRA]


def test_a_token_with_a_role_is_special() -> None:
    """Command R names an added token that is not special as its end of text."""
    tokenizer = SuperwordTokenizer.from_superword(chat_model(), eos_token="<think>")
    assert tokenizer.added_tokens_decoder[THINK].special
    assert tokenizer.decode([*chat_model().encode("the"), THINK], skip_special_tokens=True) == "the"


def test_added_tokens_that_are_not_special_are_found_in_every_text(tokenizer: Any) -> None:
    for split in (False, True):
        ids = tokenizer("the<think>", add_special_tokens=False, split_special_tokens=split)
        assert ids["input_ids"][-1] == THINK
    plain = tokenizer("<s>", add_special_tokens=False, split_special_tokens=True)["input_ids"]
    assert BOS not in plain


def test_flags_of_added_tokens_are_shown(tokenizer: Any) -> None:
    shown = tokenizer.added_tokens_decoder
    assert (shown[THINK].special, shown[EXTRA].special) == (False, True)
    assert (shown[EXTRA].rstrip, shown[BOS].rstrip) == (True, False)
    assert tokenizer.get_added_vocab()["<think>"] == THINK


def test_two_names_of_one_id_are_both_known_and_the_first_is_shown(tokenizer: Any) -> None:
    names = ["<|call|>", "<|same as call|>"]
    assert tokenizer.convert_tokens_to_ids(names) == [ALIAS, ALIAS]
    assert tokenizer.convert_ids_to_tokens(ALIAS) == "<|call|>"
    assert tokenizer("<|same as call|>", add_special_tokens=False)["input_ids"] == [ALIAS]


def test_ids_without_a_token_decode_to_nothing(tokenizer: Any) -> None:
    assert tokenizer.convert_ids_to_tokens([BOS + 1, 10**6]) == [None, None]
    the = chat_model().encode("the")
    assert tokenizer.decode([*the, BOS + 1, 10**6, -1, *the]) == "thethe"


def test_new_tokens_get_ids_after_the_largest_one(tokenizer: Any) -> None:
    size = chat_model().n_vocab
    assert len(tokenizer) == tokenizer.vocab_size == size == ALIAS + 1
    assert tokenizer.add_tokens(["<new>", "<think>", "<new>"]) == 1
    assert tokenizer.convert_tokens_to_ids("<new>") == size
    assert len(tokenizer) == size + 1
    ids = tokenizer("the<new> of", add_special_tokens=False)["input_ids"]
    assert ids == [*chat_model().encode("the"), size, *chat_model().encode(" of")]


def test_tokens_added_later_keep_their_flags() -> None:
    tokenizer = SuperwordTokenizer.from_superword(superwords())
    tokenizer.add_tokens(
        [
            transformers.AddedToken("<l>", lstrip=True),
            transformers.AddedToken("<r>", rstrip=True),
            transformers.AddedToken("word", single_word=True),
            transformers.AddedToken("<special>", special=True),
        ]
    )
    left, right, word, special = range(superwords().n_vocab, superwords().n_vocab + 4)
    the = superwords().encode("the")

    def ids(text: str, **options: Any) -> Any:
        return tokenizer(text, **options)["input_ids"]

    assert ids("the <l>the") == [*the, left, *the]
    assert ids("the<r> \nthe") == [*the, right, *the]
    assert ids("word") == [word]
    assert word not in ids("swords")
    encoded = tokenizer("the  <l>the", return_offsets_mapping=True)
    assert encoded["offset_mapping"] == [(0, 3), (3, 8), (8, 11)]
    assert ids("<special><l>", split_special_tokens=True)[-1] == left
    assert special not in ids("<special>", split_special_tokens=True)
    assert tokenizer.decode([special, left], skip_special_tokens=True) == "<l>"


@pytest.mark.parametrize("role", ["unk", "bos", "eos", "sep", "pad", "cls", "mask"])
def test_the_id_of_a_role_can_be_assigned(tokenizer: Any, role: str) -> None:
    (the,) = chat_model().encode("the")
    setattr(tokenizer, f"{role}_token_id", the)
    assert getattr(tokenizer, f"{role}_token_id") == the
    assert getattr(tokenizer, f"{role}_token") == "the"
    setattr(tokenizer, f"{role}_token_id", None)
    assert getattr(tokenizer, f"{role}_token_id") is None


def test_an_unknown_token_has_the_id_of_the_unknown_token(tokenizer: Any) -> None:
    assert tokenizer.convert_tokens_to_ids("no such token") is None
    tokenizer.unk_token = "<think>"
    assert tokenizer.convert_tokens_to_ids("no such token") == THINK
    tokenizer.unk_token = "also no such token"
    assert tokenizer.unk_token_id is None


def test_offsets_need_texts(tokenizer: Any) -> None:
    assert tokenizer([1, 2], add_special_tokens=False)["input_ids"] == [1, 2]
    with pytest.raises(OptionError, match="return_offsets_mapping"):
        tokenizer([1, 2], return_offsets_mapping=True)


def test_spaces_are_never_cleaned_up(tokenizer: Any) -> None:
    ids = chat_model().encode("the , of 's .")
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=True) == "the , of 's ."


def test_saved_and_loaded_it_keeps_everything(tokenizer: Any, tmp_path: Path) -> None:
    tokenizer.add_tokens(["<new>"])
    tokenizer.save_pretrained(tmp_path / "saved")
    code = (
        "import json, sys, transformers\n"
        "t = transformers.AutoTokenizer.from_pretrained(sys.argv[1], trust_remote_code=True)\n"
        "assert 'superword.integrations.transformers' not in sys.modules\n"
        "print(json.dumps([t(sys.argv[2])['input_ids'], t.special_tokens_map, t.chat_template,\n"
        "    t.model_max_length, t.padding_side, t.superword.settings, len(t),\n"
        "    [str(t.added_tokens_decoder), t('a', 'b')['input_ids']]]))\n"
    )
    text = "the <think><new> of"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "saved"), text],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"},
    )
    import json

    assert json.loads(done.stdout) == [
        tokenizer(text)["input_ids"],
        tokenizer.special_tokens_map,
        TEMPLATE,
        64,
        "left",
        chat_model().settings,
        len(tokenizer),
        [str(tokenizer.added_tokens_decoder), tokenizer("a", "b")["input_ids"]],
    ]
    again = SuperwordTokenizer.from_pretrained(tmp_path / "saved")
    assert again.superword == chat_model()
    for document in training_text(5, 5):
        assert again(document)["input_ids"] == tokenizer(document)["input_ids"]
