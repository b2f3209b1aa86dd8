"""``hyperbaton compare``: is the difference between systems real?"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from hyperbaton.cli import options
from hyperbaton.cli.alignments import AlignmentFiles
from hyperbaton.cli.options import Format, as_input_error, in_colour, system_names
from hyperbaton.cli.score import alignment_warnings, run, signatures, warnings
from hyperbaton.errors import InputError
from hyperbaton.metrics.comparison import Comparison, check_systems, compare_results
from hyperbaton.metrics.sampling import DEFAULT_LEVEL, DEFAULT_SAMPLES, DEFAULT_SEED, Sampling
from hyperbaton.metrics.scoring import Scorer, named_metrics
from hyperbaton.report import comparisons, tables
from hyperbaton.text.columns import read_texts
from hyperbaton.text.lines import side_by_side, write_beside
from hyperbaton.threads import thread_count


class Method(StrEnum):
    """How samples are made."""

    bootstrap = "bootstrap"
    randomization = "randomization"


class Correction(StrEnum):
    """Of the p-values, for how many they are."""

    none = "none"
    holm = "holm"


def compare(
    systems: options.Systems = None,
    references: options.References = None,
    metrics: options.Metrics = None,
    language: options.Language = None,
    method: Annotated[
        Method, typer.Option(help="Segments drawn with replacement, or exchanged at random.")
    ] = Method.bootstrap,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="SYS", help="Compare with this one only; default: every pair."),
    ] = None,
    correction: Annotated[
        Correction, typer.Option(help="Of the p-values of a metric.")
    ] = Correction.none,
    differences: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="List N segments that separate the best two, or best and baseline.",
        ),
    ] = 0,
    samples: options.Samples = DEFAULT_SAMPLES,
    seed: options.Seed = DEFAULT_SEED,
    level: options.Level = DEFAULT_LEVEL,
    form: options.Form = Format.text,
    output: options.Output = "-",
    digits: options.Digits = 4,
    short: options.Short = False,
    wordnet: options.Wordnet = None,
    paraphrases: options.Paraphrases = None,
    trees: options.Trees = None,
    reference_trees: options.ReferenceTrees = None,
    parser: options.ParserSpec = None,
    source: options.Source = None,
    alignments: options.Alignments = None,
    reference_alignments: options.ReferenceAlignments = None,
    one_based: options.OneBased = False,
    sure: options.Sure = False,
    threads: options.Threads = None,
    example: options.Example = False,
) -> None:
    """Compare systems: which differences are more than chance?

    For each metric the systems are ranked; a line separates clusters, such that each system above
    is significantly better than each one below, and "rank" is the ranks a system may have. Then
    come the pairs: the difference, p (two-sided; a * if significant), the effect (mean over
    standard deviation of the segments' differences), and in how many segments the first is
    better, equal, worse. Of more than four systems it is a table of p-values.

    \b
    Examples:
      hyperbaton compare -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton compare -r ref.txt old.txt new1.txt new2.txt -l en --baseline old.txt
      hyperbaton compare -r ref.txt sys*.txt -m pef --correction holm --format latex
      hyperbaton compare -r ref.txt a.txt b.txt -m pef --method randomization --samples 10000
      hyperbaton compare -r ref.txt a.txt b.txt -l en -m pef:bp=off --differences 5
      hyperbaton compare --example
    """
    language = language or ("en" if example else None)
    others = [
        *(trees or ()),
        *(reference_trees or ()),
        source,
        *(alignments or ()),
        *(reference_alignments or ()),
    ]
    systems, references = options.files("compare", systems, references, [output], example, others)
    parses = options.tree_files(systems, references, trees, reference_trees, parser, example)
    links = AlignmentFiles.of(
        systems, references, source, alignments, reference_alignments, one_based, sure
    )
    names = system_names(systems)
    if differences and "-" in (*systems, *references):
        raise InputError("--differences reads the files twice: standard input cannot be one")
    if differences and form not in (Format.text, Format.json):
        raise InputError("--differences is for the formats text and json")
    baseline = baseline_name(baseline, systems, names)
    with as_input_error():
        thread_count(threads)
        sampling = Sampling(method.value, samples, seed, level, threads)
        check_systems(names, baseline, correction.value)
        named = named_metrics(metrics or ["default"], language, wordnet, paraphrases, parser)
    with write_beside(output) as out:
        scorers = [Scorer(named, keep=True, name=name) for name in names]
        run(scorers, systems, references, None, threads, parses, links)
        results = [scorer.result() for scorer in scorers]
        found = compare_results(results, sampling, baseline, correction.value)
        listed = [
            one
            for metric in (found.metrics if differences else ())
            for one in separating(found, metric, differences, systems, references)
        ]
        out.write(shown(found, listed, form, digits, short, in_colour(out)) + "\n")
    for line in [*alignment_warnings(links), *warnings(results, language), *notes(found)]:
        print(f"hyperbaton: {line}", file=sys.stderr)


def baseline_name(baseline: str | None, systems: Sequence[str], names: Sequence[str]) -> str | None:
    """What the baseline is called, which may be given as a file, too."""
    if baseline is not None and baseline not in names:
        real = [os.path.realpath(system) for system in systems]
        if os.path.realpath(baseline) in real:
            return names[real.index(os.path.realpath(baseline))]
    return baseline


def notes(found: Comparison) -> list[str]:
    """What a reader should know before trusting the p-values."""
    kinds = ("warning" if note in found.warnings else "note" for note in found.notes)
    return [f"{kind}: {note}" for kind, note in zip(kinds, found.notes, strict=True)]


def separating(
    found: Comparison,
    metric: str,
    count: int,
    systems: Sequence[str],
    references: Sequence[str],
) -> list[dict[str, Any]]:
    """The segments that separate two systems most by a metric, with both outputs.

    The two are the baseline and the best of the others, or the best two.
    """
    names = [result.name for result in found.results]
    a, b = found.contrast(metric)
    chosen = {k: values for k, *values in found.separating(metric, a, b, count)}
    paths = [*references, systems[names.index(a)], systems[names.index(b)]]
    texts = {}
    for k, row in enumerate(side_by_side(paths, read_texts)):
        if k in chosen:
            texts[k] = row
    return [
        {
            "metric": metric,
            "segment": k + 1,
            "references": [text for several in texts[k][: len(references)] for text in several],
            "systems": [
                {"name": a, "value": values[0], "text": texts[k][-2][0]},
                {"name": b, "value": values[1], "text": texts[k][-1][0]},
            ],
        }
        for k, values in chosen.items()
    ]


def shown(
    found: Comparison,
    listed: Sequence[dict[str, Any]],
    form: Format,
    digits: int,
    short: bool,
    colour: bool,
) -> str:
    """The comparison in a format."""
    if form is Format.json:
        return json.dumps(
            {**found.to_dict(), "separating": list(listed)}, ensure_ascii=False, indent=2
        )
    if form is Format.tsv:
        return comparisons.as_comparison_tsv(found)
    if form is not Format.text:
        table = tables.as_markdown if form is Format.markdown else latex_table
        mark = ("- `", "`") if form is Format.markdown else ("% ", "")
        texts = [settings(found), *signatures(found.results, short)]
        below = "\n".join(mark[0] + text + mark[1] for text in texts)
        return "\n\n".join([*comparisons.sections(found, digits, table), below])
    width = shutil.get_terminal_size((100, 24)).columns
    parts = [comparisons.as_comparison_text(found, digits, width, colour)]
    for one in listed:
        lines = [f"{one['metric']}, segment {one['segment']:,}"]
        lines += [f"  reference: {text}" for text in one["references"]]
        for system in one["systems"]:
            value = tables.number(system["value"], digits)
            lines.append(f"  {system['name']} ({value}): {system['text']}")
        parts.append("\n".join(lines))
    parts.append("\n".join([settings(found), *signatures(found.results, short)]))
    return "\n\n".join(parts)


def latex_table(columns: Sequence[tables.Column]) -> str:
    """With a line between clusters."""
    return tables.as_latex(columns, comparisons.cluster_ends(columns))


def settings(found: Comparison) -> str:
    """How the test was made."""
    correction = f"; correction: {found.correction}" if found.correction != "none" else ""
    return f"{found.n:,} segment{'s' * (found.n != 1)}; {found.sampling}{correction}"
