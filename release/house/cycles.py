"""Cycles of imports in a package."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from release.house.code import Module

Graph = Mapping[str, set[str]]


def import_graph(modules: list[Module]) -> dict[str, set[str]]:
    """Return which modules of a package each of its modules imports.

    Imports within functions and for type checking count as well. Not counted are imports of the
    package itself, whose public names are imported when they are used.
    """
    names = {module.name for module in modules}
    top = min(names, key=len)
    return {module.name: set(_imported(module, names)) - {module.name, top} for module in modules}


def _imported(module: Module, names: set[str]) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, module)
            for alias in node.names:
                name = f"{source}.{alias.name}"
                if name in names or source in names:
                    yield name if name in names else source


def _source(node: ast.ImportFrom, module: Module) -> str:
    """Return the absolute name of the module from which names are imported."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    parts = parts[: len(parts) + module.is_package - node.level]
    return ".".join([*parts, node.module] if node.module else parts)


def largest_cycle(graph: Graph) -> list[str]:
    """Return the largest set of modules each of which imports all others, perhaps indirectly."""
    components = [sorted(component) for component in _components(graph)]
    cycles = [component for component in components if len(component) > 1]
    return max(cycles, key=len, default=[])


def _components(graph: Graph) -> Iterator[set[str]]:
    """Yield the strongly connected components (Kosaraju's algorithm)."""
    backward: dict[str, set[str]] = {node: set() for node in graph}
    for node, targets in graph.items():
        for target in targets:
            backward[target].add(node)
    finished: list[str] = []
    seen: set[str] = set()
    for node in graph:
        finished += _finishing_order(graph, node, seen)
    assigned: set[str] = set()
    for node in reversed(finished):
        if component := _finishing_order(backward, node, assigned):
            yield set(component)


def _finishing_order(graph: Graph, start: str, seen: set[str]) -> list[str]:
    """Return the nodes that are reached from a node and were not seen, each after its targets."""
    finished: list[str] = []
    if start in seen:
        return finished
    seen.add(start)
    stack = [(start, iter(sorted(graph[start])))]
    while stack:
        node, targets = stack[-1]
        target = next((target for target in targets if target not in seen), None)
        if target is None:
            finished.append(node)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(sorted(graph[target]))))
    return finished
