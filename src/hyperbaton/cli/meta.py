"""``hyperbaton meta``: which metric agrees with people?"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from hyperbaton.cli.commands import Rules, flag, option
from hyperbaton.cli.judgements import (
    ONLY_WITH_FOLDERS,
    JudgementOptions,
    SourceOptions,
    TestSetOptions,
    check_plot,
    read_sets,
)
from hyperbaton.cli.link_options import AlignerOptions
from hyperbaton.cli.messages import counting, print_notices, training_progress, with_progress
from hyperbaton.cli.options import (
    OutputOptions,
    ParserOptions,
    SamplingOptions,
    ScoringOptions,
    SeedOptions,
    check_paths,
)
from hyperbaton.errors import InputError
from hyperbaton.meta.plan import (
    DEFAULT_FOLDS,
    DEFAULT_RESTARTS,
    EXCHANGES,
    SEARCHES,
    TESTS,
    UNITS,
)
from hyperbaton.notices import Notice
from hyperbaton.views.formats import FORMATS

if TYPE_CHECKING:
    from hyperbaton.meta.metric_scores import MetricScores
    from hyperbaton.meta.plan import Plan
    from hyperbaton.meta.results import MetaEvaluation
    from hyperbaton.meta.testsets import TestSet
    from hyperbaton.metrics.metric import Metric, Resources


class MetaJudgements(JudgementOptions):
    """Human judgements, and how metrics are compared with them."""

    agreement: str = option(
        "--agreement -a", "Measure of agreement; hyperbaton meta --list shows all of them.", "tau"
    )
    judged_only: bool = flag("--judged-only", "Score systems only on judged segments.")
    weighted: bool = flag("--weighted", "Weight human scores by reference length.")


class MetaMetrics(ScoringOptions):
    """Metrics, also those whose scores are given."""

    scores: list[str] | None = option(
        "--scores FILE", "Scores of other metrics, as TSV; may be repeated."
    )
    negate: list[str] | None = option(
        "--negate METRIC", "A metric of --scores for which lower is better; may be repeated."
    )
    others: bool = flag("--others", "Include the metric scores that come with mt-metrics-eval.")


class MetaStatistics(SamplingOptions):
    """Intervals of agreement, and tests of differences."""

    bootstrap: str = option(
        "--bootstrap",
        "The unit that bootstrap samples are drawn from.",
        UNITS[0],
        choices=UNITS,
    )
    test: str = option(
        "--test",
        "Significance test; 't' only reproduces Stanojević & Sima'an 2016.",
        TESTS.default,
        choices=TESTS,
    )
    exchange: str = option(
        "--exchange",
        "The unit that two metrics exchange in the permutation test: all scores of a "
        "segment, or single scores (as in mt-metrics-eval).",
        EXCHANGES[0],
        choices=EXCHANGES,
    )


class MetaOutput(OutputOptions):
    """Output with fewer decimals: agreements are less precise than scores."""

    digits: int = option("--digits", "Number of decimals.", 3, low=1, high=15)
    pairwise: bool = flag(
        "--pairwise", "Also print the p-value of every pair of metrics, and wins per metric."
    )
    plot: str | None = option(
        "--plot FILE",
        "Write an SVG plot: scaled agreement across language pairs or, for a single pair, "
        "metric against human scores.",
    )
    list_measures: bool = flag(
        "--list", "List the measures of agreement and exit.", title="Options"
    )


META_RULES: Rules = {
    lambda given: FORMATS[given.format].content == "records": {
        "--pairwise": "--pairwise cannot be used with --format {format}; --format json has every "
        "pair"
    },
    lambda given: given.human: {"--others": ONLY_WITH_FOLDERS},
}


def meta_command(
    inputs: TestSetOptions,
    scoring: MetaMetrics,
    judgements: MetaJudgements,
    statistics: MetaStatistics,
    source: SourceOptions,
    aligner: AlignerOptions,
    trees: ParserOptions,
    output: MetaOutput,
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
    from hyperbaton.files.output_files import OutputFiles
    from hyperbaton.meta.evaluation import evaluate_test_sets
    from hyperbaton.runs.cautions import language_notes
    from hyperbaton.runs.engine import ProgressHooks, need_trees
    from hyperbaton.runs.run import Run
    from hyperbaton.threads import thread_count
    from hyperbaton.views.documents import table_text
    from hyperbaton.views.meta_tables import AgreementView, measure_table
    from hyperbaton.views.tables import DIGITS

    if output.list_measures:
        click.echo(table_text(measure_table(), DIGITS, sys.maxsize))
        return
    check_plot(output.plot)
    thread_count(scoring.threads)
    plan = read_plan(scoring, judgements, statistics)
    metrics = metrics_to_compare(scoring, scoring.resources(trees.parser, inputs.language))
    source_alignment = aligner.source_alignment() if source.align_source else None
    metric_files = [file for metric in metrics.values() for file in metric.needs.files]
    given = [*aligner.paths, *inputs.given_paths, *(judgements.human or ()), *metric_files]
    others = [*([] if source.source is None else [source.source]), *(scoring.scores or ())]
    check_paths([*given, *others], [output.output, output.plot])
    wants_trees = trees.parser is None and need_trees(metrics.values())
    read = read_sets("meta", inputs, judgements, scoring.others, wants_trees, source)
    sets = add_scores(read, scoring.scores or [])
    kept: list[list[MetricScores]] = []
    keep = kept.append if output.plot is not None and len(sets) == 1 else lambda scored: None
    with OutputFiles() as files:
        picture = files.open(output.plot) if output.plot is not None else None
        out = files.open(output.output)
        run = Run(metrics, source_alignment=source_alignment, threads=scoring.threads)
        hooks = ProgressHooks(lambda batches, _: with_progress(batches), training=training_progress)
        evaluation = evaluate_test_sets(sets, run, plan, keep, hooks)
        if picture is not None:
            picture.write(draw_plot(evaluation, sets, kept, plan) + "\n")
        out.write(output.render(AgreementView(evaluation, output.pairwise), out) + "\n")
    print_notices(language_notes(metrics.values()))
    print_notices([*evaluation.notes, *map(Notice, evaluation.warnings)])


def read_plan(scoring: MetaMetrics, judgements: MetaJudgements, statistics: MetaStatistics) -> Plan:
    """Return how agreement is measured and compared."""
    from hyperbaton.meta import agreement as agreements
    from hyperbaton.meta.plan import Plan

    return Plan(
        agreements.get(judgements.agreement, judgements.average),
        statistics.sampling(scoring.threads),
        judgements.people,
        statistics.bootstrap,
        statistics.test,
        judgements.judged_only,
        judgements.weighted,
        tuple(scoring.negate or ()),
        statistics.exchange,
    )


def metrics_to_compare(scoring: MetaMetrics, resources: Resources) -> dict[str, Metric]:
    """Return the metrics that were asked for, by their names; ``none`` asks for none."""
    from hyperbaton.metrics.registry import metrics_by_spec

    if scoring.metrics == ["none"]:
        return {}
    return metrics_by_spec(scoring.metrics or ["default"], resources)


def draw_plot(
    evaluation: MetaEvaluation,
    sets: Sequence[TestSet],
    kept: Sequence[list[MetricScores]],
    plan: Plan,
) -> str:
    """Return a plot of all language pairs or, for a single one, of metrics against people."""
    from hyperbaton.views.plots import pairs_plot, people_plot

    if len(sets) > 1:
        return pairs_plot(evaluation)
    return people_plot(evaluation, sets[0], kept[0], plan)


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


USAGE = "hyperbaton tune FOLDER... -m METRIC -t OPTION"


class TunedMetrics(ScoringOptions):
    """Metrics, and the options of theirs that are tuned."""

    tuned: list[str] | None = option(
        "--option -t OPTION",
        "Option to tune: a name (alpha), a range (alpha=0.2:0.8) or a range with a step "
        "(alpha=0.2:0.8:0.1); may be repeated.",
    )


class SearchOptions(SeedOptions):
    """How settings are searched."""

    method: str = option(
        "--method",
        "Search method: greedy hill-climbing from random starts (climb), or all settings (grid).",
        SEARCHES[0],
        choices=SEARCHES,
    )
    restarts: int = option("--restarts", "Number of random restarts.", DEFAULT_RESTARTS)
    folds: int = option(
        "--folds",
        "Number of cross-validation folds. Segments are divided, or systems if people "
        "scored whole systems.",
        DEFAULT_FOLDS,
    )


class TuneOutput(OutputOptions):
    """What is printed and drawn, and where."""

    plot: str | None = option(
        "--plot FILE", "Write an SVG plot of agreement against the tuned option."
    )


def tune_command(
    inputs: TestSetOptions,
    scoring: TunedMetrics,
    judgements: JudgementOptions,
    statistics: SearchOptions,
    trees: ParserOptions,
    output: TuneOutput,
) -> None:
    """Tune a metric on human judgements.

    Any numeric option of a metric can be tuned; the result is a metric that score accepts. The best
    of many settings looks better on the data it was chosen on than on new data. Segments are
    therefore divided into folds. Each fold is held out and scored with the settings that are best
    on the other folds. The held-out agreement is the one to expect on new data. If people scored
    whole systems, systems are held out instead of segments.

    \b
    Examples:
      hyperbaton tune wmt13/de-en -l en -m full -t alpha -t beta
      hyperbaton tune wmt13 -l en -m lr-kb1 -t alpha=0:1:0.01
      hyperbaton tune wmt13/de-en -l en -m full -m full:order=kendall -t alpha --plot alpha.svg
      hyperbaton tune wmt13/de-en -l en -m invwer -t inversion=0:2:0.25 --method grid
      hyperbaton tune --example
      hyperbaton tune -r ref.txt a.txt b.txt c.txt --human ranks.csv -m meteor_frag -t beta -t gamma
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.files.output_files import OutputFiles
    from hyperbaton.meta import agreement as agreements
    from hyperbaton.meta.objective import Objective
    from hyperbaton.meta.tuning import Search, tune_on
    from hyperbaton.metrics.registry import metrics_by_spec
    from hyperbaton.runs.cautions import language_notes
    from hyperbaton.runs.engine import need_trees
    from hyperbaton.threads import thread_count
    from hyperbaton.views.meta_tables import TuningView

    plot = output.plot
    specs, tuned = choose_tuned(inputs, scoring)
    if plot is not None and len(tuned) > 1:
        raise InputError(f"--plot needs a single tuned option, but {len(tuned)} are given")
    check_plot(plot)
    files_read = [*inputs.given_paths, *(judgements.human or ())]
    check_paths(files_read, [output.output, plot])
    thread_count(scoring.threads)
    measure = agreements.get(judgements.agreement, judgements.average)
    metrics = metrics_by_spec(specs, scoring.resources(trees.parser, inputs.language))
    metric_files = [file for metric in metrics.values() for file in metric.needs.files]
    check_paths(metric_files, [output.output, plot])
    search = Search(statistics.method, statistics.restarts, statistics.folds, statistics.seed)
    lattices = [search.build_lattice(metric, tuned) for metric in metrics.values()]
    wants_trees = trees.parser is None and need_trees(metrics.values())
    sets = read_sets("tune", inputs, judgements, trees=wants_trees)
    with OutputFiles() as files:
        picture = files.open(plot) if plot is not None else None
        out = files.open(output.output)
        objective = Objective(
            sets, measure, judgements.people, statistics.folds, statistics.seed, scoring.threads
        )
        tunings = []
        for metric, lattice in zip(metrics.values(), lattices, strict=True):
            # Hill-climbing tries only some of the settings, so their number is unknown.
            is_grid = statistics.method == "grid"
            total = math.prod(map(len, lattice.values())) if is_grid else None
            with counting(f"settings of {metric.spec}", total=total) as report_count:
                tunings.append(
                    tune_on(objective, metric, lattice, search, plot is not None, report_count)
                )
        if picture is not None:
            from hyperbaton.views.plots import tuning_plot

            picture.write(tuning_plot(tunings) + "\n")
        view = TuningView(tunings)
        out.write(output.render(view, out) + "\n")
    print_notices(language_notes(metrics.values()))
    print_notices(dict.fromkeys(note for tuning in tunings for note in tuning.notes))
    print_notices(map(Notice, view.cautions()))


def choose_tuned(inputs: TestSetOptions, scoring: TunedMetrics) -> tuple[list[str], list[str]]:
    """Return the metrics and the options that are tuned; the example has its own."""
    example = inputs.example
    specs = scoring.metrics or (["full"] if example else [])
    tuned = scoring.tuned or (["alpha"] if example else [])
    if not specs:
        raise InputError(f"no metric: {USAGE}")
    if not tuned:
        raise InputError(f"no option: {USAGE}")
    return specs, tuned
