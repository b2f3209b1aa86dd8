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
    soft_order,
    swaps,
    text_options,
)
from evidence.data import ROOT, data_folder, matcher_data, parser_available
from evidence.page import NOT_MEASURED
from hyperbaton.files.output_files import write_beside

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
    soft_order,
    text_options,
    overview,
)


def introduction() -> str:
    matchers = "" if matcher_data() else f" All matchers of METEOR: {NOT_MEASURED}."
    trees = "" if parser_available() else f" Trees: {NOT_MEASURED}."
    return (
        "# Evidence\n\n"
        "This page shows how well each metric agrees with people and detects word-order errors, "
        "and compares the results with those of the papers. "
        "`HYPERBATON_DATA=… METEOR_PARAPHRASES=… WORDNET=… make evidence` generates this page. Do "
        "not edit it: the text is in `evidence/`, with one module per section. (Speed is on "
        f"[another page](speed.md).) The page was made with Hyperbaton {hyperbaton.__version__}. "
        "Metrics have their defaults unless a table says otherwise. English words are matched "
        "exactly and by stems. Fitted metrics are fitted on the references of each test "
        "set. Intervals are 95 % bootstrap intervals with 1,000 samples, seed 1."
        f"{matchers}{trees}"
    )


def main() -> None:
    data_folder()  # exits if there is no data
    parts = [introduction()]
    for module in SECTIONS:
        print(module.__name__, file=sys.stderr, flush=True)
        parts.append(module.section())
    with write_beside(PAGE) as file:
        file.write("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
