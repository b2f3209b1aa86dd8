"""Paired tests of differences between systems, and corrections for several of them, by name.

The tables name functions instead of importing them, so that the help of a command stays quick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hyperbaton.registries import Registry


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
