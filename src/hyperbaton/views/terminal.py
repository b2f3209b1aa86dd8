"""Alignments and explanations as text for a terminal, with or without colours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from rich.cells import cell_len, set_cell_size

from hyperbaton.alignment.alignment import Alignment, Link
from hyperbaton.explanations.explanation import Explanation, describe_distance, format_ranges
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
from hyperbaton.text.display import is_right_to_left, isolated, visible
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.catalogue import FIRST_METRICS
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
TURNED = re.compile("^( *)(.*)$")  # a line from right to left, behind its indentation
UNLINKED = "unlinked"  # the mark of a word without a link
# A short explanation has this many lines of moves, or one for so many words of a longer sentence.
SHORT_LINES, WORDS_PER_LINE = 5, 3


def render_explanation(
    explanation: Explanation, width: int, colour: bool, details: bool = False
) -> str:
    """Return an explanation as text.

    Parameters
    ----------
    explanation : Explanation
    width : int
        Columns of the terminal.
    colour : bool
        Whether to use terminal colours.
    details : bool
        Whether to show all of it, and not only what moves and what is linked.
    """
    if not details:
        return "\n\n".join(
            [
                _sentences(explanation, width, colour),
                _first_moves(explanation, width, colour),
                "\n".join(_runs(explanation, width, colour)),
                *_few_scores(explanation, width, colour),
            ]
        )
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
    """The texts; words that move are in brackets with the number of their move."""
    colours: dict[str | None, str] = {
        str(k + 1): move_colour(k, move) for k, move in enumerate(explanation.moves)
    }
    colours[UNLINKED] = DIM
    lines = []
    for name, words, marks in marked_sentences(explanation, lambda k, _: str(k + 1), UNLINKED):
        texts = _with_brackets(words, marks) or ["(no words)"]
        painted = [
            paint(w, colours.get(m), colour) for w, m in zip(texts, marks or [None], strict=True)
        ]
        lines.append(_titled(name, texts, width, colour, painted))
    for note in explanation.sign_notes:
        lines.append(paint(wrap(note.split(" "), width, 0), DIM, colour))
    return "\n".join(lines)


def _titled(
    name: str,
    words: Sequence[str],
    width: int,
    colour: bool,
    painted: Sequence[str] | None = None,
) -> str:
    """Words behind their name, as those of the two texts."""
    lines = wrap(words, width, 11, painted)
    if is_right_to_left("".join(words)):  # brackets and numbers follow the words
        lines = "\n".join(TURNED.sub("\\1\u2067\\2\u2069", line) for line in lines.split("\n"))
    return f"{paint(f'{name:<9}', BOLD, colour)}  {lines}"


def _with_brackets(words: Sequence[str], marks: Sequence[str | None]) -> list[str]:
    """Return the words of a text with a bracket around those of the same move.

    >>> _with_brackets(["a", "b", ",", "c", "d"], [None, "1", UNLINKED, "1", "2"])
    ['a', '[1 b', ',', 'c]', '[2 d]']
    """
    numbers = [None if mark == UNLINKED else mark for mark in marks]
    last = 0  # of the words with a link
    for k, mark in enumerate(marks):
        if mark == UNLINKED:
            continue
        if mark == numbers[last]:
            numbers[last:k] = [mark] * (k - last)
        last = k
    texts = []
    for before, (word, number), after in zip(
        [None, *numbers], zip(words, numbers, strict=True), [*numbers[1:], None], strict=False
    ):
        start = f"[{number} " if number not in (None, before) else ""
        end = "]" if number not in (None, after) else ""
        texts.append(f"{start}{word}{end}")
    return texts


def _moves(explanation: Explanation, width: int, colour: bool) -> str:
    if not explanation.moves:
        return _without_moves(explanation, colour)
    lines = _move_lines(explanation, width, 2, colour)
    return _section("from the system's order to the reference's", lines, colour)


def _without_moves(explanation: Explanation, colour: bool) -> str:
    if explanation.tree is None:
        return paint("no word is linked, so there are no moves", BOLD, colour)
    return paint(explanation.order_without_moves, BOLD, colour)


def _move_lines(explanation: Explanation, width: int, indent: int, colour: bool) -> Iterator[str]:
    digits = len(str(len(explanation.moves)))
    described = zip(explanation.moves, explanation.sentences, strict=True)
    for k, (move, sentence) in enumerate(described):
        text = f"{sentence}, {describe_distance(move)}"
        line = f"{k + 1:>{digits}}  {wrap(text.split(' '), width, indent + digits + 2)}"
        yield paint(line, move_colour(k, move), colour)


def _first_moves(explanation: Explanation, width: int, colour: bool) -> str:
    """As many moves as have room in a short text."""
    if not explanation.moves:
        return _without_moves(explanation, colour)
    moves = list(_move_lines(explanation, width, 0, colour))
    ends = list(accumulate(move.count("\n") + 1 for move in moves))
    room = max(SHORT_LINES, len(explanation.hypothesis_words) // WORDS_PER_LINE)
    if ends[-1] > room:
        count = max(sum(end < room for end in ends), 1)
        rest = count_noun(len(moves) - count, "more move")
        moves[count:] = [paint(f"… and {rest}", DIM, colour)]
    return "\n".join(moves)


def _runs(explanation: Explanation, width: int, colour: bool) -> Iterator[str]:
    """The runs of linked words, in the order of the system, and the words without a link."""
    sides = explanation.hypothesis_words, explanation.reference_words
    links = explanation.alignment.phrases
    runs = list(link_runs(*sides, links)) or ["none"]
    linked = [set(places) for places in zip(*explanation.alignment.links, strict=True)]
    if len(runs) == 1 and list(map(len, linked)) == list(map(len, sides)):
        runs = ["all words, in one run"]
    yield _titled("links", " · ".join(runs).split(" "), width, colour)
    without = []
    for name, words, of_side in zip(
        ("system", "reference"), sides, linked or ((), ()), strict=True
    ):
        left = [word for k, word in enumerate(words) if k not in of_side]
        if left:
            without.append(f"{isolated(' '.join(left))} ({name})")
    if without:
        yield _titled("no link", " · ".join(without).split(" "), width, colour)


def link_runs(hyp: Sequence[str], ref: Sequence[str], links: Iterable[Link]) -> Iterator[str]:
    """Yield the runs of words that are linked side by side, in the order of the hypothesis.

    Words that differ are written with a slash. Positions follow where all words of a run also occur
    elsewhere.

    >>> from hyperbaton import Alignment
    >>> hyp, ref = ["the", "meets", "the", "man"], ["meet", "the", "man", "the"]
    >>> print(*link_runs(hyp, ref, Alignment.from_pharaoh("0-3 1-0 2-1 3-2", 4, 4).phrases))
    the (0/3) meets/meet the man
    """
    counts = Counter(hyp), Counter(ref)
    runs: list[list[Link]] = []
    for link in sorted(links, key=lambda link: (link.hyp, link.ref)):
        last = runs[-1][-1] if runs else None
        if last and link[:2] == (last.hyp + last.hyp_length, last.ref + last.ref_length):
            runs[-1].append(link)
        else:
            runs.append([link])
    for run in runs:
        first, last = run[0], run[-1]
        spans = (first.hyp, last.hyp + last.hyp_length), (first.ref, last.ref + last.ref_length)
        text = " ".join(_linked_words(hyp, ref, link) for link in run)
        if any(
            all(count[word] > 1 for word in words[slice(*span)])
            for count, words, span in zip(counts, (hyp, ref), spans, strict=True)
        ):
            text += f" ({'/'.join(format_ranges(range(*span)) for span in spans)})"
        yield text


def _linked_words(hyp: Sequence[str], ref: Sequence[str], link: Link) -> str:
    left = "_".join(hyp[link.hyp : link.hyp + link.hyp_length])
    right = "_".join(ref[link.ref : link.ref + link.ref_length])
    return left if left.lower() == right.lower() else f"{left}/{right}"


def _few_scores(explanation: Explanation, width: int, colour: bool) -> Iterator[str]:
    """The metrics, if they are few."""
    if 0 < len(explanation.scores) <= len(FIRST_METRICS):
        shown = [f"{n} {value_with_arrow(score)}" for n, score in explanation.scores.items()]
        shown[-1] += " (values × 100)"
        yield _titled("metrics", " · ".join(shown).split(" "), width, colour)


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
    return _section("metrics (values × 100)", lines, colour)


def _section(title: str, lines: Iterable[str], colour: bool) -> str:
    body = [f"  {line}".rstrip() for line in lines]
    if len(body) > MAX_LINES:
        body[MAX_LINES:] = [f"  … and {len(body) - MAX_LINES:,} more lines"]
    return "\n".join([paint(title, BOLD, colour), *body])
