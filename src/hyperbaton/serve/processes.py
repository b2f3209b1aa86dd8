"""The server's side of its workers: processes that answer, are stopped, crash and are replaced.

Time limits are set with ``asyncio.timeout``. ``asyncio.wait_for`` of Python 3.11 ignores a
cancellation that arrives together with the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from hyperbaton.serve.worker import LENGTH, encode_frame

START_SECONDS = 60.0


class RequestError(Exception):
    """A request that cannot be answered, with its HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class WorkerProcess:
    """One worker. It answers one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.is_idle = True  # whether the last request was answered to its end

    @classmethod
    async def start(cls, megabytes: int) -> WorkerProcess:
        """Start a worker that may use so much memory, and wait until it is ready.

        Raises
        ------
        RequestError
            If it does not start.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "hyperbaton.serve.worker", str(megabytes)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL if sys.stderr is None else None,
                # A process group of its own: Ctrl-C in the terminal is for the server alone.
                start_new_session=True,
            )
        except OSError as error:
            raise RequestError(f"cannot start a process: {error.strerror}", 503) from None
        worker = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker._read()
        except (asyncio.IncompleteReadError, TimeoutError):
            await worker.kill()
            raise RequestError("a worker process did not start: try again", 503) from None
        except BaseException:
            await worker.kill()
            raise
        return worker

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.returncode is None

    async def call(
        self,
        task: str,
        request: dict[str, Any],
        progress: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> Any:
        """Return the answer to a request.

        Raises
        ------
        RequestError
            What the task refuses; status 500 if the worker crashed.
        """
        assert self._process.stdin is not None
        self.is_idle = False
        try:
            self._process.stdin.write(encode_frame({"task": task, "request": request}))
            await self._process.stdin.drain()
            while "progress" in (message := await self._read()):
                progress(message["progress"])
        except (asyncio.IncompleteReadError, ConnectionError):
            await self.kill()
            raise RequestError(self._describe_end(), 500) from None
        self.is_idle = True
        if "error" in message:
            raise RequestError(message["error"], message["status"])
        return message["result"]

    async def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        (length,) = LENGTH.unpack(await self._process.stdout.readexactly(LENGTH.size))
        message: dict[str, Any] = json.loads(await self._process.stdout.readexactly(length))
        return message

    def _describe_end(self) -> str:
        code = self._process.returncode
        if code == -getattr(signal, "SIGKILL", 9):
            return "the worker process was killed, perhaps because memory ran out"
        return f"the worker process crashed (exit status {code}); other jobs are not affected"

    async def kill(self) -> None:
        """End the process at once."""
        if self.is_alive:
            with contextlib.suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
        await self._process.wait()


class WorkerPool:
    """Workers that stay, for requests that take less than a few seconds.

    A worker that crashes or takes too long is replaced.
    """

    def __init__(self, size: int, waiting: int, megabytes: int) -> None:
        self._size = size
        self._waiting = waiting  # requests that may wait for a worker
        self._megabytes = megabytes
        self._idle: deque[WorkerProcess] = deque()
        self._all: set[WorkerProcess] = set()
        self._slots = asyncio.Semaphore(size)
        self._queued = 0

    async def start(self) -> None:
        """Start all workers."""
        self._idle += await asyncio.gather(*(self._start() for _ in range(self._size)))

    async def warm_up(self, task: str, request: dict[str, Any], seconds: float) -> None:
        """Send a request to every worker, so that what it imports is loaded for the first user."""
        calls = (self.call(task, request, seconds) for _ in range(self._size))
        await asyncio.gather(*calls, return_exceptions=True)

    async def _start(self) -> WorkerProcess:
        worker = await WorkerProcess.start(self._megabytes)
        self._all.add(worker)
        return worker

    async def call(
        self,
        task: str,
        request: dict[str, Any],
        seconds: float,
        is_unwanted: Callable[[], Awaitable[bool]] | None = None,
    ) -> Any:
        """Return the answer to a request.

        Parameters
        ----------
        task, request
            What a worker computes.
        seconds : float
            Longest time of the computation.
        is_unwanted : callable, optional
            Asked when a worker is free: whether nobody waits for the answer any more.

        Raises
        ------
        RequestError
            If too many requests wait (status 503), the answer takes too long (413), the worker
            crashes (500), or the task refuses the request.
        """
        if self._queued >= self._waiting:
            raise RequestError("too many requests at the same time: try again", 503)
        self._queued += 1
        try:
            await self._slots.acquire()
        finally:
            self._queued -= 1
        worker = None
        try:
            if is_unwanted is not None and await is_unwanted():
                raise RequestError("the request was cancelled")
            worker = self._idle.pop() if self._idle else await self._start()
            async with asyncio.timeout(seconds):
                return await worker.call(task, request)
        except TimeoutError:
            raise RequestError(
                f"stopped after {seconds:g} seconds: the texts are too long for the page", 413
            ) from None
        finally:
            if worker is not None:
                await self._put_back(worker)
            self._slots.release()

    async def _put_back(self, worker: WorkerProcess) -> None:
        """Keep a worker that has answered; one that was interrupted or crashed is replaced."""
        if worker.is_alive and worker.is_idle:
            self._idle.append(worker)
        else:
            await worker.kill()
            self._all.discard(worker)

    async def stop(self) -> None:
        """End all workers."""
        await asyncio.gather(*(worker.kill() for worker in self._all))
        self._all.clear()
        self._idle.clear()
