"""CoNLL-U: read, compared with texts, written, and what is refused."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Sequence
from pathlib import Path

import conllu
import pytest
from conllu.exceptions import ParseException
from hypothesis import example, given
from hypothesis import strategies as st

from hyperbaton.errors import InputError
from hyperbaton.files.lines import read_lines
from hyperbaton.syntax.conllu import (
    check_trees,
    describe_difference,
    parse_line,
    read_tree_blocks,
    read_trees,
    to_conllu,
)
from hyperbaton.syntax.trees import DependencyTree
from pairs import data_folder
from parsing import FRENCH, TREE


def row(token: object, form: str, head: object, label: str = "x") -> str:
    return f"{token}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t_"


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "trees.conllu"


def test_words_are_the_syntactic_ones(file: Path) -> None:
    written(file, FRENCH + "\n" + row(1, "Oui", 0) + "\n\n")
    first, second = read_tree_blocks(file)
    assert first.tree == TREE
    assert first.tree.surface == ("Je", "mange", "du", "pain", ".")
    assert (first.number, first.line) == (1, 1)
    assert first.comments == {"sent_id": "fr-1", "text": "Je mange du pain."}
    assert second.tree == DependencyTree(["Oui"], [0], ["x"])
    assert (second.number, second.line) == (2, 13)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.removesuffix("\n"),
        lambda text: text + "\n",
        lambda text: "\n\n" + text + "\n\n\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("1\tJe", "0.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n1\tJe"),
    ],
)
def test_harmless_variations_are_accepted(change: object, file: Path) -> None:
    assert callable(change)
    written(file, change(FRENCH))
    assert list(read_trees(file)) == [TREE]


def test_gzip_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "trees.gz", gzip.compress(FRENCH.encode()))
    assert list(read_trees(path)) == [TREE]
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(FRENCH.encode())))
    monkeypatch.setattr("sys.stdin", stdin)
    assert list(read_trees("-", ["Je mange du pain."])) == [TREE]


def test_an_empty_file_has_no_trees(file: Path) -> None:
    for text in ("", "\n", "\r\n\n"):
        written(file, text)
        assert list(read_trees(file)) == []


def test_no_block_is_read_before_it_is_asked_for(file: Path) -> None:
    written(file, FRENCH + "\nnonsense\n")
    blocks = read_tree_blocks(file)
    assert next(blocks).tree == TREE
    with pytest.raises(InputError, match="sentence 2"):
        next(blocks)


def test_forms_with_spaces_and_signs(file: Path) -> None:
    forms = ["10 000", "10\u00a0000", "_", "#", "-", "a=b", "\u200b", "𝄞", "1-2"]
    rows = [row(k, form, 0) for k, form in enumerate(forms, 1)]
    written(file, "\n".join(rows))
    assert next(read_trees(file)).words == tuple(forms)


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ([row(1, "a", 2), row(2, "b", 1)], 3, "tokens 1, 2 form a cycle"),
        ([row(1, "a", 0), row(2, "b", 9)], 4, "token 2 has the head 9, but there are 2 tokens"),
        ([row(1, "a", 0), row(2, "b", 2)], 4, "token 2 is its own head"),
        ([row(1, "a", 0), row(2, "b", -1)], 4, "token 2 has the head -1, but there are 2 tokens"),
        ([row(1, "a", 0), row(2, "b", "_")], 4, "token 2 has no head"),
        ([row(1, "a", 0), row(2, "b", "x")], 4, "token 2: the column HEAD is invalid: 'x'"),
        ([row(1, "a", 0), row(2, "b", "01")], 4, "token 2: the column HEAD is invalid: '01'"),
        (
            [row(1, "a", 0), row(2, "b", "9" * 5000)],
            4,
            "token 2: the number in the column HEAD is too large",
        ),
        ([row(1, "a", 0), row(3, "b", 1)], 4, "expected token 2, got token 3"),
        ([row(1, "a", 0), row(1, "b", 1)], 4, "expected token 2, got token 1"),
        ([row(2, "a", 0)], 3, "expected token 1, got token 2"),
        ([row(0, "a", 0)], 3, "token 0: the column ID is invalid: '0'"),
        ([row("_", "a", 0)], 3, "the line '_': the column ID is invalid: '_'"),
        ([row("x", "a", 0)], 3, "the line 'x': the column ID is invalid: 'x'"),
        ([row("², ", "a", 0)], 3, "the line '², ': the column ID has invalid white space"),
        ([row("2-1", "a", "_")], 3, "token 2-1: the column ID is invalid: '2-1'"),
        (
            [row("1-2", "ab", "_"), row(1, "a", 0)],
            4,
            "token 1-2: the sentence ends with token 1",
        ),
        (
            [row("2-3", "ab", "_"), row(1, "a", 0)],
            3,
            "expected token 1, got token 2-3",
        ),
        (
            [row("1-2", "ab", "_"), row(1, "a", 0), row("2-3", "b", "_"), row(2, "b", 1)],
            5,
            "expected token 2, got token 2-3",
        ),
        (
            [row(1, "a", 0), row("3.1", "b", "_")],
            4,
            "the empty node 3.1 is misplaced after token 1",
        ),
        ([row(1, "a", 0), "2\tb\t_\t_"], 4, "token 2 must have 10 columns, got 4"),
        ([row(1, "a", 0), row(2, "b", 1) + "\t_"], 4, "token 2 must have 10 columns, got 11"),
        ([row(1, "a", 0), "2"], 4, "token 2 must have 10 columns, got 1"),
        (["The cat sat."], 3, "the line 'The cat sat.' must have 10 columns, got 1"),
        ([row(1, "a", 0), row(2, "", 1)], 4, "token 2: the column FORM is empty"),
        (
            [row(1, "a", 0), row(2, "b  c", 1)],
            4,
            "token 2: the column FORM has invalid white space",
        ),
        ([row(1, "a", 0, "")], 3, "token 1: the column DEPREL is empty"),
        (["# text = The cat"], 3, "there are no tokens, and no empty comment '# text ='"),
        (["# a comment"], 3, "there are no tokens, and no empty comment '# text ='"),
    ],
)
def test_wrong_files(rows: list[str], line: int, message: str, file: Path) -> None:
    """The file, the line, the number of the sentence and the token, in one line."""
    written(file, "\n".join([row(1, "fine", 0), "", *rows, ""]))
    with pytest.raises(InputError) as caught:
        list(read_trees(file))
    assert str(caught.value).startswith(f"{file}, line {line} (sentence 2): {message}")
    assert "\n" not in str(caught.value)


def test_every_place_where_a_file_can_break_off(file: Path) -> None:
    """An error, or a tree of the whole lines: never one of half a line, but for its last column."""
    whole = FRENCH.replace("# newdoc\n", "")
    for end in range(len(whole)):
        written(file, whole[:end])
        if end < len(whole) - 2:
            with pytest.raises(InputError, match=re.escape(str(file))):
                list(read_trees(file, ["Je mange du pain."]))
        else:
            assert list(read_trees(file, ["Je mange du pain."])) == [TREE]


def test_bytes_that_are_not_text(file: Path) -> None:
    written(file, FRENCH.encode() + b"\n1\t\xff\n")
    with pytest.raises(InputError, match=re.escape(f"{file}, line 13, is not UTF-8")):
        list(read_trees(file))
    with pytest.raises(InputError, match="cannot read"):
        list(read_trees(file.with_name("none")))


def test_texts_are_compared_without_white_space(file: Path) -> None:
    written(file, FRENCH + "\n# text =\n\n" + row(1, "10 000", 0) + "\n" + row(2, "!", 1))
    lines = ["Je  mange\u00a0du\tpain .", " ", "10000!"]
    assert len(list(read_trees(file, lines, "text.txt"))) == 3
    with pytest.raises(InputError) as caught:
        list(read_trees(file, [*lines[:2], "10 000?"], "text.txt"))
    assert str(caught.value) == (
        f"{file}, line 15 (sentence 3): the tree has '10 000 !', "
        "but the text has '10 000?' (token 2)"
    )


@pytest.mark.parametrize(
    ("count", "message"),
    [(0, "2 sentences, but text.txt has 0 lines"), (1, "has 1 line"), (4, "has 4 lines")],
)
def test_number_of_trees_and_lines_must_agree(count: int, message: str, file: Path) -> None:
    written(file, row(1, "a", 0) + "\n\n" + row(1, "a", 0))
    with pytest.raises(InputError) as caught:
        list(read_trees(file, ["a"] * count, "text.txt"))
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["ab", "c"], "abc", None),
        (["ab", "c"], "abd", "the tree has 'ab c', but the text has 'abd' (token 2)"),
        (["ab", "c"], "ab", "the tree has 'ab c', but the text has 'ab' (token 2)"),
        (["ab"], "ab c", "the tree has 'ab', but the text has 'ab c' (after the last token)"),
        ([], "a", "the tree has '', but the text has 'a' (after the last token)"),
        (["a"], "", "the tree has 'a', but the text has '' (token 1)"),
        (
            ["x" * 50, "y" * 50],
            "x" * 50 + "z" * 50,
            f"the tree has '…{'x' * 14} {'y' * 45}…', but the text has "
            f"'…{'x' * 15}{'z' * 45}…' (token 2)",
        ),
    ],
)
def test_differences(words: Sequence[str], text: str, expected: str | None) -> None:
    assert describe_difference(DependencyTree(words, range(len(words))), text) == expected


def test_differences_of_multiword_tokens() -> None:
    assert describe_difference(TREE, "Je mange du pain.") is None
    assert describe_difference(TREE, "Je mange de le pain.") == (
        "the tree has 'Je mange du pain .', but the text has 'Je mange de le pain.' (token 'du')"
    )


def test_trees_in_memory() -> None:
    check_trees([TREE, DependencyTree([], [])], ["Je mange du pain.", ""])
    with pytest.raises(InputError, match="sentence 2: the tree has 'Je"):
        check_trees([TREE, TREE], ["Je mange du pain.", ""])
    with pytest.raises(InputError, match="1 trees, but 2 lines of text"):
        check_trees([TREE], ["", ""])


def test_formatted_trees(file: Path) -> None:
    block = to_conllu(TREE, "Je mange du pain.\r", {"sent_id": "fr-1"})
    assert block.splitlines()[:6] == [
        "# sent_id = fr-1",
        "# text = Je mange du pain.",
        row(1, "Je", 2, "nsubj"),
        row(2, "mange", 0, "root"),
        row("3-4", "du", "_", "_"),
        row(3, "de", 5, "case"),
    ]
    assert block.endswith("\n\n")
    empty = DependencyTree([], [])
    written(file, block + to_conllu(empty, "") + to_conllu(empty) + to_conllu(TREE.flat()))
    assert list(read_trees(file)) == [TREE, empty, empty, TREE.flat()]


def test_trees_that_cannot_be_written() -> None:
    for form in ("a\tb", "a\nb", "a  b", " a", "a "):
        with pytest.raises(ValueError, match="token 2: CoNLL-U cannot represent the white space"):
            to_conllu(DependencyTree(["x", form], [0, 1]))
    with pytest.raises(ValueError, match="the tree has no words, but its text is 'a'"):
        to_conllu(DependencyTree([], []), "a")
    with pytest.raises(ValueError, match="a comment must be on one line"):
        to_conllu(TREE, comments={"a": "b\nc"})


FORMS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).map(
    lambda form: " ".join(form.split()) or "_"
)


@given(st.lists(st.lists(st.tuples(FORMS, st.integers(0, 9), FORMS), max_size=8), max_size=4))
def test_written_trees_are_read_back(sentences: list[list[tuple[str, int, str]]]) -> None:
    trees = []
    for tokens in sentences:
        heads = [min(step, k) for k, (_, step, _) in enumerate(tokens)]
        labels = [label for _, _, label in tokens]
        plain = all(label == "_" for label in labels)
        trees.append(DependencyTree([w for w, _, _ in tokens], heads, None if plain else labels))
    blocks = "".join(to_conllu(tree, " ".join(tree.words)) for tree in trees)
    with pytest.MonkeyPatch.context() as patch:
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(blocks.encode())))
        patch.setattr("sys.stdin", stdin)
        assert list(read_trees("-", [" ".join(tree.words) for tree in trees])) == trees


def test_a_treebank(file: Path) -> None:
    """UD English EWT, test: all sentences are read, agree with their texts, and come back."""
    path = data_folder() / "ud" / "en_ewt-ud-test.conllu"
    blocks = list(read_tree_blocks(path))
    assert len(blocks) == 2077
    lines = list(read_lines(path))
    for part, pattern in (("words", r"[0-9]+\t"), ("multiwords", r"[0-9]+-[0-9]+\t")):
        count = sum(len(getattr(block.tree, part)) for block in blocks)
        assert count == sum(re.match(pattern, line) is not None for line in lines) > 0
    texts = [block.comments["text"] for block in blocks]
    trees = list(read_trees(path, texts))
    assert all(len(tree.roots) == 1 for tree in trees)
    written(file, "".join(map(to_conllu, trees, texts)))
    assert list(read_trees(file, texts)) == trees


CHARACTERS = st.sampled_from(list("\t\t\n\n\r 0123456789-._#=ax\u00a0\u2028²é\0\ufeff"))


@given(st.lists(st.tuples(st.integers(0, len(FRENCH)), st.booleans(), CHARACTERS), max_size=6))
def test_any_file_is_read_or_refused(changes: list[tuple[int, bool, str]]) -> None:
    """Characters put in or taken out: trees, or an error of one line that names the file."""
    text = FRENCH + "\n" + FRENCH
    for place, put, character in changes:
        text = text[:place] + (character if put else "") + text[place + (not put) :]
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode())))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", stdin)
        try:
            list(read_trees("-"))
        except InputError as error:
            message = str(error)
        else:
            message = "standard input"
    assert message.startswith("standard input")
    assert "\n" not in message


def parse_with_library(line: str) -> tuple[object, ...] | None:
    """Return what the library conllu reads in the columns that are used, or None for an error."""
    used = [line.split("\t")[k] for k in (0, 1, 6, 7)]
    try:
        tokens = conllu.parse_token_and_metadata("\t".join(used), ("id", "form", "head", "deprel"))
    except ParseException:
        return None
    values = tuple(tokens[0].values()) if tokens else (None,)
    return values if values[0] else None  # the library accepts the IDs _ and 0


NUMBERS = st.sampled_from(["0", "1", "2", "9", "10", "01", "00", "²", "x", "_", "-1", "123"])
SPACES = st.sampled_from(["", "", "\u00a0", "\u2003"])
IDS = st.tuples(
    SPACES, NUMBERS, st.just("") | st.tuples(st.sampled_from("-."), NUMBERS).map("".join)
)
CELLS = st.tuples(SPACES, st.sampled_from(["a", "b c", "_", "#", "ä"]), SPACES)


@given(
    IDS.map("".join),
    CELLS.map("".join),
    st.tuples(SPACES, NUMBERS).map("".join),
    CELLS.map("".join),
)
@example("\u00a01", "a", "0", "x\u2003")
def test_lines_are_read_as_the_library_reads_them(
    token: str, form: str, head: str, label: str
) -> None:
    line = row(token, form, head, label)
    try:
        read: tuple[object, ...] | None = parse_line(line)
    except InputError:
        read = None
    assert read == parse_with_library(line)
