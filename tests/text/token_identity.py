"""Compare the tokens of Hyperbaton with those of sacreBLEU.

Any Python that has both packages runs the whole comparison, with every processor::

    python tests/text/token_identity.py

It reads every line of the data in ``HYPERBATON_DATA``, every assigned character of Unicode between
its most telling neighbours, and random lines. ``make tokens`` runs it with the oldest and the
newest sacreBLEU.
"""

from __future__ import annotations

import gzip
import itertools
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import sacrebleu
from sacrebleu.metrics.bleu import BLEU

from hyperbaton._core import Lines
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import WordTable

SplitLines = Callable[[list[str]], list[list[str]]]
TOKENIZATIONS = tuple(itertools.product(("13a", "intl"), (True, False)))  # name, lowercase
RANDOM_LINES = 200_000
SEED = 20
SHOWN = 200  # characters of a line and of its tokens in the message about a difference

# Unicode assigns characters in these ranges; surrogates are no characters.
ASSIGNED = (range(0x1, 0xD800), range(0xE000, 0x32400), range(0xE0000, 0xE0200))
WORDS = (
    *("the", "Haus", "don't", "O’Neill", "ΟΔΟΣ", "Σ", "ΑΣ.", "σΣ", "İstanbul", "ıI", "Straße", "ẞ"),
    *("ﬁn", "ﬃ", "Ŀl", "ǅ", "ᾼ", "ŉ", "ΐ", "Россия", "café", "cafe\u0301", "ﷺ", "ⅷ", "½", "²"),
    *("مرحبا،", "كيف؟", "۱۲٫۵", "नमस्ते।", "१२,३", "বাংলা", "我爱NLP。", "東京、", "한국어", "ไทย"),
    *(
        "👩‍🔬",
        "👨‍👩‍👧‍👦",
        "🇩🇪",
        "👍🏽",
        "❤️",
        "€5",
        "5€",
        "£",
        "©",
        "a_b",
        "x@y.org",
        "#1",
        "…",
        "–",
        "«Да»",
    ),
)
NUMBERS = (
    *("1", "23", "1.5", "1,000.50", "1999.", ".5", ",5", "1.", "1-2", "3-D", "-4", "24.12.1999"),
    *("1..2", "1,,2", "1.,2", "1--2", "1-.2", "٣.٣", "1٫2", "²-1", "1²,3", "½.½"),
)
MARKS = (
    *".,-'\"&;:!?()[]{}<>/\\|~`^_=+*%$#@",
    *("--", "...", "``", "''", "“", "”", "„", "‚", "·", "。"),
)
ENTITIES = (
    *("&quot;", "&amp;", "&lt;", "&gt;", "&apos;", "&#39;", "&", "&amp", "quot;", "&am", "p;"),
    *(
        "&am&quot;p;",
        "&amp;quot;",
        "&amp;amp;",
        "&&amp;;",
        "&l&lt;t;",
        "&AMP;",
        "&Quot;",
        "&lt;skipped>",
    ),
    *("<skipped>", "<SKIPPED>", "<skip<skipped>ped>", "<<skipped>skipped>", "<skipped", "skipped>"),
    *("-<skipped>\n", "&a<skipped>mp;", "1<skipped>.2", "<ski-\npped>", "&q\nuot;", "&qu-\not;"),
)
SPACES = (
    *("\t", "\n", "-\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f", "\x85"),
    *("\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "  "),
    *("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u180e"),  # these do not separate words
)
INVISIBLE = (
    *map(chr, range(0x01, 0x09)),
    *map(chr, range(0x0E, 0x1C)),
    *("\x7f", "\x80", "\x9f", "\u00ad", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"),
    *("\u0300", "\u0301", "\u0345", "\u0307", "\u20dd", "\ufe0f", "\u093f", "\u0e31", "\u0610"),
    *("\ufffd", "\ufffe", "\uffff", "\U0010ffff", "\ue000", "\U000e0001"),
)
KINDS: tuple[tuple[str, ...], ...] = (WORDS, NUMBERS, MARKS, ENTITIES, SPACES, INVISIBLE)


def check(split_lines: SplitLines, name: str, lowercase: bool, lines: Iterable[str]) -> int:
    """Check that a function splits lines as sacreBLEU's BLEU does; return the number of lines.

    Parameters
    ----------
    split_lines
        The function under test: it returns the tokens of each line.
    name, lowercase
        The tokeniser and the case that BLEU gets.
    lines
        The lines.

    Raises
    ------
    AssertionError
        If the tokens of a line differ, or their number is not that of the lines.
    """
    bleu = BLEU(tokenize=name, lowercase=lowercase)
    line_list = list(lines)
    for line, ours in zip(line_list, split_lines(line_list), strict=True):
        theirs = bleu._preprocess_segment(line).split()  # the input of its n-grams
        assert ours == theirs, describe_difference(name, lowercase, line, ours, theirs)
    return len(line_list)


def describe_difference(
    name: str, lowercase: bool, line: str, ours: list[str], theirs: list[str]
) -> str:
    """Say where the tokens of a line begin to differ."""
    pairs = itertools.zip_longest(ours, theirs)
    first = next(k for k, (a, b) in enumerate(pairs) if a != b)
    shown = (f"{value!r:.{SHOWN}}" for value in (line, ours[first:], theirs[first:]))
    return "{}, lowercase={}: line {}: token {} on: {}, but sacreBLEU has {}".format(
        name, lowercase, next(shown), first, *shown
    )


def hyperbaton_splitter(name: str, lowercase: bool) -> SplitLines:
    """Return Hyperbaton's function for :func:`check`."""
    table = WordTable(Tokenization(name, "lc" if lowercase else "mixed"))
    return lambda lines: table.number_lines(Lines.from_strings(lines), 1).strings()


def random_lines(count: int, seed: int = SEED) -> Iterator[str]:
    """Generate lines of odd pieces; every 5,000th has a word of 100,000 characters.

    There are no NUL and no lone surrogates, which Hyperbaton refuses.
    """
    rng = random.Random(seed)
    for k in range(count):
        pieces = [random_piece(rng) for _ in range(rng.randrange(16))]
        if k % 5000 == 0:
            unit = "".join(random_piece(rng) for _ in range(4))
            word = "".join(unit.split()) or "x"
            pieces.insert(rng.randrange(len(pieces) + 1), (word * 100_000)[:100_000])
        yield rng.choice(("", " ")).join(pieces)


def random_piece(rng: random.Random) -> str:
    """Return a piece from one of the lists above, or any character."""
    kind = rng.randrange(2 * len(KINDS))
    if kind < len(KINDS):
        return rng.choice(KINDS[kind])
    if kind == len(KINDS):
        return chr(rng.choice(rng.choice(ASSIGNED)))
    return rng.choice((" ", "a", "B", "c1", "2", ". ", ", "))


def every_character() -> Iterator[str]:
    """Generate lines that have every assigned character beside letters, digits and marks."""
    characters = map(chr, itertools.chain(*ASSIGNED))
    while batch := list(itertools.islice(characters, 50)):
        yield " ".join(f"a{c}1{c}2{c}{c}.{c},{c}-{c}aΣ{c}Σ" for c in batch)


def data_lines(folder: Path) -> list[str]:
    """Return the distinct lines of all files in a folder of UTF-8 text, some of it compressed."""
    lines: dict[str, None] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
        lines.update(dict.fromkeys(text.split("\n")))
    return list(lines)


def check_hyperbaton(name: str, lowercase: bool, lines: list[str]) -> str | None:
    """Return the difference between Hyperbaton and sacreBLEU, if there is one."""
    try:
        check(hyperbaton_splitter(name, lowercase), name, lowercase, lines)
    except AssertionError as error:
        return str(error)
    return None


def main() -> int:
    """Run the whole comparison; return 1 if there is a difference."""
    start = time.perf_counter()
    folder = os.environ.get("HYPERBATON_DATA")
    sources = {
        "of random pieces": list(random_lines(RANDOM_LINES)),
        "with every character": list(every_character()),
        "of the data": data_lines(Path(folder)) if folder else [],
    }
    lines = list(itertools.chain.from_iterable(sources.values()))
    chunks = [lines[k : k + 10_000] for k in range(0, len(lines), 10_000)]
    tasks = [(*tokenization, chunk) for tokenization in TOKENIZATIONS for chunk in chunks]
    with multiprocessing.Pool() as pool:
        differences = [message for message in pool.starmap(check_hyperbaton, tasks, 1) if message]
    for message in differences:
        print(message)
    counts = ", ".join(f"{len(lines):,} lines {source}" for source, lines in sources.items())
    print(
        f"sacreBLEU {sacrebleu.__version__}, 13a and intl, lower and mixed case: {counts}: "
        f"{'DIFFERENT' if differences else 'the same tokens'}, "
        f"{time.perf_counter() - start:.0f} s" + ("" if folder else "; HYPERBATON_DATA is not set")
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
