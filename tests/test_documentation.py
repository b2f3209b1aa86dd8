"""Every example in a docstring, in README.md and in docs/ runs and prints what is shown."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
import shutil
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from docs.draw_pictures import IMAGES, pictures
from docs.generate_tables import TABLES, generate

import hyperbaton
from command_line import CommandLine
from hyperbaton.adapters.hosts import MissingHost
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.order.catalogue import MEASURES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MODULES = ["hyperbaton"] + [
    module.name
    for module in pkgutil.walk_packages(hyperbaton.__path__, "hyperbaton.")
    if not module.name.endswith(("_core", "__main__"))
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    with warnings.catch_warnings():
        if name.startswith("hyperbaton.adapters."):
            warnings.simplefilter("ignore")  # some hosts warn when they are imported
        try:
            module = importlib.import_module(name)
        except MissingHost as error:
            pytest.skip(str(error))
    assert doctest.testmod(module, optionflags=OPTIONS).failed == 0


def test_docstrings_have_examples() -> None:
    """Doctest must see the examples, or the test above would be empty."""
    module = importlib.import_module("hyperbaton.order.measures")
    assert doctest.testmod(module, optionflags=OPTIONS).attempted >= 7


@pytest.mark.usefixtures("restored_registry")
@pytest.mark.filterwarnings("ignore:.*LeafSpec")  # Lightning
@pytest.mark.filterwarnings("ignore:.*does not have many workers")  # Lightning
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # examples may write files
    text = page.read_text("utf-8")
    hosts = re.match(r"<!-- The examples need (.*) -->", text)
    for host in hosts[1].split(", ") if hosts else ():
        pytest.importorskip(host)
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS)
    for block in blocks:
        assert ">>>" in block, "a block of Python must be an example that runs"
    test = parser.get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    assert runner.run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_consoles(
    page: Path, cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands print what is shown; a line with … stands for any number of lines."""
    monkeypatch.chdir(tmp_path)  # commands may write files
    monkeypatch.setenv("COLUMNS", "100")
    if page.name == "tutorial.md":  # it says how to copy these files
        for text in EXAMPLE.glob("*.txt"):
            shutil.copy(text, tmp_path)
    consoles = re.compile(r"^```console\n\$ hyperbaton (.*?)^```", re.M | re.S)
    for block in consoles.findall(page.read_text("utf-8")):
        command, expected = block.split("\n", 1)
        printed = cli.succeed(*shlex.split(command)).stdout
        pattern = re.escape(expected).replace("…\\\n", "(?:.*\n)*?")
        assert re.fullmatch(pattern, printed), printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_have_targets(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_guide_shows_how_models_are_exported() -> None:
    """``make encoder`` runs the program that the guide shows."""
    program = (ROOT / "examples" / "export_encoder.py").read_text("utf-8")
    assert f"```py\n{program}```" in (ROOT / "docs" / "encoders.md").read_text("utf-8")


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_current(name: str) -> None:
    """``make tables`` writes the tables of measures, metrics and terms from the catalogues."""
    path, text = generate(name)
    assert path.read_text("utf-8") == text


def test_pictures_are_current() -> None:
    """``make tables`` draws the pictures of the guides."""
    for name, text in pictures().items():
        drawn = (IMAGES / name).read_text("utf-8")
        if "hb-plot" in text:  # versions of matplotlib differ in the last digits of coordinates
            drawn, text = (" ".join(ET.fromstring(one).itertext()) for one in (drawn, text))
        assert drawn == text, f"{name} must be drawn again"


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_a_page(name: str) -> None:
    assert (ROOT / "docs" / "measures" / f"{name}.md").exists()
