"""One translation explained: its links, its order, what moved, what every metric says."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.edit.bracketing import InversionParse, inversion_parse
from hyperbaton.edit.inversion import DEFAULT_BUDGET
from hyperbaton.edit.tree_edits import TreeEdit, tree_edit
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.base import Metric, Score, StrPath
from hyperbaton.metrics.options import parse_spec
from hyperbaton.metrics.registry import REGISTRY, SETS, expand
from hyperbaton.metrics.scoring import Result, score
from hyperbaton.order.moves import Move, block_moves
from hyperbaton.order.permutation import Permutation
from hyperbaton.order.tree import PermutationTree
from hyperbaton.report.drawings.canvas import LOOKS, empty
from hyperbaton.report.drawings.forests import forest_svg
from hyperbaton.report.drawings.parses import parse_svg
from hyperbaton.report.drawings.sentences import alignment_svg, tree_edit_svg
from hyperbaton.report.drawings.trees import tree_svg
from hyperbaton.report.svg import Drawing, document, element, number
from hyperbaton.report.wording import Told, told
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.parsers import parser as find_parser
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.display import as_written

SCHEMA = "hyperbaton/explanation/1"
DRAWINGS = ("alignment", "tree", "forest", "parse", "dependencies")
LONG = 200  # words of a side from which on what is slow has a bound, so that all takes seconds
LONG_BUDGET = 50_000_000  # of the inversion parse, then
SLOW = ("invwer", "ter")  # metrics that are left out of all, then
NO_LINK = "no word is aligned, so there is no order to speak of"


@dataclass(frozen=True, eq=False)
class Explanation:
    """All that can be said of the word order of one translation beside its reference.

    ``hypothesis_words`` and ``reference_words`` are the tokens that were aligned, in the case that
    they have in the text, and with U+FFFD for signs that cannot be shown. ``moves`` has the blocks
    that must move, longest first, to make the reference's order of the system's; their spans are
    places of ``permutation``. ``tree`` is the flattened permutation tree, None if no word is
    aligned. ``parse`` is the inversion parse of the tokens as error rates see them, and ``edit`` is
    there if there are dependency trees. ``scores`` are those of the segment: ``bleu`` is sentence
    BLEU. ``left_out`` names the metrics that were not asked for by name and are too slow for a text
    as long as this.
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
    left_out: tuple[str, ...] = ()

    @cached_property
    def tree(self) -> PermutationTree | None:
        """The flattened permutation tree."""
        return self.permutation.tree().flatten() if len(self.permutation) else None

    @cached_property
    def placed_words(self) -> tuple[str, ...]:
        """The word in each place of the permutation.

        A word that is linked to several of the reference stands with each of them: ``zum/to``.
        """
        heads = [h for h, _ in self.alignment.places]
        several = {h for h in heads if heads.count(h) > 1} if len(set(heads)) < len(heads) else ()
        return tuple(
            f"{self.hypothesis_words[h]}/{self.reference_words[r]}"
            if h in several
            else self.hypothesis_words[h]
            for h, r in self.alignment.places
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a reader of the metrics should know."""
        found = [
            f"{name} is perhaps not the least: its budget ran out"
            for name, one in self.scores.items()
            if one.inexact
        ]
        if self.left_out:
            names = " and ".join(self.left_out)
            found.append(f"without {names}, slow beyond {LONG} words, unless they are asked for")
        return tuple(found)

    @cached_property
    def told(self) -> tuple[Told, ...]:
        """The moves in words, in parts."""
        positions = [h for h, _ in self.alignment.places]
        return tuple(told(self.moves, self.hypothesis_words, positions, self.placed_words))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The moves in words, one each; their words are quoted as they stand at that time.

        Words between them that are not aligned are …. A quote that could be of other words, too,
        is followed by positions in the system's sentence, from 0.
        """
        return tuple(map(str, self.told))

    def draw(self, width: int | None = None, colour: bool = False) -> str:
        """All of it for a terminal of so many columns; default: those of this one."""
        from hyperbaton.report.terminal import explained

        return explained(self, width or shutil.get_terminal_size((100, 24)).columns, colour)

    def __str__(self) -> str:
        return self.draw()

    def drawings(self, *names: str, style: bool = True) -> dict[str, Drawing]:
        """SVG drawings by name: alignment, tree, forest, parse, and dependencies if there are any.

        Without ``style`` they need that of the page around them (see ``report.svg.style_sheet``).
        """
        words = self.hypothesis_words, self.reference_words
        makers: dict[str, Callable[[], Drawing]] = {
            "alignment": lambda: alignment_svg(self.alignment, *words, self.moves, style=style),
            "tree": lambda: self._tree_drawing(style),
            "forest": lambda: self._forest_drawing(style),
            "parse": lambda: parse_svg(self.parse, words, style=style),
            "dependencies": lambda: self._edit_drawing(style),
        }
        for name in names:
            if name not in makers:
                raise InputError(f"there is no drawing {name!r}; there are {', '.join(DRAWINGS)}")
        default = DRAWINGS if self.edit is not None else DRAWINGS[:-1]
        return {name: _drawn(makers[name], style) for name in names or default}

    def _tree_drawing(self, style: bool) -> Drawing:
        if self.tree is None:
            return empty(NO_LINK, style)
        return tree_svg(self.tree, self.placed_words, self.moves, style)

    def _forest_drawing(self, style: bool) -> Drawing:
        if self.tree is None:
            return empty(NO_LINK, style)
        return forest_svg(self.permutation.forest(), self.placed_words, style)

    def _edit_drawing(self, style: bool) -> Drawing:
        if self.edit is None:
            return empty("no dependency trees were given", style)
        return tree_edit_svg(self.edit, style=style)

    def to_svg(self, *names: str) -> Drawing:
        """One SVG with these drawings, or all, one below another."""
        found = self.drawings(*names, style=False)
        parts, top = [], 0.0
        for drawing in found.values():
            parts.append(element("g", drawing, transform=f"translate(0 {number(top)})"))
            top += drawing.height
        width = max(drawing.width for drawing in found.values())
        title = f"word order: {', '.join(found)}"
        return document(width, top, *parts, title=title, looks=LOOKS)

    def to_html(self) -> str:
        """A page of its own: all of it, without a script and without anything from elsewhere."""
        from hyperbaton.report.page import page

        return page(self)

    def _repr_html_(self) -> str:
        from hyperbaton.report.page import fragment

        return fragment(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON. The tree is its operators in pre-order, with their spans."""
        nodes = [node for node in self.tree or () if not node.is_leaf]
        return {
            "schema": SCHEMA,
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
            "scores": {name: one.to_dict() for name, one in self.scores.items()},
            "left_out": list(self.left_out),
        }

    def __repr__(self) -> str:
        moves = f"{len(self.moves)} move{'s' * (len(self.moves) != 1)}"
        return f"<Explanation of {len(self.permutation)} aligned words, {moves}>"


def explain(
    hypothesis: str,
    reference: str,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    language: str | None = None,
    *,
    alignment: Alignment | str | None = None,
    tokenize: str | None = None,
    tree: Any = None,
    reference_tree: Any = None,
    parser: str | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
) -> Explanation:
    """See what is wrong with the word order of one translation.

    >>> import hyperbaton as hb
    >>> e = hb.explain("we will meet at noon in the lobby", "we meet in the lobby at noon", "pef")
    >>> e.sentences
    ('moved "at noon" after "in the lobby"',)
    >>> e
    <Explanation of 7 aligned words, 1 move>
    >>> svg = e.drawings()["alignment"]

    The system's translation comes first here, as in ``score``; on the command line, the reference.
    ``metrics`` are those of ``score``, and all by default, but for ``invwer`` and ``ter`` if a side
    has more than 200 words, which would take minutes; ``language``, ``wordnet`` and
    ``paraphrases`` are those of ``score``, too. ``alignment`` takes the place of the one that would
    be found: an ``Alignment``, or Pharaoh text. ``tokenize`` is the tokeniser of all that have not
    one of their own (``tok=``), in place of the language's: ``none`` for words that spaces separate
    already. Dependency trees are compared if there are any:
    ``tree`` and ``reference_tree``, of the kinds that ``score`` takes, or what ``parser`` finds.
    ``print`` shows an explanation in a terminal, notebooks show it by themselves, and ``to_html``,
    ``to_svg`` and ``to_dict`` give it as a page, a drawing and data.
    """
    for name, text in (("hypothesis", hypothesis), ("reference", reference)):
        if not isinstance(text, str):
            raise InputTypeError(f"{name} is one line of text, not {type(text).__name__}")
    aligner = Aligner(language, tokenize=tokenize)
    tokens = aligner.tokens(hypothesis), aligner.tokens(reference)
    given: list[Alignment] | None = None  # metrics with matchers of their own find their own links
    if alignment is None:
        alignment = aligner.align(*tokens)
    else:
        if isinstance(alignment, str):
            alignment = Alignment.from_pharaoh(alignment, len(tokens[0]), len(tokens[1]))
        given = [alignment]
    if (tree is None) != (reference_tree is None):
        raise InputError("trees come in pairs: tree and reference_tree")
    if parser is not None:
        if tree is not None:
            raise InputError("a parser is for texts without trees")
        parsed = CachedParser(find_parser(parser, language)).parse([hypothesis, reference])
        tree, reference_tree = parsed
    if tree is not None:
        tree, reference_tree = DependencyTree.of(tree), DependencyTree.of(reference_tree)
    long = max(map(len, tokens)) > LONG
    left_out: tuple[str, ...] = ()
    if metrics is None:
        left_out = SLOW if long else ()
        metrics = [name for name in SETS["all"] if name not in left_out]
        metrics += [] if tree is None else ["dted"]
    scores = score(
        [hypothesis],
        [reference],
        metrics if tokenize is None else _with_tokenizer(metrics, tokenize),
        language,
        alignments=given,
        trees=None if tree is None else [tree],
        reference_trees=None if tree is None else [reference_tree],
        wordnet=wordnet,
        paraphrases=paraphrases,
    )
    permutation = alignment.permutation()
    return Explanation(
        hypothesis,
        reference,
        as_written(hypothesis, tokens[0], aligner.tokenize),
        as_written(reference, tokens[1], aligner.tokenize),
        alignment,
        permutation,
        block_moves(permutation),
        inversion_parse(*tokens, budget=LONG_BUDGET if long else DEFAULT_BUDGET),
        None if tree is None else tree_edit(tree, reference_tree),
        Result({name: _of_segment(one) for name, one in scores.items()}),
        left_out,
    )


def _with_tokenizer(
    metrics: Sequence[str | Metric] | str | Metric, tokenize: str
) -> list[str | Metric]:
    """The metrics, with this tokeniser where they can have one and say nothing of it."""
    found: list[str | Metric] = []
    for one in [metrics] if isinstance(metrics, (str, Metric)) else metrics:
        for spec in expand([one]) if isinstance(one, str) else ():
            name, options = parse_spec(spec)
            kind = REGISTRY.get(name)
            if kind and "tok" not in options and "tok" in kind.allowed(name, options):
                spec += f"{',' if options else ':'}tok={tokenize}"
            found.append(spec)
        if not isinstance(one, str):
            found.append(one)
    return found


def _of_segment(score: Score) -> Score:
    """The score of the segment on its own, where that is another than of a corpus of one."""
    signature = score.signature
    if type(score.metric).segment_signature is not Metric.segment_signature:
        signature = str(score.metric.segment_signature(1))
    return replace(score, value=float(score.segments[0]), signature=signature)


def _drawn(make: Callable[[], Drawing], style: bool) -> Drawing:
    """The drawing, or one that says why it cannot be."""
    try:
        return make()
    except ValueError as error:
        return empty(str(error), style)
