"""Engines that score shards, by name, and what may happen with rows that cannot be scored.

The table loads no engine, so that help stays quick.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hyperbaton.registries import Registry

ON_ERROR = ("raise", "null")


@dataclass(frozen=True)
class Engine:
    """An engine.

    Attributes
    ----------
    function : str or callable
        The function, or where it is: ``module:name``. It has the parameters and the result of
        :func:`hyperbaton.runs.tables.workers.run_locally`.
    takes_address : bool
        Whether it runs on a cluster that has an address.
    """

    function: str | Callable[..., Any]
    takes_address: bool = False


ENGINES = Registry(
    "engine",
    {
        "local": Engine("hyperbaton.runs.tables.workers:run_locally"),
        "ray": Engine("hyperbaton.runs.tables.workers:run_on_ray", takes_address=True),
    },
)
