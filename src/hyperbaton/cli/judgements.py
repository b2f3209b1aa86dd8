"""The options of ``meta`` and ``tune``: test sets and human judgements."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from hyperbaton.cli.commands import OptionGroup, Rules, argument, flag, option
from hyperbaton.cli.link_options import FOR_ALIGNER, FOR_SOURCE
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_LANGUAGE, EXAMPLE_SYSTEMS
from hyperbaton.cli.systems import name_systems, split_name
from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.meta.plan import AVERAGES, DEFAULT_AGREEMENT, PEOPLE

if TYPE_CHECKING:
    from hyperbaton.meta.testsets import TestSet

ONLY_WITH_FOLDERS = "--pair, --human-scores and --others can only be used with folders"


class TestSetOptions(OptionGroup):
    """Test sets: folders, or files of systems and references."""

    TITLE = "Input"
    RULES: ClassVar[Rules] = {
        lambda given: given.example: {
            "FOLDER... --reference --pair --human": "--example has its own systems, reference and "
            "judgements: do not give others"
        }
    }
    __test__: ClassVar[bool] = False  # not a test, whatever its name suggests to pytest

    data: list[str] | None = argument(
        "FOLDER...",
        "Test-set folders, in Hyperbaton's or mt-metrics-eval's layout; with --human, "
        "system files, or NAME=FILE.",
    )
    references: list[str] | None = option(
        "--reference -r REF",
        "Reference file or, for mt-metrics-eval, the name of a reference; may be repeated.",
    )
    pair: list[str] | None = option(
        "--pair PAIR", "Use only this language pair, e.g. de-en; may be repeated."
    )

    example: bool = flag("--example", "Use Hyperbaton's example set, with invented judgements.")

    @property
    def language(self) -> str | None:
        """The language that the test set has by itself: that of the example."""
        return EXAMPLE_LANGUAGE if self.example else None

    @property
    def given_paths(self) -> list[str]:
        """The folders, or the files of systems and references, that were given."""
        return [*(split_name(data)[1] for data in self.data or ()), *(self.references or ())]


class SourceOptions(OptionGroup):
    """Links through the source."""

    TITLE = "Alignments"
    RULES: ClassVar[Rules] = {
        lambda given: not given.align_source: {
            f"{FOR_ALIGNER} {FOR_SOURCE} --source": "{option} needs --align-source"
        },
        lambda given: given.data and not given.human: {
            "--source": "--source can only be used with files: folders have their own source"
        },
    }

    source: str | None = option("--source SRC", "Source text, for systems given as files.")
    align_source: bool = flag(
        "--align-source",
        "Compute the links through the source: train an aligner on the texts of each "
        "test set, or use --aligner-model.",
    )


class JudgementOptions(OptionGroup):
    """Which human judgements are used, and how."""

    TITLE = "Judgements"
    RULES: ClassVar[Rules] = {
        lambda given: given.human: {"--pair --human-scores": ONLY_WITH_FOLDERS}
    }

    human: list[str] | None = option(
        "--human FILE", "Human judgements, for systems given as files; may be repeated."
    )
    human_scores: str | None = option(
        "--human-scores NAME", "Which mt-metrics-eval human scores to use, e.g. mqm."
    )
    people: str | None = option(
        "--people",
        "Which human judgements to use; the valid kinds depend on the measure.",
        choices=PEOPLE,
    )
    average: str | None = option(
        "--average", "Average per segment (item), per system, or not at all.", choices=AVERAGES
    )
    standardize: bool = flag("--standardize", "Scale each judge's scores to mean 0 and variance 1.")
    agreement: str = option(
        "--agreement -a",
        "Measure of agreement; hyperbaton meta --list shows all of them.",
        DEFAULT_AGREEMENT,
    )


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
    from hyperbaton.meta.testsets import add_source, read_test_sets

    if inputs.example:
        return [read_example(judgements, trees, source is not None and source.align_source)]
    if not inputs.data:
        raise InputError(f"no data: hyperbaton {command} FOLDER...")
    if judgements.human:
        if not inputs.references:
            raise InputError(f"no reference: hyperbaton {command} -r REF SYS... --human FILE")
        name = os.path.basename(judgements.human[0]).split(".")[0]
        test_set = _read_files(name, inputs.data, inputs.references, judgements)
        if source is None or not source.align_source:
            return [test_set]
        if source.source is None:
            raise InputError("--align-source needs the source text: --source SRC")
        return [add_source(test_set, source.source)]
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


def read_example(judgements: JudgementOptions, trees: bool, source: bool) -> TestSet:
    """Read the example set with its judgements, and its trees and source if they are needed."""
    from hyperbaton.meta.testsets import add_source
    from hyperbaton.syntax.conllu import read_trees

    systems = [str(EXAMPLE / f"{name}.txt") for name in EXAMPLE_SYSTEMS]
    given = judgements.replace(human=[str(EXAMPLE / "judgements.csv")])
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
    from hyperbaton.meta.readers import strip_text_suffix
    from hyperbaton.meta.testsets import read_test_set

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
