"""The order of words that uncertain links let expect."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.text.plurals import count_noun

TINY = 1e-100


def expected_kendall(posteriors: Any) -> Any:
    """Return Kendall's measure of order from the probabilities of links.

    C / (C + D), where C is the sum of q(i, j)·q(i′, j′) over i < i′ and j < j′, and D the same with
    j > j′. Unlike Kendall's measure of the best links, it counts what may have moved.

    Parameters
    ----------
    posteriors : matrix, or sequence of matrices
        In row i and column j the probability q(i, j) that source word i is linked to target word
        j, for example the mean of both directions of an aligner. A row whose sum is above 1 is
        scaled to 1.

    Returns
    -------
    float, or array of float64
        A value for each matrix: 1 for the order of the source, 0 for the reverse. It is 0 if
        nothing is linked, and 1 if there is something, but no order.

    Raises
    ------
    InputError, InputTypeError
        If the posteriors are not matrices of finite numbers that are at least 0.

    Examples
    --------
    >>> import hyperbaton as hb
    >>> hb.expected_kendall([[1, 0, 0], [0, 0, 1], [0, 1, 0]])  # ⟨1, 3, 2⟩
    0.6666666666666666
    >>> hb.expected_kendall([[0.5, 0.5], [0.5, 0.5]])
    0.5
    """
    try:
        matrices = list(posteriors)
    except TypeError:
        kind = type(posteriors).__name__
        raise InputTypeError(f"posteriors must be a matrix, got {kind}") from None
    first = _as_numbers(matrices[0], "posteriors") if matrices else None
    if first is None or first.ndim < 2:
        return _expected_kendall(posteriors, "posteriors")
    values = [_expected_kendall(one, f"posteriors[{k}]") for k, one in enumerate(matrices)]
    return np.array(values, np.float64)


def _expected_kendall(matrix: Any, name: str) -> float:
    values = _as_numbers(matrix, name)
    if values.size == 0:
        return 0.0
    if values.ndim != 2:
        dimensions = count_noun(values.ndim, "dimension")
        raise InputError(f"{name} must be a matrix, got {dimensions}")
    wrong = np.argwhere(~(np.isfinite(values) & (values >= 0)))
    for row, column in wrong[:1]:
        raise InputError(
            f"{name} must be finite and at least 0, got {values[row, column]} in row {row}, column "
            f"{column}"
        )
    largest = values.max()
    if 0 < largest < TINY:  # so that products are not rounded to 0; rows stay below a sum of 1
        values = values / largest / values.shape[1]
    return _core.expected_kendall(values.ravel(), values.shape[1])


def _as_numbers(matrix: Any, name: str) -> npt.NDArray[np.float64]:
    try:
        values = np.asarray(matrix)
        if values.size and values.dtype.kind not in "fiub":
            raise ValueError
        return values.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a matrix of numbers, all rows of one length") from None
