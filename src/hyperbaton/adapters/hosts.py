"""What the adapters of several hosts share.

The error for a host that is not installed, metrics under names of the user's own, and the scorer
that eole and OpenNMT-py call after they have translated the validation set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hyperbaton.errors import InputError, InputTypeError, MissingData
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import make_metric, metrics_by_spec
from hyperbaton.runs.scoring import score

Metrics: TypeAlias = Sequence[str | Metric] | Mapping[str, str | Metric] | str | Metric


class MissingHost(MissingData, ImportError):  # noqa: N818 - named as its base
    """The software that an adapter belongs to cannot be imported.

    Parameters
    ----------
    host : str
        What the software is called.
    requirement : str
        What pip has to install.
    error : ImportError
        The error of the import. A host may be there without a package that it needs.
    """

    def __init__(self, host: str, requirement: str, error: ImportError) -> None:
        super().__init__(f"{host} cannot be imported ({error}): pip install '{requirement}'")


def named_metrics(metrics: Metrics, language: str | None) -> dict[str, Metric]:
    """Return metrics by name: the user's own, or what the user wrote.

    Parameters
    ----------
    metrics : str, Metric, or sequence or mapping of them
        The metrics, as :func:`hyperbaton.score` takes them, or a metric for each name.
    language : str, optional
        Language code or BCP 47 tag, for metrics given by name.

    Raises
    ------
    InputError, InputTypeError
        If a metric or a name is invalid.

    Examples
    --------
    >>> {name: metric.spec for name, metric in named_metrics({"order": "pef:bp=off"}, "en").items()}
    {'order': 'pef:bp=off'}
    """
    resources = Resources.from_arguments(language)
    if not isinstance(metrics, Mapping):
        return metrics_by_spec(metrics, resources)
    if not metrics:
        raise InputError("no metrics were given")
    named = {}
    for name, metric in metrics.items():
        if not isinstance(name, str) or not isinstance(metric, (str, Metric)):
            kinds = f"{type(name).__name__} and {type(metric).__name__}"
            raise InputTypeError(f"metrics must map names to metrics, got {kinds}")
        named[name] = metric if isinstance(metric, Metric) else make_metric(metric, resources)
    return named


def scorer_class(host_class: type[Any], metric: str | Metric, language: str | None) -> type[Any]:
    """Return a scorer of a metric.

    Parameters
    ----------
    host_class : type
        The host's base class of scorers.
    metric : str or Metric
        Name of a metric, with options or without, or an object of ``hb.metrics.get``.
    language : str, optional
        Language code or BCP 47 tag, for a metric given by name.
    """
    resources = Resources.from_arguments(language)
    chosen = metric if isinstance(metric, Metric) else make_metric(metric, resources)

    class WordOrderScorer(host_class):
        """A metric of Hyperbaton."""

        higher_is_better = chosen.higher_is_better  # eole's early stopping asks for it

        def compute_score(
            self,
            preds: Sequence[str],
            texts_refs: Sequence[str],
            texts_srcs: Sequence[str] | None = None,
        ) -> float:
            """Return the value of the validation set, as :func:`hyperbaton.score` does."""
            result = score(preds, texts_refs, chosen, keep_texts=False)
            return float(result[chosen.spec])

    return WordOrderScorer
