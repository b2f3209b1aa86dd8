"""Write docs/evidence.md: python -m evidence, or make evidence."""

from __future__ import annotations

import sys

import hyperbaton
from evidence import (
    complexity,
    defaults,
    dependency,
    error_rates,
    forests,
    labels,
    lrscore,
    overview,
    swaps,
)
from evidence.data import ROOT, folder, matchers_data, parser_there
from evidence.page import NOT_MEASURED
from hyperbaton.text.lines import write_beside

PAGE = ROOT / "docs" / "evidence.md"
SECTIONS = (
    defaults,
    forests,
    complexity,
    error_rates,
    dependency,
    lrscore,
    swaps,
    labels,
    overview,
)


def introduction() -> str:
    large = "" if matchers_data() else f" All matchers of METEOR: {NOT_MEASURED}."
    trees = "" if parser_there() else f" Trees: {NOT_MEASURED}."
    return (
        "# Evidence\n\n"
        "This page is made by `HYPERBATON_DATA=… METEOR_PARAPHRASES=… WORDNET=… make evidence`, "
        "and is not to be edited: the text is in `evidence/`, a module for each section. "
        f"(How fast all is, is [elsewhere](speed.md).) Hyperbaton {hyperbaton.__version__}; "
        "metrics are at their defaults unless the table says otherwise, English words are matched "
        "by letters and stems; intervals are 95 % of 1,000 bootstrap samples, seed 1."
        f"{large}{trees}"
    )


def main() -> None:
    folder()
    parts = [introduction()]
    for module in SECTIONS:
        print(module.__name__, file=sys.stderr, flush=True)
        parts.append(module.section())
    with write_beside(PAGE) as file:
        file.write("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
