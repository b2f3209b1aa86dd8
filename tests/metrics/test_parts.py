"""Metrics that are made of parts, among them one of another package, and what they need."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import pytest

import hyperbaton as hb
from hyperbaton.metrics import Needs, Option, Part, SoftOrdering, TokenMetric, Variant
from hyperbaton.metrics.batches import Batch, ReferenceTexts
from metrics import corpora

CORPUS = corpora.corpus(47, 40)


class HalfOrder(TokenMetric):
    """Half of order without links, and half of nothing."""

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"half_order": Variant("half", "ours", "Half.")}
    OPTIONS: ClassVar[Mapping[str, Option]] = {**SoftOrdering.OPTIONS, **TokenMetric.OPTIONS}

    @cached_property
    def order(self) -> SoftOrdering:
        return SoftOrdering.of(self)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return *super().parts, self.order

    def statistics(self, batch: Batch) -> Any:
        return self.best_statistics(batch, self.order.values(batch) / 2)


@pytest.mark.usefixtures("restored_registry")
def test_a_metric_of_another_package_has_what_its_parts_give() -> None:
    """It is fitted, counts shared words, names them and is pickled as order is."""
    hb.metrics.register(HalfOrder)
    half, whole, order = hb.score(*CORPUS, ["half_order", "hyper:alpha=0", "order"]).values()
    assert half.segments.tolist() == [value / 2 for value in whole.segments]
    assert half.linked == whole.linked == order.linked
    fields, expected = (
        dict(hb.metrics.Signature.parse(score.signature)) for score in (half, order)
    )
    assert fields.pop("plugin")
    assert fields.pop("weight") == "none"
    assert expected.pop("least")
    assert fields == expected
    fitted = hb.metrics.get("half_order").fit([line for row in CORPUS.references for line in row])
    assert not fitted.needs.fit
    again = pickle.loads(pickle.dumps(fitted))
    assert again == fitted
    assert hb.score(*CORPUS, [again])["half_order"].value == half.value
    assert fitted.with_options(tau=0.2).needs.fit is False
    assert fitted.with_options(tok="none").needs.fit is True
    with pytest.raises(hb.InputError, match=r"^half_order must be fitted before it scores"):
        HalfOrder().statistics(Batch(["a"], ReferenceTexts(["a"])))


def test_a_model_is_refused_by_a_metric_that_has_none() -> None:
    for name in ("pef", "wer", "bleu", "full"):
        with pytest.raises(hb.InputError, match="has nothing to fit"):
            hb.metrics.get(name).with_options(model=3)
    with pytest.raises(hb.InputTypeError, match="order: a model must be a PrecedenceModel"):
        hb.metrics.get("order").with_options(model=3)


def test_needs_of_a_metric_are_those_of_its_parts() -> None:
    def needs(spec: str) -> Needs:
        return hb.metrics.get(spec, "en").needs

    assert needs("pef").measures == {"pef"}
    assert needs("full:order=ulam").measures == {"ulam"}
    assert needs("hyper").measures == frozenset()
    linked = ("pef", "full", "adjacency", "ribes", "lrscore", "dted:weight=aligned")
    assert all(needs(spec).linking is not None for spec in linked)
    assert all(needs(spec).linking is None for spec in ("hyper", "wer", "bleu", "dted"))
    assert [spec for spec in ("pef", "hyper", "order", "dted") if needs(spec).fit] == [
        "hyper",
        "order",
    ]
    assert needs("hyper:precedence=refs.txt").files == ("refs.txt",)
    assert [spec for spec in ("dted", "pef") if needs(spec).trees] == ["dted"]
    safe = ("pef", "wer", "order", "full", "lrscore:lexical=f1")
    assert all(needs(spec).thread_safe for spec in safe)
    unsafe = ("bleu", "dted", "lrscore", "full:lexical=bleu4")
    assert not any(needs(spec).thread_safe for spec in unsafe)


def test_a_metric_of_another_package_allows_threads_only_if_it_says_so() -> None:
    class Plain(hb.metrics.MeanMetric):
        VARIANTS: ClassVar[Mapping[str, Variant]] = {"plain": Variant("", "", "")}
        OPTIONS: ClassVar[Mapping[str, Option]] = TokenMetric.OPTIONS

        def statistics(self, batch: Batch) -> Any:
            raise NotImplementedError

    class Safe(Plain):
        @property
        def needs(self) -> Needs:
            return Needs(thread_safe=True)

    assert Plain().needs.thread_safe is False
    assert Safe().needs.thread_safe is True
