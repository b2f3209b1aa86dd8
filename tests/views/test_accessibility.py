"""Pages by axe-core: no violation of its rules, in both colour schemes and on narrow screens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_SYSTEMS
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.files.lines import read_lines
from hyperbaton.runs.results import Report
from hyperbaton.syntax.conllu import read_trees
from views.get_axe import SCRIPT
from views.page_checks import VIOLATIONS, PageOpener

VIEWS = [("light", 1280), ("dark", 1280), ("light", 400), ("dark", 400)]
views = pytest.mark.parametrize(("scheme", "width"), VIEWS)
Check = Callable[[Any], list[str]]

REFERENCES = list(read_lines(EXAMPLE / "reference.txt"))
SYSTEMS = {name: list(read_lines(EXAMPLE / f"{name}.txt")) for name in EXAMPLE_SYSTEMS}
MORE_SYSTEMS = {**SYSTEMS, "perfect": REFERENCES, "reversed": [line[::-1] for line in REFERENCES]}
ARABIC = ("الكلب رأى القط", "القط رأى الكلب")


def report_of(kind: str) -> Report:
    if kind == "five systems":  # more than four: p-values are a matrix
        return hb.compare(MORE_SYSTEMS, REFERENCES, ["pef", "wer"], "en", samples=100).report()
    if kind == "three systems":
        return hb.compare(SYSTEMS, REFERENCES, ["pef"], "en", samples=100).report()
    return hb.score([ARABIC[0], "x y"], [ARABIC[1], "a b"], ["pef"]).report()


def explanation_of(kind: str) -> Explanation:
    if kind == "right to left":
        return hb.explain(*ARABIC)
    if kind == "nothing linked":
        return hb.explain("x y", "a b")
    if kind == "long":
        return hb.explain(" ".join(SYSTEMS["literal"][:9]), " ".join(REFERENCES[:9]), "order")
    tree, reference_tree = (
        list(read_trees(EXAMPLE / f"{name}.conllu"))[5] for name in ("literal", "reference")
    )
    return hb.explain(
        SYSTEMS["literal"][5],
        REFERENCES[5],
        language="en",
        tree=tree,
        reference_tree=reference_tree,
    )


@pytest.fixture(scope="session")
def violations() -> Check:
    """Return what axe-core finds in an open page."""
    if not SCRIPT.exists():
        pytest.skip("no axe-core here (make axe): the accessibility of pages is not tested")
    source = SCRIPT.read_text("utf-8")

    def check(page: Any) -> list[str]:
        page.evaluate(source)
        found: list[str] = page.evaluate(VIOLATIONS)
        return found

    return check


def test_violations_are_found(open_page: PageOpener, violations: Check, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    text = '<p style="color: #999">faint</p><button></button>'
    path.write_text(f"<!doctype html><title>Bad</title>{text}", "utf-8")
    rules = {line.split(":")[0] for line in violations(open_page(path))}
    assert {"html-has-lang", "button-name", "color-contrast", "landmark-one-main"} <= rules


@views
@pytest.mark.parametrize("kind", ["three systems", "five systems", "one right-to-left system"])
def test_reports(
    open_page: PageOpener, violations: Check, kind: str, scheme: str, width: int
) -> None:
    page = open_page(report_of(kind), width=width, scheme=scheme)
    page.locator("#list .opener").first.click()
    assert page.locator("#list .detail").count() == 1
    assert violations(page) == []


@views
@pytest.mark.parametrize("kind", ["dependency trees", "right to left", "nothing linked", "long"])
def test_explanations(
    open_page: PageOpener,
    violations: Check,
    tmp_path: Path,
    kind: str,
    scheme: str,
    width: int,
) -> None:
    path = tmp_path / "explanation.html"
    path.write_text(explanation_of(kind).to_html(), "utf-8")
    page = open_page(path, width=width, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert violations(page) == []
