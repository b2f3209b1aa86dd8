"""The context aligner against the twin that tries every n-gram."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton import _core
from reference import source as twin

ALIGNER = hb.Aligner(matchers="context", tokenize="none")


def links(hyp: str, ref: str) -> str:
    return ALIGNER.align(hyp, ref).to_pharaoh()


def test_by_hand() -> None:
    assert links("a b c", "c a b") == "0-1 1-2 2-0"
    # "the" is there twice on both sides; "the cat" says where the first one belongs, and "saw the",
    # which is tried before "the dog", the second
    assert links("the cat saw the dog", "the dog saw the cat") == "0-3 1-4 2-2 3-3 4-1"
    # nothing beside it helps
    assert links("the the", "the the the") == ""
    assert links("the the", "the the") == "0-0 1-1"  # once each: "the the"
    # of two runs that are equally long, the one to the left
    assert links("x a y a", "x a a y") == "0-0 1-1 2-3"  # "x a", and not "a y"
    # two words of the hypothesis may have the same partner
    assert links("x w q w y", "x w y") == "0-0 1-1 3-1 4-2"
    assert links("", "a") == links("a", "") == ""
    assert links("A b", "a B") == "0-0 1-1"


def test_links_signature_and_options() -> None:
    found = ALIGNER.align("a b", "b a")
    assert [link.matcher for link in found.phrases] == ["context", "context"]
    assert found.exact is None
    assert ALIGNER.signature == "lang:none|matchers:context|tok:none|case:lc"
    with pytest.raises(ValueError, match="context cannot be combined with other matchers"):
        hb.Aligner(matchers="exact+context")
    with pytest.raises(ValueError, match="context takes neither weights nor a budget"):
        hb.Aligner(matchers="context", budget=3)
    with pytest.raises(ValueError, match="context takes neither weights nor a budget"):
        hb.Aligner(matchers="context", weights={"exact": 1})


def test_all_short_pairs() -> None:
    """Every pair of sentences of up to four words out of two."""
    sentences = [list(words) for n in range(5) for words in itertools.product("ab", repeat=n)]
    pairs = list(itertools.product(sentences, repeat=2))
    found = ALIGNER.align_many([hyp for hyp, _ in pairs], [ref for _, ref in pairs])
    for (hyp, ref), alignment in zip(pairs, found, strict=True):
        assert list(alignment.links) == twin.context_links(hyp, ref), (hyp, ref)


@pytest.mark.parametrize("words", [2, 3, 8, 40])
@pytest.mark.parametrize("threads", [1, 2])
def test_random_pairs(words: int, threads: int) -> None:
    rng = random.Random(words)
    vocabulary = [str(k) for k in range(words)]
    pairs = []
    for _ in range(150):
        hyp = rng.choices(vocabulary, k=rng.randrange(25))
        a, b, c = sorted(rng.choices(range(len(hyp) + 1), k=3))
        ref = hyp[:a] + hyp[b:c] + hyp[a:b] + hyp[c:] + rng.choices(vocabulary, k=rng.randrange(4))
        pairs.append((hyp, ref))
    found = ALIGNER.align_many([hyp for hyp, _ in pairs], [ref for _, ref in pairs], threads)
    for (hyp, ref), alignment in zip(pairs, found, strict=True):
        assert list(alignment.links) == twin.context_links(hyp, ref), (hyp, ref)


def test_long_sentences() -> None:
    words = ["a"] * 3000  # nothing is there once but all of it, which two words are the ends of
    assert ALIGNER.align(words, words).links == ((0, 0), (2999, 2999))


def test_the_core_checks_its_arguments() -> None:
    none, offsets = np.array([], np.int32), np.array([0, 0], np.int64)
    with pytest.raises(ValueError, match="both sides must have the same number"):
        _core.context_links(none, offsets, none, np.array([0], np.int64), 1)
