"""The options of ``meta`` and ``tune``: test sets and human judgements."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from hyperbaton.cli.groups import OptionGroup
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_LANGUAGE, EXAMPLE_SYSTEMS
from hyperbaton.cli.systems import name_systems, split_name
from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable

if TYPE_CHECKING:
    from hyperbaton.meta.testsets import TestSet


class Average(StrEnum):
    """Over what agreements are averaged."""

    none = "none"
    item = "item"
    system = "system"


class People(StrEnum):
    """Kinds of human judgements."""

    rankings = "rankings"
    ranks = "ranks"
    segments = "segments"
    systems = "systems"


AgreementOption = Annotated[
    str,
    typer.Option(
        "--agreement",
        "-a",
        help="Measure of agreement; hyperbaton meta --list shows all of them.",
        rich_help_panel="Judgements",
    ),
]


@dataclass(frozen=True)
class TestSetOptions(OptionGroup):
    """Test sets: folders, or files of systems and references."""

    TITLE: ClassVar[str] = "Input"
    __test__: ClassVar[bool] = False  # not a test, whatever its name suggests to pytest

    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FOLDER...",
            help="Test-set folders, in Hyperbaton's or mt-metrics-eval's layout; with --human, "
            "system files, or NAME=FILE.",
            show_default=False,
        ),
    ] = None
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            "-r",
            metavar="REF",
            help="Reference file or, for mt-metrics-eval, the name of a reference; may be "
            "repeated.",
        ),
    ] = None
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair",
            metavar="PAIR",
            help="Use only this language pair, e.g. de-en; may be repeated.",
        ),
    ] = None

    example: Annotated[
        bool,
        typer.Option(
            "--example",
            help="Use Hyperbaton's example set, with invented judgements.",
        ),
    ] = False

    @property
    def language(self) -> str | None:
        """The language that the test set has by itself: that of the example."""
        return EXAMPLE_LANGUAGE if self.example else None

    @property
    def given_paths(self) -> list[str]:
        """The folders, or the files of systems and references, that were given."""
        return [*(split_name(data)[1] for data in self.data or ()), *(self.references or ())]


@dataclass(frozen=True)
class SourceOptions(OptionGroup):
    """Links through the source."""

    TITLE: ClassVar[str] = "Alignments"

    source: Annotated[
        str | None,
        typer.Option("--source", metavar="SRC", help="Source text, for systems given as files."),
    ] = None
    align_source: Annotated[
        bool,
        typer.Option(
            "--align-source",
            help="Compute the links through the source: train an aligner on the texts of each "
            "test set, or use --aligner-model.",
        ),
    ] = False


@dataclass(frozen=True)
class JudgementOptions(OptionGroup):
    """Which human judgements are used, and how."""

    TITLE: ClassVar[str] = "Judgements"

    human: Annotated[
        list[str] | None,
        typer.Option(
            "--human",
            metavar="FILE",
            help="Human judgements, for systems given as files; may be repeated.",
        ),
    ] = None
    human_scores: Annotated[
        str | None,
        typer.Option(
            "--human-scores",
            metavar="NAME",
            help="Which mt-metrics-eval human scores to use, e.g. mqm.",
        ),
    ] = None
    people: Annotated[
        People | None,
        typer.Option(
            "--people",
            help="Which human judgements to use; the valid kinds depend on the measure.",
        ),
    ] = None
    average: Annotated[
        Average | None,
        typer.Option("--average", help="Average per segment (item), per system, or not at all."),
    ] = None
    standardize: Annotated[
        bool,
        typer.Option("--standardize", help="Scale each judge's scores to mean 0 and variance 1."),
    ] = False

    @property
    def kind(self) -> str | None:
        """The kind of judgements that was asked for."""
        return None if self.people is None else self.people.value

    @property
    def averaging(self) -> str | None:
        """The averaging that was asked for."""
        return None if self.average is None else self.average.value


def read_sets(
    command: str,
    inputs: TestSetOptions,
    judgements: JudgementOptions,
    others: bool = False,
    trees: bool = False,
    source: SourceOptions | None = None,
) -> list[TestSet]:
    """Read the test sets of folders, or the one that files make up.

    Parameters
    ----------
    command : str
        Name of the command, for error messages.
    inputs, judgements
        Options of the command.
    others : bool
        Whether to read the scores of other metrics.
    trees : bool
        Whether to read dependency trees.
    source : SourceOptions, optional
        Which source sentences to read.
    """
    from hyperbaton.meta.folders import add_source, read_test_sets

    if inputs.example:
        return [read_example(inputs, judgements, trees, source is not None and source.align_source)]
    if not inputs.data:
        raise InputError(f"no data: hyperbaton {command} FOLDER...")
    if judgements.human:
        if inputs.pair or judgements.human_scores or others:
            raise InputError("--pair, --human-scores and --others can only be used with folders")
        if not inputs.references:
            raise InputError(f"no reference: hyperbaton {command} -r REF SYS... --human FILE")
        name = os.path.basename(judgements.human[0]).split(".")[0]
        test_set = _read_files(name, inputs.data, inputs.references, judgements)
        if source is None or not source.align_source:
            return [test_set]
        if source.source is None:
            raise InputError("--align-source needs the source text: --source SRC")
        return [add_source(test_set, source.source)]
    if source is not None and source.source is not None:
        raise InputError("--source can only be used with files: folders have their own source")
    return [
        test_set
        for folder in inputs.data
        for test_set in read_test_sets(
            folder,
            pairs=inputs.pair,
            scores=judgements.human_scores,
            references=inputs.references,
            others=others,
            standardize=judgements.standardize,
            trees=trees,
            source=source is not None and source.align_source,
        )
    ]


def read_example(
    inputs: TestSetOptions, judgements: JudgementOptions, trees: bool, source: bool
) -> TestSet:
    """Read the example set with its judgements, and its trees and source if they are needed."""
    from hyperbaton.meta.folders import add_source
    from hyperbaton.syntax.conllu import read_trees

    if inputs.data or inputs.references or inputs.pair or judgements.human:
        raise InputError(
            "--example has its own systems, reference and judgements: do not give others"
        )
    systems = [str(EXAMPLE / f"{name}.txt") for name in EXAMPLE_SYSTEMS]
    given = replace(judgements, human=[str(EXAMPLE / "judgements.csv")])
    test_set = _read_files("example", systems, [str(EXAMPLE / "reference.txt")], given)
    if trees:
        references = [row[0] for row in test_set.references]
        test_set = replace(
            test_set,
            trees={
                name: list(read_trees(EXAMPLE / f"{name}.conllu", lines))
                for name, lines in test_set.systems.items()
            },
            reference_trees=[
                (tree,) for tree in read_trees(EXAMPLE / "reference.conllu", references)
            ],
        )
    return add_source(test_set, EXAMPLE / "source.txt") if source else test_set


def _read_files(
    test_set: str,
    systems: Sequence[str],
    references: Sequence[str],
    judgements: JudgementOptions,
) -> TestSet:
    """Read a test set from files.

    The name of a system is given as ``name=file``, or it is that of its file, without .txt.
    """
    from hyperbaton.meta.folders import read_test_set
    from hyperbaton.meta.tables import strip_text_suffix

    given_names, paths = zip(*map(split_name, systems), strict=True)
    names = [
        strip_text_suffix(Path(path).name) if name is None else name
        for name, path in zip(given_names, paths, strict=True)
    ]
    if len(set(names)) < len(names):
        names = name_systems(given_names, paths).names
    return read_test_set(
        test_set,
        dict(zip(names, paths, strict=True)),
        references,
        judgements.human or [],
        judgements.standardize,
    )


def check_plot(name: str | None) -> None:
    """Raise an error if a plot cannot be drawn, or its name does not end in .svg."""
    if name is None:
        return
    if not name.lower().endswith(".svg"):
        raise InputError(f"--plot writes SVG: the name must end in .svg, got {printable(name)}")
    # Needs matplotlib, which is missing now rather than after a long evaluation.
    import hyperbaton.views.plots  # noqa: F401
