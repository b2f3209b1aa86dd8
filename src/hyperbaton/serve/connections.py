"""Connections to the server: those that do not send a whole header in time are closed."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
NO_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class TimedProtocol(H11Protocol):
    """HTTP with a time limit for headers, which uvicorn does not have.

    Without it, a few hundred slow connections would keep everybody else out.
    """

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start to wait for the first header."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read data, and see whether it completes a header."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_timer()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:  # the header is complete
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class LoopErrors:
    """The handler of errors in the event loop.

    If connections take all file descriptors, asyncio tries again, and prints thousands of
    tracebacks in a second. One line is enough.
    """

    _was_printed = False

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Print an error."""
        error = context.get("exception")
        if self._was_printed and "_start_serving" in context["message"]:
            return  # the repetitions that asyncio has scheduled, after the end of the server
        if not isinstance(error, OSError) or error.errno not in NO_FILES:
            loop.default_exception_handler(context)
        elif not self._was_printed:
            self._was_printed = True
            if sys.stderr is not None:
                with contextlib.suppress(OSError):  # nobody may read it
                    message = f"hyperbaton: warning: connections have to wait: {error.strerror}"
                    print(message, file=sys.stderr, flush=True)
