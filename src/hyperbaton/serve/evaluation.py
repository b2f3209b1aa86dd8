"""A job: systems are scored and compared once, and every file that the page offers is written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from typing import Any, TypeVar

from hyperbaton.alignment.source_aligner import SourceAlignment, optional_text
from hyperbaton.errors import HyperbatonError, InputError
from hyperbaton.files.output_files import write_beside
from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.engine import ProgressHooks
from hyperbaton.runs.file_runs import FileCorpus, FileRun, check_source_length, read_source
from hyperbaton.runs.run import Run
from hyperbaton.serve.commands import REPORT, SEGMENTS, JobSettings, score_files
from hyperbaton.serve.job_texts import JobInput, report_names
from hyperbaton.stats.sampling import PAIRED_TESTS, Sampling
from hyperbaton.views.comparison_tables import ComparisonView
from hyperbaton.views.formats import FORMATS, segment_writer
from hyperbaton.views.score_tables import ScoreView
from hyperbaton.views.tables import ResultView, Style

ReportProgress = Callable[[dict[str, Any]], None]
S = TypeVar("S", bound=Sized)
REPORT_SECONDS = 0.2  # between two reports of progress
TRAINING, COUNTING, SCORING, COMPARING, WRITING = (
    "training the source aligner",
    "counting pairs of words",
    "scoring",
    "comparing the systems",
    "writing the report",
)


def evaluate_request(request: Mapping[str, Any], report: ReportProgress) -> dict[str, Any]:
    """Run a job and write its files into its folder.

    Returns
    -------
    dict
        ``segments``, ``warnings`` and ``verdict``.

    Raises
    ------
    HyperbatonError
        If an input is invalid. The message has the user's file names.
    """
    inputs = [JobInput(**given) for given in request["inputs"]]
    try:
        return _evaluate(inputs, settings_from_dict(request["settings"]), request, report)
    except HyperbatonError as error:
        raise InputError(with_user_names(str(error), inputs)) from error


def _evaluate(
    inputs: Sequence[JobInput],
    settings: JobSettings,
    request: Mapping[str, Any],
    report: ReportProgress,
) -> dict[str, Any]:
    run = file_run(inputs, settings, request["threads"])
    sources = [given.source for given in inputs if given.role == "source"]
    shown = sources[0] if sources and not settings.align_source else None
    source = None if shown is None else list(read_source(shown))
    steps = Steps(report, run, settings)
    folder = request["folder"]
    with write_beside(os.path.join(folder, SEGMENTS)) as table:
        observe = segment_writer(table, run.run.metrics, len(run.corpus.names))
        evaluation = run.evaluate(observe, steps.hooks(), lambda: steps.report(COMPARING))
    n = evaluation.results[0].n
    if shown is not None and source is not None:
        check_source_length(shown, source, run.corpus.references[0], n)
    steps.report(WRITING)
    html_report = evaluation.report(settings.title, request["threads"], source)
    with write_beside(os.path.join(folder, REPORT)) as page:
        page.write(html_report.to_html())
    comparison, results = evaluation.comparison, evaluation.results
    view: ResultView = (  # as the command line prints it
        ScoreView(results, results[0].sampling)
        if comparison is None
        else ComparisonView(comparison)
    )
    for name, format_name in score_files().items():
        with write_beside(os.path.join(folder, name)) as file:
            file.write(FORMATS[format_name].render(view, Style()) + "\n")
    told = {*view.told()}
    notes = [n for n in (*run.warnings(results), *evaluation.notes) if n not in told]
    return {
        "segments": n,
        "warnings": [with_user_names(n.line("page"), inputs) for n in dict.fromkeys(notes)],
        "verdict": list(html_report.verdict().sentences),
    }


def file_run(inputs: Sequence[JobInput], settings: JobSettings, threads: int | None) -> FileRun:
    """Return the files and the run of a job, which the server has checked."""
    systems, references, sources = (
        [given for given in inputs if given.role == role]
        for role in ("system", "reference", "source")
    )
    aligned = sources[0].source if settings.align_source and sources else None
    names = report_names(inputs)
    corpus = FileCorpus(
        list(names.values()),
        [given.source for given in systems],
        [given.source for given in references],
        source=aligned,
    )
    alignment = None
    if aligned is not None:
        alignment = SourceAlignment(source_text=optional_text(settings.source_language, None))
    run = Run(
        metrics_by_spec(list(settings.metrics), Resources(settings.language)),
        settings.language,
        source_alignment=alignment,
        sampling=settings.sampling,
        baseline=None if settings.baseline is None else names[settings.baseline],
        correction=settings.correction,
        threads=threads,
    )
    return FileRun(corpus, run)


def settings_from_dict(data: Mapping[str, Any]) -> JobSettings:
    """Return the settings of a job from what the server sent."""
    sampling = Sampling(**data["sampling"])
    return JobSettings(**{**data, "metrics": tuple(data["metrics"]), "sampling": sampling})


def with_user_names(message: str, inputs: Iterable[JobInput]) -> str:
    """Return a message in which the server's paths are the user's file names."""
    for given in inputs:
        message = given.describe(message)
    return message


class Steps:
    """The steps of a job, and how far the current one is."""

    def __init__(self, report: ReportProgress, run: FileRun, settings: JobSettings) -> None:
        self._report = report
        fitted = any(metric.needs.fit for metric in run.run.metrics.values())
        several = len(run.corpus.names) > 1
        planned = {
            TRAINING: run.corpus.source is not None,
            COUNTING: fitted,
            SCORING: True,
            COMPARING: several or PAIRED_TESTS[settings.sampling.method].has_intervals,
            WRITING: True,
        }
        self._steps = [step for step, is_planned in planned.items() if is_planned]
        self._last_report = 0.0

    def advance(self, step: str, done: int, total: int | None, unit: str) -> None:
        """Report how far a step is, but not too often."""
        if time.monotonic() - self._last_report >= REPORT_SECONDS or done == total:
            self.report(step, done, total, unit)

    def report(
        self, step: str, done: int = 0, total: int | None = None, unit: str | None = None
    ) -> None:
        """Report how far a step is; without numbers, that it begins."""
        self._last_report = time.monotonic()
        after = self._steps[self._steps.index(step) + 1 :]
        self._report({"step": step, "done": done, "total": total, "unit": unit, "next": after})

    def hooks(self) -> ProgressHooks:
        """Return what the run reports to."""
        return ProgressHooks(
            scoring=lambda batches, total: self._count(batches, SCORING, total, "segments"),
            fitting=lambda blocks: self._count(blocks, COUNTING, None, "references"),
            training=self._training,
        )

    def _count(self, parts: Iterable[S], step: str, total: int | None, unit: str) -> Iterator[S]:
        self.report(step)
        done = 0
        for part in parts:
            yield part
            done += len(part)
            self.advance(step, done, total, unit)

    @contextmanager
    def _training(self) -> Iterator[Callable[[int, int], None] | None]:
        if TRAINING not in self._steps:
            yield None
            return
        self.report(TRAINING)
        yield lambda done, total: self.advance(TRAINING, done, total, "steps")
