"""Readers of the web page's requests, uploads and messages between its processes."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from fuzz.python.byte_source import ByteSource
from fuzz.python.scratch import scratch_folder
from fuzz.python.targets import only_user_errors, require, target

from hyperbaton.serve.interactive import explain_request, permutation_request
from hyperbaton.serve.job_texts import inspect_file, preview_request
from hyperbaton.serve.processes import RequestError
from hyperbaton.serve.requests import read_inputs, read_settings
from hyperbaton.serve.storage import UploadStore
from hyperbaton.serve.worker import encode_frame, read_frame

MOST_WORDS = 60  # in the fields of a request, so that a case is quick
WORDS = (
    *(b'{"hypothesis": "a b", "reference": "b a"}', b'"language": "en"', b'"metrics": ["pef"]'),
    *(
        b'"permutation": [2, 1]',
        b'"words": ["a"]',
        b'"tree": 1',
        b'"display": true',
        b'"slow": false',
    ),
    *(b'"alignment": "0-0"', b'"tokenize": "13a"', b"null", b"[[", b"NaN", b"1e999", b"\\ud800"),
    *(
        b'"systems": [{"file": "0"}]',
        b'"references": []',
        b'"samples": 10',
        b'"seed": 1',
        b'"level": 2',
    ),
)


def _json(content: bytes) -> dict[str, Any] | None:
    """Return the object of a request, as the server reads it."""
    try:
        given = json.loads(content)
        json.dumps(given, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


@target("reader_requests", *WORDS)
def check_requests(data: bytes) -> None:
    """Answer a request of the page."""
    source = ByteSource(data)
    answer = source.choice((explain_request, permutation_request))
    request = _json(source.rest())
    if request is None or len(str(request).split()) > MOST_WORDS:
        return
    with only_user_errors(answer.__name__):
        json.dumps(answer(request), allow_nan=False)


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 100):
        yield content[start : start + 100]


@target("reader_jobs", *WORDS, b"\n%%\n")
def check_jobs(data: bytes) -> None:
    """Upload two texts, look at them, and read the request of a job."""
    source = ByteSource(data)
    store = UploadStore(scratch_folder("uploads"), 10_000, 50_000, 60)
    identifiers = []
    for _ in range(2):
        name = source.clean_text(6) + source.choice(("", ".tsv", ".jsonl", ".txt.gz", "/../x.txt"))
        with only_user_errors("receive", RequestError):
            upload = asyncio.run(store.receive(name, _chunks(source.part())))
            require(upload.path.parent.name == "uploads", f"{name!r} leaves the folder")
            identifiers.append(upload.id)
            wanted = {"path": str(upload.path), "kind": upload.kind, "max_bytes": 100_000}
            upload.columns = inspect_file(wanted)["columns"]
    content = source.part()
    for k, identifier in enumerate(identifiers):
        content = content.replace(b'"%d"' % k, b'"%s"' % identifier.encode())
    request = _json(content)
    if request is None:
        return
    with only_user_errors("read_inputs", RequestError):
        inputs = read_inputs(request, store)
        preview_request({"inputs": [vars(given) for given in inputs]})
        settings = read_settings(request, inputs)
        json.dumps(asdict(settings))


@target("reader_frames", b"\0\0\0\x02{}", b"\xff\xff\xff\xff")
def check_frames(data: bytes) -> None:
    """Read messages from a stream; what is written can be read."""
    with only_user_errors("read_frame", ValueError, RecursionError):
        stream = io.BytesIO(data)
        while (message := read_frame(stream)) is not None:
            require(read_frame(io.BytesIO(encode_frame(message))) == message, "the same message")
