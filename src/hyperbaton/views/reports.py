"""Reports: a self-contained HTML page about systems, and what text and notebooks show of it."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from html import escape
from string import Template
from types import ModuleType
from typing import Any

from hyperbaton.explanations.order_marks import (
    BREAK_MEANING,
    CLEAR,
    REVERSED_MEANING,
    SHADE_MEANING,
    SHADES,
)
from hyperbaton.runs.results import Report
from hyperbaton.text.display import MAX_WORD_LENGTH
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.asset_files import read_asset
from hyperbaton.views.drawings import canvas, sentences, trees
from hyperbaton.views.page import PAGE_LOOKS
from hyperbaton.views.score_tables import MetricValues, system_table
from hyperbaton.views.svg import FONT, ON_SCREEN, SIZE, style_sheet
from hyperbaton.views.tables import Document, Estimate, Prose, View, ViewSection

SCRIPTS = ("decode", "drawings", "words", "systems", "examples", "spread", "segments", "moves", "report")


def _constants(module: ModuleType, names: str) -> dict[str, Any]:
    return {name: getattr(module, name) for name in names.split()}


# Pages also draw in the browser (assets/drawings.js), with the constants of drawings.
CONSTANTS = {
    "FONT": FONT,
    "TEXT": SIZE,
    "MAX_WORD_LENGTH": MAX_WORD_LENGTH,
    "MOVE_COLOURS": len(canvas.MOVES),
    "CLEAR": CLEAR,
    "BREAK_MEANING": BREAK_MEANING,
    "REVERSED_MEANING": REVERSED_MEANING,
    "SHADES": SHADES,
    "SHADE_MEANING": SHADE_MEANING,
    **_constants(canvas, "SMALL LINE PAD GAP MARGIN MAX_WIDTH"),
    **_constants(sentences, "LINK_SPACE CAPTION BREAK_ROOM REVERSED_ROOM ARROW THICKNESS"),
    **_constants(sentences, "LEGEND_LINE LEGEND_MARK LEGEND_STEP"),
    **_constants(trees, "LEVEL LEAF_GAP LEAF_WIDTH NEXT_LINE"),
}
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
        values = []
        for metric in metrics:
            scores = [system["scores"][metric["name"]] for system in systems]
            estimates = [Estimate(s["value"], s["lower"], s["upper"]) for s in scores]
            marked = {row: s["value"] for row, s in enumerate(scores) if s["may_win"]}
            higher = metric["higher_is_better"]
            values.append(MetricValues(metric["name"], higher, estimates, marked))
        shares = {key: [system[key] for system in systems] for key in ("linked", "matched")}
        table = system_table([system["name"] for system in systems], shares, values)
        section = ViewSection([Prose(self.report.verdict()), table])
        notes = [count_noun(content["n"], "segment"), HOW_TO_OPEN]
        signatures = [metric["signature"] for metric in metrics]
        return Document([section], notes, signatures, title=content["title"])

    def cautions(self) -> list[str]:
        """Return the notes on the page."""
        return list(self.report.to_dict()["notes"])


def report_page(report: Report) -> str:
    """Return the page of a report."""
    style = style_sheet({**canvas.LOOKS, **PAGE_LOOKS}, ON_SCREEN) + "\n" + read_asset("report.css")
    script = (
        '"use strict";\n'
        + script_constants()
        + "".join(read_asset(f"{name}.js") for name in SCRIPTS)
    )
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


def script_constants() -> str:
    """Return the declarations of the constants, for the scripts that follow.

    >>> print(script_constants())
    // The constants of hyperbaton.views.drawings.
    const FONT = "Arial, ...
    """
    lines = (f"const {name} = {json.dumps(value)};\n" for name, value in CONSTANTS.items())
    return "// The constants of hyperbaton.views.drawings.\n" + "".join(lines)
