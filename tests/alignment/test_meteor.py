"""The aligner beside METEOR's: wherever METEOR's links are matches of ours, ours are as good."""

from __future__ import annotations

import pytest

from hyperbaton import Aligner
from hyperbaton.errors import MissingData
from pairs import data_folder, real_pairs
from reference import meteor
from reference.aligner import Match, quality
from reference.word_matches import MATCHERS, WordMatches, as_matches

EVERY = 25  # of 51,000 pairs
ALIKE = (1, 1, 1)  # a covered word counts the same, whatever covers it


@pytest.mark.parametrize("mode", ["maxcov", "maxacc"])
def test_meteors_links_are_never_better(mode: str) -> None:
    pairs = real_pairs(data_folder() / "wmt13" / "de-en")[::EVERY]
    if meteor.missing():
        pytest.skip(meteor.missing())
    try:
        matches = WordMatches()
    except MissingData as error:
        pytest.skip(str(error))
    hyps, refs = [hyp for hyp, _ in pairs], [ref for _, ref in pairs]
    ours = Aligner("en", MATCHERS, tokenize="none").align_many(hyps, refs)
    comparable = 0
    for hyp, ref, alignment, links in zip(
        hyps, refs, ours, meteor.align(hyps, refs, options=["-t", mode]), strict=True
    ):
        mine, theirs = as_matches(alignment), [Match(*link) for link in links]
        assert matches.allow(hyp, ref, mine)
        if matches.allow(hyp, ref, theirs):
            comparable += 1
            assert quality(mine, ALIKE) >= quality(theirs, ALIKE), (hyp, ref)
    assert comparable > 0.9 * len(pairs)
