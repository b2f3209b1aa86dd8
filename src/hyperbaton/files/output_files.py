"""Output files that replace existing ones only when they are complete.

Files cannot be renamed at the same moment. A run that replaces several files first writes a record
into their folders: what each file was, and what it becomes. The record is removed when all files
are replaced. If a run is killed in between, the next run that writes into the folder finds the
record, compares it with the files, and warns as long as some are new and others are old.

A record is only compared with files. It never makes a run replace or remove any of them, because
it may come from somebody else, for example in an archive.

Until they are complete, outputs are hidden files. A process holds a lock on each of its unfinished
files. A process that is killed leaves the file behind without the lock. The next run that writes
into the same folder removes it.

Locks mean something only among processes of one running system: some network file systems keep
them on each machine. The name of an unfinished file therefore says on which system it was made.
Files of other systems, and those on file systems without locks, are removed only if they have not
changed for a week. Windows does not remove open files, so that no lock is needed there.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import io
import json
import os
import platform
import re
import secrets
import shutil
import signal
import stat
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, TextIO, cast

from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, check_file_name, printable

SCHEMA = "hyperbaton/commit/1"
MOST_RECORD_BYTES = 1 << 20
MOST_NAMES = 3  # in a message
PART = ".part"  # the content of an output
RECORD = ".commit"  # a record of outputs that are being replaced
UNFINISHED_NAME = re.compile(r"\.hyperbaton-(?:([0-9a-f]{8})-)?[0-9a-z]+(\.part|\.commit)")
BOOT_ID = "/proc/sys/kernel/random/boot_id"  # the same in all containers of a machine
WEEK = 7 * 24 * 3600.0
# Windows: an output is closed shortly before it gets its name.
CLOSED_SECONDS = 60.0
MOST_TRIES = 10
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class OutputFiles:
    """The outputs of a run, which replace existing files together.

    The content of each file is written to a hidden file beside it. At the end of the context, or
    when :meth:`commit` is called, all of them are completed, and only then renamed, in the order in
    which they were opened. The main output is opened last: if it is new, all others are new, too.
    After an exception the hidden files are removed, and existing files are left untouched.

    Signals that can be handled do not interrupt the renaming. A run that is killed leaves each file
    whole, old or new. The next run that writes into the same folder removes its hidden files, and
    warns if it had replaced only some of its outputs.

    The content is on the disk (``fsync``) before a file gets its name. After a power failure, a
    file is therefore whole as well, but it may be the old one: the folder is not synchronised.
    """

    def __init__(self) -> None:
        self._streams: list[io.IOBase] = []
        self._files: list[_NewFile] = []
        self._prepared: set[str] = set()
        self._torn: set[str] = set()  # folders whose files may not belong together

    def __enter__(self) -> OutputFiles:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.commit()
            elif issubclass(kind, BrokenPipeError) and self._files:
                # A closed pipe alone is no error, but these files were expected.
                name = printable(self._files[0].name)
                raise InputError(f"cannot write {name}: the reader of another output has closed it")
        finally:
            with deferred_signals():  # a second Ctrl-C must not leave the hidden files behind
                self._discard()

    def open(self, path: StrPath) -> TextIO:
        """Open a UTF-8 text file for writing. It must not be closed.

        Standard output (``-``) is written to directly; otherwise as :meth:`open_bytes`.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        streams = {"-": sys.stdout, "/dev/stdout": sys.stdout, "/dev/stderr": sys.stderr}
        name = os.fspath(path)
        if name in streams:
            # If output is redirected to a file, replacing it would lose what is already in it.
            if streams[name] is None:
                raise InputError("there is no standard output")
            return streams[name]
        text = io.TextIOWrapper(self.open_bytes(path), encoding="utf-8", newline="\n")
        self._streams.append(text)
        return text

    def open_bytes(self, path: StrPath) -> BinaryIO:
        """Open a file for writing. It must not be closed.

        Pipes and devices cannot be replaced and are written to directly.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        name = os.fspath(path)
        check_file_name(name)
        target = os.path.realpath(name)  # replace the target of a symbolic link, not the link
        if os.path.isdir(target):
            raise InputError(f"cannot write {printable(name)}: it is a folder")
        folder = os.path.dirname(target)
        try:
            if os.path.exists(name) and not os.path.isfile(name):
                stream = io.BufferedWriter(_NamedFile(name, name))
            else:
                if not os.path.isdir(folder):
                    shown = printable(folder)
                    raise InputError(f"cannot write {printable(name)}: there is no folder {shown}")
                self._prepare(folder)
                with deferred_signals():  # a signal may arrive as soon as the file exists
                    self._files.append(_NewFile(name, target))
                stream = self._files[-1].stream
        except OSError as error:
            raise InputError(f"cannot write {printable(name)}: {error.strerror}") from None
        self._streams.append(stream)
        return cast(BinaryIO, stream)

    def commit(self) -> None:
        """Complete all files that were opened so far, and give them their names.

        Raises
        ------
        InputError
            If a file cannot be replaced.
        OSError
            If a file cannot be completed, for example because the disk is full. None is replaced.
        """
        for stream in reversed(self._streams):  # texts before the bytes they are written to
            stream.flush()
        for file in self._files:
            file.synchronize()
        if os.name == "nt":  # cannot rename what is open; elsewhere, open files hold their locks
            self._close_streams()
        with deferred_signals():
            self._replace()
        self._discard()

    def _prepare(self, folder: str) -> None:
        """Remove what killed runs have left in a folder, and warn if their outputs are torn."""
        if folder not in self._prepared:
            self._prepared.add(folder)
            remove_abandoned(folder)
            for message in find_interruptions(folder):
                self._torn.add(folder)
                warnings.warn(message, stacklevel=2)

    def _replace(self) -> None:
        folders = {file.folder for file in self._files}
        records: list[UnfinishedFile] = []
        try:
            if len(self._files) > 1:
                planned = [file.replacement() for file in self._files]
                for folder in folders:
                    records.append(write_record(folder, planned))
            for file in self._files:
                file.replace()
        except BaseException:
            for record in records:
                os.close(record.descriptor)
            self._torn |= folders
            raise
        else:
            for record in records:
                remove_record(record)
        finally:
            for folder in self._torn & folders:
                find_interruptions(folder)  # removes records that no longer matter

    def _close_streams(self) -> None:
        for stream in reversed(self._streams):
            with contextlib.suppress(OSError, ValueError):  # of a disk that is full
                stream.close()
        self._streams = []

    def _discard(self) -> None:
        """Remove the files that have not got their names."""
        self._close_streams()
        for file in self._files:
            _remove(file.temporary)
        self._files = []


class _NewFile:
    """A file that is not complete yet, beside the one that it will replace."""

    def __init__(self, name: str, target: str) -> None:
        self.name = name
        self.target = target
        self.folder = os.path.dirname(target)
        # Private files are private from the beginning. Others are like any new file, which those
        # of the module tempfile would not be.
        mode = 0o666
        if os.path.isfile(target):
            mode = stat.S_IMODE(os.stat(target).st_mode) & 0o666 | stat.S_IWUSR
        self.temporary, descriptor = create_unfinished(self.folder, mode=mode)
        self.stream = io.BufferedWriter(_NamedFile(descriptor, name))

    def synchronize(self) -> None:
        """Write everything to the disk."""
        try:
            os.fsync(self.stream.fileno())
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # it is not possible everywhere
                raise type(error)(error.errno, error.strerror, self.name) from None
        if os.path.isfile(self.target):
            shutil.copymode(self.target, self.temporary)

    def replacement(self) -> Replacement:
        """Return what is replaced, and by what."""
        new = identify(self.temporary)
        if new is None:
            raise InputError(f"cannot write {printable(self.name)}: {os.strerror(errno.ENOENT)}")
        return Replacement(self.target, identify(self.target), new)

    def replace(self) -> None:
        """Give the file its name."""
        try:
            os.replace(self.temporary, self.target)
        except OSError as error:
            raise InputError(f"cannot write {printable(self.name)}: {error.strerror}") from None


class _NamedFile(io.FileIO):
    """A file for writing whose errors, such as a full disk, refer to it by a name."""

    def __init__(self, file: str | int, name: str) -> None:
        super().__init__(file, "w")
        self.shown_name = name

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, self.shown_name) from None


def create_folder(path: StrPath) -> None:
    """Create a folder and those above it, unless they exist."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        name = printable(os.fspath(path))
        raise InputError(f"cannot create the folder {name}: {error.strerror}") from None


@contextlib.contextmanager
def write_beside(path: StrPath) -> Iterator[TextIO]:
    """Open a UTF-8 text file for writing that replaces ``path`` only when it is complete.

    Standard output (``-``) is written to directly. See :class:`OutputFiles`.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    with OutputFiles() as files:
        yield files.open(path)


@contextlib.contextmanager
def write_bytes_beside(path: StrPath) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces ``path`` only when it is complete.

    See :class:`OutputFiles`.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    with OutputFiles() as files:
        yield files.open_bytes(path)


class Replacement(NamedTuple):
    """A file, what it was before it is replaced, None if it did not exist, and what it becomes."""

    path: str
    old: list[int] | None
    new: list[int]


def identify(path: str) -> list[int] | None:
    """Return what a file keeps when it is renamed, or None if there is no file."""
    try:
        info = os.stat(path)
    except (OSError, ValueError):  # no file can have the name, which a foreign record may hold
        return None
    return [info.st_ino, info.st_size, info.st_mtime_ns]


def write_record(folder: str, files: Sequence[Replacement]) -> UnfinishedFile:
    """Write a record into a folder. The descriptor holds its lock.

    Raises
    ------
    OSError
        If it cannot be written. The error names the folder.
    """
    content = json.dumps({"schema": SCHEMA, "files": [file._asdict() for file in files]}).encode()
    try:
        record = create_unfinished(folder, RECORD)
        try:
            if os.write(record.descriptor, content) < len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except BaseException:
            remove_record(record)
            raise
    except OSError as error:
        raise type(error)(error.errno, error.strerror, folder) from None
    return record


def remove_record(record: UnfinishedFile) -> None:
    """Remove a record that is no longer needed."""
    os.close(record.descriptor)
    _remove(record.path)


def find_interruptions(folder: str) -> list[str]:
    """Return a message for each run that has replaced only some of its files in a folder.

    Other records whose process has ended are removed.
    """
    messages = []
    for path in unfinished_files(folder, RECORD):
        with claimed(path) as is_claimed:
            if not is_claimed:
                continue
            message = describe_interruption(path)
            if message is not None:
                messages.append(message)
            else:
                _remove(path)
    return messages


def describe_interruption(path: str) -> str | None:
    """Return which files of a record are new and which are old; None if it does not matter.

    It does not matter if none or all were replaced, or if the old ones have changed since.
    """
    files = read_record(path)
    now = [identify(file.path) for file in files]
    new = [file.path for file, identity in zip(files, now, strict=True) if identity == file.new]
    old = [file.path for file, identity in zip(files, now, strict=True) if identity == file.old]
    if not new or not old:
        return None
    return (
        f"an earlier run was interrupted after it had replaced {_join(new)} and before it replaced "
        f"{_join(old)}: they do not belong together until they are written again; to keep them, "
        f"delete {printable(path)}"
    )


def read_record(path: str) -> list[Replacement]:
    """Return the files of a record; none if it is not complete."""
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(MOST_RECORD_BYTES))
        files = [Replacement(**entry) for entry in content["files"]]
        if content["schema"] == SCHEMA and all(os.path.isabs(file.path) for file in files):
            return files
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return []


def _join(paths: Sequence[str]) -> str:
    more = len(paths) - MOST_NAMES
    shown = ", ".join(map(printable, paths[:MOST_NAMES]))
    return shown if more <= 0 else f"{shown} and {more:,} more"


@contextlib.contextmanager
def deferred_signals() -> Iterator[None]:
    """Let signals that end the program wait until the context ends.

    It is for steps that take milliseconds. Python runs handlers in the main thread only, so that
    nothing has to be done in others.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    # None is the handler of another language, which could not be restored.
    kept = (None, signal.SIG_IGN)
    before = {k: old for k in numbers if (old := signal.getsignal(k)) not in kept}
    for number in before:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])


class UnfinishedFile(NamedTuple):
    """A new file: its path, and a descriptor that is open for writing and locked."""

    path: str
    descriptor: int


@functools.cache
def system_tag() -> str:
    """Return a name for the running system, whose processes share their locks."""
    try:
        with open(BOOT_ID, "rb") as file:
            identity = file.read()
    except OSError:
        identity = platform.node().encode()
    return hashlib.sha256(identity).hexdigest()[:8]


def is_unfinished_name(name: str) -> bool:
    """Return whether a file with this name is unfinished.

    >>> is_unfinished_name(".hyperbaton-01234567-89ab.part")
    True
    >>> is_unfinished_name(".hyperbaton-serve.lock")
    False
    """
    return UNFINISHED_NAME.fullmatch(name) is not None


def create_unfinished(
    folder: str, suffix: str = PART, mode: int = 0o666, token: str = ""
) -> UnfinishedFile:
    """Create an unfinished file with a random name, and lock it if that is possible.

    The last part of the name starts with ``token``.

    Raises
    ------
    OSError
        If the file cannot be created.
    """
    for _ in range(MOST_TRIES):
        name = f".hyperbaton-{system_tag()}-{token}{secrets.token_hex(8)}{suffix}"
        file = _create_locked(os.path.join(folder, name), mode)
        if file is not None:
            return file
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)


def _create_locked(path: str, mode: int) -> UnfinishedFile | None:
    """Create a file, or return None if another process took it for an abandoned one."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, mode)
    if os.name == "nt":
        return UnfinishedFile(path, descriptor)
    try:
        lock_descriptor(descriptor)
        was_removed = os.fstat(descriptor).st_nlink == 0  # before it was locked
    except BlockingIOError:
        was_removed = True  # at once
    except OSError:  # without locks, nobody takes it for an abandoned one
        was_removed = False
    if was_removed:
        os.close(descriptor)
        return None
    return UnfinishedFile(path, descriptor)


def remove_abandoned(folder: str) -> None:
    """Remove unfinished files of this user whose process has ended. Errors are ignored."""
    for path in unfinished_files(folder):
        with claimed(path) as is_claimed:
            if is_claimed:
                _remove(path)


def remove_token(folder: str, token: str) -> None:
    """Remove the unfinished files with a token, whose process has died. Errors are ignored."""
    for path in unfinished_files(folder):
        if f"-{token}" in os.path.basename(path):
            _remove(path)


def unfinished_files(folder: str, suffix: str = PART) -> list[str]:
    """Return the unfinished files in a folder, or none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            names = (entry.name for entry in entries)
            matches = (
                UNFINISHED_NAME.fullmatch(name) for name in names if name.startswith(".hyperbaton-")
            )
            return [os.path.join(folder, m[0]) for m in matches if m and m[2] == suffix]
    except OSError:
        return []


@contextlib.contextmanager
def claimed(path: str) -> Iterator[bool]:
    """Lock an abandoned file while the context lasts; False if its process may still run."""
    try:
        info = os.lstat(path)
    except OSError:
        yield False
        return
    age = time.time() - info.st_mtime
    is_own = not hasattr(os, "getuid") or info.st_uid == os.getuid()
    if not stat.S_ISREG(info.st_mode) or not is_own:
        yield False
    elif os.name == "nt":
        yield age > CLOSED_SECONDS
    else:
        descriptor = None
        try:
            descriptor = _open(path)
            lock_descriptor(descriptor)
            match = UNFINISHED_NAME.fullmatch(os.path.basename(path))
            is_claimed = age > WEEK or (match is not None and match[1] == system_tag())
        except BlockingIOError:
            is_claimed = False
        except OSError:  # there are no locks
            is_claimed = age > WEEK
        try:
            yield is_claimed
        finally:
            if descriptor is not None:
                os.close(descriptor)


def _open(path: str) -> int:
    """Open a file that is not written to. Network file systems lock only writable descriptors."""
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        return os.open(path, os.O_RDWR | flags)
    except PermissionError:
        return os.open(path, os.O_RDONLY | flags)


def lock_descriptor(descriptor: int) -> None:
    """Lock an open file until it is closed.

    On POSIX systems the lock is advisory: only those who ask for it are kept out. It belongs to the
    open file, so that duplicates of the descriptor hold it, too.

    Raises
    ------
    BlockingIOError
        If another process, or another open file of this process, holds the lock.
    OSError
        If the file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove(path: str) -> None:
    """Remove a file if that is possible."""
    with contextlib.suppress(OSError):
        os.unlink(path)
