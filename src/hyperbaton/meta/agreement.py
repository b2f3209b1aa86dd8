"""Measures of agreement by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hyperbaton.errors import InputError
from hyperbaton.meta.measures import Correlation, Measure, PairMeasure, SystemMeasure
from hyperbaton.meta.pairs import accuracy, consistency, tau, tau_wmt12, tau_wmt14
from hyperbaton.metrics.options import plain, unknown

MEASURES: Mapping[str, Measure] = {
    one.name: one
    for one in (
        PairMeasure(
            "tau",
            "Kendall's τ of pairs, ties left out",
            "Stanojević & Sima'an 2014; Macháček & Bojar 2013",
            formula=tau,
        ),
        PairMeasure(
            "tau_wmt12",
            "τ, where a tie of the metric is discordant",
            "Callison-Burch et al. 2012",
            formula=tau_wmt12,
        ),
        PairMeasure(
            "tau_wmt14",
            "τ, where a tie of the metric counts as neither",
            "Macháček & Bojar 2014",
            formula=tau_wmt14,
        ),
        PairMeasure(
            "consistency",
            "share of preferences that the metric shares",
            "Birch & Osborne 2010",
            formula=consistency,
        ),
        PairMeasure(
            "accuracy",
            "share of pairs, ties with them, that the metric has as people do",
            "Deutsch et al. 2023",
            formula=accuracy,
        ),
        PairMeasure(
            "acc_eq",
            "accuracy by segment, small differences made ties such that it is highest",
            "Deutsch et al. 2023; Freitag et al. 2023",
            average="item",
            formula=accuracy,
            calibrated=True,
        ),
        Correlation(
            "pearson", "Pearson's r of segments", "Leusch et al. 2003", coefficient="pearson"
        ),
        Correlation(
            "spearman", "Spearman's ρ of segments", "Leusch et al. 2003", coefficient="spearman"
        ),
        Correlation("kendall", "Kendall's τ_b of segments", "Kendall 1970", coefficient="kendall"),
        SystemMeasure(
            "pearson_sys",
            "Pearson's r of systems",
            "Leusch et al. 2003; McCaffery & Nederhof 2016",
            coefficient="pearson",
        ),
        SystemMeasure(
            "spearman_sys",
            "Spearman's ρ of systems, c_R of their ranking",
            "Leusch et al. 2003; Stanojević & Sima'an 2016",
            coefficient="spearman",
        ),
        SystemMeasure(
            "kendall_sys", "Kendall's τ_b of systems", "Kendall 1970", coefficient="kendall"
        ),
        SystemMeasure(
            "accuracy_sys",
            "share of pairs of systems in the order of people",
            "Kocmi et al. 2021",
            coefficient="accuracy",
        ),
    )
}
ALIASES = {"tau_wmt13": "tau", "tau_xties": "tau", "c_r": "spearman_sys"}


def names() -> tuple[str, ...]:
    """All measures of agreement.

    >>> "tau" in names()
    True
    """
    return (*MEASURES, *ALIASES)


def get(name: str, average: str | None = None) -> Measure:
    """The measure of that name; averaged over nothing, items or systems if it says so.

    >>> get("pearson", "item").average
    'item'
    """
    key = plain(name)
    key = ALIASES.get(key, key)
    if key not in MEASURES:
        raise InputError(unknown("agreement", name, dict.fromkeys(names())))
    measure = MEASURES[key]
    if average is None:
        return measure
    if average not in measure.averages:
        known = ", ".join(measure.averages)
        raise InputError(f"{key} is averaged by one of {known}, not by {average!r}")
    return replace(measure, average=average)
