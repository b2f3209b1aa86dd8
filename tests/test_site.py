"""The site of the documentation: what it consists of, and how its main pages look in a browser."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from docs import build_site
from docs.build_site import DOCS, OUTER_PAGES, ROOT, SITE, convert_page, write_source
from docs.check_site import find_problems

import hyperbaton as hb
from views.page_checks import SIDEWAYS, Windows

MAIN_PAGES = (
    "index.html",
    "tutorial.html",
    "which-metric.html",
    "permutation-trees.html",
    "scoring.html",
    "adapters/index.html",
    "metrics/index.html",
    "measures/index.html",
    "measures/pef.html",
    "evidence.html",
    "speed.html",
    "api/index.html",
    "api/scoring.html",
    "api/permutations.html",
    "glossary.html",
    "contributing.html",
)
UNDRAWN_IMAGES = "() => [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src)"


def test_navigation_has_every_page() -> None:
    listed = re.findall(r"([\w./-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert sorted(listed) == sorted(pages | set(OUTER_PAGES.values()))


def test_api_pages_have_every_public_name() -> None:
    pages = [path.read_text("utf-8") for path in (DOCS / "api").glob("*.md")]
    documented = re.findall(r"^::: hyperbaton\.(\S+)$", "\n".join(pages), re.M)
    # hb.metrics is a page. Some names of hb.metrics are also names of the package.
    public = set(hb.__all__) - {"metrics"} | {
        f"metrics.{name}" for name in hb.metrics.__all__ if name not in hb.__all__
    }
    adapters = {name for name in documented if name.startswith("adapters.")}
    assert len(documented) == len(set(documented))
    assert set(documented) - adapters == public
    assert adapters
    index = (DOCS / "api" / "README.md").read_text("utf-8")
    assert all(f"`{name}`" in index for name in documented)


def test_numbers_of_the_decision_page_are_in_the_evidence() -> None:
    page = (DOCS / "which-metric.md").read_text("utf-8")
    prose = re.sub(r"^```.*?^```", "", page, flags=re.M | re.S)
    numbers = set(re.findall(r"\d+\.\d+", prose))
    evidence = set(re.findall(r"\d+\.\d+", (DOCS / "evidence.md").read_text("utf-8")))
    assert len(numbers) > 15
    assert numbers <= evidence


def test_pages_link_to_files_outside_docs() -> None:
    text, outer_files = convert_page(DOCS / "scoring.md")
    assert "](example-set.md)" in text
    assert outer_files == {ROOT / "src" / "hyperbaton" / "example" / "README.md"}
    text, outer_files = convert_page(ROOT / "CONTRIBUTING.md")
    assert "](plug-ins.md)" in text
    names = ("CODE_OF_CONDUCT.md", "RELEASING.md", "SECURITY.md", "fuzz/README.md")
    assert outer_files == {ROOT / name for name in names}


def test_source_of_the_site(tmp_path: Path) -> None:
    write_source(tmp_path)
    pages = tmp_path / "docs"
    for name in ("index.md", "contributing.md", "changelog.md", "example-set.md"):
        assert (pages / name).exists()
    assert (pages / "files/src/hyperbaton/metrics/parts.py").exists()  # plug-ins.md links to it
    assert not list(pages.glob("*.py"))
    # What belongs to a list is indented by four spaces; blocks of code stay as they are.
    assert "\n    | characters | become |\n" in (pages / "scoring.md").read_text("utf-8")
    assert "\n1  move " in (pages / "explain.md").read_text("utf-8")


def test_playground_is_part_of_the_site_if_it_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = tmp_path / "built"
    monkeypatch.setattr(build_site, "PLAYGROUND", built)
    write_source(tmp_path / "without")
    assert "- Playground:" not in (tmp_path / "without" / "mkdocs.yml").read_text("utf-8")
    built.mkdir()
    shutil.copyfile(ROOT / "playground" / "index.html", built / "index.html")
    write_source(tmp_path / "with")
    assert "- Playground:" in (tmp_path / "with" / "mkdocs.yml").read_text("utf-8")
    page = (tmp_path / "with" / "docs" / "playground" / "index.html").read_text("utf-8")
    assert 'href="../playground.html"' in page


def test_link_checker(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text('<h1 id="top">A</h1><a href="../b.html#c%20d">b</a>')
    page = '<a id="c d"></a><a href="a#top">a</a><a href="https://example.org/">afar</a>'
    (tmp_path / "b.html").write_text(page)
    assert find_problems(tmp_path) == []
    (tmp_path / "b.html").write_text(
        '<a href="a#end"></a><img src="no.png"><script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "x.css").write_text('a { background: url("//example.org/x.png") }')
    assert find_problems(tmp_path) == [
        "a/index.html: ../b.html#c%20d has no such anchor",
        "b.html: loads https://example.org/x.js",
        "b.html: a#end has no such anchor",
        "b.html: no.png does not exist",
        'x.css: loads url("//example.org/x.png',
    ]


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base
        pass


@pytest.fixture(scope="module")
def site_address() -> Iterator[str]:
    """The address of the built site, served on the loopback interface."""
    if not (SITE / "index.html").exists():
        pytest.skip("the site has not been built (make docs)")
    handler = partial(_QuietHandler, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("name", MAIN_PAGES)
def test_main_page(browser: Any, site_address: str, name: str) -> None:
    windows = Windows(browser, (site_address, "data:", "blob:"))
    page = windows.open(site_address + name, 1280, "light")
    assert page.locator("article h1").count() >= 1
    assert page.evaluate(UNDRAWN_IMAGES) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (1280, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SIDEWAYS) is False, f"{name} is wider than {width} pixels"
    windows.close()


def test_playground_in_the_site(browser: Any, site_address: str) -> None:
    if not (SITE / "playground" / "index.html").exists():
        pytest.skip("the playground has not been built (make playground)")
    windows = Windows(browser, (site_address, "data:"))
    page = windows.open(site_address + "playground/index.html#permutation?p=2,1", 1280, "light")
    page.get_by_text("⟨2, 1⟩ has 1 permutation tree").wait_for()
    page.get_by_role("link", name="About this page").click()
    assert page.locator("article h1").inner_text().startswith("The playground")
    windows.close()


def test_docstrings_are_markdown(browser: Any, site_address: str) -> None:
    windows = Windows(browser, (site_address, "data:", "blob:"))
    page = windows.open(site_address + "api/metrics.html", 1280, "light")
    article = page.locator("article")
    assert "Parameters" in article.inner_text()
    assert ":class:" not in article.inner_text()
    assert article.locator("blockquote").count() == 0  # examples without a block of code
    windows.close()
