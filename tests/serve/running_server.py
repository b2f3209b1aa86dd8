"""A server of ``hyperbaton serve`` in a process of its own, for tests."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waiting import HANGING, killed_if_it_hangs, wait_until

# The server gives up what takes too long for a user; a slow machine may take longer.
PROGRAM = f"""import sys
from hyperbaton.__main__ import main
from hyperbaton.serve import app, processes, server
app.EXPLAIN_SECONDS = app.PREVIEW_SECONDS = {HANGING}
processes.START_SECONDS = server.SHUTDOWN_SECONDS = {HANGING}
sys.exit(main())
"""


@dataclass
class RunningServer:
    """A server that runs, and a small client for it."""

    process: subprocess.Popen[str]
    url: str
    messages: list[str] = field(default_factory=list)  # lines of its standard error

    @property
    def base(self) -> str:
        """The address without a token."""
        return self.url.partition("?")[0].rstrip("/")

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        """Send a request; return its status, and its answer as JSON, or as bytes if it is none."""
        status, content, _ = self.raw_request(method, path, body, headers)
        try:
            return status, json.loads(content)
        except ValueError:
            return status, content

    def raw_request(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes, Mapping[str, str]]:
        """Send a request; return the status, the bytes and the headers of its answer."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {} if headers is None else dict(headers)
        request = urllib.request.Request(self.base + path, data, sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=HANGING) as answer:
                return answer.status, answer.read(), dict(answer.headers)
        except urllib.error.HTTPError as error:
            return error.code, error.read(), dict(error.headers)

    def form_token(self) -> str:
        """Return the form token."""
        _, info = self.request("GET", "/api/info")
        return str(info["form_token"])

    def post(self, path: str, body: object = None, method: str = "POST") -> tuple[int, Any]:
        """Send a request that changes something, with the form token."""
        headers = {"X-Hyperbaton-Form-Token": self.form_token()}
        return self.request(method, path, b"" if body is None else body, headers)

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Upload a file."""
        quoted = urllib.parse.quote(name)
        status, answer = self.post(f"/api/files?name={quoted}", content)
        assert status == 201, answer
        return dict(answer)

    def finish(self, job: str) -> dict[str, Any]:
        """Wait until a job has ended, and return its state."""

        def ended() -> dict[str, Any] | None:
            _, state = self.request("GET", f"/api/jobs/{job}")
            return None if state["state"] in ("waiting", "running") else dict(state)

        return wait_until(ended)

    def long_request(self) -> dict[str, Any]:
        """Upload texts, and return a request for a job that takes hours."""
        words = [f"w{k}" for k in range(200)]
        shuffled = random.Random(1).sample(words, len(words))
        system, reference = (
            {"file": self.upload("long.txt", f"{' '.join(line)}\n".encode() * 5000)["id"]}
            for line in (shuffled, words)
        )
        return {"systems": [system], "references": [reference], "metrics": ["invwer"]}

    def start_long_job(self) -> str:
        """Start a job that takes hours, and return its id when it runs."""
        status, job = self.post("/api/jobs", self.long_request())
        assert status == 202, job
        wait_until(lambda: self.request("GET", f"/api/jobs/{job['id']}")[1]["progress"])
        return str(job["id"])

    def stop(self, number: int = signal.SIGINT) -> int:
        """End the server with a signal, and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(HANGING)


@contextlib.contextmanager
def running_server(*options: str, env: Mapping[str, str] | None = None) -> Iterator[RunningServer]:
    """Start a server at a free port, and stop it at the end."""
    command = [sys.executable, "-c", PROGRAM, "serve", "--no-browser", *options]
    environment = {**os.environ, **(env or {})}
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
    )
    server = RunningServer(process, "")
    reader = threading.Thread(target=_read_messages, args=(process, server.messages))
    with process:
        try:
            server.url = _read_address(process, server.messages)
            reader.start()
            yield server
        finally:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(HANGING)
            except subprocess.TimeoutExpired:
                process.kill()
            if reader.ident is not None:
                reader.join()


def _read_address(process: subprocess.Popen[str], messages: list[str]) -> str:
    """Wait for the address that the server prints."""
    assert process.stderr is not None
    address = ""
    with killed_if_it_hangs(process):
        for line in process.stderr:
            messages.append(line)
            if match := re.search(r"runs at (\S+)", line):
                address = match[1]
            if line.startswith("Press Ctrl-C"):
                return address
    raise AssertionError(f"the server did not start: {''.join(messages)}")


def _read_messages(process: subprocess.Popen[str], messages: list[str]) -> None:
    assert process.stderr is not None
    messages.extend(process.stderr)


def read_example() -> dict[str, bytes]:
    """Return the texts of the example set by name."""
    from hyperbaton.cli.options import EXAMPLE

    names = ("literal", "phrasal", "fluent", "reference", "source")
    return {name: Path(EXAMPLE / f"{name}.txt").read_bytes() for name in names}
