"""The settings of a meta-evaluation and of tuning, their choices and defaults.

The command line shows them without loading any metric.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hyperbaton.errors import InputError
from hyperbaton.registries import Registry, check_choice
from hyperbaton.stats.sampling import Sampling

if TYPE_CHECKING:
    from hyperbaton.meta.agreement import Measure

PEOPLE = ("rankings", "ranks", "segments", "systems")
AVERAGES = ("none", "item", "system")
UNITS = ("segments", "rankings", "systems")
EXCHANGES = ("segments", "scores")
SEARCHES = ("climb", "grid")

# Tests of the difference between two metrics, and the functions that compute their p-values.
TESTS = Registry(
    "test",
    {
        "permutation": "hyperbaton.meta.differences:permutation_p_values",
        "bootstrap": "hyperbaton.meta.differences:bootstrap_p_values",
        "williams": "hyperbaton.meta.differences:williams_p_values",
        "t": "hyperbaton.meta.differences:sample_t_p_values",
    },
)

# Birch & Osborne (2010) tune for consistency, which counts a tie of the metric as wrong. A measure
# that leaves ties out rewards a metric that seldom decides.
DEFAULT_AGREEMENT = "consistency"
DEFAULT_RESTARTS = 20  # Birch & Osborne 2010
DEFAULT_FOLDS = 5


@dataclass(frozen=True)
class Plan:
    """The settings of a meta-evaluation.

    Attributes
    ----------
    measure : Measure
        The measure of agreement.
    sampling : Sampling
        Number of samples, seed, confidence level and threads.
    people : {"rankings", "ranks", "segments", "systems"}, optional
        Which human judgements to use.
    unit : {"segments", "rankings", "systems"}
        The unit that bootstrap samples are drawn from.
    test : {"permutation", "bootstrap", "williams", "t"}
        Test of the difference between two metrics.
    judged_only : bool
        Compute the metric's score of a system from judged segments only.
    weighted : bool
        Weight human segment scores by the length of the reference.
    negated : tuple of str
        External metrics that are better if lower.
    exchange : {"segments", "scores"}
        What two metrics exchange in the permutation test; systems for a measure of systems.
    """

    measure: Measure
    sampling: Sampling
    people: str | None = None
    unit: str = "segments"
    test: str = TESTS.default
    judged_only: bool = False
    weighted: bool = False
    negated: tuple[str, ...] = ()
    exchange: str = "segments"

    @property
    def exchanged(self) -> str | None:
        """What two metrics exchange; None if the test is not the permutation test."""
        if self.test != "permutation":
            return None
        return "systems" if self.measure.level == "system" else self.exchange

    def __post_init__(self) -> None:
        check_choice("bootstrap", self.unit, UNITS)
        TESTS.check(self.test)
        check_choice("exchange", self.exchange, EXCHANGES)
        if self.exchange != "segments" and self.test != "permutation":
            raise InputError(f"only the permutation test exchanges {self.exchange}")
        if self.people is not None:
            check_choice("people", self.people, PEOPLE)
        if self.test == "williams" and not self.measure.is_linear:
            needed = "pearson or pearson_sys without averaging"
            raise InputError(f"Williams' test needs {needed}, got {self.measure.name}")
