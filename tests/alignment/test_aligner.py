"""The aligner against a search that tries everything, and what users see of it."""

from __future__ import annotations

import pickle
import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperbaton import Aligner, Alignment, Link, _core, align, align_many
from hyperbaton.alignment.choices import MATCHERS
from hyperbaton.errors import MissingData
from reference.aligner import Match, best, chunks, quality
from reference.anchored import REACH
from reference.anchored import anchored as anchored_links

NO_WORDS = np.array([], np.int32)
NO_OFFSETS = np.array([], np.int64)
WORDS = 20


Case = tuple[
    list[int],
    list[int],
    list[int] | None,
    list[set[int]] | None,
    list[Match],
    list[int],
]


def search(
    hyp: Sequence[int],
    ref: Sequence[int],
    stems: Sequence[int] | None,
    synsets: Sequence[set[int]] | None,
    phrases: Sequence[Match],
    weights: Sequence[int],
    budget: int,
    anchored: bool = False,
) -> tuple[list[Match], bool]:
    flat = NO_WORDS
    offsets = NO_OFFSETS
    if synsets is not None:
        flat = np.array([x for one in synsets for x in sorted(one)], np.int32)
        offsets = np.cumsum([0, *map(len, synsets)], dtype=np.int64)
    found, _, exact = _core.align(
        np.array(hyp, np.int32),
        np.array([0, len(hyp)]),
        np.array(ref, np.int32),
        np.array([0, len(ref)]),
        WORDS,
        True,
        NO_WORDS if stems is None else np.array(stems, np.int32),
        flat,
        offsets,
        np.array([x for match in phrases for x in match], np.int32),
        np.array([0, len(phrases)]),
        np.array(weights, np.int64),
        budget,
        anchored,
        1,
    )
    return [Match(*row) for row in found.reshape(-1, 5).tolist()], bool(exact[0])


def random_case(rng: random.Random) -> tuple[list[Match], Case]:
    n, m, size = rng.randrange(10), rng.randrange(10), rng.choice([2, 3, 5, 8])
    hyp = [rng.randrange(size) for _ in range(n)]
    ref = [rng.randrange(size) for _ in range(m)]
    stems = [word // 2 for word in range(WORDS)] if rng.random() < 0.4 else None
    synsets = None
    if rng.random() < 0.4:
        synsets = [{rng.randrange(6) for _ in range(rng.randrange(3))} for _ in range(WORDS)]
    weights = [1] * 4 if rng.random() < 0.5 else [rng.randrange(1, 5) for _ in range(4)]
    matches = []
    for h, a in enumerate(hyp):
        for r, b in enumerate(ref):
            if a == b:
                matches.append(Match(h, 1, r, 1, 0))
            elif stems and stems[a] == stems[b]:
                matches.append(Match(h, 1, r, 1, 1))
            elif synsets and synsets[a] & synsets[b]:
                matches.append(Match(h, 1, r, 1, 2))
    phrases: set[Match] = set()
    if n and m and rng.random() < 0.4:
        for _ in range(rng.randrange(4)):
            h, r = rng.randrange(n), rng.randrange(m)
            lengths = rng.randrange(1, min(4, n - h + 1)), rng.randrange(1, min(4, m - r + 1))
            phrases.add(Match(h, lengths[0], r, lengths[1], 3))
    arguments = (hyp, ref, stems, synsets, sorted(phrases), weights)
    return matches + sorted(phrases), arguments


@pytest.mark.parametrize("seed", range(8))
def test_no_selection_is_better(seed: int) -> None:
    rng = random.Random(seed)
    exact_ones = 0
    for _ in range(400):
        matches, arguments = random_case(rng)
        if len(matches) > 18:
            continue
        links, exact = search(*arguments, rng.choice([10**6, 30, 5]))
        weights = arguments[-1]
        assert set(links) <= set(matches)
        ours, optimum = quality(links, weights), best(matches, weights)
        assert ours <= optimum
        if exact:
            exact_ones += 1
            assert ours == optimum, arguments
    assert exact_ones > 250


def test_the_search_is_exact_with_enough_steps() -> None:
    rng = random.Random(9)
    for _ in range(300):
        _, arguments = random_case(rng)
        assert search(*arguments, 10**7)[1]


@pytest.mark.parametrize("seed", range(4))
def test_anchored_links_are_those_of_the_twin(seed: int) -> None:
    rng = random.Random(seed)
    dropped = 0
    for _ in range(300):
        *_, phrases, weights = random_case(rng)[1]
        words = [rng.randrange(WORDS) for _ in range(rng.randrange(12, 60))]
        middle = rng.randrange(len(words))
        other = [w for w in (*words[middle:], *words[:middle]) if rng.random() < 0.7]
        if len(other) < 10:
            other, phrases = words, []
        stems = [word // 2 for word in range(WORDS)] if rng.random() < 0.4 else None
        arguments = (words, other, stems, None, phrases, weights, 300)
        links, exact = search(*arguments)
        hyp, ref = ([stems[word] if stems else word for word in side] for side in (words, other))
        expected = anchored_links(hyp, ref, links)
        assert search(*arguments, anchored=True) == (expected, exact)
        dropped += len(links) - len(expected)
    assert dropped > 100


def test_anchored_links_by_hand() -> None:
    """The repeated x stays up to 12 words from the diagonal of a and b, and no farther."""
    for gap, stays in ((REACH, True), (REACH + 1, False)):
        hyp = ["a", "x", "b", *(f"h{k}" for k in range(40)), "x"]
        ref = ["a", "y", "b", *(f"r{k}" for k in range(gap - 2)), "x"]
        found = align(hyp, ref, matchers="exact+anchored").links
        assert found == (((0, 0), (1, gap + 1), (2, 2)) if stays else ((0, 0), (2, 2)))
        assert len(align(hyp, ref, matchers="exact").links) == 3
    alone = align(["x", *"abc", "x"], [*("y",) * 40, "x"], matchers="exact+anchored")
    assert len(alone.links) == 1  # no anchor


def test_no_linkable_word_is_left_with_any_budget() -> None:
    rng = random.Random(10)
    for _ in range(100):
        words = [rng.randrange(6) for _ in range(60)]
        other = rng.sample(words, 50)
        for budget in (0, 3, 30, 300):
            links, _ = search(words, other, None, None, [], [1] * 4, budget)
            assert len(links) == 50


# Links of lines of over 60 words are improved by exchanges. Words that match nothing make a short
# case such a line without a change of its selections.
@pytest.mark.parametrize("seed", range(4))
def test_no_selection_of_a_long_line_is_better(seed: int) -> None:
    rng = random.Random(seed)
    padding = WORDS - 1
    best_ones = exact_ones = 0
    for _ in range(400):
        matches, (hyp, ref, stems, synsets, _, weights) = random_case(rng)
        matches = [match for match in matches if match.matcher < 3]
        if not 3 < len(matches) <= 18:
            continue
        if synsets is not None:
            synsets[padding] = set()
        links, exact = search([*hyp, *[padding] * 60], ref, stems, synsets, [], weights, 10**6)
        assert set(links) <= set(matches)
        ours, optimum = quality(links, weights), best(matches, weights)
        assert ours <= optimum
        assert ours == optimum or not exact
        best_ones += ours == optimum
        exact_ones += exact
    assert exact_ones > 100
    assert best_ones >= exact_ones


def test_more_steps_are_never_worse_for_long_lines() -> None:
    rng = random.Random(11)
    differences = 0
    for _ in range(40):
        ref = rng.choices(range(WORDS), range(1, WORDS + 1), k=rng.randrange(70, 140))
        hyp = [*ref[50:], *ref[:50]] if rng.random() < 0.5 else rng.sample(ref, len(ref))
        hyp = [rng.randrange(WORDS) if rng.random() < 0.1 else word for word in hyp]
        found = [
            quality(search(hyp, ref, None, None, [], [1] * 4, budget)[0], [1] * 4)
            for budget in (0, 2_000, 4_000, 20_000, 100_000)
        ]
        assert found == sorted(found)
        differences += found[0] != found[-1]
    assert differences


def test_halves_of_a_long_line_that_changed_places() -> None:
    rng = random.Random(12)
    names = [f"name{k}" for k in range(80)]
    ref = [word for name in names for word in (name, rng.choice(["the", "of", ","]))]
    a = align([*ref[80:], *ref[:80]], ref)
    assert a.chunks == 2
    assert len(a.links) == len(ref)


def test_threads_make_no_difference() -> None:
    rng = random.Random(3)
    lines = [" ".join(rng.choices("abcdefgh", k=20)) for _ in range(600)]
    others = [" ".join(rng.sample(line.split(), 18)) for line in lines]
    one = align_many(lines, others, threads=1)
    assert one == align_many(lines, others, threads=2)
    found: list[list[Alignment]] = []
    workers = [
        threading.Thread(target=lambda: found.append(align_many(lines, others))) for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [one] * 3


# What METEOR's documentation and its papers call a match, module by module.
def test_matchers_are_tried_in_order() -> None:
    a = align("The cats ran", "the cat runs", "en")
    assert [link.matcher for link in a.phrases] == ["exact", "stem"]
    assert align("cats", "cat").phrases == ()
    assert align("katzen", "katze", "de").phrases[0].matcher == "stem"
    assert align("colour", "color", matchers="exact,similar").phrases == (
        Link(0, 0, matcher="similar"),
    )


def test_similar_words_are_linked_last_and_best_first() -> None:
    # similarities: 1 − 1/4, 1 − 2/4 and 1 − 1/4; ties by position
    a = align(["abcd", "abce"], ["abcf", "abzz"], matchers=["exact", "similar"])
    assert a.links == ((0, 0), (1, 1))
    assert align(["wolf"], ["xxxx"], matchers=["exact", "similar"]).links == ()


def test_synonyms(tmp_path: Path) -> None:
    for part in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"{part}.exc").write_text("", encoding="utf-8")
        (tmp_path / f"index.{part}").write_text("", encoding="utf-8")
    (tmp_path / "index.noun").write_text(
        "car n 1 0 1 0 02958343  \nauto n 1 0 1 0 02958343  \n", encoding="utf-8"
    )
    aligner = Aligner("en", ["exact", "synonym"], wordnet=tmp_path)
    assert aligner.align("my car", "my auto").phrases == (
        Link(0, 0, matcher="exact"),
        Link(1, 1, matcher="synonym"),
    )
    assert "synonym(wordnet-" in aligner.signature


def test_paraphrases_are_phrases(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("0.5\nin spite of\ndespite\n", encoding="utf-8")
    aligner = Aligner("en", ["exact", "paraphrase"], paraphrases=table)
    a = aligner.align("in spite of rain", "despite rain")
    assert a.phrases == (Link(0, 0, 3, 1, "paraphrase"), Link(3, 1, matcher="exact"))
    assert a.chunks == 1
    assert a.hyp_coverage == a.ref_coverage == 1
    assert a.to_pharaoh() == "0-0 1-0 2-0 3-1"
    assert list(a.permutation()) == [1, 2]


def test_errors_name_missing_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingData, match="wordnet"):
        Aligner("en", ["synonym"], wordnet=tmp_path)
    with pytest.raises(ValueError, match="METEOR"):
        Aligner("en", ["paraphrase"])
    with pytest.raises(MissingData, match="nothing-here"):
        Aligner("en", ["paraphrase"], paraphrases=tmp_path / "nothing-here")
    with pytest.raises(ValueError, match="English"):
        Aligner("de", ["synonym"])
    with pytest.raises(ValueError, match="no stemmer for the language 'ja'"):
        Aligner("ja", ["stem"], tokenize="char")
    with pytest.raises(ValueError, match="unknown matcher 'guess'; valid: exact, stem"):
        Aligner("en", ["guess"])
    with pytest.raises(ValueError, match="anchored drops links of other matchers: add one"):
        Aligner("en", "anchored")
    with pytest.raises(ValueError, match="2 hypotheses, but 1 references"):
        align_many(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="weight of 'stem' must be from"):
        Aligner("en", weights={"stem": 0})


def test_weights_decide_which_words_are_covered() -> None:
    # One word of the reference, wanted by an equal word and by one of the same stem: both cover
    # as much in one chunk, so distance decides, unless weights do.
    assert align("runs run", "run", "en").phrases == (Link(0, 0, matcher="stem"),)
    assert align("runs run", "run", "en", weights={"stem": 0.5}).phrases == (
        Link(1, 0, matcher="exact"),
    )
    assert align("runs run", "run", "en", weights={"stem": 2}).phrases == (
        Link(0, 0, matcher="stem"),
    )


def test_default_matchers_do_not_depend_on_installed_data() -> None:
    assert Aligner().matchers == ("exact", "anchored")
    assert Aligner("en").matchers == Aligner("de-AT").matchers == ("exact", "stem", "anchored")
    assert Aligner("zh").matchers == ("exact", "anchored")
    assert set(Aligner("en").matchers) < set(MATCHERS)


def test_case_and_tokens() -> None:
    assert align("Hello, World!", "hello world").to_pharaoh() == "0-0 2-1"
    assert align("Hello", "hello", lowercase=False).links == ()
    assert align(["Hello", "x y"], ["x y", "HELLO"]).links == ((0, 1), (1, 0))
    with pytest.raises(TypeError, match="token 1 must be a string, got int"):
        align(["a", 1], ["a"])  # type: ignore[list-item]


def test_empty_sentences() -> None:
    for hyp, ref in (("", ""), ("a", ""), ("", "a")):
        a = align(hyp, ref, "en")
        assert a.links == ()
        assert a.chunks == 0
        assert a.exact
        assert len(a.permutation("left")) == 0
    assert align_many([], []) == []


@pytest.mark.parametrize("words", [["a"] * 500, ["a", "b"] * 250, ["the", ","] * 100])
def test_repetition_is_bounded(words: list[str]) -> None:
    a = align(words, words)
    assert a.hyp_coverage == 1
    assert a.chunks == 1


def test_sentences_of_5000_tokens() -> None:
    rng = random.Random(1)
    words = [str(min(999, int(rng.paretovariate(0.9)))) for _ in range(5000)]
    a = align(words, rng.sample(words, 5000), tokenize="none", matchers="exact")
    assert a.hyp_coverage == 1
    b = align(["a"] * 5000, ["a"] * 4000)
    assert len(b.links) == 4000


def test_chunks_agree_with_the_twin() -> None:
    rng = random.Random(5)
    for _ in range(200):
        n = rng.randrange(1, 12)
        pairs = list(zip(range(n), rng.sample(range(n), n), strict=True))
        links = [pair for pair in pairs if rng.random() < 0.8]
        twin = chunks([Match(h, 1, r, 1, 0) for h, r in links])
        assert Alignment(n, n, links).chunks == twin


def test_an_aligner_can_be_shared_by_threads_and_copied(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("0.5\nin spite of\ndespite\n", encoding="utf-8")
    aligner = Aligner("en", "exact,stem,paraphrase", paraphrases=table, weights={"stem": 0.5})
    copy = pickle.loads(pickle.dumps(aligner))
    assert copy.signature == aligner.signature
    assert copy.align("In spite of runs", "despite run") == aligner.align(
        "In spite of runs", "despite run"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: align_many("ab", "ba"), "hyps must be a sequence of sentences, got str"),
        (lambda: align_many(["a", None], ["a", "b"]), r"hyps\[1\]: a sentence must be a string or"),  # type: ignore[list-item]
        (lambda: align_many(["a"], [["b", 3]]), r"refs\[0\]: token 1 must be a string, got int"),  # type: ignore[list-item]
        (lambda: align(b"a", "a"), "got bytes"),  # type: ignore[arg-type]
        (lambda: Aligner(3), "language must be a code such as 'en', got int"),  # type: ignore[arg-type]
    ],
)
def test_wrong_types(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_different_numbers_of_sentences() -> None:
    with pytest.raises(ValueError, match="2 hypotheses, but 1 references"):
        align_many(["a", "b"], ["a"])


def test_unpaired_surrogates_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^hyps\[1\]: token 2 has an unpaired surrogate$"):
        align_many([["a"], ["a", "b", "\ud800"]], [["a"], ["b"]])
    with pytest.raises(ValueError, match=r"^refs\[0\] has an unpaired surrogate$"):
        align("a", "\ud800")


def test_token_lists_and_strings_may_be_mixed() -> None:
    class Word(str):
        __slots__ = ()

    lists = align_many([["a", "New York"], ["B", "."]], [["new york", "a"], ["b", Word(".")]])
    assert [a.links for a in lists] == [((0, 1), (1, 0)), ((0, 0), (1, 1))]
    mixed = align_many([["a", "b"], "C d."], ["b a", ["d", "c", "."]])
    assert [a.links for a in mixed] == [((0, 1), (1, 0)), ((0, 1), (1, 0), (2, 2))]


@pytest.mark.parametrize("budget", [-1, 1.5, None, 2**70])
def test_wrong_budgets(budget: object) -> None:
    with pytest.raises(ValueError, match="budget must be a non-negative integer"):
        Aligner(budget=budget)  # type: ignore[arg-type]


def test_generators_are_accepted() -> None:
    assert align_many((x for x in ["a"]), iter([["b", "a"]]))[0].links == ((0, 1),)


def test_weights_far_apart_do_not_limit_the_length() -> None:
    words = [str(k % 700) for k in range(2000)]
    weights = {"exact": 1000, "stem": 0.001}
    a = align(words, words, "en", matchers="exact,stem", weights=weights)
    assert a.hyp_coverage == 1
    with pytest.raises(ValueError, match="60,000 and 60,000 words, at most"):
        align(["a"] * 60_000, ["a"] * 60_000)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"weights": [0, 1, 1, 1]}, "a weight is out of range"),
        ({"weights": [1, 1]}, "sizes of stems, synset_offsets or weights"),
        ({"hyp": [99]}, "not in the vocabulary"),
        ({"hyp": [-1]}, "not in the vocabulary"),
        ({"stems": [WORDS] * WORDS}, "a stem is not in the vocabulary"),
        ({"stems": [-1] * WORDS}, "a stem is not in the vocabulary"),
        ({"synsets": ([1], [0, 5] + [5] * 19)}, "synset_offsets must ascend"),
        ({"synsets": ([1], [0, 1] + [0] * 18 + [1])}, "synset_offsets must ascend"),
        ({"phrases": [0, 1, 0, 9, 3]}, "outside its sentence"),
        ({"phrases": [-1, 1, 0, 1, 3]}, "outside its sentence"),
        ({"phrases": [0, 1, 0, 1, 4]}, "outside its sentence"),
        ({"phrases": [0, 1, 0, 1]}, "five numbers"),
    ],
)
def test_the_core_checks_its_arguments(changed: dict[str, Any], message: str) -> None:
    hyp, phrases = changed.get("hyp", [0]), changed.get("phrases", [])
    flat, offsets = changed.get("synsets", ([], []))
    with pytest.raises(ValueError, match=message):
        _core.align(
            np.array(hyp, np.int32),
            np.array([0, len(hyp)]),
            np.array([0], np.int32),
            np.array([0, 1]),
            WORDS,
            True,
            np.array(changed.get("stems", []), np.int32),
            np.array(flat, np.int32),
            np.array(offsets, np.int64),
            np.array(phrases, np.int32),
            np.array([0, len(phrases) // 5]),
            np.array(changed.get("weights", [1] * 4), np.int64),
            100,
            False,
            1,
        )


def test_a_very_frequent_word_is_linked_once() -> None:
    """Squares of how often a word is used too often need more than 32 bits."""
    weighted = Aligner("en", ["exact", "stem"], weights={"stem": 0.5})
    assert len(weighted.align(["a"] * 65_537, ["a"]).links) == 1
    assert len(weighted.align([*"dbcbdcb", *["a"] * 65_537], [*"abd"]).links) == 3


def test_words_whose_comparison_empties_their_list() -> None:
    collision = hash("a0")

    class Evil(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return collision

        def __eq__(self, other: object) -> bool:
            if type(other) is str:
                words.clear()
            return False

    words = [Evil("x"), Evil("y"), "".join(["a", "0"])]
    found = Aligner(matchers=["exact"], lowercase=False).align(words, ["b"])
    assert found.links == ()
