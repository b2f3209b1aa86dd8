"""Arrow arrays as an entrance for texts, from the packages that people use."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hyperbaton as hb
from hyperbaton import _core

TEXTS = ["the dog saw", "", "a longer text than twelve bytes", "ß 𠀀\u2028x", "short"]
MAKERS: dict[str, Callable[[list[str | None]], Any]] = {
    "utf8": lambda texts: pa.array(texts, pa.string()),
    "large_utf8": lambda texts: pa.array(texts, pa.large_string()),
    "string_view": lambda texts: pa.array(texts, pa.string_view()),
    "chunked": lambda texts: pa.chunked_array([pa.array(texts[:2]), pa.array(texts[2:])]),
    "polars": pl.Series,
    "pandas": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_arrow_strings(make: Callable[[list[str | None]], Any]) -> None:
    lines = _core.Lines.from_arrow(make([*TEXTS]), "texts")
    assert lines is not None
    assert list(lines) == TEXTS
    part = _core.Lines.from_arrow(make(["x", *TEXTS, "y"])[1:6], "texts")  # with an offset
    assert part is not None
    assert list(part) == TEXTS
    empty = _core.Lines.from_arrow(make([*TEXTS])[:0], "texts")
    assert empty is not None
    assert not len(empty)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_scores_are_those_of_lists(make: Callable[[list[str | None]], Any]) -> None:
    hyps, refs = TEXTS, [*TEXTS[:2], "than a text twelve longer bytes", "x ß", "y"]
    metrics = ["pef", "wer", "bleu", "chrf", "full"]
    expected = hb.score(hyps, refs, metrics)
    found = hb.score(make([*hyps]), make([*refs]), metrics)
    for name in metrics:
        assert found[name].segments.tobytes() == expected[name].segments.tobytes()
        assert found[name].value == expected[name].value
    assert found.report().to_html() == expected.report().to_html()


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_missing_texts_are_named(make: Callable[[list[str | None]], Any]) -> None:
    with pytest.raises(TypeError, match=r"^hypotheses\[3\] must be a string, got null$"):
        hb.score(make(["a", "b", "c", None]), ["a", "b", "c", "d"], "pef")


def test_invalid_text() -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\3\0\0\0"), pa.py_buffer(b"a\xffb")]
    )
    with pytest.raises(ValueError, match=r"^references\[1\] is not UTF-8$"):
        hb.score(["a", "b"], broken, "pef")
    with pytest.raises(ValueError, match=r"^references\[1\] has a NUL character$"):
        hb.score(["a", "b"], pa.array(["a", "\0"]), "pef")


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match=r"hypotheses\[0\] must be a string, got int"):
        hb.score(pa.array([1, 2]), ["a", "b"], "pef")
    with pytest.raises(TypeError, match="hypotheses must be a list of strings, got DataFrame"):
        hb.score(pd.DataFrame({"a": ["x"]}), ["a"], "pef")  # type: ignore[arg-type]


def test_references_in_a_column_of_lists() -> None:
    references: Any = pl.Series([["a b", "b a"], ["c"]])
    expected = hb.score(["a b", "c"], [["a b", "b a"], ["c"]], "pef")
    assert hb.score(["a b", "c"], references, "pef")["pef"].value == expected["pef"].value


def test_an_array_outlives_its_owner() -> None:
    array = pa.array(["a b", "b a"] * 1000)
    lines = _core.Lines.from_arrow(array, "texts")
    assert lines is not None
    part = lines[500:]
    del array, lines
    assert list(part) == ["a b", "b a"] * 750


class Producer:
    """An object whose methods of Arrow's interface return what they are told."""

    def __init__(self, array: object = None, stream: object = None) -> None:
        if array is not None:
            self.__dict__["__arrow_c_array__"] = lambda requested_schema=None: array
        if stream is not None:
            self.__dict__["__arrow_c_stream__"] = lambda requested_schema=None: stream


def test_data_that_was_already_read() -> None:
    texts = pa.chunked_array([["a b", "b a"]])
    for once in (
        Producer(array=texts.chunk(0).__arrow_c_array__()),
        Producer(stream=texts.__arrow_c_stream__()),
    ):
        assert hb.score(once, ["a b", "a b"], "pef").n == 2  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="hypotheses gives Arrow data that was already read"):
            hb.score(once, ["a b", "a b"], "pef")  # type: ignore[arg-type]


@pytest.mark.parametrize("capsules", [1, (), (1, 2), pa.array(["a"]).__arrow_c_array__()[::-1]])
def test_producers_that_give_something_else(capsules: object) -> None:
    with pytest.raises(TypeError, match="hypotheses has Arrow's interface, but gives no"):
        hb.score(Producer(array=capsules), ["a"], "pef")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="hypotheses has Arrow's interface, but gives no"):
        hb.score(Producer(stream=capsules), ["a"], "pef")  # type: ignore[arg-type]


def test_series_that_arrow_cannot_hold() -> None:
    with pytest.raises(TypeError, match=r"^hypotheses\[1\] must be a string, got int$"):
        hb.score(pd.Series(["a", 1], dtype=object), ["x", "y"], "pef")
    with pytest.raises(ValueError, match=r"^hypotheses\[1\] has an unpaired surrogate$"):
        hb.score(pd.Series(["a", "\ud800"], dtype=object), ["x", "y"], "pef")
    mixed = pd.Series([["x", "z"], "y"])
    assert hb.score(["z", "b"], mixed, "pef")["pef"].segments.tolist() == [1, 0]


def test_pyarrow_lists_and_dictionaries() -> None:
    lists = pa.array([["a b", "b a"], ["c"]])
    assert hb.score(["a b", "c"], lists, "pef")["pef"].value == 1
    assert hb.score(pa.array(["a", "b"]).dictionary_encode(), ["a", "b"], "pef")["pef"].value == 1
    metric = hb.metrics.get("pef")
    assert metric.corpus_score(pa.array(["a b"]), [pa.array(["b a"])]).value == 0


def test_results_over_arrow_are_picklable() -> None:
    result = hb.score(pa.array(["a b", "ü"]), pa.array(["b a", "ü"]), "pef")
    copy = pickle.loads(pickle.dumps(result))
    assert copy.report().to_html() == result.report().to_html()
