"""The catalogue of measures agrees with the core and with the public functions."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton import _core
from hyperbaton.order.catalogue import MEASURES, MeasureInfo


def test_names_and_order_are_those_of_the_core() -> None:
    table = _core.measures(np.array([1, 2]), np.array([0, 2]), 1)
    assert list(MEASURES) == list(table) == list(hb.measures([[1, 2]]))


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_rows_describe_the_public_functions(measure: MeasureInfo) -> None:
    assert measure.function is getattr(hb, measure.name)
    parameters = inspect.signature(measure.function).parameters
    assert set(parameters) - {"permutation", "op_score", "offsets", "threads"} == set(
        measure.options
    )
    for key, option in measure.options.items():
        assert option.default == parameters[key].default
        for accepted in (option.default, option.minimum, option.maximum):
            assert option.accepts(accepted)
            assert isinstance(measure.function([2, 3, 1], **{key: accepted}), float)
        for refused in (np.nextafter(option.minimum, -1), np.nextafter(option.maximum, 2)):
            assert not option.accepts(refused)
            with pytest.raises(ValueError, match=key):
                measure.function([2, 3, 1], **{key: refused})
        assert not option.accepts(float("nan"))


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_texts_are_single_lines(measure: MeasureInfo) -> None:
    for text in (measure.description, measure.paper, measure.caution):
        assert text
        assert text == " ".join(text.split())
    assert len(measure.description) <= 46  # `hyperbaton permutation` on a terminal of 72 columns


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_reversed_order_shows_what_is_measured(measure: MeasureInfo) -> None:
    assert measure.function([1, 2, 3, 4]) == 1
    assert measure.function([4, 3, 2, 1]) == (0 if measure.measures_order else 1)
