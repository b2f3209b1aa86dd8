"""Messages to standard error: warnings, notes and progress, which ``--quiet`` suppresses."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator

from hyperbaton.text.lines import printable

_is_quiet = False  # of the command that runs; threads of the command share it


@contextlib.contextmanager
def suppressed_messages(quiet: bool) -> Iterator[None]:
    """Suppress warnings, notes and progress inside the context if ``quiet``."""
    global _is_quiet
    before, _is_quiet = _is_quiet, quiet
    try:
        yield
    finally:
        _is_quiet = before


def print_warnings(lines: Iterable[str]) -> None:
    """Print warnings and notes to standard error, each on one line.

    They quote names and texts, which may contain anything.
    """
    if _is_quiet:
        return
    for line in lines:
        print(f"hyperbaton: {printable(line)}", file=sys.stderr)


def shows_progress() -> bool:
    """Return whether progress is shown: on a terminal."""
    return not _is_quiet and sys.stderr is not None and sys.stderr.isatty()
