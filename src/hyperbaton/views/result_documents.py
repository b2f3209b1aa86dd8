"""The documents of results, which ``print`` and notebooks show."""

from __future__ import annotations

import functools

from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.tuning import Tuning
from hyperbaton.order.profile import ReorderingProfile
from hyperbaton.runs.comparisons import Comparison
from hyperbaton.runs.results import Result, Score
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.agreement_tables import agreement_document
from hyperbaton.views.comparison_tables import comparison_document
from hyperbaton.views.profile_tables import profile_document
from hyperbaton.views.reports import Report
from hyperbaton.views.score_tables import MetricValues, score_document, system_table
from hyperbaton.views.tables import Column, Document, Prose, Table, format_estimate, format_number
from hyperbaton.views.tuning_tables import tuning_document

# What the command line shows by default.
DIGITS = 4
AGREEMENT_DIGITS = 3
TOP = 10  # operators of a profile
HOW_TO_OPEN = (
    'To see every segment, save the page with report.save("report.html") and open it in a browser.'
)


@functools.singledispatch
def result_document(result: object) -> Document:
    """Return what the command line shows of a result."""
    raise NotImplementedError(f"there is no document of {type(result).__name__}")


@result_document.register
def _(result: Result) -> Document:
    return score_document([result], DIGITS, result.sampling)


@result_document.register
def _(comparison: Comparison) -> Document:
    return comparison_document(comparison, DIGITS)


@result_document.register
def _(evaluation: MetaEvaluation) -> Document:
    return agreement_document(evaluation, AGREEMENT_DIGITS)


@result_document.register
def _(tuning: Tuning) -> Document:
    return tuning_document([tuning], DIGITS)


@result_document.register
def _(profile: ReorderingProfile) -> Document:
    return profile_document(profile, TOP, DIGITS)


@result_document.register
def _(score: Score) -> Document:
    estimate = format_estimate(score.value, score.lower, score.upper, DIGITS)
    columns = [
        Column("metric", (score.name,), left=True),
        Column(f"value {'↑' if score.higher_is_better else '↓'}", (estimate,)),
    ]
    if score.aligned is not None:
        columns.append(Column("aligned", (format_number(score.aligned, 2),)))
    columns.append(Column("segments", (f"{score.n:,}",)))
    description = score.metric.variant.description
    return Document([Table(columns)], [description], [score.signature])


@result_document.register
def _(report: Report) -> Document:
    content = report.to_dict()
    systems = content["systems"]
    values = [
        MetricValues(
            metric["name"],
            metric["higher_is_better"],
            [
                (score["value"], score["lower"], score["upper"])
                for score in (system["scores"][metric["name"]] for system in systems)
            ],
        )
        for metric in content["metrics"]
    ]
    table = system_table(
        [system["name"] for system in systems],
        [system["aligned"] for system in systems],
        values,
        DIGITS,
    )
    return Document(
        [Prose([content["title"]]), Prose(report.verdict()), table],
        [count_noun(content["n"], "segment"), HOW_TO_OPEN],
        [metric["signature"] for metric in content["metrics"]],
        content["notes"],
    )
