"""The public names: written once in the type stubs, imported when they are first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hyperbaton as hb
from hyperbaton import metrics

HEAVY = ("numpy", "scipy", "sacrebleu", "rich", "click", "conllu")


@pytest.mark.parametrize("name", hb.__all__)
def test_names_of_the_package(name: str) -> None:
    assert getattr(hb, name) is not None
    assert name in dir(hb)


@pytest.mark.parametrize("name", metrics.__all__)
def test_names_of_metrics(name: str) -> None:
    assert getattr(metrics, name) is not None


def test_result_types_and_errors_are_exported() -> None:
    results = {"Comparison", "MetaEvaluation", "Metric", "Report", "Result", "Score", "Tuning"}
    errors = {"BudgetExceeded", "HyperbatonError", "InputError", "InputTypeError", "MissingData"}
    assert results | errors <= set(hb.__all__)


@pytest.mark.parametrize("package", [hb, metrics])
def test_unknown_name(package: object) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'kendal'"):
        package.kendal  # type: ignore[attr-defined]  # noqa: B018


def test_errors_are_also_errors_of_python() -> None:
    for error, parent in (
        (hb.InputError, ValueError),
        (hb.InputTypeError, TypeError),
        (hb.MissingData, RuntimeError),
    ):
        assert issubclass(error, hb.HyperbatonError)
        assert issubclass(error, parent)


def test_errors_of_the_core_are_errors_of_the_package() -> None:
    with pytest.raises(hb.InputError, match="position"):
        hb.Permutation([1, 1])
    with pytest.raises(hb.InputTypeError, match="'a'"):
        hb.kendall([1, "a"])  # type: ignore[list-item]


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = f"import sys, hyperbaton; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "[]\n"


def test_help_of_a_command_loads_no_metric() -> None:
    code = (
        "import sys; from hyperbaton.cli import main; main(['score', '--help']); "
        "print([m for m in ('numpy', 'rich', 'hyperbaton.metrics.registry') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.endswith("[]\n"), done.stdout[-200:]
