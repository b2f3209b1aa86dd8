"""Texts for the source aligner: sentence pairs with gold links, and those of WMT13."""

from __future__ import annotations

import csv
import html
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import hyperbaton as hb
from evidence.data import data_folder
from evidence.hansard import english_words, french_words
from evidence.link_quality import LinkQuality, Links, link_quality

Pairs = list[tuple[str, str]]


def link_sets(alignments: Iterable[hb.Alignment]) -> list[Links]:
    return [set(alignment.links) for alignment in alignments]


def read_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


@dataclass(frozen=True)
class GoldSet:
    """Sentence pairs with gold links; words are separated by spaces.

    ``possible`` contains only the possible links that are not sure.
    """

    pairs: Pairs
    sure: list[hb.Alignment]
    possible: list[hb.Alignment]

    @classmethod
    def read(cls, name: str) -> GoldSet:
        folder = data_folder() / "align" / name
        sides = (read_lines(folder / f"{side}.txt") for side in ("source", "target"))
        pairs = list(zip(*sides, strict=True))
        sure, possible = (
            [
                hb.Alignment.from_pharaoh(line, len(source.split()), len(target.split()))
                for line, (source, target) in zip(read_lines(folder / file), pairs, strict=True)
            ]
            for file in ("gold.sure.align", "gold.possible.align")
        )
        return cls(pairs, sure, possible)

    def all_links(self) -> list[hb.Alignment]:
        """Return the sure and the possible links."""
        return [
            hb.Alignment(sure.hyp_length, sure.ref_length, {*sure.links, *possible.links})
            for sure, possible in zip(self.sure, self.possible, strict=True)
        ]

    def quality(self, found: Iterable[Links]) -> LinkQuality:
        return link_quality(found, link_sets(self.sure), link_sets(self.possible))


@dataclass(frozen=True)
class Wmt13:
    """A language pair of WMT13; HTML entities are decoded as in :func:`load_test_sets`."""

    sources: list[str]
    references: list[str]
    systems: dict[str, list[str]]
    human_scores: dict[str, float]

    @classmethod
    def read(cls, name: str) -> Wmt13:
        folder = data_folder() / "wmt13" / name
        with open(folder / "human_sys.tsv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        return cls(
            read_lines(folder / "source.txt"),
            read_lines(folder / "reference.txt"),
            {
                path.stem: list(map(html.unescape, read_lines(path)))
                for path in sorted((folder / "systems").iterdir())
            },
            {row["system"]: float(row["score"]) for row in rows},
        )

    def lines(self, first: int, end: int) -> Wmt13:
        return Wmt13(
            self.sources[first:end],
            self.references[first:end],
            {name: lines[first:end] for name, lines in self.systems.items()},
            self.human_scores,
        )

    def reference_pairs(self) -> Pairs:
        return list(zip(self.sources, self.references, strict=True))

    def system_pairs(self, *names: str) -> Pairs:
        """Return the pairs of some systems; by default of all."""
        return [
            pair
            for name in names or self.systems
            for pair in zip(self.sources, self.systems[name], strict=True)
        ]

    def all_pairs(self) -> Pairs:
        return [*self.reference_pairs(), *self.system_pairs()]


@cache
def gold_set(name: str) -> GoldSet:
    return GoldSet.read(name)


@cache
def wmt13(name: str) -> Wmt13:
    return Wmt13.read(name)


def like_gold(pairs: Pairs) -> Pairs:
    """Return French–English pairs as English–French pairs with the words of the gold set."""
    words = {french: french_words(french) for french, _ in pairs}
    return [(english_words(english), words[french]) for french, english in pairs]


@dataclass(frozen=True)
class TrainingData:
    """What an aligner is trained on before it aligns a gold set, besides the gold set's text."""

    gold: str
    name: str
    references: bool = False
    systems: bool = False

    def pairs(self) -> Pairs:
        extra: Pairs = []
        if self.references:
            extra += wmt13("fr-en").reference_pairs()
        if self.systems:
            extra += wmt13("fr-en").system_pairs()
        return [*gold_set(self.gold).pairs, *like_gold(extra)]


TRAINING = (
    TrainingData("en-fr", "en-fr, the 447 pairs alone"),
    TrainingData("en-fr", "en-fr, with references of wmt13", references=True),
    TrainingData("en-fr", "en-fr, with references and 13 systems", references=True, systems=True),
    TrainingData("ja-en", "ja-en, the 582 pairs alone"),
)
