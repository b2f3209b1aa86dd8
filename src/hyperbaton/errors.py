"""Errors caused by user input, as opposed to bugs.

The command line catches :class:`HyperbatonError` and prints its message on one line. Any other
``ValueError`` or ``TypeError`` is a bug and keeps its traceback.
"""

from __future__ import annotations

from typing import Any


class HyperbatonError(Exception):
    """Base class of every error that a user can cause.

    Messages quote what users typed and what their files contain, so ``str`` escapes characters that
    would break the line or command the terminal.
    """

    def __str__(self) -> str:
        return escape_unprintable(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled as their class and message, but some are made from more than that.
        return type(self).__new__, (type(self), *self.args), vars(self)


def escape_unprintable(text: str) -> str:
    """Escape unprintable characters, so that a text fits on one line of a message.

    >>> escape_unprintable("one\\ttwo")
    'one\\\\ttwo'
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class InputError(HyperbatonError, ValueError):
    """Invalid input. The message is one line that says what is wrong and where."""


class InputTypeError(HyperbatonError, TypeError):
    """Input of the wrong type. The message names the argument and both types."""


class MissingData(HyperbatonError, RuntimeError):  # noqa: N818 - a public name
    """A tokeniser, parser or data file is missing. The message says how to get it."""


class LinkOutsideError(InputError):
    """A link refers to a word that its sentence does not have."""


class LineError(InputError):
    """A line of a text is invalid.

    Attributes
    ----------
    line : int
        Index of the line.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class TooLongError(InputError):
    """A pair of sentences is too long to be compared.

    Attributes
    ----------
    pair : int
        Index of the pair in the batch.
    """

    def __init__(self, pair: int, message: str) -> None:
        super().__init__(message)
        self.pair = pair


class TreeError(InputError):
    """The heads of a sentence do not form a tree.

    Attributes
    ----------
    token : int
        Number of the token to look at, from 1.
    """

    def __init__(self, message: str, token: int) -> None:
        super().__init__(message)
        self.token = token


class SegmentError(InputError):
    """A segment of a batch is invalid.

    Attributes
    ----------
    segment : int
        Index of the segment in the batch.
    part : tuple of (str, int), optional
        The argument at fault, ``"alignments"`` or ``"reference_alignments"``, and which of the
        segment's alignments is meant. None if the fault is in the texts.
    """

    def __init__(self, segment: int, message: str, part: tuple[str, int] | None = None) -> None:
        super().__init__(message)
        self.segment = segment
        self.part = part


class ContractError(InputError):
    """A metric, perhaps of another package, does not give what a metric has to give."""


class LocatedError(InputError):
    """A segment is invalid. The message says where the segment comes from."""


class BudgetExceeded(HyperbatonError):  # noqa: N818 - a public name
    """The search for an inversion distance ran out of budget.

    Attributes
    ----------
    lower, upper : float
        Bounds of the distance. ``upper`` is the cost of the best parse found.
    """

    def __init__(self, lower: float, upper: float) -> None:
        super().__init__(lower, upper)
        self.lower = lower
        self.upper = upper

    def __str__(self) -> str:
        return (
            f"the budget ran out: the distance is at least {self.lower} and at most {self.upper} "
            "(a larger budget= may find it; inversion_parse always returns a parse)"
        )


class CancelledError(Exception):
    """Another thread has cancelled the work."""


# A traceback shows errors by their public names.
for _error in (HyperbatonError, InputError, InputTypeError, MissingData, BudgetExceeded):
    _error.__module__ = "hyperbaton"
