"""`superword explain`: how a token came about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import superword
from click.testing import CliRunner, Result
from superword import Tokenizer, _core
from superword.cli import cli
from superword.errors import TokenError
from superword.pretokenizer import Pretokenizer
from superword.views import explain

EVENTS = [
    ("merge", b"t", b"h", 90),
    ("merge", b"th", b"e", 80),
    ("merge", b" ", b"the", 70),
    ("merge", b"o", b"f", 60),
    ("merge", b" ", b"of", 50),
    ("supermerge", b" of", b" the", 40),
    ("supermerge", b" of the", b" the", 30),
]
TREE = """\
merges            id  count
" of the"        261     40
├─ " of"         260     50
│  ├─ " "         32
│  └─ "of"       259     60
│     ├─ "o"     111
│     └─ "f"     102
└─ " the"        258     70
   ├─ " "         32
   └─ "the"      257     80
      ├─ "th"    256     90
      │  ├─ "t"  116
      │  └─ "h"  104
      └─ "e"     101"""


def made(events: list[tuple[str, bytes, bytes, int]] = EVENTS, **facts: object) -> Tokenizer:
    model = _core.Model.from_parts(
        "superbpe",
        Pretokenizer()._engine,
        "bytes",
        events,
        None,
        [("<|x|>", 256 + len(events), True, False, False, False, False)],
        json.dumps(facts),
    )
    return Tokenizer._wrap(model)


def made_bpe(events: list[tuple[str, bytes, bytes, int]]) -> Tokenizer:
    return Tokenizer._wrap(
        _core.Model.from_parts("bpe", Pretokenizer()._engine, "bytes", events, None, [], "{}")
    )


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["explain", *map(str, arguments)])


def test_the_tree_has_every_merge_with_its_id_and_count() -> None:
    told = explain(made(), " of the")
    assert told.origin == "superword"
    assert told.words == (b" of", b" the")
    assert (told.id, told.count, told.rank, told.ranks) == (261, 40, 6, 7)
    assert str(told).split("\n\n")[1] == TREE


def test_a_repeated_part_is_drawn_once() -> None:
    told = explain(made(), " of the the")
    assert told.words == (b" of", b" the", b" the")
    the = [step for step in told.tree if step.token == b" the"]
    assert [step.repeated for step in the] == [False, True]
    assert str(told).count('"th"') == 1
    assert '" the" (as above)' in str(told)


def test_uses_are_all_tokens_made_from_it_the_most_frequent_first() -> None:
    told = explain(made(), "the")
    assert [use.token for use in told.uses] == [b" the", b" of the", b" of the the"]
    assert (told.superwords, told.longer) == (2, 1)
    assert [use.token for use in explain(made(), "the", top=1).uses] == [b" the"]
    assert "part of 2 superwords and 1 other token, such as" in str(explain(made(), "the", top=1))


@pytest.mark.parametrize("token", [" the", " of the", " of the the"])
def test_the_vocabulary_size_is_the_first_that_has_the_token(token: str) -> None:
    model = made()
    size = explain(model, token).vocab_size
    assert size is not None
    assert model.truncate(size).token_to_id(token) is not None
    assert model.truncate(size - 1).token_to_id(token) is None


def test_bytes_special_tokens_and_parts_of_characters() -> None:
    model = made()
    told = explain(model, "a")
    assert (told.origin, told.tree[0].count, len(told.tree)) == ("byte", None, 1)
    assert explain(model, b"\xe2").encoded is None
    assert "not whole characters" in str(explain(model, b"\xe2"))
    special = explain(model, "<|x|>")
    assert (special.origin, special.id) == ("special", 263)
    assert explain(model, 263) == special


def test_a_token_that_its_text_is_not_encoded_as_is_unreachable() -> None:
    # A space at the end is a pretoken of its own, so this merge never applies.
    events = [*EVENTS[:3], ("merge", b" the", b" ", 3)]
    told = explain(made(events), " the ")
    assert told.reachable is False
    assert 'unreachable: its text is encoded as " the" " "' in str(told)
    assert explain(made(), " of the").reachable is True


def test_a_text_that_is_no_token_gets_its_encoding_and_similar_tokens() -> None:
    told = explain(made(), "The")
    assert (told.id, told.origin, told.reachable) == (None, "none", None)
    assert told.encoded == (b"T", b"h", b"e")
    assert [use.token for use in told.similar] == [b"the", b" the"]
    with pytest.raises(TokenError):
        explain(made(), 99_999)


def test_counts_that_an_import_does_not_have_are_not_shown() -> None:
    merges = [(kind, left, right, 1) for kind, left, right, _ in EVENTS[:5]]
    imported = explain(made(merges, imported={"counts": "not known"}), " the")
    assert imported.count is None
    assert "adjacent" not in str(imported)
    assert "count" not in str(imported)
    # Superwords that were added to it have counts.
    extended = explain(made([*merges, *EVENTS[5:]], base={"n_vocab": 261}), " of the")
    assert extended.count == 40
    assert {step.count for step in extended.tree if not step.superword} == {None}


def test_a_deleted_token_is_explained_and_is_no_token(tmp_path: Path) -> None:
    texts = ["One of the first things that one of the people in the house said. " * 9]
    with pytest.warns(superword.errors.ShortfallWarning):
        model = superword.train_from_iterator(texts, vocab_size=300, method="bpe", picky=0.6)
    gone = {left for kind, left, _, _ in model._model.events() if kind == "delete"}
    deleted = next(token for token in sorted(gone) if model.token_to_id(token) is None)
    told = explain(model, deleted)
    assert (told.id, told.origin, told.vocab_size) == (None, "deleted", None)
    assert told.tree[0].id is None
    assert len(told.tree) > 1
    model.save(tmp_path / "m.superword")
    result = command(tmp_path / "m.superword", deleted.decode())
    assert result.exit_code == 1
    assert "deleted" in result.stdout


def test_a_token_that_was_deleted_and_made_again_has_its_last_count() -> None:
    events = [
        ("merge", b"t", b"h", 9),
        ("merge", b"th", b"e", 8),
        ("delete", b"th", b"", 0),
        ("merge", b"t", b"h", 5),
    ]
    told = explain(made_bpe(events), "th")
    assert (told.origin, told.count) == ("merge", 5)
    assert [step.count for step in explain(made_bpe(events), "the").tree][:2] == [8, 9]


def test_a_deep_tree_is_drawn() -> None:
    events = [("merge", b"a" + b"b" * n, b"b", 3000 - n) for n in range(1499)]
    token = b"a" + b"b" * 1499
    told = explain(made_bpe(events), token)
    assert told.tree[-1].depth == 1
    assert max(step.depth for step in told.tree) == 1499
    assert str(told).count("└─") == 1499


def test_the_command_takes_escapes_and_ids(tmp_path: Path, boundless: Tokenizer) -> None:
    model = tmp_path / "m.superword"
    boundless.save(model)
    newline = command(model, r"\n")
    assert newline.exit_code == 0, newline.stderr
    assert newline.stdout.startswith('"\\n"  id 10\n')
    by_id = command(model, "--id", "10")
    assert by_id.stdout == command(model, r"\x0a").stdout
    assert "special token" in command(model, "<|pad|>").stdout
    told = json.loads(command(model, " the", "--json").stdout)
    assert told["id"] == boundless.token_to_id(" the")
    assert told["tree"][0]["token"] == " the"
    assert told["part_of"]["superwords"] > 0


def test_no_such_token_exits_with_1_and_tells_what_there_is(tmp_path: Path) -> None:
    made().save(tmp_path / "m.superword")
    result = command(tmp_path / "m.superword", "The")
    assert result.exit_code == 1
    assert 'encoded as "T" "h" "e"' in result.stdout
    assert '" the"' in result.stdout
    assert result.stderr.startswith('error: "The" is not a token of ')
    for arguments in ((), ("a", "--id", "1")):
        assert command(tmp_path / "m.superword", *arguments).exit_code == 2
