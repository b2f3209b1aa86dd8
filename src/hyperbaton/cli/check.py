"""``hyperbaton check``: is a new system worse than a baseline? For continuous integration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from hyperbaton.cli.declarations import OptionGroup, flag, option
from hyperbaton.cli.messages import print_notices
from hyperbaton.cli.options import ComparisonOptions, RunOptions, output_file
from hyperbaton.errors import InputError
from hyperbaton.text.plurals import count_noun

if TYPE_CHECKING:
    from hyperbaton.runs.comparisons import Comparison, Difference

SCHEMA = "hyperbaton/check/1"
FAILED = 3  # the exit status; 1 and 2 mean that nothing could be checked
# Without precedence, which needs at least 100 references: a check runs on test sets of any size.
DEFAULT_METRIC = "hyper:precedence=off"
DIGITS = 4
FORMATS = ("text", "json")


class CheckOptions(ComparisonOptions):
    """The baseline, and how systems are compared with it."""

    baseline: str | None = option(
        "--baseline BASE",
        "Translations of the baseline: a file, as for SYS, or NAME=BASE. With --example, "
        "one of its systems.",
    )
    fail_below_baseline: bool = flag(
        "--fail-below-baseline",
        f"Exit with status {FAILED} if a system is significantly worse than the baseline.",
    )


class CheckOutputOptions(OptionGroup):
    """How the result is printed, and where."""

    TITLE = "Output"

    format: str = option("--format -f", "Output format.", FORMATS[0], choices=FORMATS)
    output: str = output_file()


def check(given: RunOptions, statistics: CheckOptions, output: CheckOutputOptions) -> None:
    """Test a system against a baseline, for continuous builds.

    One line per metric says whether the system is significantly worse or better than the baseline,
    that is, whether p < 1 − level in the paired test of hyperbaton compare. The default metric is
    hyper:precedence=off. The lines go to standard output, warnings go to standard error.

    \b
    Exit status:
      0  no system is significantly worse, or --fail-below-baseline is not given
      1  the output cannot be written
      2  the input is invalid, or so small that the check could never fail
      3  with --fail-below-baseline: a system is significantly worse by at least one metric

    \b
    Examples:
      hyperbaton check -r ref.txt new.txt --baseline old.txt -l en
      hyperbaton check -r ref.txt new.txt --baseline old.txt -l en --fail-below-baseline
      hyperbaton check -r ref.txt new.txt --baseline old.txt -m hyper,bleu --format json
      hyperbaton check -r ref.txt new=runs/7.txt --baseline old=runs/3.txt --level 0.99
      hyperbaton check --example --baseline literal
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.cli.file_run import TERMINAL_PROGRESS, prepare_run
    from hyperbaton.files.output_files import write_beside
    from hyperbaton.runs.comparing import check_comparable, compare_results
    from hyperbaton.text.display import safe_json

    if statistics.baseline is None:
        raise InputError("no baseline: hyperbaton check -r REF SYS... --baseline BASE")
    inputs, scoring = given.inputs, given.scoring
    if not inputs.example and inputs.systems:
        inputs = replace(inputs, systems=[*inputs.systems, statistics.baseline])
    if not scoring.metrics:
        scoring = replace(scoring, metrics=[DEFAULT_METRIC])
    given = replace(given, inputs=inputs, scoring=scoring)
    run, systems = prepare_run("check", given, [output.output])
    baseline = systems.find(statistics.baseline) if inputs.example else systems.names[-1]
    sampling = statistics.sampling(scoring.threads, statistics.method)
    check_comparable(systems.names, baseline, statistics.correction)
    with write_beside(output.output) as out:
        results = run.score(progress=TERMINAL_PROGRESS)
        comparison = compare_results(results, sampling, baseline, statistics.correction)
        if statistics.fail_below_baseline and not comparison.can_be_significant:
            raise InputError(f"{comparison.warnings[-1]}; this check could never fail")
        failed = statistics.fail_below_baseline and any(map(is_worse, comparison.differences))
        if output.format == "json":
            text = safe_json(to_dict(comparison), indent=2)
        else:
            lines = (describe(comparison, one, systems.labels) for one in comparison.differences)
            text = "\n".join(lines)
        try:
            out.write(text + "\n")
        except BrokenPipeError:
            if not failed:
                raise
            raise click.exceptions.Exit(
                FAILED
            ) from None  # a check must not pass because nobody reads it
    print_notices([*run.warnings(results), *comparison.notes])
    if failed:
        raise click.exceptions.Exit(FAILED)


def is_worse(difference: Difference) -> bool:
    """Return whether the system is significantly worse than the baseline."""
    return difference.better == difference.b


def describe(comparison: Comparison, difference: Difference, labels: Mapping[str, str]) -> str:
    """Return a line that says how a system compares with the baseline by one metric.

    ``labels`` are the names of the systems in tables.
    """
    if difference.better is None:
        relation = "is not significantly different from"
    else:
        relation = f"is significantly {'worse' if is_worse(difference) else 'better'} than"
    values = {result.name: result[difference.metric].value for result in comparison.results}
    details = [
        f"difference {format_difference(difference.difference)}",
        f"p = {format_p(difference.p)}",
        count_noun(comparison.n, "segment"),
    ]
    if not comparison.can_be_significant:
        details.append("no difference could be significant")
    return (
        f"{labels[difference.a]} {relation} {labels[difference.b]} by {difference.metric}: "
        f"{values[difference.a]:.{DIGITS}f} against {values[difference.b]:.{DIGITS}f} "
        f"({', '.join(details)})"
    )


def format_difference(value: float) -> str:
    """Return a difference with its sign, unless it is rounded to 0.

    >>> format_difference(-0.01934), format_difference(0.02), format_difference(-0.00001)
    ('−0.0193', '+0.0200', '0.0000')
    """
    text = f"{value:+.{DIGITS}f}"
    return text.replace("-", "−") if float(text) else text[1:]


def format_p(p: float) -> str:
    """Return a p-value with three decimals, or as many as it takes not to be 0.

    >>> format_p(0.0009990009990009), format_p(0.00009999), format_p(1.0)
    ('0.001', '0.0001', '1.000')
    """
    text = f"{p:.3f}"
    return text if float(text) or not p else f"{p:.1g}"


def to_dict(comparison: Comparison) -> dict[str, Any]:
    """Return the result of the check for JSON."""
    scores = {result.name: result for result in comparison.results}
    return {
        "schema": SCHEMA,
        "passed": not any(map(is_worse, comparison.differences)),
        "baseline": comparison.baseline,
        "can_fail": comparison.can_be_significant,
        "n": comparison.n,
        **comparison.settings(),
        "correction": comparison.correction,
        "notes": comparison.notes,
        "checks": [
            {
                "metric": difference.metric,
                "system": difference.a,
                "worse": is_worse(difference),
                "value": scores[difference.a][difference.metric].value,
                "baseline_value": scores[difference.b][difference.metric].value,
                **{
                    key: value
                    for key, value in asdict(difference).items()
                    if key not in ("metric", "a", "b")
                },
                "higher_is_better": scores[difference.a][difference.metric].higher_is_better,
                "signature": scores[difference.a][difference.metric].signature,
            }
            for difference in comparison.differences
        ],
    }
