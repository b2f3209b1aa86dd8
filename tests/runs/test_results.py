"""The results of a comparison as objects and as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.runs.comparing import Comparison, compare
from hyperbaton.stats.sampling import Sampling
from runs.systems import (
    QUARTERS,
    SAMPLES,
    SEED,
    TWINS,
    A,
    B,
    compared,
)


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("baseline", [None, "third"])
def test_json(method: str, baseline: str | None) -> None:
    found = compared(method, baseline=baseline)
    document = json.loads(found.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert document == found.to_dict()
    assert json.loads(found.to_json(indent=1)) == document
    head = {key: value for key, value in document.items() if key != "metrics"}
    assert head == {
        "schema": "hyperbaton/compare/3",
        "word_order": found.verdict().to_dict(),
        "method": method,
        "samples": SAMPLES,
        "seed": SEED,
        "level": 0.95,
        "interval": "percentile" if method == "bootstrap" else None,
        "least_p": "randomization" if method == "bootstrap" else None,
        "correction": "none",
        "baseline": baseline,
        "n": 30,
        "notes": found.notes,
    }
    assert list(document["metrics"]) == list(TWINS) == list(found.metrics)
    for spec, table in document["metrics"].items():
        assert table["signature"] == found.results[0][spec].signature
        assert table["higher_is_better"] is (spec != "wer")
        assert [rank["system"] for rank in table["ranking"]] == list(found.scores(spec))
        assert {rank["cluster"] is None for rank in table["ranking"]} == {baseline is not None}
        for pair, plain in zip(found.differences_by(spec), table["differences"], strict=True):
            assert plain["p"] == pair.p
            assert plain["metric"] == spec
            assert set(plain) == set(pair.__dataclass_fields__)
    assert found.n == 30
    assert repr(found).startswith("Comparison(first, second, third; wer, pef")


@pytest.mark.parametrize(
    "options",
    [
        {"seed": np.int64(3)},
        {"samples": np.int32(20)},
        {"level": np.float64(0.9)},
        {"level": np.float32(0.5)},
    ],
)
def test_numpy_numbers_are_accepted(options: dict[str, Any]) -> None:
    found = compare({"A": A, "B": B}, QUARTERS, "wer", **options)
    plain = {key: value.item() for key, value in options.items()}
    assert found.to_json() == compare({"A": A, "B": B}, QUARTERS, "wer", **plain).to_json()


def test_metrics_that_were_not_compared() -> None:
    found = compared("bootstrap")
    assert found.differences_by("ter") == []
    with pytest.raises(hb.InputError, match=r"^cannot sort by 'ter': valid metrics: wer, "):
        found.ranking("ter")


def test_description_of_the_sampling() -> None:
    assert str(Sampling()) == "95 % intervals: bootstrap, 1,000 samples, seed 1"
    assert (
        str(Sampling("randomization", 20, 3))
        == "significance at 0.05: randomization, 20 samples, seed 3"
    )
    assert "99.9 %" in str(Sampling(level=0.999))
    assert str(Sampling(threads=3)) == str(Sampling())
    assert Sampling(threads=3).to_dict() == {
        "method": "bootstrap",
        "samples": 1000,
        "seed": 1,
        "level": 0.95,
    }


def test_public_names() -> None:
    assert hb.compare is compare
    assert hb.Comparison is Comparison
