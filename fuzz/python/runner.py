"""Runs a target for a while, with atheris or with plain random mutations of the corpus."""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import mmap
import os
import random
import struct
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FunctionType

from fuzz.python import ROOT
from fuzz.python.targets import HANG_SECONDS, Target, outcomes, run_case

CORPUS = ROOT / "fuzz" / "corpus"
CRASHES = ROOT / "build" / "fuzz" / "crashes"
MAX_BYTES = 4096
MAX_POOL = 2000
LENGTH = struct.Struct("<I")


def corpus_files(target: str) -> list[Path]:
    """Return the stored inputs of a target."""
    return sorted(path for path in (CORPUS / target).glob("*") if path.is_file())


class Journal:
    """The input of the case that runs, in a file that survives a crash of the process."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w+b") as file:
            file.truncate(LENGTH.size + MAX_BYTES * 16)
            self._memory = mmap.mmap(file.fileno(), 0)

    def write(self, data: bytes) -> None:
        """Note the input of the next case."""
        data = data[: len(self._memory) - LENGTH.size]
        self._memory[: LENGTH.size] = LENGTH.pack(len(data))
        self._memory[LENGTH.size : LENGTH.size + len(data)] = data

    @staticmethod
    def read(path: Path) -> bytes:
        """Return the input of the last case of a process that has died."""
        content = path.read_bytes()
        (length,) = LENGTH.unpack_from(content)
        return content[LENGTH.size : LENGTH.size + length]


def store_crash(target: str, data: bytes) -> Path:
    """Write an input that fails."""
    path = CRASHES / target / f"crash-{hashlib.sha256(data).hexdigest()[:12]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


class Session:
    """Runs cases, counts them, and stores those that fail."""

    def __init__(self, target: Target, journal: Path, most_failures: int) -> None:
        self.target = target
        self.cases = 0
        self.failures: set[str] = set()
        self._journal = Journal(journal)
        self._most_failures = most_failures

    def run(self, data: bytes) -> None:
        """Run one case."""
        self.cases += 1
        self._journal.write(data)
        # Where a hang ignores signals, this ends the process.
        if self.cases % 64 == 1:
            faulthandler.dump_traceback_later(2 * HANG_SECONDS, exit=True)
        try:
            run_case(self.target, data)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._fail(data, error)

    def _fail(self, data: bytes, error: BaseException) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        where = f"{type(error).__name__} {frames[-1].filename}:{frames[-1].lineno} {error!s:.40}"
        if where in self.failures:
            return
        self.failures.add(where)
        path = store_crash(self.target.name, data)
        traceback.print_exception(error, file=sys.stderr)
        print(f"{self.target.name}: failed on {path}", file=sys.stderr)
        if len(self.failures) >= self._most_failures:
            raise SystemExit(1)


def mutate(random_: random.Random, data: bytes, other: bytes, words: tuple[bytes, ...]) -> bytes:
    """Return an input that is a little different."""
    content = bytearray(data)
    for _ in range(random_.choice((1, 1, 2, 3, 5, 12))):
        at = random_.randint(0, len(content))
        length = random_.choice((1, 1, 2, 4, 8, 16))
        match random_.randint(0, 9):
            case 0 if content:
                content[random_.randrange(len(content))] ^= 1 << random_.randrange(8)
            case 1 if content:
                content[random_.randrange(len(content))] = random_.randrange(256)
            case 2 if content:
                place = random_.randrange(len(content))
                content[place] = (content[place] + random_.choice((-1, 1))) % 256
            case 3:
                content[at:at] = random_.randbytes(length)
            case 4:
                del content[at : at + length]
            case 5:
                content[at:at] = content[at : at + length] * random_.choice((1, 2, 10))
            case 6:
                start = random_.randint(0, len(other))
                content[at : at + length] = other[start : start + random_.choice((4, 16, 64))]
            case 7:
                start = random_.randint(0, len(other))
                content[at:] = other[start:]
            case 8 if words:
                content[at : at + random_.choice((0, length))] = random_.choice(words)
            case 9:
                content[at : at + length] = random_.choice((b"\0", b"\xff", b"\x80")) * length
    return bytes(content[:MAX_BYTES])


def run_plainly(session: Session, seconds: float, seed: int) -> None:
    """Mutate stored inputs at random; keep those with a new outcome."""
    random_ = random.Random(seed)
    pool = [path.read_bytes() for path in corpus_files(session.target.name)] or [b""]
    end = time.monotonic() + seconds
    for data in list(pool):
        session.run(data)
    while time.monotonic() < end:
        data = mutate(random_, random_.choice(pool), random_.choice(pool), session.target.words)
        if random_.random() < 0.02:
            data = random_.randbytes(random_.choice((8, 64, 512)))
        known = len(outcomes.seen)
        session.run(data)
        if len(outcomes.seen) > known and len(pool) < MAX_POOL:
            pool.append(data)


def instrument(patch: Callable[[FunctionType], object]) -> None:
    """Patch the functions of the package, so that atheris sees which lines are reached.

    ``atheris.instrument_imports`` cannot patch modules of a package in editable mode.
    """
    for function in [item for item in gc.get_objects() if isinstance(item, FunctionType)]:
        if (function.__module__ or "").startswith("hyperbaton."):
            patch(function)


def run_atheris(session: Session, seconds: float, seed: int, finish: Callable[[], None]) -> None:
    """Run the target under atheris; the process ends when it is over."""
    import atheris

    found = ROOT / "build" / "fuzz" / "corpus" / session.target.name
    found.mkdir(parents=True, exist_ok=True)
    words = ROOT / "build" / "fuzz" / f"{session.target.name}.dict"
    escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in session.target.words)
    words.write_text("".join(f'"{word}"\n' for word in escaped), encoding="ascii")
    arguments = [
        sys.argv[0],
        f"-seed={seed + 1}",  # 0 would mean the time
        f"-max_len={MAX_BYTES}",
        *([f"-dict={words}"] if session.target.words else []),
        "-handle_alrm=0",  # cases have a timer of their own
        "-verbosity=0",
        "-rss_limit_mb=0",
        str(found),
        str(CORPUS / session.target.name),
    ]
    instrument(atheris.instrument_func)
    end = time.monotonic() + seconds

    def run(data: bytes) -> None:
        try:
            session.run(data)
        except SystemExit:
            finish()
        if time.monotonic() > end:
            finish()
            os._exit(0)  # libFuzzer would not run Python's own handlers

    atheris.Setup(arguments, run)
    atheris.Fuzz()
