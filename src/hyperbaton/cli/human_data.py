"""Human judgements, as ``meta`` and ``tune`` take them: options, and what they are of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hyperbaton.cli.options import system_names
from hyperbaton.errors import InputError
from hyperbaton.meta.readers import read_judgements
from hyperbaton.meta.tables import bare
from hyperbaton.meta.testsets import TestSet, read_lines_of, read_test_sets
from hyperbaton.text.lines import printable


class Average(StrEnum):
    """Of what an agreement is the mean."""

    none = "none"
    item = "item"
    system = "system"


class People(StrEnum):
    """Which judgements are taken."""

    rankings = "rankings"
    ranks = "ranks"
    segments = "segments"
    systems = "systems"


Folders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FOLDER...",
        help="Of a test set, of several, or of mt-metrics-eval; with --human, systems.",
        show_default=False,
    ),
]
Agreement = Annotated[
    str,
    typer.Option("--agreement", "-a", help="The measure; hyperbaton meta --list names them."),
]
Averaged = Annotated[
    Average | None,
    typer.Option("--average", help="Its mean over nothing, segments (items) or systems."),
]
Judgements = Annotated[
    People | None,
    typer.Option(
        "--people",
        help="Which judgements: for measures of pairs rankings or segments, of segments segments "
        "or ranks, of systems any.",
    ),
]
HumanFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--human",
        metavar="FILE",
        help="Judgements, for systems that are files; may be repeated.",
    ),
]
References = Annotated[
    list[str] | None,
    typer.Option(
        "--reference",
        "-r",
        metavar="REF",
        help="A reference; of mt-metrics-eval, its name; may be repeated.",
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Option("--pair", metavar="PAIR", help="Only this one, such as de-en; may be repeated."),
]
HumanScores = Annotated[
    str | None,
    typer.Option("--human-scores", metavar="NAME", help="Those of mt-metrics-eval, such as mqm."),
]
Standardize = Annotated[
    bool, typer.Option("--standardize", help="Each judge's scores to mean 0, variance 1.")
]


def check_outputs(outputs: Sequence[str | None], *inputs: Sequence[str] | None) -> None:
    """Refuse to write over what is read, or two things to one file."""
    written = [os.path.realpath(name) for name in outputs if name is not None and name != "-"]
    for name in (one for several in inputs for one in several or ()):
        if os.path.realpath(name) in written:
            raise InputError(f"{printable(name)} would be written over while it is read")
    if len(set(written)) < len(written):
        raise InputError("two outputs would be written to the same file")


def check_plot(name: str | None) -> None:
    """Refuse a picture of another kind."""
    if name is not None and not name.lower().endswith(".svg"):
        raise InputError(f"--plot draws SVG: {printable(name)} should end in .svg")


def read(
    command: str,
    data: Sequence[str] | None,
    references: Sequence[str] | None,
    human: Sequence[str] | None,
    pairs: Sequence[str] | None,
    human_scores: str | None,
    standardize: bool,
    others: bool = False,
    trees: bool = False,
) -> list[TestSet]:
    """The test sets of folders, or the one of files."""
    if not data:
        raise InputError(f"no data: hyperbaton {command} FOLDER...")
    if human:
        if pairs or human_scores or others:
            raise InputError("--pair, --human-scores and --others are for folders, not for files")
        return [_of_files(command, data, references, human, standardize)]
    return [
        found
        for folder in data
        for found in read_test_sets(
            folder,
            pairs=pairs,
            scores=human_scores,
            references=references,
            others=others,
            standardize=standardize,
            trees=trees,
        )
    ]


def _of_files(
    command: str,
    systems: Sequence[str],
    references: Sequence[str] | None,
    human: Sequence[str],
    standardize: bool,
) -> TestSet:
    """A test set of files; a system is called by its file, without .txt."""
    if not references:
        raise InputError(f"no reference: hyperbaton {command} -r REF SYS... --human FILE")
    names = [bare(Path(name).name) for name in systems]
    if len(set(names)) < len(names):
        names = system_names(systems)
    texts = {name: read_lines_of(path) for name, path in zip(names, systems, strict=True)}
    several = [read_lines_of(path) for path in references]
    for name, lines in [*zip(references, several, strict=True), *texts.items()]:
        if len(lines) != len(several[0]):
            raise InputError(
                f"{references[0]} has {len(several[0]):,} lines, but {name} has {len(lines):,}"
            )
    rows = list(zip(*several, strict=True))
    judgements = [
        read_judgements(path, names, len(rows), standardize=standardize) for path in human
    ]
    name = os.path.basename(human[0]).split(".")[0]
    return TestSet.of(name, texts, rows, judgements)
