"""The public names of ``hyperbaton.metrics``."""

from hyperbaton.metrics.batches import Batch as Batch
from hyperbaton.metrics.composite import Full as Full
from hyperbaton.metrics.composite import LRscore as LRscore
from hyperbaton.metrics.composite import SenScore as SenScore
from hyperbaton.metrics.dependency import Dted as Dted
from hyperbaton.metrics.error_rates import ErrorRateMetric as ErrorRateMetric
from hyperbaton.metrics.linking import Linking as Linking
from hyperbaton.metrics.metric import MeanMetric as MeanMetric
from hyperbaton.metrics.metric import Metric as Metric
from hyperbaton.metrics.metric import TokenMetric as TokenMetric
from hyperbaton.metrics.metric import Variant as Variant
from hyperbaton.metrics.options import Option as Option
from hyperbaton.metrics.order_metrics import Adjacency as Adjacency
from hyperbaton.metrics.order_metrics import AlignmentMetric as AlignmentMetric
from hyperbaton.metrics.order_metrics import MeteorFrag as MeteorFrag
from hyperbaton.metrics.order_metrics import OrderMetric as OrderMetric
from hyperbaton.metrics.order_metrics import Ribes as Ribes
from hyperbaton.metrics.parts import Needs as Needs
from hyperbaton.metrics.parts import Part as Part
from hyperbaton.metrics.parts import PartSignature as PartSignature
from hyperbaton.metrics.registry import SETS as SETS
from hyperbaton.metrics.registry import from_signature as from_signature
from hyperbaton.metrics.registry import get as get
from hyperbaton.metrics.registry import names as names
from hyperbaton.metrics.registry import register as register
from hyperbaton.metrics.sacrebleu_metrics import AvgBleu as AvgBleu
from hyperbaton.metrics.sacrebleu_metrics import Bleu as Bleu
from hyperbaton.metrics.sacrebleu_metrics import Chrf as Chrf
from hyperbaton.metrics.sacrebleu_metrics import Ter as Ter
from hyperbaton.metrics.signature import Provenance as Provenance
from hyperbaton.metrics.signature import Signature as Signature
from hyperbaton.metrics.soft_order import Order as Order
from hyperbaton.metrics.soft_order import SoftOrdering as SoftOrdering
from hyperbaton.runs.results import Result as Result
from hyperbaton.runs.results import Score as Score
from hyperbaton.runs.sacrebleu_adapter import SacrebleuAdapter as SacrebleuAdapter

__all__: list[str]
