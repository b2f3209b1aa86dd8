"""Caches that several processes use, and caches that are damaged."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from faults.conftest import MakeWorkplace
from faults.forking_runner import Ending, Run
from faults.writing_commands import Workplace, check_cache
from hyperbaton.syntax.cache import FILE

SEED = int(os.environ.get("FAULTS_SEED", "0"))
KILLS = int(os.environ.get("FAULTS", "100"))
PROCESSES = 4
CACHES = {"parse": f"cache/{FILE}", "paraphrases": "out/table.hyperbaton"}


def run_together(place: Workplace, kills: random.Random | None = None) -> None:
    """Run a command several times at once, with outputs of their own but the same cache."""
    place.restore()
    name = next(word for word in place.second.arguments if word.startswith("out/a."))
    runs: list[Run] = []
    for k in range(PROCESSES):
        arguments = [f"out/{k}" if word == name else word for word in place.second.arguments]
        runs.append(replace(place.faulty(place.second), arguments=arguments))
    running = [place.runner.start(run) for run in runs]
    killed = set()
    if kills is not None:
        time.sleep(kills.uniform(0, place.seconds))
        killed = {*kills.sample(range(PROCESSES), 2)}
        for k in killed:
            running[k].send(signal.SIGKILL)
    for k, process in enumerate(running):
        ending = process.wait()
        assert ending.status == 0 or (k in killed and ending.status == -9), ending
        assert "damaged" not in ending.errors, ending
        output = place.folder / f"out/{k}"
        if ending.status == 0 or output.exists():  # the signal may come after the output
            assert output.read_bytes() == place.new[name.removeprefix("out/")]
            output.unlink()
    if not killed:
        check_cache(place.folder / "cache")
    place.check_next_run()


@pytest.mark.parametrize("name", CACHES)
def test_several_processes(name: str, make_workplace: MakeWorkplace) -> None:
    place = make_workplace(name)
    for _ in range(3):
        run_together(place)


@pytest.mark.faults
@pytest.mark.parametrize("name", CACHES)
def test_several_processes_some_of_which_are_killed(
    name: str, make_workplace: MakeWorkplace
) -> None:
    place = make_workplace(name)
    draw = random.Random(SEED)
    for _ in range(max(1, KILLS // 10)):
        run_together(place, draw)


def test_several_processes_write_the_same_outputs(make_workplace: MakeWorkplace) -> None:
    """One of them wins; none takes the files of the others for abandoned ones."""
    place = make_workplace("score")
    for _ in range(3):
        place.restore()
        running = [place.runner.start(place.second) for _ in range(PROCESSES)]
        check_outputs(place, [process.wait() for process in running])


def check_outputs(place: Workplace, endings: list[Ending]) -> None:
    """Check that all runs succeeded, and that the outputs are new and clean."""
    assert [(ending.status, ending.errors) for ending in endings] == [(0, "")] * len(endings)
    assert place.read() == place.new
    assert not place.unfinished()


def test_a_run_between_two_operations_of_another(make_workplace: MakeWorkplace) -> None:
    place = make_workplace("score")
    for operation in place.renames():
        run_between(place, operation)


def run_between(place: Workplace, operation: int) -> None:
    """Stop a run before an operation, and let it go on after another run."""
    place.restore()
    run = place.faulty(place.second)
    stopped = place.runner.start(run, signal.SIGSTOP, operation)
    stopped.wait_until_stopped()
    ending = place.runner.run(run)
    stopped.send(signal.SIGCONT)
    check_outputs(place, [ending, stopped.wait()])


def truncate(content: bytes) -> bytes:
    return content[: len(content) // 2]


def invert_middle(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(255 - byte for byte in content[middle:])


def randomize(content: bytes) -> bytes:
    return random.Random(SEED).randbytes(len(content))


def change_version(content: bytes) -> bytes:
    """The first bytes name the format."""
    return b"x" + content[1:]


def check_damage(place: Workplace, path: Path, damage: Callable[[bytes], bytes]) -> None:
    """Check that damage is noticed, named in one line, and repaired."""
    place.restore()
    place.finish(place.second)
    path.write_bytes(damage(path.read_bytes()))
    ending = place.runner.run(place.faulty(place.second))
    assert ending.status == 0, ending
    assert place.read() == place.new
    lines = ending.errors.splitlines()
    assert len(lines) == 1, ending
    assert lines[0].startswith("hyperbaton: warning: "), ending
    assert path.name in lines[0], ending
    assert "is damaged" in lines[0], ending
    assert "built again" in lines[0], ending
    place.check_next_run()


@pytest.mark.parametrize("damage", [truncate, invert_middle, randomize, change_version])
@pytest.mark.parametrize("name", CACHES)
def test_damage_is_noticed(
    name: str, damage: Callable[[bytes], bytes], make_workplace: MakeWorkplace
) -> None:
    place = make_workplace(name)
    check_damage(place, place.folder / CACHES[name], damage)


def test_an_empty_index_is_damaged(make_workplace: MakeWorkplace) -> None:
    place = make_workplace("paraphrases")
    check_damage(place, place.folder / CACHES["paraphrases"], lambda content: b"")


def change_heads(path: Path) -> None:
    """Change trees to others of the same words, as a wrong bit may do."""
    file = sqlite3.connect(path)
    with file:
        file.execute("UPDATE trees SET tree = replace(tree, ', 1,', ', 0,')")
        assert file.execute("SELECT count(*) FROM trees WHERE tree LIKE '%, 0,%'").fetchone()[0]
    file.close()


def check_changed_trees(place: Workplace) -> None:
    path = place.folder / CACHES["parse"]
    place.restore()
    place.finish(place.second)
    change_heads(path)
    ending = place.runner.run(place.faulty(place.second))
    assert f"{FILE} is damaged" in ending.errors, ending
    assert place.read() == place.new


def test_changed_trees_are_noticed(make_workplace: MakeWorkplace) -> None:
    check_changed_trees(make_workplace("parse"))


def flip_bits(place: Workplace, path: Path, count: int) -> int:
    """Change single bits; what is not noticed must not matter. Return how many were noticed."""
    draw = random.Random(SEED)
    noticed = 0
    for _ in range(count):
        place.restore()
        place.finish(place.second)
        content = bytearray(path.read_bytes())
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(content)
        ending = place.runner.run(place.faulty(place.second))
        assert ending.status == 0, ending
        assert place.read() == place.new
        assert "Traceback" not in ending.errors, ending
        noticed += "is damaged" in ending.errors
        place.finish(place.second)
    return noticed


@pytest.mark.faults
@pytest.mark.parametrize("name", CACHES)
def test_single_bits(name: str, make_workplace: MakeWorkplace) -> None:
    place = make_workplace(name)
    count = max(5, KILLS // 10)
    noticed = flip_bits(place, place.folder / CACHES[name], count)
    print(f"{noticed} of {count} changed bits were noticed")
    if name == "paraphrases":  # every byte counts
        assert noticed == count
