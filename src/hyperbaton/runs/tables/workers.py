"""Workers that score shards: on the cores of one machine, or on a cluster of Ray."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import queue
import secrets
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import IO, Any

from hyperbaton.errors import HyperbatonError, InputError
from hyperbaton.registries import import_optional
from hyperbaton.runs.tables.plan import TablePlan
from hyperbaton.runs.tables.shard_scoring import (
    MOST_TRIES,
    ShardSummary,
    remove_unfinished,
    score_shard,
)
from hyperbaton.threads import thread_count

LOCAL = "local"  # Ray's name for a new cluster on this machine
REACH_SECONDS = 5
CONNECTION_SECONDS = 20
WAITING_TASKS = 2  # for each core, so that none has to wait for the next shard
STOP_SECONDS = 0.5
# Without -P, a file in the current folder could hide a module.
WORKER = "-P", "-c", "from hyperbaton.runs.tables.workers import serve; serve()"


def worker_died(plan: TablePlan, index: int, reason: str = "") -> HyperbatonError:
    """Return the error for a shard whose workers have all died."""
    place = plan.shards[index].description
    return HyperbatonError(
        f"the worker for {place} died {MOST_TRIES} times{reason}; the other shards are kept"
    )


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
        raise worker_died(self._plan, index)

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


def run_on_ray(
    plan: TablePlan, indices: Sequence[int], workers: int | None = None, address: str | None = None
) -> Generator[ShardSummary]:
    """Score shards on a cluster. Yield a summary of each when it is finished.

    A shard whose worker dies is tried again, up to three times in all. The workers must see the
    same files, and have Hyperbaton installed.
    """
    ray = import_optional("ray", "the engine ray needs Ray: pip install 'hyperbaton[ray]'")
    was_connected = ray.is_initialized()
    if not was_connected:
        connect(ray, address, workers)
    try:
        yield from _run_tasks(ray, plan, indices, workers)
    finally:
        if not was_connected:
            ray.shutdown()


def connect(ray: Any, address: str | None, workers: int | None) -> None:
    """Connect to a cluster. Without an address, also in RAY_ADDRESS, start one on this machine.

    Ray by itself would join any cluster that happens to run on this machine.
    """
    address = address or os.environ.get("RAY_ADDRESS") or LOCAL
    logging.getLogger("ray").setLevel(logging.ERROR)
    settings = {"log_to_driver": False, "configure_logging": False}
    check_reachable(address)
    try:
        if address == LOCAL:
            ray.init(LOCAL, num_cpus=workers, include_dashboard=False, **settings)
        else:
            call_with_limit(lambda: ray.init(address, **settings), CONNECTION_SECONDS)
    except (ConnectionError, ImportError, RuntimeError, TimeoutError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise InputError(f"cannot connect to a Ray cluster at {address}: {reason}") from None


def call_with_limit(function: Callable[[], object], seconds: float) -> None:
    """Call a function; TimeoutError if it does not return in time.

    Something that is not a cluster may answer at an address. Ray itself would wait for minutes.
    """
    errors: list[BaseException] = []

    def call() -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError(f"no answer within {seconds} s")
    if errors:
        raise errors[0]


def check_reachable(address: str) -> None:
    """Raise an error if nobody answers at an address such as ``host:6379``.

    Ray itself would try for minutes.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address in ("auto", LOCAL) or not colon:
        return
    if not port.isdecimal():
        raise InputError(f"{address!r} is not a cluster address such as host:6379")
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"no Ray cluster answers at {address}: {reason}") from None


def _run_tasks(
    ray: Any, plan: TablePlan, indices: Sequence[int], workers: int | None
) -> Generator[ShardSummary]:
    task = ray.remote(max_retries=0)(score_shard)
    shared_plan = ray.put(plan)
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
    most = workers or cores * WAITING_TASKS
    waiting = [(index, 1) for index in reversed(indices)]
    running: dict[Any, tuple[int, int, str]] = {}  # shard, number of the try, token
    try:
        while waiting or running:
            while waiting and len(running) < most:
                index, tries = waiting.pop()
                token = secrets.token_hex(8)
                running[task.remote(shared_plan, index, token)] = index, tries, token
            ready, _ = ray.wait(list(running), timeout=0.5)  # so that Ctrl-C is noticed
            for reference in ready:
                index, tries, token = running.pop(reference)
                try:
                    yield ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None
                except (ray.exceptions.RayError, OSError) as error:
                    remove_unfinished(plan, token)
                    if tries == MOST_TRIES:
                        raise worker_died(plan, index, f" ({type(error).__name__})") from None
                    waiting.append((index, tries + 1))
    finally:
        with contextlib.suppress(Exception):
            for reference in running:
                ray.cancel(reference, force=True)
            ray.wait(list(running), num_returns=len(running), timeout=STOP_SECONDS)
        for _, _, token in running.values():
            remove_unfinished(plan, token)
