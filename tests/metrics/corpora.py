"""Corpora to test with: a few words, many of them twice, lines of nothing, ragged references."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import hyperbaton as hb
from reference import scoring as reference

WORDS = ("a", "b", "B", "c", "d", "e", "f", "g")  # b and B are one in lower case


class Corpus(NamedTuple):
    hypotheses: list[str]
    references: list[list[str]]

    @property
    def streams(self) -> list[list[Any]]:
        """The references as sacreBLEU has them: a list for each set, None where there is none."""
        most = max(map(len, self.references))
        return [[dict(enumerate(r)).get(k) for r in self.references] for k in range(most)]


def line(rng: random.Random, most: int) -> list[str]:
    return rng.choices(WORDS, k=rng.randint(0, most))


def edited(rng: random.Random, words: Sequence[str]) -> list[str]:
    """The same words, some blocks of them moved, some changed."""
    moved = list(words)
    for _ in range(rng.randint(0, 2)):
        a, b, c = sorted(rng.choices(range(len(moved) + 1), k=3))
        moved = moved[:a] + moved[b:c] + moved[a:b] + moved[c:]
    for _ in range(rng.randint(0, 2)):
        place = rng.randrange(len(moved) + 1)
        moved[place : place + rng.randrange(2)] = rng.choices(WORDS, k=rng.randrange(2))
    return moved


@cache
def corpus(seed: int, count: int = 40, references: tuple[int, ...] = (1, 2, 3)) -> Corpus:
    """Lines of up to nine words, mostly edited references; the first few have the odd cases."""
    rng = random.Random(seed)
    hypotheses, several = [], []
    for k in range(count):
        hyp = line(rng, 7)
        refs = [
            edited(rng, hyp) if rng.random() < 0.8 else line(rng, 7)
            for _ in range(rng.choice(references))
        ]
        if k == 0:
            hyp = []
        elif k == 1:
            refs = [[] for _ in refs]
        elif k == 2:
            hyp, refs = [], [[] for _ in refs]
        elif k == 3:
            refs[-1] = list(hyp)
        hypotheses.append(" ".join(hyp))
        several.append([" ".join(ref) for ref in refs])
    return Corpus(hypotheses, several)


def aligned(found: Corpus, case: str = "lc") -> list[reference.Segment]:
    """The corpus as the slow twin takes it, with the aligner's links."""
    aligner = hb.Aligner(None, tokenize="none", lowercase=case == "lc")
    segments = []
    for hypothesis, references in zip(found.hypotheses, found.references, strict=True):
        hyp = words(hypothesis, case)
        refs = [words(ref, case) for ref in references]
        segments.append(
            reference.Segment(hyp, refs, [aligner.align(hyp, ref).links for ref in refs])
        )
    return segments


def words(text: str, case: str = "lc") -> list[str]:
    return (text.lower() if case == "lc" else text).split()


def linked_at_random(found: Corpus, seed: int) -> list[reference.Segment]:
    """The corpus with links that no aligner would find: any one-to-one links."""
    rng = random.Random(seed)
    segments = []
    for hypothesis, references in zip(found.hypotheses, found.references, strict=True):
        hyp = words(hypothesis)
        refs = [words(ref) for ref in references]
        links = []
        for ref in refs:
            count = rng.randint(0, min(len(hyp), len(ref)))
            left = rng.sample(range(len(hyp)), count)
            right = rng.sample(range(len(ref)), count)
            links.append(sorted(zip(left, right, strict=True)))
        segments.append(reference.Segment(hyp, refs, links))
    return segments


def pharaoh(segments: Sequence[reference.Segment]) -> list[list[str]]:
    return [[" ".join(f"{h}-{r}" for h, r in links) for links in one.links] for one in segments]
