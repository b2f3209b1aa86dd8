"""``hyperbaton tune``: which settings of a metric agree best with people?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hyperbaton.cli.declarations import option
from hyperbaton.cli.judgements import (
    JudgementOptions,
    TestSetOptions,
    check_plot,
    read_sets,
)
from hyperbaton.cli.messages import print_notices
from hyperbaton.cli.options import (
    OutputOptions,
    ParserOptions,
    ScoringOptions,
    SeedOptions,
    check_paths,
)
from hyperbaton.errors import InputError
from hyperbaton.meta.plan import DEFAULT_FOLDS, DEFAULT_RESTARTS, SEARCHES
from hyperbaton.notices import Notice

if TYPE_CHECKING:
    pass

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


def tune(
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
    from hyperbaton.cli.progress import counting
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
