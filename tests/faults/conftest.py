"""The process that forks runs, and folders for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faults.forking_runner import ForkingRunner
from faults.writing_commands import Workplace

MakeWorkplace = Callable[..., Workplace]


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkingRunner]:
    """The process that forks."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork and POSIX signals")
    with ForkingRunner(tmp_path_factory.mktemp("logs")) as runner:
        yield runner


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter, too, unlike pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="hyperbaton-faults-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def make_workplace(runner: ForkingRunner, open_folder: Path) -> MakeWorkplace:
    """A function that prepares a command, by its name, and a fault that its runs have."""

    def make(name: str, fault: str = "") -> Workplace:
        number = len(list(open_folder.iterdir()))
        return Workplace(runner, name, open_folder / f"{number}", fault)

    return make


@pytest.fixture
def small_disk(open_folder: Path) -> Iterator[Path]:
    """A disk of four megabytes."""
    disk = open_folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("a small disk can only be mounted by root on Linux")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)
