"""Print how well the package is built, beside 0.2.0 and the goals: make house

python -m release.house [TREE] [--list TEXT]: TREE is a checkout with an environment in ``.venv``,
by default this one. ``--list`` prints what was counted for the rows whose title has the text.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from release.house.thermometers import THERMOMETERS, Thermometer
from release.house.tree import NotMeasuredError, Tree


def main() -> None:
    """Print the table. A ``*`` marks what is above its goal."""
    parser = argparse.ArgumentParser(prog="python -m release.house", description=__doc__)
    parser.add_argument("tree", nargs="?", type=Path, default=Path())
    parser.add_argument("--list", metavar="TEXT", help="only rows with this text, and what counts")
    given = parser.parse_args()
    tree = Tree(given.tree.resolve())
    print(f"{'':43}{'0.2.0':>8}{'here':>9}  {'goal':>8}")
    for thermometer in THERMOMETERS:
        if given.list is None or given.list in thermometer.title:
            print_row(tree, thermometer, with_counted=given.list is not None)


def print_row(tree: Tree, thermometer: Thermometer, with_counted: bool) -> None:
    """Print one number, or why it is missing."""

    def text(value: float) -> str:
        return f"{value:,.{thermometer.digits}f}"

    start = f"{thermometer.title:43}{text(thermometer.before):>8}"
    try:
        reading = thermometer.read(tree)
    except NotMeasuredError as reason:
        print(f"{start}  not measured: {reason}")
        return
    mark = "*" if reading.value > thermometer.goal else " "
    print(f"{start}{text(reading.value):>9}{mark} ≤ {text(thermometer.goal):>6}", flush=True)
    if with_counted:
        print(*(f"    {item}" for item in reading.counted), sep="\n")


if __name__ == "__main__":
    main()
