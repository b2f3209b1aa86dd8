"""Runs of the command line that start at once, and end by a signal at a chosen moment.

A process imports all of Hyperbaton and then forks a child for each run, so that hundreds of runs
take seconds and most moments of a run are moments of its own work. The tests talk to this process
through its standard streams: one line of JSON for each request and each answer.

A run can be told to send itself a signal before its n-th operation on files. It counts them with an
audit hook and a profile function of Python, so that nothing in the package has to be changed.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from waiting import HANGING

TESTS = Path(__file__).parents[1]
# What audit hooks get before it happens. Files are opened for reading all the time.
COUNTED = {"os.rename", "os.remove", "os.chmod", "os.mkdir", "os.rmdir", "fcntl.flock"}
# Functions that are counted, too. Several calls of the same one in a row count as one.
CALLS = {"write", "writelines", "flush", "close", "fsync", "execute", "executemany"}
BLOCKED = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Ending:
    """How a run ended.

    Attributes
    ----------
    status : int
        Exit status; negative if a signal ended the process.
    errors : str
        Standard error.
    operations : list of str
        The operations on files that were counted.
    seconds : float
        How long the run took.
    """

    status: int
    errors: str
    operations: list[str]
    seconds: float


@dataclass(frozen=True)
class Run:
    """A run of the command line.

    Attributes
    ----------
    arguments : sequence of str
        Those of the command line.
    folder : Path
        The current folder; ``out`` in it is the home folder, and ``cache`` has the caches.
    fault : str
        A fault of ``planted_faults.FAULTS`` that the run has; none by default.
    user : int, optional
        The user that runs the command.
    """

    arguments: Sequence[str]
    folder: Path
    fault: str = ""
    user: int | None = None


@dataclass
class ForkingRunner:
    """The process that forks; a context manager."""

    logs: Path
    _process: subprocess.Popen[str] = field(init=False)
    _count: int = 0

    def __enter__(self) -> ForkingRunner:
        paths = [str(TESTS.parent), str(TESTS), *filter(None, sys.path)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "faults.forking_runner"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "80"},
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()

    def start(self, run: Run, number: int = 0, operation: int | None = None) -> RunningCommand:
        """Start a run; it sends itself signal ``number`` before the n-th operation, if given.

        Operations are counted unless ``operation`` is None.
        """
        self._count += 1
        logs = [str(self.logs / f"{self._count}.{name}") for name in ("errors", "operations")]
        for path in logs:
            Path(path).touch()
        started = time.monotonic()
        request = {
            "arguments": list(run.arguments),
            "folder": str(run.folder),
            "logs": logs,
            "signal": number,
            "operation": operation,
            "fault": run.fault,
            "user": run.user,
        }
        return RunningCommand(self, self._ask(request)["process"], started, logs)

    def run(self, run: Run, number: int = 0, operation: int | None = None) -> Ending:
        """Run a command to its end."""
        return self.start(run, number, operation).wait()

    def kill_after(self, run: Run, number: int, seconds: float) -> Ending:
        """Run a command, and send it a signal after some time."""
        running = self.start(run)
        time.sleep(seconds)
        running.send(number)
        return running.wait()

    def _ask(self, request: Mapping[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@dataclass
class RunningCommand:
    """A run that has started."""

    runner: ForkingRunner
    process: int
    started: float
    logs: Sequence[str]

    def send(self, number: int) -> None:
        """Send a signal. The process id is valid until :meth:`wait` returns."""
        os.kill(self.process, number)

    def wait_until_stopped(self) -> None:
        """Wait until the run has stopped itself by SIGSTOP."""
        assert self.runner._ask({"wait": self.process})["status"] is None

    def wait(self) -> Ending:
        """Wait until the run has ended."""
        answer = self.runner._ask({"wait": self.process})
        seconds = time.monotonic() - self.started
        errors, operations = map(Path, self.logs)
        ending = Ending(
            answer["status"],
            errors.read_text("utf-8"),
            operations.read_text("utf-8").splitlines(),
            seconds,
        )
        errors.unlink()
        operations.unlink()
        return ending


def count_operations(log: int, number: int, operation: int) -> None:
    """Note each operation on files, and send this process a signal before one of them."""
    count = 0
    last = ""
    # Python clears the globals of modules at its end, but still calls the hook.
    counted, calls, writable = COUNTED, CALLS, os.O_WRONLY | os.O_RDWR
    write, kill, process = os.write, os.kill, os.getpid()

    def add(name: str) -> None:
        nonlocal count, last
        count, last = count + 1, name
        write(log, f"{name}\n".encode())
        if count == operation:
            kill(process, number)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        is_written = event == "open" and (arguments[2] or 0) & writable
        if is_written or event in counted:
            add(f"{event} {arguments[0]!r}")

    def profile(_: object, event: str, function: Any) -> None:
        if event == "c_call" and function.__name__ in calls and function.__name__ != last:
            add(function.__name__)

    sys.addaudithook(hook)
    sys.setprofile(profile)


def become_run(request: Mapping[str, Any]) -> int:
    """Run a command in this process, which was forked for it."""
    from faults.planted_faults import FAULTS
    from hyperbaton.__main__ import main

    signal.alarm(HANGING)  # ends the run
    streams = [os.open(os.devnull, os.O_RDWR)] * 2
    errors, log = (os.open(path, os.O_WRONLY) for path in request["logs"])
    for target, source in enumerate([*streams, errors]):
        os.dup2(source, target)
    folder = request["folder"]
    os.chdir(folder)
    os.environ.update(HOME=f"{folder}/out", HYPERBATON_CACHE=f"{folder}/cache")
    sys.argv = ["hyperbaton", *request["arguments"]]
    if request["fault"]:
        FAULTS[request["fault"]]()
    if request["user"] is not None:
        os.setgroups([])
        os.setgid(request["user"])
        os.setuid(request["user"])
    if request["operation"] is not None:
        count_operations(log, request["signal"], request["operation"])
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, BLOCKED)
    except KeyboardInterrupt:
        return 130
    return main()


def import_everything() -> None:
    """Import Hyperbaton, with a parser that needs no model."""
    import hyperbaton.cli
    import hyperbaton.cli.parse
    import hyperbaton.metrics.dependency
    from parsing import toy_parser

    rooms = ("cli", "metrics", "runs", "runs.tables", "meta", "explanations", "views", "adapters")
    for name in rooms:
        package = importlib.import_module(f"hyperbaton.{name}")
        for module in pkgutil.iter_modules(package.__path__):
            try:
                importlib.import_module(f"hyperbaton.{name}.{module.name}")
            except ImportError:  # an adapter whose host is not installed
                continue
    # Other users may not be allowed to read the files of Python.
    for module_name in (
        "importlib.readers",
        "importlib.resources",
        "pyarrow.parquet",
        "sacrebleu.metrics",
        "sqlite3",
    ):
        importlib.import_module(module_name)
    with contextlib.redirect_stdout(io.StringIO()):
        hyperbaton.cli.main(["permutation", "1", "2"])  # imports the rest
    gc.freeze()
    for module_with_parser in (hyperbaton.cli.parse, hyperbaton.metrics.dependency):
        setattr(module_with_parser, "load_parser", toy_parser)  # noqa: B010 (unknown to mypy)


def serve() -> int:
    """Fork for each request.

    The forked process ends without clearing its memory, which would take longer than most runs.
    """
    import_everything()
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            _, status = os.waitpid(request["wait"], os.WUNTRACED)
            stopped = os.WIFSTOPPED(status)
            answer = {"status": None if stopped else os.waitstatus_to_exitcode(status)}
        else:
            # A signal has to wait until the run itself begins.
            signal.pthread_sigmask(signal.SIG_BLOCK, BLOCKED)
            process = os.fork()
            if not process:
                status = become_run(request)
                sys.stderr.flush()
                os._exit(status)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, BLOCKED)
            answer = {"process": process}
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(serve())
