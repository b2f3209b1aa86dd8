"""The explanation of one translation: its links, its word order, its moves and its scores.

Moves are put in words: 'moved "A" after "B"'. They are applied to the whole system sentence one
after another, and each description quotes the words in the order they have just before its move. A
block takes the words without a link between its words along; a quote shows them as …, as it does
the middle of a long block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import InversionParse
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.order.moves import Move, Span
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.trees import PermutationTree
from hyperbaton.presentation import Drawing, PrintedResult, presenter
from hyperbaton.runs.results import Result
from hyperbaton.softorder.inspection import SoftOrderView
from hyperbaton.text.display import clip_word, describe_signs, is_right_to_left, terminal_width
from hyperbaton.text.plurals import count_noun

SCHEMA = "hyperbaton/explanation/1"
MAX_QUOTED_WORDS = 8  # a longer block is quoted by its ends, half as many words each


@dataclass(frozen=True, eq=False)
class Explanation(PrintedResult):
    """The word order of one translation compared with its reference.

    Attributes
    ----------
    hypothesis, reference : str
        The two texts.
    hypothesis_words, reference_words : tuple of str
        The tokens that were aligned, as they are written in the text, with signs for characters
        that are not seen (see :func:`hyperbaton.text.display.visible`).
    alignment : Alignment
    permutation : Permutation
    moves : tuple of Move
        The blocks that must move to turn the system's order into the reference's, longest first,
        and punctuation alone last. Their spans are places of ``permutation``.
    parse : InversionParse
        The inversion parse of the tokens as error rates see them.
    edit : TreeEdit or None
        The tree edit script, if there are dependency trees.
    scores : Result
        The scores of the segment: ``bleu`` is sentence BLEU.
    soft : SoftOrderView or None
        Where the order differs by ``order``, which needs no links; None for very long texts.
    left_out : tuple of str
        The default metrics that are too slow for a text of this length.
    uncounted : tuple of str
        The metrics that count pairs of words in all references, but were not given these.
    source : str or None
        The source text, which is only shown.
    language : str or None
        The language of the two texts.
    """

    hypothesis: str
    reference: str
    hypothesis_words: tuple[str, ...]
    reference_words: tuple[str, ...]
    alignment: Alignment
    permutation: Permutation
    moves: tuple[Move, ...]
    parse: InversionParse
    edit: TreeEdit | None
    scores: Result
    soft: SoftOrderView | None = None
    left_out: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    source: str | None = None
    language: str | None = None

    @property
    def punctuation_moves(self) -> int:
        """The number of moves of punctuation alone, which are the last ones."""
        return sum(move.is_punctuation for move in self.moves)

    @cached_property
    def tree(self) -> PermutationTree | None:
        """The flattened permutation tree, or None if no word is linked."""
        return self.permutation.tree().flatten() if len(self.permutation) else None

    @property
    def order_without_moves(self) -> str:
        """What can be said of the order if no moves are listed."""
        if list(self.permutation) == sorted(self.permutation):
            return "the linked words are in the order of the reference"
        return "the linked words are in the order of the reference, except for punctuation"

    @cached_property
    def placed_words(self) -> tuple[str, ...]:
        """The word at each place of the permutation.

        A word that is linked to several reference words is written with each of them: ``zum/to``,
        or ``for/de(1)`` with a position if they are equal.
        """
        return place_words(self.alignment.places, self.hypothesis_words, self.reference_words)

    @property
    def named_words(self) -> tuple[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]]:
        """The words of the system and of the reference, with these names."""
        return ("system", self.hypothesis_words), ("reference", self.reference_words)

    @property
    def sign_notes(self) -> tuple[str, ...]:
        """What the signs for characters that are not seen stand for, if there are any."""
        return tuple(describe_signs(self.source or "", self.hypothesis, self.reference))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats that concern the metrics."""
        lines = [
            f"{name} may not be minimal: its budget ran out"
            for name, score in self.scores.items()
            if score.inexact
        ]
        lines += [f"{name}: {s.not_scored}" for name, s in self.scores.items() if s.value is None]
        if self.left_out:
            names = " and ".join(self.left_out)
            lines.append(f"{names} are omitted unless requested: they are slow on long texts")
        if self.uncounted:
            judge = "judges" if len(self.uncounted) == 1 else "judge"
            lines.append(
                f"{' and '.join(self.uncounted)} {judge} neighbours only by this reference: to "
                "count pairs of words, give all references (-r REF, or fit_on= in Python)"
            )
        return tuple(lines)

    @cached_property
    def move_descriptions(self) -> tuple[MoveDescription, ...]:
        """The moves in words, in parts."""
        positions = [h for h, _ in self.alignment.places]
        return tuple(
            describe_moves(self.moves, self.hypothesis_words, positions, self.placed_words)
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The moves in words, one sentence each.

        A sentence quotes the words in the order they have just before the move. Words without a
        link between them are shown as …. A quote that also fits other words is followed by
        positions in the system's sentence, from 0.
        """
        return tuple(map(str, self.move_descriptions))

    def draw(self, width: int | None = None, colour: bool = False) -> str:
        """Return the explanation as text.

        Parameters
        ----------
        width : int, optional
            Columns of the terminal. The default is the width of the current terminal.
        colour : bool
            Whether to use terminal colours.

        Returns
        -------
        str
            The text.
        """
        return presenter().explanation_text(self, width or terminal_width(), colour)

    def __str__(self) -> str:
        return self.draw()

    def drawings(self, *names: str, style: bool = True) -> dict[str, Drawing]:
        """Return SVG drawings by name.

        Parameters
        ----------
        *names : {"alignment", "tree", "forest", "parse", "dependencies"}
            Which drawings. The default is all; dependencies only if there are dependency trees.
        style : bool
            Whether drawings contain their style sheet. Without it, the page must have one (see
            :func:`hyperbaton.views.svg.style_sheet`).

        Returns
        -------
        dict of str to Drawing
            The drawings by name.
        """
        return presenter().explanation_drawings(self, names, style)

    @property
    def is_right_to_left(self) -> bool:
        """Whether the two texts are written from right to left."""
        return is_right_to_left("".join(self.hypothesis_words + self.reference_words))

    def to_svg(self, *names: str) -> Drawing:
        """Return the named drawings, or all of them, as one SVG, one below another.

        Several drawings have captions. Drawings of right-to-left texts start at the right.

        Parameters
        ----------
        *names : {"alignment", "tree", "forest", "parse", "dependencies"}
            Which drawings; by default all.

        Returns
        -------
        Drawing
            The SVG.
        """
        return presenter().stacked_drawings(self, names)

    def to_html(self) -> str:
        """Return a self-contained HTML page without scripts."""
        return presenter().explanation_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as a dictionary for JSON; ``operators`` are in pre-order."""
        operators = [
            {"operator": list(node.operator or ()), "repeat": node.repeat, "span": list(node.span)}
            for node in self.tree or ()
            if not node.is_leaf
        ]
        return {
            "schema": SCHEMA,
            "source": self.source,
            "hypothesis": self.hypothesis,
            "reference": self.reference,
            "hypothesis_words": list(self.hypothesis_words),
            "reference_words": list(self.reference_words),
            "alignment": self.alignment.to_dict(),
            "permutation": list(self.permutation),
            "tree": None if self.tree is None else str(self.tree),
            "operators": operators,
            "moves": [
                {**move.to_dict(), "text": text}
                for move, text in zip(self.moves, self.sentences, strict=True)
            ],
            "parse": self.parse.to_dict(),
            "edit": None if self.edit is None else self.edit.to_dict(),
            "soft": None if self.soft is None else self.soft.to_dict(),
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "left_out": list(self.left_out),
            "uncounted": list(self.uncounted),
        }

    def __repr__(self) -> str:
        moves = count_noun(len(self.moves), "move")
        return f"<Explanation of {len(self.permutation)} linked words, {moves}>"


class Token(NamedTuple):
    """A word of the system sentence.

    ``position`` counts the words of the original sentence. ``place`` is the word's place in the
    permutation, or None for a word without a link.
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

    @property
    def code(self) -> str:
        """The places of the words, and the positions, for programs that look the words up.

        >>> Quote((("a", "b", "c"), ("e",)), "0–2 … 4", ((0, 1, 2), (4,))).code
        '0-2…4@0–2 … 4'
        """
        runs = "…".join(format_ranges(run, ",", "-") for run in self.runs)
        return f"{runs}@{self.positions}" if self.positions else runs

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
        self.texts = np.array([self.numbers[token.text] for token in tokens], np.int64)
        self.is_linked = np.array([token.place is not None for token in tokens], bool)
        self.order = np.arange(len(tokens))  # indices in ``tokens``
        self.where = np.arange(len(tokens))  # by index in ``tokens``: the current position
        places = sorted((t.place, k) for k, t in enumerate(tokens) if t.place is not None)
        self.token_at = np.array([k for _, k in places], np.int64)  # by place

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
        words = start + np.flatnonzero(self.is_linked[self.order[start:end]])
        stretches = [(start, end)]
        if len(words) > MAX_QUOTED_WORDS:
            half = MAX_QUOTED_WORDS // 2
            stretches = [(start, int(words[half - 1]) + 1), (int(words[-half]), end)]
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
        located = runs if any(map(self.occurs_again, (runs[0], runs[-1]))) else []
        return Quote(
            tuple([tuple([token.text for token in run]) for run in runs]),
            " … ".join(format_ranges(token.position for token in run) for run in located),
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


def format_ranges(positions: Iterable[int], separator: str = ", ", dash: str = "–") -> str:
    """Return positions of words in their order, with ranges; a word may have several places.

    >>> format_ranges([3, 3, 4, 5, 9, 2])
    '3–5, 9, 2'
    """
    ranges: list[list[int]] = []
    for position in positions:
        if ranges and position - ranges[-1][1] in (0, 1):
            ranges[-1][1] = position
        else:
            ranges.append([position, position])
    return separator.join(f"{a}" if a == b else f"{a}{dash}{b}" for a, b in ranges)
