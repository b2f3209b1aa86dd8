"""Small corpora for tests: few distinct words, empty lines, and varying numbers of references."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import hyperbaton as hb
from hyperbaton.alignment.source_aligner import SourceAlignment
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.engine import score_corpus
from hyperbaton.runs.run import Keep, ListCorpus, Run
from reference import scoring as reference

WORDS = ("a", "b", "B", "c", "d", "e", "f", "g")  # b and B are equal in lower case


class Corpus(NamedTuple):
    hypotheses: list[str]
    references: list[list[str]]

    @property
    def streams(self) -> list[list[Any]]:
        """The references in sacreBLEU's form: one list per stream, None for a missing reference."""
        most = max(map(len, self.references))
        return [[dict(enumerate(r)).get(k) for r in self.references] for k in range(most)]


def line(rng: random.Random, most: int) -> list[str]:
    return rng.choices(WORDS, k=rng.randint(0, most))


def edited(rng: random.Random, words: Sequence[str]) -> list[str]:
    """Return the words after a few random moves of blocks and changes of words."""
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
    """Return random lines of up to nine words, mostly edited references.

    The first four segments are special: empty lines, and a perfect translation.
    """
    rng = random.Random(seed)
    hypotheses, all_references = [], []
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
        all_references.append([" ".join(ref) for ref in refs])
    return Corpus(hypotheses, all_references)


def aligned(texts: Corpus, case: str = "lc") -> list[reference.Segment]:
    """Return the corpus for the naive twin, with the links that the aligner finds."""
    aligner = hb.Aligner(None, tokenize="none", lowercase=case == "lc")
    segments = []
    for hypothesis, references in zip(*texts, strict=True):
        hyp = words(hypothesis, case)
        refs = [words(ref, case) for ref in references]
        segments.append(
            reference.Segment(hyp, refs, [aligner.align(hyp, ref).links for ref in refs])
        )
    return segments


def words(text: str, case: str = "lc") -> list[str]:
    return (text.lower() if case == "lc" else text).split()


def linked_at_random(texts: Corpus, seed: int) -> list[reference.Segment]:
    """Return the corpus with random one-to-one links, which no aligner would find."""
    rng = random.Random(seed)
    segments = []
    for hypothesis, references in zip(*texts, strict=True):
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
    return [
        [" ".join(f"{h}-{r}" for h, r in links) for links in segment.links] for segment in segments
    ]


def score_in_batches(
    size: int,
    hypotheses: Sequence[str],
    references: Sequence[Any],
    specs: Sequence[str] | str,
    threads: int | None = None,
    source_alignment: SourceAlignment | None = None,
    **inputs: Any,
) -> hb.Result:
    """Return what ``hb.score`` returns, computed from batches of ``size`` segments."""
    name = "hypotheses"
    for key in ("alignments", "trees"):
        if key in inputs:
            inputs[key] = {name: inputs[key]}
    run = Run(
        metrics_by_spec(specs),
        keep=Keep(texts=True),
        source_alignment=source_alignment,
        batch_size=size,
        threads=threads,
    )
    aligns = source_alignment is not None
    corpus = ListCorpus({name: hypotheses}, references, align_source=aligns, **inputs)
    (result,) = score_corpus(corpus, run)
    return result.with_scores(result, "system")
