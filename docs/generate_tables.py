"""Write the tables of measures and metrics in the documentation from the catalogues.

Run ``python docs/generate_tables.py`` after adding a measure or a metric. A test checks that the
pages are current.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from hyperbaton.metrics.registry import BUILTIN_CLASSES
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.report.catalogue import format_range, metric_dict

DOCS = Path(__file__).parent
REVERSED, ROTATED = (5, 4, 3, 2, 1), (2, 3, 4, 5, 1)


def measure_table() -> str:
    """Return the table of measures, with their values for two permutations."""
    lines = [
        "| measure | what it looks at | reversed: ⟨5, 4, 3, 2, 1⟩ "
        "| first word moved to the end: ⟨2, 3, 4, 5, 1⟩ |",
        "|---|---|---|---|",
    ]
    for name, measure in MEASURES.items():
        # + 0: no −0.00
        values = (measure.function(list(pi)) + 0.0 for pi in (REVERSED, ROTATED))
        note = "" if measure.measures_order else " (**not order**)"
        cells = [f"[{name}]({name}.md)", measure.description + note, *(f"{v:.2f}" for v in values)]
        lines.append(_row(cells))
    return "\n".join(lines)


def metric_table() -> str:
    """Return the table of metrics, with links to their pages."""
    lines = ["| metric | | range | what it looks at | paper |", "|---|---|---|---|---|"]
    for metric_class in BUILTIN_CLASSES:
        for name in metric_class.VARIANTS:
            found = metric_dict(name)
            arrow = "↑" if found["higher_is_better"] else "↓"
            link = f"[{name}]({_page(name, next(iter(metric_class.VARIANTS)))})"
            cells = [link, arrow, format_range(name), found["about"], found["paper"]]
            lines.append(_row(cells))
    return "\n".join(lines)


def _page(name: str, first_variant: str) -> str:
    """Return the page of a metric: its own, that of its measure, or that of its class."""
    for page in (f"metrics/{name}.md", f"measures/{name}.md", f"metrics/{first_variant}.md"):
        if (DOCS / page).exists():
            return page.removeprefix("metrics/") if page.startswith("metrics/") else f"../{page}"
    return "bleu.md"  # avgbleu is described there


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "measures": ("measures/README.md", measure_table),
    "metrics": ("metrics/README.md", metric_table),
}


def generate(name: str) -> tuple[Path, str]:
    """Return a page and the text that it should have."""
    page, make_table = TABLES[name]
    path = DOCS / page
    pattern = rf"(<!-- table of {name}: [^\n]*-->\n).*?(\n<!-- end of table -->)"
    text = path.read_text("utf-8")
    new, count = re.subn(pattern, lambda m: m[1] + make_table() + m[2], text, flags=re.S)
    assert count == 1, f"{page} has no place for the table of {name}"
    return path, new


if __name__ == "__main__":
    for name in TABLES:
        path, text = generate(name)
        path.write_text(text, "utf-8")
