"""What ``order`` sees in one translation equals the twin."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

import hyperbaton as hb
from hyperbaton.softorder.inspection import BrokenStep, SoftOrderView, inspect_order
from hyperbaton.softorder.order import SoftLinks
from hyperbaton.text.tokenization import Tokenization
from reference import soft_order as twin
from softorder import sentences
from softorder.sentences import AS_WRITTEN, count_lines, distinct, joined, random_pairs

CORPUS = [ref for _, ref in random_pairs(1, 30)]
MODEL, COUNTS = count_lines(joined(CORPUS)), twin.Precedence(distinct(CORPUS))


def inspect(hyp: list[str], ref: list[str], *, counted: bool = True) -> SoftOrderView:
    model = MODEL if counted else None
    return inspect_order(" ".join(hyp), " ".join(ref), AS_WRITTEN, SoftLinks(), model)


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


def all_losses(steps: tuple[BrokenStep, ...], words: int) -> list[float]:
    """The loss of each step, also of those that are whole."""
    found = [0.0] * (words + 1)
    for step in steps:
        assert step.right == step.left + 1
        assert 0 < step.loss <= 1
        found[step.right] = step.loss
    return found


@given(sentences.filled_sentences, sentences.filled_sentences)
def test_it_equals_the_twin(hyp: list[str], ref: list[str]) -> None:
    view = inspect(hyp, ref)
    assert view.hypothesis_words == tuple(hyp)
    assert view.reference_words == tuple(ref)
    assert view.counted_in == MODEL.label
    expected = twin.order_statistics(hyp, ref, COUNTS)
    assert (view.lost, view.matched, view.distinguishable) == close(expected)
    assert view.order == close(expected.value)
    assert view.strengths == close(tuple(twin.mark_strengths(hyp, ref, COUNTS)))
    assert all(0 <= strength <= 1 for strength in view.strengths)
    if hyp == ref:
        assert (view.steps, view.reference_steps, view.pairs) == ((), (), ())
        assert view.order == 1
        assert not any(view.strengths)
        return
    along_hyp, along_ref = twin.broken_steps(hyp, ref)
    assert all_losses(view.steps, len(hyp)) == close(along_hyp)
    assert all_losses(view.reference_steps, len(ref)) == close(along_ref)
    precedence = 1 - sum(pair.loss for pair in view.pairs) / (len(hyp) + 1)
    assert precedence == close(COUNTS.value(hyp, ref))
    judged = {place for place, delta in COUNTS.deltas(hyp, ref) if delta < 0}
    assert {pair.left for pair in view.pairs if pair.loss > 1e-9} <= judged
    assert all(pair.right == pair.left + 1 for pair in view.pairs)


def test_reversed_pairs_without_matched_words() -> None:
    """Words that the reference does not have may stand the wrong way round all the same."""
    corpus = ["ha ho x", "ha ho y", "ha ho z"]
    view = inspect_order("ho ha", "ne nu", AS_WRITTEN, SoftLinks(), count_lines(corpus))
    assert view.steps == view.reference_steps == ()
    assert (view.matched, view.order) == (0, 1)
    (pair,) = view.pairs
    assert (pair.left, pair.right) == (0, 1)
    assert pair.loss > 0.3
    assert view.strengths == close((pair.loss / 2, pair.loss / 2))


def test_without_counts() -> None:
    view = inspect(["b", "a", "c"], ["a", "b", "c"], counted=False)
    assert view.counted_in is None
    assert view.pairs == ()
    assert view.order == close(twin.order_statistics("bac", "abc").value)
    assert view.strengths == close(tuple(twin.mark_strengths("bac", "abc")))


def test_empty_sides() -> None:
    for hyp, ref in (([], []), (["a", "b"], []), ([], ["a"])):
        view = inspect(hyp, ref)
        assert (view.lost, view.matched, view.order) == (0, 0, 1)
        assert (view.steps, view.reference_steps, view.pairs) == ((), (), ())
        assert view.strengths == (0.0,) * len(hyp)


def test_json() -> None:
    view = inspect(["the", "walk", "1"], ["1", "walk", "the"])
    data = json.loads(json.dumps(view.to_dict()))
    assert (data["order"], data["lost"], data["matched"]) == (view.order, view.lost, view.matched)
    assert data["strengths"] == list(view.strengths)
    assert len(data["steps"]) == len(view.steps) > 0
    assert data["steps"][0] == vars(view.steps[0])
    assert [pair["left"] for pair in data["pairs"]] == [pair.left for pair in view.pairs]
    assert data["counted_in"] == MODEL.label


def test_explanations_count_in_the_references_that_they_are_given() -> None:
    references = joined(CORPUS)
    lines = list(dict.fromkeys(references))
    split = Tokenization().split
    hyp, ref = "Walk the 1 cat .", "The cat walks . 1"
    counts = twin.Precedence(map(split, lines))
    fitted, alone = (hb.explain(hyp, ref, fit_on=given).soft for given in (references, None))
    assert fitted is not None
    assert fitted.order == close(twin.order_statistics(split(hyp), split(ref), counts).value)
    assert fitted.counted_in is not None
    assert fitted.counted_in.startswith(f"{len(lines)}-")
    assert alone is not None
    own = twin.Precedence([split(ref)])
    assert alone.order == close(twin.order_statistics(split(hyp), split(ref), own).value)
    assert alone.counted_in is not None
    assert alone.counted_in.startswith("1-")
