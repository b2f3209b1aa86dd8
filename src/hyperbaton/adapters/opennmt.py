"""Word order as a validation metric of OpenNMT-py."""

from __future__ import annotations

from hyperbaton.adapters.hosts import MissingHost, scorer_class
from hyperbaton.metrics.metric import Metric

try:
    from onmt.scorers import register_scorer
    from onmt.scorers.scorer import Scorer
except ImportError as error:
    raise MissingHost("OpenNMT-py", "OpenNMT-py", error) from None


def register(name: str, metric: str | Metric, language: str | None = None) -> None:
    """Add a metric to those that ``valid_metrics`` may name.

    The value is that of :func:`hyperbaton.score` for the whole validation set, from 0 to 1 for
    most metrics, where the other scores of OpenNMT-py go from 0 to 100.

    Parameters
    ----------
    name : str
        The name that OpenNMT-py uses, such as ``"HYPER"``.
    metric : str or Metric
        Name of a metric, with options or without, or an object of ``hb.metrics.get``.
    language : str, optional
        Language code or BCP 47 tag, such as ``"en"``, for a metric given by name.

    Raises
    ------
    InputError, InputTypeError
        If there is no such metric.
    ValueError
        If OpenNMT-py has a scorer of this name.
    """
    register_scorer(name)(scorer_class(Scorer, metric, language))
