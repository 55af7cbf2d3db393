"""Find out how a token came about, from the events of the model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from superword.views.explanation import Explanation, Origin, Step, Use
from superword.views.superwords import merge_counts_known

if TYPE_CHECKING:
    from superword.tokenizer import Tokenizer

__all__ = ["explain"]


@dataclass(frozen=True)
class _Made:
    """A merge or supermerge."""

    at: int  # Among all events, so that a merge is compared with deletions.
    rank: int  # Among merges and supermerges, from 1.
    left: bytes
    right: bytes
    count: int
    superword: bool


def explain(tokenizer: Tokenizer, token: str | bytes | int, *, top: int = 10) -> Explanation:
    """How a token came about: its merges, its count, and the longer tokens it is part of.

    >>> print(superword.views.explain(tok, " of the"))

    `token` is text, bytes or an id. Text refers to the added token with that text if there is one.
    A token that the vocabulary lacks is explained as well: see `origin`. An id that does not exist
    is a `TokenError`. `top` limits the list of longer tokens.
    """
    history = _History(tokenizer)
    added = {entry.id: entry for entry in tokenizer.added_tokens}
    if isinstance(token, int):
        id: int | None = token
        content = tokenizer.token_bytes(token)
    else:
        id = tokenizer.token_to_id(token)
        content = token.encode() if isinstance(token, str) else bytes(token)
    if id is not None and id in added:
        return _added(tokenizer, content, id, "special" if added[id].special else "added")

    made = history.last(content)
    origin: Origin
    if id is None:
        origin = "none" if made is None else "deleted"
    elif made is not None:
        origin = "superword" if tokenizer.is_superword(id) else "merge"
    else:
        origin = "byte" if len(content) == 1 and content not in history.unmade else "unmade"
    uses = history.uses(content)
    superwords = sum(use.superword for use in uses)
    return Explanation(
        token=content,
        id=id,
        origin=origin,
        count=None if made is None else history.count(made),
        rank=None if made is None else made.rank,
        ranks=history.steps,
        vocab_size=history.vocab_size(made) if id is not None else None,
        words=history.words(content) if origin == "superword" else (),
        tree=history.tree(content),
        superwords=superwords,
        longer=len(uses) - superwords,
        uses=tuple(uses[:top]),
        encoded=_encoded(tokenizer, content),
        similar=tuple(_similar(tokenizer, history, content)) if id is None else (),
    )


def _added(tokenizer: Tokenizer, content: bytes, id: int, origin: Origin) -> Explanation:
    return Explanation(
        token=content,
        id=id,
        origin=origin,
        count=None,
        rank=None,
        ranks=len(tokenizer.merges) + len(tokenizer.supermerges),
        vocab_size=None,
        words=(),
        tree=(),
        superwords=0,
        longer=0,
        uses=(),
        encoded=_encoded(tokenizer, content),
        similar=(),
    )


def _encoded(tokenizer: Tokenizer, content: bytes) -> tuple[bytes, ...] | None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return tuple(map(tokenizer.token_bytes, tokenizer.encode_ordinary(text)))


def _similar(tokenizer: Tokenizer, history: _History, content: bytes) -> Iterable[Use]:
    """Tokens that differ in the space before the text or in upper and lower case."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return
    bare = text.lstrip(" ")
    if not bare:
        return
    forms = (bare, bare.lower(), bare.capitalize(), bare.upper())
    for form in dict.fromkeys(space + form for form in forms for space in ("", " ")):
        id = tokenizer.token_to_id(form.encode())
        if id is not None:
            yield history.use(form.encode(), id)


class _History:
    """The events of a model, by the tokens that they make."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.counts_known = merge_counts_known(tokenizer)
        self.unmade = tokenizer.unmade_tokens
        self.made: dict[bytes, list[_Made]] = {}
        self.parents: dict[bytes, set[bytes]] = {}
        self.steps = 0
        self.sizes: list[int] = []  # How many tokens there were after each merge.
        for at, (kind, left, right, count) in enumerate(tokenizer._model.events()):
            if kind == "delete":
                continue
            self.steps += 1
            token = left + right
            first = token not in self.made
            self.sizes.append((self.sizes[-1] if self.sizes else 0) + first)
            made = _Made(at, self.steps, left, right, count, kind == "supermerge")
            self.made.setdefault(token, []).append(made)
            for part in (left, right):
                self.parents.setdefault(part, set()).add(token)

    def last(self, token: bytes) -> _Made | None:
        """The merge that made the token. A deleted token may have been made again."""
        made = self.made.get(token)
        if made is None:
            return None
        # Without deletions, a second merge to the same token adds nothing: the first one made it.
        return made[-1] if self.tokenizer._model.has_deletions else made[0]

    def before(self, token: bytes, at: int) -> _Made | None:
        """The merge that had made the token when a later event used it."""
        found = [made for made in self.made.get(token, ()) if made.at < at]
        if not found:
            return None
        return found[-1] if self.tokenizer._model.has_deletions else found[0]

    def count(self, made: _Made) -> int | None:
        """The count of a merge, or None if it is not known."""
        return made.count if self.counts_known or made.superword else None

    def vocab_size(self, made: _Made | None) -> int | None:
        """The smallest vocabulary with the token that a merge makes."""
        model = self.tokenizer._model
        if made is None or model.has_own_ids or model.has_deletions:
            return None
        fixed = self.tokenizer.n_vocab - self.sizes[-1]  # The alphabet and special tokens.
        return fixed + self.sizes[made.rank - 1]

    def id(self, token: bytes) -> int | None:
        return self.tokenizer._model.token_to_id(token)

    def tree(self, token: bytes) -> tuple[Step, ...]:
        """The token, its parts, their parts and so on. A repeated part is expanded once."""
        steps: list[Step] = []
        expanded: set[bytes] = set()
        todo = [(0, token, self.last(token))]
        while todo:
            depth, part, made = todo.pop()
            repeated = made is not None and part in expanded
            count = None if made is None else self.count(made)
            superword = made is not None and made.superword
            steps.append(Step(depth, part, self.id(part), superword, count, repeated))
            if made is not None and not repeated:
                expanded.add(part)
                for child in (made.right, made.left):
                    todo.append((depth + 1, child, self.before(child, made.at)))
        return tuple(steps)

    def words(self, token: bytes) -> tuple[bytes, ...]:
        """The pretokens that a superword joins."""
        words = []
        todo = [(token, self.last(token))]
        while todo:
            part, made = todo.pop()
            if made is None or not made.superword:
                words.append(part)
            else:
                for child in (made.right, made.left):
                    todo.append((child, self.before(child, made.at)))
        return tuple(words)

    def uses(self, token: bytes) -> list[Use]:
        """The tokens that are made from the token, directly or not, the most frequent first."""
        seen = {token}
        todo = [token]
        while todo:
            for longer in self.parents.get(todo.pop(), ()):
                if longer not in seen:
                    seen.add(longer)
                    todo.append(longer)
        seen.remove(token)
        found = []
        for longer in seen:
            id = self.id(longer)
            if id is not None:
                found.append(self.use(longer, id))
        ranks = {use.token: self.made[use.token][0].rank for use in found}
        return sorted(found, key=lambda use: (-(use.count or 0), ranks[use.token]))

    def use(self, token: bytes, id: int) -> Use:
        """A token with its count."""
        made = self.last(token)
        count = None if made is None else self.count(made)
        return Use(token, id, self.tokenizer.is_superword(id), count)
