"""A part of the comparison of tokens with sacreBLEU's; ``make tokens`` runs all of it."""

from __future__ import annotations

import itertools

import pytest

from pairs import data_folder
from text import token_identity
from text.token_identity import TOKENIZATIONS, check, hyperbaton_splitter

CASES = pytest.mark.parametrize(("name", "lowercase"), TOKENIZATIONS)


@CASES
def test_random_lines(name: str, lowercase: bool) -> None:
    lines = token_identity.random_lines(6000)
    assert check(hyperbaton_splitter(name, lowercase), name, lowercase, lines) == 6000


@CASES
def test_characters(name: str, lowercase: bool) -> None:
    lines = list(itertools.islice(token_identity.every_character(), 0, None, 10))
    assert check(hyperbaton_splitter(name, lowercase), name, lowercase, lines) > 400


@CASES
def test_real_lines(name: str, lowercase: bool) -> None:
    lines = token_identity.data_lines(data_folder())[::100]
    assert check(hyperbaton_splitter(name, lowercase), name, lowercase, lines) > 1000


def test_random_lines_are_odd_enough() -> None:
    text = "\0".join(token_identity.random_lines(6000))  # NUL is in no line
    assert text.count("\0") == 5999
    text.encode()  # raises an error if there is a lone surrogate
    pieces = itertools.chain.from_iterable(token_identity.KINDS)
    assert [piece for piece in pieces if piece not in text] == []
    assert max(map(len, text.split())) >= 100_000


@CASES
def test_a_wrong_tokeniser_is_noticed(name: str, lowercase: bool) -> None:
    split = hyperbaton_splitter(name, lowercase)
    other_case = hyperbaton_splitter(name, not lowercase)
    other_name = hyperbaton_splitter({"13a": "intl", "intl": "13a"}[name], lowercase)
    lines = list(token_identity.random_lines(1000))
    for wrong in (other_case, other_name):
        with pytest.raises(AssertionError, match="but sacreBLEU has"):
            check(wrong, name, lowercase, lines)
    with pytest.raises(ValueError, match="zip"):  # a line is missing
        check(lambda some: split(some)[:-1], name, lowercase, lines)
