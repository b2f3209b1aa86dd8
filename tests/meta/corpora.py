"""Small test sets, in memory and on disk."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.testsets import TestSet

N = 40
WORDS = [f"{first}{last}" for first in "bdfg" for last in ("an", "em", "ir", "ol")]
ERROR_RATES = {"good": 0.1, "fair": 0.25, "poor": 0.4, "bad": 0.6}


def texts(seed: int) -> tuple[list[str], dict[str, list[str]]]:
    """Return references, and systems with increasing rates of wrong or moved words."""
    rng = random.Random(seed)
    lines = [rng.sample(WORDS, rng.randint(5, 12)) for _ in range(N)]

    def add_noise(rate: float) -> list[str]:
        noisy = []
        for line in lines:
            words = ["x" if rng.random() < rate else word for word in line]
            if rng.random() < rate:
                words = words[2:] + words[:2]
            noisy.append(" ".join(words))
        return noisy

    systems = {name: add_noise(rate) for name, rate in ERROR_RATES.items()}
    return [" ".join(line) for line in lines], systems


def people(seed: int) -> tuple[Rankings, Scores]:
    """Return rankings and scores by judges who mostly see which system is better."""
    rng = np.random.default_rng(seed)
    quality = -np.array(list(ERROR_RATES.values()))[:, None] + rng.normal(0, 0.15, (4, N))
    scores = Scores(tuple(ERROR_RATES), quality.round(1))
    return scores.to_rankings(), scores


def small(name: str = "de-en", seed: int = 1) -> TestSet:
    """Return a test set with human judgements of all kinds."""
    references, systems = texts(seed)
    ranked, scores = people(seed)
    whole = Scores(scores.systems, np.full((4, N), np.nan), scores.of_whole_systems())
    return TestSet.of(name, systems, [[line] for line in references], [ranked, scores, whole])


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def ranks_csv(scores: Scores) -> list[str]:
    """Return a table of four-way rankings with ties, one row per ranking."""
    head = ",".join(f"system{k},rank{k}" for k in range(1, 5))
    rows = [f"ranking_id,seg_id,{head}"]
    for segment, column in enumerate(scores.segments.T):
        ranks = [
            f"{name},{1 + (column > x).sum()}" for name, x in zip(ERROR_RATES, column, strict=True)
        ]
        rows.append(f"{segment},{segment},{','.join(ranks)}")
    return rows


def write_folder(folder: Path, seed: int = 1) -> None:
    """Write a test set in a folder of its own."""
    references, systems = texts(seed)
    _, scores = people(seed)
    write(folder / "reference.txt", references)
    for name, lines in systems.items():
        write(folder / "systems" / f"{name}.txt", lines)
    write(folder / "judgments.csv", ranks_csv(scores))
    rows = [
        f"{name}\t{segment}\t{x}"
        for name, row in zip(ERROR_RATES, scores.segments, strict=True)
        for segment, x in enumerate(row)
    ]
    write(folder / "human_seg.tsv", ["system\tseg_id\tscore", *rows])
    whole = scores.of_whole_systems()
    rows = [f"{name}\t{x}" for name, x in zip(ERROR_RATES, whole, strict=True)]
    write(folder / "human_sys.tsv", ["system\tscore", *rows])


def write_mt_metrics_eval(folder: Path, pair: str = "de-en", seed: int = 1) -> None:
    """Write the layout of mt-metrics-eval, in which one of two references is also a system."""
    references, systems = texts(seed)
    _, scores = people(seed)
    write(folder / "sources" / f"{pair}.txt", ["?"] * N)
    for name in ("refA", "refB"):
        write(folder / "references" / f"{pair}.{name}.txt", references)
    for name, lines in {**systems, "refA": references}.items():
        write(folder / "system-outputs" / pair / f"{name}.txt", lines)
    rows = [
        f"{name} {x}" for name, row in zip(ERROR_RATES, scores.segments, strict=True) for x in row
    ]
    rows += ["refA None"] * N
    write(folder / "human-scores" / f"{pair}.mqm.seg.score", rows)
    whole = scores.of_whole_systems()
    rows = [f"{name} {x}" for name, x in zip(ERROR_RATES, whole, strict=True)]
    write(folder / "human-scores" / f"{pair}.mqm.sys.score", rows)
    write(folder / "human-scores" / f"{pair}.mqm.domain.score", ["news good 1"])
    rows = [f"{name} {len(line)}" for name, lines in systems.items() for line in lines]
    write(folder / "metric-scores" / pair / "length-src.seg.score", rows)
    rows = [f"{name} {k}" for k, name in enumerate(systems)]
    write(folder / "metric-scores" / pair / "length-src.sys.score", rows)
