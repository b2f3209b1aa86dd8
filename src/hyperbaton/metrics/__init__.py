"""Metrics: objects with one contract, by name, with a signature on every number."""

from hyperbaton.metrics.base import Metric, Score
from hyperbaton.metrics.registry import SETS, from_signature, get, names
from hyperbaton.metrics.scoring import Result
from hyperbaton.metrics.signature import Signature

__all__ = ["SETS", "Metric", "Result", "Score", "Signature", "from_signature", "get", "names"]
