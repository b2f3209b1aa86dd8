"""The sentences that say what a comparison shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.order.moves import find_moves
from hyperbaton.runs.results import Result
from hyperbaton.runs.shown_links import FrequentMove, MoveCounts, MoveKind, count_moves

REFERENCES = [f"on day {k} the old man met nine young dogs , and left" for k in range(30)]
# In half of the segments, "met" stands two words too far left.
EARLY = [text.replace("old man met", "met old man") for text in REFERENCES[:15]] + REFERENCES[15:]
# "nine young dogs" stands too far left, and the order is worse.
LATE = [text.replace("met nine young dogs", "nine young dogs met") for text in REFERENCES]
WORST = [" ".join(reversed(text.split())) for text in REFERENCES]


def compare(systems: dict[str, list[str]], **options: object) -> hb.Comparison:
    return hb.compare(systems, REFERENCES, ["kendall", "wer"], samples=200, **options)  # type: ignore[arg-type]


def test_two_systems_that_differ() -> None:
    comparison = compare({"a": REFERENCES, "b": WORST})
    first, moves, trust = comparison.verdict()
    assert first == "a is significantly better than b on kendall: 1.000 against 0.000 (p = 0.005)."
    assert moves == "All linked words of a are in the order of the reference."
    assert trust == "All words are linked with the reference."
    by_errors = comparison.verdict("wer")
    assert by_errors[0].startswith("a is significantly better than b on wer: 0.000 against ")


def test_two_systems_that_do_not_differ() -> None:
    first, moves, _ = compare({"a": EARLY, "b": list(EARLY)}).verdict()
    assert first == "a and b have the same kendall score in every segment."
    assert moves == (
        "In 15 of 30 segments of a, words are not in the order of the reference: most often single "
        "words that come too early, typically by 2 words (100 % of 15 moves)."
    )
    mirrored = REFERENCES[15:] + EARLY[15:]
    shifted = [*REFERENCES[:14], *EARLY[14:15], *mirrored[15:]]
    first = compare({"worse": EARLY[:15] + mirrored[15:], "better": shifted}).verdict()[0]
    assert first.startswith("better is significantly better than worse on kendall: 0.9")
    first = compare({"worse": shifted, "better": REFERENCES}).verdict()[0]
    assert first.startswith("better and worse do not differ significantly on kendall: 1.000 and ")
    assert " (p = " in first


def test_several_systems() -> None:
    comparison = compare({"a": EARLY, "b": WORST, "c": REFERENCES, "d": LATE})
    first = comparison.verdict()[0]
    assert first.startswith("c (1.000) is significantly better on kendall than all ")
    assert " other systems (at best 0.9" in first
    same = {f"s{k}": list(EARLY) for k in range(7)}
    assert compare(same).verdict()[0].startswith("No two of the 7 systems differ significantly")
    nearly = [*EARLY[:1], *REFERENCES[1:]]
    close = compare({"a": REFERENCES, "b": nearly, "c": WORST}).verdict()[0]
    assert close == (
        "a (1.000) has the best kendall score, but is not significantly better than b; it is "
        "significantly better than c (0.000)."
    )
    many = compare({**same, "best": REFERENCES, "other": nearly}).verdict()[0]
    assert "better than other; it is significantly better than 7 others (at best 0.9" in many


def test_a_baseline() -> None:
    systems = {"old": EARLY, "same": list(EARLY), "new": REFERENCES, "bad": WORST}
    first = compare(systems, baseline="old").verdict()[0]
    assert first.startswith(
        "On kendall, new (1.000) is significantly better than the baseline old "
    )
    assert "); bad (0.000) is significantly worse than it; same (0.9" in first
    assert first.endswith(") does not differ significantly from it.")


def test_the_verdict_follows_the_metric() -> None:
    # By word error rate the system with one long move is worse, by Hamming distance as well, but
    # by adjacent pairs in order the one with many short moves is.
    many_short = [text.replace("old man met nine", "man old nine met") for text in REFERENCES]
    one_long = [f"{text.split(' ', 1)[1]} on" for text in REFERENCES]
    comparison = hb.compare(
        {"short": many_short, "long": one_long}, REFERENCES, ["hamming", "adjacency"], samples=200
    )
    by_metric = {metric: comparison.verdict(metric) for metric in comparison.metrics}
    assert by_metric["hamming"][0].startswith("short is significantly better than long")
    assert by_metric["adjacency"][0].startswith("long is significantly better than short")
    assert "segments of short, words are not in the order" in by_metric["hamming"][1]
    assert "segments of long, words are not in the order" in by_metric["adjacency"][1]
    report = comparison.report()
    assert {metric: report.verdict(metric) for metric in comparison.metrics} == by_metric
    assert report.verdict() == comparison.verdict()
    assert comparison.to_dict()["metrics"]["adjacency"]["verdict"] == list(by_metric["adjacency"])


def test_one_system() -> None:
    report = hb.score(EARLY, REFERENCES, ["kendall"], confidence=True).report()
    assert report.verdict()[0].startswith("system scores 0.9")
    assert report.verdict()[0].endswith("; higher is better.")
    assert " (interval 0.9" in report.verdict()[0]


def test_few_segments_and_few_links() -> None:
    verdict = hb.compare(
        {"a": ["a x y z"], "b": ["p q r s"]}, ["a b c d"], "kendall", samples=20
    ).verdict()
    assert "With only 1 segment, none of this is certain." in verdict
    assert verdict[-1] == (
        "Between 0 % and 25 % of the words of a system and its reference are linked; below one "
        "half, this is too little to judge word order."
    )
    half = hb.score(["a b x"], ["a b y"], ["kendall", "wer"]).report()
    linked = "67 % of the words of a system and its reference are linked; "
    assert half.verdict("kendall")[-1] == f"{linked}the rest is not judged."
    assert half.verdict("wer")[-1] == f"{linked}only their moves are known."
    nothing = hb.score(["p q"], ["a b"], "kendall").report().verdict()
    assert nothing[1] == ("No word of system is linked, so nothing is known about its order.")


def test_without_texts_nothing_is_said_about_moves() -> None:
    kept = compare({"a": REFERENCES, "b": WORST})
    results = tuple(Result(dict(result), result.name) for result in kept.results)
    first, trust = replace(kept, results=results).verdict()
    assert first.startswith("a is significantly better than b")
    assert "linked" in trust


def test_links_of_another_metric_say_nothing() -> None:
    upper = [text.upper() for text in EARLY]
    for metrics in (["kendall:case=mixed", "kendall"], ["kendall", "kendall:case=mixed"]):
        report = hb.score(upper, REFERENCES, metrics).report()
        shown, other = (report.verdict(metric) for metric in metrics)
        assert "words" in shown[1]
        assert len(other) == 2  # nothing about moves
        assert report.verdict("kendall")[-1] == "All words are linked with the reference."
        assert report.verdict("kendall:case=mixed")[-1].startswith("15 % of the words")


def test_only_punctuation_moves() -> None:
    report = hb.score(["we met . she said ,"] * 12, ["we met , she said ."] * 12, "pef").report()
    assert report.verdict()[1] == (
        "Of system, only punctuation is not in the order of the reference."
    )


def test_equal_values_are_not_ahead() -> None:
    systems = {"a": EARLY, "b": WORST, "c": list(EARLY)}
    assert compare(systems).verdict()[0].startswith("a and c share the best kendall score (0.9")
    assert compare(systems).verdict()[0].endswith("); a is significantly better than b (0.000).")


@pytest.mark.parametrize(
    ("count", "subject"), [(4, "s0, s1, s2 and s3"), (5, "5 of the 6 systems")]
)
def test_many_systems_share_the_best_score(count: int, subject: str) -> None:
    systems = {f"s{k}": list(REFERENCES) for k in range(count)} | {"worst": WORST}
    assert compare(systems).verdict()[0] == (
        f"{subject} share the best kendall score (1.000); "
        "s0 is significantly better than worst (0.000)."
    )


def test_names_that_look_the_same() -> None:
    with pytest.raises(ValueError, match=r"two systems have the name a\\tb"):
        compare({"a\tb": EARLY, "a\\tb": WORST})
    with pytest.raises(TypeError, match="the name of a system must be a string, got int"):
        compare({1: EARLY, "b": WORST})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="the name of a system"):
        compare({"\ud800": EARLY, "b": WORST})


def test_unknown_metrics() -> None:
    comparison = compare({"a": REFERENCES, "b": WORST})
    with pytest.raises(ValueError, match="'bleu' was not compared; compared: kendall, wer"):
        comparison.verdict("bleu")
    with pytest.raises(ValueError, match="the report has no metric 'bleu', only kendall, wer"):
        comparison.report().verdict("bleu")


def test_move_counts() -> None:
    perms = [[2, 1], [1, 2, 3], [4, 1, 2, 3], [3, 4, 5, 1, 2]]
    counts = MoveCounts.of_moves([find_moves(perms[:2]), find_moves(perms[2:])], 10, 20)
    assert (counts.segments, counts.reordered, counts.moves) == (4, 3, 3)
    assert counts.linked_share == 0.5
    # ⟨2,1⟩: one word moves by one; ⟨4,1,2,3⟩: the first word is three words too far left
    single = [distances for kind, distances in counts.distances.items() if kind.is_single]
    assert Counter(single[0]) + Counter(single[1]) == {1: 1, 3: 1}
    assert counts.distances[MoveKind(is_single=False, before=True)] == {3: 1}
    punctuation = MoveCounts.of_moves(
        [find_moves([[2, 1]], punctuation=np.array([True, False]))], 4, 4
    )
    assert (punctuation.moves, punctuation.punctuation, punctuation.reordered) == (0, 1, 0)
    assert punctuation.most_frequent is None


def test_moves_of_a_system() -> None:
    comparison = compare({"early": EARLY, "late": LATE})
    counts = count_moves(comparison.results)
    assert counts["early"].most_frequent == FrequentMove(MoveKind(True, False), 15, 2)
    assert counts["late"].most_frequent == FrequentMove(MoveKind(True, True), 30, 3)


def test_a_comparison_counts_moves_while_it_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = {"early": EARLY, "late": LATE}
    kept, again = compare(systems), compare(systems)
    for result in again.results:
        for stored in result.corpus or ():
            stored.moves.clear()
    assert kept.to_dict() == again.to_dict()
    assert count_moves(kept.results) == count_moves(again.results)
    monkeypatch.setattr("hyperbaton.runs.shown_links.linked_batches", None)
    compare(systems).to_dict()  # without reading the texts again
    with pytest.raises(TypeError, match="NoneType"):
        count_moves(again.results)


def test_no_kind_is_frequent_if_two_are_or_if_there_are_few_moves() -> None:
    tied = MoveCounts.of_moves([find_moves([[3, 1, 2], [2, 3, 1]])], 6, 6)
    assert [sum(distances.values()) for distances in tied.distances.values()] == [1, 1, 0, 0]
    assert tied.most_frequent is None
    few = hb.score(["b c d a"] * 4, ["a b c d"] * 4, "kendall").report().verdict()[1]
    assert few == "In 4 of 4 segments of system, words are not in the order of the reference."
