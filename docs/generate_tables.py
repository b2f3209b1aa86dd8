"""Write the tables of measures, metrics and terms in the documentation from the catalogues.

Run ``python docs/generate_tables.py`` after adding a measure, a metric or a term. A test checks
that the pages are current.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from hyperbaton.metrics.registry import BUILTIN_CLASSES
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.views.catalogue import format_range, metric_dict
from hyperbaton.views.glossary import TOPICS

DOCS = Path(__file__).parent
REVERSED, ROTATED = (5, 4, 3, 2, 1), (2, 3, 4, 5, 1)
# Pictures of terms, and what they show.
PICTURES = {
    "link": ("glossary-links.svg", "Each line is a link. “will” is not linked."),
    "chunk": ("glossary-chunks.svg", "Three chunks: “he has”, “the book” and “read”."),
    "move": ("glossary-move.svg", "“at noon” has to move after “in the lobby”: three words."),
    "permutation-tree": (
        "glossary-tree.svg",
        "The permutation is ⟨1, 2, 6, 7, 3, 4, 5⟩. “at noon” and “in the lobby” have changed "
        "places. The numbers below the words are their places in the reference.",
    ),
    "permutation-forest": (
        "glossary-forest.svg",
        "The reference is “tomorrow we leave”. “we” can be grouped with “leave” or with "
        "“tomorrow”, so there are two trees.",
    ),
    "operator-2413": (
        "glossary-operator-2413.svg",
        "The reference is “yesterday we met there”. No two neighbours stay together.",
    ),
    "break": ("glossary-breaks.svg", "“read” is in the wrong place, so there are three breaks."),
    "inversion-parse": (
        "glossary-parse.svg",
        "“will” is deleted, and two blocks change places: the cost is 2.",
    ),
    "dependency-tree": (
        "explain-dependencies.svg",
        "The red words have to be deleted to make both trees equal.",
    ),
    "interval": (
        "glossary-ranking.svg",
        "Three systems: the dots are the scores, and the lines are their intervals. “fluent” is a "
        "cluster of its own. “phrasal” and “literal” do not differ significantly, so both have "
        "the ranks 2–3.",
    ),
}


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
    for variants in BUILTIN_CLASSES.values():
        for name in variants:
            found = metric_dict(name)
            arrow = "↑" if found["higher_is_better"] else "↓"
            link = f"[{name}]({_page(name, variants[0])})"
            cells = [link, arrow, format_range(name), found["about"], found["paper"]]
            lines.append(_row(cells))
    return "\n".join(lines)


def glossary() -> str:
    """Return all terms by topic, with their pictures."""
    parts = []
    for topic, terms in TOPICS.items():
        parts.append(f"## {topic}")
        for term in terms:
            parts.append(f'<a id="{term.key}"></a>**{term.name}**: {term.text}')
            if term.key in PICTURES:
                picture, caption = PICTURES[term.key]
                parts += [f"![{caption}](img/{picture})", f"*{caption}*"]
    return "\n\n".join(parts)


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
    "terms": ("glossary.md", glossary),
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
