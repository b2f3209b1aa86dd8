"""The settings of a meta-evaluation."""

from __future__ import annotations

from dataclasses import dataclass

from hyperbaton.errors import InputError
from hyperbaton.meta.checks import check_choice
from hyperbaton.meta.defaults import EXCHANGES, PEOPLE, TESTS, UNITS
from hyperbaton.meta.measures import Correlation, Measure, SystemMeasure
from hyperbaton.stats.sampling import Sampling


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
        measure = self.measure
        linear = (
            isinstance(measure, Correlation | SystemMeasure)
            and measure.coefficient == "pearson"
            and measure.average == "none"
        )
        if self.test == "williams" and not linear:
            raise InputError(
                f"Williams' test needs pearson or pearson_sys without averaging, got {measure.name}"
            )
