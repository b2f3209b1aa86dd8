"""What a server keeps on disk: its folders, and uploaded files.

There is a temporary folder for uploads and jobs, and one in which results are kept. A folder is
locked as long as its server runs. What a killed server leaves behind is removed when the next one
starts. Uploads are bounded, and written as they arrive, under names of the server's own.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from hyperbaton.errors import InputError
from hyperbaton.files.columns import READERS, TEXT
from hyperbaton.files.lines import COMPRESSED_SUFFIXES, find_compression, printable
from hyperbaton.files.output_files import lock_descriptor
from hyperbaton.serve.processes import RequestError

PREFIX = "hyperbaton-serve-"
NEW_SECONDS = 60.0
LOCK = ".hyperbaton-serve.lock"
MAX_FILES = 1000
MAX_NAME = 200  # characters of a file name
FULL_DISK = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class LockedFolder:
    """A folder that belongs to this process until it is released."""

    path: Path
    lock: IO[bytes]
    temporary: bool

    @classmethod
    def create_temporary(cls) -> LockedFolder:
        """Create a folder for this run, after removing those of servers that were killed."""
        remove_stale()
        try:
            path = Path(tempfile.mkdtemp(prefix=PREFIX))
            return cls(path, _lock_file(path / LOCK), temporary=True)
        except OSError as error:
            where = printable(tempfile.gettempdir())
            raise InputError(f"cannot write to {where}: {error.strerror}") from None

    @classmethod
    def open(cls, path: Path) -> LockedFolder:
        """Open a folder in which results are kept; it is created if it does not exist.

        Raises
        ------
        InputError
            If it cannot be written, or another server uses it.
        """
        shown = printable(str(path))
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = _lock_file(path / LOCK)
        except BlockingIOError:
            raise InputError(f"another server keeps its results in {shown}") from None
        except OSError as error:
            raise InputError(f"cannot write to {shown}: {error.strerror}") from None
        return cls(path, lock, temporary=False)

    def close(self) -> None:
        """Remove a temporary folder, and unlock any other."""
        if self.temporary:
            _remove_locked(self.path, self.lock)
            return
        self.lock.close()
        with contextlib.suppress(OSError):
            (self.path / LOCK).unlink()


def remove_stale() -> None:
    """Remove the temporary folders of servers of this user that no longer run."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            info = path.lstat()
            if not stat.S_ISDIR(info.st_mode):
                continue
            if hasattr(os, "getuid") and info.st_uid != os.getuid():
                continue
            if not (path / LOCK).exists() and time.time() - info.st_mtime < NEW_SECONDS:
                continue  # another server is about to lock it
            lock = _lock_file(path / LOCK)  # fails if its server runs
            _remove_locked(path, lock)


def _remove_locked(path: Path, lock: IO[bytes]) -> None:
    """Remove a folder while its lock is held, and what is left of it afterwards."""
    shutil.rmtree(path, ignore_errors=True)
    lock.close()
    shutil.rmtree(path, ignore_errors=True)  # Windows cannot remove the lock while it is open


def _lock_file(path: Path) -> IO[bytes]:
    """Open a file and lock it as long as it is open.

    Raises
    ------
    BlockingIOError
        If another process holds the lock.
    """
    file = path.open("ab")
    try:
        lock_descriptor(file.fileno())
    except BaseException:
        file.close()
        raise
    return file


@dataclass
class Upload:
    """An uploaded file.

    Attributes
    ----------
    id : str
        What requests call it.
    name : str
        The user's name of the file, without folders.
    path : Path
        Where it is.
    kind : str
        ``"text"``, or the format of its columns: ``"tsv"``, ``"jsonl"`` or ``"parquet"``.
    size : int
        Number of bytes.
    columns : list of str or None
        Names of its columns, if its kind has columns.
    is_compressed : bool
        Whether it is a compressed text, by its name or its first bytes.
    example : bool
        Whether it is part of the example set.
    used : float
        When it was last used, in seconds of :func:`time.monotonic`.
    """

    id: str
    name: str
    path: Path
    kind: str
    size: int = 0
    columns: list[str] | None = None
    is_compressed: bool = False
    example: bool = False
    used: float = field(default_factory=time.monotonic)


class UploadStore:
    """The files that were uploaded and not removed yet.

    Parameters
    ----------
    folder : Path
        Where they are.
    max_bytes : int
        Largest size of one file.
    total_bytes : int
        Largest size of all files together.
    seconds : float
        After this time without use, a file is removed.
    """

    def __init__(self, folder: Path, max_bytes: int, total_bytes: int, seconds: float) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._total_bytes = total_bytes
        self._seconds = seconds
        self._uploads: dict[str, Upload] = {}
        self._used_bytes = 0  # of all files, also of those that are not complete yet

    async def receive(self, name: str, chunks: AsyncIterator[bytes]) -> Upload:
        """Write a file as it arrives; one that is not complete is removed.

        Raises
        ------
        RequestError
            If the file is too large (413), or the disk or the space for uploads is full (507).
        """
        self.expire()
        if len(self._uploads) >= MAX_FILES:
            raise RequestError("there are too many files: remove texts, or try again later", 507)
        upload = self._create(name)
        try:
            with upload.path.open("xb") as file:
                async for chunk in chunks:
                    if not upload.size and find_compression(chunk) is not None:
                        upload.is_compressed = True
                    self._check_size(upload.size + len(chunk), len(chunk))
                    upload.size += len(chunk)
                    self._used_bytes += len(chunk)
                    file.write(chunk)
        except OSError as error:
            self._remove_file(upload)
            raise writing_error(error) from None
        except BaseException:
            self._remove_file(upload)
            raise
        upload.used = time.monotonic()
        self._uploads[upload.id] = upload
        return upload

    def _create(self, name: str) -> Upload:
        base = printable(re.split(r"[/\\]", name)[-1])[:MAX_NAME].strip() or "text.txt"
        stem, extension = os.path.splitext(base)
        compression = extension.lower() if extension.lower() in COMPRESSED_SUFFIXES else ""
        suffix = os.path.splitext(stem if compression else base)[1][1:].lower()
        kind = suffix if suffix in READERS else TEXT
        # The server's own name ends in the same way.
        suffix = (".txt" if kind == TEXT else f".{kind}") + compression
        identifier = secrets.token_hex(12)
        path = self._folder / f"{identifier}{suffix}"
        return Upload(identifier, base, path, kind, is_compressed=bool(compression))

    def _check_size(self, size: int, more: int) -> None:
        if size > self._max_bytes:
            limit = self._max_bytes // 1_000_000
            raise RequestError(
                f"the file is larger than {limit} MB: start the server with --max-mb for more", 413
            )
        if self._used_bytes + more > self._total_bytes:
            raise RequestError(
                "the storage for uploads is full: remove texts, or try again later", 507
            )

    def get(self, identifier: object) -> Upload:
        """Return an upload.

        Raises
        ------
        RequestError
            If there is none with this id.
        """
        upload = self._uploads.get(identifier) if isinstance(identifier, str) else None
        if upload is None:
            raise RequestError("there is no such file: it was removed, so upload it again", 404)
        upload.used = time.monotonic()
        return upload

    def remove(self, identifier: str) -> None:
        """Remove an upload."""
        self.get(identifier)
        upload = self._uploads.pop(identifier)
        self._remove_file(upload)

    def expire(self) -> None:
        """Remove files that were not used for a while."""
        oldest = time.monotonic() - self._seconds
        for upload in [u for u in self._uploads.values() if u.used < oldest]:
            self.remove(upload.id)

    def _remove_file(self, upload: Upload) -> None:
        self._used_bytes -= upload.size
        with contextlib.suppress(OSError):
            upload.path.unlink()


def link_file(source: Path, target: Path) -> None:
    """Give a job its own copy of an uploaded file, without copying it if that is possible."""
    try:
        os.link(source, target)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(source, target)


def writing_error(error: OSError) -> RequestError:
    """Return the error for a file that cannot be written."""
    if error.errno in FULL_DISK:
        return RequestError("the disk of the server is full", 507)
    return RequestError(f"the server cannot write the file: {error.strerror}", 507)
