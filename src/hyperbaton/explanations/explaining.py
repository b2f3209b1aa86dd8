"""The public function ``explain``: one translation beside its reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hyperbaton import _core
from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import inversion_parse
from hyperbaton.edit.distances import DEFAULT_BUDGET
from hyperbaton.edit.tree_edits import tree_edit
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.explanations.order_marks import find_soft_order
from hyperbaton.files.lines import StrPath
from hyperbaton.metrics.alignment_metrics import first_linking
from hyperbaton.metrics.fitting import fit_metrics, with_saved_model, without_fit
from hyperbaton.metrics.inputs import check_reference_list
from hyperbaton.metrics.metric import Metric, Resources, segment_signature
from hyperbaton.metrics.options import parse_spec
from hyperbaton.metrics.registry import SETS, expand, find_class, make_metric, metrics_by_spec
from hyperbaton.metrics.signature import Signature
from hyperbaton.order.moves import Move, block_moves
from hyperbaton.runs.list_input import ListCorpus
from hyperbaton.runs.partial_scores import score_corpus
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.run import Run
from hyperbaton.softorder.inspection import SoftOrderView, inspect_order
from hyperbaton.softorder.order import MOST_CELLS
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.parsers import load_parser
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.display import raw_tokens
from hyperbaton.text.tokenization import Tokenization, is_punctuation

# A side with more words than this is long: the inversion parse then has a smaller budget and slow
# metrics are left out by default, so that an explanation takes seconds.
LONG = 200
LONG_BUDGET = 50_000_000


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
        All references of the test set, for metrics that are fitted on them: ``soft_order`` counts
        pairs of words in them. Without, it does without these pairs (``precedence=off``).
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
    <Explanation of 7 aligned words, 1 move>
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
    """Return the first metric with soft order in it, or else ``soft_order``."""
    found = next((metric for metric in metrics if find_soft_order([metric])), None)
    return found or find_metrics("soft_order", resources, text_options)["soft_order"]


def _fit_on(blocks: Sequence[_core.Lines], metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return the metrics fitted on references; without references, those that do without."""
    if not blocks:
        metrics = {key: without_fit(with_saved_model(metric)) for key, metric in metrics.items()}
    return fit_metrics(metrics, lambda: blocks)


def _inspect_order(hypothesis: str, reference: str, metric: Metric) -> SoftOrderView | None:
    """Return what soft order in a metric sees; None if the texts are too long for it."""
    order = find_soft_order([metric])
    assert order is not None
    try:
        return inspect_order(
            hypothesis, reference, order.tokenization, order.soft_links, order.model
        )
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
    the metric sees. The words are aligned by the default matchers of the language.
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
    return replace(score, value=float(score.segments[0]), signature=str(signature))
