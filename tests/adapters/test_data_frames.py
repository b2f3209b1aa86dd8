"""The accessor of pandas and the namespaces of Polars."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import hyperbaton as hb
from adapters.conftest import Example

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pytest.importorskip("pyarrow")
import hyperbaton.adapters.pandas  # noqa: E402
import hyperbaton.adapters.polars  # noqa: E402

METRICS = ["hyper", "pef", "wer", "bleu", "full:order=ulam,bp=off"]
Frame = Callable[[dict[str, Any]], Any]
# Each makes a frame, and gives a column of what was scored.
FRAMES: dict[str, tuple[Frame, Callable[[Any, str], list[Any]]]] = {
    "pandas": (lambda columns: pandas.DataFrame(columns), lambda frame, name: list(frame[name])),
    "polars": (lambda columns: polars.DataFrame(columns), lambda frame, name: list(frame[name])),
    "lazy": (
        lambda columns: polars.LazyFrame(columns),
        lambda frame, name: list(frame.collect()[name]),
    ),
}
frames = pytest.mark.parametrize(("make", "read"), FRAMES.values(), ids=FRAMES)


def make_columns(example: Example) -> dict[str, Any]:
    return {"id": range(48), "mt": example.hypotheses, "ref": example.references}


@frames
def test_scores_are_those_of_score(make: Frame, read: Any, example: Example) -> None:
    expected = hb.score(example.hypotheses, example.references, METRICS, "en")
    frame = make(make_columns(example))
    scored = frame.hyperbaton.score("mt", "ref", METRICS, "en", linked=True)
    for name in METRICS:
        assert read(scored, name) == expected[name].segments.tolist()
    shares = expected["pef"].linked_segments
    assert shares is not None
    assert read(scored, "linked") == shares.tolist()
    assert read(scored, "id") == list(range(48))


@frames
def test_matched_words_and_rows_that_are_not_scored(
    make: Frame, read: Any, example: Example
) -> None:
    lines = list(example.hypotheses)
    lines[7] = "xyzzy qwert plugh"
    frame = make({**make_columns(example), "mt": lines})
    scored = frame.hyperbaton.score("mt", "ref", ["order", "wer"], matched=True, prefix="x_")
    score = hb.score(lines, example.references, "order")["order"]
    values, shares = read(scored, "x_order"), read(scored, "x_matched")
    for k, value in enumerate(score.segments.tolist()):
        is_null = values[k] is None or math.isnan(values[k])
        assert is_null if math.isnan(value) else values[k] == value
    assert math.isnan(score.segments[7])
    assert score.statistics is not None
    assert shares == (score.statistics[:, 1] / score.statistics[:, 2]).tolist()
    assert list(read(scored, "x_wer"))[7] >= 0


@frames
def test_several_references(make: Frame, read: Any, example: Example) -> None:
    both = [list(pair) for pair in zip(example.references, example.hypotheses, strict=True)]
    expected = hb.score(example.hypotheses, both, ["pef"]).to_polars()["pef"].to_list()
    frame = make({**make_columns(example), "both": both})
    assert read(frame.hyperbaton.score("mt", "both", "pef"), "pef") == expected
    assert read(frame.hyperbaton.score("mt", ["ref", "mt"], "pef"), "pef") == expected


@frames
def test_a_prefix_tells_systems_apart(make: Frame, read: Any, example: Example) -> None:
    frame = make({**make_columns(example), "other": example.references})
    scored = frame.hyperbaton.score("mt", "ref", "pef", prefix="mt_")
    scored = scored.hyperbaton.score("other", "ref", "pef", prefix="other_")
    expected = hb.score(example.hypotheses, example.references, "pef")["pef"].segments
    assert read(scored, "mt_pef") == expected.tolist()
    assert read(scored, "other_pef") == [1.0] * 48


@frames
def test_columns_are_replaced_when_rows_are_scored_again(
    make: Frame, read: Any, example: Example
) -> None:
    frame = make({**make_columns(example), "pef": [7.0] * 48})
    scored = frame.hyperbaton.score("mt", "ref", "pef")
    assert 7.0 not in read(scored, "pef")
    assert read(frame, "pef") == [7.0] * 48  # the frame itself is left as it was


@frames
def test_no_rows(make: Frame, read: Any) -> None:
    frame = make({"mt": ["a"], "ref": ["a"]}).head(0)
    scored = frame.hyperbaton.score("mt", "ref", ["hyper", "pef"])
    assert read(scored, "hyper") == []


@frames
def test_rows_that_cannot_be_scored(make: Frame, read: Any) -> None:
    frame = make({"mt": ["a b", None, "b a"], "ref": ["a b", "a b", "a b"]})
    values = read(frame.hyperbaton.score("mt", "ref", "pef", on_error="null"), "pef")
    assert values[0] == 1
    assert values[2] == 0
    assert values[1] is None or math.isnan(values[1])


def test_lazy_frames_are_scored_when_they_are_collected(example: Example) -> None:
    frame = polars.LazyFrame(make_columns(example))
    scored = frame.filter(polars.col("id") < 30).hyperbaton.score("mt", "ref", "hyper", "en")
    assert scored.collect_schema()["hyper"] == polars.Float64
    expected = hb.score(example.hypotheses[:30], example.references[:30], "hyper", "en")
    # A filter and a selection after scoring change no value, though they need fewer rows.
    chosen = scored.filter(polars.col("id") < 3).select("hyper")
    for engine in ("in-memory", "streaming"):
        values = chosen.collect(engine=engine)["hyper"].to_list()
        assert values == expected["hyper"].segments[:3].tolist()


def test_rows_in_the_order_of_the_frame() -> None:
    frame = pandas.DataFrame({"mt": ["b a", "a b"], "ref": ["a b", "a b"]}, index=[9, 4])
    scored = frame.hyperbaton.score("mt", "ref", "pef")
    assert scored["pef"].to_dict() == {9: 0.0, 4: 1.0}


def score_part(columns: dict[str, Any], metrics: list[Any]) -> list[list[float]]:
    scored = pandas.DataFrame(columns).hyperbaton.score("mt", "ref", metrics)
    return [scored[name].tolist() for name in ("hyper", "pef")]


def test_two_processes_give_the_numbers_of_one(example: Example) -> None:
    """Parts of a frame, with a metric that is fitted once on all references."""
    metrics = [
        hb.metrics.get("hyper", language="en").fit(example.references),
        hb.metrics.get("pef", language="en"),
    ]
    parts = [
        {"mt": example.hypotheses[rows], "ref": example.references[rows]}
        for rows in (slice(0, 20), slice(20, None))
    ]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        first, second = pool.map(score_part, parts, [metrics, metrics])
    expected = hb.score(example.hypotheses, example.references, ["hyper", "pef"], "en")
    for k, name in enumerate(("hyper", "pef")):
        assert first[k] + second[k] == expected[name].segments.tolist()


def test_missing_columns_raise_the_errors_of_the_host() -> None:
    columns = {"mt": ["a"], "ref": ["a"]}
    message = "^unknown column 'mtt'; did you mean mt[?]$"
    with pytest.raises(KeyError, match=message):
        pandas.DataFrame(columns).hyperbaton.score("mtt", "ref")
    missing = polars.exceptions.ColumnNotFoundError
    with pytest.raises(missing, match=message):
        polars.DataFrame(columns).hyperbaton.score("mtt", "ref")
    with pytest.raises(missing, match=message):
        polars.LazyFrame(columns).hyperbaton.score("mtt", "ref")


@frames
@pytest.mark.parametrize(
    ("columns", "arguments", "error", "message"),
    [
        ({}, {"metrics": "peff"}, ValueError, "unknown metric 'peff'; did you mean pef?"),
        ({}, {"language": "xx"}, ValueError, "unknown language 'xx'; did you mean xh (Xhosa)?"),
        ({}, {"align": True}, TypeError, "unknown argument 'align'; did you mean alignments"),
        ({}, {"metric": "pef"}, TypeError, "unknown argument 'metric'; did you mean metrics"),
        ({}, {"hypothesis": ["mt"]}, TypeError, "a column must be named by a string, got list"),
        ({}, {"reference": polars.col("a")}, TypeError, "a column must be named by a string, got"),
        ({}, {"reference": {"ref"}}, TypeError, "a column must be named by a string, got set"),
        ({}, {"prefix": None}, TypeError, "prefix must be a string, got NoneType"),
        ({}, {"reference": []}, ValueError, "no column of references was given"),
        ({}, {"hypothesis": 1}, TypeError, "a column must be named by a string, got int"),
        ({"mt": ["a", None]}, {}, ValueError, "row 2: mt is null"),
        ({"mt": ["a", "b\0c"]}, {}, ValueError, "row 2: mt has a NUL character"),
        ({"mt": [1, 2]}, {}, TypeError, "the table: the column 'mt' must have strings, not int64"),
        ({"both": [["a"], []]}, {"reference": "both"}, ValueError, "row 2: both is an empty list"),
    ],
)
def test_errors(
    make: Frame,
    read: Any,
    columns: dict[str, Any],
    arguments: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    frame = make({"mt": ["a", "b"], "ref": ["a", "b"], **columns})
    given = {"hypothesis": "mt", "reference": "ref", "metrics": "pef", **arguments}
    with pytest.raises(error, match="^" + re.escape(message)) as raised:
        read(frame.hyperbaton.score(**given), "pef")
    assert isinstance(raised.value, hb.HyperbatonError)


def test_a_score_does_not_replace_a_text() -> None:
    frame = pandas.DataFrame({"mt": ["a"], "pef": ["a"]})
    with pytest.raises(ValueError, match="would overwrite the input column 'pef'"):
        frame.hyperbaton.score("mt", "pef", "pef")


def test_mixed_types_and_equal_names_in_pandas() -> None:
    mixed = pandas.DataFrame({"mt": ["a", 3.5, "b"], "ref": ["a", "b", "c"]})
    with pytest.raises(TypeError, match=r"^row 2: mt must be a string, got float$"):
        mixed.hyperbaton.score("mt", "ref", "pef")
    scored = mixed.hyperbaton.score("mt", "ref", "pef", on_error="null")
    assert scored["pef"].isna().tolist() == [False, True, False]
    half = pandas.DataFrame(
        {"mt": pandas.Series(["a", "a\ud800"], dtype=object), "ref": ["a", "b"]}
    )
    with pytest.raises(TypeError, match=r"^row 2: mt has an unpaired surrogate$"):
        half.hyperbaton.score("mt", "ref", "pef")
    assert half.hyperbaton.score("mt", "ref", "pef", on_error="null")["pef"].isna().sum() == 1
    twice = pandas.DataFrame([["a", "b", "c"]], columns=["mt", "mt", "ref"])
    with pytest.raises(ValueError, match="two columns named 'mt'"):
        twice.hyperbaton.score("mt", "ref", "pef")
