"""Search for the inputs of at most 1 MB that take a command longest, or take most memory.

For each command, the search starts from one hostile shape and varies one dimension of it after
another (length of a line, words, order, …), keeping the value that takes most time. It uses a tenth
of the size; then the worst shapes run with all of it. Each run is a process of its own with a limit
of memory and of time. The slowest and the largest are run again, and interrupted by SIGINT. Times
are those of all cores together, because other processes do not change them.
Prints Markdown, and fails if a command takes too long without having said so, takes too much
memory, or ends too late after SIGINT.

Not here: ``parse``, whose time is that of the parser, and ``serve``, which ends its processes after
a given time (see its ``--help``).

    python -m benchmarks.worst_inputs [--size BYTES] [--limit SECONDS] [COMMAND...]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from benchmarks import hostile_texts as hostile
from benchmarks.hostile_texts import Files, Shape
from benchmarks.timing import print_table

PROGRAM = (sys.executable, "-m", "hyperbaton")
MEMORY = 6 << 30  # bytes that a process may ask for
ALLOWED_SECONDS, ALLOWED_MEGABYTES = 60, 2000
SEARCH_SHARE = 10  # the search uses this part of the size
SEARCH_SECONDS = 10.0  # of work; what takes longer with a part of the size is slow enough
INTERRUPTIONS = (0.1, 0.6)  # moments of a run, as shares of its time
LATEST_INTERRUPTION = 30  # seconds


@dataclass(frozen=True)
class Kind:
    """A kind of input: its dimensions with their values, the first being the start of a search."""

    dimensions: Mapping[str, Sequence[str]]
    write: Callable[[Shape, int, Path], Files]


@dataclass(frozen=True)
class Command:
    """A command line to be measured."""

    kind: Kind
    arguments: Callable[[Files], list[str]]
    fixed: Shape = ()  # type: ignore[assignment]  # dimensions that do not vary


@dataclass(frozen=True)
class Run:
    """What was measured in one run."""

    shape: Shape
    wall: float
    cpu: float
    megabytes: float
    status: int | None  # None if it took too long
    message: str  # the last line of standard error
    warned: bool  # whether it said that it takes long

    @property
    def answer(self) -> str:
        """How the run ended."""
        if self.status is None:
            return "stopped; it had said that it takes long" if self.warned else "**stopped**"
        if self.status == 0 and self.warned:
            return "done; it had said that it takes long"
        if self.status == 0:
            return self.message if self.message.startswith(("warning", "note")) else "done"
        return self.message if self.status == 2 else f"**status {self.status}** {self.message}"


TEXTS = Kind(hostile.TEXTS, hostile.write_texts)
ONE_SYSTEM = {"systems": "1", "references": "1"}
TREES = Kind(hostile.TREES, hostile.write_trees)
PERMUTATIONS = Kind(hostile.PERMUTATIONS, hostile.write_permutation)
LINKS = Kind(hostile.LINKS, hostile.write_links)
JUDGEMENTS = Kind(hostile.JUDGEMENTS, hostile.write_judgements)
COLUMNS = Kind(hostile.COLUMNS, hostile.write_columns)
SHARDS = Kind(hostile.SHARDS, hostile.write_shards)


def _texts(*options: str, one: bool = False) -> Command:
    """Return a command that takes references and systems."""

    def arguments(files: Files) -> list[str]:
        references = [word for name in files["reference"] for word in ("-r", name)]
        return [*options, *references, *files["system"]]

    return Command(TEXTS, arguments, ONE_SYSTEM if one else {})


def _pair(*options: str) -> Command:
    """Return a command that takes a system and a reference without options."""
    return Command(
        TEXTS, lambda files: [*options, files["system"][0], files["reference"][0]], ONE_SYSTEM
    )


def _with(kind: Kind, arguments: Callable[[Files], list[str]]) -> Command:
    return Command(kind, arguments)


def _dted(*options: str) -> Command:
    return _with(
        TREES,
        lambda f: [
            *(*options, "-r", f["reference"][0], "--ref-trees", f["reference_trees"][0]),
            *("--trees", f["system_trees"][0], f["system"][0]),
        ],
    )


# One metric for each algorithm; "score -m all" has the others.
METRICS = ("ter", "invwer", "cder", "wer", "bleu", "chrf", "ribes", "order", "pef", "pef_beer")
OUTPUT = "{folder}/output"

COMMANDS: dict[str, Command] = {
    "score": _texts("score"),
    "score -l en": _texts("score", "-l", "en", one=True),
    "score -m all": _texts("score", "-m", "all", one=True),
    "score --confidence": _texts("score", "-m", "wer", "--confidence", one=True),
    **{f"score -m {name}": _texts("score", "-m", name, one=True) for name in METRICS},
    "score -m meteor_frag -l en": _texts("score", "-m", "meteor_frag", "-l", "en", one=True),
    "score of columns": _with(
        COLUMNS, lambda f: ["score", "-r", f["reference"][0], f["system"][0]]
    ),
    "score -m dted": _dted("score", "-m", "dted"),
    "score --alignment": _with(
        LINKS,
        lambda f: [
            *("score", "-m", "permutations", "-r", f["reference"][0], f["system"][0]),
            *("--alignment", f["links"][0]),
        ],
    ),
    "score --align-source": Command(
        TEXTS,
        lambda f: [
            *("score", "-m", "lr_kb1", "-r", f["reference"][0], f["system"][0]),
            *("--source", f["reference"][0], "--align-source"),
        ],
        ONE_SYSTEM,
    ),
    "compare": Command(
        TEXTS,
        lambda f: ["compare", "-r", f["reference"][0], *f["system"], f"again={f['reference'][0]}"],
        {"references": "1"},
    ),
    "check": Command(
        TEXTS,
        lambda f: [
            *("check", "-r", f["reference"][0], f["system"][0]),
            *("--baseline", f"old={f['reference'][0]}"),
        ],
        ONE_SYSTEM,
    ),
    "align": _pair("align", "-o", OUTPUT),
    "align -l en": _pair("align", "-l", "en", "-o", OUTPUT),
    "align -m similar": _pair("align", "-m", "similar", "-o", OUTPUT),
    "align -m exact,similar": _pair("align", "-m", "exact,similar", "-o", OUTPUT),
    "align -m context": _pair("align", "-m", "context", "-o", OUTPUT),
    "align -m paraphrase": Command(
        TEXTS,
        lambda f: [
            *("align", "-m", "exact,paraphrase", "--paraphrases", "{folder}/paraphrases"),
            *("-o", OUTPUT, f["system"][0], f["reference"][0]),
        ],
        ONE_SYSTEM,
    ),
    "align --source --train": Command(
        TEXTS,
        lambda f: [
            *("align", "--source", f["reference"][0], "--train", f["system"][0], "-o", OUTPUT),
        ],
        ONE_SYSTEM,
    ),
    "align --profile": _with(
        LINKS, lambda f: ["align", "--source", f["source"][0], f["links"][0], "--profile"]
    ),
    "explain": _texts("explain", "--line", "1", one=True),
    "explain --html": _texts("explain", "--line", "1", "--html", OUTPUT, one=True),
    "explain --svg": _texts("explain", "--line", "1", "--svg", OUTPUT, one=True),
    "explain --json": _texts("explain", "--line", "1", "--json", one=True),
    "explain --format jsonl": _texts("explain", "--format", "jsonl", "-o", OUTPUT),
    "explain --trees": _dted("explain", "--line", "1"),
    "report": _texts("report", "-o", OUTPUT),
    "report --trees": _dted("report", "-m", "dted", "-o", OUTPUT),
    "merge": _with(SHARDS, lambda f: ["merge", f["folder"][0]]),
    "fit": Command(TEXTS, lambda f: ["fit", "-r", f["reference"][0], "-o", OUTPUT], ONE_SYSTEM),
    "permutation": _with(PERMUTATIONS, lambda f: ["permutation", "-", "<", f["values"][0]]),
    "permutation --json": _with(
        PERMUTATIONS, lambda f: ["permutation", "-", "--json", "<", f["values"][0]]
    ),
    "permutation --flat": _with(
        PERMUTATIONS, lambda f: ["permutation", "-", "--flat", "<", f["values"][0]]
    ),
    "meta": _with(
        JUDGEMENTS,
        lambda f: ["meta", "-r", f["reference"][0], *f["system"], "--human", f["human"][0]],
    ),
    "tune": _with(
        JUDGEMENTS,
        lambda f: [
            *("tune", "-r", f["reference"][0], *f["system"], "--human", f["human"][0]),
            *("-m", "full", "-t", "alpha"),
        ],
    ),
}


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _start(
    command: Command, shape: Shape, size: int, folder: Path
) -> tuple[subprocess.Popen[bytes], Path]:
    """Write the input, and start the command on it. Returns its standard error too."""
    shape = {"cap": "yes", **shape}  # a line that is too long for every command shows nothing
    files = command.kind.write(shape, size, folder)
    words = [word.format(folder=folder) for word in command.arguments(files)]
    if "--paraphrases" in words:
        entries = [f"0.5\n{a}\n{b}\n" for a in "abc" for b in ("a", "b b", "c a", "b c a")]
        (folder / "paraphrases").write_text("".join(entries))
    stdin = None
    if "<" in words:
        stdin = open(words[-1], "rb")  # noqa: SIM115 - the process reads it
        words = words[:-2]
    errors = folder / "stderr"
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            [*PROGRAM, *words],
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            preexec_fn=_limit,
            env={**os.environ, "HYPERBATON_CACHE": str(folder / "cache")},
        )
    if stdin is not None:
        stdin.close()
    return process, errors


def measure(command: Command, shape: Shape, size: int, limit: float) -> Run:
    """Run a command on an input of that shape."""
    with tempfile.TemporaryDirectory() as name:
        process, errors = _start(command, shape, size, Path(name))
        start = time.perf_counter()
        status, usage = _wait(process, limit)
        wall = time.perf_counter() - start
        lines = errors.read_text(errors="replace").strip().splitlines()
        cpu = usage.ru_utime + usage.ru_stime
        message = lines[-1].removeprefix("hyperbaton: error: ") if lines else ""
        message = message.removeprefix("hyperbaton: ").replace(f"{name}/", "")
        warned = any("this takes longer than" in line for line in lines)
        return Run(shape, wall, cpu, usage.ru_maxrss / 1024, status, message, warned)


def _wait(
    process: subprocess.Popen[bytes], limit: float
) -> tuple[int | None, resource.struct_rusage]:
    """Wait for a process, and kill it after ``limit`` seconds of work. The status is then None."""
    watched = psutil.Process(process.pid)
    killed = False
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return None if killed else process.returncode, usage
        with contextlib.suppress(psutil.Error):
            if not killed and sum(watched.cpu_times()[:2]) > limit:
                process.kill()
                killed = True
        time.sleep(0.01)


def interruption(command: Command, run: Run, size: int, shares: Sequence[float]) -> float:
    """Return the most seconds that the command takes to end after SIGINT."""
    worst = 0.0
    for share in shares:
        with tempfile.TemporaryDirectory() as name:
            process, _ = _start(command, run.shape, size, Path(name))
            moment = min(run.wall * share, LATEST_INTERRUPTION)
            time.sleep(max(0.3, moment))  # the interpreter takes a moment to start
            if process.poll() is not None:
                continue
            process.send_signal(signal.SIGINT)
            start = time.perf_counter()
            _wait(process, 60)
            worst = max(worst, time.perf_counter() - start)
    return worst


def search(command: Command, size: int, limit: float, log: Callable[[Run], None]) -> list[Run]:
    """Return the runs with the whole size that a search has led to."""
    tried = _search_shapes(command, size // SEARCH_SHARE, min(limit, SEARCH_SECONDS), log)
    by_time = sorted(tried, key=lambda run: -run.cpu)
    one_line = [run for run in by_time if run.shape.get("line") == "all"]  # may grow faster
    largest = max(tried, key=lambda run: run.megabytes)
    chosen = {tuple(run.shape.items()): run.shape for run in (by_time[0], *one_line[:1], largest)}
    runs = []
    for shape in chosen.values():
        runs.append(measure(command, shape, size, limit))
        log(runs[-1])
    return runs


def _search_shapes(
    command: Command, size: int, limit: float, log: Callable[[Run], None]
) -> list[Run]:
    """Return all runs of a search for the slowest shape."""
    dimensions = {
        name: [command.fixed[name]] if name in command.fixed else values
        for name, values in command.kind.dimensions.items()
    }
    best: Run | None = None
    runs: dict[tuple[tuple[str, str], ...], Run] = {}
    shape = {name: values[0] for name, values in dimensions.items()}
    for name, values in dimensions.items():
        for value in values:
            tried = {**shape, name: value}
            key = tuple(tried.items())
            if key in runs:
                continue
            runs[key] = measure(command, tried, size, limit)
            log(runs[key])
            if best is None or runs[key].cpu > best.cpu:
                best = runs[key]
        assert best is not None
        shape = dict(best.shape)
    return list(runs.values())


def _describe(shape: Shape) -> str:
    return ", ".join(f"{name} {value}" for name, value in shape.items() if value != "1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help="default: all")
    parser.add_argument("--size", type=int, default=hostile.MEGABYTE)
    parser.add_argument("--limit", type=float, default=65, help="seconds of work of one run")
    options = parser.parse_args()
    rows = []
    failures = []
    for name in options.commands or COMMANDS:
        command = COMMANDS[name]

        def log(run: Run, name: str = name) -> None:
            print(
                f"{name}: {_describe(run.shape)}: {run.wall:.1f} s, CPU {run.cpu:.1f} s, "
                f"{run.megabytes:.0f} MB, {run.answer}",
                file=sys.stderr,
                flush=True,
            )

        runs = search(command, options.size, options.limit, log)
        slowest = max(runs, key=lambda run: run.cpu)
        largest = max(runs, key=lambda run: run.megabytes)
        delay = max(
            interruption(command, slowest, options.size, INTERRUPTIONS),
            interruption(command, largest, options.size, INTERRUPTIONS[-1:]),
        )
        print(f"{name}: ended {delay:.2f} s after SIGINT", file=sys.stderr, flush=True)
        rows.append(
            [
                f"`{name}`",
                f"{slowest.cpu:.1f} s",
                _describe(slowest.shape),
                slowest.answer,
                f"{largest.megabytes:.0f} MB",
                _describe(largest.shape),
                f"{delay:.2f} s",
            ]
        )
        for run in runs:
            too_long = run.cpu > ALLOWED_SECONDS and not run.warned
            if too_long or run.megabytes > ALLOWED_MEGABYTES:
                failures.append(f"{name}: {_describe(run.shape)}: over the limits")
            if run.status not in (0, 2) and not run.warned:
                failures.append(f"{name}: {_describe(run.shape)}: {run.answer}")
        if delay > 1:
            failures.append(f"{name}: {delay:.1f} s from SIGINT to the end")
    titles = ["command", "longest", "input", "answer", "memory", "input", "after SIGINT"]
    print_table(f"The worst inputs of {options.size:,} bytes", titles, rows)
    for failure in failures:
        print(f"\n{failure}")
    raise SystemExit(bool(failures))


if __name__ == "__main__":
    main()
