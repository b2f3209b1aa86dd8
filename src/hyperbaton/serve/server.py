"""Running the server: its address, its folders, its connections, and how it begins and ends."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.serve.app import Handlers, create_app
from hyperbaton.serve.jobs import JobLimits, JobQueue
from hyperbaton.serve.security import Gate, is_loopback, is_wildcard
from hyperbaton.serve.storage import LockedFolder, UploadStore

MIN_TOKEN = 12  # characters of an access token
JOB_MEMORY_SHARE = 0.75  # of the machine's memory
FILES_PER_LIMIT = 8  # all uploads together may be so many times as large as one
UPLOAD_HOURS = 1.0
CONNECTIONS = 256
SHUTDOWN_SECONDS = 3
HEADER_SECONDS = 10.0
NO_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
OPEN_ADDRESS = (
    "Other machines can reach this address, and the token in it gives access: share it only with "
    "people who may use this machine. The connection is not encrypted."
)


@dataclass(frozen=True)
class ServerSettings:
    """How the server runs: the options of ``hyperbaton serve``.

    Attributes
    ----------
    host : str
        Address to listen at.
    port : int
        Port; 0 selects a free port.
    token : str or None
        Access token.
    no_browser : bool
        Whether not to open the page in a browser.
    max_mb : int
        Maximum upload size, in megabytes.
    keep : str or None
        Folder in which results are kept.
    job_minutes : float
        Longest time of a job.
    jobs : int
        Number of jobs that run at the same time.
    threads : int or None
        Threads of a job; by default all cores.
    """

    host: str
    port: int
    token: str | None
    no_browser: bool
    max_mb: int
    keep: str | None
    job_minutes: float
    jobs: int
    threads: int | None


def run_server(settings: ServerSettings) -> None:
    """Serve the page until the process is interrupted.

    Raises
    ------
    InputError
        If the address or the port cannot be used, or a folder cannot be written.
    """
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(listen(settings.host, settings.port))
        bound, port = listening.getsockname()[:2]
        token = choose_token(settings.token, bound)
        folder = stack.enter_context(contextlib.closing(LockedFolder.create_temporary()))
        kept = None
        if settings.keep is not None:
            kept = stack.enter_context(contextlib.closing(LockedFolder.open(Path(settings.keep))))
        address = page_address(settings.host, bound, port, token)
        handlers = create_handlers(settings, folder.path, None if kept is None else kept.path)

        def announce() -> None:
            asyncio.get_running_loop().set_exception_handler(LoopErrors())
            lines = [f"Hyperbaton runs at {address}", "Press Ctrl-C to stop."]
            if not is_loopback(bound):
                lines.insert(1, OPEN_ADDRESS)
            with contextlib.suppress(OSError):  # nobody may read it
                print(*lines, sep="\n", file=sys.stderr, flush=True)
            if not settings.no_browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        app = create_app(handlers, announce)
        config = uvicorn.Config(
            Gate(app, settings.host, bound, port, handlers.form_token, token),
            http=TimedProtocol,
            log_level="error",
            access_log=False,
            lifespan="on",
            server_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        PatientServer(config).run(sockets=[listening])


class PatientServer(uvicorn.Server):
    """A server that one signal stops, however often it is sent.

    With a second one, uvicorn would skip the clean-up and print a traceback.
    """

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, which takes a few seconds at most."""
        if not self.should_exit:
            super().handle_exit(sig, frame)


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


def choose_token(given: str | None, address: str) -> str | None:
    """Return the access token: the given one, or a new one if others can reach the address."""
    if given is None:
        return None if is_loopback(address) else secrets.token_urlsafe(24)
    if len(given) < MIN_TOKEN or not given.isascii():
        raise InputError(f"--token must have at least {MIN_TOKEN} ASCII characters")
    if not all(c.isalnum() or c in "-._~" for c in given):
        raise InputError("--token may only have letters, digits and the signs - . _ ~")
    return given


@contextlib.contextmanager
def listen(host: str, port: int) -> Iterator[socket.socket]:
    """Open the socket of the server."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise InputError(f"there is no address {printable(host)}") from None
    with socket.socket(family, kind, protocol) as listening:
        if os.name != "nt":  # there, it would let two servers share a port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(address)
            listening.listen()  # the address is announced before uvicorn accepts connections
        except OSError as error:
            where = f"port {port} of {printable(host)}" if port else printable(host)
            raise InputError(f"cannot listen on {where}: {error.strerror}") from None
        yield listening


def page_address(host: str, bound: str, port: int, token: str | None) -> str:
    """Return the address of the page of a server that listens at the address ``bound``.

    >>> page_address("localhost", "127.0.0.1", 8000, None)
    'http://localhost:8000/'
    >>> page_address("::1", "::1", 8000, "secret")
    'http://[::1]:8000/?token=secret'
    """
    name = socket.gethostname() if is_wildcard(bound) else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + ("" if token is None else f"?token={token}")


def create_handlers(settings: ServerSettings, folder: Path, kept: Path | None) -> Handlers:
    """Return what answers requests, with uploads and jobs in the folders of the server."""
    uploads, jobs = folder / "uploads", folder / "jobs"
    for path in (uploads, jobs):
        path.mkdir()
    max_bytes = settings.max_mb * 1_000_000
    total_bytes = FILES_PER_LIMIT * max_bytes
    limits = JobLimits(
        running=settings.jobs,
        keep=kept is not None,
        input_bytes=2 * total_bytes,
        seconds=60 * settings.job_minutes,
        megabytes=int(JOB_MEMORY_SHARE * machine_megabytes()),
        threads=settings.threads,
    )
    return Handlers(
        UploadStore(uploads, max_bytes, total_bytes, 3600 * UPLOAD_HOURS),
        JobQueue(kept or jobs, limits),
        settings.max_mb,
        settings.job_minutes,
        kept is not None,
    )


def machine_megabytes() -> float:
    """Return the memory of the machine; 0 if it is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 20)
    except (AttributeError, ValueError, OSError):
        return 0.0
