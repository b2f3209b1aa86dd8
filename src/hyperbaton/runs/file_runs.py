"""Scoring of files, for the command line and the web page: scores, comparison, warnings, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hyperbaton.errors import InputError
from hyperbaton.files.columns import describe_line, read_texts
from hyperbaton.files.lines import printable
from hyperbaton.metrics.linking import GIVEN_BY_CALLER
from hyperbaton.metrics.signature import Signature
from hyperbaton.notices import Notice
from hyperbaton.runs.cautions import cautions
from hyperbaton.runs.engine import NO_PROGRESS, ProgressHooks, ScoredBatch
from hyperbaton.runs.file_input import FileCorpus
from hyperbaton.runs.partial_scores import score_corpus
from hyperbaton.runs.results import Result
from hyperbaton.runs.run import Keep, Run
from hyperbaton.text.languages import language_code, unspaced_language
from hyperbaton.text.plurals import count_noun

# What compares systems is imported when that is asked for: scoring them needs to start quickly.
if TYPE_CHECKING:
    from hyperbaton.runs.comparisons import Comparison
    from hyperbaton.runs.reports import Report

# As in sacreBLEU, so many lines that end in this look tokenised.
SEPARATE_STOP = " ."
MANY_SEPARATE_STOPS = 100
SAMPLE_LINES = 100  # enough to see how a text is written


@dataclass(frozen=True)
class FileRun:
    """Files and a run over them, checked and ready to be scored."""

    corpus: FileCorpus
    run: Run
    separate_stops: Counter[str] = field(default_factory=Counter)  # by system, as they are read
    sample: list[str] = field(default_factory=list)  # the first references

    def with_run(self, **settings: Any) -> FileRun:
        """Return the same files with some settings of the run changed."""
        return replace(self, run=replace(self.run, **settings))

    def score(
        self,
        observe: Callable[[ScoredBatch], None] | None = None,
        progress: ProgressHooks = NO_PROGRESS,
    ) -> list[Result]:
        """Read and score the files batch by batch."""
        tokenizes = any(
            metric.options.get("tok", "none") != "none" for metric in self.run.metrics.values()
        )

        def observe_batch(scored: ScoredBatch) -> None:
            batch = scored.batch
            if not self.sample:
                self.sample.extend(batch.references.lines[:SAMPLE_LINES])
            if tokenizes:
                self.separate_stops[batch.system] += batch.hypotheses.utf8.count_ending(
                    SEPARATE_STOP
                )
            if observe is not None:
                observe(scored)

        return score_corpus(self.corpus, self.run, observe_batch, progress)

    def evaluate(
        self,
        observe: Callable[[ScoredBatch], None] | None = None,
        progress: ProgressHooks = NO_PROGRESS,
        scored: Callable[[], None] = lambda: None,
    ) -> Evaluation:
        """Score the systems and compare them. A single system gets confidence intervals.

        ``scored`` is called when the systems are scored and samples are about to be drawn.
        """
        from hyperbaton.runs.comparing import compare_results
        from hyperbaton.runs.intervals import with_intervals

        run = self.run
        assert run.sampling is not None
        results = self.with_run(keep=Keep(texts=True, links=True)).score(observe, progress)
        scored()
        if len(results) > 1:
            comparison = compare_results(results, run.sampling, run.baseline, run.correction)
            return Evaluation(results, comparison)
        return Evaluation(with_intervals(results, run.sampling))

    def warnings(self, results: Sequence[Result]) -> Iterator[Notice]:
        """Return what a reader should know before trusting the numbers."""
        if self.corpus.alignments is not None:
            yield from map(Notice, self.corpus.alignments.warnings)
        for system, lines in self.separate_stops.items():
            if lines >= MANY_SEPARATE_STOPS:
                yield Notice(
                    f"{system} seems to be tokenised already ({lines:,} lines end in a separate "
                    "full stop): give detokenised text, or use tok=none if it is split at spaces"
                )
        if self.run.language is None and any(
            metric.options.get("tok") == "13a" for metric in self.run.metrics.values()
        ):
            language = unspaced_language(self.sample)
            if language is not None:
                yield Notice(
                    f"the references look {language}, which is written without spaces between "
                    "words",
                    option="language",
                    value=language_code(language),
                )
        yield from score_warnings(results, self.run.language)


@dataclass(frozen=True)
class Evaluation:
    """The scores of systems, with a comparison if there are several."""

    results: Sequence[Result]
    comparison: Comparison | None = None

    def report(
        self, title: str | None, threads: int | None, source: Sequence[str] | None = None
    ) -> Report:
        """Return the report about the systems, with the source sentences if they are given."""
        shown = self.results[0] if self.comparison is None else self.comparison
        return shown.report(title, threads, source)

    @property
    def notes(self) -> list[Notice]:
        """What a reader should know before trusting the p-values."""
        return [] if self.comparison is None else self.comparison.notes


def read_source(path: str) -> Iterator[str]:
    """Read the source sentence of each line."""
    for number, texts in enumerate(read_texts(path), 1):
        if len(texts) != 1:
            where = describe_line(path, number)
            raise InputError(f"{where}: expected one source sentence, got {len(texts)}")
        yield texts[0]


def check_source_length(path: str, source: Sequence[str], reference: str, segments: int) -> None:
    """Raise an error unless the source has a sentence for each segment."""
    if len(source) != segments:
        raise InputError(
            f"{printable(path)} has {count_noun(len(source), 'line')}, but "
            f"{printable(reference)} has {segments:,}"
        )


def score_warnings(
    results: Sequence[Result], language: str | None, few_aligned: bool = True
) -> Iterator[Notice]:
    """Return warnings about scores, with a hint on the option that may help."""
    fields = [dict(Signature.parse(score.signature)) for score in results[0].values()]
    hint = None
    if any(".pairs-" in signature.get("aligner", "") for signature in fields):
        hint = "bitext"
    elif not language and not any(
        signature.get("align") in GIVEN_BY_CALLER for signature in fields
    ):
        hint = "stems"
    return cautions(results, hint, few_aligned)
