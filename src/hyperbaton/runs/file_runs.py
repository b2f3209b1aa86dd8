"""Scoring of files, for the command line and the web page: scores, comparison, warnings, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from hyperbaton import _core
from hyperbaton.alignment.aligner_training import Progress as AlignProgress
from hyperbaton.errors import InputError
from hyperbaton.files.columns import describe_line, read_texts
from hyperbaton.files.lines import printable
from hyperbaton.metrics.alignment_metrics import first_linking
from hyperbaton.metrics.batches import BATCH_SIZE, Batch
from hyperbaton.metrics.linking import GIVEN_BY_CALLER
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.signature import Signature
from hyperbaton.runs.cautions import cautions
from hyperbaton.runs.comparing import compare_results
from hyperbaton.runs.comparisons import Comparison
from hyperbaton.runs.engine import Keep, MetricStatistics, score_corpus
from hyperbaton.runs.file_input import FileCorpus
from hyperbaton.runs.intervals import with_intervals
from hyperbaton.runs.reports import Report, create_report
from hyperbaton.runs.results import Result
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.unspaced_scripts import CODES, unspaced_language

# As in sacreBLEU, so many lines that end in this look tokenised.
SEPARATE_STOP = " ."
MANY_SEPARATE_STOPS = 100
SAMPLE_LINES = 100  # enough to see how a text is written
Observer = Callable[[Batch, Mapping[str, MetricStatistics]], None]


@dataclass(frozen=True)
class RunProgress:
    """How a run shows what is done; by default not at all.

    Attributes
    ----------
    scoring : callable
        Receives the batches and the number of segments, if it is known, and hands the batches on.
    fitting : callable
        Does the same with blocks of references, if a metric is fitted on them.
    training : callable
        Returns a context in which a source aligner is trained, if there is one, with a function
        that is called with the work done and the total.
    """

    scoring: Callable[[Iterable[Batch], int | None], Iterable[Batch]] = lambda batches, _: batches
    fitting: Callable[[Iterable[_core.Lines]], Iterable[_core.Lines]] = iter
    training: Callable[[], AbstractContextManager[AlignProgress | None]] = nullcontext


@dataclass(frozen=True)
class FileRun:
    """Files and metrics of one run, checked and ready to be scored."""

    corpus: FileCorpus
    metrics: Mapping[str, Metric]
    language: str | None
    separate_stops: Counter[str] = field(default_factory=Counter)  # by system, as they are read
    sample: list[str] = field(default_factory=list)  # the first references

    def score(
        self,
        keep: Keep,
        observe: Observer | None = None,
        batch_size: int = BATCH_SIZE,
        progress: RunProgress = RunProgress(),
    ) -> list[Result]:
        """Read and score the files batch by batch."""
        total = self.corpus.count_segments()
        tokenizes = any(
            metric.options.get("tok", "none") != "none" for metric in self.metrics.values()
        )

        def observe_batch(batch: Batch, statistics: Mapping[str, MetricStatistics]) -> None:
            if not self.sample:
                self.sample.extend(batch.references.lines[:SAMPLE_LINES])
            if tokenizes:
                self.separate_stops[batch.system] += batch.hypotheses.utf8.count_ending(
                    SEPARATE_STOP
                )
            if observe is not None:
                observe(batch, statistics)

        return score_corpus(
            self.corpus,
            self.metrics,
            keep,
            observe_batch,
            batch_size=batch_size,
            progress=lambda batches: progress.scoring(batches, total),
            fit_progress=progress.fitting,
            align_progress=progress.training,
        )

    def evaluate(
        self,
        sampling: Sampling,
        baseline: str | None,
        correction: str,
        observe: Observer | None = None,
        progress: RunProgress = RunProgress(),
        scored: Callable[[], None] = lambda: None,
    ) -> Evaluation:
        """Score the systems and compare them. A single system gets confidence intervals.

        ``scored`` is called when the systems are scored and samples are about to be drawn.
        """
        linking = first_linking(self.metrics.values())
        results = self.score(Keep(texts=True, linking=linking), observe, progress=progress)
        scored()
        if len(results) > 1:
            comparison = compare_results(results, sampling, baseline, correction)
            return Evaluation(results, sampling, comparison)
        return Evaluation(with_intervals(results, sampling), sampling)

    def warnings(self, results: Sequence[Result]) -> Iterator[str]:
        """Return what a reader should know before trusting the numbers."""
        if self.corpus.alignments is not None:
            yield from (f"warning: {text}" for text in self.corpus.alignments.warnings)
        if self.corpus.source_alignment is not None:
            yield from self.corpus.source_alignment.notes
        for system, lines in self.separate_stops.items():
            if lines >= MANY_SEPARATE_STOPS:
                yield (
                    f"warning: {system} seems to be tokenised already ({lines:,} lines end in a "
                    "separate "
                    "full stop): give detokenised text, or use tok=none if it is split at spaces"
                )
        if self.language is None and any(
            metric.options.get("tok") == "13a" for metric in self.metrics.values()
        ):
            language = unspaced_language(self.sample)
            if language is not None:
                yield (
                    f"warning: the references look {language}, which is written without spaces "
                    f"between words: give the language, -l {CODES[language]}"
                )
        yield from score_warnings(results, self.language)


@dataclass(frozen=True)
class Evaluation:
    """The scores of systems, with a comparison if there are several."""

    results: Sequence[Result]
    sampling: Sampling
    comparison: Comparison | None = None

    def report(
        self, title: str | None, threads: int | None, source: Sequence[str] | None = None
    ) -> Report:
        """Return the report about the systems, with the source sentences if they are given."""
        if self.comparison is not None:
            return self.comparison.report(title, threads, source)
        return create_report(self.results, self.sampling, None, title, threads, source)

    @property
    def notes(self) -> list[str]:
        """What a reader should know before trusting the p-values."""
        return [] if self.comparison is None else comparison_notes(self.comparison)


def read_source(path: str) -> list[str]:
    """Read the source sentences, one from each line."""
    lines: list[str] = []
    for texts in read_texts(path):
        if len(texts) != 1:
            where = describe_line(path, len(lines) + 1)
            raise InputError(f"{where}: expected one source sentence, got {len(texts)}")
        lines += texts
    return lines


def check_source_length(path: str, source: Sequence[str], reference: str, segments: int) -> None:
    """Raise an error unless the source has a sentence for each segment."""
    if len(source) != segments:
        raise InputError(
            f"{printable(path)} has {count_noun(len(source), 'line')}, but "
            f"{printable(reference)} has {segments:,}"
        )


def comparison_notes(comparison: Comparison) -> list[str]:
    """Return what a reader should know before trusting the p-values."""
    return [
        f"{'warning' if note in comparison.warnings else 'note'}: {note}"
        for note in comparison.notes
    ]


def score_warnings(
    results: Sequence[Result], language: str | None, few_aligned: bool = True
) -> Iterator[str]:
    """Return warnings about scores, with a hint on the option that may help."""
    fields = [dict(Signature.parse(score.signature)) for score in results[0].values()]
    hint = ""
    if any(".pairs-" in signature.get("aligner", "") for signature in fields):
        hint = " (more training text gives more links: --bitext SRC TGT)"
    elif not language and not any(
        signature.get("align") in GIVEN_BY_CALLER for signature in fields
    ):
        hint = " (-l LANG also aligns words by their stems)"
    return cautions(results, hint, few_aligned)
