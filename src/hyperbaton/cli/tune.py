"""``hyperbaton tune``: which settings of a metric agree best with people?"""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from hyperbaton.cli import human_data, options
from hyperbaton.cli.options import Format, as_input_error, in_colour
from hyperbaton.cli.progress import counting
from hyperbaton.errors import InputError
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.evaluation import need_trees
from hyperbaton.meta.objective import Objective
from hyperbaton.meta.tuning import (
    DEFAULT_AGREEMENT,
    DEFAULT_FOLDS,
    DEFAULT_RESTARTS,
    SCHEMA,
    Search,
    Tuning,
    tune_on,
)
from hyperbaton.metrics.sampling import DEFAULT_SEED
from hyperbaton.metrics.scoring import named_metrics
from hyperbaton.metrics.signature import Signature
from hyperbaton.report import tables
from hyperbaton.report import tunings as report
from hyperbaton.text.lines import write_beside
from hyperbaton.threads import thread_count


class Method(StrEnum):
    """How the best settings are looked for."""

    climb = "climb"
    grid = "grid"


def tune(
    data: human_data.Folders = None,
    metrics: options.Metrics = None,
    tuned: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-t",
            metavar="OPTION",
            help="What is tuned: alpha, or alpha=0.2:0.8, or with a step alpha=0.2:0.8:0.1; may "
            "be repeated.",
        ),
    ] = None,
    language: options.Language = None,
    agreement: human_data.Agreement = DEFAULT_AGREEMENT,
    average: human_data.Averaged = None,
    people: human_data.Judgements = None,
    method: Annotated[
        Method, typer.Option(help="Greedy hill-climbing from random starts, or all settings.")
    ] = Method.climb,
    restarts: Annotated[int, typer.Option(help="Of hill-climbing.")] = DEFAULT_RESTARTS,
    folds: Annotated[int, typer.Option(help="Of segments, each held out once.")] = DEFAULT_FOLDS,
    seed: options.Seed = DEFAULT_SEED,
    human: human_data.HumanFiles = None,
    references: human_data.References = None,
    pair: human_data.Pairs = None,
    human_scores: human_data.HumanScores = None,
    standardize: human_data.Standardize = False,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw agreement over the one option, as SVG."),
    ] = None,
    form: options.Form = Format.text,
    output: options.Output = "-",
    digits: options.Digits = 4,
    short: options.Short = False,
    wordnet: options.Wordnet = None,
    paraphrases: options.Paraphrases = None,
    parser: options.ParserSpec = None,
    threads: options.Threads = None,
) -> None:
    """Tune a metric: which of its settings agree best with people?

    Any option of a metric that is a number can be tuned; the result is a metric as score takes it.
    The best of many settings looks better than it is on the segments it was chosen on. So segments
    are divided into folds, and each is held out and scored with what is best on the others: that
    is the agreement to expect elsewhere.

    \b
    Examples:
      hyperbaton tune wmt13/de-en -l en -m full -t alpha -t beta
      hyperbaton tune wmt13 -l en -m lr-kb1 -t alpha=0:1:0.01
      hyperbaton tune wmt13/de-en -l en -m full -m full:order=kendall -t alpha --plot alpha.svg
      hyperbaton tune wmt13/de-en -l en -m invwer -t inversion=0:2:0.25 --method grid
      hyperbaton tune -r ref.txt a.txt b.txt c.txt --human ranks.csv -m meteor_frag -t beta -t gamma
    """
    if not metrics:
        raise InputError("no metric: hyperbaton tune FOLDER... -m METRIC -t OPTION")
    if not tuned:
        raise InputError("no option: hyperbaton tune FOLDER... -m METRIC -t OPTION")
    if plot is not None and len(tuned) > 1:
        raise InputError(f"--plot draws agreement over one option, but {len(tuned)} are tuned")
    human_data.check_plot(plot)
    human_data.check_outputs([output, plot], data, references, human)
    with as_input_error():
        thread_count(threads)
        measure = agreements.get(agreement, average.value if average else None)
        named = named_metrics(metrics, language, wordnet, paraphrases, parser)
        search = Search(method.value, restarts, folds, seed)
        lattices = [search.lattice(metric, tuned) for metric in named.values()]
    trees = parser is None and need_trees(named)
    sets = human_data.read(
        "tune", data, references, human, pair, human_scores, standardize, trees=trees
    )
    with contextlib.ExitStack() as files:
        picture = files.enter_context(write_beside(plot)) if plot is not None else None
        out = files.enter_context(write_beside(output))
        objective = Objective(sets, measure, people.value if people else None, folds, seed, threads)
        found = []
        for metric, points in zip(named.values(), lattices, strict=True):
            # hill-climbing tries some of them only
            total = math.prod(map(len, points.values())) if method is Method.grid else None
            with counting(f"settings of {metric.spec}", total=total) as tell:
                curves = plot is not None
                found.append(tune_on(objective, metric, points, search, curves, tell))
        if picture is not None:
            picture.write(report.tuning_plot(found) + "\n")
        out.write(shown(found, form, digits, short, in_colour(out)) + "\n")
    for line in report.tuning_warnings(found):
        print(f"hyperbaton: warning: {line}", file=sys.stderr)


def shown(found: Sequence[Tuning], form: Format, digits: int, short: bool, colour: bool) -> str:
    """The result in a format."""
    if form is Format.json:
        document = {"schema": SCHEMA, "tunings": [one.to_dict() for one in found]}
        return json.dumps(document, ensure_ascii=False, indent=2)
    if form is Format.tsv:
        return report.tunings_tsv(found)
    parts = [report.tuning_columns(found, digits)]
    if len(found) == 1:
        parts.append(report.fold_columns(found[0], digits))
    signatures = [one.signature for one in found]
    if short:
        signatures = [Signature.parse(text).format(short=True) for text in signatures]
    below = [*report.explained(found), *signatures]
    if form is Format.markdown:
        drawn = [tables.as_markdown(part) for part in parts]
        return "\n\n".join([*drawn, "\n".join(f"- `{line}`" for line in below)])
    if form is Format.latex:
        drawn = [tables.as_latex(part) for part in parts]
        return "\n\n".join([*drawn, "\n".join(f"% {line}" for line in below)])
    width = shutil.get_terminal_size((100, 24)).columns
    drawn = [tables.as_text(part, width, colour) for part in parts]
    return "\n\n".join([*drawn, "\n".join(below)])
