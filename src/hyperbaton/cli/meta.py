"""``hyperbaton meta``: which metric agrees with people?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from hyperbaton.cli.aligner_options import AlignerOptions
from hyperbaton.cli.judgements import (
    AgreementOption,
    JudgementOptions,
    SourceOptions,
    TestSetOptions,
    check_plot,
    read_sets,
)
from hyperbaton.cli.options import (
    OutputOptions,
    ParserOptions,
    SamplingOptions,
    ScoringOptions,
    check_paths,
)
from hyperbaton.errors import InputError
from hyperbaton.views.formats import FORMATS

if TYPE_CHECKING:
    from hyperbaton.meta.metric_scores import MetricScores
    from hyperbaton.meta.testsets import TestSet


class Units(StrEnum):
    """The unit that bootstrap samples are drawn from."""

    segments = "segments"
    rankings = "rankings"
    systems = "systems"


class SignificanceTest(StrEnum):
    """Tests of the difference between two metrics."""

    permutation = "permutation"
    bootstrap = "bootstrap"
    williams = "williams"
    t = "t"


class Exchange(StrEnum):
    """What two metrics exchange in the permutation test."""

    segments = "segments"
    scores = "scores"


@dataclass(frozen=True)
class MetaOutputOptions(OutputOptions):
    """Output with fewer decimals: agreements are less precise than scores."""

    digits: Annotated[int, typer.Option(min=1, max=15, help="Number of decimals.")] = 3


def meta(
    inputs: TestSetOptions,
    scoring: ScoringOptions,
    judgements: JudgementOptions,
    statistics: SamplingOptions,
    source: SourceOptions,
    aligner: AlignerOptions,
    trees: ParserOptions,
    output_options: MetaOutputOptions,
    agreement: AgreementOption = "tau",
    scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Scores of other metrics, as TSV; may be repeated.",
            rich_help_panel="Metrics",
        ),
    ] = None,
    negate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC",
            help="A metric of --scores for which lower is better; may be repeated.",
            rich_help_panel="Metrics",
        ),
    ] = None,
    others: Annotated[
        bool,
        typer.Option(
            "--others",
            help="Include the metric scores that come with mt-metrics-eval.",
            rich_help_panel="Metrics",
        ),
    ] = False,
    bootstrap: Annotated[
        Units,
        typer.Option(
            help="The unit that bootstrap samples are drawn from.", rich_help_panel="Statistics"
        ),
    ] = Units.segments,
    test: Annotated[
        SignificanceTest,
        typer.Option(
            help="Significance test; 't' only reproduces Stanojević & Sima'an 2016.",
            rich_help_panel="Statistics",
        ),
    ] = SignificanceTest.permutation,
    exchange: Annotated[
        Exchange,
        typer.Option(
            help="The unit that two metrics exchange in the permutation test: all scores of a "
            "segment, or single scores (as in mt-metrics-eval).",
            rich_help_panel="Statistics",
        ),
    ] = Exchange.segments,
    judged_only: Annotated[
        bool,
        typer.Option(
            "--judged-only",
            help="Score systems only on judged segments.",
            rich_help_panel="Judgements",
        ),
    ] = False,
    weighted: Annotated[
        bool,
        typer.Option(
            "--weighted",
            help="Weight human scores by reference length.",
            rich_help_panel="Judgements",
        ),
    ] = False,
    pairwise: Annotated[
        bool,
        typer.Option(
            "--pairwise",
            help="Also print the p-value of every pair of metrics, and wins per metric.",
            rich_help_panel="Output",
        ),
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write an SVG plot: scaled agreement across language pairs or, for a single pair, "
            "metric against human scores.",
            rich_help_panel="Output",
        ),
    ] = None,
    list_measures: Annotated[
        bool, typer.Option("--list", help="List the measures of agreement and exit.")
    ] = False,
) -> None:
    """Measure how well metrics agree with human judgements.

    For each metric and language pair the table shows the agreement with human judgements and its
    interval. A * marks a metric if no other metric is significantly better. A test set is a folder
    with reference.txt, systems/*.txt and human judgements: judgments.csv or pairwise.tsv,
    human_seg.tsv, human_sys.tsv. With --align-source, source.txt is also read. With -m none, only
    the scores of other metrics (--scores, --others) are evaluated.

    \b
    Examples:
      hyperbaton meta wmt13 -l en -m pef -m full:order=pef,unaligned=left
      hyperbaton meta wmt13/de-en wmt13/fr-en -l en -m order --pairwise
      hyperbaton meta wmt13 -l en -m senscore -a spearman-sys --bootstrap rankings
      hyperbaton meta -r ref.txt sysA.txt sysB.txt sysC.txt --human ranks.csv --scores comet.tsv
      hyperbaton meta wmt22 --pair en-de --human-scores mqm -a acc_eq --others -r refA
      hyperbaton meta biomqm -a pearson --average item --format latex
      hyperbaton meta wmt15 -l en -m order --plot pairs.svg
      hyperbaton meta wmt13/fr-en -l en -m lr_kb1 --align-source
      hyperbaton meta --example -m pef,adjacency,bleu
      hyperbaton meta --list
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.cli.progress import training_progress, with_progress
    from hyperbaton.files.output_files import OutputFiles
    from hyperbaton.meta import agreement as agreements
    from hyperbaton.meta.evaluation import evaluate_test_sets
    from hyperbaton.meta.plan import Plan
    from hyperbaton.metrics.registry import metrics_by_spec
    from hyperbaton.runs.cautions import language_notes
    from hyperbaton.runs.engine import need_trees
    from hyperbaton.threads import thread_count
    from hyperbaton.views.agreement_tables import AgreementView, measure_table
    from hyperbaton.views.plain_text import table_text
    from hyperbaton.views.tables import DIGITS

    if list_measures:
        typer.echo(table_text(measure_table(), DIGITS, sys.maxsize))
        return
    check_plot(plot)
    if pairwise and FORMATS[output_options.format].content == "records":
        raise InputError(
            f"--pairwise cannot be used with --format {output_options.format}; --format json has "
            "every pair"
        )
    thread_count(scoring.threads)
    plan = Plan(
        agreements.get(agreement, judgements.averaging),
        statistics.sampling(scoring.threads),
        judgements.kind,
        bootstrap.value,
        test.value,
        judged_only,
        weighted,
        tuple(negate or ()),
        exchange.value,
    )
    metrics = {}
    if scoring.metrics != ["none"]:
        resources = scoring.resources(trees.parser, inputs.language)
        metrics = metrics_by_spec(scoring.metrics or ["default"], resources)
    source_alignment = None
    if source.align_source:
        source_alignment = aligner.source_alignment()
    else:
        aligner.check_unused()
        if source.source is not None:
            raise InputError("--source needs --align-source")
    files_read = [
        *([] if source.source is None else [source.source]),
        *aligner.paths,
        *inputs.given_paths,
        *(judgements.human or ()),
        *(scores or ()),
        *(file for metric in metrics.values() for file in metric.needs.files),
    ]
    check_paths(files_read, [output_options.output, plot])
    wants_trees = trees.parser is None and need_trees(metrics.values())
    read = read_sets("meta", inputs, judgements, others, wants_trees, source)
    sets = add_scores(read, scores or [])
    kept: list[list[MetricScores]] = []
    keep = kept.append if plot is not None and len(sets) == 1 else lambda scored: None
    with OutputFiles() as files:
        picture = files.open(plot) if plot is not None else None
        out = files.open(output_options.output)
        evaluation = evaluate_test_sets(
            sets, metrics, plan, with_progress, keep, source_alignment, training_progress
        )
        if picture is not None:
            from hyperbaton.views.agreement_plots import pairs_plot, people_plot

            drawing = (
                pairs_plot(evaluation)
                if len(sets) > 1
                else people_plot(evaluation, sets[0], kept[0], plan)
            )
            picture.write(drawing + "\n")
        out.write(output_options.render(AgreementView(evaluation, pairwise), out) + "\n")
    print_warnings(language_notes(metrics.values()))
    print_warnings(f"note: {note}" for note in evaluation.notes)
    print_warnings(f"warning: {warning}" for warning in evaluation.warnings)


def add_scores(sets: list[TestSet], paths: Sequence[str]) -> list[TestSet]:
    """Return the test set with scores of other metrics, read from files."""
    from hyperbaton.meta.readers import read_external_scores

    if paths and len(sets) > 1:
        raise InputError(f"--scores needs a single test set, but there are {len(sets)}: use --pair")
    for path in paths:
        (test_set,) = sets
        added = read_external_scores(path, list(test_set.systems), test_set.n)
        for name in added:
            if name in test_set.others:
                raise InputError(f"two metrics have the name {name}")
        sets = [replace(test_set, others={**test_set.others, **added})]
    return sets
