"""Systems that share too few words with the reference: what they have, and what they lack."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.runs.cautions import cautions
from hyperbaton.runs.results import sort_results
from reference import soft_order as twin

REFERENCES = [" ".join(f"{a}{b}{k % 7}" for a in "bdfg" for b in "aeo") for k in range(12)]
GOOD = [line.replace("ba0 be0", "be0 ba0") for line in REFERENCES]
JUNK = ["xyzzy qwert plugh"] * 12
EMPTY = [""] * 12
GUARDED = ["kendall", "pef", "adjacency", "ribes", "meteor_frag"]
UNGUARDED = ["hyper", "full", "senscore", "lrscore", "wer", "chrf"]


def compared(**options: Any) -> hb.Comparison:
    systems = {"junk": JUNK, "good": GOOD, "same": REFERENCES}
    metrics = ["order", *GUARDED, *UNGUARDED]
    return hb.compare(systems, REFERENCES, metrics, samples=50, **options)


# Without a value -------------------------------------------------------------------------------


@pytest.mark.parametrize("lines", [JUNK, EMPTY, ["ba"] * 12], ids=["junk", "empty", "one word"])
def test_there_is_no_value(lines: list[str]) -> None:
    result = hb.score(lines, REFERENCES, ["order"], confidence=True, samples=20)
    score = result["order"]
    assert (score.value, score.lower, score.upper) == (None, None, None)
    assert not score.is_scored
    assert math.isnan(float(score))
    assert math.isnan(score.score)
    assert np.isnan(score.segments).all()
    assert not np.isnan(score.computed_segments).any()
    assert score.matched == result.matched is not None
    assert result.matched < 0.35
    assert repr(score).startswith("Score(not scored, n=12, ")
    assert repr(result) == "Result(order=not scored, n=12)"


def test_json_has_null_and_the_reason() -> None:
    found = json.loads(
        hb.score(JUNK, REFERENCES, ["order", "kendall", "wer"]).to_json(),
        parse_constant=pytest.fail,
    )
    assert found["schema"] == "hyperbaton/score/3"
    order, kendall, wer = (found["systems"][0]["scores"][m] for m in ("order", "kendall", "wer"))
    assert (order["value"], order["lower"], kendall["value"], wer["value"]) == (None, None, 0, 1)
    assert order["matched"] == kendall["matched"] < 0.35
    assert wer["matched"] is None
    assert order["not_scored"] == kendall["not_scored"]
    assert order["not_scored"].startswith("not scored: only ")
    assert wer["not_scored"] is None


@pytest.mark.parametrize(
    ("hyp", "ref", "scored"),
    [
        ("", "", False),
        ("a", "", False),
        ("", "a", False),
        ("a", "a", True),
        ("a", "b", False),
        ("a", "a b", False),  # the place of the word differs, so that M is less than 1
        ("x y a", "a b c", False),
    ],
)
def test_one_segment_and_one_word(hyp: str, ref: str, scored: bool) -> None:
    result = hb.score([hyp], [ref], ["order"])
    parts = twin.order_statistics(hyp.split(), ref.split(), twin.Precedence([ref.split()]))
    assert result["order"].is_scored == scored
    share = parts.M / parts.N if parts.N else 0
    assert result.matched == pytest.approx(share, abs=1e-9)
    if scored:
        assert result["order"].value == pytest.approx(twin.order_value([parts]), abs=1e-9)


def test_as_many_equal_words_as_a_line_may_have() -> None:
    """They cannot be told apart; two such lines are told to be too long."""
    line = "a " * 100_000
    for hyp, ref in ((line, "a b c"), ("a b c", line), (line, "")):
        score = hb.score([hyp], [ref], ["order"])["order"]
        assert score.value is None
        assert score.matched is not None
        assert 0 <= score.matched < 1
        assert score.evidence is not None
        assert score.evidence.words < 4
        (pair,) = hb.compare({"a": [hyp], "b": ["b c a"]}, [ref], "order", samples=9).differences
        assert (pair.outcome, pair.anchors) == ("not scored", 0)
    with pytest.raises(hb.InputError, match=r"^segment 0: the sentences are too long "):
        hb.score([line], [line], ["order"])


# Ranks, marks and verdicts ---------------------------------------------------------------------


def test_systems_without_a_value_come_last() -> None:
    results = compared().results
    for metric in ("order", *GUARDED):
        assert [result.name for result in sort_results(results, metric)][-1] == "junk"
    backwards = [result.name for result in sort_results(results[::-1], "order")]
    assert backwards == ["same", "good", "junk"]


def test_ranks_clusters_and_verdicts() -> None:
    found = compared()
    for metric in ("order", *GUARDED):
        *others, junk = found.ranking(metric)
        assert (junk.system, junk.cluster, junk.first, junk.last) == ("junk", None, None, None)
        assert all(rank.cluster is not None and rank.last in (1, 2) for rank in others)
        for pair in found.differences_by(metric):
            if "junk" in (pair.a, pair.b):
                assert (pair.outcome, pair.better) == ("not scored", None)
            else:
                assert pair.outcome != "not scored"
    sentences = found.verdict().sentences
    assert [line for line in sentences if "junk" in line and "not scored" not in line] == []
    assert found.ranking("order")[-1].value is None
    for metric in UNGUARDED:
        ranks = found.ranking(metric)
        assert {rank.cluster is None for rank in ranks} == {False}
        assert all(pair.better != "junk" for pair in found.differences_by(metric))
        assert ranks[-1].system == "junk"


@pytest.mark.parametrize("metric", GUARDED)
def test_guarded_metrics_keep_their_numbers(metric: str) -> None:
    """A share below the limit takes the rank, and nothing else."""
    lines = [" ".join(line.split()[:2]) for line in REFERENCES]
    result = hb.score(lines, REFERENCES, [metric, "chrf"], confidence=True, samples=20)
    score = result[metric]
    assert score.value is not None
    assert score.value == float(score.metric.aggregate(score.sums)) > 0
    assert not score.is_scored
    assert score.lower is not None
    assert not np.isnan(score.segments).any()
    (note,) = (notice for notice in cautions([result]) if metric in notice)
    assert note.startswith(f"system: {metric}: not ranked: only ")


def test_notes_name_what_has_no_value_and_what_has_no_rank() -> None:
    result = hb.score(JUNK, REFERENCES, ["order", "kendall", "pef", "wer"])
    reason = "only 0 % of its words are in the reference, as many as in any unrelated text"
    assert [str(notice) for notice in cautions([result])] == [
        f"system: order: not scored: {reason}. Are the lines shifted?",
        f"system: kendall, pef: not ranked: {reason}. Are the lines shifted?",
    ]
    # Where links were given, it is no news that the words are others.
    assert len(list(cautions([result], few_linked=False))) == 1


def test_no_pair_can_be_compared() -> None:
    found = hb.compare({"a": JUNK, "b": EMPTY}, REFERENCES, ["order", "kendall"], samples=20)
    assert found.verdict().outcome == "not scored"
    document = json.loads(found.to_json(), parse_constant=pytest.fail)
    (pair,) = document["metrics"]["order"]["differences"]
    assert [pair[key] for key in ("difference", "p", "anchors", "anchored", "outcome")] == [
        *(None, 1, 0, 0, "not scored")
    ]


def test_equal_systems_that_are_not_scored_are_not_called_equal() -> None:
    """Nothing is known of their order, whatever words they have."""
    other = ["frobn zork quux"] * 12
    found = hb.compare({"a": JUNK, "b": other}, REFERENCES, ["order"], samples=20)
    assert not any("equal in every segment" in note for note in found.notes)
