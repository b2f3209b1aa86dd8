"""Measure an installed Hyperbaton from within: python probe.py NAME prints JSON.

The Python of the tree that is measured runs this file, which therefore imports nothing else of
this folder. Functions are those of the package, also lambdas and comprehensions (of which Python
3.12 and later call only generators), but not bodies of modules and classes.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import json
import os
import statistics
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

SYSTEM = ["we meet at noon in the lobby", "b a c", "the cat saw the dog"]
REFERENCE = ["we meet in the lobby at noon", "a b c", "the dog saw the cat"]
VIEWS = ("views/", "report/")  # the room of tables, pages and drawings, and its name in 0.2.0
COPIES = 20  # of the example set, for compare
REPEATS = 5


def loaded_modules() -> list[str]:
    """Return the modules of the package that ``hb.score`` of three lines by pef has loaded."""
    _score()
    return sorted(name for name in sys.modules if name.startswith("hyperbaton."))


def deepest_stack() -> list[str]:
    """Return the deepest stack of calls within the package during the same call."""
    import hyperbaton  # noqa: F401

    folder = _package_folder()
    deepest: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal deepest
        if event == "call":
            stack = [code for code in _stack(frame) if _is_called(code, folder)]
            if len(stack) > len(deepest):
                deepest = [_describe(code, folder) for code in stack]

    with _profile(watch):
        _score()
    return deepest[::-1]


def called_modules() -> list[str]:
    """Return the modules whose functions ``hyperbaton score -m pef`` calls."""
    calls = [call for call in _command_calls() if call != FIRST_BATCH]
    return list(dict.fromkeys(call.partition(":")[0] for call in calls))


def early_views() -> list[str]:
    """Return the functions of tables, pages and drawings called before the first batch.

    The first batch is the first call of a method ``statistics(self, batch)``.
    """
    calls = _command_calls()
    if FIRST_BATCH not in calls:
        raise LookupError("no function statistics(self, batch) was called")
    early = calls[: calls.index(FIRST_BATCH)]
    return list(dict.fromkeys(call for call in early if call.startswith(VIEWS)))


def metric_members() -> list[str]:
    """Return the public members of ``Metric``."""
    import hyperbaton

    return [name for name in dir(hyperbaton.Metric) if not name.startswith("_")]


def longest_mro() -> list[str]:
    """Return the longest list of classes of the package that a metric of it inherits from."""
    from hyperbaton import metrics

    classes = {type(metrics.get(name)) for name in metrics.names()}
    lines = [
        [base.__name__ for base in made.__mro__ if base.__module__.startswith("hyperbaton")]
        for made in classes
    ]
    return max(lines, key=lambda line: (len(line), line))


def projection_share() -> float:
    """Return the share of ``Comparison.to_dict()`` in the CPU time of comparing and projecting.

    Compared are the three systems of the example set by adjacency, which is quick, on twenty
    copies of the set. The share is the median of some runs.
    """
    import hyperbaton as hb

    folder = _package_folder() / "example"
    texts = {path.stem: path.read_text("utf-8").splitlines() for path in folder.glob("*.txt")}
    references = texts["reference"] * COPIES
    systems = {name: texts[name] * COPIES for name in ("literal", "phrasal", "fluent")}
    shares = []
    for _ in range(1 + REPEATS):
        begin = time.process_time()
        comparison = hb.compare(systems, references, "adjacency", "en")
        middle = time.process_time()
        comparison.to_dict()
        end = time.process_time()
        shares.append((end - middle) / (end - begin))
    return statistics.median(shares[1:])  # the first run imports modules


FIRST_BATCH = "first batch"


def _score() -> None:
    import hyperbaton as hb

    hb.score(SYSTEM, REFERENCE, "pef")


def _command_calls() -> list[str]:
    """Return the functions that ``hyperbaton score -m pef`` calls, in order."""
    folder = _package_folder()
    calls: list[str] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and _is_called(code, folder):
            if code.co_name == "statistics" and code.co_varnames[1:2] == ("batch",):
                calls.append(FIRST_BATCH)
            calls.append(_describe(code, folder))

    for name, lines in (("ref.txt", REFERENCE), ("sys.txt", SYSTEM)):
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    sys.argv = ["hyperbaton", "score", "-r", "ref.txt", "sys.txt", "-m", "pef"]
    with _profile(watch), contextlib.redirect_stdout(io.StringIO()):
        from hyperbaton.__main__ import main

        with contextlib.suppress(SystemExit):
            main()
    return calls


@contextlib.contextmanager
def _profile(watch: Callable[[FrameType, str, object], None]) -> Iterator[None]:
    """Watch the calls of this thread, and of those that are started."""
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _stack(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def _is_called(code: CodeType, folder: Path) -> bool:
    """Return whether code is a function of the package."""
    is_function = bool(code.co_flags & inspect.CO_OPTIMIZED)
    return is_function and code.co_filename.startswith(f"{folder}{os.sep}")


def _describe(code: CodeType, folder: Path) -> str:
    return f"{Path(code.co_filename).relative_to(folder).as_posix()}:{code.co_qualname}"


def _package_folder() -> Path:
    """Return the folder of the package, without importing it."""
    spec = importlib.util.find_spec("hyperbaton")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def main(arguments: Sequence[str]) -> None:
    """Print what one probe finds, or why it finds nothing."""
    probe: Callable[[], Any] = globals()[arguments[0]]
    warnings.simplefilter("ignore")
    try:
        answer = {"found": probe()}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1:])
