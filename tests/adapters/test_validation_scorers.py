"""Scorers in the registries of eole and OpenNMT-py return what ``hb.score`` does."""

from __future__ import annotations

import importlib
import itertools
import math
import warnings
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import hyperbaton as hb
from adapters.conftest import Example
from hyperbaton.adapters.hosts import MissingHost

MODULES = {"eole": "eole", "opennmt": "onmt"}  # our module, and the package of the host
counter = itertools.count()
Register = Callable[..., str]


@pytest.fixture(params=MODULES)
def host(request: pytest.FixtureRequest) -> ModuleType:
    """The scorers of a host, which are imported with warnings of old or missing packages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module(f"hyperbaton.adapters.{request.param}")
        except MissingHost as error:
            pytest.skip(str(error))
        return importlib.import_module(f"{MODULES[request.param]}.scorers")


@pytest.fixture
def register(host: ModuleType) -> Register:
    """Registers a metric by a name that is used once, and returns the name."""
    module = next(ours for ours, package in MODULES.items() if host.__name__.startswith(package))

    def register(*arguments: Any, name: str | None = None) -> str:
        name = name or f"HYPERBATON-{next(counter)}"
        importlib.import_module(f"hyperbaton.adapters.{module}").register(name, *arguments)
        return name

    return register


def build(host: ModuleType, name: str) -> Any:
    """Return the scorer as a trainer gets it from the names in ``valid_metrics``."""
    scorers = host.build_scorers(SimpleNamespace(), host.get_scorers_cls([name]))
    return scorers[name]["scorer"]


def test_a_metric_that_is_not_scored_is_nan(
    host: ModuleType, register: Register, example: Example
) -> None:
    scorer = build(host, register("order"))
    junk = ["xyzzy qwert plugh"] * len(example.references)
    assert math.isnan(scorer.compute_score(junk, example.references))


@pytest.mark.parametrize("metric", ["hyper", "pef:bp=off", "wer"])
def test_value_is_that_of_score(
    metric: str, host: ModuleType, register: Register, example: Example
) -> None:
    scorer = build(host, register(metric, "en"))
    value = scorer.compute_score(example.hypotheses, example.references)
    assert value == hb.score(example.hypotheses, example.references, metric, "en")[metric].value


def test_metric_object_and_source(host: ModuleType, register: Register) -> None:
    scorer = build(host, register(hb.metrics.get("wer")))
    if host.__name__.startswith("eole"):  # only eole gives the source
        texts = ["the dog saw the cat"], ["the cat saw the dog"], ["le chat a vu le chien"]
        assert scorer.compute_score(*texts) == 0.4
    assert scorer.compute_score(["a b"], ["a b"]) == 0


def test_bad_input(host: ModuleType, register: Register) -> None:
    scorer = build(host, register("wer"))
    with pytest.raises(ValueError, match="2 hypotheses, but references for 1 segment"):
        scorer.compute_score(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="there are no segments"):
        scorer.compute_score([], [])
    with pytest.raises(ValueError, match="unknown metric"):
        register("pfe")
    with pytest.raises(ValueError, match="duplicate scorer"):
        register("wer", name="BLEU")


@pytest.mark.filterwarnings("ignore")
def test_early_stopping_of_eole(register: Register, host: ModuleType) -> None:
    """Eole's own early stopping takes the direction from the scorer."""
    if not host.__name__.startswith("eole"):
        pytest.skip("OpenNMT-py stops by perplexity and accuracy only")
    stopping = importlib.import_module("eole.utils.earlystopping")
    pef, wer = register("pef"), register("wer")
    config = SimpleNamespace(early_stopping_criteria=[pef, wer], valid_metrics=[pef, wer])
    criteria = stopping.scorers_from_config(config)
    assert [criterion.higher_is_better for criterion in criteria] == [True, False]


@pytest.mark.filterwarnings("ignore")
def test_scorer_modules_of_eole(
    host: ModuleType, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, example: Example
) -> None:
    """The module of the guide, which ``scorer_modules`` names."""
    if not host.__name__.startswith("eole"):
        pytest.skip("OpenNMT-py has no such option")
    (tmp_path / "word_order_scorers.py").write_text(
        'from hyperbaton.adapters.eole import register\n\nregister("HYPER", "hyper", "en")\n',
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    host.load_scorer_modules(["word_order_scorers"])
    value = build(host, "HYPER").compute_score(example.hypotheses, example.references)
    assert value == hb.score(example.hypotheses, example.references, "hyper", "en")["hyper"].value
