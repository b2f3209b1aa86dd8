"""Trees on disk: nothing is parsed twice, and whatever happens to the file, trees are right."""

from __future__ import annotations

import os
import pickle
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PureWindowsPath

import platformdirs
import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from hyperbaton.syntax.cache import BATCH, FILE, CachedParser, _encode_tree, tree_folder
from hyperbaton.syntax.trees import DependencyTree
from parsing import FakeParser

LINES = ["a b c .", "", "d e . f", "a b c ."]
TREES = list(FakeParser().parse(LINES))


def parsed(folder: Path, fake: FakeParser, lines: list[str] = LINES) -> list[DependencyTree]:
    return list(CachedParser(fake, folder).parse(lines))


def test_nothing_is_parsed_twice(tmp_path: Path) -> None:
    first, second = FakeParser(), FakeParser()
    assert parsed(tmp_path, first) == TREES
    assert first.asked == ["a b c .", "", "d e . f"]
    assert parsed(tmp_path, second) == TREES
    assert parsed(tmp_path, second, ["  a b\tc . ", "new"]) == [
        TREES[0],
        DependencyTree(["new"], [0], ["dep"]),
    ]
    assert second.asked == ["new"]


def test_another_parser_or_version_is_another_tree(tmp_path: Path) -> None:
    parsed(tmp_path, FakeParser())
    for other in (FakeParser(name="fake:last"), FakeParser(version="1/3")):
        parsed(tmp_path, other)
        assert other.asked


def test_all_of_a_tree_is_kept(tmp_path: Path) -> None:
    tree = DependencyTree(["de", "le", "“x”", "𝄞"], [3, 3, 0, 3], None, [(1, 2, "du")])

    class Given(FakeParser):
        def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
            yield from (tree for _ in lines)

    for _ in range(2):
        assert list(CachedParser(Given(), tmp_path).parse(["du “x” 𝄞"])) == [tree]


def test_more_lines_than_a_batch_one_at_a_time(tmp_path: Path) -> None:
    lines = [f"w{k % 7} {k}" for k in range(2 * BATCH + 5)]
    fake = FakeParser()
    trees = CachedParser(fake, tmp_path).parse(iter(lines))
    assert next(trees).words == ("w0", "0")
    assert len(fake.asked) == BATCH  # no more than is needed
    assert [" ".join(tree.words) for tree in trees] == lines[1:]
    again = FakeParser()
    assert len(parsed(tmp_path, again, lines)) == len(lines)
    assert again.asked == []


def test_a_cached_parser_can_be_pickled(tmp_path: Path) -> None:
    parser = pickle.loads(pickle.dumps(CachedParser(FakeParser(), tmp_path)))
    assert (parser.name, parser.version) == ("fake:first", "1/2")
    assert list(parser.parse(LINES)) == TREES


def overwritten(path: Path) -> None:
    path.write_bytes(b"This is no database. " * 1000)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def scrambled(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[4096:] = bytes(255 - byte for byte in whole[4096:])
    path.write_bytes(whole)


def another_table(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE trees (something INTEGER)")
    file.close()


def change_trees(path: Path, trees: list[str], checksum: str) -> None:
    with sqlite3.connect(path) as file:
        keys = [key for (key,) in file.execute("SELECT key FROM trees")]
        file.create_function("crc", 2, lambda key, tree: zlib.crc32(tree.encode(), zlib.crc32(key)))
        for key, tree in zip(keys, trees, strict=True):
            query = f"UPDATE trees SET tree = ?1, checksum = {checksum} WHERE key = ?2"
            file.execute(query, (tree, key))
    file.close()


def wrong_trees(path: Path) -> None:
    """Of other words, not a tree, not JSON."""
    change_trees(path, ['[["x"],[0],null,[]]', '[["a"],[1],null,[]]', "["], "crc(key, ?1)")


def other_heads(path: Path) -> None:
    """Valid trees of the same words, as a single wrong bit may make them."""
    trees = [DependencyTree(tree.words, [0] * len(tree.words)) for tree in TREES[:3]]
    wrong = [_encode_tree(tree) for tree in trees]
    change_trees(path, wrong, "checksum")


def not_utf8(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("UPDATE trees SET tree = CAST(x'ff' AS TEXT)")
    file.close()


DAMAGE = [overwritten, cut, scrambled, another_table, wrong_trees, other_heads, not_utf8]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_cache_is_replaced(damage: Callable[[Path], None], tmp_path: Path) -> None:
    parsed(tmp_path, FakeParser())
    damage(tmp_path / FILE)
    (tmp_path / f"{FILE}-journal").write_bytes(b"of a process that was killed")
    with pytest.warns(UserWarning, match="damaged") as noticed:
        assert parsed(tmp_path, FakeParser()) == TREES
    said = f"{tmp_path / FILE} is damaged: the cache of trees is built again"
    assert [str(warning.message) for warning in noticed] == [said]
    assert parsed(tmp_path, FakeParser()) == TREES
    last = FakeParser()
    assert parsed(tmp_path, last) == TREES
    assert last.asked == []
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_an_empty_cache_is_a_new_one(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    assert parsed(tmp_path, FakeParser()) == TREES
    last = FakeParser()
    assert parsed(tmp_path, last) == TREES
    assert last.asked == []


def test_an_unusable_cache_is_ignored(tmp_path: Path) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("")
    assert parsed(no_folder, FakeParser()) == TREES
    a_folder = tmp_path / "sub"
    (a_folder / FILE).mkdir(parents=True)
    assert parsed(a_folder, FakeParser()) == TREES


def test_a_locked_cache_is_ignored(tmp_path: Path) -> None:
    parsed(tmp_path, FakeParser())
    file = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    file.execute("BEGIN EXCLUSIVE")
    parser = CachedParser(FakeParser(), tmp_path, lock_timeout=0.05)
    assert list(parser.parse(LINES)) == TREES
    file.close()


def test_the_size_of_the_cache_is_limited(tmp_path: Path) -> None:
    most = 1 << 17
    parser = CachedParser(FakeParser(), tmp_path, most)
    sizes = []
    for start in range(0, 20_000, 1000):
        lines = [f"word {k} of a line" for k in range(start, start + 1000)]
        assert [" ".join(tree.words) for tree in parser.parse(lines)] == lines
        sizes.append((tmp_path / FILE).stat().st_size)
    assert max(sizes[-10:]) <= most + 300_000  # and one batch
    last = FakeParser()
    list(CachedParser(last, tmp_path, most).parse(lines[-10:]))
    assert last.asked == []  # it is the oldest that go


def test_several_processes(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from parsing import FakeParser\n"
        "from hyperbaton.syntax.cache import CachedParser\n"
        "lines = [f'w{k} x .' for k in range(3000)]\n"
        "trees = CachedParser(FakeParser(), sys.argv[1]).parse(lines)\n"
        "assert [' '.join(tree.words) for tree in trees] == lines\n"
    )
    tests = str(Path(__file__).parent.parent)
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), tests]) for _ in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    fake = FakeParser()
    parsed(tmp_path, fake, [f"w{k} x ." for k in range(3000)])
    assert fake.asked == []
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home folder, and no variable that names another folder."""
    for name in ("HYPERBATON_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_folder_of_the_cache(clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = clean_environment
    for system, place in ((Unix, ".cache"), (MacOS, "Library/Caches")):
        monkeypatch.setattr(platformdirs, "PlatformDirs", system)
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        assert tree_folder() == home / place / "hyperbaton"
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # ignored, as its standard demands
        assert tree_folder() == home / place / "hyperbaton"
        monkeypatch.setenv("XDG_CACHE_HOME", str(home / "xdg"))
        assert tree_folder() == home / "xdg" / "hyperbaton"


def test_folder_of_the_cache_on_windows(
    clean_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "PlatformDirs", Windows)
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", r"C:\Users\me\AppData\Local")
    found = PureWindowsPath(str(tree_folder()))
    assert found == PureWindowsPath(r"C:\Users\me\AppData\Local\hyperbaton\Cache")


def test_folder_that_the_user_names(
    clean_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = clean_environment / "mine"
    monkeypatch.setenv("XDG_CACHE_HOME", str(clean_environment / "xdg"))
    monkeypatch.setenv("HYPERBATON_CACHE", str(folder))
    assert tree_folder() == folder
    assert parsed_in_default_folder() == TREES
    assert (folder / FILE).is_file()
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0


def parsed_in_default_folder() -> list[DependencyTree]:
    return list(CachedParser(FakeParser()).parse(LINES))


def test_no_home_folder(clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    users = pytest.importorskip("pwd")

    def unknown_user(_: int) -> None:
        raise KeyError("no such user")

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(users, "getpwuid", unknown_user)
    assert tree_folder() is None
    assert parsed_in_default_folder() == TREES
