"""The sentences of verdicts, from the differences and ranks that JSON has, without the figures.

Only moves and values of single systems are read from the figures: no other part of JSON has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CLOSER = "closer to the order of the reference"
CLOSING = "Another order is not always a wrong one."
FEW = "are not scored: too few of their words are in the reference. Are the lines shifted?"
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
WORDS = dict(enumerate(NUMBERS, 1))


def points(value: float) -> str:
    """A value times 100, with one decimal and a true minus sign."""
    text = format(100 * value, ".1f")
    return text.replace("-0.0", "0.0").replace("-", "−")


def p_text(p: float) -> str:
    """The p-value with its sign."""
    return "p < 0.001" if p < 0.0005 else f"p = {p:.3f}"


def listed(names: Sequence[str]) -> str:
    """Up to three names, or the first and the number of others."""
    if len(names) > 3:
        return f"{names[0]} and {len(names) - 1} others"
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def move_line(name: str, system: Mapping[str, Any], n: int) -> str:
    """How many segments have moves, and mostly which."""
    segments = f"{n:,} segment" + "s" * (n != 1)
    if system["with_moves"] == 0:
        return f"{name}: no word with a link has to move in {segments}"
    line = f"{name}: words have to move in {system['with_moves']:,} of {segments}"
    if "mostly" in system:
        mostly = system["mostly"]
        number = WORDS.get(mostly["places"], mostly["places"])
        words = {"one": "one word", "several": "several words"}[mostly["words"]]
        places = "place" if mostly["places"] == 1 else "places"
        line += f", most often {words} too {mostly['too']}, typically by {number} {places}"
    return line


def pair_sentences(document: Mapping[str, Any]) -> list[str]:
    """The answer on two scored systems that can be compared."""
    (d,) = document["metrics"]["order"]["differences"]
    value, low, high = d["difference"], d["lower"], d["upper"]
    first, second = d["a"], d["b"]
    if d["better"] == d["b"] or (d["better"] is None and value < 0):
        first, second = second, first
        value, low, high = -value, -high, -low
    words = f"Of {d['anchors']:,} words that both systems and the reference have exactly once"
    interval = f"(95 % interval {points(low)} to {points(high)}, {p_text(d['p'])})"
    if d["better"]:
        return [
            f"Word order: {first} is {CLOSER} than {second}.",
            f"{words}, it keeps more beside their neighbours: +{points(value)} points {interval}.",
        ]
    keeps = f"{first} keeps {points(value)} points more beside their neighbours"
    if value == 0:
        keeps = "both keep as many beside their neighbours"
    sentences = [
        f"Word order: no certain difference between {first} and {second}.",
        f"{words}, {keeps} {interval}.",
    ]
    if d["standard_error"] and document["n"] > 20:
        large = points(2.8 * d["standard_error"])
        sentences.append(
            f"With {document['n']:,} segments, a difference of {large} points would be found "
            "reliably."
        )
    return sentences


def rank_sentences(document: Mapping[str, Any]) -> list[str]:
    """The answer on several systems, without a baseline."""
    order = document["metrics"]["order"]
    ranks = [rank for rank in order["ranking"] if rank["cluster"] is not None]
    first = [rank["system"] for rank in ranks if rank["cluster"] == 1]
    scored = {rank["system"] for rank in ranks}
    pairs = [d for d in order["differences"] if {d["a"], d["b"]} <= scored]
    certain = [d for d in pairs if d["better"]]
    if len(first) < len(ranks):
        verb = "is" if len(first) == 1 else "are"
        follower, count = ranks[len(first)]["system"], ranks[-1]["cluster"]
        answer = f"{listed(first)} {verb} {CLOSER} than the next, {follower}; "
        answer += f"the systems form {count} clusters"
    elif certain:
        answer = f"the systems form one cluster; {len(certain)} of {len(pairs)} differences are "
        corrected = document["correction"] != "none"
        answer += "certain" if corrected else "significant, without a correction"
    else:
        answer = f"no certain difference between any two of the {len(ranks)} systems"
    sentences = [f"Word order: {answer}."]
    last = ranks[-1]["system"]
    closer = [d for d in certain if last in (d["a"], d["b"]) and d["better"] != last]
    others = len(ranks) - 1
    if closer and others > 1:
        how_many = f"all {others}" if len(closer) == others else f"{len(closer)} of the {others}"
        how_many = "both" if others == 2 == len(closer) else how_many
        verb = "is" if len(closer) == 1 else "are"
        sentences.append(f"Last is {last}: {how_many} others {verb} {CLOSER}.")
    return sentences


def baseline_sentences(document: Mapping[str, Any]) -> list[str]:
    """The answer on systems beside a baseline."""
    groups: dict[str, list[str]] = {}
    for d in document["metrics"]["order"]["differences"]:
        groups.setdefault(d["outcome"], []).append(d["a"])
    sentences = [f"Word order, compared with {document['baseline']}, the baseline:"]
    meanings = {"closer": CLOSER, "farther": "farther from it"}
    for outcome in ("closer", "farther", "no certain difference"):
        if outcome in groups:
            sentences.append(f"{meanings.get(outcome, outcome)}: {listed(groups[outcome])}.")
    return sentences


def opinion(document: Mapping[str, Any], outcome: str) -> str:
    """What chrF says."""
    metric = document["metrics"].get("chrf")
    if metric is None:
        return ""
    order = document["metrics"]["order"]
    ranking, is_pair = metric["ranking"], len(metric["ranking"]) == 2
    ahead = ranking[0]["system"] if ranking[0]["value"] != ranking[1]["value"] else None
    if is_pair:
        ahead = metric["differences"][0]["better"]
    if ahead is None:
        return "By chrF no difference is certain. " if is_pair else ""
    verb = "is ahead" if is_pair else "has the highest value"
    closest = [order["ranking"][0]["system"]]
    if is_pair:
        closest = [order["differences"][0]["better"]]
    if outcome == "closer" and ahead in closest:
        return f"By chrF {ahead} {verb} as well. "
    return f"By chrF {ahead} {verb}. "


def expected_sentences(document: Mapping[str, Any]) -> list[str]:
    """All sentences on systems that are scored and can be compared, but for why chrF differs."""
    found = document["word_order"]
    figures = found["figures"]
    if len(document["metrics"]["order"]["ranking"]) == 2:
        sentences = pair_sentences(document)
    elif document["baseline"] is None:
        sentences = rank_sentences(document)
    else:
        sentences = baseline_sentences(document)
    sentences += [f"{note[0].upper()}{note[1:]}." for note in document["notes"] if "few" in note]
    silent = [r["system"] for r in document["metrics"]["order"]["ranking"] if r["value"] is None]
    if len(silent) > 1:
        sentences.append(f"{listed(silent)} {FEW}")
    for name, system in figures.get("systems", {}).items():
        sentences.append(move_line(name, system, document["n"]))
    return [*sentences, opinion(document, found["outcome"]) + CLOSING]
