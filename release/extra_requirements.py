"""Print the requirements of extras, for pip: python release/extra_requirements.py test lint

Installing the project with an extra would compile the core again.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def requirements(extra: str, extras: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the requirements of an extra; other extras of the project stand for their own."""
    for requirement in extras[extra]:
        own = re.fullmatch(r"hyperbaton\[(.*)\]", requirement)
        if own is None:
            yield requirement
        else:
            for other in own[1].split(","):
                yield from requirements(other, extras)


def main() -> None:
    """Print the requirements of all extras that are given."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    for extra in sys.argv[1:]:
        print(*requirements(extra, project["optional-dependencies"]), sep="\n")


if __name__ == "__main__":
    main()
