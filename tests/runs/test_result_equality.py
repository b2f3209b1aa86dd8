"""Results are values: they can be formatted, compared and pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import hyperbaton as hb

HYPOTHESES = ["the dog saw the cat", "he came home late", "we meet at noon"]
REFERENCES = ["the cat saw the dog", "late he came home", "at noon we meet"]


def judged_folder(folder: Path) -> str:
    (folder / "systems").mkdir(parents=True)
    (folder / "reference.txt").write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
    for name, lines in {"A": HYPOTHESES, "B": REFERENCES, "C": [*HYPOTHESES[:2], "noon"]}.items():
        (folder / "systems" / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = ["seg_id\tbetter\tworse", "0\tB\tA", "1\tB\tC", "2\tB\tC", "2\tA\tC"]
    (folder / "pairwise.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return str(folder)


MAKERS: dict[str, Callable[[list[str], Path], object]] = {
    "result": lambda lines, _: hb.score(lines, REFERENCES, ["pef", "bleu"], "en", confidence=True),
    "score": lambda lines, _: hb.score(lines, REFERENCES, ["wer"])["wer"],
    "comparison": lambda lines, _: hb.compare(
        {"a": lines, "b": REFERENCES}, REFERENCES, ["pef"], samples=20
    ),
    "explanation": lambda lines, _: hb.explain(lines[-1], REFERENCES[-1]),
    "error rate": lambda lines, _: hb.wer(
        [line.split() for line in lines], [[line.split()] for line in REFERENCES]
    ),
    "agreement": lambda lines, folder: hb.meta_evaluate(
        judged_folder(folder / str(len(lines[-1]))),
        ["wer" if lines == HYPOTHESES else "per"],
        samples=20,
    ),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_equality_and_pickling(kind: str, tmp_path: Path) -> None:
    make = MAKERS[kind]
    one = make(HYPOTHESES, tmp_path / "one")
    same = make(list(HYPOTHESES), tmp_path / "same")
    other = make([*HYPOTHESES[:2], "noon meet we at"], tmp_path / "other")
    copy = pickle.loads(pickle.dumps(one))
    assert copy is not one
    assert one == copy == same
    assert hash(one) == hash(copy) == hash(same)
    assert one != other
    assert one != "something else"


def test_scores_differ_in_a_segment_even_if_their_sums_do_not() -> None:
    one = hb.score(["a b", "a c"], ["a b", "a b"], "wer")["wer"]
    other = hb.score(["a c", "a b"], ["a b", "a b"], "wer")["wer"]
    assert one.value == other.value
    assert one != other


def test_a_score_is_formatted_as_a_number() -> None:
    score = hb.score(["a c"], ["a b"], "wer")["wer"]  # by hand: one of two words
    assert f"{score:.2f} {score:6.1%}" == "0.50  50.0%"
    assert f"{score}" == str(score)
    rate = hb.wer([["a", "c"]], [[["a", "b"]]])
    assert f"{rate:.3f}" == "0.500"
