"""Fifty clients at once, on the loopback address (``make load``)."""

from __future__ import annotations

import os
import random
import sys
import threading
from collections import Counter

import pytest

from serve.running_server import RunningServer, read_example, running_server

psutil = pytest.importorskip("psutil")
pytestmark = [
    pytest.mark.load,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux has it"),
]
CLIENTS = 50
ACTIONS = int(os.environ.get("LOAD_ACTIONS", "100"))  # of each client
MAX_GROWTH = 60e6  # bytes that the server may have grown by when everything is over
TEXTS = read_example()


def memory(server: RunningServer) -> int:
    """Return the memory of the server itself, without its workers."""
    return int(psutil.Process(server.process.pid).memory_info().rss)


def act(server: RunningServer, token: str, seed: int, actions: int, seen: Counter[str]) -> None:
    """Do what users do, in random order."""
    rng = random.Random(seed)
    headers = {"X-Hyperbaton-Form-Token": token}

    def post(path: str, body: object) -> tuple[int, object]:
        return server.request("POST", path, body, headers)

    for _ in range(actions):
        choice = rng.randrange(10)
        if choice < 5:
            words = [f"w{rng.randrange(30)}" for _ in range(12)]
            request = {"hypothesis": " ".join(words), "reference": " ".join(sorted(words))}
            status, _ = post("/api/explain", request)
        elif choice < 7:
            values = rng.sample(range(1, 11), 10)
            status, _ = post("/api/permutation", {"permutation": values, "display": True})
        elif choice == 7:
            status, answer = post("/api/files?name=a.txt", TEXTS["fluent"])
            if status == 201 and isinstance(answer, dict):
                file = {"file": answer["id"]}
                post("/api/preview", {"systems": [file], "references": [file]})
                if rng.random() < 0.2:
                    job = {"systems": [file], "references": [file], "metrics": ["wer"]}
                    status, _ = post("/api/jobs", job)
                server.request("DELETE", f"/api/files/{answer['id']}", b"", headers)
        else:
            status, _ = server.request("GET", rng.choice(["/", "/api/info", "/api/jobs"]))
        seen[str(status)] += 1


def test_fifty_clients() -> None:
    with running_server() as server:
        token = server.form_token()
        act(server, token, 0, ACTIONS, Counter())  # everything is loaded once
        base = memory(server)
        seen: Counter[str] = Counter()
        clients = [
            threading.Thread(target=act, args=(server, token, k, ACTIONS, seen))
            for k in range(1, CLIENTS + 1)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        print(f"\n{dict(seen)}; {base / 1e6:.0f} MB before, {memory(server) / 1e6:.0f} MB after")
        assert set(seen) <= {"200", "201", "202", "503"}, seen
        assert seen["200"] > CLIENTS
        # Whenever a job ends, the server removes the oldest ended ones, so wait for the last job.
        newest = server.request("GET", "/api/jobs")[1]["jobs"][0]
        server.finish(newest["id"])
        states = server.request("GET", "/api/jobs")[1]["jobs"]
        assert {state["state"] for state in states} == {"done"}
        for state in states:
            server.request(
                "DELETE", f"/api/jobs/{state['id']}", b"", {"X-Hyperbaton-Form-Token": token}
            )
        assert memory(server) - base < MAX_GROWTH
        answer = server.post("/api/explain", {"hypothesis": "b a", "reference": "a b"})
        assert answer[0] == 200
    assert not [line for line in server.messages if "Traceback" in line]
