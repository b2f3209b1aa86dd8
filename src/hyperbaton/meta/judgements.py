"""Human judgements of translations: rankings or scores."""

from __future__ import annotations

from hyperbaton.meta.rankings import Rankings
from hyperbaton.meta.scores import Scores

__all__ = ["Judgements", "Rankings", "Scores"]

Judgements = Rankings | Scores
