"""Agreement of a metric with people, judgement by judgement, as the papers define it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from itertools import combinations

import scipy.stats

# Segment, first system, second system, and outcome (1: the first is better, 0: a tie).
Judgement = tuple[int, int, int, int]
Matrix = Sequence[Sequence[float]]  # systems × segments; NaN is a missing score


def judged_pairs(human: Matrix) -> list[Judgement]:
    """Judge each pair of systems in each segment by their human scores."""
    judgements = []
    for segment in range(len(human[0])):
        for a, b in combinations(range(len(human)), 2):
            x, y = human[a][segment], human[b][segment]
            if not math.isnan(x) and not math.isnan(y):
                judgements.append((segment, a, b, (x > y) - (x < y)))
    return judgements


def counts(
    judgements: Sequence[Judgement], metric: Matrix, threshold: float = 0.0
) -> dict[str, int]:
    """Count pairs: concordant, discordant, tied by the metric, by people (H), or by both."""
    pairs = dict.fromkeys("CDMHB", 0)
    for segment, a, b, outcome in judgements:
        difference = metric[a][segment] - metric[b][segment]
        if math.isnan(difference):
            continue
        sign = 0 if abs(difference) <= threshold else 1 if difference > 0 else -1
        if outcome == 0:
            pairs["B" if sign == 0 else "H"] += 1
        elif sign == 0:
            pairs["M"] += 1
        else:
            pairs["C" if sign == outcome else "D"] += 1
    return pairs


def ratio(numerator: float, denominator: float) -> float:
    """A quotient, or NaN if the denominator is 0."""
    return numerator / denominator if denominator else math.nan


FORMULAS: dict[str, Callable[[dict[str, int]], float]] = {
    "tau": lambda n: ratio(n["C"] - n["D"], n["C"] + n["D"]),
    "tau_wmt12": lambda n: ratio(n["C"] - n["D"] - n["M"], n["C"] + n["D"] + n["M"]),
    "tau_wmt14": lambda n: ratio(n["C"] - n["D"], n["C"] + n["D"] + n["M"]),
    "consistency": lambda n: ratio(n["C"], n["C"] + n["D"] + n["M"]),
    "accuracy": lambda n: ratio(n["C"] + n["B"], sum(n.values())),
}


def mean(values: Sequence[float]) -> float:
    """The mean of the values that are defined."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def pair_agreement(
    name: str, judgements: Sequence[Judgement], metric: Matrix, average: str, threshold: float = 0.0
) -> float:
    """A measure over judged pairs: of all, or the mean over segments."""
    if average == "none":
        return FORMULAS[name](counts(judgements, metric, threshold))
    segments = sorted({judgement[0] for judgement in judgements})
    values = []
    for k in segments:
        in_segment = [judgement for judgement in judgements if judgement[0] == k]
        values.append(FORMULAS[name](counts(in_segment, metric, threshold)))
    return mean(values)


def best_accuracy(judgements: Sequence[Judgement], metric: Matrix, average: str) -> float:
    """The best accuracy over all tie thresholds that change a decision."""
    sizes = {abs(metric[a][k] - metric[b][k]) for k, a, b, _ in judgements} | {0.0}
    values = [
        pair_agreement("accuracy", judgements, metric, average, size)
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
    """A coefficient of SciPy over the pairs without NaN; NaN where it is not defined."""
    complete = [(x, y) for x, y in pairs if not math.isnan(x) and not math.isnan(y)]
    x, y = [a for a, _ in complete], [b for _, b in complete]
    if len(set(x)) < 2 or len(set(y)) < 2:
        return math.nan
    return float(COEFFICIENTS[name](x, y).statistic)


def score_agreement(name: str, human: Matrix, metric: Matrix, average: str) -> float:
    """A coefficient over all scores, or its mean over systems or over segments (items)."""
    rows = [
        list(zip(mine, theirs, strict=True)) for mine, theirs in zip(metric, human, strict=True)
    ]
    if average == "system":
        return mean([coefficient(name, row) for row in rows])
    if average == "item":
        return mean([coefficient(name, column) for column in zip(*rows, strict=True)])
    return coefficient(name, [cell for row in rows for cell in row])


def standardized(metric: Matrix, used: Sequence[tuple[int, int]]) -> list[list[float]]:
    """Scores of the used translations with mean 0 and variance 1; NaN for the others."""
    scores = [metric[a][k] for a, k in used]
    centre, spread = statistics.fmean(scores), statistics.pstdev(scores)
    rows = [[math.nan] * len(row) for row in metric]
    for a, k in used:
        rows[a][k] = (metric[a][k] - centre) / spread
    return rows


def exchanged_scores(
    x: Matrix, y: Matrix, used: Sequence[tuple[int, int]], kept: Sequence[int]
) -> tuple[list[list[float]], list[list[float]]]:
    """PERM-BOTH (Deutsch, Dror & Roth 2021): each score is exchanged by a coin of its own."""
    one, other = [list(row) for row in x], [list(row) for row in y]
    for (a, k), keep in zip(used, kept, strict=True):
        if not keep:
            one[a][k], other[a][k] = y[a][k], x[a][k]
    return one, other


def share_won(judgements: Sequence[Judgement], systems: int) -> list[float]:
    """The share of comparisons that each system won, without ties."""
    wins, losses = [0] * systems, [0] * systems
    for _, a, b, outcome in judgements:
        if outcome:
            winner, loser = (a, b) if outcome > 0 else (b, a)
            wins[winner] += 1
            losses[loser] += 1
    return [ratio(won, won + lost) for won, lost in zip(wins, losses, strict=True)]


def rank_scores(ranking: dict[int, int]) -> dict[int, float]:
    """Ranks as scores in [0, 1]: the share of the other systems that are not better."""
    others = len(ranking) - 1
    return {
        system: 1 - sum(other < rank for other in ranking.values()) / others
        for system, rank in ranking.items()
    }


def system_accuracy(human: Sequence[float], metric: Sequence[float]) -> float:
    """The share of pairs of systems with different human scores that the metric ranks alike."""
    right = total = 0
    for a, b in combinations(range(len(human)), 2):
        if human[a] != human[b]:
            total += 1
            right += (human[a] - human[b]) * (metric[a] - metric[b]) > 0
    return ratio(right, total)
