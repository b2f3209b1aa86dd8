"""Metrics: objects with one contract, by name, with a signature on every number."""

from hyperbaton.metrics.aligned import Adjacency, MeteorFrag
from hyperbaton.metrics.base import Metric, Score, Variant
from hyperbaton.metrics.comparison import Comparison, Difference, Rank
from hyperbaton.metrics.composite import Full, LRscore, SenScore
from hyperbaton.metrics.order import OrderMetric
from hyperbaton.metrics.rates import ErrorRateMetric
from hyperbaton.metrics.registry import SETS, from_signature, get, names
from hyperbaton.metrics.sacre import AvgBleu, Bleu, Chrf, Ter
from hyperbaton.metrics.scoring import Result
from hyperbaton.metrics.signature import Signature

__all__ = [
    "SETS",
    "Adjacency",
    "AvgBleu",
    "Bleu",
    "Chrf",
    "Comparison",
    "Difference",
    "ErrorRateMetric",
    "Full",
    "LRscore",
    "MeteorFrag",
    "Metric",
    "OrderMetric",
    "Rank",
    "Result",
    "Score",
    "SenScore",
    "Signature",
    "Ter",
    "Variant",
    "from_signature",
    "get",
    "names",
]
