"""Moves in words: “moved A after B”, each quoted as the sentence stands when its turn comes.

The sentence is all of the system's words. A block that moves takes along what stands between its
words, and words that stand between others but have no place in the permutation are not quoted but
shown as …, as is the middle of a long block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hyperbaton.order.moves import Move, Span
from hyperbaton.report.drawings.canvas import clipped

QUOTED = 8  # words of a block that are quoted; of a longer one, half as many at both ends


class Token(NamedTuple):
    """A word where it stands: its text, its position in the system's, and its place or None."""

    text: str
    position: int
    place: int | None


class Quote(NamedTuple):
    """The words of a block; and their positions, if the words alone could be others."""

    text: str
    positions: str

    @property
    def where(self) -> str:
        """The positions in brackets, or nothing."""
        return f" ({self.positions})" if self.positions else ""

    def __str__(self) -> str:
        quoted = f"“{self.text}”" if '"' in self.text else f'"{self.text}"'
        return quoted + self.where


class Told(NamedTuple):
    """A move in words."""

    block: Quote
    side: str
    anchor: Quote

    def __str__(self) -> str:
        return f"moved {self.block} {self.side} {self.anchor}"


def told(
    moves: Sequence[Move], words: Sequence[str], positions: Sequence[int], placed: Sequence[str]
) -> Iterator[Told]:
    """The moves in words.

    ``words`` are the system's; ``positions`` and ``placed`` say of each place of the permutation
    which of these stands there, and how it is shown.
    """
    tokens = [
        Token(clipped(text), at, place)
        for place, (at, text) in enumerate(zip(positions, placed, strict=True))
    ]
    linked = set(positions)
    tokens += [Token(clipped(w), at, None) for at, w in enumerate(words) if at not in linked]
    tokens.sort(key=lambda token: token.position)  # stable: the places of one word keep their order
    counts = Counter(token.text for token in tokens)
    for move in moves:
        start, end = stretch(tokens, move.block)
        first, last = stretch(tokens, move.anchor)
        yield Told(
            quote(tokens, start, end, counts),
            "before" if move.before else "after",
            quote(tokens, first, last, counts),
        )
        block = tokens[start:end]
        to = first if move.before else last
        tokens[to:to] = block
        gone = start if start < to else start + len(block)
        del tokens[gone : gone + len(block)]


def stretch(tokens: Sequence[Token], span: Span) -> Span:
    """Where the words of these places stand now, from the first to the last."""
    i, j = span
    inside = [
        k for k, token in enumerate(tokens) if token.place is not None and i <= token.place < j
    ]
    return inside[0], inside[-1] + 1


def quote(tokens: Sequence[Token], start: int, end: int, counts: Counter[str]) -> Quote:
    """The words from start to end, with positions if another stretch could be meant."""
    shown: list[Token | None] = [t if t.place is not None else None for t in tokens[start:end]]
    whole = [k for k, token in enumerate(shown) if token]
    if len(whole) > QUOTED:
        shown[whole[QUOTED // 2 - 1] + 1 : whole[-(QUOTED // 2)]] = [None]
    runs: list[list[Token]] = [[]]  # … stands between them
    for token in shown:
        if token:
            runs[-1].append(token)
        elif runs[-1]:
            runs.append([])
    # who finds where it begins and where it ends has found it
    unclear = any(occurs_again(tokens, run, counts) for run in (runs[0], runs[-1]))
    return Quote(
        " … ".join(" ".join(token.text for token in run) for run in runs),
        " … ".join(map(ranges, runs)) if unclear else "",
    )


def occurs_again(tokens: Sequence[Token], run: Sequence[Token], counts: Counter[str]) -> bool:
    """Whether the words of the run also stand elsewhere."""
    if any(counts[token.text] == 1 for token in run):
        return False
    texts = [token.text for token in run]
    starts = (k for k, token in enumerate(tokens) if token.text == texts[0])
    found = (texts == [token.text for token in tokens[k : k + len(texts)]] for k in starts)
    return sum(found) > 1


def ranges(run: Sequence[Token]) -> str:
    """Positions, such as 3–5, 9."""
    pieces: list[list[int]] = []
    for token in run:
        if pieces and token.position - pieces[-1][1] in (0, 1):  # 0: a word in several places
            pieces[-1][1] = token.position
        else:
            pieces.append([token.position, token.position])
    return ", ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in pieces)
