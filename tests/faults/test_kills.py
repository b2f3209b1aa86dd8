"""Runs that are killed: outputs stay whole, and the next run cleans up and notices what is torn."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from faults.conftest import MakeWorkplace
from faults.writing_commands import COMMANDS, Workplace

KILLS = int(os.environ.get("FAULTS", "100"))
SEED = int(os.environ.get("FAULTS_SEED", "0"))
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def kill_before(place: Workplace, operation: int, number: int) -> int:
    """Kill a run before an operation on files, and check what is left, before and after a run.

    Return its exit status, which is 0 if the run has fewer operations.
    """
    place.restore()
    ending = place.runner.run(place.faulty(place.second), number, operation)
    place.check_signal(ending, number)
    place.check_whole()
    if number != signal.SIGKILL:
        assert not place.unfinished()
        assert not place.is_torn()
    place.check_next_run()
    return ending.status


def kill_after(place: Workplace, seconds: float, number: int) -> int:
    """Kill a run at some moment, check what is left, and return its exit status.

    Moments are shares of the time that a run takes on this machine; at all of them, also if the run
    has ended by then, the same must hold.
    """
    place.restore()
    ending = place.runner.kill_after(place.faulty(place.second), number, seconds)
    place.check_signal(ending, number)
    place.check_whole()
    place.check_next_run()
    return ending.status


def test_kills_before_each_operation_of_score(make_workplace: MakeWorkplace) -> None:
    place = make_workplace("score")
    assert len(place.renames()) == 2
    for operation in range(1, len(place.operations) + 1):
        kill_before(place, operation, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_between_two_renames(number: int, make_workplace: MakeWorkplace) -> None:
    place = make_workplace("score to two folders")
    second = place.renames()[-1]
    for operation in (1, second - 1, second, second + 1):
        kill_before(place, operation, number)


def choose_operations(operations: list[str], draw: random.Random) -> list[tuple[int, int]]:
    """Return before which operations a run gets which signal.

    No rename and no removal is left out, and of all others there is a sample.
    """
    every = [(k, number) for k in range(1, len(operations) + 1) for number in SIGNALS]
    decisive = [
        (k, signal.SIGKILL)
        for k, name in enumerate(operations, 1)
        if name.startswith(("os.rename", "os.remove"))
    ]
    sample = draw.sample(every, min(len(every), KILLS // 10))
    return sorted({*decisive, *sample})


@pytest.mark.faults
@pytest.mark.parametrize("name", COMMANDS)
def test_kills_before_operations(name: str, make_workplace: MakeWorkplace) -> None:
    place = make_workplace(name)
    counts: Counter[str] = Counter()
    for operation, number in choose_operations(place.operations, random.Random(SEED)):
        kill_before(place, operation, number)
        counts[signal.Signals(number).name] += 1
    print(f"{name}: {dict(counts)} before {len(place.operations)} operations")


@pytest.mark.faults
def test_kills_at_random_moments(make_workplace: MakeWorkplace) -> None:
    draw = random.Random(SEED)
    places = {name: make_workplace(name) for name in COMMANDS}
    counts: Counter[str] = Counter()
    statuses: Counter[int] = Counter()
    for _ in range(KILLS):
        name, number = draw.choice([*COMMANDS]), draw.choice(SIGNALS)
        seconds = draw.uniform(0, 1.05 * places[name].seconds)
        statuses[kill_after(places[name], seconds, number)] += 1
        counts[f"{name}, {number.name}"] += 1
    for key in sorted(counts):
        print(f"{counts[key]:5} {key}")
    print("exit statuses:", dict(sorted(statuses.items())))


@pytest.mark.faults
def test_kills_of_whole_processes(make_workplace: MakeWorkplace) -> None:
    """Also while Python starts and ends, which forked runs do not do."""
    place = make_workplace("score")
    draw = random.Random(SEED)
    environment = {**os.environ, "HYPERBATON_CACHE": str(place.folder / "cache")}
    seconds = 0.0
    for k in range(1 + max(1, KILLS // 20)):
        place.restore()
        number = draw.choice(SIGNALS)
        begin = time.monotonic()
        with subprocess.Popen(
            [sys.executable, "-c", TELLING, *place.second.arguments],
            cwd=place.folder,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == "running\n"
            if k:  # the first run shows how long it takes
                time.sleep(draw.uniform(0, seconds))
                process.send_signal(number)
            errors = process.stderr.read()
        seconds = seconds or time.monotonic() - begin
        assert "Traceback" not in errors, errors
        allowed = {signal.SIGKILL: (-9,), signal.SIGTERM: (143, -15), signal.SIGINT: (130, -2)}
        assert process.returncode in (0, *allowed[number]), (number, errors)
        place.check_whole()
        place.check_next_run()


# Python prints a traceback for a Ctrl-C that comes before `main`, so the program tells that it runs
# when `main` imports the rest.
TELLING = """import sys
from hyperbaton.__main__ import main
class Telling:
    def find_spec(self, name, *_):
        if name == "hyperbaton.cli":
            print("running", file=sys.stderr, flush=True)
sys.meta_path.insert(0, Telling())
sys.exit(main())
"""
