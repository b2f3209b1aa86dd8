"""Leusch, Ueffing & Ney 2003: tables like their tables 1 to 4, on biomedical data with MQM."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evidence.data import evaluate, load_test_sets, with_scores
from evidence.page import format_number, format_with_interval, markdown_table
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
CORPORA = ("VM", "A", "B")
ABBREVIATIONS = ("sent.", "w.", "unw.")
CASED = {  # experiment B of the paper: with case
    "per:case=mixed": "PER",
    "wer:case=mixed": "WER",
    "invwer:case=mixed": "invWER",
    "cder:case=mixed": "CDER",
}


def section() -> str:
    metrics = [*NAMES, "avgbleu:weight=ref", *CASED]
    test_sets = [with_scores(test_set, metrics) for test_set in load_test_sets("biomqm")]
    parts = [
        "## Error rates: Leusch, Ueffing & Ney 2003",
        "These tables are like theirs, but on other data: WMT21 biomedical outputs into English "
        "with two references and MQM scores by professionals. The columns are Pearson's r of "
        "sentences (intervals over segments), Pearson's r of systems, weighted by the length of "
        "the references and unweighted (intervals over systems), and c_R, Spearman's ρ of the "
        "ranking. The data contains means over annotators without their identities, so judges "
        "cannot be normalised as in the paper's experiment B.",
    ]
    for test_set in test_sets:
        parts += [
            f"**{test_set.name}**: {len(test_set.systems)} systems, {test_set.n} segments",
            correlation_table(test_set),
        ]
    published = [
        [NAMES[metric], *(format_number(value, 2) for values in corpora for value in values)]
        for metric, corpora in ERROR_RATES.items()
    ]
    parts += [
        "Published results on VERBMOBIL German–English (VM) and TIDES Chinese–English (A; B with "
        "case and normalised judges), for sentences, systems weighted and systems unweighted:",
        markdown_table(
            ["", *(f"{corpus} {kind}" for corpus in CORPORA for kind in ABBREVIATIONS)],
            published,
        ),
        "System rankings, where S1 is the best according to people. Two outputs of TALP in es-en "
        "are the same text and are tied:",
        *(ranking_table(test_set) for test_set in test_sets),
        summary(test_sets),
    ]
    return "\n\n".join(parts)


def unweighted(test_set: TestSet) -> TestSet:
    """Return the test set with each system score replaced by the mean of its segment scores."""
    others = {
        name: Scores(scores.systems, scores.segments) for name, scores in test_set.others.items()
    }
    return replace(test_set, others=others)


def correlation_table(test_set: TestSet) -> str:
    sentence = evaluate([test_set], "pearson", samples=1000)
    weighted = evaluate([test_set], "pearson_sys", people="segments", over="systems", weighted=True)
    plain = evaluate([unweighted(test_set)], "pearson_sys", people="segments", over="systems")
    ranking = evaluate([unweighted(test_set)], "c_r", people="segments", over="systems")
    pair = test_set.name
    rows = []
    for metric, name in {**NAMES, **CASED}.items():
        corpus_metric = "avgbleu:weight=ref" if metric == "avgbleu" else metric
        rows.append(
            [
                f"{name}, with case" if metric in CASED else name,
                "–" if metric == "avgbleu" else format_with_interval(sentence[pair, metric], 2),
                format_with_interval(weighted[pair, corpus_metric], 2),
                format_with_interval(plain[pair, metric], 2),
                format_with_interval(ranking[pair, metric], 2),
            ]
        )
    return markdown_table(["", "sentence", "system, weighted", "system, unweighted", "c_R"], rows)


def ranking_table(test_set: TestSet) -> str:
    """Return the systems in the order of each metric, numbered by their human rank."""
    assert test_set.segments is not None
    human = test_set.segments.of_whole_systems()
    human_rank = np.empty(len(human), np.int64)
    human_rank[np.argsort(-human, kind="stable")] = np.arange(1, len(human) + 1)
    rows = []
    for metric, name in NAMES.items():
        means = test_set.others[metric].segments.mean(axis=1)
        order = np.argsort(-means, kind="stable")
        rows.append([name, " ".join(f"S{human_rank[k]}" for k in order)])
    return f"**{test_set.name}**\n\n" + markdown_table(["", "ranking"], rows, left=2)


def summary(test_sets: list[TestSet]) -> str:
    """Summarise the sentence-level results."""
    results = []
    for test_set in test_sets:
        evaluation = evaluate([test_set], "pearson", samples=200)
        values = {
            metric: evaluation[test_set.name, metric].value or 0.0
            for metric in ("per", "wer", "invwer", "bleu")
        }
        order = sorted(values, key=lambda metric: -values[metric])
        best = evaluation.unbeaten(test_set.name)
        unbeaten = [NAMES[metric] for metric in order if metric in best]
        results.append(
            f"on {test_set.name}, "
            + " > ".join(
                f"{NAMES[metric]} ({format_number(values[metric], 2)})" for metric in order
            )
            + (f" (not significantly beaten: {', '.join(unbeaten)})" if unbeaten else "")
        )
    return (
        "For sentences: " + "; ".join(results) + ". In the paper, invWER is above WER and PER for "
        "sentences. Both here and there, the systems are too few for their order to mean much."
    )
