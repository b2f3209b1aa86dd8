"""WordNet: which synsets a word is in, where the database is found, and damaged files."""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from hyperbaton.alignment.wordnet import FILES, WordNet
from hyperbaton.errors import MissingData

LICENCE = (
    "  1 This software and database is being provided to you, the LICENSEE, by  \n"
    "  2 Princeton University under the following license.  By obtaining, using  \n"
)
COPYRIGHT = "  14 WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.  \n"
# Lines of WordNet 3.0, but with two synsets only of the adjective "good" and the adverb "well",
# and with a second line of "axes", as there is one of other nouns.
FILE = {
    "index.noun": """\
ax n 1 4 @ ~ %p + 1 1 02764044
axe n 1 4 @ ~ %p + 1 1 02764044
axis n 6 4 @ ~ %p + 6 1 06008609 13128771 08171792 08171094 05588840 02764614
boxful n 1 1 @ 1 0 13765624
dog n 7 5 @ ~ #m #p %p 7 1 02084071 10114209 10023039 09886220 07676602 03901548 02710044
domestic_dog n 1 4 @ ~ #m %p 1 0 02084071
glass n 7 6 @ ~ #s #p %p + 7 4 14881303 03438257 13767239 03333129 03754295 03688832 03438661
hope n 6 4 ! @ ~ + 6 4 07511733 07541053 05950733 10184946 11059263 04848262
new_york n 3 4 @ #p %p - 3 2 09119277 09117351 09118181
policeman n 1 3 @ ~ #m 1 1 10448983
wa n 1 3 @ #p %p 1 0 09152944
""",
    "index.verb": """\
axe v 2 2 @ + 2 0 01257971 00354317
be v 13 4 @ ~ $ + 13 11 02604760 02616386 02655135 02603699 02749904 02664769 02620587 02445925 \
02697725 02268264 02614181 02744820 02702508
dog v 1 2 @ ~ 1 1 02001876
hop v 6 4 @ ^ $ + 6 3 01966879 02095229 01840754 02095078 02094940 02094806
hope v 3 3 ! @ + 3 3 01826741 01811459 00706065
""",
    "index.adj": """\
better a 4 3 ! & ; 4 3 00230335 00231761 00067379 01471260
good a 2 5 ! & ^ = + 2 2 01123148 01048762
nice a 5 5 ! & ^ = + 5 3 01586342 01993409 01838917 00984333 00641460
well a 3 4 ! & ^ + 3 3 02540579 01048762 00067638
""",
    "index.adv": """\
better r 2 0 2 2 00059607 00509846
good r 2 1 ; 2 2 00011093 00057388
well r 2 2 ! ; 2 2 00011093 00012779
""",
    "noun.exc": "aurar eyrir\naxes ax axis\naxes axe\nmen man\n",
    "verb.exc": "am be\nis be\nwas be\n",
    "adj.exc": "better good well\n",
    "adv.exc": "best well\nbetter well\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small database."""
    return write(tmp_path / "wordnet")


def write(folder: Path, licence: str = LICENCE + COPYRIGHT) -> Path:
    folder.mkdir(parents=True)
    for name, text in FILE.items():
        header = licence if name.startswith("index") else ""
        # as in the originals, two spaces end each line of an index
        body = text.replace("\n", "  \n") if name.startswith("index") else text
        (folder / name).write_text(header + body, encoding="utf-8", newline="\n")
    return folder


def test_the_word_itself_in_all_parts_of_speech(folder: Path) -> None:
    wordnet = WordNet.find(folder)
    nouns = {102084071, 110114209, 110023039, 109886220, 107676602, 103901548, 102710044}
    assert wordnet.synsets("dog") == nouns | {202001876}
    assert wordnet.synsets("domestic_dog") == {102084071}
    assert len(wordnet.synsets("be")) == 13
    assert wordnet.synsets("good") == {301123148, 301048762, 400011093, 400057388}


def test_synonyms_share_a_synset(folder: Path) -> None:
    wordnet = WordNet.find(folder)
    assert wordnet.synsets("dogs") & wordnet.synsets("domestic_dog")
    assert wordnet.synsets("good") & wordnet.synsets("well")
    assert not wordnet.synsets("dog") & wordnet.synsets("axis")


def test_case_is_ignored(folder: Path) -> None:
    wordnet = WordNet.find(folder)
    assert wordnet.synsets("New_York") == {109119277, 109117351, 109118181}
    assert wordnet.synsets("DOGS") == wordnet.synsets("dog")


@pytest.mark.parametrize(
    "word", ["zyzzyva", "", " ", "_", "s", "es", "ful", "n", "1", "dog n", "dog\n", "Ёж", "\udc80"]
)
def test_unknown_words(folder: Path, word: str) -> None:
    assert WordNet.find(folder).synsets(word) == frozenset()


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("dogs", "dog"),
        ("glasses", "glass"),
        ("policemen", "policeman"),
        ("nicest", "nice"),
        ("nicer", "nice"),
        ("boxesful", "boxful"),
        ("new_yorks", "new_york"),
    ],
)
def test_rules(folder: Path, word: str, base: str) -> None:
    wordnet = WordNet.find(folder)
    assert wordnet.synsets(word) == wordnet.synsets(base) != frozenset()


def test_rules_are_of_one_part_of_speech(folder: Path) -> None:
    assert WordNet.find(folder).synsets("axing") == {200354317, 201257971}


def test_the_first_rule_that_leads_to_a_word_counts(folder: Path) -> None:
    # "hope", not "hop"
    assert WordNet.find(folder).synsets("hoped") == {201826741, 201811459, 200706065}


def test_nouns_in_ss_and_short_ones_have_no_plural_ending(folder: Path) -> None:
    with (folder / "index.noun").open("a", encoding="utf-8") as file:
        file.write("glas n 1 1 @ 1 0 00000001  \na n 1 1 @ 1 0 00000002  \n")
    wordnet = WordNet.find(folder)
    assert 100000001 not in wordnet.synsets("glass")
    assert wordnet.synsets("as") == frozenset()


def test_exceptions(folder: Path) -> None:
    wordnet = WordNet.find(folder)
    # all bases of both lines ("ax" has the synset of "axe"), and the verb by a rule
    assert wordnet.synsets("axes") == wordnet.synsets("axe") | wordnet.synsets("axis")
    assert wordnet.synsets("better") == {
        *(300230335, 300231761, 300067379, 301471260, 400059607, 400509846),  # itself
        *(301123148, 301048762, 302540579, 300067638),  # the adjectives good and well
        *(400011093, 400012779),  # the adverb well, not good
    }
    assert wordnet.synsets("aurar") == frozenset()  # its base form is not in the index
    # an exception of verbs only: as a noun it is still a plural
    assert wordnet.synsets("was") == wordnet.synsets("be") | {109152944}


def test_windows_line_ends(folder: Path) -> None:
    plain = WordNet.find(folder)
    for name in FILES:
        text = (folder / name).read_bytes()
        (folder / name).write_bytes(text.replace(b"\n", b"\r\n"))
    windows = WordNet.find(folder)
    assert windows.synsets("axes") == plain.synsets("axes")
    assert windows.version == "3.0"


def test_version(tmp_path: Path) -> None:
    assert WordNet.find(write(tmp_path / "a")).version == "3.0"
    assert repr(WordNet.find(tmp_path / "a")) == "<WordNet 3.0>"
    newer = LICENCE + COPYRIGHT.replace("3.0", "3.1").replace("2006", "2011")
    assert WordNet.find(write(tmp_path / "b", newer)).version == "3.1"
    unnamed = WordNet.find(write(tmp_path / "c", "")).version
    assert re.fullmatch("[0-9a-f]{8}", unnamed)
    (tmp_path / "c" / "index.adv").write_text("", encoding="utf-8")
    assert WordNet.find(tmp_path / "c").version != unnamed


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No variable is set, and home and prefix are empty folders of this one."""
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.delenv("NLTK_DATA", raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    # what this machine has must not be found
    system = Path.is_file
    monkeypatch.setattr(
        Path, "is_file", lambda path: path.is_relative_to(tmp_path) and system(path)
    )
    monkeypatch.setattr(
        zipfile,
        "is_zipfile",
        lambda path, real=zipfile.is_zipfile: Path(path).is_relative_to(tmp_path) and real(path),
    )
    return tmp_path


def test_a_folder_or_its_dict(tmp_path: Path) -> None:
    write(tmp_path / "WordNet-3.0" / "dict")
    assert WordNet.find(tmp_path / "WordNet-3.0").synsets("ax")
    assert WordNet.find(str(tmp_path / "WordNet-3.0" / "dict")).synsets("ax")


def test_the_variable_comes_first(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(nowhere / "home" / "nltk_data" / "corpora" / "wordnet")
    assert WordNet.find().version == "3.0"
    monkeypatch.setenv("WNSEARCHDIR", str(write(nowhere / "named", LICENCE + "  3 WordNet 3.1\n")))
    assert WordNet.find().version == "3.1"


@pytest.mark.parametrize(
    "place",
    [
        "second/corpora/wordnet",
        "home/nltk_data/corpora/wordnet31",
        "prefix/nltk_data/corpora/wordnet",
        "prefix/share/nltk_data/corpora/wordnet",
        "prefix/lib/nltk_data/corpora/wordnet",
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_the_folder_of_nltk_is_found(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, place: str, zipped: bool
) -> None:
    monkeypatch.setenv("NLTK_DATA", os.pathsep.join([str(nowhere / "first"), f"{nowhere}/second"]))
    folder = write(nowhere / place)
    if zipped:  # as its downloader leaves it
        shutil.make_archive(str(folder), "zip", folder.parent, folder.name)
        shutil.rmtree(folder)
    wordnet = WordNet.find()
    assert wordnet.version == "3.0"
    assert wordnet.synsets("policemen") == {110448983}


def test_a_missing_database_raises(nowhere: Path) -> None:
    with pytest.raises(MissingData, match=r"^no WordNet database in the usual places .*apt") as one:
        WordNet.find()
    assert "python -m nltk.downloader wordnet" in str(one.value)
    assert "\n" not in str(one.value)
    with pytest.raises(MissingData, match=re.escape(f"in {nowhere / 'there'} ")):
        WordNet.find(nowhere / "there")
    assert issubclass(MissingData, RuntimeError)


@pytest.mark.parametrize("name", FILES)
def test_all_files_are_needed(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(MissingData):
        WordNet.find(folder)


@pytest.mark.parametrize("line", ["<html>", "dog", "dog n", "dog n x 5", "dog q 1 5 @", "", " dog"])
def test_no_index(folder: Path, line: str) -> None:
    good = (folder / "index.verb").read_text(encoding="utf-8").split("\n")
    for place in (0, 4, len(good) - 2):  # the first line, one within, the last
        lines = [*good[:place], line, *good[place:]]
        (folder / "index.verb").write_text("\n".join(lines), encoding="utf-8")
        expected = re.escape(
            f"{folder / 'index.verb'}, line {place + 1}: not a WordNet index entry"
        )
        with pytest.raises(ValueError, match=expected):
            WordNet.find(folder)


@pytest.mark.parametrize(
    "entry",
    [
        "cat n 2 1 @ 1 0 02084071",  # two synsets are said, one is there
        "cat n 1 1 @ 1 0 02084071 02084072",
        "cat n 1 2 @ 1 0 02084071",
        "cat n 1 1 @ 1 0 2084071",
        "cat n 1 1 @ 1 0 0208407x",
        "cat n 1 x",
        "cat n 1 ",
    ],
)
def test_a_damaged_entry(folder: Path, entry: str) -> None:
    text = (folder / "index.noun").read_text(encoding="utf-8")
    (folder / "index.noun").write_text(f"{text}{entry}\n", encoding="utf-8")
    wordnet = WordNet.find(folder)
    assert wordnet.synsets("axis")
    number = text.count("\n") + 1
    expected = re.escape(f"{folder / 'index.noun'}, line {number}: the entry of 'cat' is damaged")
    with pytest.raises(ValueError, match=expected):
        wordnet.synsets("cats")


def test_other_damage(folder: Path) -> None:
    (folder / "noun.exc").write_text("men man\nwomen\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"noun\.exc, line 2: 'women' has no base form"):
        WordNet.find(folder)
    (folder / "noun.exc").write_bytes(b"men man\n\xff man\n")
    with pytest.raises(ValueError, match=r"noun\.exc, line 2: not UTF-8"):
        WordNet.find(folder)
