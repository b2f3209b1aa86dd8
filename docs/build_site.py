"""Build the site: ``make docs`` runs this with Zensical.

The pages in docs/ link to files outside it, such as ``../CONTRIBUTING.md``, because they are also
read on a code host. The site is therefore built from a copy in build/site-source, in which these
files are pages or downloads of the site and the links lead to them. The copy can be built by MkDocs
as well (see CONTRIBUTING.md).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SOURCE = ROOT / "build" / "site-source"
SITE = ROOT / "build" / "site"
PLAYGROUND = ROOT / "build" / "playground"  # made by make playground; the site can do without
# Pages of the site that are not in docs/.
OUTER_PAGES = {
    "README.md": "index.md",  # the home page says the same, and is not replaced
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "src/hyperbaton/example/README.md": "example-set.md",
}
LINK = re.compile(r"(\]\()([^)\s#]+)")
FENCE = re.compile(r"^(```.*?^```[^\n]*\n)", re.M | re.S)


def site_path(path: Path) -> Path:
    """Return where a file of the project is in the site, relative to its root."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS)
    outer = path.relative_to(ROOT).as_posix()
    return Path(OUTER_PAGES.get(outer, f"files/{outer}"))


def page_files() -> list[Path]:
    """Return the files of docs/ that the site has: all but programs."""
    files = (path for path in DOCS.rglob("*") if path.is_file())
    return sorted(path for path in files if path.suffix not in (".py", ".pyc"))


def convert_page(page: Path) -> tuple[str, set[Path]]:
    """Return the text of a page for the site, and the outer files that it links to."""
    folder = site_path(page).parent
    outer_files = set()

    def relink(match: re.Match[str]) -> str:
        target = (page.parent / match[2]).resolve()
        if "://" in match[2] or not target.is_file():
            return match[0]
        if not target.is_relative_to(DOCS):
            outer_files.add(target)
        return match[1] + Path(os.path.relpath(site_path(target), folder)).as_posix()

    def convert(text: str) -> str:
        # Python-Markdown indents what belongs to a list by four spaces; code hosts take two, too.
        return re.sub(r"^ {2,3}(?=\S)", "    ", LINK.sub(relink, text), flags=re.M)

    parts = FENCE.split(page.read_text("utf-8"))
    return "".join(part if FENCE.match(part) else convert(part) for part in parts), outer_files


def write_source(folder: Path) -> None:
    """Write mkdocs.yml and the pages of the site."""
    shutil.rmtree(folder, ignore_errors=True)
    outer_pages = {ROOT / name for name in OUTER_PAGES if name != "README.md"}
    waiting, seen = [*page_files(), *outer_pages], {ROOT / "README.md"}
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        copy = folder / "docs" / site_path(path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text, outer_files = convert_page(path)
            copy.write_text(text, "utf-8", newline="\n")
            waiting += outer_files
        else:
            shutil.copyfile(path, copy)
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    if (PLAYGROUND / "index.html").exists():
        copy_playground(folder / "docs" / "playground")
    else:
        config = re.sub(r"^ *- Playground: .*\n", "", config, flags=re.M)
    (folder / "mkdocs.yml").write_text(config, "utf-8", newline="\n")


def copy_playground(folder: Path) -> None:
    """Copy the playground; in the site, its page has links to other pages."""
    shutil.copytree(PLAYGROUND, folder)
    page = folder / "index.html"
    links = (
        '<a class="site" href="../playground.html">About this page</a>\n'
        '<a href="../index.html">Documentation</a>'
    )
    text = page.read_text("utf-8").replace("<!-- links of the site -->", links)
    page.write_text(text, "utf-8", newline="\n")


def build() -> None:
    """Build the site into build/site; any warning is an error."""
    write_source(SOURCE)
    # The API pages are made from the source code, with docs/docstring_markdown.py.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "src")))}
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean", "--strict"],
        cwd=SOURCE,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    print(done.stdout, end="")
    if done.returncode or "griffe:" in done.stdout:  # --strict does not see warnings of Griffe
        sys.exit("the site was not built without warnings")
    shutil.rmtree(SITE, ignore_errors=True)
    (SOURCE / "site").rename(SITE)


if __name__ == "__main__":
    build()
