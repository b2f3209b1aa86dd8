"""The explanation of one translation: its links, its word order, its moves and its scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import InversionParse
from hyperbaton.edit.tree_edits import TreeEdit
from hyperbaton.explanations.wording import MoveDescription, describe_moves, place_words
from hyperbaton.order.moves import Move
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree
from hyperbaton.presentation import Drawing, NotebookDisplay, presenter
from hyperbaton.runs.results import Result
from hyperbaton.softorder.inspection import SoftOrderView
from hyperbaton.text.display import describe_signs, is_right_to_left, terminal_width
from hyperbaton.text.plurals import count_noun

SCHEMA = "hyperbaton/explanation/1"


@dataclass(frozen=True, eq=False)
class Explanation(NotebookDisplay):
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
        Where the order is wrong by soft order, which needs no links; None for very long texts.
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

    def __eq__(self, other: object) -> bool:
        """Return whether two explanations have the same data for JSON."""
        if not isinstance(other, Explanation):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.hypothesis, self.reference))

    @property
    def punctuation_moves(self) -> int:
        """The number of moves of punctuation alone, which are the last ones."""
        return sum(move.is_punctuation for move in self.moves)

    @cached_property
    def tree(self) -> PermutationTree | None:
        """The flattened permutation tree, or None if no word is aligned."""
        return self.permutation.tree().flatten() if len(self.permutation) else None

    @property
    def order_without_moves(self) -> str:
        """What can be said of the order if no moves are listed."""
        if list(self.permutation) == sorted(self.permutation):
            return "the aligned words are in the order of the reference"
        return "the aligned words are in the order of the reference, except for punctuation"

    @cached_property
    def placed_words(self) -> tuple[str, ...]:
        """The word at each place of the permutation.

        A word that is linked to several reference words is written with each of them: ``zum/to``,
        or ``for/de(1)`` with a position if they are equal.
        """
        return place_words(self.alignment.places, self.hypothesis_words, self.reference_words)

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

        A sentence quotes the words in the order they have just before the move. Unaligned words
        between them are shown as …. A quote that also fits other words is followed by positions in
        the system's sentence, from 0.
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
        nodes = [node for node in self.tree or () if not node.is_leaf]
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
            "operators": [
                {
                    "operator": list(node.operator or ()),
                    "repeat": node.repeat,
                    "span": list(node.span),
                }
                for node in nodes
            ],
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
        return f"<Explanation of {len(self.permutation)} aligned words, {moves}>"
