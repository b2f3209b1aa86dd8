"""The cases of ``check_core.cpp``, with expected values that the naive twins compute.

``make portable`` compiles the program for several systems and runs it on ``cases.tsv``. A case is a
line: an algorithm, its inputs, and the expected value, separated by tabs. The expected values come
from ``tests/reference/``, ``math.fsum`` and sacreBLEU's tokeniser, never from the core.
``python tests/core/test_cases.py`` writes the file again, from the folder of the repository.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

TESTS = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(TESTS))

from reference import (  # noqa: E402
    inversion,
    mutual_links,
    ngrams,
    resampling,
    scoring,
    soft_order,
    tree_edit,
)
from reference.aligner import Match, best  # noqa: E402
from reference.forest import canonical_pet, operators  # noqa: E402

CASES = TESTS / "core" / "cases.tsv"
Case = tuple[str, ...]

PERMUTATIONS = [
    (),
    (1,),
    (2, 1),
    (2, 4, 1, 3),
    (2, 4, 5, 6, 1, 3),  # figure 1 of Stanojević & Sima'an 2014
    (5, 7, 4, 6, 3, 1, 2),  # their figure 3
    (4, 3, 2, 1),
    (1, 2, 3, 4, 5, 6, 7, 8),
    (6, 2, 4, 1, 5, 3),
    (3, 1, 4, 2, 8, 7, 5, 6, 9),
]
SENTENCES = [
    ("a b c d", "b d a c"),  # the example of Leusch, Ueffing & Ney 2003
    ("", "a b"),
    ("we will meet at noon in the lobby", "we meet in the lobby at noon"),
    ("the cat the dog the bird", "the bird the cat the dog"),
    ("in the evening he reads books", "he reads the books in evening hours"),
    ("colour of the harbour lights", "the lights of the harbor"),
]
TREES = [
    ((2, 5, 2, 3, 0, 5, 5), (2, 3, 0, 5, 3, 3, 8, 6, 3)),  # figure 1 of the paper of DTED
    ((), (0,)),
    ((0, 1, 2, 3), (2, 3, 4, 0)),
    ((0, 0, 1, 2), (0, 1, 1, 1, 0)),
]
CORPUS = ["the cat sat", "the dog sat on the cat", "a cat on the dog", "on the mat sat a cat"]
JUDGED = [("the cat on sat", "the cat sat on"), ("cat the sat dog", "the dog sat")]
SUMS = [
    (0.1,) * 10,
    (1e100, 1.0, -1e100),
    (1e16, 1.0, 1e-16, -1e16),
    tuple(1 / k for k in range(1, 50)),
    (2.0**1000, 2.0**-1000, 1.0, -(2.0**1000)),
]
TEXTS = [
    "Hello, world! It's 3.14 (or 3,000-4,000)...",
    "&quot;A&amp;B&quot; &lt;tag&gt; e.g. x.y, end.",
    "naïve café — “quoted” 5-year-old @user #tag 100%",
    "",
]


def joined(values: Iterable[object]) -> str:
    """The values, separated by spaces."""
    return " ".join(map(str, values))


def permutation_cases() -> Iterator[Case]:
    """Every measure, and the operators of the canonical tree in pre-order."""
    rng = random.Random(28)
    longer = [tuple(rng.sample(range(1, n + 1), n)) for n in (6, 9, 11)]
    for pi in (*PERMUTATIONS, *longer):
        for measure in scoring.MEASURES:
            yield measure, joined(pi), repr(float(scoring.ordering(measure, pi)))
        if pi:
            found = operators(canonical_pet(pi))
            yield "canonical_operators", joined(pi), ",".join(map(joined, found))


def pair_cases() -> Iterator[Case]:
    """Distances, alignments and lost words of two sentences."""
    for s, t in SENTENCES:
        hyp, ref = tuple(s.split()), tuple(t.split())
        yield "inversion_distance", s, t, str(inversion.distance(hyp, ref))
        yield "cder", s, t, str(inversion.cder(hyp, ref))
        yield "alignment", s, t, joined(best(matches(hyp, ref), [1]))
        if hyp != ref:
            yield "lost_words", s, t, repr(soft_order.order_statistics(hyp, ref).X)


def link_cases() -> Iterator[Case]:
    """Links by similarities that are eighths, so that equal ones are exactly equal."""
    rng = random.Random(42)
    for n, m in ((1, 1), (3, 2), (4, 4), (6, 9), (0, 2)):
        rows = [[rng.randrange(9) / 8 for _ in range(m)] for _ in range(n)]
        for weights in ((0.1, 0.2, 0.4), (0.2, 0.5, 0.65)):
            links = mutual_links.mutual_links(rows, m, *weights)
            written = "|".join(map(joined, rows))
            yield (
                "mutual_links",
                written,
                str(m),
                joined(weights),
                " ".join(f"{i}-{j}" for i, j in links),
            )


def matches(hyp: Sequence[str], ref: Sequence[str]) -> list[Match]:
    """All pairs of equal words."""
    return [Match(h, 1, r, 1, 0) for h, x in enumerate(hyp) for r, y in enumerate(ref) if x == y]


def precedence_cases() -> Iterator[Case]:
    """Precedence by the counts of a small corpus, all of whose words are classes of their own."""
    twin = soft_order.Precedence([line.split() for line in CORPUS])
    for hyp, ref in JUDGED:
        yield "precedence", "|".join(CORPUS), hyp, ref, repr(twin.value(hyp.split(), ref.split()))


def ngram_cases() -> Iterator[Case]:
    """The statistics of BLEU with several references, and of chrF and chrF++."""
    for s, t in SENTENCES:
        hyp, refs = s.split(), [t.split(), [*t.split()[::-1], *t.split()[:2]]]
        for longest in (1, 4, 40):
            given = s, "|".join(map(joined, refs)), str(longest)
            yield "bleu_statistics", *given, joined(ngrams.bleu_statistics(hyp, refs, longest))
    for text, other in pairwise([*TEXTS, TEXTS[0][::-1], *(s for s, _ in SENTENCES)]):
        for nc, nw, space in ((6, 0, False), (6, 2, False), (12, 5, True)):
            found = ngrams.chrf_statistics(text, other, nc, nw, space)
            yield "chrf_statistics", text, other, joined((nc, nw, int(space))), joined(found)


def draw_cases() -> Iterator[Case]:
    """Samples of the bootstrap and of the randomization test."""
    for seed, sample, length in ((1, 0, 5), (2**63 + 11, 7, 20), (12345, 2**40, 70)):
        given = joined((seed, sample, length))
        yield "bootstrap", given, joined(resampling.bootstrap_draw(seed, sample, length))
        yield "coins", given, joined(resampling.swap_draw(seed, sample, length))


def cases() -> Iterator[Case]:
    """All cases."""
    yield from permutation_cases()
    yield from pair_cases()
    for a, b in TREES:
        yield "tree_distance", joined(a), joined(b), str(tree_edit.distance(a, b))
    yield from link_cases()
    yield from precedence_cases()
    yield from ngram_cases()
    yield from draw_cases()
    for numbers in SUMS:
        yield "exact_sum", joined(map(repr, numbers)), repr(math.fsum(numbers))
    tokenize = Tokenizer13a()  # type: ignore[no-untyped-call]
    for text in TEXTS:
        yield "tokens_13a", text, tokenize(text)


def content() -> str:
    """The file."""
    return "".join("\t".join(case) + "\n" for case in cases())


def test_the_file_is_current() -> None:
    assert CASES.read_bytes().decode("utf-8") == content()


if __name__ == "__main__":
    CASES.write_bytes(content().encode("utf-8"))
