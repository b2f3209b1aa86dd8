"""The metric soft_order: values, options, several references, and real data."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.text.tokenization import Tokenization
from metrics import corpora
from pairs import data_folder
from reference import soft_order as twin
from softorder.sentences import random_pairs

SHORT = corpora.corpus(41, 30)
LONGER = random_pairs(42, 30)
CORPUS = corpora.Corpus(
    [*SHORT.hypotheses, *(" ".join(hyp) for hyp, _ in LONGER)],
    [*SHORT.references, *([" ".join(ref), " ".join(ref[::-1])] for _, ref in LONGER)],
)
REFERENCES = [line for lines in CORPUS.references for line in lines]
OFF = "soft_order:tok=none,precedence=off"
FITTED = "soft_order:tok=none"
SPACES = Tokenization("none")


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


def counted(lines: Iterable[str], text: Tokenization = SPACES) -> twin.Precedence:
    """The twin's counts in lines, which are distinct as they are written."""
    return twin.Precedence(text.split(line) for line in dict.fromkeys(lines))


def expected_values(
    corpus: corpora.Corpus, counts: twin.Precedence | None, **links: float
) -> list[tuple[float, int]]:
    """The best value over references of each segment, and the length of that reference."""
    found = []
    for hypothesis, references in zip(*corpus, strict=True):
        hyp, refs = hypothesis.lower().split(), [line.lower().split() for line in references]
        values = [twin.soft_order(hyp, ref, counts, **links) for ref in refs]
        best = int(np.argmax(np.round(values, 12)))
        found.append((values[best], len(refs[best])))
    return found


def score(corpus: corpora.Corpus, spec: str) -> hb.metrics.Score:
    return hb.score(*corpus, [spec])[spec]


# Values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "links",
    [{}, {"tau": 0.01}, {"tau": 10, "pi": 0}, {"pi": 5, "theta": 1}, {"theta": 0.01, "tau": 0.5}],
)
@pytest.mark.parametrize("spec", [OFF, FITTED])
def test_values_equal_the_twin(spec: str, links: dict[str, float]) -> None:
    counts = counted(REFERENCES) if spec == FITTED else None
    expected = expected_values(CORPUS, counts, **links)
    spec += "".join(f",{key}={value}" for key, value in links.items())
    found = score(CORPUS, spec)
    assert found.segments.tolist() == close([value for value, _ in expected])
    assert found.value == close(np.mean([value for value, _ in expected]))
    assert found.segments.min() == 0  # empty lines
    assert found.segments.max() == 1  # equal lines
    assert len(np.unique(found.segments)) > (2 if links else 20)


def test_long_sentences_with_weights() -> None:
    expected = expected_values(CORPUS, counted(REFERENCES))
    values, lengths = zip(*expected, strict=True)
    found = score(CORPUS, f"{FITTED},weight=ref")
    assert found.segments.tolist() == close(list(values))
    assert found.value == close(np.average(values, weights=lengths))
    assert found.value != close(np.mean(values))


def test_precedence_is_a_factor() -> None:
    alone, both = score(CORPUS, OFF), score(CORPUS, FITTED)
    assert (both.segments <= alone.segments).all()
    assert (both.segments < alone.segments).sum() > 10
    one = ["b a c d"], [["a b c d"]]
    fitted = hb.metrics.get(FITTED).fit(["a b c d", "a b", "c d"])
    A = twin.soft_adjacency("bacd", "abcd")
    B = counted(["a b c d", "a b", "c d"]).value("bacd", "abcd")
    assert hb.score(*one, OFF)[OFF].value == close(A)
    assert hb.score(*one, fitted)[FITTED].value == close(A * B)


def test_the_best_product_counts() -> None:
    """The reference with the best A has not the best A·B: its neighbours are unknown to B."""
    rng = random.Random(3)
    lines = [" ".join(rng.sample("abcdef", 5)) for _ in range(40)]
    counts = counted(lines)
    differ = 0
    for _ in range(300):
        hyp, *refs = (rng.sample("abcdef", 5) for _ in range(4))
        adjacency = [twin.soft_adjacency(hyp, ref) for ref in refs]
        products = [twin.soft_order(hyp, ref, counts) for ref in refs]
        if np.argmax(adjacency) != np.argmax(products) and max(adjacency) < 1:
            differ += 1
            fitted = hb.metrics.get(FITTED).fit(lines)
            found = fitted.sentence_score(" ".join(hyp), [" ".join(ref) for ref in refs])
            assert found.value == close(max(products))
    assert differ > 3


def test_the_order_of_references_does_not_matter() -> None:
    for spec in (OFF, FITTED):
        backwards = corpora.Corpus(CORPUS.hypotheses, [refs[::-1] for refs in CORPUS.references])
        found, expected = score(backwards, spec), score(CORPUS, spec)
        assert found.segments.tolist() == expected.segments.tolist()
        assert (found.value, found.signature) == (expected.value, expected.signature)


def test_the_order_of_segments_does_not_matter() -> None:
    order = random.Random(1).sample(range(60), 60)
    shuffled = corpora.Corpus(
        [CORPUS.hypotheses[k] for k in order], [CORPUS.references[k] for k in order]
    )
    for spec in (OFF, FITTED):
        found, expected = score(shuffled, spec), score(CORPUS, spec)
        assert found.segments.tolist() == expected.segments[order].tolist()
        assert (found.value, found.signature) == (expected.value, expected.signature)


def test_repeated_references_change_nothing() -> None:
    doubled = corpora.Corpus(CORPUS.hypotheses, [[*refs, *refs] for refs in CORPUS.references])
    found, expected = score(doubled, FITTED), score(CORPUS, FITTED)
    assert found.segments.tolist() == expected.segments.tolist()
    twice = corpora.Corpus(CORPUS.hypotheses * 2, CORPUS.references * 2)
    repeated = score(twice, FITTED)
    assert repeated.segments.tolist() == expected.segments.tolist() * 2
    assert repeated.signature == expected.signature


SENTENCES = {
    "quotes": ' " " '.join("abcdefghijklmnopqrst"),
    "repeated words": " ".join(f"the n{k} of" for k in range(30)),
    "one word": "cat",
    "long": " ".join(f"w{k % 300}" for k in range(1000)),
    "marks": '<s> #d ^ $ </s> <s> " - begin end',
    "scripts": "e\u0301cole 猫が 𝐀𝐁 🐈 ß Ω ﬀ",
}


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize("spec", ["soft_order", OFF, "soft_order:precedence=off,theta=1,tau=10"])
def test_a_perfect_translation(name: str, spec: str) -> None:
    line = SENTENCES[name]
    references = [[line], ["something else", line]]
    assert hb.score([line, line], references, spec)[spec].segments.tolist() == [1, 1]


def test_special_segments() -> None:
    metric = hb.metrics.get(FITTED).fit(["a b c", "the cat sat", ""])
    long = " ".join(f"w{k % 300}" for k in range(1000))
    pairs = [
        *[("", ""), ("a", ""), ("", "a"), ("a", "b"), ("a", "a"), ("a a a a", "a a")],
        *[("x y z", "a b c"), ("c b a", "a b c"), (long, "a b"), (long[::-1], long)],
    ]
    found = hb.score([hyp for hyp, _ in pairs], [ref for _, ref in pairs], metric)[FITTED].segments
    assert found.tolist()[:5] == [0, 0, 0, 1, 1]
    counts = counted(["a b c", "the cat sat", ""])
    expected = [twin.soft_order(hyp.split(), ref.split(), counts) for hyp, ref in pairs[:8]]
    assert found.tolist()[:8] == close(expected)
    assert ((found >= 0) & (found <= 1)).all()


def test_too_long_sentences() -> None:
    long = " ".join(["a"] * 7100)
    with pytest.raises(hb.InputError, match=r"^segment 1: .*too long for soft order: 7,100 and"):
        hb.score(["a", long], ["a", f"{long} b"], OFF)


def test_case_and_tokens() -> None:
    """By default, tokens are those of 13a in lower case."""
    lines = ["The cat sat.", "It costs 1,000.50, he said.", "A dog sat; the cat did not."]
    hyps = ["the Cat, sat", "he said it costs 1,000.50.", "THE dog did not sat; a cat."]
    text = Tokenization()
    found = hb.score(hyps, lines, "soft_order")["soft_order"].segments.tolist()
    expected = [
        twin.soft_order(text.split(hyp), text.split(ref), counted(lines, text))
        for hyp, ref in zip(hyps, lines, strict=True)
    ]
    assert found == close(expected)
    mixed = Tokenization("none", "mixed")
    spec = "soft_order:tok=none,case=mixed"
    expected = [
        twin.soft_order(hyp.split(), ref.split(), counted(lines, mixed))
        for hyp, ref in zip(hyps, lines, strict=True)
    ]
    assert hb.score(hyps, lines, spec)[spec].segments.tolist() == close(expected)
    assert expected != found


# Batches and threads ---------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("size", [1, 7, 3000])
def test_the_same_bits_for_any_threads_and_batches(threads: int, size: int) -> None:
    specs = ["soft_order", "hyper", "soft_order:precedence=off"]
    expected = hb.score(*CORPUS, specs, threads=1)
    found = corpora.score_in_batches(size, *CORPUS, specs, threads=threads)
    for spec in specs:
        assert found[spec].segments.tolist() == expected[spec].segments.tolist()
        assert found[spec].value == expected[spec].value
        assert found[spec].signature == expected[spec].signature


# Options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("tau=0.009", "tau must be between 0.01 and 10, got 0.009"),
        ("tau=11", "tau must be between 0.01 and 10, got 11"),
        ("tau=nan", "tau must be between 0.01 and 10, got nan"),
        ("pi=-0.1", "pi must be between 0 and 5, got -0.1"),
        ("pi=5.1", "pi must be between 0 and 5, got 5.1"),
        ("theta=0", "theta must be between 0.01 and 1, got 0"),
        ("theta=1.01", "theta must be between 0.01 and 1, got 1.01"),
        ("theta=high", "theta must be a number, got 'high'"),
        ("precedence=", "is not an option such as"),
        ("weight=hyp", "weight must be one of none, ref, got 'hyp'"),
        ("bp=off", "unknown option 'bp'"),
    ],
)
@pytest.mark.parametrize("name", ["soft_order", "hyper", "full:order=soft_order"])
def test_invalid_options(name: str, option: str, message: str) -> None:
    with pytest.raises(hb.InputError) as error:
        hb.metrics.get(f"{name}{',' if ':' in name else ':'}{option}")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_options_of_other_types() -> None:
    for given in (3, None, True, ""):
        with pytest.raises(hb.InputError, match="must be references, off or the name of a file"):
            hb.metrics.get("soft_order", precedence=given)


def test_options_of_other_orders() -> None:
    """The options of soft order exist only with it."""
    for spec in ("hyper:order=kendall,tau=0.2", "full:precedence=off", "senscore:theta=0.5"):
        with pytest.raises(hb.InputError, match="unknown option"):
            hb.metrics.get(spec)


# Real data -------------------------------------------------------------------------------------


@cache
def real_values() -> tuple[Path, list[dict[str, str]]]:
    data = data_folder()
    path = data / "softorder" / "expected-wmt15-fi-en.tsv"
    if not path.is_file():
        pytest.skip("needs the values of softorder in HYPERBATON_DATA")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == 400
    return data / "wmt15" / "fi-en", rows


@cache
def real_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def test_values_of_another_implementation() -> None:
    """Fitted once, the metrics reproduce all 400 values one by one."""
    folder, rows = real_values()
    references = real_lines(folder / "reference.txt")
    columns = {
        "order": hb.metrics.get("soft_order:fold=none").fit(references),
        "adjacency": hb.metrics.get("soft_order:fold=none,precedence=off"),
        "chars": hb.metrics.get("hyper:fold=none,alpha=1").fit(references),
        "hyper": hb.metrics.get("hyper:fold=none").fit(references),
    }
    assert "|precedence:1370-" in str(columns["hyper"].signature(1))
    for row in rows:
        segment = int(row["segment"])
        hypothesis = real_lines(folder / "systems" / row["system"])[segment]
        for name, metric in columns.items():
            value = metric.sentence_score(hypothesis, [references[segment]]).value
            assert value == close(float(row[name])), (row["system"], segment, name)


def test_whole_systems_of_another_implementation() -> None:
    folder, rows = real_values()
    references = real_lines(folder / "reference.txt")
    for system in {row["system"] for row in rows}:
        found = hb.score(
            real_lines(folder / "systems" / system),
            references,
            ["soft_order:fold=none", "hyper:fold=none"],
        )
        for row in rows:
            if row["system"] == system:
                segment = int(row["segment"])
                order, hyper = (result.segments[segment] for result in found.values())
                assert order == close(float(row["order"])), (system, segment)
                assert hyper == close(float(row["hyper"])), (system, segment)
