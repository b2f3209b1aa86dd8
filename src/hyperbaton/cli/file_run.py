"""Runs over files from the command line: options in, progress bars and warnings out."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence

from hyperbaton.cli.aligner_options import AlignerOptions
from hyperbaton.cli.options import (
    AlignmentOptions,
    InputOptions,
    ScoringOptions,
    TreeOptions,
    check_paths,
    system_names,
)
from hyperbaton.cli.progress import training_progress, with_progress
from hyperbaton.errors import InputError
from hyperbaton.metrics.file_input import FileCorpus
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.report.file_runs import FileRun, RunProgress
from hyperbaton.threads import thread_count

TERMINAL_PROGRESS = RunProgress(
    scoring=lambda batches, total: with_progress(batches, total=total, unit="segments"),
    fitting=functools.partial(with_progress, unit="references counted"),
    training=training_progress,
)


def prepare_run(
    command: str,
    inputs: InputOptions,
    scoring: ScoringOptions,
    alignments: AlignmentOptions,
    aligner: AlignerOptions,
    trees: TreeOptions,
    outputs: Sequence[str | None],
) -> FileRun:
    """Check the options and load the metrics. No text is read and nothing is written yet."""
    others = [*trees.paths, *alignments.paths, *aligner.paths]
    if inputs.example and (inputs.systems or inputs.references or others):
        raise InputError("--example has its own systems and reference: give no others")
    systems, references = inputs.paths(command)
    check_paths([*references, *systems, *others], outputs)
    tree_files = trees.files(systems, references, inputs.example)
    source = alignments.aligned_source(inputs.example)
    alignment_files = None
    if source is None:
        aligner.check_unused(alignments.source is not None)
        alignment_files = alignments.files(systems, references, aligner.source_text())
    names = system_names(systems)
    thread_count(scoring.threads)
    resources = scoring.resources(trees.parser, "en" if inputs.example else None)
    metrics = metrics_by_spec(scoring.metrics or ["default"], resources)
    check_paths([file for metric in metrics.values() for file in metric.files], outputs)
    corpus = FileCorpus(
        names,
        systems,
        references,
        alignment_files,
        tree_files,
        scoring.threads,
        source,
        None if source is None else aligner.source_alignment(),
    )
    return FileRun(corpus, metrics, resources.language)


def print_warnings(lines: Iterable[str]) -> None:
    """Print warnings and notes to standard error."""
    for line in lines:
        print(f"hyperbaton: {line}", file=sys.stderr)
