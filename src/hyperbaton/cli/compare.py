"""``hyperbaton compare``: is the difference between systems real?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hyperbaton.cli.aligner_options import FOR_ALIGNER, FOR_SOURCE
from hyperbaton.cli.declarations import Rules, option
from hyperbaton.cli.messages import print_notices
from hyperbaton.cli.options import ComparisonOptions, RunOptions, ScaledOutputOptions
from hyperbaton.cli.systems import split_name
from hyperbaton.files.columns import check_rereadable
from hyperbaton.views.formats import FORMATS

if TYPE_CHECKING:
    from hyperbaton.runs.comparisons import Comparison
    from hyperbaton.runs.file_input import FileCorpus


class CompareOptions(ScaledOutputOptions):
    """What is printed, and where."""

    differences: int = option(
        "--differences N",
        "List the N segments with the largest differences between the two best systems, "
        "or between the best one and the baseline.",
        0,
        low=0,
    )


def has_folders(given: Any) -> bool:
    """Return whether systems are folders of scores."""
    return any(os.path.isdir(split_name(system)[1]) for system in given.systems or ())


TEXTS = "--reference --trees --ref-trees --source --alignment --ref-alignment --align-source"
RULES: Rules = {
    has_folders: {
        "--differences": "--differences needs the texts, which folders of scores do not have",
        TEXTS: "folders of scores are compared without texts: give only the folders",
        f"{FOR_ALIGNER} {FOR_SOURCE}": "{option} needs --align-source",
    },
    lambda given: not FORMATS[given.format].has_texts: {
        "--differences": "--differences can only be used with --format text or json"
    },
}


def compare(given: RunOptions, statistics: ComparisonOptions, output: CompareOptions) -> None:
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
    from hyperbaton.files.output_files import write_beside
    from hyperbaton.runs.comparing import check_comparable
    from hyperbaton.views.comparison_tables import ComparisonView

    if has_folders(given.inputs):
        compare_folders(given, statistics, output)
        return
    run, systems = prepare_run("compare", given, [output.output])
    corpus = run.corpus
    if output.differences:
        files = [*corpus.systems, *corpus.references]
        check_rereadable(files, "--differences reads the files twice")
    sampling = statistics.sampling(given.scoring.threads, statistics.method)
    baseline = statistics.baseline_name(systems)
    check_comparable(corpus.names, baseline, statistics.correction)
    with write_beside(output.output) as out:
        run = run.with_run(sampling=sampling, baseline=baseline, correction=statistics.correction)
        evaluation = run.evaluate(progress=TERMINAL_PROGRESS)
        comparison = evaluation.comparison
        assert comparison is not None  # there are several systems
        separating = [
            segment
            for metric in (comparison.metrics if output.differences else ())
            for segment in find_separating(comparison, metric, output.differences, corpus)
        ]
        view = ComparisonView(comparison, systems.labels, output.factor, separating)
        out.write(output.render(view, out) + "\n")
    print_notices([*run.warnings(evaluation.results), *evaluation.notes])


def compare_folders(
    given: RunOptions, statistics: ComparisonOptions, output: CompareOptions
) -> None:
    """Compare systems whose scores are in folders."""
    from hyperbaton.cli.table_run import read_comparable
    from hyperbaton.files.output_files import write_beside
    from hyperbaton.runs.comparing import check_comparable, compare_results
    from hyperbaton.runs.file_runs import score_warnings
    from hyperbaton.views.comparison_tables import ComparisonView

    results, systems, language = read_comparable(given.inputs.systems or [], given.scoring.metrics)
    sampling = statistics.sampling(given.scoring.threads, statistics.method)
    baseline = statistics.baseline_name(systems)
    check_comparable(systems.names, baseline, statistics.correction)
    with write_beside(output.output) as out:
        comparison = compare_results(results, sampling, baseline, statistics.correction)
        view = ComparisonView(comparison, scale=output.factor)
        out.write(output.render(view, out) + "\n")
    print_notices([*score_warnings(results, language), *comparison.notes])


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
