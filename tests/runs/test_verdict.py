"""Every sentence of the verdict on word order, and the figures behind it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.order.moves import find_moves
from hyperbaton.runs.results import Result
from hyperbaton.runs.shown_links import FrequentMove, MoveCounts, MoveKind, count_moves
from hyperbaton.runs.verdict import find_verdict
from hyperbaton.runs.verdict_sentences import Verdict, moves_sentence, percentage
from reference.verdicts import expected_sentences

WORDS = [f"{first}{last}" for first in "bdfgklmnprst" for last in ("an", "em", "ir", "ol")]
RANDOM = random.Random(4)
REFERENCES = [" ".join(RANDOM.sample(WORDS, 10)) for _ in range(30)]
REVERSED = [" ".join(reversed(line.split())) for line in REFERENCES]
JUNK = ["xyzzy qwert plugh"] * 30
SHARED = "words that both systems and the reference have exactly once"
HINT = "are in the reference, as many as in any unrelated text. Are the lines shifted?"
FEW_MATCHED = "are not scored: too few of their words are in the reference. Are the lines shifted?"
CLOSING = "Another order is not always a wrong one."
CLOSER = "closer to the order of the reference"
CANNOT_TELL = "Word order: it cannot be told"


def swapped(count: int) -> list[str]:
    """The lines with two neighbours exchanged in the first ``count`` of them."""
    split = [line.split() for line in REFERENCES]
    return [
        " ".join([*words[:6], words[7], words[6], *words[8:]] if k < count else words)
        for k, words in enumerate(split)
    ]


def compare(systems: Mapping[str, Sequence[str]], **options: Any) -> hb.Comparison:
    options = {"metrics": ["order", "chrf"], "samples": 200, **options}
    return hb.compare(systems, options.pop("references", REFERENCES), **options)


def check_words(sentences: Sequence[str], most: int = 10) -> None:
    """The verdict is short, and says nothing of better or wrong orders."""
    text = " ".join(sentences).replace(CLOSING, "")
    assert len(sentences) <= most
    assert not {"better", "worse", "error", "wrong", "significant"} & set(text.split())


# Two systems -----------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("good", "bad"), ("bad", "good")])
def test_one_of_two_is_closer(names: tuple[str, str]) -> None:
    texts = {"good": REFERENCES, "bad": REVERSED}
    comparison = compare({name: texts[name] for name in names})
    found = comparison.verdict()
    assert found.outcome == "closer"
    answer, size, *moves, closing = found.sentences
    assert answer == f"Word order: good is {CLOSER} than bad."
    # By hand: a reversed line keeps none of the eleven neighbours of ten words.
    assert size == (
        f"Of 300 {SHARED}, it keeps more beside their neighbours: +100.0 points (95 % interval "
        "100.0 to 100.0, p = 0.005)."
    )
    assert [line.partition(", most")[0] for line in moves] == [
        "good: no word with a link has to move in 30 segments",
        "bad: words have to move in 30 of 30 segments",
    ]
    assert closing == f"By chrF good is ahead as well. {CLOSING}"
    check_words(found.sentences)
    figures = found.figures
    assert (figures["shared_words"], figures["shared_share"], figures["a"]) == (300, 1.0, "good")
    assert figures["difference"] == 1
    system = figures["systems"]["bad"]
    score = comparison.scores("order")["bad"]
    assert (system["value"], system["matched"]) == (score.value, score.matched)
    assert system["with_moves"] == 30
    assert str(found) == "\n".join(found.sentences)


def test_no_certain_difference() -> None:
    found = compare({"a": swapped(1), "b": REFERENCES}).verdict()
    answer, size, reliable, *_, closing = found.sentences
    assert (found.outcome, answer) == (
        "no certain difference",
        "Word order: no certain difference between b and a.",
    )
    # By hand: three of eleven neighbours are lost in one of 30 segments.
    assert size.startswith(f"Of 300 {SHARED}, b keeps 0.9 points more beside their neighbours (95 ")
    # √(30/29 · (29·(1/30)² + (29/30)²)) · 3/11/30 is the standard error of the mean.
    assert reliable == ("With 30 segments, a difference of 2.5 points would be found reliably.")
    assert found.figures["reliable_difference"] == pytest.approx(2.8 * 3 / 11 / 30)
    assert closing == f"By chrF no difference is certain. {CLOSING}"
    check_words(found.sentences)


def test_equal_systems_have_no_reliable_difference() -> None:
    found = compare({"a": REFERENCES, "b": list(REFERENCES)}).verdict()
    assert found.sentences[1] == (
        f"Of 300 {SHARED}, both keep as many beside their neighbours (95 % interval 0.0 to 0.0, "
        "p = 1.000)."
    )
    assert not any("reliably" in sentence for sentence in found.sentences)


def test_no_interval_without_the_bootstrap() -> None:
    found = compare({"a": REFERENCES, "b": REVERSED}, method="randomization").verdict()
    assert found.sentences[1].endswith("+100.0 points (p = 0.005).")


def test_too_few_words_in_common() -> None:
    few = [" ".join(line.split()[:3]) for line in REFERENCES[:10]]
    turned = [" ".join(reversed(line.split())) for line in few]
    found = compare({"a": few, "b": turned}, references=few, metrics="order").verdict()
    assert found.outcome == "too few words in common"
    assert found.sentences[:2] == (
        f"{CANNOT_TELL} whether a or b is {CLOSER}.",
        "Only 30 words, 100 % of the reference's, occur exactly once in both and in the reference: "
        "at least 50 words and 10 % are needed.",
    )
    check_words(found.sentences)


def test_too_few_segments_or_samples() -> None:
    texts = {"a": REFERENCES[:5], "b": REVERSED[:5]}
    found = compare(texts, references=REFERENCES[:5], metrics="order").verdict()
    assert found.outcome == "too few segments or samples"
    assert found.sentences[0] == (
        f"{CANNOT_TELL} whether a or b is {CLOSER}: 5 segments are too few for intervals and "
        "significant differences: at least 6 are needed."
    )
    found = compare({"a": REFERENCES, "b": REVERSED}, samples=9).verdict()
    assert found.sentences[0].endswith("at least 20 samples are needed.")


@pytest.mark.parametrize("n", [1, 5])
def test_nothing_is_certain_nor_significant_in_few_segments(n: int) -> None:
    """One sentence says so, and nothing else of significance."""
    texts = {"a": REFERENCES[:n], "b": REVERSED[:n]}
    sentences = compare(texts, references=REFERENCES[:n]).verdict().sentences
    assert sum("too few for intervals" in sentence for sentence in sentences) == 1
    assert not any("certain" in sentence for sentence in sentences)


def test_few_segments() -> None:
    texts = {"a": REFERENCES[:8], "b": REVERSED[:8]}
    comparison = compare(texts, references=REFERENCES[:8])
    assert comparison.verdict().sentences[2] == (
        "8 segments are few: intervals are wide, and only large differences can be significant."
    )


def test_one_of_two_is_not_scored() -> None:
    found = compare({"good": REFERENCES, "junk": JUNK}).verdict()
    assert found.outcome == "not scored"
    assert found.sentences == (
        f"{CANNOT_TELL} whether good or junk is {CLOSER}.",
        f"junk is not scored: only 0 % of its words {HINT}",
        "good: no word with a link has to move in 30 segments",
        CLOSING,
    )
    assert found.figures["difference"] is None
    assert found.figures["systems"]["junk"]["value"] is None


def test_neither_of_two_is_scored() -> None:
    found = compare({"junk": JUNK, "empty": [""] * 30}).verdict()
    assert found.sentences == (
        f"{CANNOT_TELL} whether junk or empty is {CLOSER}.",
        f"junk and empty {FEW_MATCHED}",
    )


def test_chrf_points_the_other_way() -> None:
    """One system has the order of the reference, the other one has its words."""
    fewer_words = [" ".join(["zzz", "zzz", "zzz", *line.split()[3:]]) for line in REFERENCES]
    found = compare({"order": fewer_words, "words": swapped(30)}).verdict()
    assert found.sentences[0] == f"Word order: order is {CLOSER} than words."
    assert found.sentences[-1] == (
        f"By chrF words is ahead: it has more of the reference's words. {CLOSING}"
    )


def test_chrf_is_not_certain_or_was_not_asked_for() -> None:
    noisy = [line.replace("an", "zz", 1) if k % 2 else line for k, line in enumerate(REFERENCES)]
    systems = {"a": noisy, "b": swapped(8)}
    assert compare(systems).verdict().sentences[-1] == (
        f"By chrF no difference is certain. {CLOSING}"
    )
    assert compare(systems, metrics="order").verdict().sentences[-1] == CLOSING


# One system ------------------------------------------------------------------------------------


def test_one_system() -> None:
    result = hb.score(REFERENCES, REFERENCES, ["order"], confidence=True, samples=50)
    answer, share, moves, closing = result.report().verdict().sentences
    assert answer == (
        "Word order: system is at 100.0 (interval 100.0 to 100.0); 100 is the order of the "
        "reference."
    )
    assert share == (
        f"It is known of the {percentage(result.matched or 0)} of its words that are in the "
        "reference."
    )
    assert moves == "system: no word with a link has to move in 30 segments"
    assert closing == CLOSING
    found = find_verdict([hb.score(REFERENCES, REFERENCES, ["order"])])
    assert found.outcome == "one system"
    assert found.figures["systems"]["system"] == {"value": 1.0, "matched": result.matched}


def test_one_system_that_is_not_scored() -> None:
    result = hb.score(JUNK, REFERENCES, ["order"], confidence=True, samples=50)
    assert result.report().verdict().sentences == (
        f"Word order: system is not scored: only 0 % of its words {HINT}",
    )


# Many systems ----------------------------------------------------------------------------------

LADDER = {f"s{k:02}": swapped(k) for k in range(19)} | {"last": REVERSED}


def test_three_systems() -> None:
    found = compare({"c": REVERSED, "a": REFERENCES, "b": swapped(30)}).verdict()
    assert found.outcome == "closer"
    assert found.sentences[:2] == (
        f"Word order: a is {CLOSER} than the next, b; the systems form 3 clusters.",
        f"Last is c: both others are {CLOSER}.",
    )
    assert [line[:3] for line in found.sentences[2:5]] == ["a: ", "b: ", "c: "]
    assert found.sentences[-1] == f"By chrF a has the highest value as well. {CLOSING}"
    check_words(found.sentences, 12)


def test_twenty_systems() -> None:
    comparison = compare(LADDER, metrics="order")
    found = comparison.verdict()
    check_words(found.sentences, 12)
    ranks = comparison.ranking("order")
    last = ranks[-1].system
    assert found.sentences[1] == f"Last is {last}: all 19 others are {CLOSER}."
    assert f"; the systems form {ranks[-1].cluster} clusters." in found.sentences[0]


def test_first_cluster_of_several_systems() -> None:
    systems = {"a": REFERENCES, "b": swapped(1), "c": swapped(2), "d": swapped(1), "z": REVERSED}
    found = compare(systems, metrics="order").verdict()
    first = found.sentences[0]
    assert first.startswith(f"Word order: a and 3 others are {CLOSER} than the next, z;")
    del systems["d"]
    found = compare(systems, metrics="order").verdict()
    assert found.sentences[0].startswith(f"Word order: a, b and c are {CLOSER} than the next, z;")


def test_one_cluster() -> None:
    same = dict.fromkeys("abc", REFERENCES)
    found = compare(same).verdict()
    assert found.sentences[0] == (
        "Word order: no certain difference between any two of the 3 systems."
    )
    assert found.sentences[-1] == CLOSING  # nobody comes first by chrF
    # The next one differs only from the one that comes first.
    systems = {"a": REFERENCES, "b": swapped(4), "c": swapped(8)}
    found = compare(systems, metrics="order").verdict()
    assert found.sentences[:2] == (
        "Word order: the systems form one cluster; 1 of 3 differences are significant, without a "
        "correction.",
        f"Last is c: 1 of the 2 others is {CLOSER}.",
    )


def test_systems_beside_a_baseline() -> None:
    systems = {"a": REFERENCES, "b": swapped(15), "c": REVERSED, "d": swapped(16), "junk": JUNK}
    found = compare(systems, baseline="b", metrics="order").verdict()
    assert found.sentences == (
        "Word order, compared with b, the baseline:",
        f"{CLOSER}: a.",
        "farther from it: c.",
        "no certain difference: d.",
        f"junk is not scored: only 0 % of its words {HINT}",
        CLOSING,
    )
    found = compare(systems, baseline="junk", metrics="order").verdict()
    assert found.sentences[0] == (
        "Word order: nothing can be told, since the baseline is not scored."
    )


def test_most_systems_are_not_scored() -> None:
    junk = {f"junk {k}": JUNK for k in range(4)}
    assert compare(junk).verdict().sentences == (
        f"{CANNOT_TELL} which system is {CLOSER}.",
        f"junk 0 and 3 others {FEW_MATCHED}",
    )
    found = compare({"a": REFERENCES, **junk}).verdict()
    assert (found.outcome, found.sentences[0]) == (
        "not scored",
        f"{CANNOT_TELL} which system is {CLOSER}.",
    )
    found = compare({"a": REFERENCES, "b": REVERSED, "junk": JUNK}).verdict()
    assert found.sentences[:2] == (
        f"Word order: a is {CLOSER} than the next, b; the systems form 2 clusters.",
        f"junk is not scored: only 0 % of its words {HINT}",
    )


def test_many_systems_with_too_little() -> None:
    few = {"a": REFERENCES[:4], "b": REVERSED[:4], "c": REVERSED[:4]}
    found = compare(few, references=REFERENCES[:4], metrics="order").verdict()
    assert found.sentences[0] == (
        f"{CANNOT_TELL} which system is {CLOSER}: 4 segments are too few for intervals and "
        "significant differences: at least 6 are needed."
    )
    lines = [" ".join(line.split()[:3]) for line in REFERENCES[:10]]
    turned = [" ".join(reversed(line.split())) for line in lines]
    systems = {"a": lines, "b": turned, "c": turned}
    found = compare(systems, references=lines, metrics="order").verdict()
    assert found.sentences[:2] == (
        f"{CANNOT_TELL} which system is {CLOSER}.",
        "3 pairs cannot be compared: too few words in common.",
    )


# Without order ---------------------------------------------------------------------------------


def test_without_order_one_sentence_names_the_outcome() -> None:
    last = "There is no verdict on word order: it needs the metric order."
    systems = {"a": REFERENCES, "b": REVERSED}
    found = compare(systems, metrics=["bleu", "chrf"]).verdict()
    assert found.outcome == "word order was not compared"
    assert found.sentences == ("By bleu a is significantly better than b (p = 0.005).", last)
    same = compare({"a": REFERENCES, "b": list(REFERENCES)}, metrics="bleu").verdict()
    assert same.sentences == ("By bleu no difference is certain.", last)
    three = compare({**systems, "c": list(REFERENCES)}, metrics="bleu").verdict()
    assert three.sentences == ("By bleu 2 of 3 pairs of systems differ significantly.", last)
    few = compare(
        {name: lines[:3] for name, lines in systems.items()},
        references=REFERENCES[:3],
        metrics="bleu",
    ).verdict()
    assert few.sentences == (
        "3 segments are too few for intervals and significant differences: at least 6 are needed.",
        last,
    )
    silent = compare({"junk": JUNK, "empty": [""] * 30}, metrics="kendall").verdict()
    assert silent.sentences[0] == (
        "By kendall no two systems can be compared: too few of their words are matched."
    )
    assert hb.score(REFERENCES, REFERENCES, "bleu").report().verdict().sentences == (last,)


# Names, moves ----------------------------------------------------------------------------------


def test_names_are_shown_as_in_tables() -> None:
    long = ["transformer-big-with-2024-labels", "transformer-big-with-2025-labels", "\x1b[1mb"]
    texts = [REFERENCES, swapped(30), REVERSED]
    found = compare(dict(zip(long, texts, strict=True)), metrics="order").verdict()
    text = str(found)
    assert "\x1b" not in text
    assert found.figures["first"] == [long[0]]
    first, second = (found.figures["shown_names"][name] for name in long[:2])
    assert (first, second) == ("transfo…labels~1", "transfo…labels~2")
    assert found.sentences[0].startswith(
        f"Word order: {first} is {CLOSER} than the next, {second};"
    )
    assert Verdict.from_dict(json.loads(json.dumps(found.to_dict()))).sentences == found.sentences


def test_right_to_left_names_do_not_turn_sentences() -> None:
    hebrew, arabic = "מתרגם", "مترجم"
    found = compare({hebrew: REFERENCES, arabic: REVERSED}).verdict()
    for name in (hebrew, arabic):
        assert all(
            sentence.count(name) == sentence.count(f"\u2068{name}\u2069")
            for sentence in found.sentences
        )
    assert found.figures["a"] == hebrew


def test_moves_that_are_not_frequent_or_unknown() -> None:
    systems = [
        hb.score(swapped(count), REFERENCES, ["order"], keep_texts=True).report().verdict()
        for count in (5, 4)
    ]
    assert [found.sentences[2] for found in systems] == [
        "system: words have to move in 5 of 30 segments, most often one word too early, typically "
        "by one place",
        "system: words have to move in 4 of 30 segments",
    ]
    assert moves_sentence({"with_moves": None}, 4) == (
        "no word has a link, so that nothing is known of moves"
    )
    mostly = {"words": "several", "places": 12, "too": "late"}
    assert moves_sentence({"with_moves": 1200, "mostly": mostly}, 1300) == (
        "words have to move in 1,200 of 1,300 segments, most often several words too late, "
        "typically by 12 places"
    )


# For programs ----------------------------------------------------------------------------------

CASES: dict[str, tuple[dict[str, list[str]], dict[str, Any]]] = {
    "two": ({"a": REFERENCES, "b": REVERSED}, {}),
    "second": ({"a": REVERSED, "b": swapped(7)}, {}),
    "uncertain": ({"a": swapped(3), "b": swapped(2)}, {}),
    "equal": ({"a": swapped(3), "b": swapped(3)}, {}),
    "three": ({"c": REVERSED, "a": REFERENCES, "b": swapped(30)}, {}),
    "one cluster": ({"a": REFERENCES, "b": swapped(4), "c": swapped(8)}, {}),
    "corrected": ({"a": REFERENCES, "b": swapped(4), "c": swapped(30)}, {"correction": "holm"}),
    "ties": ({name: swapped(5) for name in "abcd"}, {}),
    "17": (dict([*LADDER.items()][3:]), {}),
    "20": (LADDER, {}),
    "20, baseline": (LADDER, {"baseline": "s09"}),
    "not scored": ({"a": REFERENCES, "b": REVERSED, "x": JUNK, "y": JUNK}, {}),
    "order alone": ({"a": REFERENCES, "b": REVERSED}, {"metrics": ["order"]}),
    "few segments": ({name: lines[:12] for name, lines in LADDER.items()}, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_sentence_follows_from_the_json(case: str) -> None:
    systems, options = CASES[case]
    n = len(next(iter(systems.values())))
    comparison = compare(systems, references=REFERENCES[:n], **options)
    document = json.loads(comparison.to_json())
    found = document["word_order"]
    assert found["sentences"] == expected_sentences(document)
    assert len(json.dumps(found, ensure_ascii=False).encode()) <= 2000
    assert Verdict.from_dict(found).to_dict() == found
    assert tuple(found["sentences"]) == comparison.verdict().sentences
    if n > 1:
        report = comparison.report()
        assert report.verdict() == comparison.verdict()
        assert report.to_dict()["word_order"] == found


def test_without_texts_nothing_is_said_about_moves() -> None:
    kept = compare({"a": REFERENCES, "b": REVERSED})
    results = tuple(Result(dict(result), result.name) for result in kept.results)
    answer, size, closing = replace(kept, results=results).verdict().sentences
    assert (answer, size) == kept.verdict().sentences[:2]
    assert closing == kept.verdict().sentences[-1]


def test_names_that_look_the_same() -> None:
    with pytest.raises(ValueError, match=r"two systems have the name a\\tb"):
        compare({"a\tb": REFERENCES, "a\\tb": REVERSED})
    with pytest.raises(TypeError, match="the name of a system must be a string, got int"):
        compare({1: REFERENCES, "b": REVERSED})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="the name of a system"):
        compare({"\ud800": REFERENCES, "b": REVERSED})


def test_move_counts() -> None:
    perms = [[2, 1], [1, 2, 3], [4, 1, 2, 3], [3, 4, 5, 1, 2]]
    counts = MoveCounts.of_moves([find_moves(perms[:2]), find_moves(perms[2:])], 10, 20)
    assert (counts.segments, counts.reordered, counts.moves) == (4, 3, 3)
    # ⟨2,1⟩: one word moves by one; ⟨4,1,2,3⟩: the first word is three words too far left
    single = [distances for kind, distances in counts.distances.items() if kind.is_single]
    assert Counter(single[0]) + Counter(single[1]) == {1: 1, 3: 1}
    assert counts.distances[MoveKind(is_single=False, before=True)] == {3: 1}
    punctuation = MoveCounts.of_moves(
        [find_moves([[2, 1]], punctuation=np.array([True, False]))], 4, 4
    )
    assert (punctuation.moves, punctuation.punctuation, punctuation.reordered) == (0, 1, 0)
    assert punctuation.most_frequent is None


SENTENCES = [f"on day {k} the old man met nine young dogs , and left" for k in range(30)]
# In half of the segments, "met" stands two words too far left.
EARLY = [text.replace("old man met", "met old man") for text in SENTENCES[:15]] + SENTENCES[15:]
# "nine young dogs" stands too far left.
LATE = [text.replace("met nine young dogs", "nine young dogs met") for text in SENTENCES]


def test_moves_of_a_system() -> None:
    comparison = compare({"early": EARLY, "late": LATE}, references=SENTENCES, metrics="kendall")
    counts = count_moves(comparison.results)
    assert counts["early"].most_frequent == FrequentMove(MoveKind(True, False), 15, 2)
    assert counts["late"].most_frequent == FrequentMove(MoveKind(True, True), 30, 3)


def test_a_comparison_counts_moves_while_it_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = {"early": EARLY, "late": LATE}
    options = {"references": SENTENCES, "metrics": "kendall"}
    kept, again = (compare(systems, **options) for _ in range(2))
    for result in again.results:
        for stored in result.corpus or ():
            stored.moves.clear()
    assert kept.to_dict() == again.to_dict()
    assert count_moves(kept.results) == count_moves(again.results)
    monkeypatch.setattr("hyperbaton.runs.shown_links.linked_batches", None)
    compare(systems, **options).to_dict()  # without reading the texts again
    with pytest.raises(TypeError, match="NoneType"):
        count_moves(again.results)


def test_no_kind_is_frequent_if_two_are() -> None:
    tied = MoveCounts.of_moves([find_moves([[3, 1, 2], [2, 3, 1]])], 6, 6)
    assert [sum(distances.values()) for distances in tied.distances.values()] == [1, 1, 0, 0]
    assert tied.most_frequent is None
