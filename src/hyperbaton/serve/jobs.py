"""Jobs: they wait, run in a process of their own, and leave files that can be downloaded.

A job has a folder whose name ends in ``.part`` until the job is done and its files are complete.
The folder is then renamed, so that what is kept on disk is whole even after the server is killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hyperbaton.errors import HyperbatonError
from hyperbaton.serve.commands import (
    REPORT,
    JobSettings,
    command_notes,
    equivalent_commands,
    file_labels,
)
from hyperbaton.serve.job_texts import JobInput, report_names
from hyperbaton.serve.processes import RequestError, WorkerProcess
from hyperbaton.serve.storage import link_file, writing_error

SCHEMA = "hyperbaton/job/1"
STATE_FILE = "job.json"
UNFINISHED = ".part"
JOB_FOLDER = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}(\.part)?")
TITLE_SYSTEMS = 3  # more systems are counted in titles
WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"

NO_OUTCOME: dict[str, Any] = {
    "error": None,
    "warnings": [],
    "verdict": [],
    "segments": None,
    "files": [],
}


@dataclass
class Job:
    """A job and its state.

    Attributes
    ----------
    facts : dict
        What does not change: id, title, systems and so on, as the API shows them.
    state : str
        ``waiting``, ``running``, ``done``, ``failed`` or ``cancelled``.
    progress : dict or None
        The last progress of a running job.
    outcome : dict
        What is known at the end: error, warnings, verdict, segments, files.
    """

    facts: dict[str, Any]
    folder: Path
    input_bytes: int = 0
    state: str = WAITING
    progress: dict[str, Any] | None = None
    outcome: dict[str, Any] = field(default_factory=dict)
    started: float = 0.0
    step_started: float = 0.0
    task: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        """What requests call it."""
        return str(self.facts["id"])

    @property
    def is_active(self) -> bool:
        """Whether it waits or runs."""
        return self.state in (WAITING, RUNNING)

    def report(self, progress: dict[str, Any]) -> None:
        """Note how far the job is."""
        if self.progress is None or self.progress["step"] != progress["step"]:
            self.step_started = time.monotonic()
        self.progress = progress

    def to_dict(self, ahead: int) -> dict[str, Any]:
        """Return the state of the job for the API."""
        return {
            "schema": SCHEMA,
            **self.facts,
            "state": self.state,
            "ahead": ahead,
            "progress": self._progress_dict(),
            **NO_OUTCOME,
            **self.outcome,
        }

    def _progress_dict(self) -> dict[str, Any] | None:
        if self.state != RUNNING or self.progress is None:
            return None
        now = time.monotonic()
        done, total = self.progress["done"], self.progress["total"]
        left = None
        if total and done:
            left = round((now - self.step_started) * (total - done) / done, 1)
        return {**self.progress, "seconds": round(now - self.started, 1), "seconds_left": left}


@dataclass(frozen=True)
class JobLimits:
    """What a job may take.

    Attributes
    ----------
    running : int
        Jobs that run at a time.
    waiting : int
        Jobs that may wait.
    listed : int
        Ended jobs that are listed; older ones are removed.
    keep : bool
        Whether results stay on disk.
    input_bytes : int
        Size of all files of jobs that wait or run.
    seconds : float
        Longest time of a job.
    megabytes : int
        Largest memory of a job; 0 for any.
    threads : int or None
        Threads of a job.
    """

    running: int = 1
    waiting: int = 20
    listed: int = 100
    keep: bool = False
    input_bytes: int = 1 << 32
    seconds: float = 3600.0
    megabytes: int = 0
    threads: int | None = None


class JobQueue:
    """The jobs of a server."""

    def __init__(self, folder: Path, limits: JobLimits) -> None:
        self._folder = folder
        self._limits = limits
        self._jobs: dict[str, Job] = {}
        self._slots = asyncio.Semaphore(limits.running)
        self._restore()

    def _restore(self) -> None:
        """List the jobs of an earlier server, and remove what it has not finished.

        The folder may have other contents, too, which are left alone.
        """
        for path in sorted(self._folder.iterdir()):
            if path.is_symlink() or not JOB_FOLDER.fullmatch(path.name):
                continue
            if path.name.endswith(UNFINISHED):
                shutil.rmtree(path, ignore_errors=True)
            elif (job := read_job(path)) is not None:
                self._jobs[job.id] = job

    def submit(self, inputs: list[JobInput], settings: JobSettings) -> dict[str, Any]:
        """Add a job that runs as soon as it can.

        Raises
        ------
        RequestError
            If too many jobs wait (503), or the disk is full (507).
        """
        if sum(job.state == WAITING for job in self._jobs.values()) >= self._limits.waiting:
            raise RequestError("too many jobs are waiting: try again later", 503)
        active = [job for job in self._jobs.values() if job.is_active]
        size = sum(Path(path).stat().st_size for path in {given.path for given in inputs})
        if size + sum(job.input_bytes for job in active) > self._limits.input_bytes:
            raise RequestError("the waiting jobs use all of the storage: try again later", 507)
        now = datetime.now(UTC)
        identifier = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
        folder = self._folder / f"{identifier}{UNFINISHED}"
        commands = equivalent_commands(inputs, settings)
        systems = list(report_names(inputs).values())
        facts = {
            "id": identifier,
            "title": settings.title or describe_systems(systems),
            "created": f"{now:%Y-%m-%dT%H:%M:%SZ}",
            "systems": systems,
            "metrics": list(settings.metrics),
            "language": settings.language,
            "command": commands[REPORT],
            "command_notes": command_notes(inputs, settings),
        }
        try:
            own = _link_inputs(inputs, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        job = Job(facts, folder, input_bytes=size)
        self._jobs[identifier] = job
        job.task = asyncio.create_task(self._run(job, own, settings, commands))
        return self.describe(job)

    async def _run(
        self,
        job: Job,
        inputs: list[JobInput],
        settings: JobSettings,
        commands: Mapping[str, str],
    ) -> None:
        """Wait for a place, run the job, and note how it ends."""
        worker = None
        try:
            async with self._slots:
                job.state, job.started = RUNNING, time.monotonic()
                worker = await WorkerProcess.start(self._limits.megabytes)
                request = {
                    "inputs": [asdict(given) for given in inputs],
                    "settings": asdict(settings),
                    "folder": str(job.folder),
                    "threads": self._limits.threads,
                }
                async with asyncio.timeout(self._limits.seconds):
                    outcome = await worker.call("evaluate", request, job.report)
                self._finish(job, outcome, commands)
        except TimeoutError:
            minutes = self._limits.seconds / 60
            self._fail(job, f"stopped after {minutes:g} minutes: see hyperbaton serve --help")
        except (RequestError, HyperbatonError) as error:
            self._fail(job, str(error))
        except OSError as error:
            self._fail(job, f"the server cannot run or keep the job: {error.strerror}")
        except asyncio.CancelledError:
            job.state = CANCELLED
        except Exception as error:
            traceback.print_exc()
            self._fail(
                job, f"internal error ({type(error).__name__}): the terminal has the details"
            )
        finally:
            if worker is not None:
                await worker.kill()
            if job.state != DONE:
                shutil.rmtree(job.folder, ignore_errors=True)
            self._forget_oldest()

    def _fail(self, job: Job, message: str) -> None:
        job.state, job.outcome = FAILED, {"error": message}

    def _finish(self, job: Job, outcome: Mapping[str, Any], commands: Mapping[str, str]) -> None:
        """Keep the files of a job: its folder gets its name when everything is in it."""
        shutil.rmtree(job.folder / "inputs", ignore_errors=True)
        files = [
            {
                "name": name,
                "label": label,
                "bytes": (job.folder / name).stat().st_size,
                "command": commands[name],
            }
            for name, label in file_labels().items()
        ]
        job.outcome = {**outcome, "files": files}
        stored = {"schema": SCHEMA, "facts": job.facts, "outcome": job.outcome}
        (job.folder / STATE_FILE).write_text(json.dumps(stored, ensure_ascii=False), "utf-8")
        target = self._folder / job.id
        os.rename(job.folder, target)
        job.folder, job.state = target, DONE

    def _forget_oldest(self) -> None:
        """Remove the oldest ended jobs if there are too many, those without results first.

        Results that are kept on disk are never removed by the server itself.
        """
        ended = [job for job in self._jobs.values() if not job.is_active]
        removable = [job for job in ended if job.state != DONE]
        if not self._limits.keep:
            removable += [job for job in ended if job.state == DONE]
        for job in removable[: max(0, len(ended) - self._limits.listed)]:
            self.remove(job.id)

    def get(self, identifier: str) -> Job:
        """Return a job.

        Raises
        ------
        RequestError
            If there is none with this id.
        """
        if identifier not in self._jobs:
            raise RequestError("there is no such job", 404)
        return self._jobs[identifier]

    def describe(self, job: Job) -> dict[str, Any]:
        """Return the state of a job for the API."""
        ahead = 0
        if job.state == WAITING:
            earlier = list(self._jobs.values())[: list(self._jobs).index(job.id)]
            ahead = sum(other.is_active for other in earlier)
        return job.to_dict(ahead)

    def describe_all(self) -> list[dict[str, Any]]:
        """Return the states of all jobs, newest first."""
        return [self.describe(job) for job in reversed(self._jobs.values())]

    async def cancel(self, identifier: str) -> dict[str, Any]:
        """Stop a job that waits or runs; its process is ended at once."""
        job = self.get(identifier)
        if not job.is_active:
            raise RequestError(f"the job is {job.state}: it cannot be cancelled", 409)
        await self._stop(job)
        return self.describe(job)

    async def _stop(self, job: Job) -> None:
        assert job.task is not None  # as of every active job
        job.task.cancel()
        await asyncio.gather(job.task, return_exceptions=True)
        if job.is_active:  # cancelled before it had begun
            job.state = CANCELLED
            shutil.rmtree(job.folder, ignore_errors=True)

    def remove(self, identifier: str) -> None:
        """Remove a job that has ended, with its files."""
        job = self.get(identifier)
        if job.is_active:
            raise RequestError(f"the job is {job.state}: cancel it first", 409)
        del self._jobs[identifier]
        shutil.rmtree(job.folder, ignore_errors=True)

    def file(self, identifier: str, name: str) -> Path:
        """Return a file of a job that is done."""
        job = self.get(identifier)
        if job.state != DONE:
            raise RequestError(f"the job is {job.state}: it has no files", 409)
        path = job.folder / name
        if name not in file_labels() or path.is_symlink() or not path.is_file():
            raise RequestError("the job has no such file", 404)
        return path

    async def stop(self) -> None:
        """Stop all jobs, at the end of the server."""
        active = [job for job in self._jobs.values() if job.is_active]
        await asyncio.gather(*(self._stop(job) for job in active))


def read_job(folder: Path) -> Job | None:
    """Return the job that an earlier server has finished; None if its folder is damaged."""
    try:
        content = (folder / STATE_FILE).read_text("utf-8")
        stored = json.loads(content)
        json.dumps(stored, ensure_ascii=False, allow_nan=False).encode("utf-8")
        facts, outcome = dict(stored["facts"]), dict(stored["outcome"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    texts = ("title", "created", "command")
    lists = [facts.get("systems"), facts.get("metrics"), outcome.get("files")]
    is_valid = (
        stored.get("schema") == SCHEMA
        and facts.get("id") == folder.name
        and all(isinstance(facts.get(key), str) for key in texts)
        and all(isinstance(value, list) for value in lists)
    )
    return Job(facts, folder, state=DONE, outcome=outcome) if is_valid else None


def describe_systems(names: Sequence[str]) -> str:
    """Return the title of a job.

    >>> describe_systems(["a", "b"]), describe_systems(["a", "b", "c", "d"])
    ('a, b', '4 systems: a, b, …')
    """
    if len(names) <= TITLE_SYSTEMS:
        return ", ".join(names)
    return f"{len(names)} systems: {', '.join(names[:2])}, …"


def _link_inputs(inputs: list[JobInput], folder: Path) -> list[JobInput]:
    """Give the job its own files, which stay when the user removes an upload."""
    own = {given.path: folder / "inputs" / Path(given.path).name for given in inputs}
    try:
        (folder / "inputs").mkdir(parents=True)
        for path, target in own.items():
            link_file(Path(path), target)
    except OSError as error:
        raise writing_error(error) from None
    return [replace(given, path=str(own[given.path])) for given in inputs]
