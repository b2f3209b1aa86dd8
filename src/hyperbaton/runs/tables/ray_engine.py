"""Shards on a cluster of Ray."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import socket
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any

from hyperbaton.errors import HyperbatonError, InputError
from hyperbaton.registries import import_optional
from hyperbaton.runs.tables.plan import TablePlan
from hyperbaton.runs.tables.shard_scoring import (
    MOST_TRIES,
    ShardSummary,
    remove_unfinished,
    score_shard,
)

LOCAL = "local"  # Ray's name for a new cluster on this machine
REACH_SECONDS = 5
CONNECTION_SECONDS = 20
WAITING_TASKS = 2  # for each core, so that none has to wait for the next shard
STOP_SECONDS = 0.5


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
                        place = plan.shards[index].description
                        raise HyperbatonError(
                            f"the worker for {place} died {tries} times "
                            f"({type(error).__name__}); the other shards are kept"
                        ) from None
                    waiting.append((index, tries + 1))
    finally:
        with contextlib.suppress(Exception):
            for reference in running:
                ray.cancel(reference, force=True)
            ray.wait(list(running), num_returns=len(running), timeout=STOP_SECONDS)
        for _, _, token in running.values():
            remove_unfinished(plan, token)
