"""``hyperbaton meta`` and ``tune``: metrics and human judgements."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from hyperbaton.cli.commands import OptionGroup, Rules, argument, flag, option
from hyperbaton.cli.link_options import FOR_ALIGNER, FOR_SOURCE, AlignerOptions
from hyperbaton.cli.messages import counting, print_notices, training_progress, with_progress
from hyperbaton.cli.options import (
    EXAMPLE,
    EXAMPLE_LANGUAGE,
    EXAMPLE_SYSTEMS,
    OutputOptions,
    ParserOptions,
    SamplingOptions,
    ScoringOptions,
    SeedOptions,
    check_paths,
)
from hyperbaton.cli.systems import name_systems, split_name
from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.files.output_files import OutputFiles
from hyperbaton.meta.plan import (
    AVERAGES,
    DEFAULT_AGREEMENT,
    DEFAULT_FOLDS,
    DEFAULT_RESTARTS,
    EXCHANGES,
    PEOPLE,
    SEARCHES,
    TESTS,
    UNITS,
    Plan,
)
from hyperbaton.notices import Notice
from hyperbaton.threads import thread_count
from hyperbaton.views.formats import FORMATS

if TYPE_CHECKING:
    from hyperbaton.meta.metric_scores import MetricScores
    from hyperbaton.meta.testsets import TestSet


ONLY_WITH_FOLDERS = "--pair, --human-scores and --others can only be used with folders"


class TestSetOptions(OptionGroup):
    """Test sets: folders, or files of systems and references.

    Attributes
    ----------
    data
        Test-set folders, in Hyperbaton's or mt-metrics-eval's layout; with --human, system files,
        or NAME=FILE.
    references
        Reference file or, for mt-metrics-eval, the name of a reference; may be repeated.
    pair
        Use only this language pair, e.g. de-en; may be repeated.
    example
        Use Hyperbaton's example set, with invented judgements.
    """

    TITLE = "Input"
    RULES: ClassVar[Rules] = {
        lambda given: given.example: {
            "FOLDER... --reference --pair --human": "--example has its own systems, reference and "
            "judgements: do not give others"
        }
    }
    __test__: ClassVar[bool] = False  # not a test, whatever its name suggests to pytest

    data: list[str] | None = argument("FOLDER...")
    references: list[str] | None = option("--reference -r REF")
    pair: list[str] | None = option("--pair PAIR")

    example: bool = flag("--example")

    @property
    def language(self) -> str | None:
        """The language that the test set has by itself: that of the example."""
        return EXAMPLE_LANGUAGE if self.example else None

    @property
    def given_paths(self) -> list[str]:
        """The folders, or the files of systems and references, that were given."""
        return [*(split_name(data)[1] for data in self.data or ()), *(self.references or ())]


class SourceOptions(OptionGroup):
    """Links through the source.

    Attributes
    ----------
    source
        Source text, for systems given as files.
    align_source
        Compute the links through the source: train an aligner on the texts of each test set, or use
        --aligner-model.
    """

    TITLE = "Alignments"
    RULES: ClassVar[Rules] = {
        lambda given: not given.align_source: {
            f"{FOR_ALIGNER} {FOR_SOURCE} --source": "{option} needs --align-source"
        },
        lambda given: given.data and not given.human: {
            "--source": "--source can only be used with files: folders have their own source"
        },
    }

    source: str | None = option("--source SRC")
    align_source: bool = flag("--align-source")


class JudgementOptions(OptionGroup):
    """Which human judgements are used, and how.

    Attributes
    ----------
    human
        Human judgements, for systems given as files; may be repeated.
    human_scores
        Which mt-metrics-eval human scores to use, e.g. mqm.
    people
        Which human judgements to use; the valid kinds depend on the measure.
    average
        Average per segment (item), per system, or not at all.
    standardize
        Scale each judge's scores to mean 0 and variance 1.
    agreement
        Measure of agreement; hyperbaton meta --list shows all of them.
    """

    TITLE = "Judgements"
    RULES: ClassVar[Rules] = {
        lambda given: given.human: {"--pair --human-scores": ONLY_WITH_FOLDERS}
    }

    human: list[str] | None = option("--human FILE")
    human_scores: str | None = option("--human-scores NAME")
    people: str | None = option("--people", choices=PEOPLE)
    average: str | None = option("--average", choices=AVERAGES)
    standardize: bool = flag("--standardize")
    agreement: str = option("--agreement -a", DEFAULT_AGREEMENT)


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


class MetaJudgements(JudgementOptions):
    """Human judgements, and how metrics are compared with them.

    Attributes
    ----------
    judged_only
        Score systems only on judged segments.
    weighted
        Weight human scores by reference length.
    """

    agreement: str = option("--agreement -a", "tau")
    judged_only: bool = flag("--judged-only")
    weighted: bool = flag("--weighted")


class MetaMetrics(ScoringOptions):
    """Metrics, also those whose scores are given.

    Attributes
    ----------
    scores
        Scores of other metrics, as TSV; may be repeated.
    negate
        A metric of --scores for which lower is better; may be repeated.
    others
        Include the metric scores that come with mt-metrics-eval.
    """

    scores: list[str] | None = option("--scores FILE")
    negate: list[str] | None = option("--negate METRIC")
    others: bool = flag("--others")


class MetaStatistics(SamplingOptions):
    """Intervals of agreement, and tests of differences.

    Attributes
    ----------
    bootstrap
        The unit that bootstrap samples are drawn from.
    test
        Significance test; 't' only reproduces Stanojević & Sima'an 2016.
    exchange
        The unit that two metrics exchange in the permutation test: all scores of a segment, or
        single scores (as in mt-metrics-eval).
    """

    bootstrap: str = option("--bootstrap", UNITS[0], choices=UNITS)
    test: str = option("--test", TESTS.default, choices=TESTS)
    exchange: str = option("--exchange", EXCHANGES[0], choices=EXCHANGES)


class MetaOutput(OutputOptions):
    """Output with fewer decimals: agreements are less precise than scores.

    Attributes
    ----------
    digits
        Number of decimals.
    pairwise
        Also print the p-value of every pair of metrics, and wins per metric.
    plot
        Write an SVG plot: scaled agreement across language pairs or, for a single pair, metric
        against human scores.
    list_measures
        List the measures of agreement and exit.
    """

    digits: int = option("--digits", 3, low=1, high=15)
    pairwise: bool = flag("--pairwise")
    plot: str | None = option("--plot FILE")
    list_measures: bool = flag("--list", title="Options")


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
      hyperbaton meta wmt13/de-en wmt13/fr-en -l en -m permutations --pairwise
      hyperbaton meta wmt13 -l en -m senscore -a spearman-sys --bootstrap rankings
      hyperbaton meta -r ref.txt sysA.txt sysB.txt sysC.txt --human ranks.csv --scores comet.tsv
      hyperbaton meta wmt22 --pair en-de --human-scores mqm -a acc_eq --others -r refA
      hyperbaton meta biomqm -a pearson --average item --format latex
      hyperbaton meta wmt15 -l en -m permutations --plot pairs.svg
      hyperbaton meta wmt13/fr-en -l en -m lr_kb1 --align-source
      hyperbaton meta --example -m pef,adjacency,bleu
      hyperbaton meta --list
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.meta.evaluation import evaluate_test_sets
    from hyperbaton.metrics.registry import metrics_by_spec
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
    metrics = {}
    if scoring.metrics != ["none"]:
        resources = scoring.resources(trees.parser, inputs.language)
        metrics = metrics_by_spec(scoring.metrics or ["default"], resources)
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
            from hyperbaton.views.plots import pairs_plot, people_plot

            is_single = len(sets) == 1
            plot = (
                people_plot(evaluation, sets[0], kept[0], plan)
                if is_single
                else pairs_plot(evaluation)
            )
            picture.write(plot + "\n")
        out.write(output.render(AgreementView(evaluation, output.pairwise), out) + "\n")
    print_notices(language_notes(metrics.values()))
    print_notices([*evaluation.notes, *map(Notice, evaluation.warnings)])


def read_plan(scoring: MetaMetrics, judgements: MetaJudgements, statistics: MetaStatistics) -> Plan:
    """Return how agreement is measured and compared."""
    from hyperbaton.meta import agreement as agreements

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
    """Metrics, and the options of theirs that are tuned.

    Attributes
    ----------
    tuned
        Option to tune: a name (alpha), a range (alpha=0.2:0.8) or a range with a step
        (alpha=0.2:0.8:0.1); may be repeated.
    """

    tuned: list[str] | None = option("--option -t OPTION")


class SearchOptions(SeedOptions):
    """How settings are searched.

    Attributes
    ----------
    method
        Search method: greedy hill-climbing from random starts (climb), or all settings (grid).
    restarts
        Number of random restarts.
    folds
        Number of cross-validation folds. Segments are divided, or systems if people scored whole
        systems.
    """

    method: str = option("--method", SEARCHES[0], choices=SEARCHES)
    restarts: int = option("--restarts", DEFAULT_RESTARTS)
    folds: int = option("--folds", DEFAULT_FOLDS)


class TuneOutput(OutputOptions):
    """What is printed and drawn, and where.

    Attributes
    ----------
    plot
        Write an SVG plot of agreement against the tuned option.
    """

    plot: str | None = option("--plot FILE")


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
    from hyperbaton.meta import agreement as agreements
    from hyperbaton.meta.objective import Objective
    from hyperbaton.meta.tuning import Search, tune_on
    from hyperbaton.metrics.registry import metrics_by_spec
    from hyperbaton.runs.cautions import language_notes
    from hyperbaton.runs.engine import need_trees
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
