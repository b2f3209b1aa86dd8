"""``hyperbaton meta``: which metric agrees with people?"""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from hyperbaton.cli import human_data, options
from hyperbaton.cli.options import Format, as_input_error, in_colour
from hyperbaton.cli.progress import with_progress
from hyperbaton.errors import InputError
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.evaluation import evaluate_sets, need_trees
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.testsets import TestSet, read_others
from hyperbaton.metrics.sampling import DEFAULT_LEVEL, DEFAULT_SAMPLES, DEFAULT_SEED, Sampling
from hyperbaton.metrics.scoring import named_metrics
from hyperbaton.metrics.signature import Signature
from hyperbaton.report import agreement_plots, tables
from hyperbaton.report import agreements as report
from hyperbaton.text.lines import write_beside
from hyperbaton.threads import thread_count


class Units(StrEnum):
    """What is drawn."""

    segments = "segments"
    rankings = "rankings"
    systems = "systems"


class Method(StrEnum):
    """Of the difference of two metrics."""

    permutation = "permutation"
    bootstrap = "bootstrap"
    williams = "williams"
    t = "t"


def meta(
    data: human_data.Folders = None,
    metrics: options.Metrics = None,
    language: options.Language = None,
    agreement: human_data.Agreement = "tau",
    average: human_data.Averaged = None,
    people: human_data.Judgements = None,
    human: human_data.HumanFiles = None,
    references: human_data.References = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Scores of other metrics, as TSV; may be repeated."),
    ] = None,
    negate: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC", help="Of --scores, one that is better if lower."),
    ] = None,
    others: Annotated[
        bool, typer.Option("--others", help="Take the metric scores of mt-metrics-eval, too.")
    ] = False,
    pair: human_data.Pairs = None,
    human_scores: human_data.HumanScores = None,
    bootstrap: Annotated[Units, typer.Option(help="What samples are drawn of.")] = Units.segments,
    test: Annotated[
        Method, typer.Option(help="Of differences between metrics; t is 2016's, see the guide.")
    ] = Method.permutation,
    samples: options.Samples = DEFAULT_SAMPLES,
    seed: options.Seed = DEFAULT_SEED,
    level: options.Level = DEFAULT_LEVEL,
    judged_only: Annotated[
        bool, typer.Option("--judged-only", help="Score systems on judged segments only.")
    ] = False,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Weight human scores by length of reference.")
    ] = False,
    standardize: human_data.Standardize = False,
    pairwise: Annotated[
        bool, typer.Option("--pairwise", help="Also p of each two metrics, and who wins how often.")
    ] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw, as SVG: of several pairs scaled agreements, of one metrics against people.",
        ),
    ] = None,
    form: options.Form = Format.text,
    output: options.Output = "-",
    digits: options.Digits = 3,
    short: options.Short = False,
    wordnet: options.Wordnet = None,
    paraphrases: options.Paraphrases = None,
    parser: options.ParserSpec = None,
    threads: options.Threads = None,
    listed: Annotated[bool, typer.Option("--list", help="List the measures, and leave.")] = False,
) -> None:
    """Ask which metric agrees with people.

    For each metric and language pair the table has its agreement with people and the interval of
    that; a * says that no other metric is significantly better. A test set is a folder with
    reference.txt, systems/*.txt and judgements: judgments.csv or pairwise.tsv, human_seg.tsv,
    human_sys.tsv. -m none takes only scores of other metrics.

    \b
    Examples:
      hyperbaton meta wmt13 -l en -m pef -m full:order=pef,unaligned=left
      hyperbaton meta wmt13/de-en wmt13/fr-en -l en -m order --pairwise
      hyperbaton meta wmt13 -l en -m senscore -a spearman-sys --bootstrap rankings
      hyperbaton meta -r ref.txt sysA.txt sysB.txt sysC.txt --human ranks.csv --scores comet.tsv
      hyperbaton meta wmt22 --pair en-de --human-scores mqm -a acc_eq --others -r refA
      hyperbaton meta biomqm -a pearson --average item --format latex
      hyperbaton meta wmt15 -l en -m order --plot pairs.svg
      hyperbaton meta --list
    """
    if listed:
        typer.echo(tables.as_text(report.listed(), sys.maxsize, False))
        return
    human_data.check_plot(plot)
    if pairwise and form is Format.tsv:
        raise InputError("--pairwise is not for --format tsv; --format json has each two metrics")
    with as_input_error():
        thread_count(threads)
        plan = Plan(
            agreements.get(agreement, average.value if average else None),
            Sampling("bootstrap", samples, seed, level, threads),
            people.value if people else None,
            bootstrap.value,
            test.value,
            judged_only,
            weighted,
            tuple(negate or ()),
        )
        ours = metrics != ["none"]
        named = (
            named_metrics(metrics or ["default"], language, wordnet, paraphrases, parser)
            if ours
            else {}
        )
    human_data.check_outputs([output, plot], data, references, human, scores)
    trees = parser is None and need_trees(named)
    sets = human_data.read(
        "meta", data, references, human, pair, human_scores, standardize, others, trees
    )
    sets = _with_scores(sets, scores or [])
    kept: list[list[MetricScores]] = []
    keep = kept.append if plot is not None and len(sets) == 1 else lambda scored: None
    with contextlib.ExitStack() as files:
        picture = files.enter_context(write_beside(plot)) if plot is not None else None
        out = files.enter_context(write_beside(output))
        found = evaluate_sets(sets, named, plan, with_progress, keep)
        if picture is not None:
            with as_input_error():
                picture.write(drawn(found, sets, kept, plan) + "\n")
        out.write(shown(found, form, digits, short, pairwise, in_colour(out)) + "\n")
    for kind, notes in (("note", found.notes), ("warning", found.warnings)):
        for note in notes:
            print(f"hyperbaton: {kind}: {note}", file=sys.stderr)


def drawn(
    found: MetaEvaluation, sets: Sequence[TestSet], kept: Sequence[list[MetricScores]], plan: Plan
) -> str:
    """The result as a picture."""
    if len(sets) > 1:
        return agreement_plots.pairs_plot(found)
    return agreement_plots.people_plot(found, sets[0], kept[0], plan)


def _with_scores(sets: list[TestSet], paths: Sequence[str]) -> list[TestSet]:
    """The test set with scores of other metrics, of which no two have the same name."""
    if paths and len(sets) > 1:
        raise InputError(f"--scores are of one test set, but there are {len(sets)}: use --pair")
    for path in paths:
        (one,) = sets
        new = read_others(path, list(one.systems), one.n)
        for name in new:
            if name in one.others:
                raise InputError(f"two metrics are called {name}")
        sets = [replace(one, others={**one.others, **new})]
    return sets


def shown(
    found: MetaEvaluation, form: Format, digits: int, short: bool, pairwise: bool, colour: bool
) -> str:
    """The result in a format."""
    if form is Format.json:
        return found.to_json(indent=2)
    if form is Format.tsv:
        return report.as_agreements_tsv(found)
    parts = [report.agreement_columns(found, digits)]
    parts += [report.ranking_columns(found, pair, digits) for pair in found.systems]
    if pairwise and len(found.metrics) > 1:
        if len(found.pairs) > 1:
            parts.append(report.wins_columns(found))
        parts += [report.p_columns(found, pair) for pair in found.pairs]
    texts = [text for text in found.signatures.values() if text is not None]
    below = [
        *report.explained(found, "*" if form is Format.text else "bold", pairwise),
        *(Signature.parse(text).format(short=True) if short else text for text in texts),
    ]
    if form is Format.markdown:
        drawn = [tables.as_markdown(part) for part in parts]
        return "\n\n".join([*drawn, "\n".join(f"- `{line}`" for line in below)])
    if form is Format.latex:
        drawn = [tables.as_latex(part) for part in parts]
        return "\n\n".join([*drawn, "\n".join(f"% {line}" for line in below)])
    width = shutil.get_terminal_size((100, 24)).columns
    drawn = [tables.as_text(part, width, colour) for part in parts]
    return "\n\n".join([*drawn, "\n".join(below)])
