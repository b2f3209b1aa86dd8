"""Run a fuzz target: ``python -m fuzz.python TARGET --seconds 60``."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

from fuzz.python.runner import (
    CRASHES,
    Journal,
    Session,
    run_atheris,
    run_plainly,
    store_crash,
)
from fuzz.python.targets import load_targets, run_case

CHILD = "HYPERBATON_FUZZ_CHILD"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.python", description=__doc__)
    parser.add_argument("target", nargs="?", help="Name of a target.")
    parser.add_argument("--list", action="store_true", help="List the targets and exit.")
    parser.add_argument("--seconds", type=float, default=60, help="How long to run.")
    parser.add_argument("--seed", type=int, default=0, help="Random seed.")
    parser.add_argument("--plain", action="store_true", help="Do not use atheris.")
    parser.add_argument(
        "--failures", type=int, default=1, help="Stop after this many different failures."
    )
    parser.add_argument("--run", type=Path, help="Run one file and exit.")
    given = parser.parse_args()
    is_plain = given.plain or importlib.util.find_spec("atheris") is None
    is_child = CHILD in os.environ
    if given.list:
        print("\n".join(load_targets()))
        return 0
    if not is_child and given.run is None:
        return watch(given.target)
    targets = load_targets()
    if given.target not in targets:
        parser.error(f"there is no target {given.target}: see --list")
    target = targets[given.target]
    if given.run is not None:
        run_case(target, given.run.read_bytes())
        return 0
    session = Session(target, journal_path(given.target), given.failures)
    start = time.monotonic()

    def finish() -> None:
        seconds = time.monotonic() - start
        print(
            f"{target.name}: {session.cases:,} cases in {seconds:.0f} s, "
            f"{len(session.failures)} failures",
            flush=True,
        )
        journal_path(target.name).unlink(missing_ok=True)
        if session.failures:
            os._exit(1)

    if not is_plain:
        run_atheris(session, given.seconds, given.seed, finish)
    try:
        run_plainly(session, given.seconds, given.seed)
    finally:
        finish()
    return 0


def journal_path(target: str) -> Path:
    """Return where the input of the case that runs is noted."""
    return CRASHES / target / ".running"


def watch(target: str | None) -> int:
    """Run the target in a process of its own, so that a crash of it can be reported."""
    status = subprocess.run(
        [sys.executable, "-m", "fuzz.python", *sys.argv[1:]], env={**os.environ, CHILD: "1"}
    ).returncode
    if target is not None and journal_path(target).exists():  # the process did not finish
        path = store_crash(target, Journal.read(journal_path(target)))
        print(f"{target}: the process died with status {status} on {path}", file=sys.stderr)
        return 1
    return status


sys.exit(main())
