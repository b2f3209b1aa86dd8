"""What is shown of scores: a table with one row per system and one column per metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from hyperbaton.files.lines import short_names
from hyperbaton.notices import Notice
from hyperbaton.runs.cautions import cautions, evidence_notices
from hyperbaton.runs.intervals import describe_sampling, interval_settings
from hyperbaton.runs.results import Result, Score, results_dict
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import (
    BELOW,
    DIGITS,
    MISSING,
    Cell,
    Column,
    Document,
    Note,
    NumberCell,
    Percent,
    ResultView,
    Table,
    View,
)

SCORE_FIELDS = ("value", "lower", "upper", "linked", "matched", "not_scored", "n", "signature")
SCALED = "values × 100"


@dataclass(frozen=True)
class ScoreView(ResultView):
    """The scores of systems.

    Attributes
    ----------
    results : sequence of Result
        One result per system.
    sampling : Sampling, optional
        How the intervals of the scores were computed.
    details : bool
        Whether to show people what BLEU is computed from, and long signatures.
    """

    results: Sequence[Result]
    sampling: Sampling | None = None
    details: bool = False
    digits = 1

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
        table = system_table([result.name for result in self.results], result_columns(self.results))
        note = count_noun(first.n, "segment")
        if self.sampling is not None:
            note += f"; {describe_sampling(self.sampling, first.n)}"
        names = short_names([result.name for result in self.results])
        reasons = [notice.fact for notice in evidence_notices(self.results, names)]
        notes: list[str | Note] = [note, *reasons, *self._details(names)]
        signatures = [score.signature for score in first.values()]
        return Document([table], notes, signatures, not self.details, adjoining=True)

    def _details(self, names: Mapping[str, str]) -> Iterator[Note]:
        for result in self.results:
            for metric, score in result.items():
                if self.details and score.details:
                    yield partial(describe_details, f"{names[result.name]}, {metric}", score)

    def told(self) -> Iterable[Notice]:
        """Return the notices that the document tells by itself."""
        return evidence_notices(self.results)

    def cautions(self) -> Sequence[str]:
        """Return warnings and notes about the scores."""
        told = set(self.told())
        return [n.line("python") for n in cautions(self.results) if n not in told]

    def plain_values(self, digits: int = DIGITS) -> str:
        """Return a line for each value: all metrics of the first system, and so on."""
        scores = (score for result in self.results for score in result.values())
        return "\n".join(
            "" if score.value is None else f"{score.value:.{digits}f}" for score in scores
        )


@dataclass(frozen=True)
class SingleScoreView(View):
    """The score of one metric."""

    score: Score
    digits = 1

    def document(self) -> Document:
        """Return a table with one row, below which the metric is described."""
        score = self.score
        value = Percent(score.value, score.lower, score.upper)
        heading = f"value{arrow(score.higher_is_better)}"
        columns = [Column("metric", [score.name], left=True), Column(heading, [value])]
        if score.linked is not None:
            columns.append(Column("linked", [share_cell(score.linked)]))
        columns.append(Column("segments", [NumberCell(score.n, ",")]))
        table = Table(columns, legend=describe_values([score.higher_is_better]))
        return Document([table], [score.metric.variant.description], [score.signature])


def describe_details(name: str, score: Score, digits: int, mark: str) -> str:
    """Return a note on what a score is computed from. Lists hold shares, which are times 100."""
    texts = []
    for key, value in score.details.items():
        if isinstance(value, list):
            text = "/".join(f"{100 * share:.{digits}f}" for share in value)
        else:
            text = f"{value:,}" if isinstance(value, int) else f"{value:.{DIGITS}f}"
        texts.append(f"{key.replace('_', ' ')} {text}")
    return f"{name}: {', '.join(texts)}"


class SystemColumn(NamedTuple):
    """A column of systems: the values of a metric, or what else is known of each of them."""

    heading: str
    cells: Mapping[str, Cell]
    is_error_rate: bool = False


def result_columns(
    results: Sequence[Result], below: Mapping[str, Iterable[str]] | None = None
) -> list[SystemColumn]:
    """Return a column for each metric, with the shares of words behind `order`.

    ``below`` has the systems that are significantly below the best, by metric.
    """
    low = {metric: set(systems) for metric, systems in (below or {}).items()}
    columns = [
        SystemColumn(
            metric,
            {
                r.name: Percent(
                    r[metric].value, r[metric].lower, r[metric].upper, r.name in low.get(metric, ())
                )
                for r in results
            },
            not score.higher_is_better,
        )
        for metric, score in results[0].items()
    ]
    shares = {
        "matched": {result.name: result.matched for result in results},
        "linked": {result.name: result.linked for result in results},
    }
    is_order = [score.metric.needs.anchors is not None for score in results[0].values()]
    return with_shares(columns, shares, is_order)


def with_shares(
    columns: Sequence[SystemColumn],
    shares: Mapping[str, Mapping[str, float | None]],
    is_order: Sequence[bool],
) -> list[SystemColumn]:
    """Return the columns of metrics, `order` first, then those of the shares that are known."""
    known = [
        SystemColumn(heading, {name: share_cell(share) for name, share in of_systems.items()})
        for heading, of_systems in shares.items()
        if any(share is not None for share in of_systems.values())
    ]
    first = [column for column, order in zip(columns, is_order, strict=True) if order][:1]
    return [*first, *known, *(column for column in columns if column not in first)]


def share_cell(share: float | None) -> str:
    """Return the cell of a share of words."""
    return MISSING if share is None else f"{100 * share:.0f} %"


def system_table(
    names: Sequence[str],
    columns: Sequence[SystemColumn],
    rules: frozenset[int] = frozenset(),
    tests: str = "",
    about: str = "",
) -> Table:
    """Return the table of systems and metrics.

    Parameters
    ----------
    names : sequence of str
        The systems, in the order of the rows.
    columns : sequence of SystemColumn
    rules : frozenset of int
        Rows with a rule above them.
    tests : str
        What the sign behind values means.
    about : str
        What other columns mean.
    """
    shown = short_names(names)
    found = [Column("system", [shown[name] for name in names], left=True)]
    for heading, cells, is_error_rate in columns:
        heading += arrow(not is_error_rate)
        found.append(Column(heading, [cells[name] for name in names]))
    values = describe_values([not column.is_error_rate for column in columns])
    legend = ["; ".join(filter(None, (tests, values))), *filter(None, [about])]
    return Table(found, rules, legend="\n".join(legend))


def cluster_starts(clusters: Sequence[int | None]) -> frozenset[int]:
    """Return the rows at which another cluster begins; systems that are not scored have none."""
    return frozenset(
        k for k in range(1, len(clusters)) if clusters[k] not in (None, clusters[k - 1])
    )


def describe_tests(has_signs: bool, level: float, baseline: str | None, has_order: bool) -> str:
    """Return what the sign behind values means.

    >>> describe_tests(True, 0.95, None, has_order=False)
    "▼ significantly below the column's best (5 %)"
    """
    best = "column's best" if has_signs else "best"
    than = best if baseline is None else "baseline"
    by = "; order: shared words" if has_order else ""
    sign = BELOW if has_signs else "none"
    return f"{sign} significantly below the {than} ({100 * (1 - level):.10g} %{by})"


def describe_values(higher_is_better: Iterable[bool]) -> str:
    """Return what the legend of a table says of its values."""
    return SCALED if all(higher_is_better) else f"{SCALED}; ↓ lower is better"


def arrow(higher_is_better: bool) -> str:
    """Return the sign behind the name of an error rate."""
    return "" if higher_is_better else " ↓"


def value_with_arrow(score: Score) -> str:
    """Return the value of a segment, times 100, and whether higher is better."""
    value = MISSING if score.value is None else f"{100 * score.value:.1f}"
    return f"{value} {'↑' if score.higher_is_better else '↓'}"
