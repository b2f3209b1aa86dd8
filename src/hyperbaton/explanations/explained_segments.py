"""The moves of many segments, with their links and scores, as data.

Segments are explained in batches while they are scored, so that links and moves are computed
natively and memory does not grow with the number of segments.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.explanations.explaining import choose_aligner, find_metrics
from hyperbaton.explanations.explanation import describe_moves, place_words
from hyperbaton.files.lines import StrPath
from hyperbaton.metrics.batches import Texts, locate_errors
from hyperbaton.metrics.inputs import check_source
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.parts import few_lines_warnings
from hyperbaton.order.moves import Move
from hyperbaton.runs.engine import ScoredBatch, score_batches
from hyperbaton.runs.run import Corpus, ListCorpus, Run
from hyperbaton.runs.shown_links import LinkedBatch
from hyperbaton.text.display import raw_tokens
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.threads import thread_count

SCHEMA = "hyperbaton/moves/1"
# Segments that are explained at a time. Those of all systems wait for each other, so that the
# batches are smaller than those of scores.
BATCH_SIZE = 500
SYSTEM = "system"  # name of the only system


@dataclass(frozen=True, slots=True)
class ExplainedMove:
    """A block that must move.

    Attributes
    ----------
    words : tuple of str
        The aligned words of the block, in the order of the system.
    positions, reference_positions : tuple of int
        Where these words are in the system and where the words linked with them are in the
        reference, from 0.
    direction : str
        ``earlier`` or ``later``: where the block belongs.
    distance : int
        Number of aligned words that the block passes.
    punctuation : bool
        Whether the block is punctuation alone.
    text : str
        The move in words.
    """

    words: tuple[str, ...]
    positions: tuple[int, ...]
    reference_positions: tuple[int, ...]
    direction: str
    distance: int
    punctuation: bool
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the move as a JSON-serializable dictionary."""
        return _plain_fields(self)


@dataclass(frozen=True, slots=True)
class ExplainedSegment:
    """A translation of one segment with its links, its moves and its scores.

    Attributes
    ----------
    segment : int
        Number of the segment, from 1.
    system : str
        Name of the system.
    source : str or None
    hypothesis, reference : str
        The texts. Of several references, it is the one with the largest share of aligned words.
    reference_index : int
        Which of the segment's references that is, from 0.
    hypothesis_words, reference_words : tuple of str
        The words of both sides, as they are written.
    links : tuple of (int, int)
        Pairs of positions of linked words in the system and in the reference, from 0.
    aligned : float
        Share of words with a link, on both sides together.
    moves : tuple of ExplainedMove
        The moves in the order in which they are made: the longest block first, and punctuation
        alone last.
    scores : dict of str to float
        The value of each metric for this segment.
    """

    segment: int
    system: str
    source: str | None
    hypothesis: str
    reference: str
    reference_index: int
    hypothesis_words: tuple[str, ...]
    reference_words: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    aligned: float
    moves: tuple[ExplainedMove, ...]
    scores: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the segment as a JSON-serializable dictionary."""
        return {"schema": SCHEMA, **_plain_fields(self)}


def _plain_fields(explained: ExplainedMove | ExplainedSegment) -> dict[str, Any]:
    """Return the fields by name, with lists instead of tuples."""
    return {field.name: _plain(getattr(explained, field.name)) for field in fields(explained)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return value.to_dict() if isinstance(value, ExplainedMove) else value


class SegmentExplainer:
    """Explains batches of segments as they are scored.

    Parameters
    ----------
    metrics : mapping of str to Metric
        The metrics. The words are those of the first metric that aligns words.
    language, tokenize, fold : str, optional
        As in :func:`hyperbaton.explain`.
    system_count : int
        Number of systems.
    sources : iterable of str, optional
        The source of each segment.
    source_name : str
        What the sources are called in error messages.
    punctuation : bool
        Whether to list moves of punctuation alone.
    """

    def __init__(
        self,
        metrics: Mapping[str, Metric],
        language: str | None,
        tokenize: str | None,
        fold: str | None,
        *,
        system_count: int,
        sources: Iterable[str] | None,
        source_name: str = "source",
        punctuation: bool = True,
    ) -> None:
        self._metrics = metrics
        self._aligner, self._tokenization = choose_aligner(
            metrics.values(), language, tokenize, fold
        )
        self._system_count = system_count
        self._source_name = source_name
        self._unread = None if sources is None else iter(sources)
        self._sources: Sequence[str] | None = None
        self._punctuation = punctuation
        self._waiting: list[Iterator[ExplainedSegment]] = []  # systems of the same segments

    def add(self, scored: ScoredBatch) -> Iterator[ExplainedSegment]:
        """Return the segments that are complete with this batch: those of all systems in turn."""
        batch = scored.batch
        if not self._waiting and self._unread is not None:
            self._sources = list(islice(self._unread, len(batch)))
            if len(self._sources) < len(batch):
                lines = count_noun(batch.first + len(self._sources), "line")
                raise InputError(f"{self._source_name} has {lines}, and the references have more")
        with locate_errors(batch):
            self._waiting.append(self._explain(scored))
        if len(self._waiting) < self._system_count:
            return iter(())
        complete, self._waiting = self._waiting, []
        return (segment for row in zip(*complete, strict=True) for segment in row)

    def finish(self) -> None:
        """Raise an error if there are more sources than segments."""
        if self._unread is not None and next(self._unread, None) is not None:
            raise InputError(f"{self._source_name} has more lines than the references")

    def _explain(self, scored: ScoredBatch) -> Iterator[ExplainedSegment]:
        batch = scored.batch
        linked = LinkedBatch.from_links(
            batch, batch.links(self._aligner, self._tokenization), self._tokenization
        )
        moves = linked.moves().to_lists()
        values = [scored.values(key).tolist() for key in self._metrics]
        return self._segments(linked, self._sources, moves, values)

    def _segments(
        self,
        linked: LinkedBatch,
        sources: Sequence[str] | None,
        all_moves: Sequence[Sequence[Move]],
        values: Sequence[Sequence[float]],
    ) -> Iterator[ExplainedSegment]:
        """Yield the segments one by one, so that few of them are in memory at a time."""
        batch, pairs = linked.batch, linked.pairs.tolist()
        hypotheses, references = list(batch.hypotheses.lines), list(batch.references.lines)
        hyp_words = _raw_words(batch.hypotheses, self._tokenization)
        ref_words = _raw_words(batch.references, self._tokenization)
        of_pair, *ends = linked.links.word_links()
        links = list(zip(*(end.tolist() for end in ends), strict=True))
        link_bounds = np.searchsorted(of_pair, np.arange(len(batch) + 1)).tolist()
        places = list(zip(*(side.tolist() for side in linked.links.places()), strict=True))
        place_bounds = linked.links.permutations()[1].tolist()
        shares = (linked.linked / np.maximum(linked.words, 1)).tolist()
        first_references = batch.references.starts.tolist()
        rows = zip(*values, strict=True) if values else iter([()] * len(batch))
        for k, row in enumerate(rows):
            moves = all_moves[k]
            if not self._punctuation:
                moves = [move for move in moves if not move.is_punctuation]
            words = hyp_words[k], ref_words[pairs[k]]
            yield ExplainedSegment(
                batch.first + k + 1,
                batch.system,
                None if sources is None else sources[k],
                hypotheses[k],
                references[pairs[k]],
                pairs[k] - first_references[k],
                *words,
                tuple(links[link_bounds[k] : link_bounds[k + 1]]),
                shares[k],
                tuple(_explain_moves(moves, places[place_bounds[k] : place_bounds[k + 1]], *words)),
                dict(zip(self._metrics, row, strict=True)),
            )


def _raw_words(texts: Texts, tokenization: Tokenization) -> list[tuple[str, ...]]:
    """Return the words of each text as they are written; systems share those of references."""

    def compute() -> list[tuple[str, ...]]:
        tokens = texts.tokens(tokenization.with_punctuation())
        return [
            raw_tokens(line, tokenization, of_line)
            for line, of_line in zip(texts.lines, tokens, strict=True)
        ]

    return texts.memoize(("raw words", tokenization), compute)


def _explain_moves(
    moves: Sequence[Move],
    places: Sequence[tuple[int, int]],
    hyp_words: Sequence[str],
    ref_words: Sequence[str],
) -> Iterator[ExplainedMove]:
    if not moves:
        return
    positions = [h for h, _ in places]
    placed = place_words(places, hyp_words, ref_words)
    descriptions = describe_moves(moves, hyp_words, positions, placed)
    for move, description in zip(moves, descriptions, strict=True):
        block = places[slice(*move.block)]
        yield ExplainedMove(
            tuple(hyp_words[h] for h, _ in block),
            tuple(h for h, _ in block),
            tuple(r for _, r in block),
            "earlier" if move.before else "later",
            move.distance,
            move.is_punctuation,
            str(description),
        )


def explain_many(
    hypotheses: Sequence[str] | Mapping[str, Sequence[str]],
    references: Sequence[str] | Sequence[Sequence[str]],
    metrics: Sequence[str | Metric] | str | Metric = "default",
    language: str | None = None,
    *,
    source: Sequence[str] | None = None,
    alignments: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    tokenize: str | None = None,
    fold: str | None = None,
    trees: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    reference_trees: Sequence[Any] | None = None,
    parser: str | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    punctuation: bool = True,
    threads: int | None = None,
) -> Iterator[ExplainedSegment]:
    """Explain all segments of one or more systems: links, moves and scores.

    Parameters
    ----------
    hypotheses : sequence of str, or mapping of str to sequence of str
        The translations of a system, or those of each system by its name.
    references : sequence of str or of sequences of str
        A reference, or a sequence of references, for each segment. A segment is explained by the
        one with the largest share of aligned words.
    metrics, language
        As in ``score``. The scores are those of ``score``: metrics that are fitted on the
        references see all of them.
    source : sequence of str, optional
        The source sentences, which are only shown.
    alignments : sequence, or mapping of str to sequence, optional
        Links of each system with the references, as in ``score``.
    tokenize, fold
        As in ``explain``.
    trees, reference_trees, parser
        Dependency trees for ``dted``, as in ``score``.
    wordnet, paraphrases : path, optional
        Resources for matching words, as in ``score``.
    punctuation : bool
        Whether to list moves of punctuation alone, after all others.
    threads : int, optional
        Number of threads; all cores by default.

    Returns
    -------
    iterator of ExplainedSegment
        Segment by segment, the systems in turn. Segments are explained in batches as the iterator
        reaches them.

    Warns
    -----
    UserWarning
        If pairs of words were counted in few references, as in ``score``.

    Examples
    --------
    >>> import hyperbaton as hb
    >>> systems = {"a": ["we meet at noon in the lobby"], "b": ["we meet in the lobby at noon"]}
    >>> for segment in hb.explain_many(systems, ["we meet in the lobby at noon"], "pef"):
    ...     print(segment.system, segment.scores, [move.words for move in segment.moves])
    a {'pef': 0.892...} [('at', 'noon')]
    b {'pef': 1.0} []
    """
    systems = hypotheses if isinstance(hypotheses, Mapping) else {SYSTEM: hypotheses}
    if not systems:
        raise InputError("hypotheses has no systems")

    def by_system(given: Any) -> Any:
        return given if given is None or isinstance(hypotheses, Mapping) else {SYSTEM: given}

    thread_count(threads)
    resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
    named = find_metrics(metrics, resources, {"tok": tokenize, "fold": fold})
    corpus = ListCorpus(
        systems,
        references,
        alignments=by_system(alignments),
        trees=by_system(trees),
        reference_trees=reference_trees,
    )
    sources = None if source is None else check_source(source, len(next(iter(systems.values()))))
    explainer = SegmentExplainer(
        named,
        language,
        tokenize,
        fold,
        system_count=len(systems),
        sources=sources,
        punctuation=punctuation,
    )
    run = Run(named, language, batch_size=BATCH_SIZE, threads=threads)
    return _explain_corpus(corpus, run, explainer)


def _explain_corpus(
    corpus: Corpus, run: Run, explainer: SegmentExplainer
) -> Iterator[ExplainedSegment]:
    for number, scored in enumerate(score_batches(corpus, run)):
        if not number:
            provenance = scored.batch.provenance
            signatures = {
                key: str(metric.signature(None, provenance))
                for key, metric in scored.metrics.items()
            }
            for text in few_lines_warnings(signatures):
                warnings.warn(text, stacklevel=2)
        yield from explainer.add(scored)
