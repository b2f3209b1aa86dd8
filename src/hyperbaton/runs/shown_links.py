"""The links and the moves that reports and verdicts show of the texts of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import Batch, ReferenceTexts, found_links_key
from hyperbaton.metrics.linking import Linking, first_linking
from hyperbaton.metrics.metric import Metric
from hyperbaton.order.moves import BlockMoves, find_moves
from hyperbaton.runs.results import Result
from hyperbaton.runs.stored_segments import StoredBatch
from hyperbaton.text.tokenization import Tokenization, is_punctuation
from hyperbaton.text.words import TokenNumbers


def linked_batches(
    results: Sequence[Result], threads: int | None = None
) -> Iterator[tuple[ReferenceTexts, list[LinkedBatch]]]:
    """Yield the references of some segments and the batch of each system, then the next segments.

    The links are those of the first metric that aligns words, or of the default aligner if no
    metric does.

    Raises
    ------
    InputError
        If texts were not kept.
    """
    corpora = [_stored_batches(result) for result in results]
    linking = _shown_linking(results[0])
    aligner, tokenization = _shown_choice(results[0])
    metrics = [score.metric for score in results[0].values()]
    for stored in zip(*corpora, strict=True):
        references = stored[0].open_references()
        batches = []
        for stored_batch in stored:
            batch = stored_batch.open(references, threads)
            links = batch.links(aligner, tokenization) if linking is None else linking.links(batch)
            found = stored_batch.moves.get(found_links_key(aligner, tokenization))
            batches.append(LinkedBatch.from_links(batch, links, tokenization, metrics, found))
        yield references, batches


def count_moves(results: Sequence[Result], threads: int | None = None) -> dict[str, MoveCounts]:
    """Return the moves of each system; nothing if the texts were not kept."""
    if any(result.corpus is None for result in results):
        return {}
    counts = {}
    for result, found in zip(results, _find_moves(results, threads), strict=True):
        moves, linked, words = zip(*found, strict=True)
        counts[result.name] = MoveCounts.of_moves(moves, sum(linked), sum(words))
    return counts


def _find_moves(results: Sequence[Result], threads: int | None) -> Sequence[Sequence[FoundMoves]]:
    """Return the moves of each system's batches, which may have been kept."""
    key = found_links_key(*_shown_choice(results[0]))
    corpora = [_stored_batches(result) for result in results]
    if all(key in stored.moves for corpus in corpora for stored in corpus):
        return [[stored.moves[key] for stored in corpus] for corpus in corpora]
    linked = (batches for _, batches in linked_batches(results, threads))
    found = ([batch.find_moves() for batch in batches] for batches in linked)
    return list(zip(*found, strict=True))


def shown_tokenization(result: Result) -> Tokenization:
    """Return how the texts of a report become words."""
    return _shown_choice(result)[1]


def has_shown_links(result: Result, metric: str) -> bool:
    """Return whether a metric has the links that are shown, or needs none."""
    own = result[metric].metric
    if own.needs.linking is None:
        return True
    shown, same = _shown_linking(result), first_linking([own])
    if shown is None or same is None:
        return False
    keys = [found_links_key(linking.aligner, linking.tokenization) for linking in (shown, same)]
    return keys[0] == keys[1]


def _shown_linking(result: Result) -> Linking | None:
    """Return what gives the links that are shown; None if no metric aligns words."""
    return first_linking([score.metric for score in result.values()])


def _shown_choice(result: Result) -> tuple[Aligner, Tokenization]:
    """Return the aligner and the words of the links that are shown."""
    linking = _shown_linking(result)
    if linking is not None:
        return linking.aligner, linking.tokenization
    aligner = Aligner(next(iter(result.values())).metric.resources.language)
    return aligner, aligner.tokenization


def _stored_batches(result: Result) -> Sequence[StoredBatch]:
    if result.corpus is None:
        raise InputError(
            f"the texts of {result.name} were not kept: score them with keep_texts=True"
        )
    return result.corpus


Ints = npt.NDArray[np.int64]
PUNCTUATION = TokenNumbers(
    lambda: lambda tokens: np.array([is_punctuation(token) for token in tokens], np.int32)
)


class FoundMoves(NamedTuple):
    """The moves of a batch, and the numbers of words with a link and of all words."""

    moves: BlockMoves
    linked: int
    words: int


@dataclass(frozen=True, eq=False)
class LinkedBatch:
    """A batch of segments, each with one of its references.

    Attributes
    ----------
    batch : Batch
        The segments.
    pairs : array of int
        The pair of texts that is shown of each segment.
    links : AlignmentBatch
        The links of these pairs.
    linked, words : array of int
        The number of words with a link, and of all words, on both sides together.
    tokenization : Tokenization
        How the texts became words.
    known_moves : BlockMoves, optional
        The moves, if they were found before.
    """

    batch: Batch
    pairs: Ints
    links: AlignmentBatch
    linked: Ints
    words: Ints
    tokenization: Tokenization
    known_moves: BlockMoves | None = None

    @classmethod
    def from_links(
        cls,
        batch: Batch,
        links: AlignmentBatch,
        tokenization: Tokenization,
        metrics: Iterable[Metric],
        found: FoundMoves | None = None,
    ) -> LinkedBatch:
        """Choose the reference of each segment, given the links with all references.

        It is the one that a metric chooses, or else the one that most words are linked with.
        """
        if len(links) == len(batch):
            pairs = np.arange(len(batch))
        else:
            chosen = next((m.needs.chosen for m in metrics if m.needs.chosen), None)
            pairs = batch.best_covered(links) if chosen is None else chosen(batch)
        shown = links.select(pairs)
        linked = np.add(*shown.covered_words).astype(np.int64)
        words = shown.hyp_lengths + shown.ref_lengths
        moves = None if found is None else found.moves
        return cls(batch, pairs, shown, linked, words, tokenization, moves)

    def find_moves(self) -> FoundMoves:
        """Return the moves of all segments, with the coverage of the links."""
        return FoundMoves(self.moves(), int(self.linked.sum()), int(self.words.sum()))

    def moves(self) -> BlockMoves:
        """Return the moves of each segment."""
        if self.known_moves is not None:
            return self.known_moves
        values, offsets = self.links.permutations()
        hyp, _ = self.links.places()
        words, _ = self.batch.words(self.tokenization)
        flags = PUNCTUATION.array(words.table, len(words.table))[words.numbers]
        segment = np.repeat(np.arange(len(self.links)), np.diff(offsets))
        is_punctuation_at = flags[words.offsets[segment] + hyp] != 0
        return find_moves(values, offsets, is_punctuation_at, self.batch.threads)


class MoveKind(NamedTuple):
    """A kind of move: of a single word or of several, and to which side.

    >>> print(MoveKind(is_single=True, before=True))
    single words that come too late
    """

    is_single: bool
    before: bool

    def __str__(self) -> str:
        words = "single words" if self.is_single else "groups of words"
        return f"{words} that come too {'late' if self.before else 'early'}"


class FrequentMove(NamedTuple):
    """The most frequent kind of move: how many there are, and the median of their distances."""

    kind: MoveKind
    moves: int
    distance: int


@dataclass(frozen=True)
class MoveCounts:
    """The moves of a system.

    Attributes
    ----------
    segments : int
        Number of segments.
    reordered : int
        Number of segments in which words must move.
    linked, words : int
        Number of words with a link, and of all words, of translations and references.
    distances : mapping of MoveKind to mapping of int to int
        For each kind, the number of moves by distance. Punctuation alone does not count.
    punctuation : int
        Number of moves of punctuation alone.
    """

    segments: int
    reordered: int
    linked: int
    words: int
    distances: Mapping[MoveKind, Mapping[int, int]]
    punctuation: int

    @classmethod
    def of_moves(cls, moves: Iterable[BlockMoves], linked: int, words: int) -> MoveCounts:
        """Count the moves of batches of segments."""
        segments = reordered = punctuation = 0
        distances: dict[MoveKind, Counter[int]] = {}
        for batch in moves:
            of_words = ~batch.is_punctuation
            segments += len(batch)
            segment = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
            reordered += int(np.count_nonzero(np.bincount(segment[of_words])))
            punctuation += int(batch.is_punctuation.sum())
            single = batch.lengths == 1
            for kind in (MoveKind(a, b) for a in (True, False) for b in (True, False)):
                selected = of_words & (single == kind.is_single) & (batch.before == kind.before)
                found = Counter(batch.distances[selected].tolist())
                distances.setdefault(kind, Counter()).update(found)
        return cls(segments, reordered, linked, words, distances, punctuation)

    @property
    def moves(self) -> int:
        """Number of moves of words."""
        return sum(sum(counts.values()) for counts in self.distances.values())

    @property
    def linked_share(self) -> float:
        """Share of the words that have a link."""
        return self.linked / max(self.words, 1)

    @property
    def most_frequent(self) -> FrequentMove | None:
        """The most frequent kind of move; None if there is none, or two are equally frequent."""
        totals = {kind: sum(counts.values()) for kind, counts in self.distances.items()}
        kind, second = sorted(totals, key=totals.__getitem__, reverse=True)[:2]
        if totals[kind] == totals[second]:
            return None
        return FrequentMove(kind, totals[kind], _lower_median(self.distances[kind]))


def _lower_median(counts: Mapping[int, int]) -> int:
    """Return the median of counted values; the lower one of two.

    >>> _lower_median({1: 2, 5: 1, 7: 1})
    1
    """
    values = np.array(sorted(counts))
    below: npt.NDArray[np.int64] = np.cumsum([counts[value] for value in values.tolist()])
    return int(values[np.searchsorted(below, (below[-1] + 1) // 2)])
