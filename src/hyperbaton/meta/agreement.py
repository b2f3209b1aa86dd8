"""The measures of agreement by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hyperbaton.errors import InputError
from hyperbaton.meta.measures import Correlation, Measure, PairMeasure, SystemMeasure
from hyperbaton.meta.pairs import accuracy, consistency, tau, tau_wmt12, tau_wmt14
from hyperbaton.metrics.options import normalize_name
from hyperbaton.registries import unknown_name_message

MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        PairMeasure(
            "tau",
            "Kendall's τ over pairs, without ties",
            "Stanojević & Sima'an 2014; Macháček & Bojar 2013",
            formula=tau,
        ),
        PairMeasure(
            "tau_wmt12",
            "Kendall's τ over pairs; a tie of the metric is discordant",
            "Callison-Burch et al. 2012",
            formula=tau_wmt12,
        ),
        PairMeasure(
            "tau_wmt14",
            "Kendall's τ over pairs; a tie of the metric counts as 0",
            "Macháček & Bojar 2014",
            formula=tau_wmt14,
        ),
        PairMeasure(
            "consistency",
            "share of human preferences on which metric and humans agree",
            "Birch & Osborne 2010",
            formula=consistency,
        ),
        PairMeasure(
            "accuracy",
            "share of pairs, including ties, on which metric and humans agree",
            "Deutsch et al. 2023",
            formula=accuracy,
        ),
        PairMeasure(
            "acc_eq",
            "accuracy per segment, with the tie threshold chosen to maximise it",
            "Deutsch et al. 2023; Freitag et al. 2023",
            average="item",
            formula=accuracy,
            calibrated=True,
        ),
        Correlation(
            "pearson", "Pearson's r of segment scores", "Leusch et al. 2003", coefficient="pearson"
        ),
        Correlation(
            "spearman",
            "Spearman's ρ of segment scores",
            "Leusch et al. 2003",
            coefficient="spearman",
        ),
        Correlation(
            "kendall", "Kendall's τ_b of segment scores", "Kendall 1970", coefficient="kendall"
        ),
        SystemMeasure(
            "pearson_sys",
            "Pearson's r of system scores",
            "Leusch et al. 2003; McCaffery & Nederhof 2016",
            coefficient="pearson",
        ),
        SystemMeasure(
            "spearman_sys",
            "Spearman's ρ of system scores, c_R of their ranking",
            "Leusch et al. 2003; Stanojević & Sima'an 2016",
            coefficient="spearman",
        ),
        SystemMeasure(
            "kendall_sys", "Kendall's τ_b of system scores", "Kendall 1970", coefficient="kendall"
        ),
        SystemMeasure(
            "accuracy_sys",
            "share of system pairs that the metric orders as humans do",
            "Kocmi et al. 2021",
            coefficient="accuracy",
        ),
    )
}
ALIASES = {"tau_wmt13": "tau", "tau_xties": "tau", "c_r": "spearman_sys"}


def get(name: str, average: str | None = None) -> Measure:
    """Return a measure of agreement by name.

    Parameters
    ----------
    name : str
        A key of ``MEASURES`` or ``ALIASES``; case does not matter, and ``-`` is read as ``_``.
    average : {"none", "item", "system"}, optional
        Average per segment (item), per system, or not at all; by default as the measure does.

    Raises
    ------
    InputError
        If there is no such measure, or it cannot be averaged in this way.

    >>> get("pearson", "item").average
    'item'
    """
    key = normalize_name(name)
    key = ALIASES.get(key, key)
    if key not in MEASURES:
        raise InputError(unknown_name_message("agreement", name, (*MEASURES, *ALIASES)))
    measure = MEASURES[key]
    if average is None:
        return measure
    if average not in measure.averages:
        choices = ", ".join(measure.averages)
        raise InputError(f"average must be one of {choices} for {key}, got {average!r}")
    return replace(measure, average=average)
