"""What `make house` counts, on small packages that are made up."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from release.house.code import (
    FunctionNode,
    Module,
    complexity,
    read_package,
    same_names,
    scoring_loops,
)
from release.house.cycles import import_graph, largest_cycle
from release.house.thermometers import THERMOMETERS
from release.house.tree import NotMeasuredError, Tree

CODE = '''"""A module,
on two lines."""

import os  # one

# nothing
TEXT = """two

three"""  # a blank line within a string is code


class Thing:
    """Documented."""

    def find(
        self,
    ) -> str:
        """Documented, too."""

        return os.sep
'''


def package(**texts: str) -> list[Module]:
    """Return the modules of a package ``p``."""
    names = {"p": "", **{f"p.{name}": text for name, text in texts.items()}}
    return [Module(name, text, is_package=name == "p") for name, text in names.items()]


def test_code_lines() -> None:
    module = Module("p.m", CODE)
    assert sorted(module.code_lines) == [4, 7, 8, 9, 12, 15, 16, 17, 20]
    (function,) = module.functions()
    assert (function.place, function.lines) == ("p.m:find", 4)


def test_modules_of_a_folder(tmp_path: Path) -> None:
    for name in ("p/__init__.py", "p/a.py", "p/q/__init__.py", "p/q/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n", "utf-8")
    modules = read_package(tmp_path / "p")
    assert [module.name for module in modules] == ["p", "p.a", "p.q", "p.q.b"]
    assert [module.is_package for module in modules] == [True, False, True, False]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", 1),
        ("if a and b or c: pass\nelif d: pass\nelse: pass", 5),
        ("for x in y:\n  pass\nelse:\n  pass", 3),
        ("try: pass\nexcept A: pass\nexcept B: pass\nelse: pass\nfinally: pass", 4),
        ("return [x if x else 1 for x in y if x if z]", 5),
        ("assert a if b else c", 2),
        ("match a:\n  case 1: pass\n  case 2: pass\n  case _: pass", 3),
        ("def inner():\n  if a: pass\nreturn lambda: a or b", 2),
    ],
)
def test_complexity(body: str, expected: int) -> None:
    indented = body.replace("\n", "\n  ")
    (function,) = ast.parse(f"def f(x=1 or 2):\n  {indented}").body
    assert isinstance(function, FunctionNode)
    assert complexity(function) == expected


def test_same_names() -> None:
    modules = package(
        a="class Plan: pass\ndef run(): pass\ndef _own(): pass\nFloats = list[float]\nN = 1",
        b="class Plan: pass\nrun = 3\ndef _own(): pass\nFloats = list[float]\nN = 2",
        c="Plan: TypeAlias = tuple[int]\nKind = TypeVar('Kind')\nKey = Annotated[int, 1]",
        d="class Other:\n  def run(self): pass\nclass Kind: pass\nclass Key: pass",
    )
    assert same_names(modules) == ["Plan: p.a, p.b, p.c"]


def test_cycles_of_all_kinds_of_imports() -> None:
    modules = package(
        a="from p.b import thing",
        b="def f():\n  import p.c",
        c="if TYPE_CHECKING:\n  from .a import thing",
        d="from p import a, d\nfrom os import path",
        e="from p import public",
    )
    graph = import_graph(modules)
    assert graph == {
        "p": set(),
        "p.a": {"p.b"},
        "p.b": {"p.c"},
        "p.c": {"p.a"},
        "p.d": {"p.a"},
        "p.e": set(),
    }
    assert largest_cycle(graph) == ["p.a", "p.b", "p.c"]
    assert largest_cycle({"p.a": {"p.b"}, "p.b": set()}) == []


def test_the_largest_of_two_cycles() -> None:
    rings = {"a": {"b"}, "b": {"a", "x"}, "x": {"y"}, "y": {"z"}, "z": {"x"}, "end": {"a"}}
    assert largest_cycle(rings) == ["x", "y", "z"]


def test_scoring_loops() -> None:
    modules = package(
        source="def f(corpus):\n  return list(corpus.batches(10))",
        metric="for batch in given:\n  rows.append(metric.statistics(batch))",
        part="class Full:\n  def statistics(self, batch): return self.part.statistics(batch)",
        own="class Corpus:\n  def first(self): return next(self.batches(1))",
        other="measure.statistics(human)",
    )
    assert scoring_loops(modules) == ["p.source", "p.metric"]


def test_what_cannot_be_measured_says_why(tmp_path: Path) -> None:
    for thermometer in THERMOMETERS:
        with pytest.raises(
            NotMeasuredError, match=r"^there is no .*(src/hyperbaton|\.venv/bin/\w+)$"
        ):
            thermometer.read(Tree(tmp_path))
