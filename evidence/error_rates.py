"""Leusch, Ueffing & Ney 2003: the form of tables 1 to 4, on biomedical outputs with MQM scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evidence.data import evaluated, test_sets, with_scores
from evidence.page import number, table, with_interval
from evidence.published import ERROR_RATES
from hyperbaton.meta.judgements import Scores
from hyperbaton.meta.testsets import TestSet

NAMES = {
    "per": "PER",
    "wer": "WER",
    "invwer": "invWER",
    "cder": "CDER",
    "ter": "TER",
    "bleu": "BLEU",
    "avgbleu": "avgBLEU",
}
KINDS = ("sent.", "w.", "unw.")
CASED = {  # experiment B of the paper: with case
    "per:case=mixed": "PER",
    "wer:case=mixed": "WER",
    "invwer:case=mixed": "invWER",
    "cder:case=mixed": "CDER",
}


def section() -> str:
    sets = [with_scores(one, [*NAMES, "avgbleu:weight=ref", *CASED]) for one in test_sets("biomqm")]
    parts = [
        "## Error rates: Leusch, Ueffing & Ney 2003",
        "The form of their tables, on other data: WMT21 biomedical outputs into English, MQM by "
        "professionals, two references. Pearson's r of sentences (intervals over segments), of "
        "systems weighted by the length of references and not (intervals over systems), and c_R, "
        "Spearman's ρ of the ranking. The data has means over annotators, not who gave which "
        "score: judges cannot be normalised, as the paper's experiment B does.",
    ]
    for one in sets:
        parts += [f"**{one.name}**: {len(one.systems)} systems, {one.n} segments", of_pair(one)]
    rows = [
        [NAMES[metric], *(number(value, 2) for part in parts_ for value in part)]
        for metric, parts_ in ERROR_RATES.items()
    ]
    parts += [
        "Published, on VERBMOBIL German–English and TIDES Chinese–English (A; B with case and "
        "judges normalised): sentence, system weighted, system unweighted.",
        table(
            ["", *(f"{of} {what}" for of in ("VM", "A", "B") for what in ("sent.", "w.", "unw."))],
            rows,
        ),
        "System rankings, S1 being the best by people; two outputs of TALP in es-en are the same "
        "text, and tie:",
        *(rankings(one) for one in sets),
        remarks(sets),
    ]
    return "\n\n".join(parts)


def unweighted(given: TestSet) -> TestSet:
    """A system's score is the mean of its segments'."""
    others = {name: Scores(one.systems, one.segments) for name, one in given.others.items()}
    return replace(given, others=others)


def of_pair(given: TestSet) -> str:
    sentence = evaluated([given], "pearson", samples=1000)
    weighted = evaluated([given], "pearson_sys", people="segments", over="systems", weighted=True)
    plain = evaluated([unweighted(given)], "pearson_sys", people="segments", over="systems")
    ranked = evaluated([unweighted(given)], "c_r", people="segments", over="systems")
    pair = given.name
    rows = []
    for metric, name in {**NAMES, **CASED}.items():
        corpus = "avgbleu:weight=ref" if metric == "avgbleu" else metric
        rows.append(
            [
                f"{name}, with case" if metric in CASED else name,
                "–" if metric == "avgbleu" else with_interval(sentence[pair, metric], 2),
                with_interval(weighted[pair, corpus], 2),
                with_interval(plain[pair, metric], 2),
                with_interval(ranked[pair, metric], 2),
            ]
        )
    return table(["", "sentence", "system, weighted", "system, unweighted", "c_R"], rows)


def rankings(given: TestSet) -> str:
    """Systems in the order of each metric, numbered by people."""
    assert given.segments is not None
    people = given.segments.of_whole_systems()
    number_of = np.empty(len(people), np.int64)
    number_of[np.argsort(-people, kind="stable")] = np.arange(1, len(people) + 1)
    rows = []
    for metric, name in NAMES.items():
        own = given.others[metric].segments.mean(axis=1)
        order = np.argsort(-own, kind="stable")
        rows.append([name, " ".join(f"S{number_of[k]}" for k in order)])
    return f"**{given.name}**\n\n" + table(["", "ranking"], rows, left=2)


def remarks(sets: list[TestSet]) -> str:
    """What came out, by the numbers."""
    said = []
    for one in sets:
        found = evaluated([one], "pearson", samples=200)
        values = {m: found[one.name, m].value or 0.0 for m in ("per", "wer", "invwer", "bleu")}
        order = sorted(values, key=lambda m: -values[m])
        unbeaten = [NAMES[m] for m in order if m in found.unbeaten(one.name)]
        said.append(
            f"on {one.name}, "
            + " > ".join(f"{NAMES[m]} ({number(values[m], 2)})" for m in order)
            + (
                f", and of these {', '.join(unbeaten)} are not significantly beaten"
                if unbeaten
                else ""
            )
        )
    return (
        "By sentences: " + "; ".join(said) + ". The paper has invWER above WER and PER by "
        "sentences; systems are too few, here as there, for their order to mean much."
    )
