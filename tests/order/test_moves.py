"""Block moves derived from the tree."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given

from hyperbaton import Permutation, _core, align_many, ulam
from hyperbaton.order.moves import Move, block_moves, find_moves
from pairs import data_folder, real_pairs
from permutations import all_permutations, permutations, random_permutations
from reference import moves as reference

LARGE = random_permutations(600, 40)


def check(pi: tuple[int, ...]) -> None:
    moves = block_moves(pi)
    order = reference.apply_moves(moves, len(pi))
    assert [pi[k] for k in order] == sorted(pi), pi
    lengths = [move.length for move in moves]
    assert lengths == sorted(lengths, reverse=True)
    if len(pi) > 1:
        assert len(moves) <= round((1 - ulam(pi)) * (len(pi) - 1)), "single words need fewer"


def twin(pi: tuple[int, ...], punctuation: list[bool]) -> list[Move]:
    nodes = [
        [child.span for child in node.children]
        for node in (Permutation(pi).tree().flatten() if pi else ())
        if not node.is_leaf
    ]
    return [Move(*move) for move in reference.block_moves(pi, nodes, punctuation)]


def test_moves_are_those_of_the_twin() -> None:
    generator = random.Random(1)
    for pi in [*all_permutations(6), *random_permutations(300, 12)]:
        for share in (0.0, 0.3, 0.8):
            punctuation = [generator.random() < share for _ in pi]
            assert list(block_moves(pi, punctuation)) == twin(pi, punctuation), (pi, punctuation)


def test_many_permutations_at_once() -> None:
    flags = [[len(pi) % 3 == k % 3 for k in range(len(pi))] for pi in LARGE]
    for threads in (1, 2):
        moves = find_moves(LARGE, punctuation=np.concatenate(flags), threads=threads)
        assert len(moves) == len(LARGE)
        assert moves.to_lists() == [
            block_moves(pi, of_pi) for pi, of_pi in zip(LARGE, flags, strict=True)
        ]
    by_hand = [move.length for pi in LARGE for move in block_moves(pi)]
    assert find_moves(LARGE).lengths.tolist() == by_hand


def test_punctuation_moves_rather_than_words_and_last() -> None:
    # "he , said" instead of ", he said": of two single words the comma moves
    assert block_moves([2, 1], [False, True]) == (Move((1, 2), (0, 1), True, 1, True),)
    assert block_moves([2, 1], [True, False]) == (Move((0, 1), (1, 2), False, 1, True),)
    # two marks move although they are more than the one word, and after another word
    moves = block_moves([2, 3, 1, 5, 4], [True, True, False, False, False])
    assert [move.is_punctuation for move in moves] == [False, True]
    assert moves[1] == Move((0, 2), (2, 3), False, 1, True)


@pytest.mark.parametrize("flags", [[], [True], [[True, False]], [True] * 3])
def test_flags_of_another_shape(flags: list[bool]) -> None:
    with pytest.raises(ValueError, match="one item for each of the 2 values"):
        block_moves([2, 1], flags)


def test_the_core_refuses_flags_of_another_length() -> None:
    values, offsets = np.array([2, 1], np.int32), np.array([0, 2])
    with pytest.raises(ValueError, match="minor"):
        _core.block_moves(values, offsets, np.zeros(3, np.uint8), 1)


def test_moves_sort_all_short_permutations() -> None:
    for pi in all_permutations(7):
        check(pi)


def test_moves_sort_long_permutations() -> None:
    assert max(map(len, LARGE)) == 40
    for pi in LARGE:
        check(pi)


@given(permutations)
def test_moves_sort_any_permutation(pi: tuple[int, ...]) -> None:
    check(pi)


def test_the_fewest_children_of_each_node_move_and_the_fewest_words() -> None:
    for pi in [*all_permutations(7), *random_permutations(60, 12)]:
        if not pi:
            continue
        moved = {move.block: move for move in block_moves(pi)}
        met = 0
        for node in Permutation(pi).tree().flatten():
            child_moves = [moved[child.span] for child in node.children if child.span in moved]
            met += len(child_moves)
            values = [min(child.values) for child in node.children]
            weights = [child.span[1] - child.span[0] for child in node.children]
            if values:
                assert (
                    len(child_moves),
                    sum(move.length for move in child_moves),
                ) == reference.fewest_moves(values, weights)
            spans = {child.span for child in node.children}
            assert all(move.anchor in spans for move in child_moves), "to one of its siblings"
        assert met == len(moved), "all that move are children of a node"


def test_of_two_blocks_the_shorter_one_moves() -> None:
    assert block_moves([4, 5, 1, 2, 3]) == (Move((0, 2), (2, 5), before=False, distance=3),)
    assert block_moves([3, 4, 5, 1, 2]) == (Move((3, 5), (0, 3), before=True, distance=3),)


def test_figure_3_of_stanojevic_and_simaan_2014() -> None:
    # In 2×⟨2,1⟩[⟨2,4,1,3⟩[5, 7, 4, 6], 3, ⟨1,2⟩[1, 2]] the block of four words stays. Within it,
    # two of the four children stay: 4 and 6, 5 and 6, or 5 and 7.
    moves = block_moves([5, 7, 4, 6, 3, 1, 2])
    assert [move.length for move in moves] == [2, 1, 1, 1]
    # The block passes four words and the single word 3, which then passes the four words.
    assert moves[0] == Move((5, 7), (0, 4), before=True, distance=5)
    assert Move((4, 5), (0, 4), before=True, distance=4) in moves


def test_permutations_in_order_need_no_moves() -> None:
    for pi in ([], [1], [1, 2, 3]):
        assert block_moves(pi) == ()
    assert block_moves(Permutation.identity(2000)) == ()


def test_a_long_reversed_sentence_and_a_long_random_one() -> None:
    for pi in (Permutation.reverse(3000), Permutation.random(3000, seed=1)):
        moves = block_moves(pi)
        assert len(moves) <= round((1 - ulam(pi)) * 2999)


def test_no_block_moves_are_fewer_up_to_four_words() -> None:
    for n in range(1, 7):
        for pi, fewest in reference.transpositions(n).items():
            count = len(block_moves(pi))
            assert count >= fewest
            assert count == fewest or n > 4


def test_fewer_moves_than_insertions_in_real_translations() -> None:
    pairs = real_pairs(data_folder() / "wmt13" / "de-en", systems=1)[:1000]
    alignments = align_many([hyp for hyp, _ in pairs], [ref for _, ref in pairs], "en")
    found = [alignment.permutation() for alignment in alignments]
    blocks = sum(len(block_moves(pi)) for pi in found)
    words = sum(round((1 - ulam(pi)) * (len(pi) - 1)) for pi in found if len(pi))
    insertions = sum(sum(pi[k] < max(pi[:k]) for k in range(1, len(pi))) for pi in found)
    assert blocks < words < insertions
