"""Every sentence of the verdict on word order, and the figures behind it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.runs.order_verdict import (
    OrderVerdict,
    find_order_verdict,
    moves_sentence,
    percentage,
)
from hyperbaton.runs.shown_links import MoveCounts, count_moves

WORDS = [f"{first}{last}" for first in "bdfgklmnprst" for last in ("an", "em", "ir", "ol")]
RANDOM = random.Random(4)
REFERENCES = [" ".join(RANDOM.sample(WORDS, 10)) for _ in range(30)]
REVERSED = [" ".join(reversed(line.split())) for line in REFERENCES]
JUNK = ["xyzzy qwert plugh"] * 30
SHARED = "words that both systems and the reference have exactly once"
HINT = "are in the reference, as many as in any unrelated text. Are the lines shifted?"
CLOSING = "Another order is not always a wrong one."
CLOSER = "closer to the order of the reference"


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


def verdict(comparison: hb.Comparison) -> OrderVerdict:
    moves = count_moves(comparison.results)
    return find_order_verdict("order", comparison.results, comparison, moves)


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
    found = verdict(comparison)
    assert found.outcome == ("closer" if names[0] == "good" else "farther")
    answer, size, *moves, closing = found.sentences
    assert answer == f"Word order: good is {CLOSER} than bad."
    # By hand: a reversed line keeps none of the eleven neighbours of ten words.
    assert size == (
        f"By the 300 {SHARED}, it keeps more neighbours: +100.0 points (95 % interval +100.0 to "
        "+100.0, p = 0.005)."
    )
    lines = {
        "good": "good: no word with a link has to move in 30 segments",
        "bad": "bad: words have to move in 30 of 30 segments",
    }
    assert [line.partition(", most")[0] for line in moves] == [lines[name] for name in names]
    assert closing == f"By chrF, good is ahead as well. {CLOSING}"
    assert comparison.verdict("order") == found.sentences
    check_words(found.sentences)
    figures = found.figures
    assert (figures["anchors"], figures["anchored"], figures["better"]) == (300, 1.0, "good")
    assert figures["difference"] == (1 if names[0] == "good" else -1)
    assert figures["systems"]["bad"] == {
        "order": comparison.scores("order")["bad"].value,
        "matched": comparison.scores("order")["bad"].matched,
        "segments": 30,
        "with_moves": 30,
    }
    document = json.dumps(found.to_dict(), allow_nan=False)
    assert json.loads(document)["sentences"] == list(found.sentences)
    assert len(document) < 2000


def test_no_certain_difference() -> None:
    found = verdict(compare({"a": swapped(1), "b": REFERENCES}))
    answer, size, reliable, *_, closing = found.sentences
    assert (found.outcome, answer) == (
        "no certain difference",
        "Word order: no certain difference between a and b.",
    )
    # By hand: three of eleven neighbours are lost in one of 30 segments.
    assert size.startswith(f"By the 300 {SHARED}, a minus b is −0.9 points (95 % interval ")
    # √(30/29 · (29·(1/30)² + (29/30)²)) · 3/11/30 is the standard error of the mean.
    assert reliable == (
        "With so many segments, a difference of 2.5 points would be found reliably."
    )
    assert found.figures["reliable_difference"] == pytest.approx(2.8 * 3 / 11 / 30)
    assert closing == CLOSING
    check_words(found.sentences)


def test_equal_systems_have_no_reliable_difference() -> None:
    found = verdict(compare({"a": REFERENCES, "b": list(REFERENCES)}))
    assert "a minus b is 0.0 points (95 % interval 0.0 to 0.0, p = 1.000)." in found.sentences[1]
    assert not any("reliably" in sentence for sentence in found.sentences)


def test_no_interval_without_the_bootstrap() -> None:
    found = verdict(compare({"a": REFERENCES, "b": REVERSED}, method="randomization"))
    assert found.sentences[1].endswith("+100.0 points (p = 0.005).")


def test_too_few_words_in_common() -> None:
    found = verdict(
        compare(
            {"a": REFERENCES[:4], "b": REVERSED[:4]}, references=REFERENCES[:4], metrics="order"
        )
    )
    assert found.outcome == "too few words in common"
    assert found.sentences[:2] == (
        f"Word order: it cannot be told whether a or b is {CLOSER}.",
        "Only 40 words, 100 % of the reference's, occur exactly once in both systems and the "
        "reference: at least 50 words and 10 % are needed.",
    )
    check_words(found.sentences)


def test_too_few_segments_or_samples() -> None:
    few = verdict(
        compare(
            {"a": REFERENCES[:5], "b": REVERSED[:5]}, references=REFERENCES[:5], metrics="order"
        )
    )
    assert few.sentences[0].endswith(
        f"{CLOSER}. 5 segments are too few for intervals and "
        "significant differences: at least 6 are needed."
    )
    few = verdict(compare({"a": REFERENCES, "b": REVERSED}, samples=9))
    assert few.sentences[0].endswith("at least 20 samples are needed.")


def test_one_of_two_is_not_scored() -> None:
    comparison = compare({"good": REFERENCES, "junk": JUNK})
    found = verdict(comparison)
    assert found.outcome == "not scored"
    assert found.sentences == (
        f"Word order: it cannot be told whether good or junk is {CLOSER}.",
        f"junk is not scored: only 0 % of its words {HINT}",
        "good: no word with a link has to move in 30 segments",
        CLOSING,
    )
    assert found.figures["difference"] is None
    assert found.figures["systems"]["junk"]["order"] is None


def test_neither_of_two_is_scored() -> None:
    found = verdict(compare({"junk": JUNK, "empty": [""] * 30}))
    assert found.sentences == (
        f"Word order: it cannot be told whether junk or empty is {CLOSER}.",
        f"junk is not scored: only 0 % of its words {HINT}",
        f"empty is not scored: only 0 % of its words {HINT}",
    )


def test_chrf_points_the_other_way() -> None:
    """One system has the order of the reference, the other one has its words."""
    fewer_words = [" ".join(["zzz", "zzz", "zzz", *line.split()[3:]]) for line in REFERENCES]
    found = verdict(compare({"order": fewer_words, "words": swapped(30)}))
    assert found.sentences[0] == f"Word order: order is {CLOSER} than words."
    assert found.sentences[-1] == (
        f"By chrF, words is ahead: it has more of the reference's words. {CLOSING}"
    )


def test_chrf_is_not_certain_or_was_not_asked_for() -> None:
    noisy = [line.replace("an", "zz", 1) if k % 2 else line for k, line in enumerate(REFERENCES)]
    systems = {"a": noisy, "b": swapped(8)}
    assert verdict(compare(systems)).sentences[-1] == (
        f"By chrF, no difference is certain. {CLOSING}"
    )
    assert verdict(compare(systems, metrics="order")).sentences[-1] == CLOSING


# One system ------------------------------------------------------------------------------------


def test_one_system() -> None:
    result = hb.score(REFERENCES, REFERENCES, ["order"], confidence=True, samples=50)
    answer, share, moves, closing = result.report().verdict("order")
    assert answer == (
        "Word order: system is at 100.0 (interval 100.0 to 100.0); 100 is the order of the "
        "reference."
    )
    assert share == (
        f"It is computed from the {percentage(result.matched or 0)} of its words that are in the "
        "reference."
    )
    assert moves == "system: no word with a link has to move in 30 segments"
    assert closing == CLOSING
    found = find_order_verdict("order", [result], None)
    assert found.outcome == "one system"
    assert found.figures["systems"]["system"] == {"order": 1.0, "matched": result.matched}


def test_one_system_that_is_not_scored() -> None:
    result = hb.score(JUNK, REFERENCES, ["order"], confidence=True, samples=50)
    assert result.report().verdict("order") == (
        f"Word order: system is not scored: only 0 % of its words {HINT}",
    )


# Many systems ----------------------------------------------------------------------------------

LADDER = {f"s{k:02}": swapped(k) for k in range(19)} | {"last": REVERSED}


def test_three_systems() -> None:
    found = verdict(compare({"c": REVERSED, "a": REFERENCES, "b": swapped(30)}))
    assert found.outcome == "ranked"
    assert found.sentences[:2] == (
        f"Word order: a is {CLOSER} than the next, b; the systems form 3 clusters.",
        f"Last is c: all of the 2 others are {CLOSER}.",
    )
    assert [line[:3] for line in found.sentences[2:5]] == ["c: ", "a: ", "b: "]
    assert found.sentences[-1] == f"By chrF, a has the highest value. {CLOSING}"
    check_words(found.sentences, 12)


def test_twenty_systems() -> None:
    comparison = compare(LADDER, metrics="order")
    found = verdict(comparison)
    check_words(found.sentences, 12)
    assert found.sentences[0].startswith("Word order: ")
    # Values, ranks and outcomes are in the comparison, for everybody to check the sentences.
    ranks = comparison.ranking("order")
    last = ranks[-1].system
    closer = [
        d for d in comparison.differences if last in (d.a, d.b) and d.better not in (None, last)
    ]
    assert len(closer) == 19
    assert found.sentences[1] == f"Last is {last}: all of the 19 others are {CLOSER}."
    assert max(rank.cluster or 0 for rank in ranks) > 1
    assert f"; the systems form {ranks[-1].cluster} clusters." in found.sentences[0]


def test_first_cluster_of_several_systems() -> None:
    systems = {"a": REFERENCES, "b": swapped(1), "c": swapped(2), "d": swapped(1), "z": REVERSED}
    found = verdict(compare(systems, metrics="order"))
    assert found.sentences[0].startswith(f"Word order: 4 systems are {CLOSER} than the next, z;")
    del systems["d"]
    found = verdict(compare(systems, metrics="order"))
    assert found.sentences[0].startswith(f"Word order: a, b and c are {CLOSER} than the next, z;")


def test_one_cluster() -> None:
    same = dict.fromkeys("abc", REFERENCES)
    found = verdict(compare(same))
    assert found.sentences[0] == (
        "Word order: no certain difference between any two of the 3 systems."
    )
    assert found.sentences[-1] == CLOSING  # nobody comes first by chrF
    # The next one differs only from the one that comes first.
    found = verdict(compare({"a": REFERENCES, "b": swapped(4), "c": swapped(8)}, metrics="order"))
    assert found.sentences[:2] == (
        "Word order: the systems form one cluster; 1 of 3 differences are significant, without a "
        "correction.",
        f"Last is c: 1 of the 2 others are {CLOSER}.",
    )


def test_systems_beside_a_baseline() -> None:
    systems = {"a": REFERENCES, "b": swapped(15), "c": REVERSED, "d": swapped(16), "junk": JUNK}
    found = verdict(compare(systems, baseline="b", metrics="order"))
    assert found.sentences == (
        "Word order, compared with b, the baseline:",
        f"{CLOSER}: a.",
        "farther from it: c.",
        "no certain difference: d.",
        f"junk is not scored: only 0 % of its words {HINT}",
        CLOSING,
    )
    found = verdict(compare(systems, baseline="junk", metrics="order"))
    assert found.sentences[0] == (
        "Word order: nothing can be told, since the baseline is not scored."
    )


def test_most_systems_are_not_scored() -> None:
    junk = {f"junk {k}": JUNK for k in range(4)}
    found = verdict(compare(junk))
    assert found.sentences == (
        "Word order: nothing can be told, since no system is scored.",
        "4 systems are not scored: too few of their words are in the reference. Are the lines "
        "shifted?",
    )
    found = verdict(compare({"a": REFERENCES, **junk}))
    assert found.sentences[0] == "Word order: nothing can be told, since only a is scored."
    found = verdict(compare({"a": REFERENCES, "b": REVERSED, "junk": JUNK}))
    assert found.sentences[:2] == (
        f"Word order: a is {CLOSER} than the next, b; the systems form 2 clusters.",
        f"junk is not scored: only 0 % of its words {HINT}",
    )


def test_many_systems_with_too_little() -> None:
    few = {"a": REFERENCES[:4], "b": REVERSED[:4], "c": REVERSED[:4]}
    found = verdict(compare(few, references=REFERENCES[:4], metrics="order"))
    assert found.sentences[0] == (
        "Word order: nothing can be told. 4 segments are too few for intervals and significant "
        "differences: at least 6 are needed."
    )
    assert found.sentences[1] == "3 pairs cannot be compared: too few words in common."


# Names, moves ----------------------------------------------------------------------------------


def test_other_names() -> None:
    comparison = compare({"a.txt": REFERENCES, "b.txt": REVERSED})
    found = find_order_verdict(
        "order", comparison.results, comparison, labels={"a.txt": "a", "b.txt": "\x1b[1mb"}
    )
    assert "\x1b" not in "".join(found.sentences)
    assert found.sentences[0].startswith(f"Word order: a is {CLOSER} than ")


def test_moves_that_are_not_frequent_or_unknown() -> None:
    assert moves_sentence(MoveCounts.of_moves([], 0, 10)) == (
        "no word has a link, so that nothing is known of moves"
    )
    counts = count_moves([hb.score(swapped(5), REFERENCES, ["order"], keep_texts=True)])["system"]
    assert moves_sentence(counts) == (
        "words have to move in 5 of 30 segments, most often single words, 1 place too early"
    )
    counts = count_moves([hb.score(swapped(4), REFERENCES, ["order"], keep_texts=True)])["system"]
    assert moves_sentence(counts) == "words have to move in 4 of 30 segments"


# For programs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 20])
def test_the_verdict_in_json(count: int) -> None:
    """Its sentences are those of the texts, and its figures those of the difference."""
    texts = {f"system {k}": REFERENCES[k:] + REVERSED[:k] for k in range(count)}
    texts = {name: [*lines, *REFERENCES][: len(REFERENCES)] for name, lines in texts.items()}
    comparison = compare(texts)
    document = json.loads(comparison.to_json())
    found = document["word_order"]
    assert tuple(found["sentences"]) == verdict(comparison).sentences == comparison.verdict("order")
    assert len(json.dumps(found, ensure_ascii=False).encode()) <= 2000
    assert found["figures"]["metric"] == "order"
    if count == 2:
        (difference,) = document["metrics"]["order"]["differences"]
        assert found["outcome"] == difference["outcome"]
        for key in ("a", "b", "difference", "lower", "upper", "p", "anchors", "better"):
            assert found["figures"][key] == difference[key]


def test_no_verdict_without_order() -> None:
    texts = {"good": REFERENCES, "bad": REVERSED}
    assert compare(texts, metrics=["chrf"]).to_dict()["word_order"] is None
