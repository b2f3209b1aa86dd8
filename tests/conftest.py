"""Shared by all tests: reproducible Hypothesis examples, and runners of the command line."""

from __future__ import annotations

import pytest
from hypothesis import settings

from command_line import CommandLine, InProcess, NewProcess

# Derandomized: a failure on one machine is a failure on every machine.
settings.register_profile("hyperbaton", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("hyperbaton")


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
