"""Scores of segments and corpora, written from the papers.

SS14: Stanojević & Sima'an 2014, equation 2: ``full``, and every order measure by itself.
SS16: Stanojević & Sima'an 2016, section 5: ``senscore``, and the corpus weighted by |ref|.
BO10: Birch & Osborne 2010, section 3: ``lrscore`` and its brevity penalty.
LUN03: Leusch, Ueffing & Ney 2003, equation 3: the error rates; section 4.2.1: ``avgbleu``.
``meteor_frag`` is 1 − the fragmentation penalty of METEOR 1.5; ``adjacency`` is Hyperbaton's own.
BLEU is Papineni et al. 2002, with sacreBLEU's treatment of zero counts.

A segment has the words of a hypothesis and its references, and links (hypothesis, reference) for
each reference. Links count from 0, and no word has two. Values are exact fractions unless they need
an exponential function or a root.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, NamedTuple

from reference import forest, inversion
from reference.flat import FLAT

Links = Sequence[tuple[int, int]]
Words = Sequence[str]
BETA = Fraction(3, 5)
HALF = Fraction(1, 2)


class Segment(NamedTuple):
    """The words of a hypothesis and its references, and the links with each reference."""

    hyp: Words
    refs: Sequence[Words]
    links: Sequence[Links]


def without_punctuation(segment: Segment) -> Segment:
    """The segment without words that have no letter or digit; the other words are counted anew."""

    def places(words: Words) -> dict[int, int]:
        kept = [i for i, word in enumerate(words) if any(c.isalnum() for c in word)]
        return {old: new for new, old in enumerate(kept)}

    hyp = places(segment.hyp)
    refs = [places(ref) for ref in segment.refs]
    return Segment(
        [segment.hyp[i] for i in hyp],
        [[words[i] for i in ref] for words, ref in zip(segment.refs, refs, strict=True)],
        [
            [(hyp[h], ref[r]) for h, r in links if h in hyp and r in ref]
            for links, ref in zip(segment.links, refs, strict=True)
        ],
    )


class Scores(NamedTuple):
    """The scores of the segments, and the value of the corpus."""

    segments: list[float]
    value: float


def permutation(links: Links, ref_length: int, unaligned: str = "drop") -> list[int]:
    """The rank of the reference word of each hypothesis word, smallest 1.

    With ``left`` (``right``), the reference is cut into one piece for each linked word: an unlinked
    word belongs to the piece of the next linked word on its left (right). The pieces are put into
    the order of the hypothesis. Words before the first (after the last) linked word are a piece
    that stays at the start (end).
    """
    if not links:
        return []
    linked = {r: h for h, r in links}
    outside = -1 if unaligned == "left" else math.inf
    pieces: dict[float, list[int]] = {}
    for r in range(ref_length):
        if unaligned == "left":
            anchors = [a for a in linked if a <= r]
            place = linked[max(anchors)] if anchors else outside
        elif unaligned == "right":
            anchors = [a for a in linked if a >= r]
            place = linked[min(anchors)] if anchors else outside
        elif r in linked:
            place = linked[r]
        else:
            continue
        pieces.setdefault(place, []).append(r)
    listed = [r for place in sorted(pieces) for r in pieces[place]]
    return [sorted(listed).index(r) + 1 for r in listed]


COMPLEXITY = ("pet_size", "pet_count", "max_operator", "average_operator")
MEASURES = (*FLAT, "pet", "pef", "pef_beer", *COMPLEXITY)


@cache
def ordering(measure: str, pi: tuple[int, ...], beta: Any = BETA, gamma: Any = 0) -> Any:
    """A measure of section 2 or 3 of SS14, or of section 4 of SS16."""
    if measure == "pef":
        return forest.pef_score(pi, beta, forest.op_score(gamma))
    if measure == "pet":
        return forest.pet_score(pi, beta, forest.op_score(gamma))
    if measure == "pef_beer":
        return forest.pef_beer(pi, beta)
    if measure in COMPLEXITY:
        return getattr(forest, measure)(pi)
    return FLAT[measure](pi)


def penalty(short: int, ref: int) -> float:
    """The brevity penalty of BLEU and BO10: 1 if t > r, else e^(1 − r/t); 0 if t = 0."""
    if short == 0:
        return 0.0
    return 1.0 if short > ref else math.exp(1 - ref / short)


def closest(hyp: Words, refs: Sequence[Words]) -> int:
    """The length of the reference closest in length; the shorter one of two."""
    return min((abs(len(ref) - len(hyp)), len(ref)) for ref in refs)[1]


def ordered(
    segment: Segment,
    k: int,
    measure: str,
    bp: str = "permutation",
    unaligned: str = "drop",
    beta: Any = BETA,
    gamma: Any = 0,
) -> Any:
    """bp × ordering(π) against reference k."""
    ref = segment.refs[k]
    pi = permutation(segment.links[k], len(ref), unaligned)
    factor = {
        "permutation": penalty(len(pi), len(ref)),
        "system": penalty(len(segment.hyp), closest(segment.hyp, segment.refs)),
        "off": 1,
    }[bp]
    return factor * ordering(measure, tuple(pi), beta, gamma)


def best(segment: Segment, score: Callable[[int], Any]) -> tuple[float, int]:
    """The best score over the references, and the length of that reference."""
    scores = [float(score(k)) for k in range(len(segment.refs))]
    k = scores.index(max(scores))
    return scores[k], len(segment.refs[k])


def mean(found: Sequence[tuple[float, int]], weight: str) -> float:
    """The mean of scores, plain or weighted by |ref|."""
    weights = [1 if weight == "none" else length for _, length in found]
    if not sum(weights):
        return 0.0
    return math.fsum(w * s for w, (s, _) in zip(weights, found, strict=True)) / sum(weights)


def averaged(
    segments: Sequence[Segment], score: Callable[[Segment, int], Any], weight: str
) -> Scores:
    """Score segments against their best references, and average."""
    found = [best(segment, partial(score, segment)) for segment in segments]
    return Scores([value for value, _ in found], mean(found, weight))


def order(
    segments: Sequence[Segment], measure: str, weight: str = "none", **options: Any
) -> Scores:
    """A measure of word order by itself."""
    return averaged(segments, lambda segment, k: ordered(segment, k, measure, **options), weight)


def adjacency(segments: Sequence[Segment], weight: str = "none") -> Scores:
    """The share of neighbours, sentence boundaries included, that are neighbours in both."""

    def score(segment: Segment, k: int) -> Fraction:
        links = set(segment.links[k])
        if not links:
            return Fraction(0)
        good = sum((h + 1, r + 1) in links for h, r in links)
        good += (0, 0) in links
        good += (len(segment.hyp) - 1, len(segment.refs[k]) - 1) in links
        return Fraction(good, len(links) + 1)

    return averaged(segments, score, weight)


# METEOR 1.5 prints these as its second and third parameter, for its default task.
METEOR = {
    "en": (0.2, 0.6),
    "cz": (0.2, 0.6),
    "de": (1.0, 0.55),
    "es": (1.3, 0.5),
    "fr": (1.4, 0.6),
    "ru": (1.4, 0.7),
    "other": (1.4, 0.7),
}


def meteor_frag(
    segments: Sequence[Segment], language: str = "other", weight: str = "none"
) -> Scores:
    """1 − γ·frag^β; frag is 0 if all words of both sentences are one chunk."""
    beta, gamma = METEOR[language]

    def score(segment: Segment, k: int) -> float:
        links = set(segment.links[k])
        if not links:
            return 0.0
        chunks = sum((h - 1, r - 1) not in links for h, r in links)
        whole = len(links) == len(segment.hyp) == len(segment.refs[k])
        frag = 0.0 if whole and chunks == 1 else chunks / len(links)
        return float(1 - gamma * frag**beta)

    return averaged(segments, score, weight)


class Counts(NamedTuple):
    """The statistics of BLEU, which are summed over segments."""

    correct: list[int]
    total: list[int]
    hyp_length: int
    ref_length: int


def ngrams(words: Words, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def bleu_counts(hyp: Words, refs: Sequence[Words], most: int) -> Counts:
    """Clipped matches of n-grams up to length ``most``."""
    correct, total = [], []
    for n in range(1, most + 1):
        counted = ngrams(hyp, n)
        clipped = [
            min(count, max(ngrams(ref, n)[ngram] for ref in refs))
            for ngram, count in counted.items()
        ]
        correct.append(sum(clipped))
        total.append(sum(counted.values()))
    return Counts(correct, total, len(hyp), closest(hyp, refs))


def bleu_of(counts: Counts, effective: bool) -> float:
    """BLEU with exponential smoothing: the k-th order without a match counts 1/2^k matches.

    If the hypothesis has no n-gram of some order, BLEU is 0, or that order is omitted (effective
    order, for sentences). Without any match, BLEU is 0.
    """
    if not any(counts.correct):
        return 0.0
    logs = []
    zeros = 0
    for correct, total in zip(counts.correct, counts.total, strict=True):
        if total == 0:
            if not effective:
                return 0.0
            continue
        zeros += correct == 0
        logs.append(math.log(correct / total if correct else 1 / (2**zeros * total)))
    return penalty(counts.hyp_length, counts.ref_length) * math.exp(sum(logs) / len(logs))


def sentence_bleu(hyp: Words, refs: Sequence[Words], most: int) -> float:
    return bleu_of(bleu_counts(hyp, refs, most), effective=True)


def corpus_bleu(segments: Sequence[Segment], most: int) -> float:
    counts = [bleu_counts(segment.hyp, segment.refs, most) for segment in segments]
    return bleu_of(
        Counts(
            [sum(column) for column in zip(*(c.correct for c in counts), strict=True)],
            [sum(column) for column in zip(*(c.total for c in counts), strict=True)],
            sum(c.hyp_length for c in counts),
            sum(c.ref_length for c in counts),
        ),
        effective=False,
    )


def avgbleu(segments: Sequence[Segment], weight: str = "none", most: int = 4) -> Scores:
    """LUN03, section 4.2.1; |ref| is the length of the closest reference, as in BLEU."""
    found = [
        (sentence_bleu(segment.hyp, segment.refs, most), closest(segment.hyp, segment.refs))
        for segment in segments
    ]
    return Scores([value for value, _ in found], mean(found, weight))


def common(s: Words, t: Words) -> int:
    """The size of the intersection of two bags of words."""
    return sum((Counter(s) & Counter(t)).values())


def f1(hyp: Words, ref: Words) -> Fraction:
    """SS16, footnote 9: F1 of two bags of words."""
    same = common(hyp, ref)
    if not same:
        return Fraction(0)
    precision, recall = Fraction(same, len(hyp)), Fraction(same, len(ref))
    return 2 * precision * recall / (precision + recall)


def lexical_score(lexical: str, hyp: Words, ref: Words) -> Any:
    if lexical == "f1":
        return f1(hyp, ref)
    return sentence_bleu(hyp, [ref], {"bleu1": 1, "bleu4": 4}[lexical])


def full(
    segments: Sequence[Segment],
    measure: str = "pef",
    lexical: str = "bleu1",
    alpha: Any = HALF,
    weight: str = "none",
    **options: Any,
) -> Scores:
    """SS14, equation 2: α is the weight of the lexical score."""

    def score(segment: Segment, k: int) -> Any:
        words = lexical_score(lexical, segment.hyp, segment.refs[k])
        return alpha * words + (1 - alpha) * ordered(segment, k, measure, **options)

    return averaged(segments, score, weight)


def senscore(
    segments: Sequence[Segment],
    measure: str = "pet_size",
    lexical: str = "f1",
    alpha: Any = HALF,
    weight: str = "ref",
    **options: Any,
) -> Scores:
    """SS16, section 5."""
    return full(segments, measure, lexical, alpha, weight, **options)


def lrscore(
    segments: Sequence[Segment],
    measure: str = "kendall",
    lexical: str = "bleu4",
    alpha: Any = HALF,
    bp: str = "system",
    weight: str = "none",
    **options: Any,
) -> Scores:
    """BO10, section 3: α is the weight of the reordering score R; BLEU is that of the corpus.

    R uses the best reference, and BLEU uses all of them. BO10 does not have F1. Here, F1 of a
    segment uses the best reference, and F1 of a corpus uses the sums of its counts.
    """
    r = order(segments, measure, weight, bp=bp, **options)
    words: list[Any]
    all_words: Any
    if lexical == "f1":
        nearest = [max(segment.refs, key=partial(f1, segment.hyp)) for segment in segments]
        pairs = list(zip((segment.hyp for segment in segments), nearest, strict=True))
        words = [f1(hyp, ref) for hyp, ref in pairs]
        all_words = Fraction(
            2 * sum(common(hyp, ref) for hyp, ref in pairs),
            sum(len(hyp) + len(ref) for hyp, ref in pairs) or 1,
        )
    else:
        most = {"bleu1": 1, "bleu4": 4}[lexical]
        words = [sentence_bleu(segment.hyp, segment.refs, most) for segment in segments]
        all_words = corpus_bleu(segments, most)
    return Scores(
        [float(alpha * a + (1 - alpha) * b) for a, b in zip(r.segments, words, strict=True)],
        float(alpha * r.value + (1 - alpha) * all_words),
    )


def levenshtein(s: Sequence[object], t: Sequence[object]) -> int:
    """The edit distance of words."""
    row = list(range(len(t) + 1))
    for i, word in enumerate(s, 1):
        new = [i]
        for j, other in enumerate(t, 1):
            new.append(min(row[j - 1] + (word != other), row[j] + 1, new[j - 1] + 1))
        row = new
    return row[-1]


def bag(s: Words, t: Words) -> int:
    """The edit distance of two bags of words."""
    return max(len(s), len(t)) - common(s, t)


DISTANCES: dict[str, Callable[[Any, Any], int]] = {
    "wer": levenshtein,
    "per": bag,
    "cder": inversion.cder,
    "invwer": inversion.distance,
}


def error_rate(segments: Sequence[Segment], distance: str) -> Scores:
    """LUN03, equation 3; if all references are empty, the rate is 0 without errors and else 1."""

    def rate(errors: int, length: Fraction) -> float:
        return float(errors / length if length else min(errors, 1))

    errors, lengths = [], []
    for segment in segments:
        errors.append(
            min(DISTANCES[distance](tuple(segment.hyp), tuple(ref)) for ref in segment.refs)
        )
        lengths.append(Fraction(sum(map(len, segment.refs)), len(segment.refs)))
    return Scores(
        [rate(e, length) for e, length in zip(errors, lengths, strict=True)],
        rate(sum(errors), sum(lengths, Fraction(0))),
    )
