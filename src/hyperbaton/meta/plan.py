"""How metrics are compared with people: all the choices in one place."""

from __future__ import annotations

from dataclasses import dataclass

from hyperbaton.errors import InputError
from hyperbaton.meta.measures import UNITS, Correlation, Measure, SystemMeasure
from hyperbaton.meta.testsets import PEOPLE
from hyperbaton.metrics.sampling import Sampling

TESTS = ("permutation", "bootstrap", "williams", "t")


@dataclass(frozen=True)
class Plan:
    """How metrics are compared with people."""

    measure: Measure
    sampling: Sampling
    people: str | None = None
    over: str = UNITS[0]
    test: str = TESTS[0]
    judged_only: bool = False
    weighted: bool = False
    negated: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value, known in (
            ("bootstrap", self.over, UNITS),
            ("test", self.test, TESTS),
            ("people", self.people or PEOPLE[0], PEOPLE),
        ):
            if value not in known:
                raise InputError(f"{name} is one of {', '.join(known)}, not {value!r}")
        measure = self.measure
        linear = (
            isinstance(measure, Correlation | SystemMeasure)
            and measure.coefficient == "pearson"
            and measure.average == "none"
        )
        if self.test == "williams" and not linear:
            raise InputError(
                "Williams' test is of Pearson's r, not averaged: pearson or pearson_sys, not "
                f"{measure.name}"
            )
