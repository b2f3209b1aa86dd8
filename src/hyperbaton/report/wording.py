"""Moves in words: 'moved "A" after "B"'.

Moves are applied to the whole system sentence one after another, and each description quotes the
words in the order they have just before its move. A block takes the unaligned words between its
words along; a quote shows them as …, and so it shows the middle of a long block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hyperbaton.order.moves import Move, Span
from hyperbaton.report.drawings.canvas import clip_word
from hyperbaton.text.plurals import count_noun

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
    counts = Counter(token.text for token in tokens)
    for move in moves:
        start, end = _current_span(tokens, move.block)
        first, last = _current_span(tokens, move.anchor)
        yield MoveDescription(
            _quote(tokens, start, end, counts),
            "before" if move.before else "after",
            _quote(tokens, first, last, counts),
        )
        block = tokens[start:end]
        target = first if move.before else last
        tokens[target:target] = block
        old_start = start if start < target else start + len(block)
        del tokens[old_start : old_start + len(block)]


def _current_span(tokens: Sequence[Token], places: Span) -> Span:
    """Return where the words at these places are now, from the first to the last."""
    start, end = places
    inside = [
        k
        for k, token in enumerate(tokens)
        if token.place is not None and start <= token.place < end
    ]
    return inside[0], inside[-1] + 1


def _quote(tokens: Sequence[Token], start: int, end: int, counts: Counter[str]) -> Quote:
    """Quote ``tokens[start:end]``, with positions if the words also fit another stretch."""
    quoted: list[Token | None] = [t if t.place is not None else None for t in tokens[start:end]]
    aligned = [k for k, token in enumerate(quoted) if token]
    if len(aligned) > MAX_QUOTED_WORDS:
        half = MAX_QUOTED_WORDS // 2
        quoted[aligned[half - 1] + 1 : aligned[-half]] = [None]
    runs: list[list[Token]] = [[]]
    for token in quoted:
        if token:
            runs[-1].append(token)
        elif runs[-1]:
            runs.append([])
    # a unique start and end identify the block
    ambiguous = any(_occurs_again(tokens, run, counts) for run in (runs[0], runs[-1]))
    return Quote(
        tuple([tuple([token.text for token in run]) for run in runs]),
        " … ".join(map(_format_positions, runs)) if ambiguous else "",
        tuple([tuple([token.place for token in run if token.place is not None]) for run in runs]),
    )


def _occurs_again(tokens: Sequence[Token], run: Sequence[Token], counts: Counter[str]) -> bool:
    """Return whether the words of the run also occur elsewhere in the sentence."""
    if any(counts[token.text] == 1 for token in run):
        return False
    texts = [token.text for token in run]
    starts = (k for k, token in enumerate(tokens) if token.text == texts[0])
    matches = (texts == [token.text for token in tokens[k : k + len(texts)]] for k in starts)
    return sum(matches) > 1


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
