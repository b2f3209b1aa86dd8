"""Full disks and folders that cannot be written: one line, and outputs that stay as they are."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest

from faults.conftest import MakeWorkplace
from faults.forking_runner import Ending, ForkingRunner
from faults.writing_commands import COMMANDS, Workplace

SEED = int(os.environ.get("FAULTS_SEED", "0"))
NOBODY = 65534
PAGE = 4096
QUICK = ("score", "parse")  # of all commands, in make test


def quick_first(name: str) -> object:
    return name if name in QUICK else pytest.param(name, marks=pytest.mark.faults)


ALL_COMMANDS = [*map(quick_first, COMMANDS)]


def fill(disk: Path, free: int) -> Path:
    """Fill a disk with a file, until only so many bytes are free."""
    info = os.statvfs(disk)
    filler = disk / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, info.f_bavail * info.f_frsize - free)
    return filler


def check_error(ending: Ending, statuses: tuple[int, ...], reason: str) -> None:
    """Check the only line with an error; there may be notes before it."""
    assert ending.status in statuses, ending
    assert "Traceback" not in ending.errors, ending
    errors = [line for line in ending.errors.splitlines() if "error" in line]
    assert len(errors) == 1, ending
    assert errors[0].startswith("hyperbaton: error: "), ending
    assert errors[0].endswith(reason), ending


def fill_and_run(place: Workplace, disk: Path, free: int) -> int:
    """Run a command on a disk that is nearly full, and return its status."""
    place.restore()
    filler = fill(disk, free)
    ending = place.runner.run(place.faulty(place.second))
    if ending.status:
        check_error(ending, (1, 2), "No space left on device")
    else:
        assert place.read() == place.new, ending
    place.check_whole()
    assert not place.unfinished()  # without any other run
    filler.unlink()
    place.check_next_run()
    return ending.status


def try_sizes(place: Workplace, disk: Path, count: int = 6) -> list[int]:
    """Fill a disk to several degrees, from full to large enough for all of the outputs."""
    needed = sum(-(-len(content) // PAGE) + 2 for content in place.new.values()) + 4
    draw = random.Random(SEED)
    pages = [0, *(draw.randrange(1, needed) for _ in range(count - 2)), needed + 40]
    return [fill_and_run(place, disk, free * PAGE) for free in pages]


@pytest.mark.parametrize("name", ALL_COMMANDS)
def test_full_disk(name: str, runner: ForkingRunner, small_disk: Path) -> None:
    statuses = try_sizes(Workplace(runner, name, small_disk / "place"), small_disk)
    assert statuses[0] != 0
    assert statuses[-1] == 0
    print(f"exit statuses: {statuses}")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user"
)
@pytest.mark.parametrize("name", ALL_COMMANDS)
def test_read_only_folders(name: str, make_workplace: MakeWorkplace) -> None:
    place = make_workplace(name)
    place.restore()
    folders = [place.outputs, *(path for path in place.outputs.rglob("*") if path.is_dir())]
    (place.folder / "cache").chmod(0o777)
    ending = place.runner.run(replace(place.second, user=NOBODY))
    check_error(ending, (2,), "Permission denied")
    assert place.read() == place.old
    assert not place.unfinished()
    # The cache is only a help.
    for folder in folders:
        folder.chmod(0o777)
    (place.folder / "cache").chmod(0o555)
    ending = place.runner.run(replace(place.second, user=NOBODY))
    assert ending.status == 0, ending
    assert "error" not in ending.errors, ending
    assert place.read() == place.new
    assert not place.unfinished()


def test_a_read_only_folder_with_a_paraphrase_table(make_workplace: MakeWorkplace) -> None:
    """The index is not saved, but it is used."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    place = make_workplace("paraphrases")
    place.restore()
    arguments = ["../a.txt" if word == "out/a.txt" else word for word in place.second.arguments]
    place.folder.parent.chmod(0o777)
    ending = place.runner.run(replace(place.second, arguments=arguments, user=NOBODY))
    assert (ending.status, ending.errors) == (0, "")
    assert (place.folder / "../a.txt").read_bytes() == place.new["a.txt"]
    assert place.read() == place.old
