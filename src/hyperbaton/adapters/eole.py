"""Word order as a validation metric of eole."""

from __future__ import annotations

from hyperbaton.adapters.hosts import MissingHost, scorer_class
from hyperbaton.metrics.metric import Metric

try:
    from eole.scorers import register_scorer
    from eole.scorers.scorer import Scorer
except ImportError as error:
    raise MissingHost("eole", "eole", error) from None


def register(name: str, metric: str | Metric, language: str | None = None) -> None:
    """Add a metric to those that ``valid_metrics`` may name.

    The value is that of :func:`hyperbaton.score` for the whole validation set, from 0 to 1 for
    most metrics, where the other scores of eole go from 0 to 100.

    Parameters
    ----------
    name : str
        The name that eole uses, such as ``"HYPER"``.
    metric : str or Metric
        Name of a metric, with options or without, or an object of ``hb.metrics.get``.
    language : str, optional
        Language code or BCP 47 tag, such as ``"en"``, for a metric given by name.

    Raises
    ------
    InputError, InputTypeError
        If there is no such metric.
    ValueError
        If eole has a scorer of this name.
    """
    register_scorer(name)(scorer_class(Scorer, metric, language))
