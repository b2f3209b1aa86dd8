"""``hyperbaton tune``: which settings of a metric agree best with people?"""

from __future__ import annotations

import math
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from hyperbaton.cli.judgements import (
    AgreementOption,
    JudgementOptions,
    TestSetOptions,
    check_plot,
    read_sets,
)
from hyperbaton.cli.options import (
    OutputOptions,
    ParserOptions,
    ScoringOptions,
    SeedOptions,
    check_paths,
)
from hyperbaton.errors import InputError
from hyperbaton.meta.defaults import DEFAULT_AGREEMENT, DEFAULT_FOLDS, DEFAULT_RESTARTS

if TYPE_CHECKING:
    pass

USAGE = "hyperbaton tune FOLDER... -m METRIC -t OPTION"


class SearchMethod(StrEnum):
    """How the best settings are searched."""

    climb = "climb"
    grid = "grid"


def tune(
    inputs: TestSetOptions,
    scoring: ScoringOptions,
    judgements: JudgementOptions,
    statistics: SeedOptions,
    trees: ParserOptions,
    output_options: OutputOptions,
    tuned: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-t",
            metavar="OPTION",
            help="Option to tune: a name (alpha), a range (alpha=0.2:0.8) or a range with a step "
            "(alpha=0.2:0.8:0.1); may be repeated.",
            rich_help_panel="Metrics",
        ),
    ] = None,
    agreement: AgreementOption = DEFAULT_AGREEMENT,
    method: Annotated[
        SearchMethod,
        typer.Option(
            help="Search method: greedy hill-climbing from random starts (climb), or all settings "
            "(grid).",
            rich_help_panel="Statistics",
        ),
    ] = SearchMethod.climb,
    restarts: Annotated[
        int, typer.Option(help="Number of random restarts.", rich_help_panel="Statistics")
    ] = DEFAULT_RESTARTS,
    folds: Annotated[
        int,
        typer.Option(
            help="Number of cross-validation folds. Segments are divided, or systems if people "
            "scored whole systems.",
            rich_help_panel="Statistics",
        ),
    ] = DEFAULT_FOLDS,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write an SVG plot of agreement against the tuned option.",
            rich_help_panel="Output",
        ),
    ] = None,
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
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.cli.progress import counting
    from hyperbaton.files.output_files import OutputFiles
    from hyperbaton.meta import agreement as agreements
    from hyperbaton.meta.objective import Objective
    from hyperbaton.meta.tuning import Search, tune_on
    from hyperbaton.metrics.registry import metrics_by_spec
    from hyperbaton.runs.cautions import language_notes
    from hyperbaton.runs.engine import need_trees
    from hyperbaton.threads import thread_count
    from hyperbaton.views.tuning_tables import TuningView

    if inputs.example:
        scoring = replace(scoring, metrics=scoring.metrics or ["full"])
        tuned = tuned or ["alpha"]
    if not scoring.metrics:
        raise InputError(f"no metric: {USAGE}")
    if not tuned:
        raise InputError(f"no option: {USAGE}")
    if plot is not None and len(tuned) > 1:
        raise InputError(f"--plot needs a single tuned option, but {len(tuned)} are given")
    check_plot(plot)
    files_read = [*inputs.given_paths, *(judgements.human or ())]
    check_paths(files_read, [output_options.output, plot])
    thread_count(scoring.threads)
    measure = agreements.get(agreement, judgements.averaging)
    metrics = metrics_by_spec(scoring.metrics, scoring.resources(trees.parser, inputs.language))
    metric_files = [file for metric in metrics.values() for file in metric.needs.files]
    check_paths(metric_files, [output_options.output, plot])
    search = Search(method.value, restarts, folds, statistics.seed)
    lattices = [search.build_lattice(metric, tuned) for metric in metrics.values()]
    wants_trees = trees.parser is None and need_trees(metrics.values())
    sets = read_sets("tune", inputs, judgements, trees=wants_trees)
    with OutputFiles() as files:
        picture = files.open(plot) if plot is not None else None
        out = files.open(output_options.output)
        objective = Objective(
            sets, measure, judgements.kind, folds, statistics.seed, scoring.threads
        )
        tunings = []
        for metric, lattice in zip(metrics.values(), lattices, strict=True):
            # Hill-climbing tries only some of the settings, so their number is unknown.
            is_grid = method is SearchMethod.grid
            total = math.prod(map(len, lattice.values())) if is_grid else None
            with counting(f"settings of {metric.spec}", total=total) as report_count:
                tunings.append(
                    tune_on(objective, metric, lattice, search, plot is not None, report_count)
                )
        if picture is not None:
            from hyperbaton.views.agreement_plots import tuning_plot

            picture.write(tuning_plot(tunings) + "\n")
        view = TuningView(tunings)
        out.write(output_options.render(view, out) + "\n")
    print_warnings(language_notes(metrics.values()))
    print_warnings(f"warning: {line}" for line in view.cautions())
