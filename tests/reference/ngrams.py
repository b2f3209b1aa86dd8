"""The statistics of BLEU and chrF, counted with bags of n-grams.

BLEU is equation 1 of Papineni et al. 2002, with clipped counts and the closest reference length.
chrF is section 2 of Popović 2015, chrF++ adds words as Popović 2017 does. Where the papers leave a
choice, it is sacreBLEU's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
Tokens = Sequence[str]


def ngrams(tokens: Tokens, n: int) -> Counter[tuple[str, ...]]:
    """Return the n-grams of a sequence."""
    return Counter(tuple(tokens[k : k + n]) for k in range(len(tokens) - n + 1))


def bleu_statistics(hyp: Tokens, refs: Sequence[Tokens], longest: int = 4) -> list[int]:
    """Return both lengths, and for each n the n-grams that match, and all of the hypothesis."""
    closest = min(abs(len(ref) - len(hyp)) for ref in refs)
    length = min(len(ref) for ref in refs if abs(len(ref) - len(hyp)) == closest)
    correct, total = [], []
    for n in range(1, longest + 1):
        counts = ngrams(hyp, n)
        clips = [ngrams(ref, n) for ref in refs]
        correct.append(sum(min(c, max(clip[g] for clip in clips)) for g, c in counts.items()))
        total.append(counts.total())
    return [len(hyp), length, *correct, *total]


def chrf_words(line: str) -> list[str]:
    """Return the words of chrF++: punctuation at the end, or else at the begin, is split off."""
    words = []
    for word in line.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


def chrf_statistics(hyp: str, ref: str, nc: int = 6, nw: int = 0, space: bool = False) -> list[int]:
    """Return, for each n, the n-grams of the hypothesis, of the reference and of both.

    Where the reference has none, those of the hypothesis do not count.
    """
    sides = [line.rstrip() if space else "".join(line.split()) for line in (hyp, ref)]
    words = [chrf_words(line) for line in (hyp, ref)]
    rows: list[int] = []
    kinds: list[tuple[Sequence[Tokens], int]] = [(sides, nc), (words, nw)]
    for (a, b), longest in kinds:
        for n in range(1, longest + 1):
            of_hyp, of_ref = ngrams(a, n), ngrams(b, n)
            rows += [of_hyp.total() if of_ref else 0, of_ref.total(), (of_hyp & of_ref).total()]
    return rows
