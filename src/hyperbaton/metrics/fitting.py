"""Metrics that are fitted: they see all references before they score the first segment.

A metric that ``needs_fit`` gives a :class:`Fit`, which sees the references, and takes the model
that comes out of it. The model is frozen, so that the fitted metric is a pure function of a batch,
like every other metric. Samples of segments, as in a bootstrap, do not refit it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from hyperbaton import _core
from hyperbaton.metrics.input_types import References
from hyperbaton.runs.list_input import check_reference_list
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.metrics.metric import Metric


class Fit(Protocol):
    """What sees the references, block by block, and gives a model."""

    @property
    def key(self) -> Hashable:
        """What the fit depends on. Metrics with the same key share a model."""

    def add(self, lines: _core.Lines, threads: int) -> None:
        """See more references."""

    def model(self) -> Any:
        """Return what was learned: a frozen value that can be pickled."""


def fit_metrics(
    metrics: Mapping[str, Metric],
    read_references: Callable[[], Iterable[_core.Lines]],
    threads: int | None = None,
) -> dict[str, Metric]:
    """Return the metrics, those that need it fitted on references.

    Parameters
    ----------
    metrics : mapping of str to Metric
        The metrics.
    read_references : callable
        Returns all references, in blocks of any size and in any order. It is called only if a
        metric needs them.
    threads : int, optional
        Number of threads; all cores by default.
    """
    loaded = {key: metric.load() for key, metric in metrics.items()}
    fits: dict[Hashable, Fit] = {}
    keys: dict[str, Hashable] = {}
    for name, metric in loaded.items():
        if metric.needs_fit:
            fit = metric.start_fit()
            keys[name] = fit.key
            fits.setdefault(fit.key, fit)
    if not fits:
        return loaded
    count = thread_count(threads)
    for lines in read_references():
        for fit in fits.values():
            fit.add(lines, count)
    models = {key: fit.model() for key, fit in fits.items()}
    return {
        name: metric.with_model(models[keys[name]]) if name in keys else metric
        for name, metric in loaded.items()
    }


def reference_lines(references: References) -> _core.Lines:
    """Return references, in the form that ``score`` takes, as lines."""
    return check_reference_list(references).utf8
