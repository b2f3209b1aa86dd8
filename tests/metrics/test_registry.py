"""The rows of the registry, which name classes without importing them."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
    assert set(SETS) == {"default", "permutations", "edit", "all"}
    assert SETS["permutations"] == (*MEASURES, "adjacency", "meteor_frag")
    assert "order" not in SETS["permutations"]  # it compares soft links


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
