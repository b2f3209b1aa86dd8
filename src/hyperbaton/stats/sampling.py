"""How differences are tested: paired tests and corrections by name, and settings of resampling.

The tables name functions instead of importing them, so that the help of a command stays quick.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from numbers import Integral, Real
from typing import Any, Self

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.registries import Registry
from hyperbaton.threads import thread_count

DEFAULT_SAMPLES = 1000
MAX_SAMPLES = 10_000_000  # a value of each sample is kept, for each system and metric
CORRECTION_MARGIN = 4
DEFAULT_SEED = 1
DEFAULT_LEVEL = 0.95
DRAWS_PER_BATCH = 2_000_000  # limits the memory for counts


@dataclass(frozen=True)
class PairedTest:
    """A paired test.

    Attributes
    ----------
    function : str or callable
        The function, or where it is: ``module:name``. It has the parameters and the result of
        :func:`hyperbaton.stats.paired_tests.bootstrap_tests`.
    has_intervals : bool
        Whether it gives confidence intervals of values and of differences.
    exchange_up_to : int
        Up to this number of segments, p is at least that of the randomization test.
    """

    function: str | Callable[..., Any]
    has_intervals: bool = False
    exchange_up_to: int = 0


@dataclass(frozen=True)
class Correction:
    """A correction of several p-values.

    Attributes
    ----------
    function : str or callable
        The function from p-values to corrected ones, or where it is: ``module:name``.
    grows : bool
        Whether p grows with the number of tests, so that more samples are needed.
    """

    function: str | Callable[..., Any]
    grows: bool = True


PAIRED_TESTS = Registry(
    "method",
    {
        "bootstrap": PairedTest(
            "hyperbaton.stats.paired_tests:bootstrap_tests", has_intervals=True, exchange_up_to=50
        ),
        "randomization": PairedTest("hyperbaton.stats.paired_tests:randomization_tests"),
    },
)
CORRECTIONS = Registry(
    "correction",
    {
        "none": Correction(list, grows=False),
        "holm": Correction("hyperbaton.stats.significance:holm"),
    },
)


@dataclass(frozen=True)
class Sampling:
    """How samples are drawn and read.

    Attributes
    ----------
    method : str
        The name of a paired test: ``"bootstrap"`` or ``"randomization"``.
    samples : int
        Number of samples.
    seed : int
        Random seed.
    level : float
        Confidence level; the significance level is 1 − ``level``.
    threads : int, optional
        Number of threads; all cores by default. It changes no number.
    draws_per_batch : int
        How many draws are held in memory at a time. It changes no number.
    adjustable : bool
        Whether the number of samples is a default, which may be raised where more are needed.
    """

    method: str = PAIRED_TESTS.default
    samples: int = DEFAULT_SAMPLES
    seed: int = DEFAULT_SEED
    level: float = DEFAULT_LEVEL
    threads: int | None = None
    draws_per_batch: int = field(default=DRAWS_PER_BATCH, repr=False)
    adjustable: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        PAIRED_TESTS.check(self.method)
        object.__setattr__(self, "samples", check_integer("samples", self.samples, 1, MAX_SAMPLES))
        object.__setattr__(self, "seed", check_integer("seed", self.seed, 0, 2**63 - 1))
        if not isinstance(self.level, Real) or not 0 < self.level < 1:
            raise InputError(f"level must be between 0 and 1, such as 0.95, got {self.level!r}")
        object.__setattr__(self, "level", float(self.level))
        if self.alpha == 0:  # no number of segments or samples would be enough
            raise InputError(f"level is too close to 1: {self.level!r}")
        thread_count(self.threads)

    @classmethod
    def with_default_samples(
        cls, method: str, samples: int | None, seed: int, level: float, threads: int | None
    ) -> Self:
        """Return settings whose number of samples is adjustable if it is None."""
        count = DEFAULT_SAMPLES if samples is None else samples
        return cls(method, count, seed, level, threads, adjustable=samples is None)

    def samples_needed(self, tests: int) -> int:
        """Return the least number of samples with which one of corrected tests can be significant.

        >>> Sampling().samples_needed(136)
        2720
        """
        return math.floor(tests / self.alpha + 1e-9)

    def adjusted_for(self, tests: int) -> Sampling:
        """Return the settings with enough samples for corrected tests, if they are adjustable.

        Enough is :data:`CORRECTION_MARGIN` times the number of :meth:`samples_needed`: with that
        number itself, a single sample would decide whether a difference is significant.
        """
        enough = min(CORRECTION_MARGIN * self.samples_needed(tests), MAX_SAMPLES)
        if not self.adjustable or enough <= self.samples:
            return self
        return replace(self, samples=enough)

    @property
    def alpha(self) -> float:
        """The significance level: p must be lower for a difference to be significant."""
        return round(1 - self.level, 12)  # 1 − 0.95 is a little more than 0.05

    def to_dict(self) -> dict[str, Any]:
        """Return everything that changes a number, for JSON."""
        names = ("method", "samples", "seed", "level")
        return {name: value for name, value in asdict(self).items() if name in names}

    def __str__(self) -> str:
        level = (
            f"{100 * self.level:.10g} % intervals"
            if PAIRED_TESTS[self.method].has_intervals
            else f"significance at {self.alpha:.10g}"
        )
        return f"{level}: {self.draws}"

    @property
    def draws(self) -> str:
        """How samples are drawn, for the line below tables."""
        return f"{self.method}, {self.samples:,} samples, seed {self.seed}"


def check_integer(name: str, value: object, least: int, most: int) -> int:
    """Return an integer after checking its type and bounds."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputTypeError(f"{name} must be an integer, got {type(value).__name__}")
    number = int(value)
    if not least <= number <= most:
        bound = f"at least {least}" if number < least else f"at most {most:,}"
        raise InputError(f"{name} must be {bound}, got {number}")
    return number
