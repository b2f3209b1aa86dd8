"""Crashes, kills, slow clients and full disks: the server goes on, or ends cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request

from hyperbaton.serve import app as serve_app
from hyperbaton.serve import storage
from hyperbaton.serve.processes import RequestError, WorkerPool, WorkerProcess
from hyperbaton.serve.storage import UploadStore
from serve.running_server import RunningServer, running_server
from waiting import HANGING, wait_until

psutil = pytest.importorskip("psutil")
resource = pytest.importorskip("resource")
pytestmark = [
    pytest.mark.load,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]


def workers(server: RunningServer) -> set[int]:
    return {child.pid for child in psutil.Process(server.process.pid).children()}


def is_running(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def quick_job(server: RunningServer) -> dict[str, Any]:
    file = {"file": server.upload("a.txt", b"a b c\n")["id"]}
    request = {"systems": [file], "references": [file], "metrics": ["wer"], "samples": 20}
    return server.finish(server.post("/api/jobs", request)[1]["id"])


def explain(server: RunningServer) -> int:
    return server.post("/api/explain", {"hypothesis": "b a", "reference": "a b"})[0]


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_job_that_crashes(number: int) -> None:
    with running_server("--jobs", "2") as server:
        before = workers(server)
        job, other = server.start_long_job(), server.start_long_job()
        first = min(workers(server) - before)
        os.kill(first, number)
        ended = wait_until(
            lambda: next(
                (
                    state
                    for state in server.request("GET", "/api/jobs")[1]["jobs"]
                    if state["state"] == "failed"
                ),
                None,
            )
        )
        assert "worker process" in ended["error"]
        assert ended["id"] in (job, other)
        survivor = other if ended["id"] == job else job
        assert server.request("GET", f"/api/jobs/{survivor}")[1]["state"] == "running"
        assert quick_job(server)["state"] == "done"  # the place of the crashed job is free
        assert explain(server) == 200


def test_workers_of_quick_answers_are_replaced() -> None:
    with running_server() as server:
        assert explain(server) == 200
        first = workers(server)
        for pid in first:
            os.kill(pid, signal.SIGKILL)
        # A request may meet a worker that has just died; the next ones get a new one.
        assert [explain(server) for _ in range(6)][-2:] == [200, 200]
        assert not first & workers(server)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_end_by_a_signal(tmp_path: Path, number: int) -> None:
    kept = tmp_path / "kept"
    with running_server("--keep", str(kept), env={"TMPDIR": str(tmp_path)}) as server:
        done = quick_job(server)["id"]
        server.start_long_job()
        processes = workers(server)
        assert list(tmp_path.glob(f"{storage.PREFIX}*"))
        assert server.stop(number) == 128 + number
    assert not any(map(is_running, processes))
    assert not list(tmp_path.glob(f"{storage.PREFIX}*"))
    assert [path.name for path in kept.iterdir()] == [done]
    assert not [line for line in server.messages if "Traceback" in line]


def is_refused(address: tuple[str, int]) -> bool:
    """Whether nobody listens at an address."""
    try:
        socket.create_connection(address, timeout=HANGING).close()
    except ConnectionError:
        return True
    return False


def test_end_by_two_interrupts() -> None:
    """The second one comes while the server waits for the rest of an upload."""
    with running_server() as server:
        address = ("127.0.0.1", urlsplit(server.base).port or 0)
        upload = HTTPConnection(*address, timeout=HANGING)
        upload.putrequest("POST", "/api/files?name=a.txt")
        upload.putheader("X-Hyperbaton-Form-Token", server.form_token())
        upload.putheader("Content-Length", "2")
        upload.endheaders(b"a")
        server.process.send_signal(signal.SIGINT)
        wait_until(lambda: is_refused(address))
        server.process.send_signal(signal.SIGINT)
        upload.close()
        assert server.process.wait(HANGING) == 130
    assert not [line for line in server.messages if "Traceback" in line]


@pytest.mark.skipif(sys.platform != "linux", reason="changes a limit of another process")
def test_more_connections_than_file_descriptors() -> None:
    """They wait, and one line says so."""
    with running_server() as server, contextlib.ExitStack() as stack:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (40, 40))
        address = ("127.0.0.1", urlsplit(server.url).port)
        for _ in range(80):
            stack.enter_context(socket.create_connection(address, timeout=HANGING))
        wait_until(lambda: len(server.messages) > 2)
        stack.close()
        assert server.request("GET", "/api/jobs")[0] == 200
        assert server.stop(signal.SIGTERM) == 143
    message = "hyperbaton: warning: connections have to wait: Too many open files\n"
    assert server.messages[2:] == [message]


def test_end_by_sigkill(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    options, env = ("--keep", str(kept)), {"TMPDIR": str(tmp_path)}
    with running_server(*options, env=env) as server:
        done = quick_job(server)["id"]
        server.start_long_job()
        processes = workers(server)
        server.stop(signal.SIGKILL)
    wait_until(lambda: not any(map(is_running, processes)))  # none survives the server
    (stale,) = tmp_path.glob(f"{storage.PREFIX}*")
    assert {path.name for path in kept.iterdir()} > {done}
    with running_server(*options, env=env) as server:
        assert not stale.exists()
        assert [job["id"] for job in server.request("GET", "/api/jobs")[1]["jobs"]] == [done]
        assert not [path for path in kept.iterdir() if path.name.endswith(".part")]


def test_folders_of_running_servers_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    running = storage.LockedFolder.create_temporary()
    stale = tmp_path / f"{storage.PREFIX}stale"
    stale.mkdir()
    os.utime(stale, (1, 1))  # a new folder may be that of a server that is just starting
    new = tmp_path / f"{storage.PREFIX}new"
    new.mkdir()
    target = tmp_path / "precious"
    target.mkdir()
    (target / "file").write_text("x", "utf-8")
    (tmp_path / f"{storage.PREFIX}link").symlink_to(target)
    storage.remove_stale()
    assert running.path.exists()
    assert not stale.exists()
    assert new.exists()
    assert (target / "file").exists()
    running.close()
    assert not running.path.exists()


UNUSED = 3600.0  # seconds until an upload is removed


def upload_store(folder: Path) -> UploadStore:
    return UploadStore(folder, 1000, 1500, UNUSED)


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def test_uploads_expire(tmp_path: Path) -> None:
    store = upload_store(tmp_path)
    upload = asyncio.run(store.receive("a.txt", chunks(b"abc")))
    store.expire()
    assert upload.path.read_bytes() == b"abc"
    upload.used -= 2 * UNUSED
    store.expire()
    assert not list(tmp_path.iterdir())
    with pytest.raises(RequestError, match="there is no such file"):
        store.get(upload.id)


def test_upload_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"abc"
        raise RequestError("the upload took too long or stopped", 408)

    store = upload_store(tmp_path)
    with pytest.raises(RequestError):
        asyncio.run(store.receive("a.txt", broken()))
    assert not list(tmp_path.iterdir())
    asyncio.run(store.receive("a.txt", chunks(b"x" * 900)))
    with pytest.raises(RequestError, match="storage for uploads is full") as full:
        asyncio.run(store.receive("a.txt", chunks(b"x" * 900)))
    assert full.value.status == 507
    assert len(list(tmp_path.iterdir())) == 1


def test_full_disk_during_an_upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(RequestError, match="the disk of the server is full") as error:
        asyncio.run(upload_store(tmp_path).receive("a.txt", chunks(b"abc")))
    assert error.value.status == 507


def test_slow_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_app, "IDLE_SECONDS", 0.1)
    parts = iter([{"type": "http.request", "body": b"abc", "more_body": True}])

    async def receive() -> Any:
        for part in parts:
            return part
        await asyncio.sleep(HANGING)
        return None

    async def read() -> None:
        request = Request({"type": "http", "method": "POST", "headers": []}, receive)
        async for _ in serve_app._body(request):
            pass

    with pytest.raises(RequestError) as error:
        asyncio.run(read())
    assert error.value.status == 408


def test_requests_that_take_too_long_and_too_many() -> None:
    async def run() -> list[Any]:
        pool = WorkerPool(size=1, waiting=1, megabytes=0)
        await pool.start()
        request = {"permutation": "2 1"}
        calls = [pool.call("permutation", request, HANGING) for _ in range(4)]
        crowd = await asyncio.gather(*calls, return_exceptions=True)
        try:
            await pool.call("explain", {"hypothesis": "a b", "reference": "b a"}, 0)
            slow = None
        except RequestError as error:
            slow = error.status
        after = await pool.call("permutation", request, HANGING)
        await pool.stop()
        return [crowd, slow, after]

    crowd, slow, after = asyncio.run(run())
    refused = [error.status for error in crowd if isinstance(error, RequestError)]
    assert 503 in refused
    assert len(refused) < 4
    assert slow == 413
    assert after["permutation"] == [2, 1]


def test_cancelled_as_the_worker_gets_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancellation must not get lost if it arrives together with the worker's first message."""

    async def start() -> bool:
        is_reading, is_ready = asyncio.Event(), asyncio.Event()

        async def read(worker: WorkerProcess) -> dict[str, Any]:
            is_reading.set()
            await is_ready.wait()
            return {}

        monkeypatch.setattr(WorkerProcess, "_read", read)
        task = asyncio.create_task(WorkerProcess.start(megabytes=0))
        await is_reading.wait()
        is_ready.set()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return task.cancelled()

    assert asyncio.run(start())


def test_worker_that_dies_as_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RequestError, match="a worker process did not start") as error:
        asyncio.run(WorkerProcess.start(megabytes=0))
    assert error.value.status == 503
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(RequestError, match="cannot start a process"):
        asyncio.run(WorkerProcess.start(megabytes=0))


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_memory_of_a_worker_is_bounded(tmp_path: Path) -> None:
    """A small file that expands to a line of gigabytes."""
    import gzip

    bomb = tmp_path / "bomb.txt.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        for _ in range(1500):
            file.write(b"x" * 1_000_000)

    async def run() -> Any:
        worker = await WorkerProcess.start(megabytes=1200)
        path = str(bomb)
        text = {"role": "system", "path": path, "kind": "text", "column": None}
        given = {**text, "file_name": "bomb.txt.gz", "name": "bomb"}
        try:
            return await worker.call("preview", {"inputs": [given]})
        finally:
            await worker.kill()

    with pytest.raises(RequestError, match="more memory than a worker may use") as error:
        asyncio.run(run())
    assert error.value.status == 413


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small disk can only be mounted by root on Linux")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_full_disk(small_disk: Path) -> None:
    line = " ".join(f"word{k}" for k in range(20))
    text = "".join(f"{line} {k}\n" for k in range(8000)).encode()
    with running_server(env={"TMPDIR": str(small_disk)}) as server:
        first = server.upload("a.txt", text)
        status, answer = server.post("/api/files?name=b.txt", text * 3)
        assert (status, answer["error"]) == (507, "the disk of the server is full")
        file = {"file": first["id"]}
        request = {"systems": [file], "references": [file], "metrics": ["wer"], "samples": 20}
        job = server.finish(server.post("/api/jobs", request)[1]["id"])
        assert job["state"] == "failed"
        assert "No space left on device" in job["error"]
        assert server.post(f"/api/files/{first['id']}", method="DELETE")[0] == 204
        assert quick_job(server)["state"] == "done"
    assert not list(small_disk.iterdir())
