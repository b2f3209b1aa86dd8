"""``hyperbaton serve``: the web page."""

from __future__ import annotations

import importlib.util

from hyperbaton.cli.commands import OptionGroup, flag, option
from hyperbaton.errors import InputError, MissingData


class ServeOptions(OptionGroup):
    """Where the server listens, and what its jobs may do.

    Attributes
    ----------
    host
        Address to listen on. Other machines can reach every address except loopback; such an
        address requires a token.
    port
        Port; 0 selects a free port.
    token
        Access token that every request must carry; default: none on the loopback address, a random
        one elsewhere.
    no_browser
        Do not open the page in a browser.
    keep
        Keep results in this folder; default: delete them when the server stops.
    max_mb
        Maximum upload size, in megabytes.
    job_minutes
        Maximum duration of a job, in minutes.
    jobs
        Number of jobs that run at the same time.
    threads
        Number of threads per job; default: all cores.
    """

    TITLE = "Jobs"

    host: str = option("--host ADDRESS", "127.0.0.1", title="Address")
    port: int = option("--port", 0, title="Address", low=0, high=65535)
    token: str | None = option("--token TOKEN", title="Address", variable="HYPERBATON_SERVE_TOKEN")
    no_browser: bool = flag("--no-browser", title="Address")
    keep: str | None = option("--keep DIR")
    max_mb: int = option("--max-mb", 64, low=1, high=4096)
    job_minutes: float = option("--job-minutes", 60.0)
    jobs: int = option("--jobs", 1, low=1, high=64)
    threads: int | None = option("--threads")


def serve_command(options: ServeOptions) -> None:
    """Compare systems and explain translations in a browser.

    The server listens only on this machine unless --host is given, and it sends nothing to other
    servers. Press Ctrl-C to stop.

    \b
    Examples:
      hyperbaton serve
      hyperbaton serve --port 8000 --no-browser
      hyperbaton serve --keep results/
      hyperbaton serve --host 0.0.0.0 --port 8000
    """
    from hyperbaton.threads import thread_count

    thread_count(options.threads)
    minutes = options.job_minutes
    if not 0 < minutes <= 100_000:
        raise InputError(f"--job-minutes must be above 0 and at most 100,000, got {minutes:g}")
    if not all(map(importlib.util.find_spec, ("starlette", "uvicorn"))):
        raise MissingData(
            "hyperbaton serve needs Starlette and uvicorn: pip install 'hyperbaton[serve]'"
        )
    # Imported here, so that --help does not load any metric.
    from hyperbaton.serve.server import ServerSettings, run_server

    run_server(ServerSettings(**vars(options)))
