"""Dependency trees: the words of a line of text, and the head of each."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hyperbaton.errors import InputError, InputTypeError, TreeError

MOST_SHOWN = 10  # tokens of a cycle that a message names


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """Words and the head of each: positions from 1, or 0 for a root; there may be several roots.

    >>> tree = DependencyTree(["She", "left", "early"], [2, 0, 2], ["nsubj", "root", "advmod"])
    >>> len(tree), tree.roots
    (3, (2,))
    >>> DependencyTree(["a", "b", "c"], [2, 3, 2])
    Traceback (most recent call last):
    ...
    hyperbaton...TreeError: tokens 2, 3 form a cycle

    ``labels`` are the names of the relations. ``multiwords`` are the tokens of the text that are
    more than one word, as in CoNLL-U: the first word, the last, and what the text has for them.

    >>> DependencyTree(["de", "le", "pain"], [3, 3, 0], multiwords=[(1, 2, "du")]).surface
    ('du', 'pain')
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...] | None = None
    multiwords: tuple[tuple[int, int, str], ...] = ()

    def __init__(
        self,
        words: Iterable[str],
        heads: Iterable[int],
        labels: Iterable[str] | None = None,
        multiwords: Iterable[tuple[int, int, str]] = (),
    ) -> None:
        put = object.__setattr__  # the tree is frozen from the beginning
        if isinstance(words, str):
            raise InputTypeError("words are a list of words, not one text")
        put(self, "words", tuple(words))
        put(self, "heads", tuple(map(operator.index, heads)))
        named = None if labels is None else tuple(labels)
        put(self, "labels", named if named or self.words else None)  # empty trees are equal
        index = operator.index
        put(self, "multiwords", tuple((index(a), index(b), form) for a, b, form in multiwords))
        count = len(self.words)
        for name, values in (("heads", self.heads), ("labels", self.labels)):
            if values is not None and len(values) != count:
                raise InputError(f"the number of words is {count}, but of {name} {len(values)}")
        for token, word in enumerate(self.words, 1):
            if not isinstance(word, str):
                raise InputTypeError(f"token {token} is a text, not {type(word).__name__}")
            if not word or word.isspace():
                raise TreeError(f"token {token} has no word", token)
        check_heads(self.heads)
        _check_multiwords(self.multiwords, count)

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(cls, sentence: Any) -> DependencyTree:
        """The tree of a sentence of the library ``conllu``, or of a ``Doc`` or ``Span`` of spaCy.

        Empty nodes and tokens of white space are no words. A tree is itself.
        """
        if isinstance(sentence, DependencyTree):
            return sentence
        tokens = list(sentence) if isinstance(sentence, Iterable) else None
        if tokens is not None and all(
            isinstance(token, Mapping) and {"id", "form", "head"} <= token.keys()
            for token in tokens
        ):
            return _of_conllu(tokens)
        if tokens is not None and all(hasattr(token, "is_space") for token in tokens):
            return _of_spacy(tokens)
        raise InputTypeError(
            "a tree is a DependencyTree, a sentence of conllu or a Doc of spaCy, not "
            f"{type(sentence).__name__}"
        )

    @property
    def roots(self) -> tuple[int, ...]:
        """The positions of the roots, from 1."""
        return tuple(token for token, head in enumerate(self.heads, 1) if head == 0)

    @property
    def surface(self) -> tuple[str, ...]:
        """What the text has: the words, but one form for those of a multi-word token."""
        if not self.multiwords:
            return self.words
        forms: list[str] = []
        done = 0
        for first, last, form in self.multiwords:
            forms += self.words[done : first - 1]
            forms.append(form)
            done = last
        return (*forms, *self.words[done:])

    def flat(self) -> DependencyTree:
        """The same words, each the only child of the one before it.

        >>> DependencyTree(["a", "b", "c"], [2, 0, 2]).flat().heads
        (0, 1, 2)
        """
        return DependencyTree(self.words, range(len(self)), multiwords=self.multiwords)

    @staticmethod
    def join(trees: Iterable[DependencyTree]) -> DependencyTree:
        """One tree of several sentences, with all their roots.

        >>> yes, no = DependencyTree(["Yes", "."], [0, 1]), DependencyTree(["No", "."], [0, 1])
        >>> DependencyTree.join([yes, no]).heads
        (0, 1, 0, 3)
        """
        parts = list(trees)
        if len(parts) == 1:
            return parts[0]
        words: list[str] = []
        heads: list[int] = []
        labels: list[str] | None = []
        multiwords: list[tuple[int, int, str]] = []
        for part in parts:
            before = len(words)
            words += part.words
            heads += (head and head + before for head in part.heads)
            multiwords += ((a + before, b + before, form) for a, b, form in part.multiwords)
            labels = None if labels is None or part.labels is None else [*labels, *part.labels]
        return DependencyTree(words, heads, labels if parts else None, multiwords)


def _of_conllu(tokens: list[Mapping[str, Any]]) -> DependencyTree:
    words = [token for token in tokens if isinstance(token["id"], int)]
    for token, word in enumerate(words, 1):
        if word["id"] != token:
            raise TreeError(f"token {word['id']} stands where token {token} belongs", token)
        if not isinstance(word["head"], int):
            raise TreeError(f"token {token} has no head", token)
    labels = [word.get("deprel") or "_" for word in words]
    ranges = [
        (token["id"][0], token["id"][2], token["form"])
        for token in tokens
        if not isinstance(token["id"], int) and token["id"][1] == "-"
    ]
    forms, heads = ([word[key] for word in words] for key in ("form", "head"))
    return DependencyTree(forms, heads, labels, ranges)


def _of_spacy(tokens: list[Any]) -> DependencyTree:
    """The words of a document, or of a part of one: whose head is outside is a root."""
    if tokens and not tokens[0].doc.has_annotation("DEP"):
        raise InputError("the document of spaCy has no dependencies: it was not parsed")
    words = [token for token in tokens if not token.is_space]
    place = {token.i: k for k, token in enumerate(words, 1)}
    heads = []
    for token in words:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        heads.append(0 if token.head.i == token.i else place.get(head.i, 0))
    labels = [token.dep_ or "_" for token in words]
    return DependencyTree([token.text for token in words], heads, labels)


def check_heads(heads: Sequence[int]) -> None:
    """Every token has a head that is there, and reaches a root."""
    count = len(heads)
    for token, head in enumerate(heads, 1):
        if not 0 <= head <= count:
            tokens = f"there {'is' if count == 1 else 'are'} {count:,} token{'s' * (count != 1)}"
            raise TreeError(f"token {token} has the head {head}, but {tokens}", token)
        if head == token:
            raise TreeError(f"token {token} is its own head", token)
    # From each token upwards, as far as where an earlier walk has been: every token is met once.
    walk = [0] * (count + 1)  # on which walk a token was met; 0: not yet
    for start in range(1, count + 1):
        token = start
        while token and not walk[token]:
            walk[token] = start
            token = heads[token - 1]
        if token and walk[token] == start:
            raise TreeError(*_cycle(heads, token))


def _cycle(heads: Sequence[int], token: int) -> tuple[str, int]:
    """What is said of the cycle that the token is on, and its first token."""
    found = [token]
    while heads[found[-1] - 1] != token:
        found.append(heads[found[-1] - 1])
    found.sort()
    more = ", …" if len(found) > MOST_SHOWN else ""
    return f"tokens {', '.join(map(str, found[:MOST_SHOWN]))}{more} form a cycle", found[0]


def _check_multiwords(multiwords: tuple[tuple[int, int, str], ...], count: int) -> None:
    """They have forms, and are ranges of words, in order, none in two of them."""
    done = 0
    for first, last, form in multiwords:
        if not done < first <= last <= count:
            shown = "once and in order" if 0 < first <= last <= count else f"from 1 to {count}"
            raise TreeError(f"token {first}-{last}: its words must be {shown}", max(1, first))
        if not isinstance(form, str):
            raise InputTypeError(f"token {first}-{last} is a text, not {type(form).__name__}")
        if not form or form.isspace():
            raise TreeError(f"token {first}-{last} has no form", first)
        done = last
