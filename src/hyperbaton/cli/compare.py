"""``hyperbaton compare``: is the difference between systems real?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hyperbaton.cli.aligner_options import AlignerOptions
from hyperbaton.cli.options import (
    AlignmentOptions,
    ComparisonOptions,
    InputOptions,
    ScaledOutputOptions,
    ScoringOptions,
    TreeOptions,
)
from hyperbaton.cli.systems import split_name
from hyperbaton.errors import InputError
from hyperbaton.files.columns import check_rereadable
from hyperbaton.views.formats import FORMATS

if TYPE_CHECKING:
    from hyperbaton.runs.comparisons import Comparison
    from hyperbaton.runs.file_input import FileCorpus


def compare(
    inputs: InputOptions,
    scoring: ScoringOptions,
    alignments: AlignmentOptions,
    aligner: AlignerOptions,
    trees: TreeOptions,
    statistics: ComparisonOptions,
    output_options: ScaledOutputOptions,
    differences: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="List the N segments with the largest differences between the two best systems, "
            "or between the best one and the baseline.",
            rich_help_panel="Output",
        ),
    ] = 0,
) -> None:
    """Compare systems: which differences are significant?

    The systems are ranked for each metric. A line separates clusters: every system above it is
    significantly better than every system below it. "rank" gives the ranks that a system may have.
    A table of pairs follows: the difference, p (two-sided; * if significant), the effect size (mean
    of the segment differences divided by their standard deviation; positive if the first system is
    better), and the number of segments in which the first system is better, equal or worse. With
    more than four systems, a table of p-values replaces it. A short verdict follows each metric.

    \b
    Examples:
      hyperbaton compare -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton compare -r ref.txt old=runs/3.txt new=runs/7.txt -l en --baseline old
      hyperbaton compare -r ref.txt sys*.txt -m pef --correction holm --format latex
      hyperbaton compare -r ref.txt a.txt b.txt -m pef --method randomization --samples 10000
      hyperbaton compare -r ref.txt a.txt b.txt -l en -m pef:bp=off --differences 5
      hyperbaton compare -r ref.txt a.txt b.txt -m lr_kb1 --source src.txt --align-source
      hyperbaton compare scores/a scores/b
      hyperbaton compare --example
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.cli.file_run import TERMINAL_PROGRESS, prepare_run
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.files.output_files import write_beside
    from hyperbaton.runs.comparing import check_comparable
    from hyperbaton.views.comparison_tables import ComparisonView

    folders = inputs.systems or []
    if any(os.path.isdir(split_name(folder)[1]) for folder in folders):
        if differences:
            raise InputError("--differences needs the texts, which folders of scores do not have")
        if inputs.references or trees.paths or alignments.paths or alignments.align_source:
            raise InputError("folders of scores are compared without texts: give only the folders")
        aligner.check_unused()
        compare_folders(folders, scoring, statistics, output_options)
        return
    run, systems = prepare_run(
        "compare", inputs, scoring, alignments, aligner, trees, [output_options.output]
    )
    corpus = run.corpus
    if differences:
        files = [*corpus.systems, *corpus.references]
        check_rereadable(files, "--differences reads the files twice")
    showing = [name for name, form in FORMATS.items() if form.has_texts]
    if differences and output_options.format not in showing:
        raise InputError(f"--differences can only be used with --format {' or '.join(showing)}")
    sampling = statistics.sampling(scoring.threads, statistics.method.value)
    baseline = statistics.baseline_name(systems)
    check_comparable(corpus.names, baseline, statistics.correction.value)
    with write_beside(output_options.output) as out:
        evaluation = run.evaluate(
            sampling, baseline, statistics.correction.value, progress=TERMINAL_PROGRESS
        )
        comparison = evaluation.comparison
        assert comparison is not None  # there are several systems
        separating = [
            segment
            for metric in (comparison.metrics if differences else ())
            for segment in find_separating(comparison, metric, differences, corpus)
        ]
        view = ComparisonView(comparison, systems.labels, output_options.factor, separating)
        out.write(output_options.render(view, out) + "\n")
    print_warnings([*run.warnings(evaluation.results), *evaluation.notes])


def compare_folders(
    folders: Sequence[str],
    scoring: ScoringOptions,
    statistics: ComparisonOptions,
    output_options: ScaledOutputOptions,
) -> None:
    """Compare systems whose scores are in folders."""
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.cli.table_run import read_comparable
    from hyperbaton.files.output_files import write_beside
    from hyperbaton.runs.comparing import check_comparable, compare_results
    from hyperbaton.runs.file_runs import comparison_notes, score_warnings
    from hyperbaton.views.comparison_tables import ComparisonView

    results, systems, language = read_comparable(folders, scoring.metrics)
    sampling = statistics.sampling(scoring.threads, statistics.method.value)
    baseline = statistics.baseline_name(systems)
    check_comparable(systems.names, baseline, statistics.correction.value)
    with write_beside(output_options.output) as out:
        comparison = compare_results(results, sampling, baseline, statistics.correction.value)
        view = ComparisonView(comparison, scale=output_options.factor)
        out.write(output_options.render(view, out) + "\n")
    print_warnings([*score_warnings(results, language), *comparison_notes(comparison)])


def find_separating(
    comparison: Comparison, metric: str, count: int, corpus: FileCorpus
) -> list[dict[str, Any]]:
    """Return the segments that separate two systems most by a metric, with both outputs.

    The two systems are the best two, or the baseline and the best of the others.
    """
    from hyperbaton.files.columns import read_texts
    from hyperbaton.files.lines import zip_files

    a, b = comparison.contrast(metric)
    chosen = {k: values for k, *values in comparison.separating(metric, a, b, count)}
    files = dict(zip(corpus.names, corpus.systems, strict=True))
    rows = zip_files([*corpus.references, files[a], files[b]], read_texts)
    texts = {k: row for k, row in enumerate(rows) if k in chosen}
    return [
        {
            "metric": metric,
            "segment": k + 1,
            "references": [text for line_texts in texts[k][:-2] for text in line_texts],
            "systems": [
                {"name": a, "value": values[0], "text": texts[k][-2][0]},
                {"name": b, "value": values[1], "text": texts[k][-1][0]},
            ],
        }
        for k, values in chosen.items()
    ]
