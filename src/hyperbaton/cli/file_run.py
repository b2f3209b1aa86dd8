"""Scoring of files: what ``score``, ``compare`` and ``report`` have in common."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
from hyperbaton.metrics.alignment_metrics import GIVEN_BY_CALLER
from hyperbaton.metrics.batches import BATCH_SIZE, Batch
from hyperbaton.metrics.engine import Keep, MetricStatistics, score_corpus
from hyperbaton.metrics.file_input import FileCorpus
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.metrics.results import Result
from hyperbaton.metrics.signature import Signature
from hyperbaton.report.cautions import cautions
from hyperbaton.threads import thread_count

# As in sacreBLEU, so many lines that end in this look tokenised.
SEPARATE_STOP = " ."
MANY_SEPARATE_STOPS = 100


@dataclass(frozen=True)
class FileRun:
    """Files and metrics of one call, checked and ready to be scored."""

    corpus: FileCorpus
    metrics: Mapping[str, Metric]
    language: str | None
    separate_stops: Counter[str] = field(default_factory=Counter)  # by system, as they are read

    @classmethod
    def prepare(
        cls,
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
        return cls(corpus, metrics, resources.language)

    def score(
        self,
        keep: Keep,
        observe: Callable[[Batch, Mapping[str, MetricStatistics]], None] | None = None,
        batch_size: int = BATCH_SIZE,
    ) -> list[Result]:
        """Read and score the files batch by batch, with a progress bar."""
        progress = functools.partial(
            with_progress, total=self.corpus.count_segments(), unit="segments"
        )
        tokenizes = any(
            metric.options.get("tok", "none") != "none" for metric in self.metrics.values()
        )

        def observe_batch(batch: Batch, statistics: Mapping[str, MetricStatistics]) -> None:
            if tokenizes:
                self.separate_stops[batch.system] += batch.hypotheses.utf8.count_ending(
                    SEPARATE_STOP
                )
            if observe is not None:
                observe(batch, statistics)

        fit_progress = functools.partial(with_progress, unit="references counted")
        return score_corpus(
            self.corpus,
            self.metrics,
            keep,
            observe_batch,
            batch_size=batch_size,
            progress=progress,
            fit_progress=fit_progress,
            align_progress=training_progress,
        )

    def warnings(self, results: Sequence[Result]) -> Iterator[str]:
        """Return what a reader should know before trusting the numbers."""
        if self.corpus.alignments is not None:
            yield from (f"warning: {text}" for text in self.corpus.alignments.warnings)
        if self.corpus.source_alignment is not None:
            yield from self.corpus.source_alignment.notes
        for system, lines in self.separate_stops.items():
            if lines >= MANY_SEPARATE_STOPS:
                yield (
                    f"warning: {system} looks tokenised already ({lines:,} lines end in a separate "
                    "full stop): give detokenised text, or use tok=none if it is split at spaces"
                )
        yield from score_warnings(results, self.language)


def score_warnings(
    results: Sequence[Result], language: str | None, few_aligned: bool = True
) -> Iterator[str]:
    """Return warnings about scores, with a hint on the option that may help."""
    fields = [dict(Signature.parse(score.signature)) for score in results[0].values()]
    hint = ""
    if any(".pairs-" in signature.get("aligner", "") for signature in fields):
        hint = " (--bitext SRC TGT, more text to train on, gives more links)"
    elif not language and not any(
        signature.get("align") in GIVEN_BY_CALLER for signature in fields
    ):
        hint = " (-l LANG also aligns words by their stems)"
    return cautions(results, hint, few_aligned)


def print_warnings(lines: Iterable[str]) -> None:
    """Print warnings and notes to standard error."""
    for line in lines:
        print(f"hyperbaton: {line}", file=sys.stderr)
