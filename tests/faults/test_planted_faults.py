"""Faults that are planted on purpose: the checks of this folder notice each of them."""

from __future__ import annotations

import itertools
import signal
from pathlib import Path

import pytest

from faults.conftest import MakeWorkplace
from faults.forking_runner import ForkingRunner
from faults.planted_faults import FAULTS
from faults.test_caches import (
    CACHES,
    check_changed_trees,
    check_damage,
    run_between,
    truncate,
)
from faults.test_disks import try_sizes
from faults.test_kills import kill_before
from faults.writing_commands import Workplace

pytestmark = pytest.mark.faults


def kill_everywhere(place: Workplace) -> None:
    """Kill a run before each operation that it has with its fault, until it ends by itself."""
    operations = itertools.count(1)
    while kill_before(place, next(operations), signal.SIGKILL):
        pass


@pytest.mark.parametrize(
    ("fault", "name", "expected"),
    [
        ("write_directly", "score", "neither old nor new"),
        ("write_directly", "parse", "neither old nor new"),
        ("rename_unflushed", "align", "neither old nor new"),
        ("keep_no_record", "report", "torn: True, noticed: False"),
        ("leave_abandoned", "align", "unfinished files stay"),
        ("write_index_directly", "paraphrases", "neither old nor new"),
        ("write_cache_in_place", "parse", "cache is damaged"),
    ],
)
def test_kills_notice(fault: str, name: str, expected: str, make_workplace: MakeWorkplace) -> None:
    with pytest.raises(AssertionError, match=expected):
        kill_everywhere(make_workplace(name, fault))


def test_removal_of_files_that_are_written(make_workplace: MakeWorkplace) -> None:
    place = make_workplace("score", "remove_all")
    with pytest.raises(AssertionError, match="No such file"):
        run_between(place, place.renames()[0])


@pytest.mark.parametrize("name", ["compare", "fit"])
def test_full_disks_that_are_not_reported(
    name: str, runner: ForkingRunner, small_disk: Path
) -> None:
    place = Workplace(runner, name, small_disk / "place", "swallow_errors")
    with pytest.raises(AssertionError, match="status=0"):
        try_sizes(place, small_disk)


def test_an_index_that_is_trusted(make_workplace: MakeWorkplace) -> None:
    place = make_workplace("paraphrases", "trust_index")
    with pytest.raises(AssertionError, match=r"table\.hyperbaton"):
        check_damage(place, place.folder / CACHES["paraphrases"], truncate)


def test_a_cache_that_is_trusted(make_workplace: MakeWorkplace) -> None:
    with pytest.raises(AssertionError, match="damaged"):
        check_changed_trees(make_workplace("parse", "trust_cache"))


def test_all_faults_are_planted() -> None:
    own = Path(__file__).read_text("utf-8")
    assert [fault for fault in FAULTS if f'"{fault}"' not in own] == []
