"""The segments of a report in a compact form: texts, links, trees, moves, marks of ``order``.

A report can have many thousands of segments, so that words are not repeated: trees and moves refer
to places of the permutation, from 0, and the page looks the words up. A mark takes one character.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.explanations.explanation import MoveDescription, describe_moves, place_words
from hyperbaton.explanations.order_marks import find_soft_order, tenths
from hyperbaton.metrics.batches import Texts
from hyperbaton.metrics.metric import Floats
from hyperbaton.metrics.parts import OWN
from hyperbaton.metrics.soft_order import DEFAULT_LINKS, SoftOrdering
from hyperbaton.order.moves import BlockMoves, Move
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.trees import PermutationTree
from hyperbaton.runs.results import Result
from hyperbaton.runs.shown_links import LinkedBatch, linked_batches, shown_tokenization
from hyperbaton.softorder.inspection import BrokenStep, ReversedPair, find_breaks
from hyperbaton.softorder.order import MOST_CELLS
from hyperbaton.text.display import raw_tokens, visible
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Words
from hyperbaton.views.drawings.trees import shapes

Ints = npt.NDArray[np.int64]
Moves = Sequence[Sequence[Move]]  # of each segment
MoveCode = list[int | str]  # start, end, before, block, anchor, distance
# A zero-width space separates tokens where the text has no space. Texts that passed `visible`
# contain none themselves.
BOUNDARY = "\u200b"
NO_BREAK_SPACE = "\u00a0"
DIGITS = "0123456789X"
LETTERS = string.ascii_lowercase


@dataclass
class SegmentData:
    """The segments of one system.

    Attributes
    ----------
    columns : dict of str to list
        What the page gets, with one entry per segment in each list; see :func:`_batch_columns`.
    linked, words : list of int
        The number of words with a link, and of all words, on both sides together.
    longest : list of int
        The distance of the longest move of words.
    permutations : list of (values, offsets)
        Flat permutations, one pair of arrays per batch of segments.
    moves : list of BlockMoves
        The moves, one object per batch.
    """

    columns: dict[str, list[Any]] = field(default_factory=dict)
    linked: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    longest: list[int] = field(default_factory=list)
    permutations: list[tuple[Ints, Ints]] = field(default_factory=list)
    moves: list[BlockMoves] = field(default_factory=list)

    @property
    def shares(self) -> Floats:
        """The share of the words of each segment that have a link."""
        return np.array(self.linked) / np.maximum(self.words, 1)

    def flat_permutations(self) -> tuple[Ints, Ints]:
        """Return the permutations of all batches as flat values and offsets."""
        values = np.concatenate([values for values, _ in self.permutations])
        sizes = np.concatenate([np.diff(offsets) for _, offsets in self.permutations])
        return values, np.concatenate(([0], np.cumsum(sizes)))

    def add(self, linked: LinkedBatch, order: SoftOrdering, references: Sequence[str]) -> None:
        """Append a batch of segments, given the texts of all their references."""
        block_moves = linked.moves()
        moves = block_moves.to_lists()
        distances = [[m.distance for m in of_one if not m.is_punctuation] for of_one in moves]
        self.linked += linked.linked.tolist()
        self.words += linked.words.tolist()
        self.longest += [max(of_one, default=0) for of_one in distances]
        self.permutations.append(linked.links.permutations())
        self.moves.append(block_moves)
        for name, values in _batch_columns(linked, moves, order, references).items():
            self.columns.setdefault(name, []).extend(values)


def collect_segments(
    results: Sequence[Result], threads: int | None = None
) -> tuple[list[list[str]], list[SegmentData]]:
    """Return the texts of the references, a list per segment, and the segments of each system.

    The links are those of :func:`linked_batches`. The marks are those of the first metric with
    order without links in it, or of these without counts of pairs of words.
    """
    tokenization = shown_tokenization(results[0])
    metrics = [score.metric for score in results[0].values()]
    order = find_soft_order(metrics) or SoftOrdering("order", OWN, tokenization, DEFAULT_LINKS)
    references: list[list[str]] = []
    systems = [SegmentData() for _ in results]
    for shared, batches in linked_batches(results, threads):
        texts = _texts(shared, tokenization)
        references += [texts[begin:end] for begin, end in pairwise(shared.starts.tolist())]
        for system, batch in zip(systems, batches, strict=True):
            system.add(batch, order, texts)
    return references, systems


def _batch_columns(
    linked: LinkedBatch, moves: Moves, order: SoftOrdering, references: Sequence[str]
) -> dict[str, Iterable[Any]]:
    """Return what the page gets of a batch.

    Returns
    -------
    texts : list of str
        The system's texts, with :data:`BOUNDARY` between tokens that no space separates.
    reference : list of int
        Which of the segment's references is used: the one that ``order`` chooses or, without
        ``order``, the one with the largest share of linked words on both sides.
    length : list of int
        The number of words of the reference.
    linked : list of float
        The share of the words with a link.
    links : list of list of int
        Runs of links as flat triples (system word, reference word, number of links).
    marks : list of str
        What ``order`` sees between the words (see :func:`encode_marks`).
    trees : list of str
        The permutation trees (see :func:`encode_tree`). Segments whose linked words are in the
        reference's order have an empty tree and no moves.
    moves : list of list of [start, end, before, block, anchor, distance]
        The moves in the order in which they are made: the block's span of places, whether it moves
        before its anchor (1) or after it (0), the quotes of block and anchor in the sentence that
        describes the move (see :attr:`Quote.code`), and how many words the block passes. The
        quote of a block is empty if it is the whole span as it is.
    punctuation : list of int
        The number of moves of punctuation alone.
    """
    batch, links = linked.batch, linked.links
    texts = _texts(batch.hypotheses, linked.tokenization)
    shown = [references[pair] for pair in linked.pairs.tolist()]
    trees, codes = zip(*_encode_order(links, moves, texts, shown), strict=True)
    return {
        "texts": texts,
        "reference": (linked.pairs - batch.references.starts[:-1]).tolist(),
        "length": links.ref_lengths.tolist(),
        "linked": np.round(linked.linked / np.maximum(linked.words, 1), 2).tolist(),
        "links": _runs(links),
        "marks": encode_marks(linked, order),
        "trees": trees,
        "moves": codes,
        "punctuation": [sum(m.is_punctuation for m in of_one) for of_one in moves],
    }


def _runs(links: AlignmentBatch) -> list[list[int]]:
    """Return the links of each pair, word by word, as runs: both starts and the length.

    >>> from hyperbaton import Alignment
    >>> alignments = [Alignment(4, 4, [(0, 1), (1, 2), (2, 0)]), Alignment(1, 1, [])]
    >>> _runs(AlignmentBatch.from_alignments(alignments))
    [[0, 1, 2, 2, 0, 1], []]
    """
    # sorted; pairs of words that overlapping phrases share occur once
    pair, hyp, ref = np.unique(np.stack(links.word_links()), axis=1)
    follows = (np.diff(pair) == 0) & (np.diff(hyp) == 1) & (np.diff(ref) == 1)
    first = np.flatnonzero(np.concatenate(([True], ~follows))[: len(pair)])
    lengths = np.diff(np.append(first, len(pair)))
    flat = np.stack([hyp[first], ref[first], lengths], axis=1).reshape(-1).tolist()
    ends = 3 * np.cumsum(np.bincount(pair[first], minlength=len(links)))
    return [flat[begin:end] for begin, end in pairwise([0, *ends.tolist()])]


def _texts(texts: Texts, tokenization: Tokenization) -> list[str]:
    tokens = texts.tokens(tokenization.with_punctuation())
    return [
        with_boundaries(line, raw_tokens(line, tokenization, of_line))
        for line, of_line in zip(texts.lines, tokens, strict=True)
    ]


def with_boundaries(text: str, words: Sequence[str]) -> str:
    """Return the text with :data:`BOUNDARY` between words that no space separates.

    Punctuation that is no word of its own is shown with the word beside it. If the words are not
    those of the text (the tokeniser turns ``&quot;`` into one character), the words themselves are
    returned, joined by spaces.

    >>> with_boundaries("Well,  yes.", ["Well", ",", "yes", "."]).split(BOUNDARY)
    ['Well', ', yes', '.']
    >>> with_boundaries("(Well), – yes.", ["Well", "yes"]).split(" ")
    ['(Well),\xa0–', 'yes.']
    >>> with_boundaries("a&amp;b", ["a", "&", "b"])
    'a & b'
    """
    text = visible(" ".join(text.split()))
    parts: list[str] = []
    at = 0
    for word in words:
        begin = text.find(word, at)
        skipped = text[at:begin]
        if begin < 0 or any(map(str.isalnum, skipped)):
            return " ".join(words)
        before, space, after = skipped.rpartition(" ")
        if not parts:
            parts.append(_unbroken(skipped))
        elif space:
            parts += [_unbroken(before), " ", after]
        else:
            parts += [after, BOUNDARY]
        parts.append(word)
        at = begin + len(word)
    rest = text[at:]
    if any(map(str.isalnum, rest)) or not words:
        return " ".join(words)
    return "".join(parts) + _unbroken(rest)


def _unbroken(text: str) -> str:
    """Return the text without spaces at which the page would divide it."""
    return text.replace(" ", NO_BREAK_SPACE)


# Marks of order


def encode_marks(linked: LinkedBatch, order: SoftOrdering) -> Iterator[str]:
    """Yield the marks of each segment.

    They are the losses of the steps of the translation, of the steps of the reference and of the
    pairs of neighbours, and the strengths of the words of both (see :func:`encode_losses`), with /
    between them. A segment has none if the words that ``order`` compares are not those that are
    shown, or if it is too long.

    Parameters
    ----------
    linked : LinkedBatch
        The segments, with the links that are shown.
    order : SoftOrdering
        How soft order compares the words.
    """
    pairs, shown = linked.batch.word_pairs(order.tokenization), linked.links
    hyps, refs = (words.take(linked.pairs) for words in pairs)
    drawable = (
        (hyps.lengths == shown.hyp_lengths)
        & (refs.lengths == shown.ref_lengths)
        & (hyps.lengths * refs.lengths <= MOST_CELLS)
    )
    spans = starmap(slice, pairwise(linked.batch.references.starts.tolist()))
    for is_drawable, span, hyp, ref in zip(
        drawable.tolist(), spans, _sentences(hyps), _sentences(refs), strict=True
    ):
        if not is_drawable:
            yield ""
            continue
        model = order.segment_model(linked.batch.references.utf8[span])
        found = find_breaks(hyp, ref, order.soft_links, model)
        losses: Iterable[Iterable[tuple[int, float]]] = (
            _by_gap(found.steps),
            _by_gap(found.reference_steps),
            _by_gap(found.pairs),
            enumerate(found.strengths),
            enumerate(found.reference_strengths),
        )
        yield "/".join(map(encode_losses, losses)).rstrip("/")


def _by_gap(losses: Iterable[BrokenStep | ReversedPair]) -> Iterator[tuple[int, float]]:
    return ((item.right, item.loss) for item in losses)


def _sentences(words: Words) -> Iterator[Words]:
    """Yield the sentences one by one. Slices are much faster than ``Words.take`` for each."""
    for begin, end in pairwise(words.offsets.tolist()):
        yield Words(words.table, words.numbers[begin:end], np.array([0, end - begin]))


def encode_losses(losses: Iterable[tuple[int, float]]) -> str:
    """Return the losses of gaps, or the strengths of words, as text, from begin to end.

    A digit is the loss of a gap in tenths, and X is a loss of 1. A letter stands for gaps without a
    loss: a for one, b for two, up to z for 26. Those at the end are left out.

    >>> encode_losses([(0, 0.76), (1, 0.04), (3, 0.98)])
    '8bX'
    """
    code, end = "", 0
    for gap, loss in losses:
        if digit := tenths(loss):
            full_runs, rest = divmod(gap - end, len(LETTERS))
            code += LETTERS[-1] * full_runs + LETTERS[rest - 1] * (rest > 0) + DIGITS[digit]
            end = gap + 1
    return code


# Trees and moves


def _encode_order(
    links: AlignmentBatch, moves: Moves, texts: Sequence[str], references: Sequence[str]
) -> Iterator[tuple[str, list[MoveCode]]]:
    """Yield the tree and the moves of each segment."""
    values, offsets = links.permutations()
    places = list(zip(*(side.tolist() for side in links.places()), strict=True))
    spans = starmap(slice, pairwise(offsets.tolist()))
    for span, of_segment, text, reference in zip(spans, moves, texts, references, strict=True):
        if not of_segment:
            yield "", []
            continue
        words = _split(text)
        placed = place_words(places[span], words, _split(reference))
        tree = PermutationTree.flattened(Permutation(values[span]))
        positions = [h for h, _ in places[span]]
        descriptions = describe_moves(of_segment, words, positions, placed)
        yield encode_tree(tree, placed), list(map(_encode_move, of_segment, descriptions))


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
    block, whole = description.block, (tuple(range(*move.block)),)
    code = "" if block.runs == whole and not block.positions else block.code
    return [*move.block, int(move.before), code, description.anchor.code, move.distance]


def _split(text: str) -> list[str]:
    return text.replace(BOUNDARY, " ").split(" ") if text else []
