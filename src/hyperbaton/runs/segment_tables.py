"""The segments of a result as columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from hyperbaton.runs.results import Result

Floats = npt.NDArray[np.float64]


def linked_share(coverage: Floats) -> Floats:
    """Return the share of linked words of each row of linked words and all words."""
    shares: Floats = coverage[:, 0] / np.maximum(coverage[:, 1], 1)
    return shares


def segment_columns(result: Result) -> dict[str, Any]:
    """Return the texts of each segment, the share of aligned words, and the values."""
    columns: dict[str, Any] = {}
    if result.corpus is not None:
        columns["hypothesis"] = [line for batch in result.corpus for line in batch.hypotheses]
        rows = [row for batch in result.corpus for row in batch.open_references().by_segment()]
        is_single = all(len(row) == 1 for row in rows)
        columns["reference"] = [row[0] for row in rows] if is_single else rows
    score = result.aligned_score
    shares = None if score is None else score.aligned_segments
    if shares is not None:
        columns["aligned"] = shares
    return columns | {name: score.segments for name, score in result.items()}
