"""Alignments and explanations as text for a terminal, in colour if it has some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from hyperbaton.alignment.alignment import Alignment, Link
from hyperbaton.order.drawing import Placed, outline
from hyperbaton.order.moves import Move
from hyperbaton.order.tree import PermutationTree
from hyperbaton.report.drawings.trees import shapes
from hyperbaton.text.display import visible

if TYPE_CHECKING:
    from hyperbaton.report.explanation import Explanation

MOVES = ("34", "33", "32", "35", "31", "36")  # blue, yellow, green, magenta, red, cyan: as in SVG
BOLD, DIM = "1", "2"
LEAST_LEAF = 12  # columns that a leaf of a tree has at least, however deep it is
MOST_LINES = 400  # of a list of links, or of a tree, that is printed


def painted(text: str, code: str | None, colour: bool) -> str:
    """The text in a colour, if there are colours."""
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code and text else text


def move_colour(move: int) -> str:
    """That of a block that moves, by the number of its move from 0."""
    return MOVES[move % len(MOVES)]


def link_lines(
    hyp: Sequence[str],
    ref: Sequence[str],
    alignment: Alignment,
    paint: Callable[[str, Link | None], str] = lambda text, link: text,
) -> list[str]:
    """Every word of the hypothesis with what it is linked to, chunk after chunk."""
    rows: list[tuple[str, str, Link | None] | None] = []
    starts: dict[int, list[Link]] = {}
    for link in alignment.phrases:
        starts.setdefault(link.hyp, []).append(link)
    digits = len(str(max(len(hyp), len(ref))))
    end: tuple[int, int] | None = None  # where the link of the last row ends, None if it has none
    linked = 0  # up to here all words are in rows
    for h, word in enumerate(hyp):
        if h not in starts:
            if h >= linked:
                if end is not None:
                    rows.append(None)  # between chunks
                rows.append((f"{h:>{digits}} {visible(word)}", "", None))
                end = None
            continue
        for k, link in enumerate(starts[h]):
            if rows and not k and end != (link.hyp, link.ref):
                rows.append(None)
            end = (h + link.hyp_length, link.ref + link.ref_length)
            linked = max(linked, end[0])
            mine, other = " ".join(hyp[h : end[0]]), " ".join(ref[link.ref : end[1]])
            left, right = f"{h:>{digits}} {visible(mine)}", f"{link.ref:>{digits}} {visible(other)}"
            rows.append((left, right, link))
    widest = max((cell_len(left) for left, _, _ in filter(None, rows)), default=0)
    other_widest = max((cell_len(right) for _, right, _ in filter(None, rows)), default=0)
    lines = []
    for row in rows:
        if row is None:
            lines.append("")
            continue
        left, right, own = row
        if own is None:
            lines.append(paint(left, None))
            continue
        text = f"{left}{' ' * (widest - cell_len(left))} ── {right}"
        space = " " * (other_widest - cell_len(right))
        lines.append(f"{paint(text, own)}{space}  {own.matcher}")
    return lines


def unlinked(ref: Sequence[str], alignment: Alignment) -> str:
    """A line that names the words of the reference without a link, or nothing."""
    linked = {r for _, r in alignment.links}
    free = [f"{r} {visible(word)}" for r, word in enumerate(ref) if r not in linked]
    return f"without a link in the reference: {', '.join(free)}" if free else ""


def wrapped(
    words: Iterable[str], width: int, indent: int, shown: Sequence[str] | None = None
) -> str:
    """Words in lines of so many columns, all but the first indented.

    ``shown`` has the same words with their colours, which take no room.
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
        lines[-1].append(text if shown is None else shown[k])
    return ("\n" + " " * indent).join(" ".join(line) for line in lines)


def shortened(words: Sequence[str], width: int) -> str:
    """The words, or so many of the first and of the last as so many columns hold."""
    lengths = [cell_len(word) + 1 for word in words]
    if sum(lengths) - 1 <= width:
        return " ".join(words)
    ends: tuple[list[str], list[str]] = ([], [])
    room = width - 1  # beside the …
    first, last = 0, len(words) - 1
    while first < last:
        k = first if len(ends[0]) <= len(ends[1]) else last
        room -= lengths[k]
        if room < 0:
            break
        ends[k == last].append(words[k])
        first, last = (first + 1, last) if k == first else (first, last - 1)
    if not ends[0]:
        return set_cell_size(words[0], max(width - 1, 1)) + "…"
    return " ".join([*ends[0], "…", *reversed(ends[1])])


def tree_lines(
    tree: PermutationTree, words: Sequence[str], moves: Sequence[Move], width: int, colour: bool
) -> Iterator[str]:
    """The tree as an outline; blocks that move are marked with the numbers of their moves.

    Leaves are shortened to the width, but not below ``LEAST_LEAF``.
    """
    numbers = {move.block: k for k, move in enumerate(moves)}
    placed: dict[int, Placed] = {}
    nodes = []
    for shape in shapes(tree, words):
        node = placed.setdefault(id(shape), Placed("", 0))
        number = numbers.get(shape.span)
        mark = "" if number is None else f"{number + 1}▸ "
        node.label = mark + shape.label
        if shape.words:
            room = width - 4 * node.depth - len(f"{mark}  {shape.label}")
            text = shortened([visible(word) for word in shape.words], max(room, LEAST_LEAF))
            node.label = f"{mark}{text}  {shape.label}"
        if number is not None:
            node.label = painted(node.label, move_colour(number), colour)
        for child in shape.children:
            below = placed.setdefault(id(child), Placed("", node.depth + 1))
            node.children.append(below)
        nodes.append(node)
    return outline(nodes)


def explained(explanation: Explanation, width: int, colour: bool) -> str:
    """All of an explanation."""
    parts = [
        _sentences(explanation, width, colour),
        _links(explanation, width, colour),
        *_order(explanation, width, colour),
        _parse(explanation, width, colour),
        *_edit(explanation, colour),
        _moves(explanation, width, colour),
        _scores(explanation, width, colour),
    ]
    return "\n\n".join(parts)


def _sentences(explanation: Explanation, width: int, colour: bool) -> str:
    places = explanation.alignment.places
    looks: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for number, move in enumerate(explanation.moves):
        for pair in places[slice(*move.block)]:
            for side in (0, 1):
                looks[side][pair[side]] = move_colour(number)
    lines = []
    for side, name, words in (
        (0, "system", explanation.hypothesis_words),
        (1, "reference", explanation.reference_words),
    ):
        linked = {pair[side] for pair in explanation.alignment.links}
        shown = [
            painted(word, looks[side].get(k, None if k in linked else DIM), colour)
            for k, word in enumerate(words)
        ]
        head = painted(f"{name:<9}", BOLD, colour)
        lines.append(f"{head}  {wrapped(words, width, 11, shown) or '(no words)'}")
    return "\n".join(lines)


def _links(explanation: Explanation, width: int, colour: bool) -> str:
    moving: dict[int, str] = {}
    for number, move in enumerate(explanation.moves):
        for _, r in explanation.alignment.places[slice(*move.block)]:
            moving[r] = move_colour(number)

    def paint(text: str, link: Link | None) -> str:
        return painted(text, DIM if link is None else moving.get(link.ref), colour)

    ref = explanation.reference_words
    lines = link_lines(explanation.hypothesis_words, ref, explanation.alignment, paint)
    free = unlinked(ref, explanation.alignment)
    if free:
        lines += ["", wrapped(free.split(" "), width, 2)]
    return _section("links", lines, colour)


def _order(explanation: Explanation, width: int, colour: bool) -> Iterator[str]:
    if explanation.tree is None:
        yield f"{painted('permutation', BOLD, colour)}  ⟨⟩: no word is aligned"
        return
    text = wrapped(str(explanation.permutation).split(" "), width, 13)
    yield f"{painted('permutation', BOLD, colour)}  {text}"
    words, moves = explanation.placed_words, explanation.moves
    lines = tree_lines(explanation.tree, words, moves, width - 2, colour)
    yield _section("tree", lines, colour)


def _parse(explanation: Explanation, width: int, colour: bool) -> str:
    parse = explanation.parse
    sign = "" if parse.exact else ", perhaps not the least"
    lines = [wrapped(visible(str(parse)).split(" "), width, 2)]
    return _section(f"inversion parse of cost {parse.cost}{sign}", lines, colour)


def _edit(explanation: Explanation, colour: bool) -> Iterator[str]:
    edit = explanation.edit
    if edit is not None:
        lines = edit.draw(("system", "reference")).split("\n")
        yield _section(f"dependency trees at distance {edit.distance}", lines, colour)


def _moves(explanation: Explanation, width: int, colour: bool) -> str:
    if explanation.tree is None:
        return painted("no word is aligned, so no move can be told", BOLD, colour)
    if not explanation.moves:
        return painted("the aligned words are in the reference's order", BOLD, colour)
    digits = len(str(len(explanation.moves)))
    lines = []
    for k, text in enumerate(explanation.sentences):
        line = f"{k + 1:>{digits}}  {wrapped(text.split(' '), width, digits + 4)}"
        lines.append(painted(line, move_colour(k), colour))
    return _section("from the system's order to the reference's", lines, colour)


def _scores(explanation: Explanation, width: int, colour: bool) -> str:
    """The metrics, in as many columns as there is room for."""
    cells = [
        (name, f"{score.value:.4f} {'↑' if score.higher_is_better else '↓'}")
        for name, score in explanation.scores.items()
    ]
    widest = [max(map(len, column)) for column in zip(*cells, strict=True)]
    texts = [f"{name:<{widest[0]}}  {value:>{widest[1]}}" for name, value in cells]
    count = max(1, min(4, (width - 2) // (sum(widest) + 6)))
    rows = -(-len(texts) // count)
    lines = ["    ".join(texts[k::rows]).rstrip() for k in range(rows)]
    lines += [wrapped(text.split(" "), width, 2) for text in explanation.caveats]
    return _section("metrics", lines, colour)


def _section(title: str, lines: Iterable[str], colour: bool) -> str:
    given = [f"  {line}".rstrip() for line in lines]
    if len(given) > MOST_LINES:
        given[MOST_LINES:] = [f"  … and {len(given) - MOST_LINES:,} lines more"]
    return "\n".join([painted(title, BOLD, colour), *given])
