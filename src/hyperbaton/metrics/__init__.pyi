"""The public names of ``hyperbaton.metrics``."""

from hyperbaton.metrics.alignment_metrics import Adjacency as Adjacency
from hyperbaton.metrics.alignment_metrics import MeteorFrag as MeteorFrag
from hyperbaton.metrics.batches import Batch as Batch
from hyperbaton.metrics.composite import Full as Full
from hyperbaton.metrics.composite import LRscore as LRscore
from hyperbaton.metrics.composite import SenScore as SenScore
from hyperbaton.metrics.dependency import Dted as Dted
from hyperbaton.metrics.error_rates import ErrorRateMetric as ErrorRateMetric
from hyperbaton.metrics.metric import MeanMetric as MeanMetric
from hyperbaton.metrics.metric import Metric as Metric
from hyperbaton.metrics.metric import Variant as Variant
from hyperbaton.metrics.options import Option as Option
from hyperbaton.metrics.order_metrics import OrderMetric as OrderMetric
from hyperbaton.metrics.provenance import Provenance as Provenance
from hyperbaton.metrics.registry import SETS as SETS
from hyperbaton.metrics.registry import from_signature as from_signature
from hyperbaton.metrics.registry import get as get
from hyperbaton.metrics.registry import names as names
from hyperbaton.metrics.registry import register as register
from hyperbaton.metrics.ribes import Ribes as Ribes
from hyperbaton.metrics.sacrebleu_adapter import SacrebleuAdapter as SacrebleuAdapter
from hyperbaton.metrics.sacrebleu_metrics import AvgBleu as AvgBleu
from hyperbaton.metrics.sacrebleu_metrics import Bleu as Bleu
from hyperbaton.metrics.sacrebleu_metrics import Chrf as Chrf
from hyperbaton.metrics.sacrebleu_metrics import Ter as Ter
from hyperbaton.metrics.signature import Signature as Signature
from hyperbaton.runs.results import Result as Result
from hyperbaton.runs.results import Score as Score

__all__: list[str]
