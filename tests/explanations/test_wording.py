"""Moves in words, for sentences with very many of them."""

from __future__ import annotations

import random
import sys
from types import FrameType
from typing import Any

from hyperbaton.explanations import explanation
from hyperbaton.order.moves import Move


def moves_of_reversal(n: int) -> list[Move]:
    """Return moves that put a reversed sentence in order: each word before those it follows."""
    return [Move((k, k + 1), (0, k), before=True, distance=k) for k in range(1, n)]


def count_lines(n: int) -> int:
    """Return how many lines of the module run to describe the moves of n words."""
    words = [f"w{k}" for k in range(n)]
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if frame.f_code.co_filename != explanation.__file__:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        moves = explanation.describe_moves(moves_of_reversal(n), words, range(n), words)
        descriptions = list(moves)
    finally:
        sys.settrace(before)
    assert str(descriptions[1]) == 'move "w2" before "w1 w0"'
    return count


def test_work_for_a_move_does_not_grow_with_the_sentence() -> None:
    # a line of 50,000 words took minutes when each move went through all words
    assert count_lines(400) < 2.5 * count_lines(200)


def test_moves_of_repeated_and_unaligned_words_have_positions() -> None:
    # by hand: a x a b, of which x is unaligned; the second "a" moves to the end
    descriptions = list(
        explanation.describe_moves(
            [Move((1, 2), (2, 3), before=False, distance=1)],
            ["a", "x", "a", "b"],
            [0, 2, 3],
            ["a", "a", "b"],
        )
    )
    assert [str(description) for description in descriptions] == ['move "a" (2) after "b"']


def test_moves_keep_all_words() -> None:
    rng = random.Random(1)
    sentence = explanation._Sentence([explanation.Token(f"w{k}", k, k) for k in range(12)])
    words = list(range(12))
    for _ in range(200):
        start = rng.randrange(12)
        end = rng.randint(start + 1, 12)
        target = rng.choice([*range(start + 1), *range(end, 13)])
        sentence.move((start, end), target)
        block = words[start:end]
        words[target:target] = block
        old = start if start < target else start + len(block)
        del words[old : old + len(block)]
        assert sentence.order.tolist() == words
        assert [words.index(k) for k in range(12)] == sentence.where.tolist()
