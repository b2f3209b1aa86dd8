"""The segments of a report: their texts, links and permutations, as short as they can be said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.links import Links
from hyperbaton.errors import InputError
from hyperbaton.metrics.aligned import AlignmentMetric
from hyperbaton.metrics.corpus import Corpus
from hyperbaton.metrics.dependency import Dted
from hyperbaton.metrics.scoring import Result
from hyperbaton.metrics.segments import References, Segments
from hyperbaton.text.display import as_written, visible

Ints = npt.NDArray[np.int64]
BOUNDARY = "\u200b"  # between tokens where the text has no space: no text has it once it is visible


@dataclass
class Passages:
    """What a report has of each segment of one system.

    ``reference`` is which of its references is meant: that with the largest share of aligned words
    on both sides, as in ``Score.aligned``. ``linked`` and ``words`` are how many words have a link,
    and all words, of both sides together; ``length`` is how long that reference is. Of several
    runs of links, (system word, reference word, how many), ``links`` has the numbers one after
    another. ``permutations`` are those of the batches, as flat values and offsets.
    """

    texts: list[str] = field(default_factory=list)
    reference: list[int] = field(default_factory=list)
    links: list[list[int]] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    permutations: list[tuple[Ints, Ints]] = field(default_factory=list)

    def flat_permutations(self) -> tuple[Ints, Ints]:
        """The permutations of all batches together."""
        values = np.concatenate([values for values, _ in self.permutations])
        sizes = np.concatenate([np.diff(offsets) for _, offsets in self.permutations])
        return values, np.concatenate(([0], np.cumsum(sizes)))


def passages(
    results: Sequence[Result], threads: int | None = None
) -> tuple[list[list[str]], list[Passages]]:
    """The texts of references, a list for each segment, and the passages of each system.

    Links are those of the first metric that needs an alignment of tokens, or the default aligner's
    if there is none.
    """
    corpora = list(map(_corpus, results))
    metric = next(
        (
            score.metric
            for score in results[0].values()
            if isinstance(score.metric, AlignmentMetric) and not isinstance(score.metric, Dted)
        ),
        None,
    )
    language = next(iter(results[0].values())).metric.language
    aligner = Aligner(language) if metric is None else metric.aligner
    case = "lc" if aligner.lowercase else "mixed"
    references: list[list[str]] = []
    found = [Passages() for _ in results]
    for k, batch in enumerate(corpora[0].batches):
        shared = References(batch.references)
        texts = _texts(shared.lines, shared.tokens(aligner.tokenize, case), aligner.tokenize)
        references += [texts[begin:end] for begin, end in pairwise(shared.starts.tolist())]
        for own, corpus in zip(found, corpora, strict=True):
            segments = corpus.batches[k].segments(shared, threads)
            links = segments.links(aligner) if metric is None else metric.links(segments)
            _add(own, segments, links, aligner.tokenize, case)
    return references, found


def _corpus(result: Result) -> Corpus:
    if result.corpus is None:
        raise InputError(f"the texts of {result.name} were not kept")
    return result.corpus


def _add(own: Passages, segments: Segments, links: Links, tok: str, case: str) -> None:
    """One more batch of a system."""
    linked = np.add(*links.covered)
    words = links.hyp_lengths + links.ref_lengths
    best = segments.best(linked / np.maximum(words, 1))
    chosen = _only(links, best)
    own.texts += _texts(segments.hypotheses.lines, segments.hypotheses.tokens(tok, case), tok)
    own.reference += (best - segments.references.starts[:-1]).tolist()
    own.links += _runs(chosen)
    own.linked += linked[best].tolist()
    own.words += words[best].tolist()
    own.length += chosen.ref_lengths.tolist()
    own.permutations.append(chosen.permutations())


def _only(links: Links, pairs: Ints) -> Links:
    """The links of some pairs, which are in order."""
    if len(pairs) == len(links):
        return links
    place = np.full(len(links), -1)
    place[pairs] = np.arange(len(pairs))
    rows = place[links.pair] >= 0
    return Links(
        place[links.pair[rows]],
        links.hyp[rows],
        links.hyp_length[rows],
        links.ref[rows],
        links.ref_length[rows],
        links.hyp_lengths[pairs],
        links.ref_lengths[pairs],
    )


def _runs(links: Links) -> list[list[int]]:
    """Of each pair, its links word by word: where runs of them begin, and how long they are.

    >>> from hyperbaton import Alignment
    >>> _runs(Links.of([Alignment(4, 4, [(0, 1), (1, 2), (2, 0)]), Alignment(1, 1, [])]))
    [[0, 1, 2, 2, 0, 1], []]
    """
    sizes = links.hyp_length * links.ref_length
    row = np.repeat(np.arange(len(sizes)), sizes)
    inside = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    table = np.stack(
        [
            links.pair[row],
            links.hyp[row] + inside // links.ref_length[row],
            links.ref[row] + inside % links.ref_length[row],
        ]
    )
    pair, hyp, ref = np.unique(table, axis=1)  # sorted; of phrases that overlap, each pair once
    follows = (np.diff(pair) == 0) & (np.diff(hyp) == 1) & (np.diff(ref) == 1)
    first = np.flatnonzero(np.concatenate(([True], ~follows))[: len(pair)])
    lengths = np.diff(np.append(first, len(pair)))
    flat = np.stack([hyp[first], ref[first], lengths], axis=1).reshape(-1).tolist()
    ends = 3 * np.cumsum(np.bincount(pair[first], minlength=len(links)))
    return [flat[begin:end] for begin, end in pairwise([0, *ends.tolist()])]


def _texts(lines: Sequence[str], tokens: Sequence[Sequence[str]], tok: str) -> list[str]:
    return [
        with_boundaries(line, as_written(line, own, tok))
        for line, own in zip(lines, tokens, strict=True)
    ]


def with_boundaries(text: str, words: Sequence[str]) -> str:
    """The text with a sign of no width between words that no space divides.

    Where words are not what the text has (``&quot;`` is one sign for the tokeniser), they are
    there in its place, with spaces.

    >>> with_boundaries("Well,  yes.", ["Well", ",", "yes", "."]).split(BOUNDARY)
    ['Well', ', yes', '.']
    >>> with_boundaries("a&amp;b", ["a", "&", "b"])
    'a & b'
    """
    text = visible(" ".join(text.split()))
    parts, at = [], 0
    for word in words:
        gap = " " if text.startswith(" ", at) else BOUNDARY if at else ""
        at += gap == " "
        if not text.startswith(word, at):
            return " ".join(words)
        parts += [gap, word]
        at += len(word)
    return "".join(parts) if at == len(text) else " ".join(words)
