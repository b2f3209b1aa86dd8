"""Paraphrase tables: matches against a plain twin, the cached index, and damaged files."""

from __future__ import annotations

import gzip
import os
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton import Aligner
from hyperbaton.alignment import paraphrases
from hyperbaton.alignment.paraphrases import Match, ParaphraseTable
from hyperbaton.errors import MissingData

Record = tuple[float, str, str]

RECORDS: list[Record] = [
    (0.5, "as well", "too"),
    (0.25, "too", "as well"),
    (0.125, "too", "also"),
    (0.0625, "also", "as well"),
    (0.1, "in the field of", "in"),
    (0.2, "in", "in the field of"),
    (0.3, "in the area of", "in the field of"),
    (1.0, "café", "coffee house"),
    (0.0196850393700787, "'s", "is"),
    (0.7, "is", "is"),
    (0.01, "too", "as well"),
    (1e-12, "european union", "eu"),
]


def text(records: list[Record]) -> bytes:
    return "".join(f"{p}\n{a}\n{b}\n" for p, a, b in records).encode()


def write(path: Path, records: list[Record] = RECORDS) -> Path:
    path.write_bytes(text(records))
    return path


def matches(table: ParaphraseTable, hyp: str, ref: str) -> list[Match]:
    return table.matches(hyp.split(), ref.split())


def plain(records: list[Record], hyp: Sequence[str], ref: Sequence[str]) -> list[Match]:
    """By looking at all pairs of spans."""
    best: dict[tuple[str, str], float] = {}
    for p, a, b in records:
        for pair in ((a, b), (b, a)):
            best[pair] = max(p, best.get(pair, 0))
    found = []
    for i in range(len(hyp)):
        for m in range(1, len(hyp) - i + 1):
            for j in range(len(ref)):
                for n in range(1, len(ref) - j + 1):
                    pair = " ".join(hyp[i : i + m]), " ".join(ref[j : j + n])
                    if pair in best and pair[0] != pair[1]:
                        found.append((i, m, j, n, best[pair]))
    return sorted(found)


def test_matches(tmp_path: Path) -> None:
    table = ParaphraseTable.open(write(tmp_path / "table"))
    # the higher probability, whichever way round they are asked for
    assert matches(table, "he too came", "he came as well") == [(1, 1, 2, 2, 0.5)]
    assert matches(table, "he came as well", "he too came") == [(2, 2, 1, 1, 0.5)]
    # said in one direction only
    assert matches(table, "also", "too") == [(0, 1, 0, 1, 0.125)]
    assert matches(table, "coffee house", "café") == [(0, 2, 0, 1, 1.0)]
    # what is not in it, or equal
    assert matches(table, "coffee", "café") == []
    assert matches(table, "is too also", "is") == []
    assert matches(table, "too", "TOO") == []
    # every occurrence with every other
    assert matches(table, "too too", "also as well also") == [
        (0, 1, 0, 1, 0.125),
        (0, 1, 1, 2, 0.5),
        (0, 1, 3, 1, 0.125),
        (1, 1, 0, 1, 0.125),
        (1, 1, 1, 2, 0.5),
        (1, 1, 3, 1, 0.125),
    ]
    # parts of a longer one, which itself is cut off by an unknown word or by the end
    assert matches(table, "in the field of wheat", "in the area of") == [
        (0, 4, 0, 1, 0.2),
        (0, 4, 0, 4, 0.3),
    ]
    assert matches(table, "in the field", "in the area") == []
    assert matches(table, "in the xyz of", "in the area of") == []


@pytest.mark.parametrize(("hyp", "ref"), [("", ""), ("too", ""), ("", "too"), ("x", "y z")])
def test_nothing_to_match(tmp_path: Path, hyp: str, ref: str) -> None:
    table = ParaphraseTable.open(write(tmp_path / "table"))
    assert matches(table, hyp, ref) == []


def test_unusual_tokens_have_no_paraphrases(tmp_path: Path) -> None:
    table = ParaphraseTable.open(write(tmp_path / "table"))
    odd = ["", "as well", "too\nalso", "\udc80", "\x00"]
    assert table.matches(odd, ["too", "also", "as", "well"]) == []


def test_only_equal_phrases(tmp_path: Path) -> None:
    table = ParaphraseTable.open(write(tmp_path / "table", [(0.5, "a b", "a b"), (0.5, "c", "c")]))
    assert matches(table, "a b c", "c a b") == []


def sentence(rng: random.Random, most: int) -> list[str]:
    return [rng.choice("abcd") for _ in range(rng.randint(1, most))]


@pytest.mark.parametrize("seed", range(40))
def test_against_all_pairs_of_spans(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    records = [
        (rng.randint(1, 100) / 100, " ".join(sentence(rng, 4)), " ".join(sentence(rng, 4)))
        for _ in range(rng.choice([1, 5, 30, 300]))
    ]
    path = write(tmp_path / "table", records)
    built, loaded = ParaphraseTable.open(path), ParaphraseTable.open(path)
    for _ in range(10):
        hyp, ref = sentence(rng, 9), sentence(rng, 9)
        hyp[0] = rng.choice([hyp[0], "unknown"])
        expected = plain(records, hyp, ref)
        assert built.matches(hyp, ref) == expected
        assert loaded.matches(hyp, ref) == expected
        turned = sorted((i, m, j, n, p) for j, n, i, m, p in expected)
        assert built.matches(ref, hyp) == turned


words = st.lists(st.sampled_from(["a", "b", "ä", "🙂"]), min_size=1, max_size=3).map(" ".join)
tables = st.lists(st.tuples(st.floats(0, 1, exclude_min=True), words, words), min_size=1)
sentences = st.lists(st.sampled_from(["a", "b", "ä", "🙂", "x"]), max_size=6)


@given(tables, sentences, sentences)
def test_any_table(
    tmp_path_factory: pytest.TempPathFactory, records: list[Record], hyp: list[str], ref: list[str]
) -> None:
    path = write(tmp_path_factory.mktemp("any") / "table", records)
    assert ParaphraseTable.open(path).matches(hyp, ref) == plain(records, hyp, ref)


def test_gzip_is_recognized_whatever_the_file_name(tmp_path: Path) -> None:
    plain_table = ParaphraseTable.open(write(tmp_path / "plain"))
    (tmp_path / "zipped.txt").write_bytes(gzip.compress(text(RECORDS)))
    zipped = ParaphraseTable.open(tmp_path / "zipped.txt")
    assert matches(zipped, "too", "as well") == matches(plain_table, "too", "as well") != []
    # the same contents, the same version
    assert re.fullmatch("[0-9a-f]{8}", zipped.version)
    assert zipped.version == plain_table.version
    assert ParaphraseTable.open(write(tmp_path / "less", RECORDS[1:])).version != zipped.version
    assert repr(zipped) == f"<ParaphraseTable {zipped.version}, 8 pairs>"


def test_spaces_and_line_ends_make_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_bytes(b"0.5\r\nas  well \r\ntoo\r\n0.75\nas well\ntoo\n0.25\ntoo\nas well")
    assert matches(ParaphraseTable.open(path), "as well", "too") == [(0, 2, 0, 1, 0.75)]


def test_a_table_is_read_in_several_steps(tmp_path: Path) -> None:
    path = write(tmp_path / "table")
    table = ParaphraseTable.open(str(path), records_per_read=5)
    assert matches(table, "eu", "european union") == [(0, 1, 0, 2, 1e-12)]


def never(*_: object) -> None:
    raise AssertionError("the index was built again")


def test_the_index_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "table")
    built = ParaphraseTable.open(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["table", "table.hyperbaton"]
    monkeypatch.setattr(paraphrases, "_build_index", never)
    loaded = ParaphraseTable.open(path)
    assert loaded.version == built.version
    assert matches(loaded, "in it too", "in the field of it as well") == [
        (0, 1, 0, 4, 0.2),
        (2, 1, 5, 2, 0.5),
    ]


def test_a_changed_table_is_indexed_again(tmp_path: Path) -> None:
    path = write(tmp_path / "table", [(0.5, "a", "b")])
    old = ParaphraseTable.open(path)
    time = path.stat().st_mtime_ns
    # as long as the old one and later; or at the same time and longer
    for records, shift in (([(0.5, "a", "c")], 10**9), ([(0.25, "a", "c")], 0)):
        write(path, records)
        time += shift
        os.utime(path, ns=(time, time))
        new = ParaphraseTable.open(path)
        assert new.version != old.version
        assert matches(new, "a", "b c") == [(0, 1, 1, 1, records[0][0])]
    # and the old one can still be used
    assert matches(old, "a", "b c") == [(0, 1, 0, 1, 0.5)]


def test_a_damaged_index_is_built_again(tmp_path: Path) -> None:
    path = write(tmp_path / "table")
    ParaphraseTable.open(path)
    cache = tmp_path / "table.hyperbaton"
    good = cache.read_bytes()
    damaged = [b"", b"x", good[:15], good[:50], good[:-1], good + b"x", b"\x00" * len(good)]
    damaged.append(good.replace(paraphrases.MAGIC, b"HBPARA0\n"))
    for place in range(0, len(good), 7):
        damaged.append(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
    for contents in damaged:
        cache.write_bytes(contents)
        with pytest.warns(UserWarning, match="damaged") as noticed:
            table = ParaphraseTable.open(path)
        said = f"{cache} is damaged, or of another version: it is built again"
        assert [str(warning.message) for warning in noticed] == [said]
        assert matches(table, "too", "as well") == [(0, 1, 0, 2, 0.5)]
        assert cache.read_bytes() == good
    assert len(list(tmp_path.iterdir())) == 2


def test_an_index_that_cannot_be_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "table")
    (tmp_path / "table.hyperbaton").mkdir()
    assert matches(ParaphraseTable.open(path), "too", "as well") == [(0, 1, 0, 2, 0.5)]
    assert len(list(tmp_path.iterdir())) == 2  # no temporary file is left


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_read_only_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = write(folder / "table")
    folder.chmod(0o500)
    try:
        assert matches(ParaphraseTable.open(path), "too", "as well") == [(0, 1, 0, 2, 0.5)]
        assert [file.name for file in folder.iterdir()] == ["table"]
    finally:
        folder.chmod(0o700)


def test_no_table(tmp_path: Path) -> None:
    for path in (tmp_path / "none.gz", tmp_path):
        with pytest.raises(MissingData, match=re.escape(f"no paraphrase table at {path}: METEOR")):
            ParaphraseTable.open(path)


GOOD = b"0.5\na b\nc\n"


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "line 1: the table has no records"),
        (GOOD + b"0.5\n", "line 4: the table ends within a record of three lines"),
        (GOOD + b"0.5\na", "line 5: the table ends within a record of three lines"),
        (GOOD + b"0.5\na\n" + GOOD, "line 7: 'a b' is not a probability"),
        (GOOD + b"\n", "line 4: '' is not a probability"),
        (b"p\na\nb\n" + GOOD, "line 1: 'p' is not a probability (a number above 0)"),
        (GOOD + b"0\na\nb\n", "line 4: '0' is not a probability"),
        (GOOD + b"-0.5\na\nb\n", "line 4: '-0.5' is not a probability"),
        (GOOD + b"nan\na\nb\n", "line 4: 'nan' is not a probability"),
        (GOOD + b"inf\na\nb\n", "line 4: 'inf' is not a probability"),
        (GOOD + b"0.5\n\nb\n", "line 5: the phrase is empty"),
        (GOOD + b"0.5\na\n \n", "line 6: the phrase is empty"),
        (GOOD + b"0.5\na\nb\xff\n", "line 6: not UTF-8"),
        (GOOD + b"0.5\n\xc3\nb\n" + GOOD, "line 5: not UTF-8"),
        (GOOD + b"0.5\n\n\xff\n2\n", "line 5: the phrase is empty"),  # the first of several
    ],
)
@pytest.mark.parametrize("records_per_read", [1, 1000])
def test_malformed_tables(
    tmp_path: Path, contents: bytes, message: str, records_per_read: int
) -> None:
    for path, stored in ((tmp_path / "a", contents), (tmp_path / "b", gzip.compress(contents))):
        path.write_bytes(stored)
        with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
            ParaphraseTable.open(path, records_per_read=records_per_read)
    assert len(list(tmp_path.iterdir())) == 2  # nothing is kept of them


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "table.gz"
    whole = gzip.compress(text(RECORDS))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for contents in (whole[:-9], whole[:12], bytes(flipped), whole + b"rubbish"):
        path.write_bytes(contents)
        with pytest.raises(ValueError, match=r"table\.gz, after line 0: the gzip data is damaged"):
            ParaphraseTable.open(path)


def test_too_many_matches_make_an_alignment_inexact(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text("0.5\na\nb\n", encoding="utf-8")
    aligner = Aligner("en", ["exact", "paraphrase"], "none", paraphrases=path)
    few = aligner.align(["a"] * 200, ["b"] * 200)
    assert len(few.links) == 200
    assert few.exact
    many = aligner.align(["a"] * 2000, ["b"] * 2000)
    assert len(many.links) > 1900  # those nearest to where they would be are kept
    assert not many.exact


def test_paraphrases_of_many_sentences_are_found_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # all at once, a megabyte of lines of few words took more than 2 GB
    rng = random.Random(3)
    table = write(tmp_path / "table", [(0.5, "a", "b b"), (0.5, "b", "c a"), (0.5, "c", "a")])
    hyps, refs = (
        [" ".join(rng.choices("abc", k=rng.randint(0, 12))) for _ in range(60)] for _ in range(2)
    )
    aligner = Aligner(matchers="exact,paraphrase", paraphrases=table)
    at_once = aligner.align_many(hyps, refs)
    sizes = []
    find = ParaphraseTable.find

    def record(self: ParaphraseTable, hyp: Any, *others: Any) -> Any:
        sizes.append(len(hyp) + len(others[1]))
        return find(self, hyp, *others)

    monkeypatch.setattr("hyperbaton.alignment.aligner.PART_WORDS", 40)
    monkeypatch.setattr(ParaphraseTable, "find", record)
    in_parts = aligner.align_many(hyps, refs)
    assert [a.phrases for a in in_parts] == [a.phrases for a in at_once]
    assert [a.exact for a in in_parts] == [a.exact for a in at_once]
    assert len(sizes) > 10
    # parts end at multiples of 40 words, with the sentences that have ended there
    assert max(sizes) <= 40 + 24
