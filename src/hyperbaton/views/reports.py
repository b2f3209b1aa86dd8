"""Reports: a self-contained HTML page about systems, and what text and notebooks show of it."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from string import Template

from hyperbaton.runs.reports import Report
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.asset_files import read_asset
from hyperbaton.views.drawings.canvas import LOOKS
from hyperbaton.views.drawings.script_constants import script_constants
from hyperbaton.views.page import PAGE_LOOKS
from hyperbaton.views.score_tables import MetricValues, system_table
from hyperbaton.views.svg import ON_SCREEN, style_sheet
from hyperbaton.views.tables import Document, Estimate, Prose, Section, View

SCRIPTS = (
    "decode.js",
    "drawings.js",
    "words.js",
    "systems.js",
    "examples.js",
    "spread.js",
    "segments.js",
    "report.js",
)
# The JSON is inside a script element, where "<" could end the element or start a comment.
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
HOW_TO_OPEN = (
    'To see every segment, save the page with report.save("report.html") and open it in a browser.'
)


@dataclass(frozen=True)
class ReportView(View):
    """A report in short: its verdict and the scores."""

    report: Report

    def document(self) -> Document:
        """Return the verdict and the table of scores."""
        content = self.report.to_dict()
        systems, metrics = content["systems"], content["metrics"]
        values = [
            MetricValues(
                metric["name"],
                metric["higher_is_better"],
                [
                    Estimate(score["value"], score["lower"], score["upper"])
                    for score in (system["scores"][metric["name"]] for system in systems)
                ],
            )
            for metric in metrics
        ]
        names, shares = zip(*((s["name"], s["aligned"]) for s in systems), strict=True)
        return Document(
            [Section([Prose(self.report.verdict()), system_table(names, shares, values)])],
            [count_noun(content["n"], "segment"), HOW_TO_OPEN],
            [metric["signature"] for metric in metrics],
            title=content["title"],
        )

    def cautions(self) -> list[str]:
        """Return the notes on the page."""
        notes: list[str] = self.report.to_dict()["notes"]
        return notes


def report_page(report: Report) -> str:
    """Return the page of a report."""
    style = style_sheet({**LOOKS, **PAGE_LOOKS}, ON_SCREEN) + "\n" + read_asset("report.css")
    script = '"use strict";\n' + script_constants() + "".join(map(read_asset, SCRIPTS))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(read_asset("report.html")).substitute(
        policy=policy,
        title=escape(report.to_dict()["title"]),
        style=style,
        content=report.to_json().translate(ESCAPES),
        script=script,
    )


def _hash(text: str) -> str:
    """The hash of a script or style, in the format of content security policies."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
