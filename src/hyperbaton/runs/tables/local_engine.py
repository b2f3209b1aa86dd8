"""Shards on the cores of one machine, each worker a process of its own."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import secrets
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import IO, Any

from hyperbaton.errors import HyperbatonError, InputError
from hyperbaton.runs.tables.plan import TablePlan
from hyperbaton.runs.tables.shard_scoring import (
    MOST_TRIES,
    ShardSummary,
    remove_unfinished,
    score_shard,
)
from hyperbaton.threads import thread_count

# Without -P, a file in the current folder could hide a module.
WORKER = "-P", "-c", "from hyperbaton.runs.tables.local_engine import serve; serve()"


def run_locally(
    plan: TablePlan, indices: Sequence[int], workers: int | None = None, address: str | None = None
) -> Generator[ShardSummary]:
    """Score shards on this machine. Yield a summary of each when it is finished.

    A shard whose worker dies is tried again, up to three times in all.

    Parameters
    ----------
    plan : TablePlan
        The run.
    indices : sequence of int
        The shards.
    workers : int, optional
        Number of processes; by default one per core.
    address : str, optional
        There is none: other engines have the address of a cluster here.
    """
    workers = thread_count(workers, "workers")
    if workers == 1 or len(indices) == 1:
        for index in indices:
            yield score_shard(plan, index, secrets.token_hex(8))
        return
    pool = _WorkerPool(plan)
    finished: queue.SimpleQueue[Future[ShardSummary]] = queue.SimpleQueue()
    threads = ThreadPoolExecutor(min(workers, len(indices)))
    try:
        for index in indices:
            threads.submit(pool.score, index).add_done_callback(finished.put)
        for _ in indices:
            yield next_finished(finished).result()
    finally:
        pool.kill()
        threads.shutdown(cancel_futures=True)
        pool.end_all()


def next_finished(finished: queue.SimpleQueue[Future[ShardSummary]]) -> Future[ShardSummary]:
    """Wait for the next shard that is finished, or has failed."""
    while True:
        with contextlib.suppress(queue.Empty):
            return finished.get(timeout=0.2)  # so that Ctrl-C is noticed


class _WorkerPool:
    """Processes that score shards, each for a thread of this process that waits for it."""

    def __init__(self, plan: TablePlan) -> None:
        self._plan = plan
        self._pickled_plan = pickle_plan(plan)
        self._stopped = False
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._idle: list[subprocess.Popen[bytes]] = []

    def score(self, index: int) -> ShardSummary:
        """Let a process score a shard, another one if it dies."""
        for _ in range(MOST_TRIES):
            process = self._take_process()
            token = secrets.token_hex(8)
            try:
                answer = self._ask(process, index, token)
            except (EOFError, OSError, pickle.UnpicklingError):  # the worker has died
                self._end(process)
                remove_unfinished(self._plan, token)
                continue
            self._idle.append(process)
            if isinstance(answer, BaseException):
                raise answer
            summary: ShardSummary = answer
            return summary
        shard = self._plan.shards[index]
        raise HyperbatonError(
            f"the worker for {shard.description} died {MOST_TRIES} times; the other shards are kept"
        )

    def kill(self) -> None:
        """Kill all processes, and start no more."""
        with self._lock:
            self._stopped = True
            for process in self._processes:
                process.kill()

    def end_all(self) -> None:
        """Wait for the processes that were killed."""
        for process in tuple(self._processes):
            self._end(process)

    def _take_process(self) -> subprocess.Popen[bytes]:
        with contextlib.suppress(IndexError):
            return self._idle.pop()
        paths = (str(path) or os.getcwd() for path in sys.path)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        with self._lock:
            if self._stopped:
                raise CancelledError
            process = subprocess.Popen(
                [sys.executable, *WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                start_new_session=True,  # Ctrl-C is for this process, which ends the workers
            )
            self._processes.add(process)
        with contextlib.suppress(OSError):  # if it has died, the first question tells
            send(process.stdin, self._pickled_plan)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.discard(process)
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.wait()

    @staticmethod
    def _ask(process: subprocess.Popen[bytes], index: int, token: str) -> Any:
        send(process.stdin, (index, token))
        assert process.stdout is not None
        return pickle.load(process.stdout)


def serve() -> None:
    """Score shards that another process asks for. This is the main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Windows sends it to all processes
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not disturb the answers
    with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
        pickled_plan = pickle.load(questions)
        plan = None
        while True:
            index, token = pickle.load(questions)
            try:
                plan = plan or pickle.loads(pickled_plan)
                answer: Any = score_shard(plan, index, token)
            except (HyperbatonError, OSError) as error:
                answer = error
            except Exception:  # a bug, perhaps of another package's metric
                answer = RuntimeError(f"in a worker:\n{traceback.format_exc()}")
            send(answers, answer)


def pickle_plan(plan: TablePlan) -> bytes:
    """Return a plan as workers read it; an error if they could not."""
    for key, metric in plan.run.metrics.items():
        if type(metric).__module__ == "__main__":
            raise InputError(
                f"{key}: workers cannot import its class from a script: define it in a module, or "
                "give workers=1"
            )
    return pickle.dumps(plan)


def send(pipe: IO[bytes] | None, message: object) -> None:
    """Write an object to a pipe."""
    assert pipe is not None
    pickle.dump(message, pipe)
    pipe.flush()
