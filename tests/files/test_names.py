"""Names of systems as people see them."""

from __future__ import annotations

import random

from rich.cells import cell_len

import hostile_text
from hyperbaton.files.lines import MAX_NAME_WIDTH, short_names


def test_names_are_short_printable_and_different() -> None:
    """Also names that differ only in their middle, or only in what cannot be printed."""
    rng = random.Random(3)
    names = [
        "".join(rng.choice("ab翻מ\u0301\t") for _ in range(rng.randint(1, 40))) for _ in range(400)
    ]
    names += hostile_text.file_names(hostile_text.TEXTS)
    names += [f"{'x' * 20}{k}{'y' * 20}" for k in range(150)] + [
        "xxxxxxxx…yyyyyy~1",
        "a\tb",
        "a\\tb",
    ]
    names = list(dict.fromkeys(names))
    shown = short_names(names)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert all(text.isprintable() for text in shown.values())
    assert max(map(cell_len, shown.values())) <= MAX_NAME_WIDTH
    for name, text in shown.items():
        if name.isprintable() and cell_len(name) <= MAX_NAME_WIDTH:
            assert text == name
    rng.shuffle(names)
    assert short_names(names) == shown  # in any order
