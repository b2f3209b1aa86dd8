"""Alignments, Pharaoh text, and permutations by hand and by a literal twin."""

from __future__ import annotations

import pickle
import random

import pytest

from hyperbaton import Alignment, InputError, Link, Permutation, align, align_many, score


def literal(links: list[tuple[int, int]], ref_length: int, unaligned: str) -> list[int]:
    """Word by word as the definition says it, for one-to-one links."""
    placed = [r for _, r in sorted(links)]
    if not placed:
        return []
    if unaligned == "drop":
        return [sorted(placed).index(r) + 1 for r in placed]
    free = [r for r in range(ref_length) if r not in placed]
    for r in free if unaligned == "left" else reversed(free):
        # one after another, so that a run stays in order
        neighbour = r - 1 if unaligned == "left" else r + 1
        if neighbour in placed:
            at = placed.index(neighbour)
            placed.insert(at + 1 if unaligned == "left" else at, r)
        else:
            placed.insert(0 if unaligned == "left" else len(placed), r)
    return [r + 1 for r in placed]


def test_permutations_agree_with_the_definition() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        n, m = rng.randrange(1, 9), rng.randrange(1, 9)
        size = rng.randrange(0, min(n, m) + 1)
        links = list(zip(rng.sample(range(n), size), rng.sample(range(m), size), strict=True))
        alignment = Alignment(n, m, links)
        for unaligned in ("drop", "left", "right"):
            expected = literal(links, m, unaligned)
            assert list(alignment.permutation(unaligned)) == expected, (links, m, unaligned)


def test_runs_of_unaligned_words() -> None:
    a = Alignment(2, 7, [(0, 4), (1, 1)])  # reference: u0 1 u2 u3 4 u5 u6
    assert a.permutation() == Permutation([2, 1])
    assert list(a.permutation("left")) == [1, 5, 6, 7, 2, 3, 4]
    assert list(a.permutation("right")) == [3, 4, 5, 1, 2, 6, 7]
    assert len(Alignment(2, 3, []).permutation("right")) == 0
    with pytest.raises(ValueError, match="one of drop, left, right, got 'both'"):
        a.permutation("both")


def test_a_word_with_several_partners() -> None:
    a = Alignment.from_pharaoh("0-2 0-1 1-2 2-0", 3, 3)
    assert a.links == ((0, 1), (0, 2), (1, 2), (2, 0))
    assert list(a.permutation()) == [2, 3, 1]


def test_a_phrase_gives_its_reference_words_in_order() -> None:
    a = Alignment(3, 4, [Link(0, 2, 2, 2), Link(2, 0)])
    assert list(a.permutation()) == [2, 3, 1]
    assert a.to_pharaoh() == "0-2 0-3 1-2 1-3 2-0"
    again = Alignment.from_pharaoh(a.to_pharaoh(), 3, 4)
    assert again.links == a.links
    assert again.permutation() == a.permutation()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0 1:1", "'1:1' is not a link such as 0-1"),
        ("0", "'0' is not a link"),
        ("-1-0", "'-1-0' is not a link"),
        ("0-0-0", "is not a link"),
        ("0-9999999999", "is not a link"),
        ("3-0", "link 3-0 is outside the hypothesis, which has 3 words"),
        ("0-2", "link 0-2 is outside the reference, which has 2 words"),
    ],
)
def test_malformed_pharaoh(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Alignment.from_pharaoh(text, 3, 2)


def test_values() -> None:
    a = Alignment.from_pharaoh(" 1-1\t0-0 0-0", 2, 3)
    assert a == Alignment(2, 3, [(0, 0), (1, 1)])
    assert hash(a) == hash(Alignment(2, 3, [(1, 1), (0, 0)]))
    assert a != Alignment(2, 4, [(0, 0), (1, 1)])
    assert repr(a) == "Alignment('0-0 1-1', 2, 3)"
    assert (a.hyp_coverage, a.ref_coverage, a.chunks, a.distance) == (1.0, 2 / 3, 1, 0)
    assert a.to_dict()["links"][0]["matcher"] == "given"
    assert a.exact is None
    assert pickle.loads(pickle.dumps(a)) == a


def test_words_are_no_part_of_equality_or_json_and_survive_pickling() -> None:
    plain = Alignment.from_pharaoh("0-1 1-0", 2, 2)
    worded = plain.with_words(["see", "you"], iter(["te", "veo"]))
    assert plain.words is None
    assert worded.words == (("see", "you"), ("te", "veo"))
    assert worded == plain
    assert hash(worded) == hash(plain)
    assert worded.to_dict() == plain.to_dict()
    assert repr(worded) == repr(plain)
    assert pickle.loads(pickle.dumps(worded)).words == worded.words
    with pytest.raises(InputError, match="ref_length is 2, but there are 1 words"):
        plain.with_words(["see", "you"], ["te"])


def test_aligners_keep_the_words_as_they_are_written() -> None:
    written = ("The", "Cats’", "house", "."), ("A", "house", "of", "cats")
    lazy = align("The Cats’ house.", "A house of cats", "en")
    assert lazy.words == written
    first, second = align_many([list(written[0]), "No"], [list(written[1]), "no !"], "en")
    assert first.words == written
    assert second.words == (("No",), ("no", "!"))
    assert pickle.loads(pickle.dumps(first)).words == written


def test_a_list_of_tokens_that_is_changed_afterwards_does_not_change_the_words() -> None:
    tokens = ["We", "meet"]
    alignment = align(tokens, ["we", "meet"])
    tokens[:] = ["other", "words", "now"]
    assert alignment.words == (("we", "meet"), ("we", "meet"))  # as they were compared


def test_links_that_overlap_share_boundaries() -> None:
    """A link that is given twice counts once, and each boundary counts once at most."""
    twice = Alignment(1, 1, [(0, 0), (0, 0)])
    assert twice == Alignment(1, 1, [(0, 0)])
    overlapping = Alignment(2, 2, [(0, 0, 2, 2, "exact"), (0, 0, 2, 2, "stem")])
    # No neighbours, two boundaries, two links: (0 + 2) / (2 + 1).
    for alignment, value in ((twice, 1.0), (overlapping, 2 / 3)):
        words = " ".join("ab"[: alignment.hyp_length])
        result = score([words], [words], metrics=["adjacency"], alignments=[alignment])
        assert result["adjacency"].value == value
