"""Opens the pages of a running server in a browser and checks what they do."""

from __future__ import annotations

from typing import Any

from report.page_checks import FAINT, NAMELESS, SIDEWAYS

# The page has one script, and content from a file must not add another.
EXECUTED = "() => Boolean(globalThis.harmed) || document.querySelectorAll('script').length !== 1"
VIOLATIONS = """async () => (await axe.run()).violations.flatMap((rule) =>
  rule.nodes.map((node) => `${rule.id}: ${node.target} ${node.html.slice(0, 200)}`))"""
# Browsers report every answer with an error status, including those that a page expects.
REFUSED = "Failed to load resource"


class SiteOpener:
    """Opens pages of a server and records their messages and requests."""

    def __init__(self, browser: Any, url: str, axe: str | None) -> None:
        self._browser = browser
        self._url = url
        self._axe = axe
        self._contexts: list[Any] = []
        self.seen: list[str] = []

    def __call__(self, hash_: str = "", width: int = 1280, scheme: str = "light") -> Any:
        """Open a view in a new window; return the Playwright page."""
        context = self._browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        page.goto(self._url + hash_)
        return page

    def check(self, page: Any) -> None:
        """Check names, contrast, width and accessibility, and that no content was executed."""
        assert page.evaluate(EXECUTED) is False
        for missing in (NAMELESS, FAINT):
            found = page.evaluate(missing)
            assert not found, found
        assert page.evaluate(SIDEWAYS) is False, "the page is wider than the window"
        if self._axe is not None:
            page.evaluate(self._axe)
            found = page.evaluate(VIOLATIONS)
            assert not found, found

    def check_both_schemes(self, page: Any) -> None:
        """Check the page in light and in dark colours."""
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            self.check(page)

    def expect_refusal(self) -> None:
        """Forget the browser's own messages about answers with an error status."""
        kept = [text for text in self.seen if REFUSED not in text]
        assert len(kept) < len(self.seen), "nothing was refused"
        self.seen = kept

    def _dialog(self, dialog: Any) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self._url, "data:,", "blob:")):
            self.seen.append(f"request: {request.url}")

    def close(self) -> None:
        """Close all pages; there must be no errors and no external requests."""
        for context in self._contexts:
            context.close()
        assert self.seen == []
