"""The public functions that explain: one translation, or many segments while they are scored.

Many segments are explained in batches, so that links and moves are computed natively and memory
does not grow with the number of segments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations, islice
from typing import Any

import numpy as np

from hyperbaton import _core
from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import inversion_parse
from hyperbaton.edit.distances import DEFAULT_BUDGET
from hyperbaton.edit.tree_edits import tree_edit
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.explanations.explanation import Explanation, describe_moves, place_words
from hyperbaton.explanations.order_marks import find_soft_order
from hyperbaton.files.lines import StrPath
from hyperbaton.metrics.batches import Texts, locate_errors
from hyperbaton.metrics.inputs import check_reference_list, check_source
from hyperbaton.metrics.linking import first_linking
from hyperbaton.metrics.metric import Metric, Resources, segment_signature
from hyperbaton.metrics.options import parse_spec
from hyperbaton.metrics.parts import (
    fit_metrics,
    with_saved_model,
    without_fit,
)
from hyperbaton.metrics.registry import SETS, expand, find_class, make_metric, metrics_by_spec
from hyperbaton.metrics.signature import Signature
from hyperbaton.order.moves import Move, block_moves
from hyperbaton.runs.engine import ScoredBatch, score_batches, score_corpus
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.run import Corpus, ListCorpus, Run
from hyperbaton.runs.shown_links import LinkedBatch
from hyperbaton.softorder.anchors import pair_anchors
from hyperbaton.softorder.inspection import SoftOrderView, inspect_order
from hyperbaton.softorder.order import MOST_CELLS
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.parsers import load_parser
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.display import raw_tokens
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization, is_punctuation
from hyperbaton.threads import thread_count

# A side with more words than this is long: the inversion parse then has a smaller budget and slow
# metrics are left out by default, so that an explanation takes seconds.
LONG = 200
LONG_BUDGET = 50_000_000
SCHEMA = "hyperbaton/moves/2"
# Segments that are explained at a time. Those of all systems wait for each other, so that the
# batches are smaller than those of scores.
BATCH_SIZE = 500
SYSTEM = "system"  # name of the only system


def explain(
    hypothesis: str,
    reference: str,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    language: str | None = None,
    *,
    alignment: Alignment | str | None = None,
    tokenize: str | None = None,
    fold: str | None = None,
    tree: Any = None,
    reference_tree: Any = None,
    parser: str | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    fit_on: Sequence[str] | Sequence[Sequence[str]] | None = None,
    source: str | None = None,
    punctuation: bool = True,
) -> Explanation:
    """Explain the word order of one translation.

    ``print`` shows an explanation in a terminal and notebooks display it. ``to_html``, ``to_svg``
    and ``to_dict`` return it as a page, a drawing and data.

    Parameters
    ----------
    hypothesis, reference : str
        The system's translation comes first, as in ``score`` and on the command line.
    metrics : str, Metric or sequence of these, optional
        The metrics, as in ``score``. The default is all, without ``invwer`` and ``ter`` if a side
        has more than 200 words, since these would take minutes.
    language : str, optional
        The language, as in ``score``.
    alignment : Alignment or str, optional
        The alignment to use, as an object or in Pharaoh format. The default is to align the words.
    tokenize : str, optional
        The tokeniser of the aligner and of all metrics without a ``tok`` option of their own;
        ``none`` if words are already separated by spaces. The default depends on the language.
    fold : str, optional
        ``standard`` or ``none``: whether words that look the same are the same, for the aligner and
        all metrics without a ``fold`` option of their own.
    tree, reference_tree : optional
        Dependency trees to compare, of the types that ``score`` accepts.
    parser : str, optional
        The parser that creates the trees if none are given.
    wordnet, paraphrases : path, optional
        Resources for matching words, as in ``score``.
    fit_on : sequence of str or of sequences of str, optional
        All references of the test set, for metrics that are fitted on them: ``order`` counts
        pairs of words in them. Without, it counts them in this reference (``precedence=own``).
    source : str, optional
        The source text. It is only shown.
    punctuation : bool
        Whether to list moves of punctuation alone, after all others.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import hyperbaton as hb
    >>> e = hb.explain("we will meet at noon in the lobby", "we meet in the lobby at noon", "pef")
    >>> e.sentences
    ('moved "at noon" after "in the lobby"',)
    >>> e
    <Explanation of 7 linked words, 1 move>
    >>> svg = e.drawings()["alignment"]
    """
    _check_texts(hypothesis, reference, source)
    trees = _find_trees((hypothesis, reference), (tree, reference_tree), parser, language)
    resources = Resources.from_arguments(language, wordnet, paraphrases)
    text_options = {"tok": tokenize, "fold": fold}
    named = {} if metrics is None else find_metrics(metrics, resources, text_options)
    aligner, tokenization = choose_aligner(named.values(), language, tokenize, fold)
    tokens = tokenization.split(hypothesis), tokenization.split(reference)
    long = max(map(len, tokens)) > LONG
    left_out = tuple(_slow_metrics(*map(len, tokens))) if metrics is None else ()
    if metrics is None:
        default = [*SETS["all"], *(["dted"] if trees is not None else [])]
        chosen = [name for name in default if name not in left_out]
        named = find_metrics(chosen, resources, text_options)
    viewer = _soft_order_metric(named.values(), resources, text_options)
    blocks = [] if fit_on is None else [check_reference_list(fit_on).utf8]
    uncounted = tuple(name for name, m in named.items() if m.needs.fit and not blocks)
    named = _fit_on(blocks, {"": viewer, **named})
    viewer = named.pop("")
    # Without given alignments, metrics with their own matchers align the words themselves.
    kept = _kept_tokens(hypothesis, tokenization), _kept_tokens(reference, tokenization)
    if isinstance(alignment, str):
        alignment = Alignment.from_pharaoh(alignment, len(kept[0]), len(kept[1]))
    shown = aligner.align(*tokens) if alignment is None else alignment
    scores = _score_segment(hypothesis, reference, named, alignment, trees)
    if alignment is not None and tokenization.punct == "drop":
        shown = alignment.select_words(*kept)
    return Explanation(
        hypothesis,
        reference,
        raw_tokens(hypothesis, tokenization),
        raw_tokens(reference, tokenization),
        shown,
        shown.permutation(),
        _find_moves(shown, tokens[0], punctuation),
        inversion_parse(*tokens, budget=LONG_BUDGET if long else DEFAULT_BUDGET),
        None if trees is None else tree_edit(*trees),
        scores,
        _inspect_order(hypothesis, reference, viewer),
        left_out,
        uncounted,
        source,
        language,
    )


def _check_texts(hypothesis: str, reference: str, source: str | None) -> None:
    texts = {"hypothesis": hypothesis, "reference": reference}
    for name, text in (texts if source is None else texts | {"source": source}).items():
        _core.check_string(text, name)


def _find_trees(
    texts: tuple[str, str], given: tuple[Any, Any], parser: str | None, language: str | None
) -> tuple[DependencyTree, DependencyTree] | None:
    """Return the trees that were given, or those of the parser; None without either."""
    if (given[0] is None) != (given[1] is None):
        raise InputError("trees come in pairs: give both tree and reference_tree")
    if parser is None:
        first, second = given
        return None if first is None else (DependencyTree.of(first), DependencyTree.of(second))
    if given[0] is not None:
        raise InputError("parser cannot be combined with tree and reference_tree")
    hypothesis, reference = CachedParser(load_parser(parser, language)).parse(texts)
    return hypothesis, reference


def _slow_metrics(words: int, reference_words: int) -> Iterator[str]:
    """Yield the metrics that would take minutes for texts of these lengths."""
    if max(words, reference_words) > LONG:
        yield from (name for name in SETS["all"] if find_class(name).VARIANTS[name].slow)
    if words * reference_words > MOST_CELLS:
        for name in SETS["all"]:
            kind = find_class(name)
            if "precedence" in kind.options_for(name, kind.VARIANTS[name].defaults):
                yield name


def _kept_tokens(text: str, tokenization: Tokenization) -> list[bool]:
    """Return, for each token of a text, whether it counts."""
    return [tokenization.keeps(token) for token in tokenization.with_punctuation().split(text)]


def _find_moves(alignment: Alignment, tokens: Sequence[str], punctuation: bool) -> tuple[Move, ...]:
    """Return the moves; those of punctuation alone only if they are asked for."""
    flags = [is_punctuation(tokens[h]) for h, _ in alignment.places]
    moves = block_moves(alignment.permutation(), flags)
    return tuple(move for move in moves if punctuation or not move.is_punctuation)


def _score_segment(
    hypothesis: str,
    reference: str,
    metrics: Mapping[str, Metric],
    alignment: Alignment | None,
    trees: tuple[DependencyTree, DependencyTree] | None,
) -> Result:
    """Return the scores of the segment, with what was given for it."""
    system = "hypotheses"
    corpus = ListCorpus(
        {system: [hypothesis]},
        [reference],
        alignments=None if alignment is None else {system: [alignment]},
        trees=None if trees is None else {system: [trees[0]]},
        reference_trees=None if trees is None else [trees[1]],
    )
    (result,) = score_corpus(corpus, Run(metrics))
    return Result({name: _segment_score(score) for name, score in result.items()})


def _soft_order_metric(
    metrics: Iterable[Metric], resources: Resources, text_options: Mapping[str, str | None]
) -> Metric:
    """Return the first metric with order without links in it, or else ``order``."""
    found = next((metric for metric in metrics if find_soft_order([metric])), None)
    return found or find_metrics("order", resources, text_options)["order"]


def _fit_on(blocks: Sequence[_core.Lines], metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return the metrics fitted on references; without references, those that do without."""
    if not blocks:
        metrics = {key: without_fit(with_saved_model(metric)) for key, metric in metrics.items()}
    return fit_metrics(metrics, lambda: blocks)


def _inspect_order(hypothesis: str, reference: str, metric: Metric) -> SoftOrderView | None:
    """Return what soft order in a metric sees; None if the texts are too long for it."""
    order = find_soft_order([metric])
    assert order is not None
    model = order.segment_model(_core.Lines.from_strings([reference]))
    try:
        text, links = order.tokenization, order.soft_links
        return inspect_order(hypothesis, reference, text, links, model)
    except TooLongError:
        return None


def find_metrics(
    metrics: Sequence[str | Metric] | str | Metric,
    resources: Resources,
    text_options: Mapping[str, str | None],
) -> dict[str, Metric]:
    """Return the metrics by what the caller wrote.

    Metrics that are named, have one of the text options and do not set it get the one given.
    """
    named: dict[str, Metric] = {}
    for given in [metrics] if isinstance(metrics, (str, Metric)) else metrics:
        if not isinstance(given, str):
            named |= metrics_by_spec([given])
            continue
        for spec in expand([given]):
            name, options = parse_spec(spec)
            known = find_class(name).options_for(name, options)
            missing = {
                key: value
                for key, value in text_options.items()
                if value is not None and key in known and key not in options
            }
            named[spec] = make_metric(spec, resources, missing)
    return named


def choose_aligner(
    metrics: Iterable[Metric], language: str | None, tokenize: str | None, fold: str | None
) -> tuple[Aligner, Tokenization]:
    """Return the aligner of the explanation, and how lines become its tokens.

    The tokens are those of the first metric that aligns tokens, so that the explanation shows what
    the metric sees. The words are linked by the default matchers of the language.
    """
    linking = first_linking(metrics)
    if linking is None:
        aligner = Aligner(language, tokenize=tokenize, fold=fold)
        return aligner, aligner.tokenization
    text = linking.tokenization
    return Aligner(language, None, text.tok, text.lowercase, fold=text.fold), text


def _segment_score(score: Score) -> Score:
    """The segment's score, which for some metrics differs from that of a corpus of one segment."""
    signature = segment_signature(score.metric, Signature.parse(score.signature))
    return replace(score, value=_number(float(score.segments[0])), signature=str(signature))


@dataclass(frozen=True, slots=True)
class ExplainedMove:
    """A block that must move.

    Attributes
    ----------
    words : tuple of str
        The linked words of the block, in the order of the system.
    positions, reference_positions : tuple of int
        Where these words are in the system and where the words linked with them are in the
        reference, from 0.
    direction : str
        ``earlier`` or ``later``: where the block belongs.
    distance : int
        Number of linked words that the block passes.
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
        The texts. Of several references, it is the one that `order` chooses or, without `order`,
        the one with the largest share of linked words.
    reference_index : int
        Which of the segment's references that is, from 0.
    hypothesis_words, reference_words : tuple of str
        The words of both sides, as they are written.
    links : tuple of (int, int)
        Pairs of positions of linked words in the system and in the reference, from 0.
    linked : float
        Share of words with a link, on both sides together.
    moves : tuple of ExplainedMove
        The moves in the order in which they are made: the longest block first, and punctuation
        alone last.
    scores : dict of str to float or None
        The value of each metric for this segment; None if it is not scored.
    lost : float or None
        X of the metric `order`, by which the segments to look at first are found: the matched words
        that have other neighbours in the reference. None without this metric.
    difference : float or None
        How far two of the systems differ in this segment, by the anchors that they share: the
        largest difference of a pair. None with one system, or without `order`.
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
    linked: float
    moves: tuple[ExplainedMove, ...]
    scores: dict[str, float | None]
    lost: float | None = None
    difference: float | None = None

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


@dataclass
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

    metrics: Mapping[str, Metric]
    language: str | None
    tokenize: str | None
    fold: str | None
    system_count: int
    sources: Iterable[str] | None
    source_name: str = "source"
    punctuation: bool = True

    def __post_init__(self) -> None:
        self._aligner, self._tokenization = choose_aligner(
            self.metrics.values(), self.language, self.tokenize, self.fold
        )
        self._unread = None if self.sources is None else iter(self.sources)
        self._sources: Sequence[str] | None = None  # those of the segments that wait
        # Systems of the same segments, and what explains each of them.
        self._waiting: list[tuple[ScoredBatch, Callable[..., Iterator[ExplainedSegment]]]] = []

    def add(self, scored: ScoredBatch) -> Iterator[ExplainedSegment]:
        """Return the segments that are complete with this batch: those of all systems in turn."""
        batch = scored.batch
        if not self._waiting and self._unread is not None:
            self._sources = list(islice(self._unread, len(batch)))
            if len(self._sources) < len(batch):
                lines = count_noun(batch.first + len(self._sources), "line")
                raise InputError(f"{self.source_name} has {lines}, and the references have more")
        with locate_errors(batch):
            self._waiting.append((scored, self._explain(scored)))
        if len(self._waiting) < self.system_count:
            return iter(())
        complete, self._waiting = self._waiting, []
        differences = _largest_differences([of_system for of_system, _ in complete])
        systems = [segments(differences) for _, segments in complete]
        return (segment for row in zip(*systems, strict=True) for segment in row)

    def finish(self) -> None:
        """Raise an error if there are more sources than segments."""
        if self._unread is not None and next(self._unread, None) is not None:
            raise InputError(f"{self.source_name} has more lines than the references")

    def _explain(self, scored: ScoredBatch) -> Callable[..., Iterator[ExplainedSegment]]:
        batch = scored.batch
        links = batch.links(self._aligner, self._tokenization)
        linked = LinkedBatch.from_links(batch, links, self._tokenization, scored.metrics.values())
        moves = linked.moves().to_lists()
        values = [list(map(_number, scored.values(key).tolist())) for key in self.metrics]
        lost = _lost_words(scored)
        return partial(self._segments, linked, self._sources, moves, values, lost)

    def _segments(
        self,
        linked: LinkedBatch,
        sources: Sequence[str] | None,
        all_moves: Sequence[Sequence[Move]],
        values: Sequence[Sequence[float | None]],
        lost: Sequence[float | None],
        differences: Sequence[float | None],
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
            moves = [m for m in all_moves[k] if self.punctuation or not m.is_punctuation]
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
                dict(zip(self.metrics, row, strict=True)),
                lost[k],
                differences[k],
            )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _lost_words(scored: ScoredBatch) -> Sequence[float | None]:
    """Return X of each segment by the first metric that has it."""
    found = (scored.statistics[k].rows[:, 0] for k, m in scored.metrics.items() if m.needs.anchors)
    lost: Sequence[float | None] = next((x.tolist() for x in found), [None] * len(scored.batch))
    return lost


def _largest_differences(systems: Sequence[ScoredBatch]) -> Sequence[float | None]:
    """Return the largest difference of two systems in each segment, by their shared anchors."""
    found = (
        next((s.anchors for s in scored.statistics.values() if s.anchors is not None), None)
        for scored in systems
    )
    anchors = [of_system for of_system in found if of_system is not None]
    batch = systems[0].batch
    if len(anchors) < 2:
        return [None] * len(batch)
    largest = np.zeros(len(batch))
    for pair in combinations(anchors, 2):
        shared = pair_anchors(*pair, thread_count(batch.threads))
        np.maximum(largest, shared.weights * abs(shared.a - shared.b), out=largest)
    differences: Sequence[float | None] = largest.tolist()
    return differences


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
        block, reference_block = zip(*places[slice(*move.block)], strict=True)
        words = tuple(hyp_words[h] for h in block)
        side = "earlier" if move.before else "later"
        facts = side, move.distance, move.is_punctuation, str(description)
        yield ExplainedMove(words, block, reference_block, *facts)


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
        one that ``order`` chooses or, without ``order``, the one with the largest share of linked
        words.
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
        named, language, tokenize, fold, len(systems), sources, punctuation=punctuation
    )
    run = Run(named, language, batch_size=BATCH_SIZE, threads=threads)
    return _explain_corpus(corpus, run, explainer)


def _explain_corpus(
    corpus: Corpus, run: Run, explainer: SegmentExplainer
) -> Iterator[ExplainedSegment]:
    for scored in score_batches(corpus, run):
        yield from explainer.add(scored)
