"""The rows of the registry, which name classes without importing them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hyperbaton as hb
from hyperbaton.metrics.options import SET_NAMES
from hyperbaton.metrics.registry import BUILTIN_CLASSES, BUILTIN_NAMES, SETS, find_class
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.registries import load


@pytest.mark.parametrize("row", BUILTIN_CLASSES)
def test_a_row_has_the_names_of_its_class(row: str) -> None:
    metric_class = load(f"hyperbaton.metrics.{row}")
    assert BUILTIN_CLASSES[row] == tuple(metric_class.VARIANTS)
    assert all(find_class(name) is metric_class for name in metric_class.VARIANTS)


def test_the_set_all_has_the_metrics_that_need_only_texts() -> None:
    assert SETS["all"] == tuple(
        name for name in BUILTIN_NAMES if not find_class(name).VARIANTS[name].trees
    )


def test_sets_of_metrics() -> None:
    assert SETS["default"] == ("order", "chrf", "bleu")
    assert set(SETS) == {"default", "permutations", "edit", "papers", "all"}
    factorization = {"pet_size", "pet_count", "max_operator", "average_operator"}
    order = [name for name in MEASURES if name not in factorization]
    assert SETS["permutations"] == (*order, "adjacency", "meteor_frag")
    # A reversed sentence has 1 by those that are left out, and less than 1 by the others.
    reversed_words, words = "d c b a", ["a b c d"]
    for name in MEASURES:
        value = hb.metrics.get(name).sentence_score(reversed_words, words).value
        assert (value == 1) is (name in factorization)
    assert "order" not in SETS["permutations"]  # it compares soft links


def test_metrics_of_the_papers() -> None:
    """They are in the catalogue of one of the five papers."""
    papers = (
        "Stanojević & Sima'an 2014",
        "Stanojević & Sima'an 2016",
        "Leusch, Ueffing & Ney 2003",
        "McCaffery & Nederhof 2016",
        "Birch & Osborne 2010",
        "Birch et al. 2010",
    )
    for name in SETS["papers"]:
        paper = hb.metrics.get(name).variant.paper
        assert any(one in paper for one in papers) or name == "fuzzy"  # of 2014's table, by others


def test_the_command_line_shows_the_names_of_all_sets() -> None:
    assert tuple(SETS) == SET_NAMES


def test_a_metric_loads_only_its_own_class() -> None:
    """Neither other classes are imported nor what they stand on: trees, models, edit distances."""
    program = (
        "import sys, hyperbaton as hb\n"
        "hb.metrics.get('pef')\n"
        "for module in ('metrics.dependency', 'metrics.composite', 'metrics.soft_order',\n"
        "               'metrics.sacrebleu_metrics', 'softorder', 'edit.tree_edits',\n"
        "               'syntax.conllu', 'alignment.source_aligner'):\n"
        "    assert f'hyperbaton.{module}' not in sys.modules, module\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
