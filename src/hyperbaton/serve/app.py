"""The web application: addresses and what answers them."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict
from importlib import resources
from string import Template
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

import hyperbaton
from hyperbaton.errors import HyperbatonError
from hyperbaton.metrics.registry import SETS
from hyperbaton.serve.commands import EXAMPLE_FILES, REPORT
from hyperbaton.serve.interactive import EXPLAIN_CHARACTERS, EXPLAIN_WORDS, PERMUTATION_VALUES
from hyperbaton.serve.jobs import JobQueue
from hyperbaton.serve.processes import RequestError, WorkerPool
from hyperbaton.serve.requests import (
    MAX_SAMPLES,
    TEXT_KEYS,
    offered_metrics,
    read_inputs,
    read_settings,
)
from hyperbaton.serve.security import REPORT_POLICY
from hyperbaton.serve.storage import Upload, UploadStore
from hyperbaton.stats.sampling import CORRECTIONS, PAIRED_TESTS, Sampling
from hyperbaton.text.languages import all_languages
from hyperbaton.views.formats import FORMATS
from hyperbaton.views.page import explanation_styles

SCHEMA = "hyperbaton/serve/1"
VIEWS = ("compare", "explain", "permutation", "jobs")
PAGE_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
MAX_JSON = 1_000_000  # bytes of a request other than an upload
IDLE_SECONDS = 30.0  # without data, an upload is given up
UPLOAD_SECONDS = 900.0  # of a whole upload
EXPLAIN_SECONDS = 20.0
PREVIEW_SECONDS = 60.0
EXPANSION = 8  # a compressed file may be so many times as large as an upload
EXPIRY_SECONDS = 60.0  # between two looks for uploads that nobody uses
POOL_SIZE = 2  # workers for quick answers, and as many for slow ones
POOL_WAITING = 100  # requests that may wait for a worker of the pool
POOL_MEGABYTES = 4096  # memory of a worker of the pool
WARM_UP = {"hypothesis": "b a c", "reference": "a b c", "language": "en", "display": True}


def create_app(handlers: Handlers, started: Callable[[], None]) -> Starlette:
    """Return the application; ``started`` is called when it is ready."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        quick = handlers.quick
        await quick.start()
        background = [
            asyncio.create_task(quick.warm_up("explain", WARM_UP, EXPLAIN_SECONDS)),
            asyncio.create_task(_expire(handlers.uploads)),
        ]
        started()
        try:
            yield
        finally:
            for task in background:
                task.cancel()
            await handlers.jobs.stop()
            await asyncio.gather(quick.stop(), handlers.slow.stop())

    routes = [
        ("/", handlers.page, "GET"),
        ("/static/{name}", handlers.asset, "GET"),
        ("/api/info", handlers.info, "GET"),
        ("/api/files", handlers.upload, "POST"),
        ("/api/files/{id}", handlers.remove_file, "DELETE"),
        ("/api/example", handlers.example, "POST"),
        ("/api/preview", handlers.preview, "POST"),
        ("/api/explain", handlers.explain, "POST"),
        ("/api/permutation", handlers.permutation, "POST"),
        ("/api/jobs", handlers.list_jobs, "GET"),
        ("/api/jobs", handlers.start_job, "POST"),
        ("/api/jobs/{id}", handlers.job, "GET"),
        ("/api/jobs/{id}", handlers.remove_job, "DELETE"),
        ("/api/jobs/{id}/cancel", handlers.cancel_job, "POST"),
        ("/api/jobs/{id}/files/{name}", handlers.download, "GET"),
        (f"/jobs/{{id}}/{REPORT}", handlers.report, "GET"),
    ]
    return Starlette(
        routes=[Route(path, answer, methods=[verb]) for path, answer, verb in routes],
        exception_handlers={
            404: _unknown_address,
            405: _unknown_address,
            RequestError: _refused,
            HyperbatonError: _refused,
            ClientDisconnect: _refused,
            Exception: _internal_error,
        },
        lifespan=lifespan,
    )


async def _refused(_: Request, error: Exception) -> Response:
    """Return the answer to a request that is not valid: one line and a status."""
    if isinstance(error, ClientDisconnect):
        return Response(status_code=400)
    status = error.status if isinstance(error, RequestError) else 400
    headers = {"retry-after": "5"} if status == 503 else None
    return JSONResponse({"error": str(error)}, status, headers)


async def _unknown_address(request: Request, _: Exception) -> Response:
    return JSONResponse({"error": f"there is no {request.method} {request.url.path}"}, 404)


async def _internal_error(_: Request, error: Exception) -> Response:
    message = f"internal error ({type(error).__name__}): the terminal has the details"
    return JSONResponse({"error": message}, 500)


async def _expire(uploads: UploadStore) -> None:
    while True:
        await asyncio.sleep(EXPIRY_SECONDS)
        uploads.expire()


class Handlers:
    """The answers to requests, and what computes them.

    Slow requests have workers of their own, which start when they are first needed: requests of a
    user who types never wait for them.

    Parameters
    ----------
    uploads : UploadStore
    jobs : JobQueue
    max_mb, job_minutes, keep
        What the page should know of them: the largest upload, the longest time of a job, and
        whether results stay on disk.
    """

    def __init__(
        self, uploads: UploadStore, jobs: JobQueue, max_mb: int, job_minutes: float, keep: bool
    ) -> None:
        self.uploads, self.jobs = uploads, jobs
        self.quick, self.slow = (
            WorkerPool(POOL_SIZE, POOL_WAITING, POOL_MEGABYTES) for _ in range(2)
        )
        self.form_token = secrets.token_urlsafe(24)
        self._max_mb = max_mb
        self._assets = load_assets()
        self._page = compose_page(self._assets)
        self._info = describe_server(max_mb, job_minutes, keep, self.form_token)

    async def page(self, _: Request) -> Response:
        """The page."""
        return HTMLResponse(self._page)

    async def asset(self, request: Request) -> Response:
        """A script or a style sheet of the page."""
        name = request.path_params["name"]
        if name not in self._assets or name.endswith(".html"):
            raise RequestError("there is no such file", 404)
        return Response(self._assets[name], media_type=_media_type(name))

    async def info(self, _: Request) -> Response:
        """What the server offers."""
        return JSONResponse(self._info)

    async def upload(self, request: Request) -> Response:
        """Receive a file."""
        limit = self._max_mb * 1_000_000
        if int(request.headers.get("content-length") or 0) > limit:
            raise RequestError(
                f"the file is larger than {self._max_mb} MB: start the server with "
                "--max-mb for more",
                413,
            )
        name = request.query_params.get("name", "text.txt")
        upload = await self._receive(name, _body(request))
        shown = {key: getattr(upload, key) for key in ("id", "name", "kind", "columns")}
        return JSONResponse({**shown, "bytes": upload.size}, 201)

    async def _receive(self, name: str, chunks: AsyncIterator[bytes]) -> Upload:
        """Receive a file, and find its columns and what it expands to."""
        upload = await self.uploads.receive(name, chunks)
        if upload.kind != "text" or upload.is_compressed:
            request = {
                "path": str(upload.path),
                "kind": upload.kind,
                "max_bytes": EXPANSION * self._max_mb * 1_000_000,
            }
            try:
                found = await self.slow.call("inspect", request, PREVIEW_SECONDS)
            except RequestError as error:
                self.uploads.remove(upload.id)
                message = str(error).replace(str(upload.path), upload.name)
                raise RequestError(message, error.status) from None
            upload.columns = found["columns"]
        return upload

    async def remove_file(self, request: Request) -> Response:
        """Remove an uploaded file."""
        self.uploads.remove(request.path_params["id"])
        return Response(status_code=204)

    async def example(self, _: Request) -> Response:
        """Upload the example set."""
        folder = resources.files("hyperbaton").joinpath("example")
        texts: dict[str, list[dict[str, str]]] = {}
        for role, name in EXAMPLE_FILES:
            upload = await self._receive(name, _chunks(folder.joinpath(name).read_bytes()))
            upload.example = True
            texts.setdefault(role, []).append({"file": upload.id, "name": upload.name})
        answer = {"systems": texts["system"], "references": texts["reference"], "language": "en"}
        return JSONResponse({**answer, "source": texts["source"][0]}, 201)

    async def preview(self, request: Request) -> Response:
        """Read the texts of a job."""
        given = await _json(request)
        texts = {key: given[key] for key in TEXT_KEYS if key in given}
        inputs = read_inputs(texts, self.uploads)
        arguments = {"inputs": [asdict(text) for text in inputs]}
        pool, gone = self.slow, request.is_disconnected
        return JSONResponse(await pool.call("preview", arguments, PREVIEW_SECONDS, gone))

    async def explain(self, request: Request) -> Response:
        """Explain one translation."""
        given = await _json(request)
        pool = self.quick if given.get("slow") is False else self.slow
        answer = await pool.call("explain", given, EXPLAIN_SECONDS, request.is_disconnected)
        return JSONResponse(answer)

    async def permutation(self, request: Request) -> Response:
        """Show a permutation."""
        given = await _json(request)
        pool, gone = self.quick, request.is_disconnected
        return JSONResponse(await pool.call("permutation", given, EXPLAIN_SECONDS, gone))

    async def list_jobs(self, _: Request) -> Response:
        """All jobs."""
        return JSONResponse({"jobs": self.jobs.describe_all()})

    async def start_job(self, request: Request) -> Response:
        """Start a job."""
        given = await _json(request)
        inputs = read_inputs(given, self.uploads)
        settings = read_settings(given, inputs)
        return JSONResponse(self.jobs.submit(inputs, settings), 202)

    async def job(self, request: Request) -> Response:
        """The state of a job."""
        jobs = self.jobs
        return JSONResponse(jobs.describe(jobs.get(request.path_params["id"])))

    async def cancel_job(self, request: Request) -> Response:
        """Stop a job."""
        return JSONResponse(await self.jobs.cancel(request.path_params["id"]))

    async def remove_job(self, request: Request) -> Response:
        """Remove a job."""
        self.jobs.remove(request.path_params["id"])
        return Response(status_code=204)

    async def download(self, request: Request) -> Response:
        """A file of a job."""
        name = request.path_params["name"]
        path = self.jobs.file(request.path_params["id"], name)
        return FileResponse(path, media_type=_media_type(name), filename=name)

    async def report(self, request: Request) -> Response:
        """The report of a job."""
        path = self.jobs.file(request.path_params["id"], REPORT)
        headers = {"content-security-policy": REPORT_POLICY}
        return FileResponse(path, media_type="text/html", headers=headers)


def describe_server(max_mb: int, job_minutes: float, keep: bool, form_token: str) -> dict[str, Any]:
    """Return what the page should know: limits, languages, metrics and statistics."""
    defaults = Sampling()
    return {
        "schema": SCHEMA,
        "version": hyperbaton.__version__,
        "form_token": form_token,
        "limits": {
            "max_mb": max_mb,
            "job_minutes": job_minutes,
            "explain_words": EXPLAIN_WORDS,
            "explain_characters": EXPLAIN_CHARACTERS,
            "permutation_values": PERMUTATION_VALUES,
            "samples": MAX_SAMPLES,
        },
        "languages": [{"code": code, "name": name} for code, name in all_languages()],
        "metrics": offered_metrics(),
        "sets": {name: list(members) for name, members in SETS.items()},
        "default_metrics": list(SETS["default"]),
        "statistics": {
            "methods": list(PAIRED_TESTS),
            "corrections": list(CORRECTIONS),
            **{name: getattr(defaults, name) for name in ("samples", "seed", "level")},
        },
        "formats": [
            {"name": name, "suffix": row.suffix, "label": row.label or None}
            for name, row in FORMATS.items()
        ],
        "parquet": importlib.util.find_spec("pyarrow") is not None,
        "keep": keep,
    }


def load_assets() -> dict[str, bytes]:
    """Return pages, scripts and style sheets by name, with the styles of drawings."""
    files = resources.files("hyperbaton.serve").joinpath("assets").iterdir()
    assets = {
        file.name: file.read_bytes() for file in files if file.name.endswith(tuple(PAGE_TYPES))
    }
    return {**assets, "drawings.css": explanation_styles().encode("utf-8")}


def compose_page(assets: Mapping[str, bytes]) -> str:
    """Return the page with its views."""
    texts = {name: assets[f"{name}.html"].decode("utf-8") for name in ("index", *VIEWS)}
    return Template(texts["index"]).substitute(texts)


def _media_type(name: str) -> str:
    types = PAGE_TYPES | {row.suffix: row.media_type for row in FORMATS.values()}
    return types[f".{name.rpartition('.')[2]}"]


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _body(request: Request) -> AsyncIterator[bytes]:
    """Yield the body as it arrives.

    Raises
    ------
    RequestError
        If nothing arrives for a while, or the whole takes too long.
    """
    stream = request.stream().__aiter__()
    end = time.monotonic() + UPLOAD_SECONDS
    while True:
        seconds = min(IDLE_SECONDS, end - time.monotonic())
        try:
            async with asyncio.timeout(seconds):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise RequestError("the upload took too long or stopped", 408) from None
        yield chunk


async def _json(request: Request) -> dict[str, Any]:
    """Return the object of a request."""
    content = bytearray()
    async for chunk in _body(request):
        content += chunk
        if len(content) > MAX_JSON:
            raise RequestError("the request is too long", 413)
    try:
        given = json.loads(content)
        json.dumps(given, ensure_ascii=False).encode("utf-8")  # fails for unpaired surrogates
    except (ValueError, RecursionError):
        raise RequestError("the request is not JSON in UTF-8") from None
    if not isinstance(given, dict):
        raise RequestError("the request must be a JSON object")
    return given
