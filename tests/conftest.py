"""Shared by all tests: reproducible Hypothesis examples, runners of the command line, a browser."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from command_line import CommandLine, InProcess, NewProcess
from waiting import HANGING

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Derandomized and without limits of time: a failure on one machine is a failure on every machine.
settings.register_profile(
    "hyperbaton",
    deadline=None,
    derandomize=True,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("hyperbaton")

# Shells let programs in the background, and so their children, ignore Ctrl-C, which tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Hugging Face's packages read these variables when they are imported. Their caches are not those of
# the user, and they may not use the network.
os.environ["HF_HOME"] = tempfile.mkdtemp(prefix="hyperbaton-hf-")
os.environ["HF_HUB_OFFLINE"] = "1"
atexit.register(shutil.rmtree, os.environ["HF_HOME"], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that open pages: they take as long as many others (``make pages``)."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """Runs the command line in this process: ``cli("score", "-r", "ref.txt", "sys.txt")``.

    The result has ``status``, ``stdout`` and ``stderr``. ``cli.output`` and ``cli.json`` return
    what a successful command prints, and ``cli.error`` returns the message of a failing one.
    """
    return InProcess(capsys)


@pytest.fixture
def cli_process() -> NewProcess:
    """Runs the command line in a new process, for what ``cli`` cannot show."""
    return NewProcess()


@pytest.fixture
def restored_registry() -> Iterator[None]:
    """Forgets after a test which metrics it registered."""
    from hyperbaton.metrics import registry

    before = dict(registry._classes)
    yield
    registry._classes.clear()
    registry._classes.update(before)


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """The Chromium of the system; nothing is downloaded."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pages unopened")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium here (apt-get install chromium): pages are not opened")
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium's sandbox does not run as root
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(
            executable_path=path,
            args=["--no-sandbox"] if root else [],
            timeout=1000 * HANGING,
        )
        yield started
        started.close()
