"""The playground's model, run in Node: its numbers are those of the package to the last bit."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import hostile_text
import hyperbaton as hb
from hyperbaton.order.moves import find_moves
from hyperbaton.text.display import visible
from hyperbaton.text.tokenization import tokenizer
from permutations import all_permutations, random_permutations, shuffled

ROOT = Path(__file__).parents[2]
PLAYGROUND = ROOT / "build" / "playground"
EXAMPLE = ROOT / "src" / "hyperbaton" / "example"
RATES = ("wer", "per", "cder", "invwer")
ODD_PAIRS = (
    ("", ""),
    ("", "one word"),
    ("one word", ""),
    ("nothing in common", "something else"),
    ("the cat saw the dog and the bird", "the bird and the dog saw the cat"),
    ("Tom &amp; Jerry said &quot;NO&QUOT;, 3,5-4.", "“No”, said Tom & Jerry: 3.5 - 4"),
    ("Ο ΠΑΤΈΡΑΣ ΕΊΠΕ ΌΧΙ", "όχι είπε ο πατέρας"),
    ("İstanbul\u00a0çok\u3000güzel", "güzel çok i̇stanbul"),
    ("الولد كتب رسالة طويلة إلى صديقه أمس", "أمس كتب الولد إلى صديقه رسالة طويلة"),
    ("a\x1fb 𝒳 🙂!", "🙂 b 𝒳 a !"),
)


def run_model(requests: list[Any]) -> list[Any]:
    """Run functions of playground/model.js; each request is [name, *arguments]."""
    node = shutil.which("node")
    if node is None or not (PLAYGROUND / "core.js").exists():
        pytest.skip("no Node, or the playground has not been built (make playground)")
    done = subprocess.run(
        [node, str(Path(__file__).parent / "run_model.js"), str(PLAYGROUND)],
        input=json.dumps(requests),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    results: list[Any] = json.loads(done.stdout)
    return results


def test_permutations_are_those_of_the_package() -> None:
    rng = random.Random(2016)
    n = 1500
    large = [tuple(range(1, n + 1)), tuple(range(n, 0, -1)), shuffled(rng, n)]
    perms = [*all_permutations(5), *random_permutations(300, 60), *large]
    results = run_model([["analyseValues", pi] for pi in perms])
    measures = hb.measures(perms)
    moves = find_moves(perms).to_lists()
    assert list(results[0]["measures"]) == list(measures)
    for k, (pi, result) in enumerate(zip(perms, results, strict=True)):
        expected = {name: float(values[k]) for name, values in measures.items()}
        assert result["measures"] == expected, pi
        assert [tuple(move["span"]) for move in result["moves"]] == [m.block for m in moves[k]]
        if pi:
            p = hb.Permutation(pi)
            assert result["tree"] == str(p.tree())
            assert result["flat"] == str(p.tree().flatten())
            assert int(result["trees"]) == p.forest().count()


def test_hidden_characters_have_the_signs_of_the_package() -> None:
    words = [word for word in hostile_text.WORDS if len(word) < 500 and tokenizer("13a")(word)]
    results = run_model([["analyseSentences", word, word] for word in words])
    for word, result in zip(words, results, strict=True):
        expected = [visible(token) for token in tokenizer("13a", lowercase=False)(word)]
        assert result["words"][0] == expected, word


def test_sentences_are_aligned_and_compared_as_in_the_package() -> None:
    lines = {path.stem: path.read_text("utf-8").split("\n") for path in EXAMPLE.glob("*.txt")}
    systems = ("fluent", "literal", "phrasal")
    pairs = [pair for name in systems for pair in zip(lines[name], lines["reference"], strict=True)]
    pairs += ODD_PAIRS
    hyps, refs = map(list, zip(*pairs, strict=True))
    results = run_model([["analyseSentences", *pair] for pair in pairs])
    scores = hb.score(hyps, refs, metrics=list(RATES))
    for k, result in enumerate(results):
        alignment = hb.align(hyps[k], refs[k])
        assert alignment.words is not None
        # The package keeps the case of more words if lower case changes their number.
        lower = [[word.lower() for word in side] for side in alignment.words]
        assert [[word.lower() for word in side] for side in result["words"]] == lower
        assert [tuple(link) for link in result["links"]] == list(alignment.links)
        assert result["exact"] == alignment.exact
        assert result["chunks"] == alignment.chunks
        assert tuple(result["order"]["values"]) == tuple(alignment.permutation())
        rates = {row["name"]: row["rate"] for row in result["rates"]}
        assert rates == {name: float(scores[name].segments[k]) for name in RATES}


def test_bad_input_is_explained_in_one_line() -> None:
    texts = {
        "": "there are no values",
        "1 two": "value “two” at position 2 is not an integer",
        "1 2.0": "value “2.0” at position 2 is not an integer",
        "1 4294967298": "value 4294967298 at position 2 is outside 1..2",
        " ".join(map(str, range(201))): "there are 201 values; this page takes 200",
    }
    values = {
        (0, 1): "value 0 at position 1 is outside 1..2 (permutations count from 1, not from 0)",
        (3, 1, 3): "value 3 at position 3 already occurs at position 1",
    }
    long = ["analyseSentences", "a", "b " * 201]
    requests: list[Any] = [["parseValues", text] for text in texts]
    requests += [["analyseValues", list(pi)] for pi in values]
    results = run_model([*requests, long, ["parseValues", "⟨2, 1⟩"]])
    too_long = "The reference has 201 words; this page takes 200"
    assert [result["error"] for result in results[:-1]] == [
        *texts.values(),
        *values.values(),
        too_long,
    ]
    assert results[-1] == [2, 1]


def test_a_pair_beyond_the_budget_has_bounds() -> None:
    rng = random.Random(7)
    words = [f"w{k}" for k in range(60)]
    hyp = " ".join(rng.choices(words, k=150))
    ref = " ".join(rng.choices(words, k=150))
    (result,) = run_model([["analyseSentences", hyp, ref]])
    row = result["rates"][-1]
    assert row["name"] == "invwer"
    assert 0 < row["lower"] < row["errors"] <= 150
