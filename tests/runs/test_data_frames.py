"""Series and data frames as input of ``score`` and ``compare``, and results as data frames.

``make types`` checks the calls, too: a data frame is a ``Systems`` and a series is ``Lines``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas
import polars
import pyarrow
import pytest

import hyperbaton as hb

A = ["the cat sees a dog", "today it rains", "we met at noon"]
B = ["a dog sees the cat", "it rains today", "at noon we met"]
REFERENCE = ["the cat sees the dog", "it rains today", "we met at noon"]
SECOND = ["the dog sees a cat", "today it is raining", "at noon we met"]
TEXTS = {"a": A, "b": B, "reference": REFERENCE, "second": SECOND}
METRICS = ["pef", "wer", "bleu"]
PANDAS = pandas.DataFrame(TEXTS, index=[7, 5, 3])  # the order of rows counts, not the index
POLARS = polars.DataFrame(TEXTS)
ARROW = pyarrow.table(TEXTS)


def test_series_are_lists_of_texts() -> None:
    expected = hb.score(A, REFERENCE, METRICS)
    assert hb.score(PANDAS["a"], PANDAS["reference"], METRICS) == expected
    assert hb.score(POLARS["a"], POLARS["reference"], METRICS) == expected
    assert hb.score(ARROW["a"], ARROW["reference"], METRICS) == expected


def test_a_data_frame_of_references_has_a_column_for_each() -> None:
    expected = hb.score(A, [list(row) for row in zip(REFERENCE, SECOND, strict=True)], METRICS)
    names = ["reference", "second"]
    assert hb.score(PANDAS["a"], PANDAS[names], METRICS) == expected
    assert hb.score(POLARS["a"], POLARS[names], METRICS) == expected
    assert hb.score(POLARS["a"], POLARS.select(names), METRICS) == expected
    assert hb.score(ARROW["a"], ARROW.select(names), METRICS) == expected
    one = hb.score(A, REFERENCE, METRICS)
    assert hb.score(PANDAS["a"], PANDAS[["reference"]], METRICS) == one


def test_a_series_of_lists_has_any_number_of_references() -> None:
    references = [["it rains", "rain falls"], ["a b"], ["c"]]
    expected = hb.score(A, references, METRICS)
    assert hb.score(A, pandas.Series(references), METRICS) == expected
    assert hb.score(A, polars.Series(references), METRICS) == expected


def test_a_data_frame_of_systems_has_a_column_for_each() -> None:
    expected = hb.compare({"a": A, "b": B}, REFERENCE, METRICS)
    names = ["a", "b"]
    assert hb.compare(PANDAS[names], PANDAS["reference"], METRICS) == expected
    assert hb.compare(POLARS[names], POLARS["reference"], METRICS) == expected
    assert hb.compare(ARROW.select(names), REFERENCE, METRICS) == expected
    assert hb.compare({"a": POLARS["a"], "b": PANDAS["b"]}, REFERENCE, METRICS) == expected


def test_metrics_are_fitted_on_columns() -> None:
    expected = hb.metrics.get("hyper").fit(REFERENCE)
    assert hb.metrics.get("hyper").fit(PANDAS["reference"]) == expected
    assert hb.metrics.get("hyper").fit(POLARS[["reference"]]) == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: hb.score(PANDAS, REFERENCE),  # type: ignore[arg-type]
            TypeError,
            "hypotheses must be a list of strings, got DataFrame: give one of its columns",
        ),
        (
            lambda: hb.score(POLARS.lazy(), REFERENCE),  # type: ignore[arg-type]
            TypeError,
            "hypotheses is a LazyFrame, which has no rows yet: collect() it",
        ),
        (
            lambda: hb.score(A, POLARS.lazy()),  # type: ignore[arg-type]
            TypeError,
            "references is a LazyFrame, which has no rows yet: collect() it",
        ),
        (
            lambda: hb.score(PANDAS["a"].replace(A[1], None), REFERENCE),
            TypeError,
            "hypotheses[1] must be a string, got null",
        ),
        (
            lambda: hb.score(A, PANDAS[["reference", "second"]].replace(SECOND[2], None)),
            TypeError,
            "references['second'][2] must be a string, got null",
        ),
        (
            lambda: hb.score(A, POLARS[["reference"]].head(2)),
            ValueError,
            "3 hypotheses, but references for 2 segments",
        ),
        (
            lambda: hb.score(A, REFERENCE, "pef", alignments=PANDAS[["a"]]),  # type: ignore[arg-type]
            TypeError,
            "alignments must be a list of alignments, got DataFrame: give one of its columns",
        ),
        (
            lambda: hb.compare(PANDAS["a"], REFERENCE),
            TypeError,
            "systems must be a mapping from names to lists of lines, or a data frame with one "
            "column per system, got Series",
        ),
        (
            lambda: hb.compare(pandas.DataFrame(), REFERENCE),
            ValueError,
            "systems is a data frame without columns",
        ),
        (
            lambda: hb.compare(PANDAS[["a", "a"]], REFERENCE),
            ValueError,
            "systems is a data frame with two columns named 'a'",
        ),
        (
            lambda: hb.compare(pandas.DataFrame([A, B]), REFERENCE),
            TypeError,
            "the name of a system must be a string, got int",
        ),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert isinstance(raised.value, hb.HyperbatonError)
    assert str(raised.value) == message


# Results as data frames ------------------------------------------------------------------------


def test_segments_as_data_frames() -> None:
    result = hb.score(A, REFERENCE, METRICS)
    columns = {
        "hypothesis": A,
        "reference": REFERENCE,
        # Links of the words that both sides have: 4 of 5 and 5, 3 of 3 and 3, 4 of 4 and 4.
        "linked": [0.8, 1.0, 1.0],
        **{name: score.segments.tolist() for name, score in result.items()},
    }
    assert result.to_pandas().to_dict("list") == columns
    assert result.to_polars().to_dict(as_series=False) == columns


def test_several_references_are_lists() -> None:
    references = [["it rains", "rain falls"], ["a b"], ["c"]]
    result = hb.score(A, references, "wer")
    assert result.to_pandas().columns.tolist() == ["hypothesis", "reference", "wer"]
    assert result.to_pandas()["reference"].tolist() == references
    assert result.to_polars()["reference"].to_list() == references


def test_aligned_words_are_those_of_links_before_soft_order() -> None:
    result = hb.score(A, REFERENCE, ["order:precedence=off", "pef", "wer"])
    shares = result.to_polars()["linked"].to_list()
    expected = result["pef"].linked_segments
    assert expected is not None
    assert shares == expected.tolist()
    assert result["wer"].linked_segments is None


def test_texts_that_were_not_kept_are_left_out() -> None:
    result = hb.score(A, REFERENCE, ["wer"], keep_texts=False)
    assert result.to_polars().columns == ["wer"]


def test_shares_of_batches_are_those_of_the_whole() -> None:
    """Segments keep their order however they are batched."""
    many = 700
    result = hb.score(A * many, REFERENCE * many, "pef")
    assert result.to_polars()["linked"].to_list() == [0.8, 1.0, 1.0] * many
    assert result.to_polars()["hypothesis"].to_list() == A * many
