"""A small source with translations, and the links that an aligner finds in it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import hyperbaton as hb

WORDS = "haus hund katze baum berg wald stadt fluss tisch stuhl buch brot wein salz mond stern"
ENGLISH = "house dog cat tree mountain forest city river table chair book bread wine salt moon star"
CHINESE = "房子 狗 猫 树 山 森林 城市 河 桌子 椅子 书 面包 酒 盐 月亮 星星"


@dataclass(frozen=True)
class Texts:
    """A source, the references of each sentence, and two systems."""

    source: list[str]
    references: list[list[str]]
    systems: dict[str, list[str]]

    @property
    def hypotheses(self) -> list[str]:
        return next(iter(self.systems.values()))

    def pairs(self, *systems: str) -> list[tuple[str, str]]:
        """The sentence pairs of the source with all references, and with some systems."""
        found = [
            (line, reference)
            for line, references in zip(self.source, self.references, strict=True)
            for reference in references
        ]
        for name in systems:
            found += zip(self.source, self.systems[name], strict=True)
        return found


@cache
def texts(references: tuple[int, ...] = (1,), chinese: bool = False) -> Texts:
    """Return sentences with translations in some other order, punctuation and empty lines."""
    rng = random.Random(11)
    words, targets = WORDS.split(), (CHINESE if chinese else ENGLISH).split()

    def sentence(words: list[str]) -> str:
        comma = "," if len(words) > 3 else ""
        return " ".join([*words[:2], *(word + comma for word in words[2:3]), *words[3:]]) + "."

    def translate(numbers: list[int]) -> str:
        chosen = [targets[k] for k in numbers if rng.random() < 0.9]
        cut = rng.randint(0, len(chosen))
        line = sentence(chosen[cut:] + chosen[:cut])
        return line.replace(" ", "") if chinese else line.capitalize()

    rows = [rng.sample(range(len(words)), rng.randint(1, 7)) for _ in range(24)]
    source = [sentence([words[k] for k in row]) for row in rows]
    several = [[translate(row) for _ in range(rng.choice(references))] for row in rows]
    systems = {name: [translate(row) for row in rows] for name in ("first", "second")}
    source[0] = ""
    several[1][-1] = ""
    systems["first"][2] = ""
    source[3] = systems["first"][3] = several[3][0] = ""
    return Texts(source, several, systems)


def pharaoh(
    aligner: hb.SourceAligner, given: Texts, hypotheses: list[str]
) -> tuple[list[str], list[list[str]]]:
    """The links of the source with a system and with the references, as lines of files."""
    system = [found.to_pharaoh() for found in aligner.align(given.source, hypotheses)]
    links = iter(aligner.align(*map(list, zip(*given.pairs(), strict=True))))
    references = [[next(links).to_pharaoh() for _ in row] for row in given.references]
    return system, references
