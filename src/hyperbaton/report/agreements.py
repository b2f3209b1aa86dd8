"""A meta-evaluation as tables: metrics by language pairs, and metrics by metrics."""

from __future__ import annotations

from collections.abc import Sequence

from hyperbaton.meta.agreement import MEASURES
from hyperbaton.meta.results import Agreement, Counted, MetaEvaluation, MetricDifference
from hyperbaton.report.comparisons import shown_p
from hyperbaton.report.tables import Column, number

NOTHING = "–"  # of what is not defined
PEOPLE = {
    "rankings": "rankings by people",
    "ranks": "people's ranks as scores",
    "segments": "human scores of segments",
    "systems": "human scores of systems",
}


def agreement_columns(found: MetaEvaluation, digits: int) -> list[Column]:
    """Metrics down, language pairs across; the best are those that no other is better than.

    With several pairs, there are the mean agreement and the mean rank of each metric, too.
    """
    columns = [Column("metric", found.metrics, left=True)]
    for pair in found.pairs:
        unbeaten = found.unbeaten(pair)
        cells = [_cell(found, pair, metric, digits) for metric in found.metrics]
        best = frozenset(k for k, metric in enumerate(found.metrics) if metric in unbeaten)
        columns.append(Column(pair, tuple(cells), best if pair in _tested(found) else frozenset()))
    if len(found.pairs) > 1:
        means = {one.metric: one for one in found.averages()}
        own = [means.get(metric) for metric in found.metrics]
        values = (number(one.value, digits) if one else NOTHING for one in own)
        places = (number(one.rank, 2) if one else NOTHING for one in own)
        columns += [Column("mean", tuple(values)), Column("mean rank", tuple(places))]
    return columns


def _tested(found: MetaEvaluation) -> set[str]:
    """The pairs on which some metric could have been found better than another."""
    return {one.pair for one in found.differences if one.p is not None}


def _cell(found: MetaEvaluation, pair: str, metric: str, digits: int) -> str:
    try:
        one = found[pair, metric]
    except KeyError:  # a metric that only another test set has scores of
        return NOTHING
    return _shown(one, digits)


def _shown(one: Agreement, digits: int) -> str:
    if one.value is None:
        return NOTHING
    text = number(one.value, digits)
    if one.lower is None or one.upper is None:
        return text
    return f"{text} [{number(one.lower, digits)}, {number(one.upper, digits)}]"


def ranking_columns(found: MetaEvaluation, pair: str, digits: int) -> list[Column]:
    """Systems as each metric ranks them, called by their places by people, and the agreement."""
    own = [one for one in found.agreements if one.pair == pair and one.ranking is not None]
    places = (" ".join(f"S{k}" for k in one.ranking or ()) for one in own)
    values = (NOTHING if one.value is None else number(one.value, digits) for one in own)
    return [
        Column(f"metric, {pair}", tuple(one.metric for one in own), left=True),
        Column("ranking", tuple(places), left=True),
        Column(found.agreement, tuple(values)),
    ]


def wins_columns(found: MetaEvaluation) -> list[Column]:
    """N/B/D: on how many pairs is the metric of the row better, that of the column, neither?"""
    rows = tuple(f"{k:>2} {name}" for k, name in enumerate(found.metrics, 1))
    columns = [Column("N/B/D", rows, left=True)]
    for j, baseline in enumerate(found.metrics, 1):
        cells, best = [], set()
        for k, metric in enumerate(found.metrics):
            new, old, draws = found.wins(metric, baseline)
            cells.append("" if metric == baseline else f"{new}/{old}/{draws}")
            if new > old:
                best.add(k)
        columns.append(Column(str(j), tuple(cells), frozenset(best)))
    return columns


def p_columns(found: MetaEvaluation, pair: str) -> list[Column]:
    """p-values of all pairs of metrics on one test set; metrics are called by number."""
    own = {frozenset((one.a, one.b)): one for one in found.differences if one.pair == pair}
    rows = tuple(f"{k:>2} {name}" for k, name in enumerate(found.metrics, 1))
    columns = [Column(f"p, {pair}", rows, left=True)]
    for j, other in enumerate(found.metrics[1:], 2):
        pairs = [own.get(frozenset((name, other))) for name in found.metrics[: j - 1]]
        cells = [_shown_p(one) if one else "" for one in pairs]
        best = frozenset(k for k, one in enumerate(pairs) if one and one.better)
        filled = tuple(cells + [""] * (len(found.metrics) - len(cells)))
        columns.append(Column(str(j), filled, best))
    return columns


def _shown_p(one: MetricDifference) -> str:
    return NOTHING if one.p is None else shown_p(one.p)


def explained(found: MetaEvaluation, mark: str = "*", pairwise: bool = False) -> list[str]:
    """What the numbers are, and of how much; ``mark`` is how the best ones look.

    With ``pairwise``, what stands in the tables of each two metrics is said, too.
    """
    average = f", mean by {found.average}" if found.average != "none" else ""
    sampling = found.sampling
    lines = [
        f"{found.agreement}: {MEASURES[found.agreement].about}{average}; "
        f"{100 * sampling.level:.10g} % intervals: bootstrap over {found.bootstrap}, "
        f"{sampling.samples:,} samples, seed {sampling.seed}"
    ]
    if _tested(found):
        lines.append(
            f"{mark}: no other metric is significantly better ({found.test} test, p < "
            f"{sampling.alpha:.10g})"
        )
    if pairwise and len(found.metrics) > 1:
        if len(found.pairs) > 1:
            lines.append(
                "N/B/D: on how many pairs the metric of the row is significantly better (N), that "
                f"of the column (B), neither (D); {mark}: N > B"
            )
        lines.append(f"p: of each two metrics, two-sided; {mark}: p < {sampling.alpha:.10g}")
    for pair, systems in found.systems.items():
        named = ", ".join(f"S{k} {name}" for k, name in enumerate(systems, 1))
        lines.append(f"{pair}: by people, the best first: {named}")
    of_segments = MEASURES[found.agreement].level == "sentence"
    return lines + [_counts(one, of_segments) for one in found.counts]


def _counts(one: Counted, of_segments: bool) -> str:
    """Which judgements were taken, and how many; of whole systems, all segments are scored."""
    start = f"{one.pair}: {PEOPLE[one.people]}; "
    systems = f"{one.used_systems} of {one.systems} systems used"
    if one.people == "systems":
        return f"{start}{one.judgements} of {one.systems} systems judged; {systems}"
    both = f", {one.scored:,} scored, {one.used:,} both" if of_segments else ""
    return (
        f"{start}{systems}; {one.judged:,} of {one.segments:,} segments judged{both}; "
        f"{one.used_judgements:,} of {one.judgements:,} judgements used"
    )


def as_agreements_tsv(found: MetaEvaluation) -> str:
    """A row for each metric and pair, with all digits."""
    head = ["pair", "metric", "value", "lower", "upper", "mean", "deviation", "unbeaten"]
    settings = {
        "agreement": found.agreement,
        "average": found.average,
        "bootstrap": found.bootstrap,
        "test": found.test,
        **{k: v for k, v in found.sampling.to_dict().items() if k != "method"},
    }
    rows = [[*head, *settings, "signature"]]
    for one in found.agreements:
        values = (one.value, one.lower, one.upper, one.mean, one.deviation)
        cells = ["" if value is None else repr(value) for value in values]
        best = "yes" if one.metric in found.unbeaten(one.pair) else "no"
        own = [*map(str, settings.values()), one.signature or ""]
        rows.append([one.pair, one.metric, *cells, best, *own])
    return "\n".join("\t".join(row) for row in rows)


def listed() -> list[Column]:
    """All measures of agreement."""
    measures: Sequence[str] = list(MEASURES)
    return [
        Column("agreement", tuple(measures), left=True),
        Column("", tuple(MEASURES[name].about for name in measures), left=True),
        Column("paper", tuple(MEASURES[name].paper for name in measures), left=True),
    ]
