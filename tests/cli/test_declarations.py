"""Declarations of options, and the rules between them."""

from __future__ import annotations

from typing import Any, ClassVar

import click
import pytest

from hyperbaton.cli.commands import (
    OptionGroup,
    Rules,
    argument,
    flag,
    make_command,
    option,
    parameters_of,
)
from hyperbaton.errors import InputError
from hyperbaton.registries import Registry

SHAPES = Registry("shape", {"tree": 1, "forest": 2})


class TextOptions(OptionGroup):
    """Texts.

    Attributes
    ----------
    texts
        Some texts, which
        may be long.
    pairs
        Two files.
    """

    TITLE = "Input"
    RULES: ClassVar[Rules] = {
        lambda given: given.example: {"TEXT... --pair": "--example has its own {option}"}
    }

    texts: list[str] | None = argument("TEXT...")
    example: bool = flag("--example", about="An example.")
    pairs: list[tuple[str, str]] | None = option("--pair SRC TGT")


class DrawingOptions(OptionGroup):
    TITLE = "Output"

    texts: TextOptions
    shape: str = option("--shape -s", SHAPES.default, choices=SHAPES)
    width: int | None = option("--width", low=10, high=200)
    short: bool = flag("--short/--no-short")


def draw(options: DrawingOptions) -> Any:
    """Draw texts."""
    return options


def run(*arguments: str, **defaults: Any) -> DrawingOptions:
    command = make_command(draw, {lambda given: given.short: {"--width": "too wide"}}, defaults)
    with command.make_context("draw", list(arguments)) as context:
        found = command.invoke(context)
    assert isinstance(found, DrawingOptions)
    return found


def test_kinds_of_parameters() -> None:
    found = [(one.name, one.kind, one.is_list, one.title) for one in parameters_of(TextOptions)]
    assert found == [
        ("texts", str, True, "Input"),
        ("example", bool, False, "Input"),
        ("pairs", tuple, True, "Input"),
    ]


def test_help_is_the_documentation_of_groups() -> None:
    found = [one.about for one in parameters_of(TextOptions)]
    assert found == ["Some texts, which may be long.", "An example.", "Two files."]


def test_values_of_groups_in_groups() -> None:
    found = run("a", "-sforest", "--pair", "x", "y", "b", "--width=12", "--pair=-", "z")
    assert found.texts.texts == ["a", "b"]
    assert found.texts.pairs == [("x", "y"), ("-", "z")]
    assert (found.shape, found.width, found.short, found.texts.example) == (
        "forest",
        12,
        False,
        False,
    )


def test_defaults() -> None:
    found = run()
    assert (found.texts.texts, found.shape, found.width) == (None, "tree", None)
    assert run(short=True, shape="forest").shape == "forest"
    assert run("--no-short", "-s", "tree", short=True, shape="forest").short is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-s", "x"], "-s must be one of tree, forest, got 'x'"),
        (["--shape=x", "-q"], "--shape must be one of tree, forest, got 'x'"),
        (["--width", "9"], "--width must be a whole number from 10 to 200, got '9'"),
        (["--width", "1e2"], "--width must be a whole number from 10 to 200, got '1e2'"),
    ],
)
def test_values_of_another_kind(arguments: list[str], message: str) -> None:
    with pytest.raises(click.UsageError) as found:
        run(*arguments)
    assert found.value.format_message() == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--example", "a"], "--example has its own TEXT..."),
        (["--pair", "a", "b", "--example"], "--example has its own --pair"),
        (["--width", "20", "--short", "--example", "a"], "too wide"),
        (["--pair", "a"], "--pair needs two files: --pair SRC TGT"),
        (["--pair", "a", "--short"], "--pair needs two files: --pair SRC TGT"),
    ],
)
def test_rules(arguments: list[str], message: str) -> None:
    with pytest.raises(InputError) as found:
        run(*arguments)
    assert str(found.value) == message


def test_a_name_that_is_registered_later_is_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SHAPES, "_rows", {**SHAPES, "chart": 3})
    assert run("-s", "chart").shape == "chart"
    command = make_command(draw, {}, {})
    with click.Context(command) as context:
        assert "<tree|forest|chart>" in command.get_help(context)
