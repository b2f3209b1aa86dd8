"""Test sets in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hyperbaton.errors import InputError
from hyperbaton.meta import agreement
from hyperbaton.meta.judgements import Rankings
from hyperbaton.meta.testsets import TestSet
from meta.corpora import people, small, texts


def test_judgements_must_fit_the_texts() -> None:
    references, systems = texts(1)
    ranked, scores = people(1)
    rows = [[line] for line in references]
    with pytest.raises(InputError, match="unknown system: bad"):
        TestSet.of("x", {name: systems[name] for name in ("good", "fair", "poor")}, rows, [ranked])
    with pytest.raises(InputError, match="x has two sets of rankings; give only one"):
        TestSet.of("x", systems, rows, [ranked, ranked])
    shorter = {name: lines[1:] for name, lines in systems.items()}
    with pytest.raises(InputError, match="x has 39 segments, but its judgements have 40"):
        TestSet.of("x", shorter, rows[1:], [scores])


def test_references_have_the_same_forms_as_for_score() -> None:
    references, systems = texts(1)
    ranked, _ = people(1)
    flat = TestSet.of("x", systems, references, [ranked])
    assert flat.references == [[line] for line in references]
    with pytest.raises(InputError, match="x: 40 hypotheses, but references for 39 segments"):
        TestSet.of("x", systems, references[1:], [ranked])
    with pytest.raises(InputError, match="x: good has 40 lines, but poor has 39"):
        TestSet.of("x", {**systems, "poor": systems["poor"][1:]}, references, [ranked])


def test_measures_choose_their_judgements() -> None:
    test_set = small()
    for name, people_, expected in [
        ("tau", None, test_set.rankings),
        ("tau", "segments", test_set.segments),
        ("pearson", None, test_set.segments),
        ("pearson", "ranks", test_set.rankings),
        ("pearson_sys", None, test_set.whole),
        ("pearson_sys", "segments", test_set.segments),
        ("pearson_sys", "rankings", test_set.rankings),
    ]:
        assert test_set.human(agreement.get(name), people_)[1] is expected
    measure, human = test_set.human(agreement.get("spearman_sys"), None, "rankings")
    assert isinstance(human, Rankings)
    assert measure.ranking_method == "won"  # type: ignore[attr-defined]
    measure, _ = test_set.human(agreement.get("spearman_sys"), "ranks")
    assert measure.ranking_method == "ranks"  # type: ignore[attr-defined]
    with pytest.raises(
        InputError,
        match="people must be one of rankings, segments for tau over segments, got 'systems'",
    ):
        test_set.human(agreement.get("tau"), "systems")
    with pytest.raises(InputError, match="tau needs rankings or segment scores; de-en has neither"):
        replace(test_set, rankings=None, segments=None).human(agreement.get("tau"))
