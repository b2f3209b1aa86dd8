"""Reports: a self-contained HTML page about systems, and what text and notebooks show of it."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, replace
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
from hyperbaton.runs.verdict_sentences import NO_ORDER
from hyperbaton.text.display import MAX_WORD_LENGTH
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.asset_files import read_asset
from hyperbaton.views.drawings import canvas, sentences, trees
from hyperbaton.views.page import PAGE_LOOKS
from hyperbaton.views.score_tables import (
    SystemColumn,
    cluster_starts,
    system_table,
    with_shares,
)
from hyperbaton.views.svg import FONT, ON_SCREEN, SIZE, style_sheet
from hyperbaton.views.tables import Cell, Document, Percent, Prose, View, ViewPart

SCRIPTS = (
    "decode",
    "drawings",
    "words",
    "systems",
    "examples",
    "spread",
    "segments",
    "moves",
    "report",
)


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
# The JSON is inside a script element, where "<" could end the element or start a comment. The signs
# that isolate names in a verdict would change how the page's source is displayed.
ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029\u2068\u2069"}
HOW_TO_OPEN = (
    'To see every segment, save the page with report.save("report.html") and open it in a browser.'
)


@dataclass(frozen=True)
class ReportView(View):
    """A report in short: its verdict and the scores."""

    report: Report
    digits = 1

    def document(self) -> Document:
        """Return the verdict and the table of scores."""
        content = self.report.to_dict()
        systems, metrics = content["systems"], content["metrics"]
        values = [_metric_column(metric, systems) for metric in metrics]
        shares = {key: _by_system(systems, key) for key in ("matched", "linked")}
        verdict = self.report.verdict()
        order = None if verdict.outcome == NO_ORDER else verdict.figures["metric"]
        columns = with_shares(values, shares, [metric["name"] == order for metric in metrics])
        moves = _by_system(systems, "moves")
        if any(found["mostly"] is not None for found in moves.values()):
            counts = {name: count["kinds"]["any"]["segments"] for name, count in moves.items()}
            columns.append(SystemColumn("moves", {k: f"{n:,}" for k, n in counts.items()}))
            mostly = {name: found["mostly"] for name, found in moves.items()}
            columns.append(SystemColumn("mostly", mostly))
        first = next((m for m in metrics if m["name"] == order), metrics[0])
        names = [rank["system"] for rank in first["ranking"]]
        starts = cluster_starts([rank["cluster"] for rank in first["ranking"]])
        rules = frozenset() if order is None else starts
        table = replace(system_table(names, columns, rules), legend=content["table_note"])
        notes = [count_noun(content["n"], "segment"), HOW_TO_OPEN]
        signatures = [metric["signature"] for metric in metrics]
        parts: list[ViewPart] = [Prose(verdict.sentences, indented=True), table]
        return Document(parts, notes, signatures, title=content["title"])

    def cautions(self) -> list[str]:
        """Return the notes on the page."""
        return list(self.report.to_dict()["notes"])


def _by_system(systems: list[dict[str, Any]], key: str) -> dict[str, Any]:
    return {system["name"]: system[key] for system in systems}


def _metric_column(metric: dict[str, Any], systems: list[dict[str, Any]]) -> SystemColumn:
    """Return the column of a metric, with a sign for values significantly below the best."""
    cells: dict[str, Cell] = {}
    for system in systems:
        score = system["scores"][metric["name"]]
        cells[system["name"]] = Percent(*(score[k] for k in ("value", "lower", "upper", "below")))
    return SystemColumn(metric["name"], cells, not metric["higher_is_better"])


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
