"""Put the files of the playground beside its compiled core: ``make playground`` runs this.

The drawings and styles are those of reports, and the descriptions of the measures are those of the
catalogue, so that they exist once.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from hyperbaton.order.catalogue import MEASURES
from hyperbaton.views.asset_files import read_asset
from hyperbaton.views.page import explanation_styles
from hyperbaton.views.reports import script_constants

ROOT = Path(__file__).parent.parent
PLAYGROUND = ROOT / "build" / "playground"
PAGE_FILES = ("index.html", "playground.css", "model.js", "page.js")
REPORT_FILES = ("report.css", "drawings.js", "decode.js")


def build(folder: Path) -> None:
    """Write all files but the compiled core, core.js."""
    for name in PAGE_FILES:
        shutil.copyfile(ROOT / "playground" / name, folder / name)
    keys = ("name", "description", "measures_order")
    rows = [{key: getattr(row, key) for key in keys} for row in MEASURES.values()]
    measures = json.dumps(rows, ensure_ascii=False, indent=1)
    files = {
        **{name: read_asset(name) for name in REPORT_FILES},
        "drawings.css": explanation_styles(),
        "constants.js": script_constants(),
        "measures.js": f"// From the catalogue of measures.\nconst MEASURES = {measures};\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    build(PLAYGROUND)
