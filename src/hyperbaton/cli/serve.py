"""``hyperbaton serve``: the web page."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from hyperbaton.errors import InputError, MissingData


def serve(
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on. Other machines can reach every address except loopback; "
            "such an address requires a token.",
            rich_help_panel="Address",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="Port; 0 selects a free port.", rich_help_panel="Address"
        ),
    ] = 0,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            envvar="HYPERBATON_SERVE_TOKEN",
            help="Access token that every request must carry; default: none on the loopback "
            "address, a random one elsewhere.",
            rich_help_panel="Address",
        ),
    ] = None,
    no_browser: Annotated[
        bool,
        typer.Option(
            "--no-browser", help="Do not open the page in a browser.", rich_help_panel="Address"
        ),
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep results in this folder; default: delete them when the server stops.",
            rich_help_panel="Jobs",
        ),
    ] = None,
    max_mb: Annotated[
        int,
        typer.Option(
            min=1, max=4096, help="Maximum upload size, in megabytes.", rich_help_panel="Jobs"
        ),
    ] = 64,
    job_minutes: Annotated[
        float, typer.Option(help="Maximum duration of a job, in minutes.", rich_help_panel="Jobs")
    ] = 60.0,
    jobs: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="Number of jobs that run at the same time.", rich_help_panel="Jobs"
        ),
    ] = 1,
    threads: Annotated[
        int | None,
        typer.Option(help="Number of threads per job; default: all cores.", rich_help_panel="Jobs"),
    ] = None,
) -> None:
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

    thread_count(threads)
    if not 0 < job_minutes <= 100_000:
        raise InputError(f"--job-minutes must be above 0 and at most 100,000, got {job_minutes:g}")
    if not all(map(importlib.util.find_spec, ("starlette", "uvicorn"))):
        raise MissingData(
            "hyperbaton serve needs Starlette and uvicorn: pip install 'hyperbaton[serve]'"
        )
    # Imported here, so that --help does not load any metric.
    from hyperbaton.serve.server import ServerSettings, run_server

    run_server(
        ServerSettings(host, port, token, not no_browser, max_mb, keep, job_minutes, jobs, threads)
    )
