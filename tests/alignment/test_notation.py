"""Links as text: both notations, sure and possible, from 0 and from 1."""

from __future__ import annotations

import random

import pytest

from hyperbaton import Alignment, Link
from hyperbaton.alignment.notation import count_words, parse_links, parse_pairs
from hyperbaton.errors import LineError


def test_both_notations() -> None:
    assert parse_links("0-0 1-2") == [(0, 0, 1, 1, "given"), (1, 2, 1, 1, "given")]
    # the example of Moses' own comment
    text = "0=0 1-2=1-2 3=3 4=4 5=5 6=6 7-9=7-8 10=9 11-13=10-11"
    moses = Alignment.from_pharaoh(text, 14, 12)
    assert moses.phrases[1] == Link(1, 1, 2, 2)
    assert moses.to_moses() == text
    assert moses.to_pharaoh().startswith("0-0 1-1 1-2 2-1 2-2 3-3")
    again = Alignment.from_pharaoh(moses.to_pharaoh(), 14, 12)
    assert again.links == moses.links


def test_sure_and_possible() -> None:
    text = "0-0 1?1 2p2 1?0 1-0"
    both = Alignment.from_pharaoh(text, 3, 3)
    assert both.to_pharaoh() == "0-0 1-0 1?1 2?2"  # 1-0 is sure as well, and so it is sure
    assert Alignment.from_pharaoh(text, 3, 3, possible=False).to_pharaoh() == "0-0 1-0"


def test_counting_from_one() -> None:
    one = Alignment.from_pharaoh("1-1 2-3=2-4", 3, 4, base=1)
    assert one == Alignment.from_pharaoh("0-0 1-2=1-3", 3, 4)
    assert one.to_moses(base=1) == "1=1 2-3=2-4"
    assert one.to_pharaoh(base=1) == "1-1 2-2 2-3 2-4 3-2 3-3 3-4"
    with pytest.raises(ValueError, match="'0-1' has index 0, but words are counted from 1"):
        parse_links("1-1 0-1", base=1)
    with pytest.raises(ValueError, match="base must be 0 or 1, got 2"):
        parse_links("", base=2)


@pytest.mark.parametrize(
    "field", ["1", "1-", "-1-0", "1-2-3", "1=", "a=b", "1--2", "1?", "1,2", "１-1"]
)
def test_invalid_links(field: str) -> None:
    with pytest.raises(ValueError, match="is not a link such as 0-1 or 1-2=1-2"):
        parse_links(f"0-0 {field}")
    with pytest.raises(LineError, match="is not a link") as found:
        parse_pairs(["0-0", f"0-0 {field}"])
    assert found.value.line == 1


def test_phrases_that_end_before_they_begin() -> None:
    with pytest.raises(ValueError, match="'2-1=0' has a phrase that ends before it begins"):
        parse_links("2-1=0")


def test_phrases_outside_are_named_as_written() -> None:
    with pytest.raises(ValueError, match="link 1-2=0 is outside the hypothesis, which has 2 words"):
        Alignment.from_pharaoh("1-2=0", 2, 1)


@pytest.mark.parametrize("seed", range(60))
def test_many_lines_equal_single_lines(seed: int) -> None:
    rng = random.Random(seed)
    base = rng.randrange(2)
    plain = rng.random() < 0.5  # the fast way
    lines = []
    for _ in range(rng.randrange(6)):
        fields = []
        for _ in range(rng.randrange(5)):
            a, b = rng.randrange(base, 12), rng.randrange(base, 12)
            sign = "-" if plain else rng.choice("-?p=")
            fields.append(f"{a}{sign}{b}")
        lines.append((" " if plain else rng.choice([" ", "\t", "  "])).join(fields))
    possible = rng.random() < 0.5
    line, word, other = parse_pairs(lines, base, possible)
    expected = sorted(
        {
            (k, a, b)
            for k, text in enumerate(lines)
            for a, b in Alignment.from_pharaoh(text, 20, 20, base, possible).links
        }
    )
    found = set(zip(line.tolist(), word.tolist(), other.tolist(), strict=True))
    assert sorted(found) == expected
    assert line.tolist() == sorted(line.tolist())


def test_a_zero_in_a_plain_line_that_counts_from_one() -> None:
    with pytest.raises(LineError, match="'0-3' has index 0"):
        parse_pairs(["1-1", "1-1 0-3"], base=1)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("0=0-99999", "'0=0-99999' has phrases that are too long"),
        ("0-999=0-999", "has phrases that are too long: 1,000 and 1,000"),
        ("0-1000000", "is not a link such as 0-1"),
        ("x" * 1000, f"'{'x' * 40}…' is not a link"),
    ],
)
def test_numbers_and_phrases_that_are_too_large(field: str, message: str) -> None:
    if field == "0=0-99999":  # the largest that there may be
        assert parse_links(field) == [(0, 0, 1, 100_000, "given")]
        field, message = "0=0-100000", "'0=0-100000' has phrases that are too long"
    with pytest.raises(ValueError, match=message):
        parse_links(field)


def test_words_are_separated_by_spaces() -> None:
    assert count_words("  prix\u00a0: 10\u202f000\teuros \r") == 3
    assert count_words("a\u3000b") == 1
    assert count_words(" \t ") == 0
