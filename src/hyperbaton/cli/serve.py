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
            help="Address to listen at. Any but the loopback address can be reached by others and "
            "needs a token.",
            rich_help_panel="Address",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port; 0 for a free one.", rich_help_panel="Address"),
    ] = 0,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            envvar="HYPERBATON_SERVE_TOKEN",
            help="Access token that every request needs; default: none on the loopback address, "
            "otherwise a random one.",
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
            help="Keep results in this folder; default: until the server stops.",
            rich_help_panel="Jobs",
        ),
    ] = None,
    max_mb: Annotated[
        int,
        typer.Option(min=1, max=4096, help="Largest upload, in megabytes.", rich_help_panel="Jobs"),
    ] = 64,
    job_minutes: Annotated[
        float, typer.Option(help="Longest time of a job, in minutes.", rich_help_panel="Jobs")
    ] = 60.0,
    jobs: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="Number of jobs that run at a time.", rich_help_panel="Jobs"
        ),
    ] = 1,
    threads: Annotated[
        int | None,
        typer.Option(help="Threads of a job; default: all cores.", rich_help_panel="Jobs"),
    ] = None,
) -> None:
    """Compare systems and explain translations in a browser.

    The page is served by this machine for this machine: nothing is sent anywhere else. Press Ctrl-C
    to stop.

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
