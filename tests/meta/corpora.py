"""Small test sets, in memory and on disk."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.testsets import TestSet

N = 40
WORDS = [f"{first}{last}" for first in "bdfg" for last in ("an", "em", "ir", "ol")]
QUALITY = {"good": 0.1, "fair": 0.25, "poor": 0.4, "bad": 0.6}


def texts(seed: int) -> tuple[list[str], dict[str, list[str]]]:
    """References, and systems in which more and more words are wrong or out of order."""
    rng = random.Random(seed)
    lines = [rng.sample(WORDS, rng.randint(5, 12)) for _ in range(N)]

    def noisy(rate: float) -> list[str]:
        found = []
        for line in lines:
            words = ["x" if rng.random() < rate else word for word in line]
            if rng.random() < rate:
                words = words[2:] + words[:2]
            found.append(" ".join(words))
        return found

    return [" ".join(line) for line in lines], {name: noisy(rate) for name, rate in QUALITY.items()}


def people(seed: int) -> tuple[Rankings, Scores]:
    """Judges who mostly see which system is better, and their scores."""
    rng = np.random.default_rng(seed)
    quality = -np.array(list(QUALITY.values()))[:, None] + rng.normal(0, 0.15, (4, N))
    scores = Scores(tuple(QUALITY), quality.round(1))
    return scores.to_rankings(), scores


def small(name: str = "de-en", seed: int = 1) -> TestSet:
    references, systems = texts(seed)
    ranked, scores = people(seed)
    whole = Scores(scores.systems, np.full((4, N), np.nan), scores.of_whole_systems())
    return TestSet.of(name, systems, [[line] for line in references], [ranked, scores, whole])


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def ranks_csv(scores: Scores) -> list[str]:
    """Four-way rankings with ties, a row each."""
    head = ",".join(f"system{k},rank{k}" for k in range(1, 5))
    rows = [f"ranking_id,seg_id,{head}"]
    for segment, column in enumerate(scores.segments.T):
        own = (f"{name},{1 + (column > x).sum()}" for name, x in zip(QUALITY, column, strict=True))
        rows.append(f"{segment},{segment},{','.join(own)}")
    return rows


def write_folder(folder: Path, seed: int = 1) -> None:
    """The layout of a test set."""
    references, systems = texts(seed)
    _, scores = people(seed)
    write(folder / "reference.txt", references)
    for name, lines in systems.items():
        write(folder / "systems" / f"{name}.txt", lines)
    write(folder / "judgments.csv", ranks_csv(scores))
    rows = [
        f"{name}\t{segment}\t{x}"
        for name, row in zip(QUALITY, scores.segments, strict=True)
        for segment, x in enumerate(row)
    ]
    write(folder / "human_seg.tsv", ["system\tseg_id\tscore", *rows])
    whole = scores.of_whole_systems()
    rows = [f"{name}\t{x}" for name, x in zip(QUALITY, whole, strict=True)]
    write(folder / "human_sys.tsv", ["system\tscore", *rows])


def write_google(folder: Path, pair: str = "de-en", seed: int = 1) -> None:
    """The layout of mt-metrics-eval; one of the two references is a system, too."""
    references, systems = texts(seed)
    _, scores = people(seed)
    write(folder / "sources" / f"{pair}.txt", ["?"] * N)
    for name in ("refA", "refB"):
        write(folder / "references" / f"{pair}.{name}.txt", references)
    for name, lines in {**systems, "refA": references}.items():
        write(folder / "system-outputs" / pair / f"{name}.txt", lines)
    rows = [f"{name} {x}" for name, row in zip(QUALITY, scores.segments, strict=True) for x in row]
    rows += ["refA None"] * N
    write(folder / "human-scores" / f"{pair}.mqm.seg.score", rows)
    whole = scores.of_whole_systems()
    rows = [f"{name} {x}" for name, x in zip(QUALITY, whole, strict=True)]
    write(folder / "human-scores" / f"{pair}.mqm.sys.score", rows)
    write(folder / "human-scores" / f"{pair}.mqm.domain.score", ["news good 1"])
    rows = [f"{name} {len(line)}" for name, lines in systems.items() for line in lines]
    write(folder / "metric-scores" / pair / "length-src.seg.score", rows)
    rows = [f"{name} {k}" for k, name in enumerate(systems)]
    write(folder / "metric-scores" / pair / "length-src.sys.score", rows)
