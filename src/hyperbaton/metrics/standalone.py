"""How a metric scores by itself, as sacreBLEU's metrics do.

What scores imports the metrics. It is therefore found by its name when a metric is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from hyperbaton.metrics.signature import Signature
from hyperbaton.registries import load

if TYPE_CHECKING:
    from hyperbaton.metrics.inputs import References
    from hyperbaton.metrics.metric import Metric

Floats = npt.NDArray[np.float64]
Streams = Sequence[Sequence[str | None]]
ADAPTER = "hyperbaton.runs.sacrebleu_adapter:SacrebleuAdapter"


class SingleScore(Protocol):
    """What a metric returns that scores by itself: a :class:`~hyperbaton.metrics.Score`.

    Attributes
    ----------
    value : float or None
        The value; None without enough evidence for one.
    score : float
        100 × ``value``, as sacreBLEU prints its own scores; NaN without a value.
    name : str
        The metric as a user would write it.
    n : int
        Number of segments.
    signature : str
        Everything that changes the value.
    lower, upper : float, optional
        Ends of the confidence interval, if one was asked for.
    segments : array
        The value of each segment.
    """

    value: float | None
    score: float
    name: str
    n: int
    signature: str
    lower: float | None
    upper: float | None
    segments: Floats

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """Return one line as sacreBLEU prints it."""


class Standalone(Protocol):
    """A metric, perhaps with references, that scores by itself.

    :class:`~hyperbaton.metrics.SacrebleuAdapter` describes the methods.
    """

    def fit(self, references: References, threads: int | None = None) -> Metric:
        """Return the metric fitted on references."""

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1
    ) -> SingleScore:
        """Score a corpus."""

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> SingleScore:
        """Score one segment."""

    def get_signature(self) -> Signature:
        """Return the signature; it names the number of references if they are known."""

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Streams | None
    ) -> Floats: ...

    def _aggregate_and_compute(self, stats: Floats) -> SingleScore: ...

    def _compute_score_from_stats(self, stats: Floats) -> SingleScore: ...


def standalone(metric: Metric, references: Streams | None = None) -> Standalone:
    """Return what scores with the metric."""
    make: Callable[[Metric, Streams | None], Standalone] = load(ADAPTER)
    return make(metric, references)
