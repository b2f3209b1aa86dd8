"""How well a metric agrees with people, judgement by judgement, as the papers say it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import scipy.stats

# segment, first system, second system, outcome (1: the first is better, 0: a tie)
Judgement = tuple[int, int, int, int]
Matrix = Sequence[Sequence[float]]  # systems × segments, NaN where there is none


def pairs_of(human: Matrix) -> list[Judgement]:
    found = []
    for segment in range(len(human[0])):
        for a, b in combinations(range(len(human)), 2):
            x, y = human[a][segment], human[b][segment]
            if not math.isnan(x) and not math.isnan(y):
                found.append((segment, a, b, (x > y) - (x < y)))
    return found


def counts(
    judgements: Sequence[Judgement], metric: Matrix, threshold: float = 0.0
) -> dict[str, int]:
    """How many pairs are concordant, discordant, tied by the metric, by people, by both."""
    found = dict.fromkeys("CDMHB", 0)
    for segment, a, b, outcome in judgements:
        difference = metric[a][segment] - metric[b][segment]
        if math.isnan(difference):
            continue
        sign = 0 if abs(difference) <= threshold else 1 if difference > 0 else -1
        if outcome == 0:
            found["B" if sign == 0 else "H"] += 1
        elif sign == 0:
            found["M"] += 1
        else:
            found["C" if sign == outcome else "D"] += 1
    return found


def over(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else math.nan


FORMULAS: dict[str, Callable[[dict[str, int]], float]] = {
    "tau": lambda n: over(n["C"] - n["D"], n["C"] + n["D"]),
    "tau_wmt12": lambda n: over(n["C"] - n["D"] - n["M"], n["C"] + n["D"] + n["M"]),
    "tau_wmt14": lambda n: over(n["C"] - n["D"], n["C"] + n["D"] + n["M"]),
    "consistency": lambda n: over(n["C"], n["C"] + n["D"] + n["M"]),
    "accuracy": lambda n: over(n["C"] + n["B"], sum(n.values())),
}


def mean(values: Sequence[float]) -> float:
    there = [value for value in values if not math.isnan(value)]
    return sum(there) / len(there) if there else math.nan


def of_pairs(
    name: str, judgements: Sequence[Judgement], metric: Matrix, average: str, threshold: float = 0.0
) -> float:
    if average == "none":
        return FORMULAS[name](counts(judgements, metric, threshold))
    segments = sorted({one[0] for one in judgements})
    return mean(
        [
            FORMULAS[name](counts([one for one in judgements if one[0] == k], metric, threshold))
            for k in segments
        ]
    )


def calibrated(judgements: Sequence[Judgement], metric: Matrix, average: str) -> float:
    """The best accuracy over all thresholds that make a difference."""
    sizes = {abs(metric[a][k] - metric[b][k]) for k, a, b, _ in judgements} | {0.0}
    values = [
        of_pairs("accuracy", judgements, metric, average, size)
        for size in sizes
        if not math.isnan(size)
    ]
    return max(values)


COEFFICIENTS = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}


def coefficient(name: str, pairs: Sequence[tuple[float, float]]) -> float:
    """SciPy's, of the pairs in which nothing is missing; NaN where it is not defined."""
    there = [(x, y) for x, y in pairs if not math.isnan(x) and not math.isnan(y)]
    x, y = [one for one, _ in there], [one for _, one in there]
    if len(set(x)) < 2 or len(set(y)) < 2:
        return math.nan
    return float(COEFFICIENTS[name](x, y).statistic)


def of_scores(name: str, human: Matrix, metric: Matrix, average: str) -> float:
    rows = [
        list(zip(mine, theirs, strict=True)) for mine, theirs in zip(metric, human, strict=True)
    ]
    if average == "system":
        return mean([coefficient(name, row) for row in rows])
    if average == "item":
        return mean([coefficient(name, column) for column in zip(*rows, strict=True)])
    return coefficient(name, [cell for row in rows for cell in row])


def share_won(judgements: Sequence[Judgement], systems: int) -> list[float]:
    wins, losses = [0] * systems, [0] * systems
    for _, a, b, outcome in judgements:
        if outcome:
            winner, loser = (a, b) if outcome > 0 else (b, a)
            wins[winner] += 1
            losses[loser] += 1
    return [over(won, won + lost) for won, lost in zip(wins, losses, strict=True)]


def rank_scores(ranking: dict[int, int]) -> dict[int, float]:
    """Ranks of systems as scores out of 1: the share of the others that are not better."""
    others = len(ranking) - 1
    return {
        system: 1 - sum(other < rank for other in ranking.values()) / others
        for system, rank in ranking.items()
    }


def system_accuracy(human: Sequence[float], metric: Sequence[float]) -> float:
    right = total = 0
    for a, b in combinations(range(len(human)), 2):
        if human[a] != human[b]:
            total += 1
            right += (human[a] - human[b]) * (metric[a] - metric[b]) > 0
    return over(right, total)
