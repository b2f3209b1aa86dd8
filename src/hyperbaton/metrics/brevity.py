"""The brevity penalty of BLEU and of order metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def brevity_penalty(lengths: Any, references: Any) -> npt.NDArray[np.float64]:
    """Return 1 for a length above the reference's, else exp(1 − reference/length); 0 for 0.

    >>> brevity_penalty(np.array([5, 4, 0]), np.array([4, 5, 0]))
    array([1.        , 0.77880078, 0.        ])
    """
    divisor = np.maximum(lengths, 1)
    return np.where(lengths > 0, np.exp(np.minimum(0.0, 1 - references / divisor)), 0.0)
