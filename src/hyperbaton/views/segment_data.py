"""The segments of a report: their texts, links and permutations in a compact form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.metrics.batches import Texts
from hyperbaton.order.moves import BlockMoves
from hyperbaton.runs.linked_batches import LinkedBatch
from hyperbaton.runs.results import Result
from hyperbaton.runs.shown_links import linked_batches, shown_tokenization
from hyperbaton.text.display import raw_tokens, visible
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.views.segment_marks import SoftOrderSettings, encode_marks

Ints = npt.NDArray[np.int64]
# A zero-width space separates tokens where the text has no space. Texts that passed `visible`
# contain none themselves.
BOUNDARY = "\u200b"
NO_BREAK_SPACE = "\u00a0"


@dataclass
class SegmentData:
    """The segments of one system, one entry per segment in each list.

    Attributes
    ----------
    texts : list of str
        The system's texts, with :data:`BOUNDARY` between tokens that no space separates.
    reference : list of int
        Which of the segment's references is used: the one with the largest share of aligned words
        on both sides, as in ``Score.aligned``.
    links : list of list of int
        Runs of links as flat triples (system word, reference word, number of links).
    marks : list of str
        What soft order sees between the words (see :func:`encode_marks`).
    linked, words : list of int
        The number of words with a link, and of all words, on both sides together.
    length : list of int
        The number of words of the reference.
    permutations : list of (values, offsets)
        Flat permutations, one pair of arrays per batch of segments.
    places : list of (hyp, ref)
        The system word and the reference word at each place of the permutations, one pair of arrays
        per batch.
    moves : list of BlockMoves
        The moves, one object per batch.
    """

    texts: list[str] = field(default_factory=list)
    reference: list[int] = field(default_factory=list)
    links: list[list[int]] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    permutations: list[tuple[Ints, Ints]] = field(default_factory=list)
    places: list[tuple[Ints, Ints]] = field(default_factory=list)
    moves: list[BlockMoves] = field(default_factory=list)

    def all_places(self) -> list[tuple[int, int]]:
        """Return the places of all permutations, one after another."""
        return [
            place
            for hyp, ref in self.places
            for place in zip(hyp.tolist(), ref.tolist(), strict=True)
        ]

    def flat_permutations(self) -> tuple[Ints, Ints]:
        """Return the permutations of all batches as flat values and offsets."""
        values = np.concatenate([values for values, _ in self.permutations])
        sizes = np.concatenate([np.diff(offsets) for _, offsets in self.permutations])
        return values, np.concatenate(([0], np.cumsum(sizes)))


def collect_segments(
    results: Sequence[Result], threads: int | None = None
) -> tuple[list[list[str]], list[SegmentData]]:
    """Return the texts of the references, a list per segment, and the segments of each system.

    The links are those of :func:`linked_batches`. The marks are those of the first metric with
    soft order in it, or of soft order without counts of pairs of words.
    """
    tokenization = shown_tokenization(results[0])
    metrics = [score.metric for score in results[0].values()]
    soft_order = SoftOrderSettings.of_metrics(metrics, tokenization)
    references: list[list[str]] = []
    systems = [SegmentData() for _ in results]
    for shared, batches in linked_batches(results, threads):
        texts = _texts(shared, tokenization)
        references += [texts[begin:end] for begin, end in pairwise(shared.starts.tolist())]
        for system, batch in zip(systems, batches, strict=True):
            _add_batch(system, batch, soft_order)
    return references, systems


def _add_batch(system: SegmentData, linked: LinkedBatch, soft_order: SoftOrderSettings) -> None:
    """Append a batch of segments to a system."""
    batch, links = linked.batch, linked.links
    system.texts += _texts(batch.hypotheses, linked.tokenization)
    system.reference += (linked.pairs - batch.references.starts[:-1]).tolist()
    system.links += _runs(links)
    system.marks += encode_marks(batch, linked.pairs, links, soft_order)
    system.linked += linked.linked.tolist()
    system.words += linked.words.tolist()
    system.length += links.ref_lengths.tolist()
    system.permutations.append(links.permutations())
    system.places.append(links.places())
    system.moves.append(linked.moves())


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
