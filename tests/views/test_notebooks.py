"""Notebooks: the tutorial runs, and displays are readable in every theme.

A notebook is executed once, with the cells of the tutorial and a cell for each kind of object. It
is rendered as JupyterLab shows it, in its light and in its dark theme, and opened in a browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.views.notebook import CLASSES
from views.page_checks import FAINT
from waiting import HANGING

TUTORIAL = Path(__file__).parent.parent.parent / "examples" / "tutorial.ipynb"
THEMES = ("light", "dark")
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 25, 29)"}
# Objects that the tutorial does not show.
OTHERS = {
    hb.Score: 'result["order"]',
    hb.MetaEvaluation: 'hb.meta_evaluate(data, ["wer", "chrf"], samples=20)',
    hb.Tuning: 'hb.tune("full:order=kendall", data, ["alpha=0:1:0.5"], folds=2)',
    hb.DependencyTree: 'hb.DependencyTree(["She", "left"], [2, 0], ["nsubj", "root"])',
}
PREPARATION = """
people = hb.Rankings.from_pairs(["x", "y"], [0, 1], [0, 0], [1, 1], n=2)
texts = {"x": ["a b", "x d"], "y": ["b a", "d c"]}
data = hb.TestSet.of("de-en", texts, [["a b c"], ["c d"]], [people])
"""
SHOWN = (  # by the tutorial
    hb.Result,
    hb.Comparison,
    hb.Explanation,
    hb.Alignment,
    hb.Permutation,
    hb.ReorderingProfile,
    hb.Report,
)

BACKGROUNDS = """() => [...document.querySelectorAll(".hb-display")]
  .map((display) => getComputedStyle(display).backgroundColor)"""
MARK_BODY = """(name) => {
  document.body.removeAttribute("data-jp-theme-light");
  document.body.className = name;
}"""
# What the style sheets of the notebook change in the computed styles of displays of a fixed width.
# Of the elements with the same tag, class and parent, the first and the second are looked at:
# notebooks stripe the rows of tables.
CHANGED_STYLES = """() => {
  const foreign = [...document.styleSheets].filter((s) => !s.ownerNode.closest(".hb-display"));
  const displays = [...document.querySelectorAll(".hb-display")];
  for (const display of displays) display.style.width = "700px";
  const kinds = {};
  const elements = displays.flatMap((e) => [e, ...e.querySelectorAll("*:not(style)")])
    .filter((e) => {
      const kind = `${e.tagName} ${e.getAttribute("class")} ${e.parentElement.tagName}`;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      return kinds[kind] <= 2;
    });
  const keys = [...getComputedStyle(displays[0])].filter((key) => !key.startsWith("--"));
  const read = (disabled) => {
    for (const sheet of foreign) sheet.disabled = disabled;
    return elements.map(getComputedStyle).map((style) => keys.map((key) => style[key]));
  };
  const [before, after] = [read(false), read(true)];
  return elements.flatMap((e, n) => keys
    .filter((_, k) => before[n][k] !== after[n][k])
    .map((key) => `${e.tagName}: ${key}`));
}"""
# What viewers do that do not trust a notebook.
STRIP = """() => {
  for (const e of document.querySelectorAll(".hb-display :is(style, svg)")) e.remove();
  return [...document.querySelectorAll(".hb-display")].map((display) => display.innerText);
}"""


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tutorial and a cell for each other kind of object, executed."""
    nbformat = pytest.importorskip("nbformat", reason="no nbformat: notebooks are not executed")
    nbclient = pytest.importorskip("nbclient", reason="no nbclient: notebooks are not executed")
    pytest.importorskip("ipykernel", reason="no ipykernel: notebooks are not executed")
    notebook = nbformat.read(TUTORIAL, as_version=4)
    for source in (PREPARATION, *OTHERS.values()):
        notebook.cells.append(nbformat.v4.new_code_cell(source))
    folder = tmp_path_factory.mktemp("notebook")
    resources = {"metadata": {"path": str(folder)}}
    limits = dict.fromkeys(("timeout", "startup_timeout", "iopub_timeout"), HANGING)
    nbclient.NotebookClient(notebook, resources=resources, **limits).execute()
    assert (folder / "report.html").exists()
    return notebook


@pytest.fixture(scope="module")
def pages(notebook: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The notebook as JupyterLab shows it, in each of its themes."""
    nbconvert = pytest.importorskip("nbconvert", reason="no nbconvert: notebooks are not rendered")
    folder = tmp_path_factory.mktemp("pages")
    paths = {}
    for theme in THEMES:
        exporter = nbconvert.HTMLExporter(template_name="lab", theme=theme)
        paths[theme] = folder / f"{theme}.html"
        paths[theme].write_text(exporter.from_notebook_node(notebook)[0], encoding="utf-8")
    return paths


@pytest.fixture
def open_notebook(browser: Any, pages: dict[str, Path]) -> Iterator[Any]:
    """Opens the notebook in a theme and in a colour scheme of the operating system."""
    contexts = []

    def allow_files(route: Any) -> None:
        # the page asks for scripts from the network, which displays do not need
        if route.request.url.startswith("file:"):
            route.continue_()
        else:
            route.abort()

    def open_theme(theme: str, scheme: str) -> Any:
        context = browser.new_context(viewport={"width": 1100, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        context.route("**/*", allow_files)
        page = context.new_page()
        page.goto(pages[theme].as_uri())
        return page

    yield open_theme
    for context in contexts:
        context.close()


def test_the_tutorial_has_short_cells_and_no_output() -> None:
    nbformat = pytest.importorskip("nbformat", reason="no nbformat: notebooks are not read")
    tutorial = nbformat.read(TUTORIAL, as_version=4)
    nbformat.validate(tutorial)
    for cell in tutorial.cells:
        if cell.cell_type == "code":
            assert cell.source.count("\n") < 10
            assert cell.outputs == []
            assert cell.execution_count is None
        for link in re.findall(r"\]\((.*?)\)", cell.source if cell.cell_type == "markdown" else ""):
            assert (TUTORIAL.parent / link).exists()


def test_every_object_has_one_display_without_a_script(notebook: Any) -> None:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    results = [output.data for output in outputs if output.output_type == "execute_result"]
    shown = [data["text/html"] for data in results if "text/html" in data]
    assert len(shown) == len(SHOWN) + len(OTHERS)
    for html in shown:
        assert html.startswith(f'<div class="{CLASSES}"><style>')
        assert "<script" not in html
        assert "http" not in html.replace("http://www.w3.org/2000/svg", "")
    assert {key for data in results for key in data} == {"text/html", "text/plain"}


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("theme", THEMES)
def test_displays_follow_the_theme_of_the_notebook(
    open_notebook: Any, theme: str, scheme: str
) -> None:
    page = open_notebook(theme, scheme)
    backgrounds = page.evaluate(BACKGROUNDS)
    assert len(backgrounds) == len(SHOWN) + len(OTHERS)
    assert set(backgrounds) == {PAPER[theme]}
    page.evaluate("() => document.querySelectorAll('details').forEach((e) => e.open = true)")
    assert page.evaluate(FAINT, ".hb-display") == []


def test_displays_follow_vs_code_and_else_the_operating_system(open_notebook: Any) -> None:
    themes = {
        "vscode-light": "light",
        "vscode-dark": "dark",
        "vscode-high-contrast": "dark",
        "vscode-high-contrast vscode-high-contrast-light": "light",
    }
    for scheme in THEMES:
        page = open_notebook("light", scheme)
        for name, theme in {**themes, "": scheme}.items():
            page.evaluate(MARK_BODY, name)
            assert set(page.evaluate(BACKGROUNDS)) == {PAPER[theme]}, name
        page.emulate_media(media="print")
        page.evaluate(MARK_BODY, "vscode-dark")
        assert set(page.evaluate(BACKGROUNDS)) == {PAPER["light"]}


def test_style_sheets_of_the_notebook_do_not_change_displays(open_notebook: Any) -> None:
    page = open_notebook("dark", "dark")
    assert page.evaluate(CHANGED_STYLES) == []
    # without their own sheets, the notebook's do change them
    page.evaluate(
        "() => document.querySelectorAll('.hb-display > style').forEach((e) => e.remove())"
    )
    changed = set(page.evaluate(CHANGED_STYLES))
    assert {"TR: background-color", "TD: padding-left", "CODE: font-size"} <= changed


def test_tables_stay_readable_where_styles_and_drawings_are_removed(open_notebook: Any) -> None:
    texts = open_notebook("light", "light").evaluate(STRIP)
    assert any("literal\t62.6 ±" in text and "\t93 %\t" in text for text in texts)
    assert any("⟨2, 4, 1, 3" in text or "Alignment('0-0 1-1" in text for text in texts)
    assert all(text.strip() and "{" not in text for text in texts)
