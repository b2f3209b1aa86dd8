"""Dependency trees: the words of a line of text and their heads."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hyperbaton.errors import InputError, InputTypeError, TreeError
from hyperbaton.presentation import NotebookDisplay
from hyperbaton.text.plurals import count_noun

MAX_SHOWN = 10  # tokens of a cycle in an error message


@dataclass(frozen=True, slots=True)
class DependencyTree(NotebookDisplay):
    """A dependency tree. There may be several roots.

    Parameters
    ----------
    words
        The syntactic words.
    heads
        The position of the head of each word, from 1, or 0 for a root.
    labels
        The relation of each word to its head.
    multiwords
        Tokens of the text that consist of several words, as in CoNLL-U: the first word, the last
        word, and the form in the text.

    Raises
    ------
    TreeError
        If the heads do not form a tree, or a word is empty.

    Examples
    --------
    >>> tree = DependencyTree(["She", "left", "early"], [2, 0, 2], ["nsubj", "root", "advmod"])
    >>> len(tree), tree.roots
    (3, (2,))
    >>> DependencyTree(["a", "b", "c"], [2, 3, 2])
    Traceback (most recent call last):
    ...
    hyperbaton...TreeError: tokens 2, 3 form a cycle
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
        assign = object.__setattr__  # the class is frozen
        for name, items in (("words", words), ("heads", heads)):
            if isinstance(items, str) or not isinstance(items, Iterable):
                raise InputTypeError(f"{name} must be a list, got {type(items).__name__}")
        assign(self, "words", tuple(words))
        assign(self, "heads", tuple(_check_index(head) for head in heads))
        all_labels = None if labels is None else tuple(labels)
        # Empty trees are equal, with or without labels.
        assign(self, "labels", all_labels if all_labels or self.words else None)
        index = operator.index
        assign(self, "multiwords", tuple((index(a), index(b), form) for a, b, form in multiwords))
        count = len(self.words)
        for name, values in (("heads", self.heads), ("labels", self.labels)):
            if values is not None and len(values) != count:
                raise InputError(f"there are {count} words, but {len(values)} {name}")
        for token, word in enumerate(self.words, 1):
            if not isinstance(word, str):
                raise InputTypeError(f"token {token} must be a string, got {type(word).__name__}")
            if not word or word.isspace():
                raise TreeError(f"token {token} is empty", token)
        check_heads(self.heads)
        _check_multiwords(self.multiwords, count)

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(cls, sentence: Any) -> DependencyTree:
        """Convert a sentence of the library ``conllu``, or a ``Doc`` or ``Span`` of spaCy.

        Empty nodes and white-space tokens are left out. A DependencyTree is returned as it is.

        Parameters
        ----------
        sentence : DependencyTree, conllu.TokenList, or spaCy Doc or Span
            The parsed sentence.

        Returns
        -------
        DependencyTree
            The tree.
        """
        if isinstance(sentence, DependencyTree):
            return sentence
        if isinstance(sentence, Iterable):
            tokens = list(sentence)
            if all(isinstance(t, Mapping) and {"id", "form", "head"} <= t.keys() for t in tokens):
                return _from_conllu(tokens)
            if all(hasattr(token, "is_space") for token in tokens):
                return _from_spacy(tokens)
        raise InputTypeError(
            "a tree must be a DependencyTree, a sentence of conllu or a Doc of spaCy, got "
            f"{type(sentence).__name__}"
        )

    @property
    def roots(self) -> tuple[int, ...]:
        """The positions of the roots, from 1."""
        return tuple(token for token, head in enumerate(self.heads, 1) if head == 0)

    @property
    def surface(self) -> tuple[str, ...]:
        """The tokens of the text: multi-word tokens have one form instead of their words."""
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
        """Return the tree in which each word is the only child of the word before it.

        >>> DependencyTree(["a", "b", "c"], [2, 0, 2]).flat().heads
        (0, 1, 2)
        """
        return DependencyTree(self.words, range(len(self)), multiwords=self.multiwords)

    @staticmethod
    def join(trees: Iterable[DependencyTree]) -> DependencyTree:
        """Join the trees of several sentences into one tree with all their roots.

        Parameters
        ----------
        trees : iterable of DependencyTree
            The trees, in the order of the sentences.

        Returns
        -------
        DependencyTree
            The joined tree.

        Examples
        --------
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


def _from_conllu(tokens: list[Mapping[str, Any]]) -> DependencyTree:
    words = [token for token in tokens if isinstance(token["id"], int)]
    for token, word in enumerate(words, 1):
        if word["id"] != token:
            raise TreeError(f"expected token {token}, got token {word['id']}", token)
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


def _from_spacy(tokens: list[Any]) -> DependencyTree:
    """Convert the tokens of a document or of a span; heads outside the span become roots."""
    if tokens and not tokens[0].doc.has_annotation("DEP"):
        raise InputError("the spaCy document has no dependencies: it was not parsed")
    words = [token for token in tokens if not token.is_space]
    positions = {token.i: k for k, token in enumerate(words, 1)}
    heads = []
    for token in words:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        heads.append(0 if token.head.i == token.i else positions.get(head.i, 0))
    labels = [token.dep_ or "_" for token in words]
    return DependencyTree([token.text for token in words], heads, labels)


def check_heads(heads: Sequence[int]) -> None:
    """Raise TreeError unless every head exists and every token leads to a root."""
    count = len(heads)
    for token, head in enumerate(heads, 1):
        if not 0 <= head <= count:
            raise head_range_error(token, head, count)
        if head == token:
            raise TreeError(f"token {token} is its own head", token)
    # Walk up from each token until a token of an earlier walk: every token is visited once.
    walk = [0] * (count + 1)  # the walk that visited a token; 0: none yet
    for start in range(1, count + 1):
        token = start
        while token and not walk[token]:
            walk[token] = start
            token = heads[token - 1]
        if token and walk[token] == start:
            raise _cycle_error(heads, token)


def head_range_error(token: int, head: int, count: int) -> TreeError:
    """Return the error for a head that is not among the ``count`` tokens."""
    tokens = f"there {'is' if count == 1 else 'are'} {count_noun(count, 'token')}"
    return TreeError(f"token {token} has the head {head}, but {tokens}", token)


def _cycle_error(heads: Sequence[int], token: int) -> TreeError:
    """Return the error for the cycle that contains the token."""
    cycle = [token]
    while heads[cycle[-1] - 1] != token:
        cycle.append(heads[cycle[-1] - 1])
    cycle.sort()
    shown = ", ".join(map(str, cycle[:MAX_SHOWN])) + ", …" * (len(cycle) > MAX_SHOWN)
    return TreeError(f"tokens {shown} form a cycle", cycle[0])


def _check_index(head: object) -> int:
    try:
        return operator.index(head)  # type: ignore[arg-type]
    except TypeError:
        raise InputTypeError(f"a head must be an integer, got {type(head).__name__}") from None


def _check_multiwords(multiwords: tuple[tuple[int, int, str], ...], count: int) -> None:
    """Raise an error unless multi-word tokens have forms and are disjoint ranges in order."""
    done = 0
    for first, last, form in multiwords:
        if not done < first <= last <= count:
            rule = "disjoint and in order" if 0 < first <= last <= count else f"from 1 to {count}"
            raise TreeError(f"token {first}-{last}: word ranges must be {rule}", max(1, first))
        if not isinstance(form, str):
            raise InputTypeError(
                f"token {first}-{last} must be a string, got {type(form).__name__}"
            )
        if not form or form.isspace():
            raise TreeError(f"token {first}-{last} is empty", first)
        done = last
