"""The agreement that tuning maximizes, for one setting, by loops over preferences."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import hyperbaton as hb

Preference = tuple[int, str, str, int]  # segment, better system, worse system, count


def values(
    spec: str,
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    part: Collection[int],
) -> tuple[dict[tuple[str, int], float], dict[str, float]]:
    """Scores of segments and of systems on some of the segments; higher is better."""
    chosen = sorted(part)
    segments, whole = {}, {}
    for name, lines in systems.items():
        hypotheses = [lines[k] for k in chosen]
        score = hb.score(hypotheses, [list(references[k]) for k in chosen], spec)[spec]
        sign = 1 if score.higher_is_better else -1
        whole[name] = sign * score.computed_value
        for k, value in zip(chosen, score.computed_segments.tolist(), strict=True):
            segments[name, k] = sign * value
    return segments, whole


def agreement(
    measure: str,
    spec: str,
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    preferences: Sequence[Preference],
    part: Collection[int],
) -> float:
    """Birch & Osborne's consistency, Stanojević & Sima'an's τ, or Pearson's r of shares won."""
    segments, whole = values(spec, systems, references, part)
    chosen = [preference for preference in preferences if preference[0] in part]
    if measure == "pearson_sys":
        return pearson(list(whole.values()), [share_won(chosen, name) for name in systems])
    right = wrong = tied = 0
    for k, better, worse, n in chosen:
        a, b = segments[better, k], segments[worse, k]
        right, wrong, tied = right + n * (a > b), wrong + n * (a < b), tied + n * (a == b)
    if measure == "tau":
        return (right - wrong) / (right + wrong)
    return right / (right + wrong + tied)


def share_won(preferences: Sequence[Preference], name: str) -> float:
    """The share of its comparisons that a system won."""
    won = sum(n for _, better, _, n in preferences if better == name)
    lost = sum(n for _, _, worse, n in preferences if worse == name)
    return won / (won + lost)


def pearson(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Pearson's r by its formula."""
    x, y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    covariance = math.fsum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    return covariance / math.sqrt(
        math.fsum((a - x) ** 2 for a in xs) * math.fsum((b - y) ** 2 for b in ys)
    )
