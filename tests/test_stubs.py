"""The type stubs of the core list exactly the functions of the core."""

from __future__ import annotations

import ast
from pathlib import Path

import hyperbaton
from hyperbaton import _core


def test_stubs_and_core_have_the_same_functions() -> None:
    stub = Path(hyperbaton.__file__).with_name("_core.pyi").read_text("utf-8")
    tree = ast.parse(stub)
    stubbed = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert {*stubbed, *classes} == {name for name in dir(_core) if not name.startswith("_")}
    for name, definition in classes.items():
        members = {item.name for item in definition.body if isinstance(item, ast.FunctionDef)}
        assert members <= set(dir(getattr(_core, name)))
    for name, node in stubbed.items():
        arguments = ", ".join(argument.arg for argument in node.args.args)
        signature = getattr(_core, name).__doc__
        for argument in node.args.args:
            assert f"{argument.arg}: " in signature, f"{name}({arguments})"
