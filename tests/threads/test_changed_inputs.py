"""Another thread or process changes the arguments of a function while it runs.

The function may return anything, or raise an error of its input. It must not read or write memory
that is not its own: ``make sanitize`` runs these tests under AddressSanitizer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from threads.changing_arrays import ChangingCalls, outcome
from threads.core_calls import core_calls
from threads.running import SECONDS, rounds, run_together

CALLS = {name: call for name, call in core_calls().items() if call.arrays}
CALLERS = 2
# What invalid input raises, in the core and in the bindings. Sizes that came out of changed values
# may also be too large for the memory.
ALLOWED = (ValueError, IndexError, OverflowError, MemoryError)


@pytest.fixture(scope="module")
def changing_calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangingCalls]:
    path: Path = tmp_path_factory.mktemp("changing") / "memory"
    calls = ChangingCalls(CALLS, path, seed=1)
    yield calls
    calls.close()


@pytest.mark.parametrize("name", CALLS)
def test_arrays_that_change_cause_no_crash(name: str, changing_calls: ChangingCalls) -> None:
    outcomes: Counter[type[Exception] | None] = Counter()

    def work() -> None:
        for _ in rounds(1, SECONDS / 30):
            outcomes[outcome(call, ALLOWED)] += 1

    with changing_calls.changing(name) as call:
        run_together([work] * CALLERS)
    assert outcomes.total() > 0
    print(name, {cls.__name__ if cls else "value": n for cls, n in outcomes.items()})
