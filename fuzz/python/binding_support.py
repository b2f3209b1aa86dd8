"""Bindings of resampling, exact sums and cancellation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import call, odd_object, refuse
from fuzz.python.targets import require, target

from hyperbaton import _core
from reference import resampling

MOST_DRAWN = 1 << 20


@target("binding_resampling")
def check_resampling(data: bytes) -> None:
    """Draw samples, add rows, sum exactly."""
    source = ByteSource(data)
    name = source.choice(("draw", "weighted_sums", "exact_partials"))
    length, samples = source.integer(1, 9), source.integer(0, 20)
    if name == "draw":
        coins, first = source.chance(128), source.any_integer()
        seed = source.integer(0, 1000)
        found = call(source, name, _core.draw, coins, length, first, samples, seed, 1)
        if found is not None:
            draw = resampling.swap_draw if coins else resampling.bootstrap_draw
            rows = found.reshape(samples, length).tolist()
            if first < 1 << 40:
                expected = [draw(seed, first + k, length) for k in range(samples)]
                require(rows == expected, f"draws {rows}, not {expected}")
    elif name == "weighted_sums":
        columns = source.integer(0, 3)
        counts = source.integers(samples * length, 0, 4).astype(np.int32)
        rows = source.integers(columns * length, -9, 9).astype(np.float64)
        found = call(source, name, _core.weighted_sums, counts, rows, length, 1)
        require(found is None or len(found) == samples * columns, "a sum for each column")
    else:
        numbers = source.floats(source.integer(0, 12))
        found = call(source, name, _core.exact_partials, numbers)
        if found is not None and np.abs(numbers).max(initial=0) < 1e300:
            require(math.fsum(found) == math.fsum(numbers), f"the sum of {numbers}")


@target("binding_cancellation")
def check_cancellation(data: bytes) -> None:
    """Cancel work before or during it, nested, and with callbacks that fail."""
    source = ByteSource(data)
    outer, inner = _core.Cancellation(), _core.Cancellation()
    values, offsets = np.array([2, 1, 3]), np.array([0, 3])

    def measure() -> Any:
        return _core.kendall(values, offsets, 2)

    def cancel() -> Any:
        inner.cancel()
        return measure()

    functions: tuple[Callable[..., Any], ...] = (
        measure,
        refuse,
        cancel,
        lambda: inner.run(measure),
        lambda: outer.run(lambda: inner.run(cancel)),
        lambda: call(source, "Cancellation.run", outer.run, odd_object(source)),
    )
    for _ in range(source.integer(1, 3)):
        if source.chance(48):
            call(source, "Cancellation.cancel", outer.cancel)
        call(source, "Cancellation.run", outer.run, source.choice(functions))
    require(measure()[0] == 2 / 3, "nothing is cancelled afterwards")
