"""The metric hyper: characters of words and soft order, as a variant of full."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import hyperbaton as hb
from metrics import corpora
from reference import soft_order as twin

CORPUS = corpora.corpus(42, 60)
REFERENCES = [line for lines in CORPUS.references for line in lines]
COUNTS = twin.Precedence(line.lower().split() for line in dict.fromkeys(REFERENCES))


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


def expected_values(
    weight: float = 0.2, counts: twin.Precedence | None = COUNTS
) -> list[tuple[float, int]]:
    """The best value over references of each segment, and the length of that reference."""
    found = []
    for hypothesis, references in zip(*CORPUS, strict=True):
        refs = [line.split() for line in references]
        values = [twin.hyper_sum(hypothesis.split(), ref, counts, weight) for ref in refs]
        best = int(np.argmax(np.round(values, 12)))
        found.append((values[best], len(refs[best])))
    return found


def segments(spec: str) -> list[float]:
    found: list[float] = hb.score(*CORPUS, [spec])[spec].segments.tolist()
    return found


def first(pairs: Sequence[tuple[float, int]]) -> list[float]:
    return [value for value, _ in pairs]


def test_values_equal_the_twin() -> None:
    found = segments("hyper:tok=none")
    assert found == close(first(expected_values()))
    assert hb.score(*CORPUS, "hyper:tok=none")["hyper:tok=none"].value == close(np.mean(found))
    assert found[:3] == [0, 0, 0]  # a side is empty
    assert found[3] == close(1)


def test_alpha_is_the_weight_of_words() -> None:
    for alpha in (0, 0.3, 1):
        expected = first(expected_values(1 - alpha))
        assert segments(f"hyper:tok=none,alpha={alpha}") == close(expected)
    one = corpora.Corpus(CORPUS.hypotheses, [refs[:1] for refs in CORPUS.references])
    hyper, order = (
        hb.score(*one, spec)[spec].computed_segments
        for spec in ("hyper:tok=none,alpha=0", "order:tok=none")
    )
    empty = hyper == 0  # where a side is empty, order has nothing to judge
    assert hyper[~empty].tolist() == order[~empty].tolist()
    assert set(order[empty]) == {1}


def test_precedence_off() -> None:
    expected = first(expected_values(counts=None))
    assert segments("hyper:tok=none,precedence=off") == close(expected)
    assert expected != close(first(expected_values()))


def test_weights_of_references() -> None:
    values, lengths = zip(*expected_values(), strict=True)
    spec = "hyper:tok=none,weight=ref"
    assert hb.score(*CORPUS, spec)[spec].value == close(np.average(values, weights=lengths))


def test_products() -> None:
    """L^0.8 · order^0.2 of each pair; the best reference counts."""
    expected = [
        max(twin.hyper_product(hyp.split(), ref.split(), COUNTS) for ref in refs)
        for hyp, refs in zip(*CORPUS, strict=True)
    ]
    spec = "hyper:tok=none,combine=product"
    assert segments(spec) == close(expected)
    assert hb.score(*CORPUS, spec)[spec].value == close(np.mean(expected))
    assert segments("hyper:tok=none,combine=product") != close(segments("hyper:tok=none"))
    spec = "full:tok=none,order=kendall,combine=product,alpha=0.3,bp=off"
    words, order = "full:tok=none,alpha=1", "full:tok=none,order=kendall,alpha=0,bp=off"
    one = CORPUS.hypotheses, [refs[0] for refs in CORPUS.references]
    found = [hb.score(*one, given)[given].segments for given in (spec, words, order)]
    assert found[0].tolist() == close((found[1] ** 0.3 * found[2] ** 0.7).tolist())


def test_signatures_say_how_words_and_order_are_combined() -> None:
    assert dict(hb.metrics.get("full").signature(1))["combine"] == "sum"
    assert dict(hb.metrics.get("hyper").signature(1))["combine"] == "sum"
    assert "combine" not in dict(hb.metrics.get("senscore").signature(1))
    metric = hb.metrics.get("hyper:combine=product")
    assert hb.metrics.from_signature(metric.signature(1)) == metric
    with pytest.raises(hb.InputError, match="combine must be one of sum, product"):
        hb.metrics.get("full:combine=mean")


def test_the_best_sum_counts() -> None:
    """One reference has the better words, the other the better order."""
    hyp, refs = "a b c d", ["d c b a", "a b x y z"]
    sums = [twin.hyper_sum(hyp.split(), ref.split()) for ref in refs]
    parts = [
        (
            twin.chars(hyp.split(), ref.split()),
            twin.order_statistics(hyp.split(), ref.split()).value,
        )
        for ref in refs
    ]
    assert parts[0][0] > parts[1][0]
    assert parts[0][1] < parts[1][1]
    metric = hb.metrics.get("hyper:tok=none,precedence=off")
    for references in (refs, refs[::-1]):
        found = metric.sentence_score(hyp, references).value
        assert found == close(max(sums))
    assert max(sums) < 0.8 * parts[0][0] + 0.2 * parts[1][1]


def test_it_is_full_with_other_defaults() -> None:
    specs = ["hyper", "full:order=soft,lexical=chars,alpha=0.8"]
    result = hb.score(*CORPUS, specs)
    hyper, full = (result[spec] for spec in specs)
    assert hyper.segments.tolist() == full.segments.tolist()
    assert hyper.value == full.value
    assert hyper.signature.partition("|")[2] == full.signature.partition("|")[2]
    fields = dict(hb.metrics.get("hyper").signature(1))
    assert (fields["order"], fields["lexical"], fields["alpha"]) == ("soft", "chars", "0.8")
    assert not {"bp", "align", "unaligned"} & set(fields)


@pytest.mark.parametrize("order", ["kendall", "pef", "ulam"])
def test_other_measures_of_order(order: str) -> None:
    """They have no brevity penalty unless it is asked for."""
    specs = [
        f"hyper:tok=none,order={order}",
        f"full:tok=none,order={order},lexical=chars,alpha=0.8,bp=off",
        f"hyper:tok=none,order={order},bp=permutation",
        f"{order}:tok=none,bp=off",
    ]
    result = hb.score(CORPUS.hypotheses, [refs[0] for refs in CORPUS.references], specs)
    hyper, full, penalized, alone = (result[spec] for spec in specs)
    assert dict(hb.metrics.get(specs[0]).signature(1))["bp"] == "off"
    assert hyper.segments.tolist() == full.segments.tolist()
    assert float(penalized) < float(hyper)
    words = [twin.chars(hyp.split(), refs[0].split()) for hyp, refs in zip(*CORPUS, strict=True)]
    expected = 0.8 * np.array(words) + 0.2 * alone.segments
    assert hyper.segments.tolist() == close(expected.tolist())


def test_soft_order_in_other_combinations() -> None:
    """Every combination takes soft links, and every one of segments takes characters."""
    spec = "senscore:order=soft,lexical=chars,alpha=0.8,tok=none"
    values, lengths = zip(*expected_values(), strict=True)
    found = hb.score(*CORPUS, spec)[spec]
    assert found.segments.tolist() == close(list(values))
    assert found.value == close(np.average(values, weights=lengths))
    spec = "lrscore:order=soft,lexical=bleu4,alpha=1,tok=none"
    alone = "full:tok=none,order=soft,alpha=0"
    expected = hb.score(*CORPUS, alone)[alone].value
    assert hb.score(*CORPUS, spec)[spec].value == pytest.approx(expected, rel=1e-12)
    with pytest.raises(hb.InputError, match="lexical must be one of bleu1, bleu4, f1"):
        hb.metrics.get("lrscore:lexical=chars")


def test_case_counts_for_words_and_not_for_order() -> None:
    score = hb.metrics.get("hyper:precedence=off").sentence_score("A b", ["a b"]).value
    assert score == close(0.8 / 2 + 0.2)  # b of A and b, and the same order
    score = hb.metrics.get("hyper:precedence=off,case=mixed").sentence_score("A b", ["a b"]).value
    assert score == close(0.8 / 2 + 0.2 * twin.order_statistics("Ab", "ab").value)


def test_hyper_links_no_words() -> None:
    result = hb.score(*CORPUS, ["hyper", "hyper:order=kendall"])
    assert result["hyper"].linked is None
    assert result.linked == result["hyper:order=kendall"].linked is not None


def test_options_of_another_order_come_and_go() -> None:
    hyper = hb.metrics.get("hyper")
    other = hyper.with_options(order="kendall")
    assert other.options["bp"] == "off"
    assert other.with_options(order="soft") == hyper
