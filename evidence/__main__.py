"""Write docs/evidence.md: python -m evidence, or make evidence.

With names of modules, such as ``python -m evidence swaps labels``, only their sections are made
anew, for which the page says so: the others need data that not everyone has.
"""

from __future__ import annotations

import re
import sys
from types import ModuleType

import hyperbaton
from evidence import (
    complexity,
    crossings,
    defaults,
    dependency,
    encoders,
    error_rates,
    forests,
    labels,
    link_choice,
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
REMADE = " Made anew since, with the metric `order`: "
SECTIONS = (
    defaults,
    forests,
    complexity,
    error_rates,
    dependency,
    lrscore,
    crossings,
    swaps,
    labels,
    soft_order,
    text_options,
    link_choice,
    overview,
    encoders,
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


def section(module: ModuleType) -> str:
    print(module.__name__, file=sys.stderr, flush=True)
    text: str = module.section()
    return text


def remade(names: list[str]) -> list[str]:
    """Return the parts of the page, with the sections of these modules made anew."""
    first, *rest = re.split(r"\n\n(?=## )", PAGE.read_text("utf-8").removesuffix("\n"))
    first, _, earlier = first.partition(REMADE)
    anew = set(earlier.rstrip(".").split("; "))
    for k, module in enumerate(SECTIONS):
        if module.__name__.removeprefix("evidence.") in names:
            rest[k : k + 1] = [section(module)]  # a new section stands behind all others
            anew.add(heading(rest[k]))
    return [first + REMADE + "; ".join(filter(anew.__contains__, map(heading, rest))) + ".", *rest]


def heading(text: str) -> str:
    return text.partition("\n")[0].removeprefix("## ")


def main() -> None:
    data_folder()  # exits if there is no data
    names = sys.argv[1:]
    parts = remade(names) if names else [introduction(), *map(section, SECTIONS)]
    with write_beside(PAGE) as file:
        file.write("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
