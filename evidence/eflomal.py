"""The aligner eflomal (Östling & Tiedemann 2016), for comparison.

EFLOMAL is the path of its program ``eflomal-align``; without it, the one on PATH is used. It
lower-cases words and draws random numbers without a seed, so that its links differ in each run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

LinkSet = set[tuple[int, int]]
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def find() -> str | None:
    """Return the path of the program, or None if it is missing."""
    return shutil.which(os.environ.get("EFLOMAL", "eflomal-align"))


def write_lines(path: Path, lines: Iterable[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return str(path)


def align(pairs: Sequence[tuple[str, str]]) -> tuple[list[LinkSet], list[LinkSet]]:
    """Return the links of all pairs in both directions; words are separated by spaces."""
    program = find()
    assert program is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = [
            write_lines(folder / side, (pair[k] for pair in pairs))
            for k, side in enumerate(("source", "target"))
        ]
        found = [folder / "forward", folder / "reverse"]
        files = ["-s", sides[0], "-t", sides[1], "-f", str(found[0]), "-r", str(found[1])]
        subprocess.run([program, *files], check=True)
        forward, reverse = ([parse_links(line) for line in path.open()] for path in found)
    return forward, reverse


def parse_links(line: str) -> LinkSet:
    """Return the links of a line such as ``0-0 1-2``."""
    ends = (field.split("-") for field in line.split())
    return {(int(source), int(target)) for source, target in ends}


def grow_diag_final_and(forward: LinkSet, reverse: LinkSet) -> LinkSet:
    """Join the links of two directions (Koehn et al. 2005), since eflomal cannot.

    The common links grow into neighbouring links of either direction that cover a new word. Then
    links between two words without any link are added, those of the forward direction first. As in
    Moses, target words are gone through in order.

    >>> forward, reverse = {(0, 0), (1, 1), (4, 2)}, {(0, 0), (2, 2), (2, 4)}
    >>> sorted(grow_diag_final_and(forward, reverse))
    [(0, 0), (1, 1), (2, 2)]
    """
    links = forward & reverse
    candidates = sorted(forward | reverse, key=_by_target)

    def is_free(word: int, side: int) -> bool:
        return all(link[side] != word for link in links)

    growing = True
    while growing:
        growing = False
        for source, target in candidates:
            if (source, target) not in links:
                continue
            for target_step, source_step in NEIGHBOURS:
                link = source + source_step, target + target_step
                if link in candidates and (is_free(link[0], 0) or is_free(link[1], 1)):
                    links.add(link)
                    growing = True
    for direction in (forward, reverse):
        for link in sorted(direction, key=_by_target):
            if is_free(link[0], 0) and is_free(link[1], 1):
                links.add(link)
    return links


def _by_target(link: tuple[int, int]) -> tuple[int, int]:
    return link[1], link[0]
