"""A worker: a process that computes what the server asks for, one request after another.

Requests come on standard input and answers go to standard output. A message is a length of four
bytes, then JSON in ASCII. The worker ends when its input ends, so that none survives a server that
was killed.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import struct
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, BinaryIO

from hyperbaton.errors import HyperbatonError, TooLongError

LENGTH = struct.Struct(">I")
# What a worker can be asked: the module and the function of each task.
TASKS = {
    "explain": ("hyperbaton.serve.interactive", "explain_request"),
    "permutation": ("hyperbaton.serve.interactive", "permutation_request"),
    "inspect": ("hyperbaton.serve.job_texts", "inspect_file"),
    "preview": ("hyperbaton.serve.job_texts", "preview_request"),
    "evaluate": ("hyperbaton.serve.evaluation", "evaluate_request"),
}
MAX_FILE = 1 << 31  # bytes of one file of results
WITH_PROGRESS = ("evaluate",)


def main() -> None:
    """Answer requests until the input ends."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its workers itself
    limit_resources(megabytes)
    # Only answers may reach the server: whatever else is printed goes to standard error.
    send = partial(write_frame, os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    warnings.simplefilter("ignore")
    requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=read_requests, args=(sys.stdin.buffer, requests), daemon=True).start()
    send({"ready": os.getpid()})
    while True:
        send(answer(requests.get(), lambda progress: send({"progress": progress})))


def limit_resources(megabytes: int) -> None:
    """Bound memory and files of this process, and let the system end it rather than the server."""
    with (
        contextlib.suppress(OSError),
        open("/proc/self/oom_score_adj", "w", encoding="ascii") as file,
    ):
        file.write("1000")
    try:
        import resource
    except ImportError:
        return  # Windows
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE, MAX_FILE))
    if megabytes and sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def read_requests(stream: BinaryIO, requests: SimpleQueue[dict[str, Any]]) -> None:
    """Read requests; when the server has closed the stream, end the process at once."""
    while (request := read_frame(stream)) is not None:
        requests.put(request)
    os._exit(0)


def write_frame(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write a message to the server."""
    try:
        stream.write(encode_frame(message))
        stream.flush()
    except OSError:
        os._exit(0)  # the server is gone


def answer(request: dict[str, Any], report: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Return the answer to a request, or an error with its HTTP status."""
    task = request["task"]
    module, function = TASKS[task]
    try:
        compute = getattr(importlib.import_module(module), function)
        arguments = (request["request"], report) if task in WITH_PROGRESS else (request["request"],)
        return {"result": compute(*arguments)}
    except TooLongError as error:
        return {"error": str(error), "status": 413}
    except HyperbatonError as error:
        return {"error": str(error), "status": 400}
    except MemoryError:
        return {"error": "the texts need more memory than a worker may use", "status": 413}
    except OSError as error:
        return {"error": f"cannot write the results: {error.strerror}", "status": 507}
    except Exception as error:
        traceback.print_exc()
        kind = type(error).__name__
        return {"error": f"internal error ({kind}): the terminal has the details", "status": 500}


def encode_frame(message: dict[str, Any]) -> bytes:
    """Return the bytes of a message."""
    content = json.dumps(message).encode("ascii")
    return LENGTH.pack(len(content)) + content


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """Read a message; None at the end of the stream."""
    header = stream.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(header)
    content = stream.read(length)
    if len(content) < length:
        return None
    message: dict[str, Any] = json.loads(content)
    return message


if __name__ == "__main__":
    main()
