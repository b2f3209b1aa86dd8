"""The scorer that eole and OpenNMT-py call after they have translated the validation set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.registry import make_metric
from hyperbaton.metrics.resources import Resources
from hyperbaton.runs.scoring import score


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
            return result[chosen.spec].value

    return WordOrderScorer
