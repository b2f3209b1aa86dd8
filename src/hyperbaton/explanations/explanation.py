"""Explanations of one translation: its links, its word order, its moves and its scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hyperbaton import _core
from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import InversionParse, inversion_parse
from hyperbaton.edit.inversion import DEFAULT_BUDGET
from hyperbaton.edit.tree_edits import TreeEdit, tree_edit
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.explanations.order_marks import GapMark, find_soft_order, sentence_marks
from hyperbaton.explanations.wording import MoveDescription, describe_moves, place_words
from hyperbaton.metrics.alignment_metrics import first_token_aligned
from hyperbaton.metrics.fitting import fit_metrics, reference_lines
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.options import parse_spec
from hyperbaton.metrics.registry import (
    SETS,
    expand,
    find_class,
    make_metric,
    metric_classes,
    metrics_by_spec,
)
from hyperbaton.metrics.resources import Resources, StrPath
from hyperbaton.metrics.soft_order import SoftOrdering
from hyperbaton.order.moves import Move, block_moves
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.scoring import score_systems
from hyperbaton.softorder.adjacency import MOST_CELLS
from hyperbaton.softorder.inspection import SoftOrderView, inspect_order
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.parsers import load_parser
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.display import describe_signs, is_right_to_left, raw_tokens, terminal_width
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization, is_punctuation
from hyperbaton.views.drawings import DRAWINGS
from hyperbaton.views.drawings.canvas import (
    LINE,
    LOOKS,
    MARGIN,
    Frame,
    message_drawing,
    text_element,
)
from hyperbaton.views.drawings.forests import forest_svg
from hyperbaton.views.drawings.parses import parse_svg
from hyperbaton.views.drawings.sentences import alignment_svg, tree_edit_svg
from hyperbaton.views.drawings.trees import tree_svg
from hyperbaton.views.svg import Drawing, document, element, number, text_width

SCHEMA = "hyperbaton/explanation/1"
# A side with more words than this is long: the inversion parse then has a smaller budget and slow
# metrics are left out by default, so that an explanation takes seconds.
LONG = 200
LONG_BUDGET = 50_000_000
CAPTION_SIZE = 16.0
NO_LINK = "no word is aligned, so the word order cannot be compared"


@dataclass(frozen=True, eq=False)
class Explanation:
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
        from hyperbaton.views.terminal import render_explanation

        return render_explanation(self, width or terminal_width(), colour)

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
        words = self.hypothesis_words, self.reference_words
        makers: dict[str, Callable[[], Drawing]] = {
            "alignment": lambda: alignment_svg(
                self.alignment, *words, self.moves, self._drawn_marks(), style=style
            ),
            "tree": lambda: self._tree_drawing(style),
            "forest": lambda: self._forest_drawing(style),
            "parse": lambda: parse_svg(self.parse, words, style=style),
            "dependencies": lambda: self._edit_drawing(style),
        }
        for name in names:
            if name not in makers:
                raise InputError(f"unknown drawing {name!r}; choose from {', '.join(DRAWINGS)}")
        default = [name for name in DRAWINGS if name != "dependencies" or self.edit is not None]
        return {name: _draw_or_explain(makers[name], style) for name in names or default}

    def _drawn_marks(self) -> tuple[tuple[GapMark, ...], tuple[GapMark, ...]]:
        """Return the marks of soft order, or none if it has other words than the drawing."""
        view = self.soft
        if (
            view is None
            or len(view.hypothesis_words) != len(self.hypothesis_words)
            or len(view.reference_words) != len(self.reference_words)
        ):
            return (), ()
        return sentence_marks(view)

    def _tree_drawing(self, style: bool) -> Drawing:
        if self.tree is None:
            return message_drawing(NO_LINK, style)
        return tree_svg(self.tree, self.placed_words, self.moves, style)

    def _forest_drawing(self, style: bool) -> Drawing:
        if self.tree is None:
            return message_drawing(NO_LINK, style)
        return forest_svg(self.permutation.forest(), self.placed_words, style)

    def _edit_drawing(self, style: bool) -> Drawing:
        if self.edit is None:
            return message_drawing("no dependency trees were given", style)
        return tree_edit_svg(self.edit, style=style)

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
        drawings = self.drawings(*names, style=False)
        captions = {name: DRAWINGS[name] for name in drawings} if len(drawings) > 1 else {}
        caption_widths = [2 * MARGIN + text_width(text, CAPTION_SIZE) for text in captions.values()]
        width = max([drawing.width for drawing in drawings.values()] + caption_widths)
        row = Frame(width, mirrored=self.is_right_to_left)
        parts, top = [], 0.0
        for name, drawing in drawings.items():
            if captions:
                x, y = row.point(MARGIN, top + MARGIN + LINE / 2)
                anchor = row.anchor("start")
                parts.append(text_element(x, y, captions[name], anchor=anchor, size=CAPTION_SIZE))
                top += MARGIN + LINE
            left = width - drawing.width if row.mirrored else 0.0
            place = f"translate({number(left)} {number(top)})"
            parts.append(element("g", drawing, transform=place))
            top += drawing.height
        title = f"word order: {', '.join(drawings)}"
        return document(width, top, *parts, title=title, looks=LOOKS)

    def to_html(self) -> str:
        """Return a self-contained HTML page without scripts."""
        from hyperbaton.views.page import explanation_page

        return explanation_page(self)

    def _repr_html_(self) -> str:
        from hyperbaton.views.page import explanation_fragment

        return explanation_fragment(self)

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
        The system's translation comes first, as in ``score``. (On the command line the reference
        comes first.)
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
    for name, text in (("hypothesis", hypothesis), ("reference", reference), ("source", source)):
        if text is not None or name != "source":
            _core.check_string(text, name)
    if (tree is None) != (reference_tree is None):
        raise InputError("trees come in pairs: give both tree and reference_tree")
    if parser is not None:
        if tree is not None:
            raise InputError("parser cannot be combined with tree and reference_tree")
        parsed = CachedParser(load_parser(parser, language)).parse([hypothesis, reference])
        tree, reference_tree = parsed
    if tree is not None:
        tree, reference_tree = DependencyTree.of(tree), DependencyTree.of(reference_tree)
    resources = Resources.from_arguments(language, wordnet, paraphrases)
    text_options = {"tok": tokenize, "fold": fold}
    named = {} if metrics is None else find_metrics(metrics, resources, text_options)
    aligner, tokenization = choose_aligner(named.values(), language, tokenize, fold)
    tokens = tokenization.split(hypothesis), tokenization.split(reference)
    long = max(map(len, tokens)) > LONG
    left_out: tuple[str, ...] = ()
    if metrics is None:
        if long:
            left_out = tuple(name for name in SETS["all"] if find_class(name).VARIANTS[name].slow)
        if len(tokens[0]) * len(tokens[1]) > MOST_CELLS:
            left_out += tuple(name for name in SETS["all"] if is_soft_order(name))
        names = [name for name in SETS["all"] if name not in left_out]
        names += [] if tree is None else ["dted"]
        named = find_metrics(names, resources, text_options)
    viewer = _choose_soft_order(named.values(), resources, text_options)
    blocks = [] if fit_on is None else [reference_lines(fit_on)]
    uncounted = tuple(name for name, m in named.items() if m.needs_fit and not blocks)
    named, viewer = _fit_on(blocks, named, viewer)
    # without given alignments, metrics with their own matchers align the words themselves
    given_alignments: list[Alignment] | None = None
    kept = [
        [tokenization.keeps(token) for token in tokenization.with_punctuation().split(text)]
        for text in (hypothesis, reference)
    ]
    if alignment is None:
        alignment = aligner.align(*tokens)
    else:
        if isinstance(alignment, str):
            alignment = Alignment.from_pharaoh(alignment, len(kept[0]), len(kept[1]))
        given_alignments = [alignment]
    (scores,) = score_systems(
        {"hypotheses": [hypothesis]},
        [reference],
        named,
        alignments=None if given_alignments is None else {"hypotheses": given_alignments},
        trees=None if tree is None else {"hypotheses": [tree]},
        reference_trees=None if tree is None else [reference_tree],
    )
    if given_alignments is not None and tokenization.punct == "drop":
        alignment = alignment.select_words(*kept)
    permutation = alignment.permutation()
    moves = block_moves(permutation, [is_punctuation(tokens[0][h]) for h, _ in alignment.places])
    return Explanation(
        hypothesis,
        reference,
        raw_tokens(hypothesis, tokenization),
        raw_tokens(reference, tokenization),
        alignment,
        permutation,
        tuple(move for move in moves if punctuation or not move.is_punctuation),
        inversion_parse(*tokens, budget=LONG_BUDGET if long else DEFAULT_BUDGET),
        None if tree is None else tree_edit(tree, reference_tree),
        Result({name: _segment_score(value) for name, value in scores.items()}),
        _inspect_order(hypothesis, reference, viewer),
        left_out,
        uncounted,
        source,
        language,
    )


def is_soft_order(name: str) -> bool:
    """Return whether a metric has soft order in it by default."""
    kind = find_class(name)
    return "precedence" in kind.options_for(name, kind.VARIANTS[name].defaults)


def _choose_soft_order(
    metrics: Iterable[Metric], resources: Resources, text_options: Mapping[str, str | None]
) -> SoftOrdering:
    """Return the first metric with soft order in it, or else ``soft_order``."""
    found = find_soft_order(metrics)
    if found is not None:
        return found
    (metric,) = find_metrics("soft_order", resources, text_options).values()
    assert isinstance(metric, SoftOrdering)
    return metric


def _fit_on(
    blocks: Sequence[_core.Lines], metrics: Mapping[str, Metric], viewer: SoftOrdering
) -> tuple[dict[str, Metric], SoftOrdering]:
    """Return the metrics fitted on references; without references, those that do without."""
    every = {"": viewer, **metrics}
    if not blocks:
        every = {key: metric.load().without_fit() for key, metric in every.items()}
    fitted = fit_metrics(every, lambda: blocks)
    fitted_viewer = fitted.pop("")
    assert isinstance(fitted_viewer, SoftOrdering)
    return fitted, fitted_viewer


def _inspect_order(hypothesis: str, reference: str, viewer: SoftOrdering) -> SoftOrderView | None:
    """Return what soft order sees; None if the texts are too long for it."""
    text, links, model = viewer.tokenization, viewer.soft_links, viewer.model
    try:
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
            kind = metric_classes().get(name)
            known = kind.options_for(name, options) if kind else {}
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
    metric = first_token_aligned(metrics)
    if metric is None:
        aligner = Aligner(language, tokenize=tokenize, fold=fold)
        return aligner, aligner.tokenization
    text = metric.tokenization
    return Aligner(language, None, text.tok, text.lowercase, fold=text.fold), text


def _segment_score(score: Score) -> Score:
    """The segment's score, which for some metrics differs from that of a corpus of one segment."""
    signature = score.signature
    if type(score.metric).segment_signature is not Metric.segment_signature:
        signature = str(score.metric.segment_signature(1))
    return replace(score, value=float(score.segments[0]), signature=signature)


def _draw_or_explain(make: Callable[[], Drawing], style: bool) -> Drawing:
    """Return the drawing, or one with the reason why there is none."""
    try:
        return make()
    except InputError as error:
        return message_drawing(str(error), style)
