"""Check the built site: every link and anchor has a target, and no page loads anything from afar.

Run ``python docs/check_site.py [FOLDER]``; the default is build/site.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parent.parent / "build" / "site"
REMOTE_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^)"']*""")
# Links of these kinds tell something about a page; a browser does not load them.
UNLOADED_LINKS = {"canonical", "next", "prev", "alternate"}


@dataclass
class Page(HTMLParser):
    """The addresses in a page, and the anchors that it has."""

    path: Path
    links: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the addresses and the anchors of an element."""
        values = {name: value for name, value in attrs if value is not None}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if "src" in values:
            self.resources.append(values["src"])
        if "href" in values:
            loaded = tag != "a" and values.get("rel") not in UNLOADED_LINKS
            (self.resources if loaded else self.links).append(values["href"])


def is_remote(address: str) -> bool:
    """Whether an address leaves the site."""
    return bool(urlsplit(address).netloc)


def find_problems(site: Path) -> list[str]:
    """Return a line for each broken link and each remote resource of a site."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        place = path.relative_to(site).as_posix()
        problems += [f"{place}: loads {link}" for link in page.resources if is_remote(link)]
        for address in page.links + page.resources:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            start = site if parts.path.startswith("/") else path.parent
            target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(parts.fragment)
            if not target.is_file():
                problems.append(f"{place}: {address} does not exist")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                problems.append(f"{place}: {address} has no such anchor")
    for path in sorted(site.rglob("*.css")):
        for style in REMOTE_STYLE.findall(path.read_text("utf-8")):
            problems.append(f"{path.relative_to(site).as_posix()}: loads {style}")
    return problems


if __name__ == "__main__":
    site = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else SITE
    found = find_problems(site)
    sys.exit("\n".join(found) if found else 0)
