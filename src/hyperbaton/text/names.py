"""Names that do not exist, and the names that may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that are close to a name, the closest first.

    >>> similar_names("kendal", ["pef", "kendall"])
    ['kendall']
    """
    return difflib.get_close_matches(name, list(known), 3, 0.6)


def unknown_name_message(
    kind: str, name: str, known: Iterable[str], owner: str | None = None
) -> str:
    """Return the error message for an unknown name, suggesting close matches.

    >>> unknown_name_message("metric", "kendal", ["kendall", "pef"])
    "unknown metric 'kendal'; did you mean kendall?"
    >>> unknown_name_message("option", "x", ["beta", "bp"], owner="pef")
    "unknown option 'x' of pef; valid names: beta, bp"
    """
    of_owner = "" if owner is None else f" of {owner}"
    names = list(known)
    if not names:
        return f"unknown {kind} {name!r}{of_owner}; there are none"
    similar = similar_names(name, names)
    hint = (
        f"did you mean {' or '.join(similar)}?" if similar else f"valid names: {', '.join(names)}"
    )
    return f"unknown {kind} {name!r}{of_owner}; {hint}"
