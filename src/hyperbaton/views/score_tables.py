"""What is shown of scores: a table with one row per system and one column per metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from hyperbaton.runs.cautions import cautions
from hyperbaton.runs.intervals import describe_sampling, interval_settings
from hyperbaton.runs.results import Result, Score, results_dict
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import (
    DIGITS,
    MISSING,
    Column,
    Document,
    Estimate,
    Note,
    NumberCell,
    ResultView,
    Table,
    View,
    ViewSection,
    best_rows,
    optional_number,
)

SCORE_FIELDS = ("value", "lower", "upper", "linked", "matched", "not_scored", "n", "signature")


@dataclass(frozen=True)
class ScoreView(ResultView):
    """The scores of systems.

    Attributes
    ----------
    results : sequence of Result
        One result per system.
    sampling : Sampling, optional
        How the intervals of the scores were computed.
    labels : mapping of str to str
        Shorter names of systems, for people.
    scale : float
        What values are multiplied by, for people.
    details : bool
        Whether to show people what BLEU is computed from.
    """

    results: Sequence[Result]
    sampling: Sampling | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1
    details: bool = False

    def data(self) -> dict[str, Any]:
        """Return the scores, and how their intervals were computed."""
        data = results_dict(self.results)
        if self.sampling is not None:
            data["confidence"] = interval_settings(self.sampling, self.results[0].n)
        return data

    def records(self) -> list[dict[str, object]]:
        """Return one row per system and metric."""
        n = self.results[0].n
        settings = {} if self.sampling is None else interval_settings(self.sampling, n)
        return [
            {"system": result.name, "metric": metric}
            | {key: score[key] for key in SCORE_FIELDS}
            | settings
            for result in self.results
            for metric, score in ((m, s.to_dict()) for m, s in result.items())
        ]

    def document(self) -> Document:
        """Return the table of systems and metrics."""
        first = self.results[0]
        values = []
        for metric, score in first.items():
            scores = [result[metric] for result in self.results]
            estimates = [estimate(one).times(self.scale) for one in scores]
            marked = {row: self.scale * float(one) for row, one in enumerate(scores) if one.may_win}
            values.append(MetricValues(metric, score.higher_is_better, estimates, marked))
        names = [self.labels.get(result.name, result.name) for result in self.results]
        shares = {
            "linked": [result.linked for result in self.results],
            "matched": [result.matched for result in self.results],
        }
        table = system_table(names, shares, values)
        note = count_noun(first.n, "segment")
        if self.sampling is not None:
            note += f"; {describe_sampling(self.sampling, first.n)}"
        details = [
            partial(describe_details, f"{name}, {metric}", score, self.scale)
            for name, result in zip(names, self.results, strict=True)
            for metric, score in result.items()
            if self.details and score.details
        ]
        reasons = [
            f"{name}, {metric}: {score.evidence.reason}"
            for name, result in zip(names, self.results, strict=True)
            for metric, score in result.items()
            if score.value is None and score.evidence is not None
        ]
        notes: list[str | Note] = [scaled_note(note, self.scale), *reasons, *details]
        signatures = [score.signature for score in first.values()]
        return Document([ViewSection([table])], notes, signatures, adjoining=True)

    def cautions(self) -> Sequence[str]:
        """Return warnings and notes about the scores."""
        return [notice.line("python") for notice in cautions(self.results)]

    def plain_values(self, digits: int = DIGITS) -> str:
        """Return a line for each value: all metrics of the first system, and so on."""
        scores = (score for result in self.results for score in result.values())
        return "\n".join(
            "" if score.value is None else f"{self.scale * score.value:.{digits}f}"
            for score in scores
        )


@dataclass(frozen=True)
class SingleScoreView(View):
    """The score of one metric."""

    score: Score

    def document(self) -> Document:
        """Return a table with one row, below which the metric is described."""
        score = self.score
        heading = f"value {arrow(score.higher_is_better)}"
        columns = [Column("metric", [score.name], left=True), Column(heading, [estimate(score)])]
        if score.linked is not None:
            columns.append(Column("linked", [NumberCell(score.linked, ".2f")]))
        columns.append(Column("segments", [NumberCell(score.n, ",")]))
        description = score.metric.variant.description
        return Document([ViewSection([Table(columns)])], [description], [score.signature])


def describe_details(name: str, score: Score, scale: float, digits: int, mark: str) -> str:
    """Return a note on what a score is computed from. Lists hold shares, which are scaled."""
    texts = []
    for key, value in score.details.items():
        if isinstance(value, list):
            text = "/".join(f"{scale * share:.{digits}f}" for share in value)
        else:
            text = f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"
        texts.append(f"{key.replace('_', ' ')} {text}")
    return f"{name}: {', '.join(texts)}"


class MetricValues(NamedTuple):
    """The value of each system by a metric, and the values among which the best are marked."""

    metric: str
    higher_is_better: bool
    estimates: Sequence[Estimate]
    marked: Mapping[int, float]


def system_table(
    names: Sequence[str],
    shares: Mapping[str, Sequence[float | None]],
    metrics: Sequence[MetricValues],
) -> Table:
    """Return the table of systems and metrics, with shares of words that are known.

    The best values of each metric are highlighted.
    """
    columns = [Column("system", names, left=True)]
    for heading, of_systems in shares.items():
        if any(share is not None for share in of_systems):
            columns.append(Column(heading, [optional_number(share, ".2f") for share in of_systems]))
    for metric, higher_is_better, estimates, marked in metrics:
        best = partial(best_rows, marked, higher_is_better)
        columns.append(Column(f"{metric} {arrow(higher_is_better)}", estimates, best))
    return Table(columns)


def arrow(higher_is_better: bool) -> str:
    """Return the sign behind the name of a metric."""
    return "↑" if higher_is_better else "↓"


def value_with_arrow(score: Score) -> str:
    """Return the value of a segment, and whether higher is better."""
    value = MISSING if score.value is None else f"{score.value:.4f}"
    return f"{value} {arrow(score.higher_is_better)}"


def estimate(score: Score) -> Estimate:
    """Return the value of a score with its interval."""
    return Estimate(score.value, score.lower, score.upper)


def scaled_note(note: str, scale: float) -> str:
    """Return the first note below tables, which says so if their values are scaled."""
    return note if scale == 1 else f"{note}; values × {scale:g}"
