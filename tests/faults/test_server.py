"""A server that keeps its results is killed at random moments: what it has kept is whole."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from serve.running_server import RunningServer, read_example, running_server

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]
KILLS = int(os.environ.get("FAULTS", "100"))
SEED = int(os.environ.get("FAULTS_SEED", "0"))


def start_job(server: RunningServer) -> str:
    texts = read_example()
    system, reference = (
        {"file": server.upload("a.txt", texts[name])["id"]} for name in ("fluent", "reference")
    )
    request = {"systems": [system], "references": [reference], "metrics": ["wer"], "samples": 20}
    return str(server.post("/api/jobs", request)[1]["id"])


def check_kept(kept: Path, listed: list[str]) -> None:
    """Check that each folder is that of a job with all of its files, which are whole."""
    assert sorted(path.name for path in kept.iterdir() if path.is_dir()) == sorted(listed)
    names = {path.name for identifier in listed for path in (kept / identifier).iterdir()}
    for identifier in listed:
        assert {path.name for path in (kept / identifier).iterdir()} == names
        assert (kept / identifier / "report.html").read_text("utf-8").rstrip().endswith("</html>")


def test_kills(tmp_path: Path) -> None:
    kept, draw = tmp_path / "kept", random.Random(SEED)
    options, env = ("--keep", str(kept)), {"TMPDIR": str(tmp_path)}
    with running_server(*options, env=env) as server:
        begin = time.monotonic()
        done = {server.finish(start_job(server))["id"]}
        seconds = time.monotonic() - begin
    for _ in range(max(2, KILLS // 20)):
        with running_server(*options, env=env) as server:
            listed = [job["id"] for job in server.request("GET", "/api/jobs")[1]["jobs"]]
            assert done <= {*listed}
            check_kept(kept, listed)
            done = {*listed}
            start_job(server)
            time.sleep(draw.uniform(0, 1.5 * seconds))
            server.stop(draw.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
    print(f"{len(done)} results were kept")
