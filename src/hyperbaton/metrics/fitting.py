"""Metrics that are fitted: they see all references before they score the first segment.

A metric that is fitted has a :class:`~hyperbaton.metrics.parts.Fitting` among its needs, which sees
the references and gives a model. The model is frozen, so that the fitted metric is a pure function
of a batch, like every other metric. Samples of segments, as in a bootstrap, do not refit it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hyperbaton import _core
from hyperbaton.metrics.parts import Fit
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.metrics.metric import Metric

LABEL = re.compile("[0-9]+-[0-9a-f]{12}")  # of a model, as signatures write it
# What the option precedence may be, besides a file: all references, those of the segment, nothing.
REFERENCES, OWN, OFF = "references", "own", "off"


def with_saved_model(metric: Metric) -> Metric:
    """Return the metric with the model of its file, if its options name one."""
    fitting = metric.needs.fitting
    if fitting is None or fitting.model is not None:
        return metric
    model = fitting.read()
    return metric if model is None else metric.with_options(model=model)


def without_fit(metric: Metric) -> Metric:
    """Return the metric that is used where there are no references to fit it on.

    Raises
    ------
    InputError
        If its options name a model that it does not have.
    """
    needs = metric.needs
    if needs.fitting is None or not needs.fit:
        return metric
    return metric.with_options(**needs.fitting.without_model())


def fit_metrics(
    metrics: Mapping[str, Metric],
    read_references: Callable[[], Iterable[_core.Lines]],
    threads: int | None = None,
    models: dict[Hashable, Any] | None = None,
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
    models : dict, optional
        Models of earlier fits on the same references, by ``Fit.key``. New ones are added.
    """
    models = {} if models is None else models
    loaded = {key: with_saved_model(metric) for key, metric in metrics.items()}
    fits: dict[Hashable, Fit] = {}
    keys: dict[str, Hashable] = {}
    for name, metric in loaded.items():
        needs = metric.needs
        if needs.fitting is not None and needs.fit:
            fit = needs.fitting.start()
            keys[name] = fit.key
            if fit.key not in models:
                fits.setdefault(fit.key, fit)
    if fits:
        count = thread_count(threads)
        for lines in read_references():
            for fit in fits.values():
                fit.add(lines, count)
        models |= {key: fit.model() for key, fit in fits.items()}
    return {
        name: metric.with_options(model=models[keys[name]]) if name in keys else metric
        for name, metric in loaded.items()
    }
