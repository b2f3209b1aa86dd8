"""Opens the pages of a running server in a browser and checks what they do."""

from __future__ import annotations

from typing import Any

from views.get_axe import SCRIPT
from views.page_checks import VIOLATIONS, Windows

# The page has one script, and content from a file must not add another.
EXECUTED = "() => Boolean(globalThis.harmed) || document.querySelectorAll('script').length !== 1"
# Browsers report every answer with an error status, including those that a page expects.
REFUSED = "Failed to load resource"


class SiteOpener(Windows):
    """Opens pages of a server."""

    def __init__(self, browser: Any, url: str) -> None:
        super().__init__(browser, (url, "data:,", "blob:"))
        self._url = url
        self._axe = SCRIPT.read_text("utf-8") if SCRIPT.exists() else None

    def __call__(self, hash_: str = "", width: int = 1280, scheme: str = "light") -> Any:
        """Open a view in a new window; return the Playwright page."""
        return self.open(self._url + hash_, width, scheme)

    def check(self, page: Any) -> None:
        """Check names, contrast, width and accessibility, and that no content was executed."""
        assert page.evaluate(EXECUTED) is False
        self.check_contents(page)
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
