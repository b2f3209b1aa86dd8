"""What the source code of a package shows without running it: sizes, branches, names and loops.

A module is a file ``*.py``. Code lines are the lines that hold code: no blank lines, no comments
and no docstrings of modules, classes and functions.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
WITHOUT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class Function:
    """A function or method: where it is, its code lines, and its cyclomatic complexity."""

    place: str
    lines: int
    complexity: int


@dataclass(frozen=True)
class Module:
    """A module by its dotted name, with its text."""

    name: str
    text: str
    is_package: bool = False

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def code_lines(self) -> frozenset[int]:
        """The numbers of the lines that hold code."""
        lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type not in WITHOUT_CODE:
                lines.update(range(token.start[0], token.end[0] + 1))
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Module | ast.ClassDef | FunctionNode) and ast.get_docstring(
                node, clean=False
            ):
                lines -= _span(node.body[0])
        return frozenset(lines)

    def functions(self) -> Iterator[Function]:
        """Yield all functions: methods and functions within functions, too."""
        for node in ast.walk(self.tree):
            if isinstance(node, FunctionNode):
                lines = len(self.code_lines & _span(node))
                yield Function(f"{self.name}:{node.name}", lines, complexity(node))


def read_package(folder: Path) -> list[Module]:
    """Read all modules of the package in a folder, which is named after it."""
    modules = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        modules.append(Module(name, path.read_text("utf-8"), is_package))
    return modules


def _span(node: ast.stmt | ast.Module) -> set[int]:
    assert isinstance(node, ast.stmt)
    assert node.end_lineno is not None
    return set(range(node.lineno, node.end_lineno + 1))


def complexity(function: FunctionNode) -> int:
    """Return the cyclomatic complexity of a function as radon counts it.

    One, and one more for each ``if``, loop, ``except``, ``assert``, ``case``, ``else`` of a loop or
    ``try``, operand of ``and`` and ``or`` after the first, and ``for`` and ``if`` of a
    comprehension. Decorators, defaults, and functions and classes within it do not count.
    """
    return 1 + sum(map(_decisions, function.body))


def _decisions(node: ast.AST) -> int:
    if isinstance(node, DEFINITIONS):
        return 0
    if isinstance(node, ast.Assert):
        return 1
    return _own_decisions(node) + sum(map(_decisions, ast.iter_child_nodes(node)))


def _own_decisions(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp():
            return 1
        case ast.For() | ast.AsyncFor() | ast.While():
            return 1 + bool(node.orelse)
        case ast.Try():
            return len(node.handlers) + bool(node.orelse)
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.Match():
            wildcards = sum(getattr(c.pattern, "pattern", 0) is None for c in node.cases)
            return len(node.cases) - bool(wildcards)
    return 0


def same_names(modules: list[Module]) -> list[str]:
    """Return public names that are different things in two modules.

    These are functions, classes and type aliases at the top of modules. Two aliases of the same
    type count as one thing. Names with a leading underscore are not public.
    """
    places: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for module in modules:
        for node in module.tree.body:
            for name, thing in _defined(node, module.name):
                if not name.startswith("_"):
                    places[name][thing].append(module.name)
    return [
        f"{name}: {', '.join(found for modules in things.values() for found in modules)}"
        for name, things in sorted(places.items())
        if len(things) > 1
    ]


def _defined(node: ast.stmt, module: str) -> Iterator[tuple[str, str]]:
    """Yield a name that a statement defines, and text that is equal for equal things."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, module
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ) if _is_type(name, value):
            yield name, ast.unparse(value)


def _is_type(name: str, value: ast.expr) -> bool:
    """Return whether an assignment seems to name a type, by its capitals and its form.

    Metadata, such as in ``Annotated[int, "a note"]``, are no types.
    """
    if not name[0].isupper() or name.isupper():
        return False
    return isinstance(value, ast.Subscript | ast.BinOp | ast.Name | ast.Attribute) and not (
        isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Annotated"
    )


def scoring_loops(modules: list[Module]) -> list[str]:
    """Return the modules that have a scoring loop of their own.

    Such a module asks a source for its batches (``source.batches(…)``) or a metric for the
    statistics of a batch (``metric.statistics(batch)``). A metric that asks its parts for theirs,
    in its own ``statistics(self, batch)``, has no loop, nor has a source that hands on the batches
    of another one in its own ``batches``.
    """
    return [module.name for module in modules if any(_scoring_calls(module.tree))]


def _scoring_calls(node: ast.AST) -> Iterator[ast.Call]:
    if isinstance(node, FunctionNode) and (node.name == "batches" or _is_statistics_of_batch(node)):
        return
    match node:
        case ast.Call(func=ast.Attribute(attr="batches", value=value)) if not _is_self(value):
            yield node
        case ast.Call(func=ast.Attribute(attr="statistics"), args=[ast.Name(id="batch"), *_]):
            yield node
    for child in ast.iter_child_nodes(node):
        yield from _scoring_calls(child)


def _is_statistics_of_batch(function: FunctionNode) -> bool:
    names = [argument.arg for argument in function.args.args]
    return function.name == "statistics" and names[1:] == ["batch"]


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
