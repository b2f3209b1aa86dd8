"""The integers of BLEU and chrF, and the edits of TER, are those of sacreBLEU.

Their languages, characters, options and numbers of references are as different as possible, since
sacreBLEU is the specification. ``make compat`` runs these tests with the oldest supported version.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

import hyperbaton as hb
from hyperbaton.metrics.batches import Batch, ReferenceTexts
from metrics.corpora import Corpus
from pairs import data_folder
from reference import ngrams as twin
from text.language_samples import SAMPLES

METRICS: dict[str, Any] = {
    "bleu": BLEU(force=True),
    "bleu:case=lc": BLEU(lowercase=True, force=True),
    "bleu:tok=intl,case=lc": BLEU(lowercase=True, tokenize="intl", force=True),
    "bleu:tok=zh": BLEU(tokenize="zh", force=True),
    "bleu:tok=char": BLEU(tokenize="char", force=True),
    "bleu:tok=none": BLEU(tokenize="none", force=True),
    "chrf": CHRF(),
    "chrf:nw=2": CHRF(word_order=2),
    "chrf:case=lc,space=yes": CHRF(lowercase=True, whitespace=True),
    "chrf:eff=no,beta=3,nc=4,nw=1": CHRF(eps_smoothing=True, beta=3, char_order=4, word_order=1),
    "chrf:nc=20,nw=7,case=lc": CHRF(char_order=20, word_order=7, lowercase=True),
}
EDITS: dict[str, Any] = {
    "ter": TER(),
    "ter:case=mixed": TER(case_sensitive=True),
    "ter:norm=yes": TER(normalized=True),
    "ter:norm=yes,asian=yes": TER(normalized=True, asian_support=True),
    "ter:punct=no": TER(no_punct=True),
    "ter:norm=yes,punct=no,asian=yes,case=mixed": TER(
        normalized=True, no_punct=True, asian_support=True, case_sensitive=True
    ),
}
SPACES = (" ", " ", "  ", "\t", "\u00a0", "\u3000", "\x1f", "\u2009")
# Unicode assigns characters in these ranges; surrogates are no characters.
ASSIGNED = (range(0x1, 0xD800), range(0xE000, 0x32400), range(0xE0000, 0xE0200))

Rows = npt.NDArray[np.float64]


def rows(metric: str, corpus: Corpus, threads: int = 1) -> Rows:
    references = ReferenceTexts.from_segments(corpus.references)
    batch = Batch(corpus.hypotheses, references, threads=threads)
    return hb.metrics.get(metric).statistics(batch)


def expected_rows(sacrebleu: Any, corpus: Corpus) -> Rows:
    """What sacreBLEU counts in lines without white space at their ends, as in files."""
    streams = [[line and line.rstrip() for line in stream] for stream in corpus.streams]
    hypotheses = [line.rstrip() for line in corpus.hypotheses]
    return np.array(sacrebleu._extract_corpus_statistics(hypotheses, streams), np.float64)


def check(metric: str, corpus: Corpus) -> None:
    sacrebleu = METRICS.get(metric) or EDITS[metric]
    ours, theirs = rows(metric, corpus), expected_rows(sacrebleu, corpus)
    for k in np.flatnonzero((ours != theirs).any(axis=1)).tolist():
        pair = corpus.hypotheses[k], corpus.references[k]
        raise AssertionError(f"{metric}: {pair!r}: {ours[k].tolist()}, not {theirs[k].tolist()}")


def edit(rng: random.Random, line: str) -> str:
    """Return the line with some words or characters left out, moved and said again."""
    parts = line.split(" ") if rng.random() < 0.7 else list(line)
    for _ in range(rng.randrange(4)):
        a, b, c = sorted(rng.choices(range(len(parts) + 1), k=3))
        parts = rng.choice(
            (
                parts[:a] + parts[b:c] + parts[a:b] + parts[c:],
                parts[:a] + parts[b:],
                parts[:b] + parts[a:],
            )
        )
    return (" " if " " in line else "").join(parts)


def languages() -> Corpus:
    """Sentences of some fifty languages."""
    rng = random.Random(43)
    lines = [line.replace("‸", "") for name in SAMPLES for line in SAMPLES[name].values()]
    sources = [rng.choice(lines) if rng.random() < 0.1 else line for line in lines * 6]
    references = [[edit(rng, line) for _ in range(rng.randint(1, 4))] for line in sources]
    return Corpus(
        [edit(rng, line).upper() if rng.random() < 0.2 else edit(rng, line) for line in sources],
        references,
    )


def characters() -> Corpus:
    """Characters of every block of Unicode."""
    rng = random.Random(43)
    lines = []
    for block in ASSIGNED:
        for begin in range(block.start, block.stop, 128):
            codes = range(begin, min(begin + 128, block.stop))
            line = [
                chr(c) for c in rng.sample(codes, min(40, len(codes))) if chr(c) not in "\0\n\r"
            ]
            lines.append(
                "".join(c + (rng.choice(SPACES) if rng.random() < 0.2 else "") for c in line)
            )
    return Corpus([edit(rng, line) for line in lines], [[line] for line in lines])


def repeated() -> Corpus:
    """Short lines of few characters, most of which occur often; many lines are empty or equal."""
    rng = random.Random(43)

    def line() -> str:
        words = [
            "".join(rng.choices("aaAb.(é-", k=rng.randint(1, 5))) for _ in range(rng.randrange(7))
        ]
        return "".join(word + rng.choice(SPACES) for word in words)

    lines = [line() for _ in range(400)] + ["", " ", "a", "\u3000"] * 5
    hypotheses = rng.choices(lines, k=1500)
    return Corpus(
        hypotheses, [rng.choices(lines, k=rng.choice((1, 1, 2, 3, 5))) for _ in hypotheses]
    )


def long_lines() -> Corpus:
    """Lines with more distinct characters and words than one integer has room for."""
    rng = random.Random(43)
    lines = [
        "".join(chr(rng.randrange(0x4E00, 0x4E00 + size)) for _ in range(1500))
        for size in (3, 500, 9000)
    ]
    lines += [
        " ".join(f"w{rng.randrange(size)}" for _ in range(1000)) for size in (2, 50, 40_000, 70_000)
    ]
    lines += ["x" * 2000, "ab" * 1000, "x"]
    hypotheses = [edit(rng, line) for line in lines]
    return Corpus(
        hypotheses, [[line, edit(rng, line)][: 1 + k % 2] for k, line in enumerate(lines)]
    )


CORPORA = {corpus.__name__: corpus() for corpus in (languages, characters, repeated, long_lines)}


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("metric", METRICS)
def test_integers(metric: str, corpus: str) -> None:
    check(metric, CORPORA[corpus])


@pytest.mark.parametrize("corpus", ["languages", "characters", "repeated"])
@pytest.mark.parametrize("metric", EDITS)
def test_edits(metric: str, corpus: str) -> None:
    """Of every tenth line, because TER takes sacreBLEU long."""
    hypotheses, references = CORPORA[corpus]
    check(metric, Corpus(hypotheses[::10], references[::10]))


@pytest.mark.parametrize("metric", [*METRICS, *EDITS])
def test_real_lines(metric: str) -> None:
    """Of a system for each of three language pairs."""
    folder = data_folder()
    for pair in ("wmt13/de-en", "wmt15/en-ru", "biomqm/en-zh"):
        system = sorted((folder / pair / "systems").glob("*.txt"))[0]
        most = 40 if metric in EDITS else 300
        lines = [
            path.read_text("utf-8").split("\n")[:most]
            for path in (system, folder / pair / "reference.txt")
        ]
        check(metric, Corpus(lines[0], [[line] for line in lines[1]]))


def random_options(rng: random.Random) -> tuple[str, CHRF]:
    nc, nw, beta = rng.randint(1, 12), rng.randrange(5), rng.randint(1, 4)
    case, space, eff = (
        rng.choice(pair) for pair in (("lc", "mixed"), ("yes", "no"), ("yes", "no"))
    )
    metric = f"chrf:nc={nc},nw={nw},beta={beta},case={case},space={space},eff={eff}"
    return metric, CHRF(nc, nw, beta, case == "lc", space == "yes", eff == "no")


def test_random_options_and_references() -> None:
    """Which reference is the best one depends on β and on the effective lengths."""
    rng = random.Random(43)
    for _ in range(30):
        metric, sacrebleu = random_options(rng)
        start = rng.randrange(1300)
        hypotheses, references = CORPORA["repeated"]
        corpus = Corpus(hypotheses[start : start + 60], references[start : start + 60])
        np.testing.assert_array_equal(
            rows(metric, corpus), expected_rows(sacrebleu, corpus), metric
        )


def test_longest_ngrams() -> None:
    corpus = Corpus(["abc" * 50, "b" * 120, "xyz"], [["abc" * 45, "ab" * 60], ["b" * 300], ["xyz"]])
    found = rows("chrf:nc=100,nw=100", corpus)
    np.testing.assert_array_equal(found, expected_rows(CHRF(100, 100), corpus))


@pytest.mark.parametrize("metric", [*METRICS, *EDITS])
def test_threads_change_nothing(metric: str) -> None:
    corpus = CORPORA["repeated"]
    np.testing.assert_array_equal(rows(metric, corpus, 1), rows(metric, corpus, 3))


def twin_pairs() -> Iterator[tuple[str, list[str]]]:
    for name in ("languages", "repeated"):
        yield from list(zip(*CORPORA[name], strict=True))[:300]


def test_the_twin_agrees() -> None:
    """Counted by definition."""
    for hyp, refs in twin_pairs():
        one = Corpus([hyp], [refs])
        words = [line.split() for line in (hyp, *refs)]
        bleu = twin.bleu_statistics(words[0], words[1:])
        assert rows("bleu:tok=none", one)[0].tolist() == bleu
        first = Corpus([hyp], [refs[:1]])
        assert rows("chrf:nw=2", first)[0].tolist() == twin.chrf_statistics(hyp, refs[0], nw=2)
        spaced = twin.chrf_statistics(hyp, refs[0], nc=3, space=True)
        assert rows("chrf:nc=3,space=yes", first)[0].tolist() == spaced


def test_references_of_ter_are_tokenised_twice() -> None:
    """sacreBLEU does so: a line against itself has edits where a second time splits more."""
    line = "80's."
    score = hb.score([line], [line], "ter:norm=yes")["ter:norm=yes"]
    theirs = TER(normalized=True).corpus_score([line], [[line]])
    assert score.value is not None
    assert round(100 * score.value, 1) == round(theirs.score, 1) == 66.7


def test_sacrebleu_is_not_imported() -> None:
    """It is slow to import, and only its other tokenisers are needed."""

    code = (
        "import sys, hyperbaton;"
        "hyperbaton.score(['a b.'], ['b a.'], metrics=['bleu', 'chrf', 'ter', 'lr_kb4']);"
        "assert 'sacrebleu' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
