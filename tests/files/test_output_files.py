"""Outputs that replace files when they are complete, and what killed processes leave of them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hyperbaton.errors import InputError
from hyperbaton.files import output_files
from hyperbaton.files.lines import read_lines
from hyperbaton.files.output_files import (
    RECORD,
    SCHEMA,
    WEEK,
    OutputFiles,
    create_unfinished,
    deferred_signals,
    lock_descriptor,
    remove_abandoned,
    system_tag,
    write_beside,
)

DAY = 24 * 3600.0
posix = pytest.mark.skipif(os.name == "nt", reason="needs the locks and signals of POSIX")


def test_written(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with write_beside(path) as file:
        file.write("我\nGrüße\r\n")
        assert not path.exists()
        assert len(list(tmp_path.iterdir())) == 1
    assert path.read_bytes() == "我\nGrüße\r\n".encode()
    assert list(tmp_path.iterdir()) == [path]
    with write_beside(str(path)) as file:
        file.write("new\n")
        assert path.read_bytes() == "我\nGrüße\r\n".encode()
    assert path.read_bytes() == b"new\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("before", [None, b"as it was"])
def test_nothing_half_written(
    tmp_path: Path, error: type[BaseException], before: bytes | None
) -> None:
    path = tmp_path / "out"
    if before is not None:
        path.write_bytes(before)
    there = list(tmp_path.iterdir())

    def break_off() -> None:
        with write_beside(path) as file:
            file.write("half" * 10_000)
            raise error

    with pytest.raises(error):
        break_off()
    assert list(tmp_path.iterdir()) == there
    if before is not None:
        assert path.read_bytes() == before


def test_surrogates_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError), write_beside(tmp_path / "out") as file:
        file.write("\ud800")
    assert list(tmp_path.iterdir()) == []


def test_the_input_may_be_the_output(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\n")
    with write_beside(path) as file:
        file.writelines(line.upper() + "\n" for line in read_lines(path))
    assert path.read_bytes() == b"A\nB\n"


def test_a_name_of_the_folder_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with write_beside("out") as file:
        file.write("a\n")
    assert (tmp_path / "out").read_bytes() == b"a\n"


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "out"
    said = f"cannot write {nowhere}: there is no folder {os.path.realpath(nowhere.parent)}"
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"), write_beside(nowhere):
        pytest.fail("there is nothing to write to")
    said = f"cannot write {tmp_path}: it is a folder"
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"), write_beside(tmp_path):
        pytest.fail("there is nothing to write to")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="needs the modes, links and pipes of POSIX")
def test_modes_links_and_pipes(tmp_path: Path) -> None:
    path, link, pipe = tmp_path / "out", tmp_path / "link", tmp_path / "pipe"
    mask = os.umask(0o027)
    try:
        with write_beside(path) as file:
            file.write("a\n")
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o640  # like any new file
    path.chmod(0o604)
    link.symlink_to(path)
    with write_beside(link) as file:
        file.write("b\n")
    assert link.is_symlink()
    assert path.read_bytes() == b"b\n"
    assert path.stat().st_mode & 0o777 == 0o604
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with write_beside(pipe) as file:
            file.write("c\n")
        assert os.read(reader, 10) == b"c\n"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    with write_beside(os.devnull) as file:
        file.write("d\n")
    assert not os.path.isfile(os.devnull)


def test_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with write_beside("-") as file:
        file.write("我\n")
        assert capsys.readouterr().out == "我\n"
    assert not sys.stdout.closed
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(InputError, match="there is no standard output"), write_beside("-"):
        pass


def write_both(folder: Path, content: str) -> None:
    """Write two files together, the second one as the main output."""
    with OutputFiles() as files:
        files.open(folder / "first").write(content)
        files.open(folder / "second").write(content)


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_together(tmp_path: Path) -> None:
    write_both(tmp_path, "old")
    with contextlib.suppress(RuntimeError), OutputFiles() as files:
        files.open(tmp_path / "first").write("new")
        files.open(tmp_path / "second")
        raise RuntimeError
    assert contents(tmp_path) == {"first": "old", "second": "old"}
    write_both(tmp_path, "new")
    assert contents(tmp_path) == {"first": "new", "second": "new"}


def test_a_file_that_cannot_be_replaced(tmp_path: Path) -> None:
    """The others are not torn in silence."""
    write_both(tmp_path, "old")

    def put_a_folder_in_its_place() -> None:
        with OutputFiles() as files:
            files.open(tmp_path / "first").write("new")
            files.open(tmp_path / "second").write("new")
            (tmp_path / "second").unlink()
            (tmp_path / "second").mkdir()

    with pytest.raises(InputError, match=r"^cannot write "):
        put_a_folder_in_its_place()
    assert (tmp_path / "first").read_text() == "new"
    with pytest.warns(UserWarning, match="do not belong together"), write_beside(tmp_path / "x"):
        pass


KILLED = """
import os, signal, sys
from hyperbaton.files.output_files import lock_descriptor
from hyperbaton.files.output_files import OutputFiles
replace = os.replace
def replace_and_die(source, target):
    replace(source, target)
    if target.endswith(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
os.replace = replace_and_die
with OutputFiles() as files:
    files.open(sys.argv[1] + "/first").write("new")
    files.open(sys.argv[1] + "/second").write("new")
    if sys.argv[2] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_writer(folder: Path, moment: str) -> None:
    """Kill a process after it has replaced a file, or before any."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), moment], check=False)
    assert done.returncode == -signal.SIGKILL


@posix
@pytest.mark.parametrize(
    ("moment", "first", "second"), [("before", "old", "old"), ("second", "new", "new")]
)
def test_a_killed_process(moment: str, first: str, second: str, tmp_path: Path) -> None:
    write_both(tmp_path, "old")
    kill_writer(tmp_path, moment)
    left = contents(tmp_path)
    assert (left.pop("first"), left.pop("second")) == (first, second)
    assert len(left) == (2 if moment == "before" else 1)
    with write_beside(tmp_path / "third") as file:  # nothing is torn: there is no warning
        file.write("3")
    assert contents(tmp_path) == {"first": first, "second": second, "third": "3"}


@posix
@pytest.mark.parametrize("before", ["old", None])
def test_a_process_killed_between_two_renames(before: str | None, tmp_path: Path) -> None:
    if before is not None:
        write_both(tmp_path, before)
    kill_writer(tmp_path, "first")
    (record,) = tmp_path.glob(f".hyperbaton-*{RECORD}")
    said = (
        f"an earlier run was interrupted after it had replaced {tmp_path}/first and before it "
        f"replaced {tmp_path}/second: they do not belong together until they are written again; to "
        f"keep them, delete {record}"
    )
    for _ in range(2):  # as long as it is true
        with pytest.warns(UserWarning, match=re.escape(said)), write_beside(tmp_path / "third"):
            pass
        names = {"first", "third", record.name} | ({"second"} if before else set())
        assert contents(tmp_path).keys() == names
    with pytest.warns(UserWarning, match=re.escape(said)):
        write_both(tmp_path, "newer")
    assert contents(tmp_path) == {"first": "newer", "second": "newer", "third": ""}


@posix
def test_the_interruption_no_longer_matters(tmp_path: Path) -> None:
    write_both(tmp_path, "old")
    kill_writer(tmp_path, "first")
    (tmp_path / "second").write_text("of another program")
    with write_beside(tmp_path / "third"):
        pass
    assert sorted(contents(tmp_path)) == ["first", "second", "third"]


@posix
@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[" * 100_000,
        "[]",
        '{"schema": "hyperbaton/commit/1", "files": 3}',
        '{"schema": "hyperbaton/commit/1", "files": [{"path": 1, "old": null, "new": [1, 2, 3]}]}',
        '{"schema": "hyperbaton/commit/1", "files": [{"path": "\\u0000", "old": [], "new": []}]}',
        '{"schema": "hyperbaton/commit/1", "files": '
        '[{"path": "/\\u0000", "old": null, "new": [1, 2, 3]}]}',
        '{"schema": "hyperbaton/commit/2", "files": []}',
    ],
)
def test_invalid_records(content: str, tmp_path: Path) -> None:
    record = create_unfinished(str(tmp_path), RECORD)
    os.write(record.descriptor, content.encode())
    os.close(record.descriptor)
    with write_beside(tmp_path / "out"):
        pass
    assert contents(tmp_path) == {"out": ""}


@posix
def test_a_foreign_record_changes_no_file(tmp_path: Path) -> None:
    """A record may come with an archive. Its names are printed as one line, and nothing else."""
    victim, part = tmp_path / "a\nvictim", create_unfinished(str(tmp_path))
    victim.write_text("precious")
    info, other = victim.stat(), Path(__file__).stat()
    files = [
        {"path": str(path), "old": old, "new": new}
        for path, old, new in (
            (victim, [info.st_ino, info.st_size, info.st_mtime_ns], [1, 2, 3]),
            (Path(__file__), None, [other.st_ino, other.st_size, other.st_mtime_ns]),
        )
    ]
    record = create_unfinished(str(tmp_path), RECORD)
    os.write(record.descriptor, json.dumps({"schema": SCHEMA, "files": files}).encode())
    os.close(record.descriptor)
    os.close(part.descriptor)
    with pytest.warns(UserWarning, match=r"a\\nvictim"), write_beside(tmp_path / "out"):
        pass
    assert victim.read_text() == "precious"
    assert not os.path.exists(part.path)


@posix
def test_files_of_running_processes_stay(tmp_path: Path) -> None:
    with write_beside(tmp_path / "out") as file:
        file.write("a")
        with write_beside(tmp_path / "other"):
            assert len(list(tmp_path.iterdir())) == 2
        remove_abandoned(str(tmp_path))
        file.write("b")
    assert contents(tmp_path) == {"out": "ab", "other": ""}


def abandon(folder: Path, name: str | None = None, age: float = 0.0) -> Path:
    """Leave an unfinished file behind, as a killed process does."""
    file = create_unfinished(str(folder))
    os.close(file.descriptor)
    path = Path(file.path)
    if name is not None:
        path = path.rename(folder / name)
    os.utime(path, (time.time() - age,) * 2)
    return path


@posix
def test_files_of_other_systems_stay_for_a_week(tmp_path: Path) -> None:
    """Their locks may be unknown here."""
    here = abandon(tmp_path)
    assert f"-{system_tag()}-" in here.name
    new = abandon(tmp_path, ".hyperbaton-01234567-0123456789abcdef.part", WEEK - DAY)
    old = abandon(tmp_path, ".hyperbaton-01234567-0123456789abcdee.part", WEEK + DAY)
    without_system = abandon(tmp_path, ".hyperbaton-0123456789abcdef.part")
    remove_abandoned(str(tmp_path))
    assert {*tmp_path.iterdir()} == {new, without_system}
    assert not here.exists()
    assert not old.exists()


@posix
def test_file_systems_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(descriptor: int) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr(output_files, "lock_descriptor", fail)
    new, old = abandon(tmp_path), abandon(tmp_path, age=WEEK + DAY)
    with write_beside(tmp_path / "out") as file:
        file.write("a")
    assert {*tmp_path.iterdir()} == {new, tmp_path / "out"}
    assert not old.exists()


@posix
def test_what_only_looks_like_an_unfinished_file(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("a")
    names = [f".hyperbaton-{system_tag()}-0{k}.part" for k in range(4)]
    (tmp_path / names[0]).symlink_to(precious)
    (tmp_path / names[1]).mkdir()
    os.mkfifo(tmp_path / names[2])
    os.symlink("nowhere", tmp_path / names[3])
    for name in (".hyperbaton-serve.lock", "x.part", ".hyperbaton-.part", ".hyperbaton-A.part"):
        (tmp_path / name).touch()
    before = {*tmp_path.iterdir()}
    remove_abandoned(str(tmp_path))
    assert {*tmp_path.iterdir()} == before


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_files_of_other_users_stay(tmp_path: Path) -> None:
    path = abandon(tmp_path)
    os.chown(path, 65534, 65534)
    remove_abandoned(str(tmp_path))
    assert path.exists()


def test_errors_of_the_removal_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove_abandoned(str(tmp_path / "nowhere"))
    abandon(tmp_path)

    def fail(path: str) -> Iterator[None]:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", fail)
        remove_abandoned(str(tmp_path))


@posix
def test_an_abandoned_file_that_is_read_only(tmp_path: Path) -> None:
    """As the file that it would have replaced."""
    path = abandon(tmp_path)
    path.chmod(0o444)
    remove_abandoned(str(tmp_path))
    assert not path.exists()


@posix
def test_a_new_file_that_is_taken_for_an_abandoned_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may lock and remove it between its creation and its lock."""
    tries = []

    def lock_late(descriptor: int) -> None:
        tries.append(descriptor)
        (path,) = tmp_path.iterdir()
        if len(tries) == 1:
            path.unlink()
        if len(tries) == 2:
            path.unlink()
            raise BlockingIOError
        lock_descriptor(descriptor)

    monkeypatch.setattr(output_files, "lock_descriptor", lock_late)
    with write_beside(tmp_path / "out") as file:
        file.write("a")
    assert len(tries) == 3
    assert contents(tmp_path) == {"out": "a"}


@posix
def test_private_files_are_private_from_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.touch(0o600)
    with write_beside(path):
        modes = [entry.stat().st_mode & 0o777 for entry in tmp_path.iterdir()]
        assert modes == [0o600, 0o600]
    assert path.stat().st_mode & 0o777 == 0o600


@posix
def test_many_threads_write_and_clean_up(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def write(number: int) -> None:
        try:
            for k in range(30):
                write_both(tmp_path / str(number % 2), f"{k}")
        except BaseException as error:
            errors.append(error)

    (tmp_path / "0").mkdir()
    (tmp_path / "1").mkdir()
    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    with warnings.catch_warnings():
        # What two runs write at the same time may be of both.
        warnings.simplefilter("ignore")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert errors == []
    for number in range(2):
        assert sorted(contents(tmp_path / str(number))) == ["first", "second"]


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_wait(number: int) -> None:
    done = []

    def note(received: int, _: object) -> None:
        done.append(received)

    before = signal.signal(number, note)
    try:
        with deferred_signals():
            signal.raise_signal(number)
            signal.raise_signal(number)
            assert done == []
        assert done == [number]
        assert signal.getsignal(number) is note
    finally:
        signal.signal(number, before)


@posix
def test_ignored_signals_are_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with deferred_signals():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_does_not_change_the_handlers() -> None:
    seen: list[object] = []

    def look() -> None:
        with deferred_signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    expected: Callable[..., object] | int | None = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [expected]


def test_a_second_interrupt_leaves_no_hidden_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = OutputFiles._close_streams

    def close_interrupted(files: OutputFiles) -> None:
        signal.raise_signal(signal.SIGINT)
        close(files)

    monkeypatch.setattr(OutputFiles, "_close_streams", close_interrupted)
    files = OutputFiles()
    files.open(tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):
        files.__exit__(KeyboardInterrupt, None, None)
    assert contents(tmp_path) == {}
