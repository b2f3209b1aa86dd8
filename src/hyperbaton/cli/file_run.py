"""Runs over files from the command line: options in, progress bars out."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from hyperbaton.cli.options import RunOptions, check_paths
from hyperbaton.cli.progress import training_progress, with_progress
from hyperbaton.cli.systems import Systems
from hyperbaton.errors import InputError
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.engine import ProgressHooks
from hyperbaton.runs.file_input import FileCorpus
from hyperbaton.runs.file_runs import FileRun
from hyperbaton.runs.run import Run
from hyperbaton.threads import thread_count

TERMINAL_PROGRESS = ProgressHooks(
    scoring=lambda batches, total: with_progress(batches, total=total, unit="segments"),
    fitting=functools.partial(with_progress, unit="references counted"),
    training=training_progress,
)


def prepare_run(
    command: str, options: RunOptions, outputs: Sequence[str | None]
) -> tuple[FileRun, Systems]:
    """Check the options and load the metrics. No text is read and nothing is written yet."""
    inputs, alignments, aligner = options.inputs, options.alignments, options.aligner
    others = [*options.trees.paths, *alignments.paths, *aligner.paths]
    if inputs.example and (inputs.systems or inputs.references or others):
        raise InputError("--example has its own systems and reference: do not give others")
    check_paths([*inputs.given_paths, *others], outputs)
    systems, references = inputs.paths(command)
    tree_files = options.trees.files(systems.paths, references, inputs.example)
    source = alignments.aligned_source(inputs.source)
    alignment_files = None
    if source is None:
        alignment_files = alignments.files(systems.paths, references, aligner.source_text())
    threads = options.scoring.threads
    thread_count(threads)
    resources = options.scoring.resources(options.trees.parser, inputs.language)
    metrics = metrics_by_spec(options.scoring.metrics or ["default"], resources)
    check_paths([file for metric in metrics.values() for file in metric.needs.files], outputs)
    corpus = FileCorpus(
        systems.names, systems.paths, references, alignment_files, tree_files, source
    )
    run = Run(
        metrics,
        resources.language,
        source_alignment=None if source is None else aligner.source_alignment(),
        threads=threads,
    )
    return FileRun(corpus, run), systems
