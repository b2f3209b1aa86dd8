"""The files of a public project agree with pyproject.toml and with the Makefile."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"
pytestmark = pytest.mark.skipif(not WORKFLOWS.is_dir(), reason="only in a checkout")


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def project() -> dict[str, object]:
    loaded: dict[str, object] = tomllib.loads(read("pyproject.toml"))["project"]
    return loaded


def test_pre_commit_has_the_versions_of_pyproject() -> None:
    lint = " ".join(
        tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]["lint"]
    )
    hooks = dict(
        re.findall(r"repo: \S+/([\w-]+)\n    rev: v(\S+)", read(".pre-commit-config.yaml"))
    )
    assert f"ruff=={hooks['ruff-pre-commit']}" in lint
    major_minor = hooks["mirrors-clang-format"].rpartition(".")[0]
    assert f"clang-format=={major_minor}.*" in lint


def test_the_recipe_has_the_dependencies_of_pyproject() -> None:
    recipe = read("conda/recipe.yaml")
    run = re.search(r"  run:\n((?:    - .*\n)+)", recipe)
    assert run is not None
    found = {line.removeprefix("    - ") for line in run[1].splitlines()}
    dependencies = project()["dependencies"]
    assert isinstance(dependencies, list)
    expected = {re.sub(r"(?<=\w)(?=[<>=])", " ", name, count=1).lower() for name in dependencies}
    assert found == {f"python {project()['requires-python']}", *expected}


def test_workflows_run_make_targets_that_exist() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", read("Makefile"), re.MULTILINE)
    assert phony is not None
    run = {
        target
        for path in WORKFLOWS.glob("*.yml")
        for line in re.findall(r"run: make (.*)", path.read_text("utf-8"))
        for target in line.split()
        if "=" not in target
    }
    assert run <= set(phony[1].split())
    assert {"lint", "types", "test", "pages", "portable", "docs", "release-check"} <= run
