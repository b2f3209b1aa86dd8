"""Moves in words: 'moved "A" after "B"'.

Moves are applied to the whole system sentence one after another, and each description quotes the
words in the order they have just before its move. A block takes the unaligned words between its
words along; a quote shows them as …, and so it shows the middle of a long block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.order.moves import Move, Span
from hyperbaton.text.display import clip_word
from hyperbaton.text.plurals import count_noun

Ints = npt.NDArray[np.int64]

MAX_QUOTED_WORDS = 8  # a longer block is quoted by its ends, half as many words each


class Token(NamedTuple):
    """A word of the system sentence.

    ``position`` counts the words of the original sentence. ``place`` is the word's place in the
    permutation, or None for an unaligned word.
    """

    text: str
    position: int
    place: int | None


class Quote(NamedTuple):
    """The words of a block.

    ``words`` are the words in runs, with … between each two runs, and ``runs`` are their places.
    ``positions`` are those of the words in the original sentence; they are empty if the words alone
    identify the block.
    """

    words: tuple[tuple[str, ...], ...]
    positions: str
    runs: tuple[tuple[int, ...], ...]

    @property
    def text(self) -> str:
        """The words as one text."""
        return " … ".join(map(" ".join, self.words))

    @property
    def suffix(self) -> str:
        """The positions in parentheses, or an empty string."""
        return f" ({self.positions})" if self.positions else ""

    def __str__(self) -> str:
        quoted = f"“{self.text}”" if '"' in self.text else f'"{self.text}"'
        return quoted + self.suffix


class MoveDescription(NamedTuple):
    """A move in words; ``side`` is "before" or "after"."""

    block: Quote
    side: str
    anchor: Quote

    def __str__(self) -> str:
        return f"moved {self.block} {self.side} {self.anchor}"


def place_words(
    places: Sequence[tuple[int, int]],
    hypothesis_words: Sequence[str],
    reference_words: Sequence[str],
) -> tuple[str, ...]:
    """Return the word at each place of the permutation.

    ``places`` are those of :attr:`hyperbaton.Alignment.places`. A word that is linked to several
    reference words is written with each of them: ``zum/to``. If these are equal, their positions
    tell them apart.

    >>> place_words([(0, 2), (1, 1), (1, 3), (2, 0)], ["x", "for", "y"], ["y", "de", "x", "de"])
    ('x', 'for/de(1)', 'for/de(3)', 'y')
    """
    if len({h for h, _ in places}) == len(places):
        return tuple(hypothesis_words[h] for h, _ in places)
    counts = Counter(h for h, _ in places)
    with_reference = Counter((h, reference_words[r]) for h, r in places)
    words = []
    for h, r in places:
        word = hypothesis_words[h]
        if counts[h] > 1:
            word += f"/{reference_words[r]}"
        if with_reference[h, reference_words[r]] > 1:
            word = clip_word(word, f"({r})")  # the position must not be cut off later
        words.append(word)
    return tuple(words)


def describe_distance(move: Move) -> str:
    """Return how far a block moves, in words.

    >>> describe_distance(Move((0, 2), (2, 5), before=False, distance=3))
    '3 words later'
    """
    return f"{count_noun(move.distance, 'word')} {'earlier' if move.before else 'later'}"


def describe_moves(
    moves: Sequence[Move],
    words: Sequence[str],
    positions: Sequence[int],
    placed_words: Sequence[str],
) -> Iterator[MoveDescription]:
    """Yield the moves in words.

    Parameters
    ----------
    moves : sequence of Move
        The moves in the order in which they are made.
    words : sequence of str
        The words of the system.
    positions : sequence of int
        The position in ``words`` of each place of the permutation.
    placed_words : sequence of str
        The word to show at each place of the permutation; see :func:`place_words`.
    """
    tokens = [
        Token(clip_word(text), position, place)
        for place, (position, text) in enumerate(zip(positions, placed_words, strict=True))
    ]
    linked = set(positions)
    tokens += [Token(clip_word(w), k, None) for k, w in enumerate(words) if k not in linked]
    tokens.sort(key=lambda token: token.position)  # stable: the places of one word keep their order
    sentence = _Sentence(tokens)
    for move in moves:
        block, anchor = sentence.current_span(move.block), sentence.current_span(move.anchor)
        yield MoveDescription(
            sentence.quote(*block), "before" if move.before else "after", sentence.quote(*anchor)
        )
        sentence.move(block, anchor[0] if move.before else anchor[1])


class _Sentence:
    """The words of the system in their current order.

    A sentence of n words can need n moves, so whatever goes through all words uses arrays.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.counts = Counter(token.text for token in tokens)
        self.numbers = {text: number for number, text in enumerate(self.counts)}
        self.texts: Ints = np.array([self.numbers[token.text] for token in tokens], np.int64)
        self.is_linked = np.array([token.place is not None for token in tokens], bool)
        self.order: Ints = np.arange(len(tokens))  # indices in ``tokens``
        self.where: Ints = np.arange(len(tokens))  # by index in ``tokens``: the current position
        places = sorted((t.place, k) for k, t in enumerate(tokens) if t.place is not None)
        self.token_at: Ints = np.array([k for _, k in places], np.int64)  # by place

    def current_span(self, places: Span) -> Span:
        """Return where the words at these places are now, from the first to the last."""
        inside = self.where[self.token_at[places[0] : places[1]]]
        return int(inside.min()), int(inside.max()) + 1

    def move(self, block: Span, target: int) -> None:
        """Move the words of a block to before the one at ``target``."""
        start, end = block
        first, last = min(start, target), max(end, target)
        around = (self.order[first:start], self.order[end:last])
        moved = self.order[start:end]
        parts = (moved, *around) if target < start else (*around, moved)
        self.order[first:last] = np.concatenate(parts)
        self.where[self.order[first:last]] = np.arange(first, last)

    def quote(self, start: int, end: int) -> Quote:
        """Quote the words from ``start`` to ``end``, with positions if they fit another stretch."""
        aligned = start + np.flatnonzero(self.is_linked[self.order[start:end]])
        stretches = [(start, end)]
        if len(aligned) > MAX_QUOTED_WORDS:
            half = MAX_QUOTED_WORDS // 2
            stretches = [(start, int(aligned[half - 1]) + 1), (int(aligned[-half]), end)]
        runs: list[list[Token]] = [[]]
        for first, last in stretches:
            if runs[-1]:
                runs.append([])
            for k in self.order[first:last].tolist():
                if self.tokens[k].place is not None:
                    runs[-1].append(self.tokens[k])
                elif runs[-1]:
                    runs.append([])
        # a unique start and end identify the block
        ambiguous = any(self.occurs_again(run) for run in (runs[0], runs[-1]))
        return Quote(
            tuple([tuple([token.text for token in run]) for run in runs]),
            " … ".join(map(_format_positions, runs)) if ambiguous else "",
            tuple([tuple([t.place for t in run if t.place is not None]) for run in runs]),
        )

    def occurs_again(self, run: Sequence[Token]) -> bool:
        """Return whether the words of the run also occur elsewhere in the sentence."""
        if any(self.counts[token.text] == 1 for token in run):
            return False
        wanted = [self.numbers[token.text] for token in run]
        texts = self.texts[self.order]
        starts = np.flatnonzero(texts[: len(texts) - len(wanted) + 1] == wanted[0])
        for k in range(1, len(wanted)):
            starts = starts[texts[starts + k] == wanted[k]]
        return len(starts) > 1


def _format_positions(run: Sequence[Token]) -> str:
    """Return the positions of the words, such as "3–5, 9"."""
    ranges: list[list[int]] = []
    for token in run:
        # a difference of 0 is a word that has several places
        if ranges and token.position - ranges[-1][1] in (0, 1):
            ranges[-1][1] = token.position
        else:
            ranges.append([token.position, token.position])
    return ", ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in ranges)
