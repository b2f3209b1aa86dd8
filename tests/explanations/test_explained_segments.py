"""``hb.explain_many``: links, moves and scores of many segments as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton import ExplainedSegment
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_SYSTEMS
from hyperbaton.explanations import explaining
from hyperbaton.files.lines import read_lines
from reference.anchors import compare_segment

REFERENCES = list(read_lines(EXAMPLE / "reference.txt"))
SYSTEMS = {name: list(read_lines(EXAMPLE / f"{name}.txt")) for name in EXAMPLE_SYSTEMS}
METRICS = ["pef", "order", "wer"]  # order is fitted on all references


@pytest.fixture(scope="module")
def explained() -> list[ExplainedSegment]:
    return list(hb.explain_many(SYSTEMS, REFERENCES, METRICS, "en", source=REFERENCES))


def test_segments_come_one_by_one_with_the_systems_in_turn(
    explained: list[ExplainedSegment],
) -> None:
    expected = [(k, name) for k in range(1, len(REFERENCES) + 1) for name in SYSTEMS]
    assert [(segment.segment, segment.system) for segment in explained] == expected
    assert [segment.source for segment in explained[::3]] == REFERENCES


def test_each_segment_is_what_explain_says(explained: list[ExplainedSegment]) -> None:
    for segment in explained:
        one = hb.explain(
            SYSTEMS[segment.system][segment.segment - 1],
            REFERENCES[segment.segment - 1],
            "pef",
            "en",
        )
        assert (segment.hypothesis, segment.reference) == (one.hypothesis, one.reference)
        assert segment.hypothesis_words == one.hypothesis_words
        assert segment.reference_words == one.reference_words
        assert segment.links == one.alignment.links
        assert [move.text for move in segment.moves] == list(one.sentences)
        for move, other in zip(segment.moves, one.moves, strict=True):
            places = one.alignment.places[slice(*other.block)]
            assert list(zip(move.positions, move.reference_positions, strict=True)) == list(places)
            assert move.words == tuple(one.hypothesis_words[h] for h in move.positions)
            assert move.direction == ("earlier" if other.before else "later")
            assert (move.distance, move.punctuation) == (other.distance, other.is_punctuation)


def test_scores_are_those_of_score(explained: list[ExplainedSegment]) -> None:
    for name, lines in SYSTEMS.items():
        scored = hb.score(lines, REFERENCES, METRICS, "en")
        found = [segment.scores for segment in explained if segment.system == name]
        assert [list(scores) for scores in found] == [METRICS] * len(lines)
        for metric in METRICS:
            assert [scores[metric] for scores in found] == scored[metric].segments.tolist()


def test_batches_change_nothing(
    explained: list[ExplainedSegment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explaining, "BATCH_SIZE", 7)
    again = hb.explain_many(SYSTEMS, REFERENCES, METRICS, "en", source=REFERENCES, threads=2)
    assert list(again) == explained


def test_data(explained: list[ExplainedSegment]) -> None:
    (segment,) = hb.explain_many(
        ["we will meet at noon in the lobby"], ["we meet in the lobby at noon"], []
    )
    assert json.loads(json.dumps(segment.to_dict())) == {  # by hand
        "schema": "hyperbaton/moves/2",
        "segment": 1,
        "system": "system",
        "source": None,
        "hypothesis": "we will meet at noon in the lobby",
        "reference": "we meet in the lobby at noon",
        "reference_index": 0,
        "hypothesis_words": ["we", "will", "meet", "at", "noon", "in", "the", "lobby"],
        "reference_words": ["we", "meet", "in", "the", "lobby", "at", "noon"],
        "links": [[0, 0], [2, 1], [3, 5], [4, 6], [5, 2], [6, 3], [7, 4]],
        "linked": 14 / 15,
        "moves": [
            {
                "words": ["at", "noon"],
                "positions": [3, 4],
                "reference_positions": [5, 6],
                "direction": "later",
                "distance": 3,
                "punctuation": False,
                "text": 'moved "at noon" after "in the lobby"',
            }
        ],
        "scores": {},
        "lost": None,
        "difference": None,
    }
    assert all(json.loads(json.dumps(one.to_dict())) == one.to_dict() for one in explained)


def test_the_reference_that_covers_most_words_is_used() -> None:
    references = [["x y", "b a c"], ["a"], ["", "c d"]]
    found = list(hb.explain_many(["a b c", "", "c d"], references, "pef"))
    assert [segment.reference_index for segment in found] == [1, 0, 1]
    assert [segment.reference for segment in found] == ["b a c", "a", "c d"]
    assert [len(segment.moves) for segment in found] == [1, 0, 0]
    assert found[1].linked == 0
    assert found[1].hypothesis_words == ()


def test_the_reference_that_order_chooses_is_used() -> None:
    """By hand: all words are in the second reference, but not beside the same neighbours."""
    references = [["a b c d x y z", "d b a c"]]
    chosen = {
        metric: next(hb.explain_many(["a b c d"], references, metric)).reference_index
        for metric in ("pef", "order")
    }
    assert chosen == {"pef": 1, "order": 0}


def test_segments_say_what_they_lose_and_how_far_systems_differ(
    explained: list[ExplainedSegment],
) -> None:
    """The differences come from the naive twin: the largest of a pair of systems."""
    split = hb.metrics.get("order").tokenization.split
    for name, lines in SYSTEMS.items():
        statistics = hb.score(lines, REFERENCES, "order", "en")["order"].statistics
        assert statistics is not None
        found = [segment.lost for segment in explained if segment.system == name]
        assert found == statistics[:, 0].tolist()
    for k, reference in enumerate(REFERENCES):
        texts = [split(lines[k]) for lines in SYSTEMS.values()]
        pairs = [compare_segment(a, b, [split(reference)]) for a, b in combinations(texts, 2)]
        largest = max(pair.weight * abs(pair.a - pair.b) for pair in pairs)
        of_systems = [one.difference for one in explained if one.segment == k + 1]
        assert of_systems == pytest.approx([float(largest)] * len(SYSTEMS))


def test_what_is_not_scored_is_null() -> None:
    (segment,) = hb.explain_many(["xyzzy qwert plugh"], ["we meet at noon"], ["order", "pef"])
    assert segment.scores == {"order": None, "pef": 0.0}
    assert segment.lost == 0
    json.dumps(segment.to_dict(), allow_nan=False)
    one = hb.explain("xyzzy qwert plugh", "we meet at noon", ["order", "pef"])
    assert one.scores["order"].value is None
    json.dumps(one.to_dict(), allow_nan=False)
    for text in (one.draw(200), one.to_html()):
        assert "– ↑" in text
        assert "order: not scored: only 0 % of its words are in the reference" in text


def test_punctuation_alone_is_last_or_not_listed() -> None:
    pair = ["! he came, yes"], ["yes, he came!"]
    (both,) = hb.explain_many(*pair, "pef")
    assert [move.punctuation for move in both.moves] == [False, True, True]
    (words,) = hb.explain_many(*pair, "pef", punctuation=False)
    assert words.moves == both.moves[:1]


def test_given_links_and_tokens() -> None:
    (given,) = hb.explain_many(["zum Haus"], ["house to the"], "pef", alignments=["0-1 0-2 1-0"])
    assert given.moves[0].text == 'moved "Haus" before "zum/to zum/the"'
    by_name = hb.explain_many({"a": ["x y"]}, ["y x"], "pef", alignments={"a": ["0-0"]})
    assert next(by_name).links == ((0, 0),)
    (tokens,) = hb.explain_many(["a. b"], ["b a."], "wer", tokenize="none")
    assert tokens.hypothesis_words == ("a.", "b")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], ["a", "b"]), {}, "1 hypothesis, but references for 2 segments"),
        ((["a"], ["a"]), {"source": ["x", "y"]}, "1 segments, but source has 2"),
        (({}, ["a"]), {}, "hypotheses has no systems"),
        ((["a"], ["a"], "pfe"), {}, "unknown metric 'pfe'"),
        ((["a"], ["a"]), {"threads": 0}, "threads"),
        ((["a"], ["a"]), {"fold": "yes"}, "fold must be one of standard, none"),
    ],
)
def test_wrong_arguments_are_refused_at_once(
    arguments: Sequence[Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(hb.InputError, match=message):
        hb.explain_many(*arguments, **options)


def test_an_invalid_segment_is_named() -> None:
    segments = hb.explain_many(["a", "b"], ["a", "b"], "wer", alignments=["0-0", "0-7"])
    with pytest.raises(hb.InputError, match=r"^segment 1: alignments: link 0-7 is outside"):
        list(segments)
