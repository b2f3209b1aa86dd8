"""Errors of the C++ core arrive as the package's own classes if a user can cause them."""

from __future__ import annotations

import numpy as np
import pytest

from hyperbaton import _core
from hyperbaton.errors import HyperbatonError, InputError, InputTypeError


def test_invalid_values_raise_input_errors() -> None:
    values = np.array([1, 2, 2], np.int32)
    offsets = np.array([0, 3])
    with pytest.raises(InputError, match="already occurs"):
        _core.measures(values, offsets, 1)
    with pytest.raises(InputError, match="offsets end at 2"):
        _core.kendall(values, np.array([0, 2]), 1)
    with pytest.raises(InputError, match="is its own head"):
        _core.tree_matches(np.array([1]), np.array([0, 1]), np.array([0]), np.array([0, 1]), 1)


def test_wrong_types_raise_input_type_errors() -> None:
    with pytest.raises(InputTypeError, match="not an integer"):
        _core.integers([1, 2.5])
    with pytest.raises(InputTypeError, match="a sequence of integers"):
        _core.pack([[1], "2"])


def test_bugs_raise_plain_errors() -> None:
    empty, offsets = np.array([], np.int32), np.array([0, 0])
    with pytest.raises(ValueError, match="same number of items") as bug:
        _core.cder(empty, offsets, empty, np.array([0]), 1)
    assert not isinstance(bug.value, HyperbatonError)
