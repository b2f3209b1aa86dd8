"""Precedence equals its naive twin, and counting depends on the set of lines alone."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.softorder.precedence import (
    OWN_CLASS,
    OwnReferences,
    PairCounts,
    PrecedenceCounter,
    PrecedenceModel,
    word_class,
)
from hyperbaton.text.tokenization import Tokenization
from reference import soft_order as twin
from softorder import sentences
from softorder.sentences import (
    AS_WRITTEN,
    WORDS,
    count_lines,
    distinct,
    joined,
    number_sentences,
    random_pairs,
    random_sentence,
)

Tokens = Sequence[str]


def values(
    model: PrecedenceModel, pairs: Sequence[tuple[Tokens, Tokens]], threads: int = 1
) -> list[float]:
    hyps, refs = number_sentences([hyp for hyp, _ in pairs], [ref for _, ref in pairs])
    found: list[float] = model.values(hyps, refs, threads).tolist()
    return found


def losses(model: PrecedenceModel, hyp: Tokens, ref: Tokens) -> list[float]:
    found: list[float] = model.losses(*number_sentences([hyp], [ref])).tolist()
    return found


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


def expected_losses(counts: twin.Precedence, hyp: Tokens, ref: Tokens) -> list[float]:
    found = [0.0] * max(len(hyp) - 1, 0)
    for place, delta in counts.deltas(hyp, ref):
        if delta < 0:
            found[place] = float(np.tanh(-delta / 2))
    return found


def random_corpus(seed: int, count: int, pool: Sequence[str] = WORDS) -> list[list[str]]:
    """Random sentences, some of them empty or repeated."""
    rng = random.Random(seed)
    corpus = [random_sentence(rng, 12, pool) for _ in range(count)]
    return [*corpus, [], [], *rng.choices(corpus, k=count // 4)]


def content(model: PrecedenceModel) -> list[Any]:
    """All that a model consists of, for comparisons."""
    arrays = model.word_counts, *model.next, *model.after_next
    return [
        model.text,
        model.lines,
        model.digest,
        model.parts,
        model.part_count,
        model.words,
        *((array.dtype, array.tolist()) for array in arrays),
    ]


# Values ----------------------------------------------------------------------------------------


@given(
    st.lists(sentences.sentences, min_size=1, max_size=8), sentences.sentences, sentences.sentences
)
def test_losses_and_value_equal_the_twin(
    corpus: list[list[str]], hyp: list[str], ref: list[str]
) -> None:
    model, counts = count_lines(joined(corpus)), twin.Precedence(distinct(corpus))
    for h, r in ((hyp, ref), (corpus[0][::-1], corpus[0]), (hyp, [])):
        assert losses(model, h, r) == close(expected_losses(counts, h, r))
        (value,) = values(model, [(h, r)])
        assert value == close(counts.value(h, r))
        assert 0 <= value <= 1


def test_a_corpus_with_all_classes_equals_the_twin() -> None:
    """With 600 different words, most have no class of their own."""
    rng = random.Random(2)
    stems = [f"{a}{b}{c}" for a in "bcd" for b in "aeiouéü" for c in ("l", "st", "猫")]
    endings = ("", "s", "ing", "ed", "-ly", "2", "\u0301", "𝐀")
    pool = [*WORDS, *(stem + ending for stem in stems for ending in endings)]
    weights = [1 / (k + 1) for k in range(len(pool))]
    corpus = [rng.choices(pool, weights, k=rng.randint(0, 20)) for _ in range(400)]
    model, counts = count_lines(joined(corpus)), twin.Precedence(distinct(corpus))
    assert len(model.words) > 2 * OWN_CLASS
    unseen = [f"{word}x" for word in pool[::5]] + ["77", "?!", "７", "zz9", "a-bcdef"]
    pairs = random_pairs(6, 150, most=20, pool=[*pool, *unseen])
    expected = [counts.value(hyp, ref) for hyp, ref in pairs]
    assert values(model, pairs) == close(expected)
    assert len({round(value, 6) for value in expected}) > 100
    for hyp, ref in pairs[:40]:
        assert losses(model, hyp, ref) == close(expected_losses(counts, hyp, ref))


@given(sentences.words)
def test_classes_equal_the_twin(word: str) -> None:
    """The names of classes differ, but not which words have the same class."""
    counts = twin.Precedence([])
    for other in (*WORDS, *(word + ending for ending in ("s", "1", "-", "\u0301"))):
        same = counts.word_class(word) == counts.word_class(other)
        assert (word_class(word) == word_class(other)) == same


def test_a_model_of_empty_lines() -> None:
    model, counts = count_lines([""]), twin.Precedence([[]])
    assert model.words == ()
    assert model.lines == 1
    pairs = [(["a", "b"], ["b", "a"]), (["b", "1", "a"], ["a"]), ([], [])]
    assert values(model, pairs) == close([counts.value(*pair) for pair in pairs])


def test_ties_at_the_limit_are_broken_by_code_point() -> None:
    """149 words are frequent. Of the tied ones, the first by code point is the 150th.

    UTF-16 would sort 𝐀ry before ﬀry, and most languages sort éry before zry.
    """
    common = [f"w{k:03}" for k in range(OWN_CLASS - 1)]
    tied = ["zry", "éry", "ﬀry", "𝐀ry"]
    for left_out in range(len(tied)):
        candidates = tied[left_out:]
        rng = random.Random(left_out)
        lines = [[*common, *common], [*candidates[::-1], "w001"]]
        model, counts = count_lines(joined(lines)), twin.Precedence(lines)
        assert counts.frequent == {*common, candidates[0]}
        pairs = [(rng.choices([*candidates, "w001", "xry"], k=8), ["w001"]) for _ in range(20)]
        assert values(model, pairs) == close([counts.value(*pair) for pair in pairs])
        if len(candidates) > 1:  # the tie must matter, or this would test nothing
            other = twin.Precedence(lines)
            other.frequent = {*common, candidates[-1]}
            expected = [other.value(*pair) for pair in pairs]
            assert values(model, pairs) != close(expected)


def test_a_reference_that_is_repeated_counts_once() -> None:
    corpus = [["a", "b"], ["b", "a"], ["a", "b"], ["a", "b"]]
    once, often = count_lines(joined(corpus[:2])), count_lines(joined(corpus))
    assert content(once) == content(often)
    assert often.word_counts.tolist() == [2, 2, 2, 2]


def test_a_thousand_words() -> None:
    rng = random.Random(5)
    hyp = rng.choices(WORDS, k=1000)
    corpus = random_corpus(5, 30)
    counts = twin.Precedence(distinct(corpus))
    value = values(count_lines(joined(corpus)), [(hyp, ["a"])])[0]
    assert 0 <= value < 1
    # δ depends only on the words around, so that the twin can take the sentence in pieces.
    found = losses(count_lines(joined(corpus)), hyp, ["a"])
    assert value == close(1 - sum(found) / 1001)
    for begin in range(0, 1000, 97):
        piece = expected_losses(counts, hyp[begin : begin + 20], ["a"])
        assert found[begin + 2 : begin + 17] == close(piece[2:17])


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_same_bits_for_any_number_of_threads(threads: int) -> None:
    model = count_lines(joined(random_corpus(7, 50)))
    pairs = random_pairs(8, 1500, most=20)
    assert values(model, pairs, threads) == [v for pair in pairs for v in values(model, [pair])]


def test_two_models_do_not_mix() -> None:
    """Values are remembered for each thread, and models have different numbers for a word."""
    corpora = [random_corpus(seed, 20) for seed in (11, 12)]
    models = [count_lines(joined(corpus)) for corpus in corpora]
    counts = [twin.Precedence(distinct(corpus)) for corpus in corpora]
    for hyp, ref in random_pairs(13, 20):
        for model, by_twin in zip(models, counts, strict=True):
            assert values(model, [(hyp, ref)]) == close([by_twin.value(hyp, ref)])


# A segment's own references ----------------------------------------------------------------------


@pytest.mark.parametrize("words", [8, 30, 900])
def test_own_references_equal_a_model_of_each_segment(words: int) -> None:
    """To the last bit, with words of their own classes alone and with rare ones."""
    rng = random.Random(words)
    endings = ("", "-x", "1", "?", "é", "猫猫")
    pool = [*WORDS, *(f"w{k}{rng.choice('abcd')}{rng.choice(endings)}" for k in range(words))]
    hyps, lines, starts = [], [], [0]
    for _ in range(20):
        refs = [rng.choices(pool, k=rng.randint(0, words)) for _ in range(rng.randint(1, 4))]
        refs += refs[: rng.randint(0, 1)]  # a line that is repeated counts once
        hyp = [*rng.sample(refs[0], len(refs[0])), *rng.choices(pool, k=4)][:80]
        hyps += [hyp] * len(refs)
        lines += refs
        starts.append(len(lines))
    hyp_words, ref_words = number_sentences(hyps, lines)
    texts = _core.Lines.from_strings(joined(lines))
    own = OwnReferences(texts, np.array(starts))
    expected = []
    for begin, end in pairwise(starts):
        model, pairs = count_lines(joined(lines[begin:end])), np.arange(begin, end)
        expected += model.values(hyp_words.take(pairs), ref_words.take(pairs), 1).tolist()
    for threads in (1, 2):
        assert own.values(hyp_words, ref_words, threads).tolist() == expected
    assert len(set(expected)) > 10


# Counting --------------------------------------------------------------------------------------


def test_many_lines_and_pairs() -> None:
    """So many that the tables of lines and pairs have to grow several times."""
    rng = random.Random(3)
    lines = [
        f"w{rng.randrange(3000)} w{rng.randrange(3000)} w{rng.randrange(9)}" for _ in range(6000)
    ]
    distinct_lines = dict.fromkeys(lines)
    model = count_lines([*lines, *lines[::7]])
    assert model.lines == len(distinct_lines)
    assert content(model) == content(count_lines(sorted(distinct_lines)))
    counts = twin.Precedence(line.split() for line in distinct_lines)
    assert len(model.next.counts) == len(counts.word_pairs[1]) > 5000
    pairs = random_pairs(4, 30, pool=model.words)
    assert values(model, pairs) == close([counts.value(*pair) for pair in pairs])


def test_counts_equal_the_twin() -> None:
    corpus = random_corpus(1, 60)
    model, counts = count_lines(joined(corpus)), twin.Precedence(distinct(corpus))
    assert model.lines == len(distinct(corpus)) < len(corpus)
    items = [*model.words, twin.START, twin.END]
    assert list(model.words) == sorted(w for w in counts.words if isinstance(w, str))
    assert dict(zip(items, model.word_counts.tolist(), strict=True)) == counts.words
    for distance, table in ((1, model.next), (2, model.after_next)):
        first = table.first.tolist()
        found = {
            (items[x], items[y]): n
            for x, y, n in zip(first, table.followers.tolist(), table.counts.tolist(), strict=True)
        }
        assert found == counts.word_pairs[distance]


def count_in_blocks(lines: Sequence[str], size: int, threads: int = 1) -> PrecedenceModel:
    counter = PrecedenceCounter(AS_WRITTEN)
    for begin in range(0, len(lines), size):
        counter.add(_core.Lines.from_strings(lines[begin : begin + size]), threads)
    return counter.model()


def test_the_order_of_lines_does_not_matter() -> None:
    lines = joined(random_corpus(3, 300))
    expected = content(count_lines(lines))
    for seed in range(4):
        shuffled = random.Random(seed).sample(lines, len(lines))
        assert content(count_lines(shuffled)) == expected
        assert content(count_in_blocks(shuffled, 7 + 50 * seed, threads=1 + seed)) == expected
    assert content(count_in_blocks([*lines, *lines[::-1]], 11)) == expected
    assert content(count_lines(lines[:-100])) != expected


def merge(models: Iterable[PrecedenceModel]) -> PrecedenceModel:
    first, *others = models
    for other in others:
        first = first.merge(other)
    return first


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 1000])
def test_merged_parts_are_the_whole(parts: int) -> None:
    lines = joined(random_corpus(4, 200))
    whole = count_lines(lines)
    models = [count_lines(lines, part=part, parts=parts) for part in range(parts)]
    assert sum(model.lines for model in models) == whole.lines
    rng = random.Random(parts)
    for _ in range(2):
        merged = merge(rng.sample(models, parts))
        assert content(merged) == content(whole)
        assert merged.label == whole.label
    pairs = random_pairs(14, 50)
    assert values(merged, pairs) == values(whole, pairs)


def test_merging_in_any_grouping() -> None:
    lines = joined(random_corpus(5, 100))
    a, b, c, d = (count_lines(lines, part=part, parts=4) for part in range(4))
    left = a.merge(b)
    assert left.parts == (0, 1)
    right = d.merge(c)
    assert right.parts == (2, 3)
    assert content(right.merge(left)) == content(count_lines(lines))


def test_models_that_may_share_lines_are_not_merged() -> None:
    lines = joined(random_corpus(6, 40))
    whole = count_lines(lines)
    halves = [count_lines(lines, part=part, parts=2) for part in range(2)]
    thirds = [count_lines(lines, part=part, parts=3) for part in range(3)]
    for one, other in (
        (whole, whole),
        (whole, halves[0]),
        (halves[0], halves[0]),
        (halves[0], thirds[1]),
        (thirds[0].merge(thirds[1]), thirds[1]),
        (halves[0].merge(halves[1]), halves[1]),
    ):
        for a, b in ((one, other), (other, one)):
            with pytest.raises(InputError, match="may have counted the same lines"):
                a.merge(b)
    other_text = count_lines(lines, Tokenization(tok="none"), part=1, parts=2)
    with pytest.raises(InputError, match="models of different tokens cannot be merged"):
        halves[0].merge(other_text)


def test_incomplete_models() -> None:
    lines = joined(random_corpus(6, 40))
    thirds = [count_lines(lines, part=part, parts=3) for part in range(3)]
    with pytest.raises(InputError, match="has only part 1, 3 of 3: merge it with the others"):
        thirds[2].merge(thirds[0]).check_complete()
    with pytest.raises(InputError, match="has only part 2 of 3"):
        thirds[1].check_complete()
    merge(thirds).check_complete()


def test_parts_that_do_not_exist() -> None:
    for part, parts in ((1, 1), (3, 2)):
        with pytest.raises(ValueError, match="no such part"):
            PrecedenceCounter(AS_WRITTEN, part, parts)


def test_no_lines() -> None:
    with pytest.raises(InputError, match="there are no lines to count in"):
        count_lines([])
    assert count_lines([], part=1, parts=2).lines == 0  # another part may have lines


def test_too_many_pairs_to_merge() -> None:
    """Counts of pairs have 32 bits. Merging must not wrap around."""
    models = [count_lines(["a b"], part=part, parts=2) for part in range(2)]
    full = next(model for model in models if model.lines)
    table = full.next
    most = np.full_like(table.counts, 2**32 - 1)
    full = replace(full, next=PairCounts(table.offsets, table.followers, most))
    other = replace(full, parts=(1 - full.parts[0],))
    with pytest.raises(InputError, match="a pair of words occurs more than 2³² times"):
        full.merge(other)


def test_labels() -> None:
    """The number of distinct lines, and a digest of which lines they are."""
    label = count_lines(["a b", "c", "a b"]).label
    assert label.startswith("2-")
    assert len(label) == 2 + 12
    assert label == count_lines(["c", "a b"]).label
    others = [["a b"], ["a b", "d"], ["a", "b c"], ["a b c", ""], ["c", "a  b"], ["A b", "c"]]
    labels = {count_lines(lines).label for lines in others}
    assert len({*labels, label}) == len(others) + 1


def test_pickles() -> None:
    model = count_lines(joined(random_corpus(8, 30)))
    pairs = random_pairs(15, 30)
    expected = values(model, pairs)
    again = pickle.loads(pickle.dumps(model))  # after it was used
    assert content(again) == content(model)
    assert again.label == model.label
    assert values(again, pairs) == expected


def test_models_are_frozen() -> None:
    model = count_lines(["a"])
    with pytest.raises(AttributeError):
        model.lines = 2  # type: ignore[misc]


@pytest.mark.parametrize("classes", [0, 1, 3, 2**62, 2**64 - 1])
def test_the_number_of_classes_is_checked_before_it_is_used(classes: int) -> None:
    """One empty sentence: the two marks, each in a class of its own."""
    counts = np.array([1, 1], np.int64)
    after = np.zeros(3, np.int64), np.array([], np.int32), np.array([], np.uint32)
    following = np.array([0, 1, 1]), np.array([1], np.int32), np.array([1], np.uint32)
    numbers = np.array([0, 1], np.int32)
    _core.PrecedenceModel(counts, *following, *after, numbers, 2)
    with pytest.raises(ValueError, match=r"contradict each other|are more than"):
        _core.PrecedenceModel(counts, *following, *after, numbers, classes)
