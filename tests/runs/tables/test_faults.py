"""Workers and drivers that are killed, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.errors import InputError
from hyperbaton.files.output_files import create_unfinished
from hyperbaton.metrics import registry
from hyperbaton.runs.tables import workers
from runs.tables.deadly import LONG, Deadly
from runs.tables.parquet_files import bits, make_columns, names_in, write_split
from waiting import HANGING, environment_of_tests, wait_until

METRICS = ["pef", "deadly"]
SHARDS = [f"{k}-of-00006.parquet" for k in ("00001", "00002", "00003", "00004", "00005", "00006")]
# The command line, which also notes in files how many shards it knows to be done.
DRIVER = """
import contextlib, os, sys
from pathlib import Path
from hyperbaton.cli import folders, main
from hyperbaton.metrics import registry
from runs.tables import deadly
deadly.write_early()
@contextlib.contextmanager
def quiet_bar(*columns):
    yield lambda **task: None
def note(done):
    Path(os.environ["DEADLY"], f"done-{done.shards}").touch()
assert folders.progress_bar and folders.describe_run  # what the command line calls
folders.progress_bar, folders.describe_run = quiet_bar, note
registry.register(deadly.Deadly)
sys.exit(main(sys.argv[1:]))
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs SIGKILL and /proc")


@pytest.fixture(autouse=True)
def deadly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Register the metric, and make the folder that says which harm it does."""
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    registry.register(Deadly)
    folder = tmp_path / "harm"
    folder.mkdir()
    monkeypatch.setenv("DEADLY", str(folder))
    yield folder
    (folder / "wait").unlink(missing_ok=True)  # a failed test may have left processes


class Run:
    """Six shards of 20 rows; some have a row with a long translation."""

    def __init__(self, folder: Path, long_rows: list[int]) -> None:
        columns = make_columns()
        for row in long_rows:
            columns["a"][row] = " ".join(["a"] * LONG)
        self.output = folder / "scores"
        self.inputs = write_split(folder / "data", columns, [20] * 6, 20)
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("DEADLY")
            self.expected = bits(hb.score(columns["a"], columns["refs"], METRICS))

    def score(self, **options: Any) -> hb.Result:
        results = hb.score_table(
            self.inputs, self.output, METRICS, hypothesis="a", reference="refs", **options
        )
        assert results is not None
        return results["a"]

    def arguments(self, workers: int) -> list[str]:
        texts = ["-r", f"{self.inputs}:refs", f"{self.inputs}:a"]
        specs = ["-m", "pef", "-m", "deadly"]
        return ["score", *texts, *specs, "-o", f"{self.output}/", "--workers", str(workers)]

    def start(self, workers: int, *options: str) -> subprocess.Popen[str]:
        """Start the command line in a new process."""
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, *self.arguments(workers), *options],
            env=environment_of_tests(),
            stderr=subprocess.PIPE,
            text=True,
        )

    def unfinished(self) -> list[Path]:
        return list(self.output.glob(".hyperbaton-*.part"))

    def times(self) -> dict[str, int]:
        """When each file was written."""
        return {path.name: path.stat().st_mtime_ns for path in self.output.iterdir()}


def reached(deadly: Path) -> set[int]:
    """Return the processes that met a long translation."""
    return {int(path.name.removeprefix("reached-")) for path in deadly.glob("reached-*")}


def is_running(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_killed_worker_costs_its_shard(deadly: Path, tmp_path: Path) -> None:
    (deadly / "once").touch()
    run = Run(tmp_path, [55])
    assert bits(run.score(workers=2)) == run.expected
    assert len(reached(deadly)) == 2  # the one that was killed, and the one that finished
    assert names_in(run.output) == SHARDS


def test_a_shard_that_always_kills_its_worker(
    deadly: Path, tmp_path: Path, cli: CommandLine
) -> None:
    (deadly / "always").touch()
    run = Run(tmp_path, [119])
    place = f"{tmp_path}/data/005.parquet, rows 1 to 20"
    message = cli.error(*run.arguments(2))
    assert message == f"the worker for {place} died 3 times; the other shards are kept"
    assert len(reached(deadly)) == 3
    assert names_in(run.output) == SHARDS[:5]
    before = run.times()
    (deadly / "always").unlink()
    assert bits(run.score(workers=2)) == run.expected
    assert before.items() <= run.times().items()


def test_a_bug_in_a_worker_keeps_its_traceback(deadly: Path, tmp_path: Path) -> None:
    (deadly / "bug").touch()
    run = Run(tmp_path, [5])
    with pytest.raises(RuntimeError, match=r"(?s)in a worker:.*do_harm.*ZeroDivisionError"):
        run.score(workers=2)
    assert not run.unfinished()


def test_metrics_of_a_script(tmp_path: Path) -> None:
    run = Run(tmp_path, [])

    class Local(Deadly):
        __module__ = "__main__"

    options: Any = {"hypothesis": "a", "reference": "refs"}
    with pytest.raises(InputError, match="deadly: workers cannot import its class from a script"):
        hb.score_table(run.inputs, run.output, [Local("deadly")], workers=2, **options)
    results = hb.score_table(run.inputs, run.output, [Local("deadly")], workers=1, **options)
    assert results is not None
    found, expected = bits(results["a"])["deadly"], run.expected["deadly"]
    assert "plugin:__main__" in found.pop("signature")
    expected.pop("signature")
    assert found == expected


def test_a_killed_driver(deadly: Path, tmp_path: Path) -> None:
    (deadly / "wait").touch()
    run = Run(tmp_path, [35, 55])  # each worker waits: one in shard 2, one in shard 3
    with run.start(workers=2) as driver:
        wait_until(lambda: len(reached(deadly)) == 2)
        driver.kill()
    one, other = sorted(reached(deadly))
    os.kill(one, signal.SIGKILL)
    (deadly / "wait").unlink()
    wait_until(lambda: not is_running(other))  # it ends when it has done its shard
    assert len(run.unfinished()) == 1
    before = {name: time for name, time in run.times().items() if name in SHARDS}
    assert len(before) == 2
    assert SHARDS[0] in before
    assert bits(run.score(workers=1)) == run.expected
    assert before.items() <= run.times().items()


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupt(workers: int, deadly: Path, tmp_path: Path) -> None:
    (deadly / "wait").touch()
    run = Run(tmp_path, [35, 55])
    with run.start(workers) as driver:
        wait_until(lambda: len(reached(deadly)) == workers and (deadly / "done-1").exists())
        assert len(run.unfinished()) == workers
        driver.send_signal(signal.SIGINT)
        # The workers do not go on: a driver that waits for them would not end.
        _, errors = driver.communicate(timeout=HANGING)
    assert driver.returncode == 130
    assert errors == (
        f"hyperbaton: note: stopped: 1 of {len(SHARDS)} shards done; run the same command "
        "again to continue\n"
    )
    assert not any(map(is_running, reached(deadly)))
    assert names_in(run.output) == SHARDS[:1]
    before = run.times()
    (deadly / "wait").unlink()
    assert bits(run.score(workers=1)) == run.expected
    assert before.items() <= run.times().items()


def test_an_error_in_the_progress_callback_stops_the_workers(deadly: Path, tmp_path: Path) -> None:
    (deadly / "wait").touch()
    run = Run(tmp_path, [35, 55])

    def progress(done: Any) -> None:
        if done.shards == 1:
            wait_until(lambda: len(reached(deadly)) == 2)
            raise KeyError

    with pytest.raises(KeyError):
        run.score(workers=2, progress=progress)
    assert not any(map(is_running, reached(deadly)))
    assert names_in(run.output) == SHARDS[:1]


def test_what_killed_runs_have_left(tmp_path: Path) -> None:
    run = Run(tmp_path, [])
    run.output.mkdir()
    abandoned, written = (create_unfinished(str(run.output)) for _ in range(2))
    os.close(abandoned.descriptor)
    assert bits(run.score(workers=1)) == run.expected
    assert not os.path.exists(abandoned.path)
    assert os.path.exists(written.path)  # another process has it open
    os.close(written.descriptor)


@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray")
def test_ray(deadly: Path, tmp_path: Path) -> None:
    """On two workers of Ray, one of which is killed, every bit is the same."""
    (deadly / "once").touch()
    run = Run(tmp_path, [55])
    # Ray leaves files open, which pytest would report as errors of its own process.
    driver = run.start(2, "--engine", "ray", "--address", "local")
    _, errors = driver.communicate(timeout=HANGING)
    assert driver.returncode == 0, errors
    assert bits(hb.read_scores(run.output)) == run.expected
    assert len(reached(deadly)) == 2
    assert names_in(run.output) == SHARDS


def test_an_address_at_which_nobody_speaks_for_long() -> None:
    answer = threading.Event()
    with pytest.raises(TimeoutError, match=r"^no answer within 0\.2 s$"):
        workers.call_with_limit(lambda: answer.wait(HANGING), 0.2)
    answer.set()
    with pytest.raises(ZeroDivisionError):
        workers.call_with_limit(lambda: 1 // 0, HANGING)
