"""The numbers that show how well the package is built, with their values in 0.2.0 and their goals.

They are thermometers: to glue files together so that one of them falls is not the point. How many
files have to be touched to add a test, a format, a tokeniser or an engine is not among them. The
tests that add these through their registries show it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from release.house.code import Function, same_names, scoring_loops
from release.house.cycles import import_graph, largest_cycle
from release.house.tree import Tree

COMPLEX = 21  # radon's grade D begins here
LONG = 60  # code lines of a function


@dataclass(frozen=True)
class Reading:
    """A number, and what was counted, if it was."""

    value: float
    counted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Thermometer:
    """A number that should be at most its goal; how it is measured is in a function's docstring."""

    title: str
    before: float  # in 0.2.0
    goal: float
    read: Callable[[Tree], Reading]
    digits: int = 0


def count(found: list[str]) -> Reading:
    """Return how many there are."""
    return Reading(len(found), tuple(found))


def code_lines(tree: Tree) -> Reading:
    """Lines without blank lines, comments and docstrings."""
    return Reading(sum(len(module.code_lines) for module in tree.modules))


def modules(tree: Tree) -> Reading:
    """Files ``*.py``, those that are empty or only list names included."""
    return Reading(len(tree.modules))


def largest_module(tree: Tree) -> Reading:
    """Code lines of the largest module."""
    sizes = sorted(((len(m.code_lines), m.name) for m in tree.modules), reverse=True)
    return Reading(sizes[0][0], tuple(f"{name}: {lines}" for lines, name in sizes[:5]))


def mean_function(tree: Tree) -> Reading:
    """Code lines of a function in the mean, with its heading; those within others count, too."""
    return Reading(sum(f.lines for f in tree.functions) / len(tree.functions))


def loops(tree: Tree) -> Reading:
    """See :func:`release.house.code.scoring_loops`."""
    return count(scoring_loops(tree.modules))


def cycle(tree: Tree) -> Reading:
    """The largest strongly connected set of modules, with imports of every kind."""
    return count(largest_cycle(import_graph(tree.modules)))


def shared_names(tree: Tree) -> Reading:
    """See :func:`release.house.code.same_names`."""
    return count(same_names(tree.modules))


def complex_functions(tree: Tree) -> Reading:
    """Functions of radon's grade D or worse."""
    return _worst(tree, lambda function: function.complexity, COMPLEX)


def long_functions(tree: Tree) -> Reading:
    """Functions of more than sixty code lines, outside of ``cli/``: commands declare options."""

    def size(function: Function) -> int:
        return 0 if function.place.startswith("hyperbaton.cli") else function.lines

    return _worst(tree, size, LONG + 1)


def _worst(tree: Tree, size: Callable[[Function], int], limit: int) -> Reading:
    sizes = sorted(((size(function), function.place) for function in tree.functions), reverse=True)
    return count([f"{place}: {value}" for value, place in sizes if value >= limit])


def probed(name: str) -> Callable[[Tree], Reading]:
    """Return what counts the findings of a function of :mod:`release.house.probe`."""
    return lambda tree: count(tree.probe(name))


def seconds(metric: str) -> Callable[[Tree], Reading]:
    """Return what measures the CPU time of the command line, user and system."""
    return lambda tree: Reading(tree.score_seconds(metric))


THERMOMETERS = (
    Thermometer("code lines", 32_422, 28_500, code_lines),
    Thermometer("modules", 288, 220, modules),
    Thermometer("code lines of the largest module", 507, 500, largest_module),
    Thermometer("code lines of a function, mean", 9.1, 10, mean_function, 1),
    Thermometer("modules with a scoring loop", 5, 1, loops),
    Thermometer("modules that hb.score(pef) loads", 110, 60, probed("loaded_modules")),
    Thermometer("deepest stack of hb.score(pef)", 25, 16, probed("deepest_stack")),
    Thermometer("modules that score -m pef calls", 73, 45, probed("called_modules")),
    Thermometer("functions of views called before a batch", 11, 0, probed("early_views")),
    Thermometer("CPU seconds of score -m wer", 0.29, 0.18, seconds("wer"), 2),
    Thermometer("CPU seconds of score -m adjacency", 0.40, 0.25, seconds("adjacency"), 2),
    Thermometer("modules in the largest import cycle", 36, 6, cycle),
    Thermometer("public members of Metric", 42, 24, probed("metric_members")),
    Thermometer("classes that a metric inherits from, most", 10, 6, probed("longest_mro")),
    Thermometer("public names of two things", 54, 10, shared_names),
    Thermometer("functions of complexity D or worse", 13, 0, complex_functions),
    Thermometer("functions of over 60 lines outside cli/", 5, 0, long_functions),
    Thermometer(
        "share of Comparison.to_dict() in compare",
        0.45,
        0.05,
        lambda tree: Reading(tree.probe("projection_share")),
        2,
    ),
    Thermometer("commands", 18, 20, lambda tree: count(tree.commands)),
    Thermometer(
        "options in the help of all commands", 347, 347, lambda tree: count(tree.options())
    ),
)
