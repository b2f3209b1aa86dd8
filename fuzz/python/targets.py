"""The registry of targets, and what every case is checked for."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType

from hyperbaton.errors import CancelledError, HyperbatonError

MODULES = (
    "binding_permutations",
    "binding_pairs",
    "binding_alignment",
    "binding_soft_order",
    "binding_ngrams",
    "binding_translation",
    "binding_text",
    "binding_arrow",
    "binding_support",
    "reader_texts",
    "reader_links",
    "reader_judgements",
    "reader_resources",
    "reader_models",
    "reader_scores",
    "reader_settings",
    "reader_requests",
)
IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
# More is a hang. A loaded machine may need a hundred times the usual time, and a sanitizer more.
CASE_SECONDS = 60.0 if IS_SANITIZED else 10.0  # of CPU time, so that a busy machine does not matter
HANG_SECONDS = 30 * CASE_SECONDS  # of real time, for cases that wait for ever
CASE_BYTES = 1 << 31  # that a case may take beyond what the process has
UNPRINTABLE = {"Cc", "Cs", "Zl", "Zp"}  # controls, surrogates, separators of lines

Check = Callable[[bytes], None]


class BugFoundError(AssertionError):
    """A case did what it must not do."""


class CaseTimeoutError(BaseException):
    """A case takes too long. Not an Exception, so that the code under test cannot catch it."""


@dataclass(frozen=True)
class Target:
    """A fuzz target.

    Attributes
    ----------
    name : str
        Name of the target and of its folder in ``fuzz/corpus``.
    check : callable
        Function of bytes that raises an exception only if there is a bug.
    words : tuple of bytes
        Texts that mutations insert.
    """

    name: str
    check: Check
    words: tuple[bytes, ...] = ()


TARGETS: dict[str, Target] = {}


def target(name: str, *words: bytes) -> Callable[[Check], Check]:
    """Register a function as a target."""

    def register(check: Check) -> Check:
        TARGETS[name] = Target(name, check, words)
        return check

    return register


def load_targets() -> dict[str, Target]:
    """Import all modules with targets, and return the targets by name."""
    for module in MODULES:
        importlib.import_module(f"fuzz.python.{module}")
    return TARGETS


@dataclass
class Outcomes:
    """What the calls of a case returned or raised.

    The plain runner keeps inputs with a new outcome, and a test checks that the corpus reaches
    every entrance.
    """

    returned: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)

    def note(self, outcome: str) -> None:
        """Remember an outcome; numbers in it do not matter."""
        self.seen.add("".join("0" if c.isdigit() else c for c in outcome[:60]))


outcomes = Outcomes()


def require(holds: object, message: str) -> None:
    """Raise an error unless something holds."""
    if not holds:
        raise BugFoundError(message)


def check_message(error: BaseException) -> None:
    """Raise an error unless a message is one printable line."""
    message = str(error)
    bad = {c for c in message if unicodedata.category(c) in UNPRINTABLE}
    require(message.strip(), f"{type(error).__name__} has no message")
    require(not bad, f"the message has unprintable characters: {message!r}")


@contextlib.contextmanager
def only_user_errors(name: str, *more: type[BaseException]) -> Iterator[None]:
    """Suppress errors that a user can cause, after a look at their messages.

    Parameters
    ----------
    name : str
        Name of what is called, for the outcomes.
    *more : types
        Further errors that are not bugs here.
    """
    try:
        yield
        outcomes.returned.add(name)
        outcomes.note(name)
    except HyperbatonError as error:
        check_message(error)
        outcomes.note(f"{name} {type(error).__name__} {error}")
    except more as error:
        outcomes.note(f"{name} {type(error).__name__} {error}")


# Wrong arguments of a binding are bugs of the caller, and plain errors of Python.
CALLER_ERRORS = (TypeError, ValueError, OverflowError, IndexError, CancelledError)


def run_case(target: Target, data: bytes) -> None:
    """Run one case; a hang or an allocation of gigabytes raises an error."""
    with _limited_time(), _limited_memory():
        try:
            target.check(data)
        except MemoryError as error:
            raise BugFoundError("the case needs too much memory") from error


@contextlib.contextmanager
def _limited_time() -> Iterator[None]:
    """Raise an error in the main thread after a while; a handler of its own stops the core, too."""
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def expire(number: int, frame: FrameType | None) -> None:
        raise CaseTimeoutError(f"the case takes more than {CASE_SECONDS:.0f} seconds")

    limits = (
        (signal.SIGPROF, signal.ITIMER_PROF, CASE_SECONDS),
        (signal.SIGALRM, signal.ITIMER_REAL, HANG_SECONDS),
    )
    before = [signal.signal(number, expire) for number, _, _ in limits]
    for _, timer, seconds in limits:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for _, timer, _ in limits:
            signal.setitimer(timer, 0)
        for (number, _, _), handler in zip(limits, before, strict=True):
            signal.signal(number, handler)


@contextlib.contextmanager
def _limited_memory() -> Iterator[None]:
    """Limit the address space; AddressSanitizer needs all of it."""
    if not sys.platform.startswith("linux") or IS_SANITIZED:
        yield
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + CASE_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
