"""Alignments and explanations as text for a terminal, with or without colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from rich.cells import cell_len, set_cell_size

from hyperbaton.alignment.alignment import Alignment, Link
from hyperbaton.explanations.explanation import Explanation, describe_distance
from hyperbaton.explanations.order_marks import (
    BREAK_MEANING,
    CLEAR,
    REVERSED_MEANING,
    GapMark,
    sentence_marks,
    summarize,
)
from hyperbaton.order.moves import Move
from hyperbaton.order.nodes import PlacedNode, outline
from hyperbaton.order.trees import PermutationTree
from hyperbaton.text.display import visible
from hyperbaton.views.drawings.canvas import mark_moved_words, marked_sentences
from hyperbaton.views.drawings.trees import shapes
from hyperbaton.views.score_tables import value_with_arrow

# blue, yellow, green, magenta, red, cyan: in the order of the colours in SVG
MOVE_COLOURS = ("34", "33", "32", "35", "31", "36")
BOLD, DIM, RED = "1", "2", "31"
BREAK, WEAK_BREAK, REVERSED = "│", "·", "⇄"  # marks between words
MARK_MEANINGS = {BREAK: BREAK_MEANING, WEAK_BREAK: "weak break", REVERSED: REVERSED_MEANING}
MIN_LEAF_WIDTH = 12  # columns of a leaf of a tree, however deep it is
MAX_LINES = 400  # of a list of links or of a tree


def render_explanation(explanation: Explanation, width: int, colour: bool) -> str:
    """Return an explanation as text.

    Parameters
    ----------
    explanation : Explanation
    width : int
        Columns of the terminal.
    colour : bool
        Whether to use terminal colours.
    """
    parts = [
        _sentences(explanation, width, colour),
        _moves(explanation, width, colour),
        *_soft_order(explanation, width, colour),
        _links(explanation, width, colour),
        *_order(explanation, width, colour),
        _parse(explanation, width, colour),
        *_dependencies(explanation, colour),
        _scores(explanation, width, colour),
    ]
    return "\n\n".join(parts)


def paint(text: str, code: str | None, colour: bool) -> str:
    """Return the text with an ANSI style, if colours are used and there is a style."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code and text else text


def move_colour(number: int, move: Move) -> str:
    """Return the colour of a block that moves, by the number of the move from 0."""
    return DIM if move.is_punctuation else MOVE_COLOURS[number % len(MOVE_COLOURS)]


def link_lines(
    hyp: Sequence[str],
    ref: Sequence[str],
    alignment: Alignment,
    paint_row: Callable[[str, Link | None], str] = lambda text, link: text,
) -> list[str]:
    """Return one line per word of the hypothesis with what it is linked to.

    Empty lines separate chunks.

    Parameters
    ----------
    hyp, ref : sequence of str
        The words of both sides.
    alignment : Alignment
    paint_row : callable
        Adds colours to a row, given its text and its link; the link is None for unlinked words.
    """
    empty = "", "", None
    rows: list[tuple[str, str, Link | None]] = []
    starts: dict[int, list[Link]] = {}
    for link in alignment.phrases:
        starts.setdefault(link.hyp, []).append(link)
    digits = len(str(max(len(hyp), len(ref))))
    end: tuple[int, int] | None = None  # where the link of the last row ends
    covered = 0  # all words before this one are in rows
    for h, word in enumerate(hyp):
        if h not in starts and h >= covered:
            if end is not None:
                rows.append(empty)
            rows.append((f"{h:>{digits}} {visible(word)}", "", None))
            end = None
        for k, link in enumerate(starts.get(h, ())):
            if rows and not k and end != (link.hyp, link.ref):
                rows.append(empty)
            end = (h + link.hyp_length, link.ref + link.ref_length)
            covered = max(covered, end[0])
            hyp_text, ref_text = " ".join(hyp[h : end[0]]), " ".join(ref[link.ref : end[1]])
            left = f"{h:>{digits}} {visible(hyp_text)}"
            right = f"{link.ref:>{digits}} {visible(ref_text)}"
            rows.append((left, right, link))
    left_width = max((cell_len(left) for left, _, _ in rows), default=0)
    right_width = max((cell_len(right) for _, right, _ in rows), default=0)
    lines = []
    for left, right, row_link in rows:
        if row_link is None:
            lines.append(paint_row(left, None))
            continue
        text = f"{set_cell_size(left, left_width)} ── {right}"
        padding = " " * (right_width - cell_len(right))  # outside of the colours
        lines.append(f"{paint_row(text, row_link)}{padding}  {row_link.matcher}")
    return lines


def unlinked_line(ref: Sequence[str], alignment: Alignment) -> str:
    """Return a line with the unlinked words of the reference, or an empty string."""
    linked = {r for _, r in alignment.links}
    unlinked = [f"{r} {visible(word)}" for r, word in enumerate(ref) if r not in linked]
    return f"without a link in the reference: {', '.join(unlinked)}" if unlinked else ""


def wrap(
    words: Iterable[str], width: int, indent: int, painted: Sequence[str] | None = None
) -> str:
    """Fill lines with words; all lines but the first are indented.

    ``textwrap`` counts characters and rich's ``Text.wrap`` needs a console; this counts terminal
    cells.

    Parameters
    ----------
    words : iterable of str
    width, indent : int
        Columns of the terminal, and of the indentation.
    painted : sequence of str, optional
        The same words with colours, which take up no columns.
    """
    plain = list(words)
    lines: list[list[str]] = [[]]
    used = indent
    for k, text in enumerate(plain):
        length = cell_len(text)
        if lines[-1] and used + 1 + length > width:
            lines.append([])
            used = indent
        used += length + bool(lines[-1])
        lines[-1].append(text if painted is None else painted[k])
    return ("\n" + " " * indent).join(" ".join(line) for line in lines)


def shorten(words: Sequence[str], width: int) -> str:
    """Return the words, or as many of the first and the last ones as fit in the width."""
    lengths = [cell_len(word) + 1 for word in words]
    if sum(lengths) - 1 <= width:
        return " ".join(words)
    # the first word, the last, the second ... until the room beside the … is full
    outside_in = (lengths[k // 2 if k % 2 == 0 else -1 - k // 2] for k in range(len(words) - 1))
    taken = sum(used < width for used in accumulate(outside_in))
    if not taken:
        return set_cell_size(words[0], max(width - 1, 1)) + "…"
    tail = taken // 2
    return " ".join([*words[: taken - tail], "…", *words[len(words) - tail :]])


def tree_lines(
    tree: PermutationTree, words: Sequence[str], moves: Sequence[Move], width: int, colour: bool
) -> Iterator[str]:
    """Return the tree as an outline; blocks that move are marked with the numbers of their moves.

    Leaves are shortened to the width, but not below ``MIN_LEAF_WIDTH``.
    """
    by_block = {move.block: (k, move) for k, move in enumerate(moves)}
    placed: dict[int, PlacedNode] = {}
    nodes = []
    for shape in shapes(tree, words):
        node = placed.setdefault(id(shape), PlacedNode("", 0))
        moved = by_block.get(shape.span)
        mark = "" if moved is None else f"{moved[0] + 1}▸ "
        node.label = mark + shape.label
        if shape.words:
            room = width - 4 * node.depth - len(f"{mark}  {shape.label}")
            text = shorten([visible(word) for word in shape.words], max(room, MIN_LEAF_WIDTH))
            node.label = f"{mark}{text}  {shape.label}"
        if moved is not None:
            node.label = paint(node.label, move_colour(*moved), colour)
        for child in shape.children:
            node.children.append(placed.setdefault(id(child), PlacedNode("", node.depth + 1)))
        nodes.append(node)
    return outline(nodes)


def _sentences(explanation: Explanation, width: int, colour: bool) -> str:
    lines = []
    for name, words, codes in marked_sentences(explanation, move_colour, DIM):
        painted = [paint(word, code, colour) for word, code in zip(words, codes, strict=True)]
        title = paint(f"{name:<9}", BOLD, colour)
        lines.append(f"{title}  {wrap(words, width, 11, painted) or '(no words)'}")
    for note in explanation.sign_notes:
        lines.append(paint(wrap(note.split(" "), width, 0), DIM, colour))
    return "\n".join(lines)


def _moves(explanation: Explanation, width: int, colour: bool) -> str:
    if explanation.tree is None:
        return paint("no word is linked, so there are no moves", BOLD, colour)
    if not explanation.moves:
        return paint(explanation.order_without_moves, BOLD, colour)
    digits = len(str(len(explanation.moves)))
    lines = []
    described = zip(explanation.moves, explanation.sentences, strict=True)
    for k, (move, sentence) in enumerate(described):
        text = f"{sentence}, {describe_distance(move)}"
        line = f"{k + 1:>{digits}}  {wrap(text.split(' '), width, digits + 4)}"
        lines.append(paint(line, move_colour(k, move), colour))
    return _section("from the system's order to the reference's", lines, colour)


def _soft_order(explanation: Explanation, width: int, colour: bool) -> Iterator[str]:
    """Both sentences with marks where ``order`` sees a break, and its value."""
    view = explanation.soft
    if view is None:
        return
    lines = []
    kinds = set()
    sides = explanation.named_words, (view.hypothesis_words, view.reference_words)
    for (name, shown), seen, marks in zip(*sides, sentence_marks(view), strict=True):
        # as they are written, unless it has other tokens
        words = shown if len(shown) == len(seen) else list(map(visible, seen))
        texts = list(_with_marks(words, {mark.gap: _mark_text(mark) for mark in marks}))
        painted = [paint(text, RED if is_mark else None, colour) for text, is_mark in texts]
        wrapped = wrap([text for text, _ in texts], width, 13, painted)
        lines.append(f"{name:<9}  {wrapped or '(no words)'}")
        kinds |= {text for text, is_mark in texts if is_mark}
    if not kinds:
        lines = []
    lines.append(wrap(summarize(view).split(" "), width, 2))
    legend = [f"{mark} {meaning}" for mark, meaning in MARK_MEANINGS.items() if mark in kinds]
    if legend:
        lines.append(wrap(", ".join(legend).split(" "), width, 2))
    yield _section("order", lines, colour)


def _mark_text(mark: GapMark) -> str:
    if mark.is_reversed:
        return REVERSED
    return BREAK if mark.loss >= CLEAR else WEAK_BREAK


def _with_marks(words: Sequence[str], marks: Mapping[int, str]) -> Iterator[tuple[str, bool]]:
    """Yield words and the marks in the gaps between them, and whether each is a mark."""
    for gap in range(len(words) + 1):
        if gap in marks:
            yield marks[gap], True
        if gap < len(words):
            yield words[gap], False


def _links(explanation: Explanation, width: int, colour: bool) -> str:
    _, colours = mark_moved_words(explanation.alignment, explanation.moves, move_colour)

    def paint_row(text: str, link: Link | None) -> str:
        return paint(text, DIM if link is None else colours.get(link.ref), colour)

    ref = explanation.reference_words
    lines = link_lines(explanation.hypothesis_words, ref, explanation.alignment, paint_row)
    unlinked = unlinked_line(ref, explanation.alignment)
    if unlinked:
        lines += ["", wrap(unlinked.split(" "), width, 2)]
    return _section("links", lines, colour)


def _order(explanation: Explanation, width: int, colour: bool) -> Iterator[str]:
    if explanation.tree is None:
        yield f"{paint('permutation', BOLD, colour)}  ⟨⟩: no word is linked"
        return
    text = wrap(str(explanation.permutation).split(" "), width, 13)
    yield f"{paint('permutation', BOLD, colour)}  {text}"
    words, moves = explanation.placed_words, explanation.moves
    lines = tree_lines(explanation.tree, words, moves, width - 2, colour)
    yield _section("tree", lines, colour)


def _parse(explanation: Explanation, width: int, colour: bool) -> str:
    parse = explanation.parse
    caveat = "" if parse.exact else ", may not be minimal"
    lines = [wrap(str(parse).split(" "), width, 2)]
    return _section(f"inversion parse of cost {parse.cost}{caveat}", lines, colour)


def _dependencies(explanation: Explanation, colour: bool) -> Iterator[str]:
    edit = explanation.edit
    if edit is not None:
        lines = edit.draw(("system", "reference")).split("\n")
        yield _section(f"dependency trees at distance {edit.distance}", lines, colour)


def _scores(explanation: Explanation, width: int, colour: bool) -> str:
    """The metrics, in as many columns as fit in the width."""
    cells = [(name, value_with_arrow(score)) for name, score in explanation.scores.items()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = [f"{name:<{widths[0]}}  {value:>{widths[1]}}" for name, value in cells]
    count = max(1, min(4, (width - 2) // (sum(widths) + 6)))
    rows = -(-len(texts) // count)
    lines = ["    ".join(texts[k::rows]).rstrip() for k in range(rows)]
    lines += [wrap(text.split(" "), width, 2) for text in explanation.caveats]
    return _section("metrics", lines, colour)


def _section(title: str, lines: Iterable[str], colour: bool) -> str:
    body = [f"  {line}".rstrip() for line in lines]
    if len(body) > MAX_LINES:
        body[MAX_LINES:] = [f"  … and {len(body) - MAX_LINES:,} more lines"]
    return "\n".join([paint(title, BOLD, colour), *body])
