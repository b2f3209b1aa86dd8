"""Opens pages in a browser and checks what they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hyperbaton.runs.results import Report
from waiting import HANGING

# Checks of every page: whether content from a file was executed, and which visible elements lack a
# name or contrast.
EXECUTED = "() => Boolean(globalThis.harmed) || document.querySelectorAll('script').length !== 2"
NAMELESS = """() => [...document.querySelectorAll("button, a, input, select, [role], svg")]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim()))
  .map((e) => e.outerHTML.slice(0, 200))"""
# The elements whose text is checked are those of a CSS selector; by default the whole page.
FAINT = """(selector = "body") => {
  const colour = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], under) =>
    [r, g, b].map((value, k) => value * a + under[k] * (1 - a)).concat(1);
  const light = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map((value) => value / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    if (!e) return [255, 255, 255, 1];
    const own = colour(getComputedStyle(e).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(e.parentElement));
  };
  const found = new Set();
  const nodes = [...document.querySelectorAll(selector)].flatMap((root) => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const inside = [];
    while (texts.nextNode()) inside.push(texts.currentNode);
    return inside;
  });
  for (const text of nodes) {
    const e = text.parentElement;
    if (!text.data.trim() || !e.checkVisibility()) continue;
    if (e.closest("script, option, :disabled, svg title")) continue;
    const style = getComputedStyle(e);
    const drawn = e.namespaceURI.endsWith("svg");
    const [a, b] = [colour(drawn ? style.fill : style.color), behind(e)].map(light);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.add(`${contrast.toFixed(2)} ${e.outerHTML.slice(0, 150)}`);
  }
  return [...found];
}"""
# What axe-core finds; its script must have been evaluated before.
VIOLATIONS = """async () => (await axe.run()).violations.flatMap((rule) =>
  rule.nodes.map((node) => `${rule.id}: ${node.target} ${node.html.slice(0, 200)}`))"""
SIDEWAYS = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"

# Elements and their attributes, with addresses outside of the page. Classes and dashes only change
# the look, as `hidden` does, and depend on the order of words.
STRUCTURE = """() => {
  const loads = ["href", "src", "action", "data", "srcdoc", "xlink:href", "http-equiv"];
  const outside = (a) => loads.includes(a.name) && !a.value.startsWith("#") ? a.value : "";
  return [...document.querySelectorAll("*")].flatMap((e) => [e.tagName, ...[...e.attributes]
    .filter((a) => !["class", "hidden", "stroke-dasharray"].includes(a.name))
    .map((a) => `${e.tagName} ${a.name} ${outside(a)}`)]);
}"""
HARMED = "() => Boolean(globalThis.harmed)"
# Overrides of the writing direction that reached the page, in texts or attributes.
OVERRIDES = """() => document.documentElement.outerHTML
  .match(/[\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f\\u061c\\u2028\\u2029]/g) ?? []"""


def structure(page: Any) -> set[str]:
    """Return the elements and attributes of a page in which nothing was executed.

    Pages with hostile texts must have the same as pages with harmless ones.
    """
    assert page.evaluate(HARMED) is False
    assert page.evaluate(OVERRIDES) == []
    return set(page.evaluate(STRUCTURE))


def address(page: Any) -> str:
    """Return the address as the page itself has it; ``page.url`` follows later."""
    return str(page.evaluate("location.href"))


def stop_clock(page: Any) -> None:
    """Stop the clock of a page, whose timers wait until the test lets time pass."""
    page.clock.install(time=0)
    page.clock.pause_at(1)


class Windows:
    """Opens windows of a browser and records their messages and requests.

    Parameters
    ----------
    browser : Playwright browser
    own : tuple of str
        How addresses begin that a page may ask for.
    """

    def __init__(self, browser: Any, own: tuple[str, ...]) -> None:
        self._browser = browser
        self._own = own
        self._contexts: list[Any] = []
        self.seen: list[str] = []

    def open(self, address: str, width: int, scheme: str) -> Any:
        """Open an address in a new window; return the Playwright page."""
        context = self._browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * HANGING)
        page.on("console", lambda message: self.seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        page.goto(address)
        return page

    def check_contents(self, page: Any) -> None:
        """Check that all elements have names and contrast, and fit into the window."""
        for missing in (NAMELESS, FAINT):
            found = page.evaluate(missing)
            assert not found, found
        assert page.evaluate(SIDEWAYS) is False, "the page is wider than the window"

    def _dialog(self, dialog: Any) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        if not request.url.startswith(self._own):
            self.seen.append(f"request: {request.url}")

    def close(self) -> None:
        """Close all windows; there must be no errors and no external requests."""
        for context in self._contexts:
            context.close()
        assert self.seen == []


class PageOpener(Windows):
    """Opens reports and other pages that are files."""

    def __init__(self, browser: Any, folder: Path) -> None:
        super().__init__(browser, (folder.as_uri(),))
        self._folder = folder

    def __call__(
        self, report: Report | Path, hash_: str = "", width: int = 1280, scheme: str = "light"
    ) -> Any:
        """Open a report in a new window; return the Playwright page."""
        path = report if isinstance(report, Path) else self._folder / "report.html"
        if isinstance(report, Report):
            report.save(path)
        return self.open(path.as_uri() + hash_, width, scheme)

    def check(self, page: Any) -> None:
        """Check that nothing was executed and that all elements have names and contrast."""
        assert page.evaluate(EXECUTED) is False
        self.check_contents(page)
