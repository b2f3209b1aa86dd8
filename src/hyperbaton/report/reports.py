"""A report: one page to send on, that needs nothing else, and its content as data."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from html import escape
from importlib import resources
from string import Template
from typing import Any

from hyperbaton.metrics.base import StrPath
from hyperbaton.metrics.comparison import Comparison
from hyperbaton.metrics.sampling import Sampling
from hyperbaton.metrics.scoring import Result
from hyperbaton.report.content import content
from hyperbaton.report.drawings.canvas import LOOKS
from hyperbaton.report.page import PAGE_LOOKS
from hyperbaton.report.svg import DARK, style_sheet
from hyperbaton.text.lines import write_beside

SCRIPTS = (
    "order.js",
    "drawings.js",
    "wording.js",
    "systems.js",
    "spread.js",
    "segments.js",
    "report.js",
)
ON_SCREEN = f" screen and {DARK}"  # paper is white
# JSON stands in an element of the page, which ends, or becomes another one, by what follows a <.
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


class Report:
    """What :meth:`hyperbaton.metrics.scoring.Result.report` gives.

    >>> import hyperbaton as hb
    >>> report = hb.score(["a dog sees a cat"], ["a cat sees a dog"], ["pef"]).report()
    >>> report
    <Report 'Word order of system': 1 system, 1 segment>
    >>> report.to_dict()["systems"][0]["segments"]["links"]
    [[0, 3, 2, 2, 2, 1, 3, 0, 2]]
    >>> report.to_html().startswith("<!doctype html>")
    True
    """

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    def to_dict(self) -> dict[str, Any]:
        """The content, for JSON."""
        return self._content

    def to_json(self) -> str:
        """``to_dict`` as text, with nothing that it could do without."""
        return self._json

    @cached_property
    def _json(self) -> str:
        return json.dumps(self._content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def to_html(self) -> str:
        """The page. Nothing in it is executed but its own script, which its policy names."""
        style = style_sheet({**LOOKS, **PAGE_LOOKS}, ON_SCREEN) + "\n" + _asset("report.css")
        script = '"use strict";\n' + "".join(map(_asset, SCRIPTS))
        policy = (
            f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
            "base-uri 'none'; form-action 'none'"
        )
        return Template(_asset("report.html")).substitute(
            policy=policy,
            title=escape(self._content["title"]),
            style=style,
            content=self._json.translate(ESCAPES),
            script=script,
        )

    def save(self, path: StrPath) -> None:
        """Write the page to a file, wholly or not at all."""
        with write_beside(path) as file:
            file.write(self.to_html())

    def __repr__(self) -> str:
        systems, n = len(self._content["systems"]), self._content["n"]
        return (
            f"<Report {self._content['title']!r}: {systems} system{'s' * (systems != 1)}, "
            f"{n:,} segment{'s' * (n != 1)}>"
        )


def report_of(
    results: Sequence[Result],
    sampling: Sampling | None = None,
    comparison: Comparison | None = None,
    title: str | None = None,
    threads: int | None = None,
) -> Report:
    """The report of results whose texts and statistics were kept.

    ``sampling`` is how their intervals were made.
    """
    return Report(content(results, sampling, comparison, title, threads))


def _asset(name: str) -> str:
    return resources.files("hyperbaton.report").joinpath("assets", name).read_text("utf-8")


def _hash(text: str) -> str:
    """As a content security policy names what it allows."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
