"""Trees and moves of segments, encoded as text for the page of a report.

A report can have many thousands of segments, so words are not repeated: codes refer to places of
the permutation, from 0, and the page looks the words up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hyperbaton.explanations.explanation import MoveDescription, Quote, describe_moves, place_words
from hyperbaton.order.moves import Move
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.trees import PermutationTree
from hyperbaton.views.drawings.trees import shapes
from hyperbaton.views.segment_data import BOUNDARY, SegmentData

MoveCode = list[int | str]  # start, end, before, block, anchor, distance


def encode_order(
    segments: SegmentData, references: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[MoveCode]]]:
    """Return the tree and the moves of each segment.

    Segments whose aligned words are in the reference's order have an empty tree and no moves.

    Returns
    -------
    trees : list of str
        See :func:`encode_tree`.
    moves : list of list of [start, end, before, block, anchor, distance]
        The moves in the order in which they are made: the block's span of places, whether it moves
        before its anchor (1) or after it (0), the quotes of block and anchor in the sentence that
        describes the move (see :func:`encode_quote`), and how many words the block passes. The
        quote of a block is empty if it is the whole span as it is.
    """
    trees: list[str] = []
    moves: list[list[MoveCode]] = []
    values, offsets = segments.flat_permutations()
    sizes = np.diff(offsets)
    identity = np.arange(1, len(values) + 1) - np.repeat(offsets[:-1], sizes)
    bounds, places = offsets.tolist(), segments.all_places()
    all_moves = [of_segment for batch in segments.moves for of_segment in batch.to_lists()]
    moved = np.add.reduceat(np.append(values != identity, False), offsets[:-1]) * (sizes > 0)
    for k, reordered in enumerate(moved.tolist()):
        if not reordered:
            trees.append("")
            moves.append([])
            continue
        span = slice(bounds[k], bounds[k + 1])
        words = _split(segments.texts[k])
        reference_words = _split(references[k][segments.reference[k]])
        placed = place_words(places[span], words, reference_words)
        tree = PermutationTree.flattened(Permutation(values[span]))
        positions = [h for h, _ in places[span]]
        descriptions = describe_moves(all_moves[k], words, positions, placed)
        trees.append(encode_tree(tree, placed))
        moves.append(
            [
                _encode_move(move, description)
                for move, description in zip(all_moves[k], descriptions, strict=True)
            ]
        )
    return trees, moves


def encode_tree(tree: PermutationTree, words: Sequence[str]) -> str:
    """Return a flattened tree in brackets, as it is drawn.

    A leaf is a range of values, first-last, whose words are consecutive and in order. ``+`` stands
    for the operator ⟨1,2⟩ and ``-`` for ⟨2,1⟩; a chain is preceded by its length.

    >>> tree = Permutation([1, 2, 6, 7, 3, 4, 5, 8]).tree().flatten()
    >>> encode_tree(tree, "We meet at noon in the lobby .".split())
    '3×+[1-2;-[6-7;3-5];8]'
    """
    codes: dict[int, str] = {}
    for shape in reversed(shapes(tree, words)):  # children before parents
        if shape.children:
            operator = shape.label.replace("⟨1,2⟩", "+").replace("⟨2,1⟩", "-")
            code = f"{operator}[{';'.join(codes.pop(id(child)) for child in shape.children)}]"
        else:
            code = shape.label.replace("–", "-")
        codes[id(shape)] = code
    return code


def _encode_move(move: Move, description: MoveDescription) -> MoveCode:
    block = encode_quote(description.block)
    if block == _encode_places(range(*move.block)):
        block = ""
    anchor = encode_quote(description.anchor)
    return [*move.block, int(move.before), block, anchor, move.distance]


def encode_quote(quote: Quote) -> str:
    """Return the places of the quoted words, and the positions that follow them, if any.

    >>> encode_quote(Quote((("a", "b", "c"), ("e",)), "0–2 … 4", ((0, 1, 2), (4,))))
    '0-2…4@0–2 … 4'
    """
    runs = "…".join(map(_encode_places, quote.runs))
    return f"{runs}@{quote.positions}" if quote.positions else runs


def _encode_places(run: Sequence[int]) -> str:
    """Return places as ranges, in the order of the words.

    >>> _encode_places([4, 5, 6, 2])
    '4-6,2'
    """
    ranges: list[list[int]] = []
    for place in run:
        if ranges and place == ranges[-1][1] + 1:
            ranges[-1][1] = place
        else:
            ranges.append([place, place])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in ranges)


def _split(text: str) -> list[str]:
    return text.replace(BOUNDARY, " ").split(" ") if text else []
