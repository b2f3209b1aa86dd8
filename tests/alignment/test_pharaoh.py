"""Files of alignments: read beside their texts, written, and what is wrong with them."""

from __future__ import annotations

import gzip
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

import hyperbaton as hb
from hyperbaton.alignment.pharaoh import LinkBatch, LinkFile, read_alignments, write_alignments
from hyperbaton.errors import InputError

SOURCE = "a b c\n\nd e\n"
TARGET = "A B C D\nX\nE D\n"
LINKS = "0-0 1-2=1-3\n\n0-1 1?0\n"
SOURCE_HINT = (
    "source words are split at spaces; if the links refer to tokens, use --source-tokenize 13a, in "
    "Python source_tokenize='13a'"
)
TARGET_HINT = (
    "target words are split at spaces; if the links refer to tokens, use --tokenize 13a, in Python "
    "tokenize='13a'"
)


def read_link_batches(
    path: str,
    source: str,
    target: str | None = None,
    *,
    base: int = 0,
    warn: Callable[[str], None] = warnings.warn,
    size: int = 4000,
) -> Iterator[LinkBatch]:
    return LinkFile(path, source, target, base).read_batches(warn, size)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("s", SOURCE), ("t", TARGET), ("links", LINKS)):
        Path(name).write_text(text, encoding="utf-8")


def test_links_of_tokens() -> None:
    """Links may refer to the tokens of texts that are not tokenised."""
    Path("s").write_text("Gut, ja.\n", encoding="utf-8")
    Path("t").write_text("Well, yes.\n", encoding="utf-8")
    Path("links").write_text("0-0 3-3\n", encoding="utf-8")
    [alignment] = read_alignments("links", "s", "t", source_tokenize="13a", tokenize="13a")
    assert (alignment.hyp_length, alignment.ref_length) == (4, 4)
    outside = "^links, line 1: link 3-3 is outside the {}, which has 2 words{}$"
    for source_tok, tok, side, hints in (
        (None, None, "source", [SOURCE_HINT, TARGET_HINT]),
        (None, "13a", "source", [SOURCE_HINT]),
        ("13a", None, "target", [TARGET_HINT]),
        ("13a", "none", "target", []),
    ):
        hint = re.escape(f" ({'; '.join(hints)})") if hints else ""
        with pytest.raises(InputError, match=outside.format(side, hint)):
            list(read_alignments("links", "s", "t", source_tokenize=source_tok, tokenize=tok))


def test_reading() -> None:
    first, second, third = read_alignments("links", "s", "t")
    assert first.phrases[1] == hb.Link(1, 1, 2, 3)
    assert (second.hyp_length, second.ref_length, second.links) == (0, 1, ())
    assert third.to_pharaoh() == "0-1 1?0"
    [*_, sure] = read_alignments("links", "s", "t", possible=False)
    assert sure.to_pharaoh() == "0-1"
    [*_, alone] = read_alignments("links", "s")  # without a target, as long as need be
    assert (alone.hyp_length, alone.ref_length) == (2, 2)


def test_files_are_read_line_by_line() -> None:
    Path("links").write_text("0-0\n\n9-9\n", encoding="utf-8")
    found = read_alignments("links", "s", "t")
    assert next(found).to_pharaoh() == "0-0"  # what is wrong later does not matter yet
    next(found)
    with pytest.raises(InputError, match=r"^links, line 3: link 9-9 is outside the source"):
        next(found)


def test_writing_and_round_trips() -> None:
    found = list(read_alignments("links", "s", "t"))
    write_alignments("again", found, "moses")
    assert Path("again").read_text("utf-8") == "0=0 1-2=1-3\n\n0=1 1=0\n"
    write_alignments("again", found, base=1)
    assert Path("again").read_text("utf-8") == "1-1 2-2 2-3 2-4 3-2 3-3 3-4\n\n1-2 2?1\n"
    again = list(read_alignments("again", "s", "t", base=1))
    assert [alignment.links for alignment in again] == [alignment.links for alignment in found]
    with pytest.raises(ValueError, match="notation must be one of pharaoh, moses, got 'naacl'"):
        write_alignments("none", found, "naacl")
    assert not Path("none").exists()


def test_columns_and_gzip() -> None:
    Path("links.gz").write_bytes(gzip.compress(LINKS.encode()))
    Path("all.tsv").write_text("s\tl\na b c\t0-0\n\t\nd e\t1-0\n", encoding="utf-8")
    assert list(read_alignments("links.gz", "s", "t")) == list(read_alignments("links", "s", "t"))
    assert [a.to_pharaoh() for a in read_alignments("all.tsv:l", "all.tsv:s")] == ["0-0", "", "1-0"]
    Path("two.jsonl").write_text('{"l": ["0-0", "0-1"]}\n{"l": ""}\n{"l": ""}\n', "utf-8")
    with pytest.raises(InputError, match=r"^two.jsonl:l, line 1: expected one text, got 2"):
        list(read_alignments("two.jsonl:l", "s"))


BAD = {
    "0-0\n\n0:1\n": "links, line 3: '0:1' is not a link such as 0-1 or 1-2=1-2",
    "0-0\n0-0\n\n": "links, line 2: link 0-0 is outside the source, which has 0 words "
    f"({SOURCE_HINT})",
    "0-0 2-4\n\n\n": "links, line 1: link 2-4 is outside the target, which has 4 words "
    f"({TARGET_HINT})",
    "0-0 2-3=0\n\n\n": "links, line 1: link 2-3=0 is outside the source, which has 3 words "
    f"({SOURCE_HINT})",
    "0-0\nA sentence.\n\n": "links, line 2: 'A' is not a link such as 0-1 or 1-2=1-2 (if this is a "
    "text, align it: hyperbaton align --source SRC --train TGT, in Python SourceAligner.train)",
    "0-0\n\n": "s has 3 lines, but links has 2",
    "0-0\n\n\n\n": "links has 4 lines, but s has 3",
    "": "s has 3 lines, but links is empty",
}


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize(
    "reader", [read_alignments, *(partial(read_link_batches, size=size) for size in (1, 2, 100))]
)
def test_bad_files(text: str, reader: Callable[..., Iterable[object]]) -> None:
    Path("links").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as found:
        list(reader("links", "s", "t"))
    assert str(found.value) == BAD[text]


def test_bad_files_that_count_from_one() -> None:
    Path("links").write_text("1-1\n\n3-1\n", encoding="utf-8")
    for reader in (read_alignments, read_link_batches):
        with pytest.raises(InputError) as found:
            list(reader("links", "s", "t", base=1))
        message = "links, line 3: link 3-1 is outside the source, which has 2 words"
        assert str(found.value) == f"{message} ({SOURCE_HINT})"
    Path("links").write_text("1-1\n\n0-1\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"^links, line 3: '0-1' has index 0, but words are counted"
    ):
        list(read_alignments("links", "s", "t", base=1))


@pytest.mark.parametrize(
    ("text", "base", "warned"),
    [
        ("1-1 2-2\n\n1-1\n", 0, True),
        ("1-1 2-2\n\n1-0\n", 0, False),
        ("1-1 2-2\n\n1-1\n", 1, False),
        ("\n\n\n", 0, False),
        ("2-1 1-10\n\n\n", 0, True),  # the 0 of 10 is none
    ],
)
def test_files_that_seem_to_count_from_one(text: str, base: int, warned: bool) -> None:
    Path("links").write_text(text, encoding="utf-8")
    for reader in (read_alignments, read_link_batches):
        heard: list[str] = []
        list(reader("links", "s", base=base, warn=heard.append))
        assert bool(heard) == warned
    if warned:
        assert heard[0].startswith("links: no index is 0; if words are counted from 1")
        with pytest.warns(UserWarning, match="no index is 0"):
            list(read_alignments("links", "s", base=base))


def gold(pair: str) -> Path:
    folder = os.environ.get("HYPERBATON_DATA")
    if not folder:
        pytest.skip("needs real data: set HYPERBATON_DATA to its folder")
    return Path(folder) / "align" / pair


@pytest.mark.parametrize("pair", ["ja-en", "en-fr"])
@pytest.mark.parametrize("kind", ["sure", "possible"])
def test_gold_alignments_round_trip(pair: str, kind: str) -> None:
    folder = gold(pair)
    texts = str(folder / "source.txt"), str(folder / "target.txt")
    links = folder / f"gold.{kind}.align"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few possible links may all be ≥ 1
        found = list(read_alignments(str(links), *texts))
        assert sum(len(alignment.links) for alignment in found) == len(
            links.read_text("utf-8").split()
        )
        for notation in ("pharaoh", "moses"):
            write_alignments("again", found, notation, base=1)
            assert list(read_alignments("again", *texts, base=1)) == found
        write_alignments("again", found)
    assert Path("again").read_bytes() == links.read_bytes()


def test_gold_profiles() -> None:
    """Japanese and English differ in order more often, and over longer spans, than en and fr."""
    profiles = []
    for pair in ("ja-en", "en-fr"):
        folder = gold(pair)
        [pairs] = read_link_batches(str(folder / "gold.sure.align"), str(folder / "source.txt"))
        profiles.append(hb.reordering_profile(*pairs.permutations("moses")))
    japanese, french = profiles
    assert japanese.reorderings / japanese.words > 3 * french.reorderings / french.words
    assert (japanese.mean_span or 0) > 1.5 * (french.mean_span or 0)
    assert (japanese.mean_move or 0) > 1.5 * (french.mean_move or 0)
    assert (japanese.monotone or 0) < (french.monotone or 0)
    assert (japanese.binarizable or 0) < (french.binarizable or 0)
    assert all(japanese.measures[name] < french.measures[name] for name in ("kendall", "pef"))
