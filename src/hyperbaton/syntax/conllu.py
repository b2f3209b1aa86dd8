"""Reading and writing trees as CoNLL-U, and comparing them with their text.

A line of text has one block. Several sentences of a line form one block with several roots. An
empty line is a block without tokens that has an empty comment ``# text =``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, zip_longest

from hyperbaton.errors import InputError, TreeError
from hyperbaton.files.lines import StrPath, display_name, printable, read_lines
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.plurals import count_noun

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
USED_COLUMNS = ("ID", "FORM", "HEAD", "DEPREL")
USED_INDICES = tuple(map(COLUMNS.index, USED_COLUMNS))
MAX_DIGITS = 9  # of a number; no line has a thousand million words
# White space that a column cannot hold because some reader takes it for the end of a column or of a
# line.
FORBIDDEN_SPACE = re.compile(r"[\t\r\n\x0b\x0c\x1c-\x1f\x85\u2028\u2029]|  |^ | $|^\s*$")
ID = re.compile(r"[0-9]{1,9}(?:[-.][0-9]{1,9})?")
WORD_ID = re.compile(r"[1-9][0-9]*")
RANGE_OR_NODE_ID = re.compile(r"([1-9][0-9]*|[0-9]+(?=\.))([-.])([1-9][0-9]*)")
HEAD = re.compile(r"_|0|-?[1-9][0-9]*")
MAX_SHOWN = 60  # characters; only a part of a longer text is shown

TokenId = int | tuple[int, str, int]  # of a word, or 1-2 or 1.1 in three parts


@dataclass(frozen=True, slots=True)
class TreeBlock:
    """A tree, its number and first line in the file, and its comments."""

    tree: DependencyTree
    number: int
    line: int
    comments: Mapping[str, str]


def read_tree_blocks(path: StrPath) -> Iterator[TreeBlock]:
    """Read the blocks of a CoNLL-U file, plain or gzipped; ``-`` is standard input.

    The words of a tree are the syntactic words. The forms of multi-word tokens (``1-2``) are kept
    as well; empty nodes (``1.1``) are skipped. Comments with a key and a value are kept.
    """
    number = 0
    rows: list[tuple[int, str]] = []
    for line_number, line in enumerate(read_lines(path), 1):
        if line and not line.isspace():
            rows.append((line_number, line.removesuffix("\r")))
        elif rows:  # several blank lines between blocks are accepted
            number += 1
            yield _parse_block(path, number, rows)
            rows = []
    if rows:
        yield _parse_block(path, number + 1, rows)


def parse_tree(text: str) -> DependencyTree:
    """Return the tree of one sentence in CoNLL-U format.

    Raises
    ------
    InputError
        If the text is not exactly one valid block.
    """
    lines = [line.removesuffix("\r") for line in text.strip("\n").split("\n")]
    for number, line in enumerate(lines, 1):
        if not line or line.isspace():
            what = "is empty" if len(lines) == 1 else f"has more than one sentence (line {number})"
            raise InputError(f"a tree in CoNLL-U format {what}")
    return _parse_block("a tree in CoNLL-U format", 1, list(enumerate(lines, 1))).tree


def read_trees(
    path: StrPath, lines: Iterable[str] | None = None, text: StrPath = "the text"
) -> Iterator[DependencyTree]:
    """Read the trees of a CoNLL-U file.

    Parameters
    ----------
    path
        The file, plain or gzipped; ``-`` is standard input.
    lines
        The lines of text that the trees belong to, to check that they match.
    text
        Name of the text in error messages.

    Returns
    -------
    iterator of DependencyTree
        One tree for each block.

    Raises
    ------
    InputError
        If a block is invalid or does not match its line. The message names file and line.
    """
    if lines is None:
        yield from (block.tree for block in read_tree_blocks(path))
        return
    block_count, line_count = 0, 0
    for block, line in zip_longest(read_tree_blocks(path), lines):
        block_count, line_count = block_count + (block is not None), line_count + (line is not None)
        if block is None or line is None:
            continue  # read on to count them for the error message
        difference = describe_difference(block.tree, line)
        if difference:
            where = f"{display_name(path)}, line {block.line:,} (sentence {block.number:,})"
            raise InputError(f"{where}: {difference}")
        yield block.tree
    if block_count != line_count:
        raise InputError(
            f"{display_name(path)} has {count_noun(block_count, 'sentence')}, but "
            f"{display_name(text)} has {count_noun(line_count, 'line')}"
        )


def check_trees(trees: Iterable[DependencyTree], lines: Iterable[str]) -> None:
    """Raise an error unless each tree matches its line in all but white space.

    >>> check_trees([DependencyTree(["do", "n't"], [0, 1])], ["don't"])
    >>> check_trees([DependencyTree(["ab", "c"], [0, 1])], ["abd"])
    Traceback (most recent call last):
    ...
    hyperbaton...InputError: sentence 1: the tree has 'ab c', but the text has 'abd' (token 2)
    """
    trees, lines = list(trees), list(lines)
    if len(trees) != len(lines):
        raise InputError(f"{len(trees):,} trees, but {len(lines):,} lines of text")
    for number, (tree, line) in enumerate(zip(trees, lines, strict=True), 1):
        difference = describe_difference(tree, line)
        if difference:
            raise InputError(f"sentence {number:,}: {difference}")


def describe_difference(tree: DependencyTree, text: str) -> str | None:
    """Describe how the tree and the text differ, or return None if only in white space."""
    forms = ["".join(form.split()) for form in tree.surface]
    tree_characters, text_characters = "".join(forms), "".join(text.split())
    if tree_characters == text_characters:
        return None
    pairs = enumerate(zip(tree_characters, text_characters, strict=False))
    shorter = min(len(tree_characters), len(text_characters))
    position = next((k for k, (a, b) in pairs if a != b), shorter)
    ends = accumulate(map(len, forms))
    token = next((k for k, end in enumerate(ends, 1) if position < end), None)
    where = f"token {token}" if token else "after the last token"
    if tree.multiwords and token:
        where = f"token {forms[token - 1]!r}"  # word numbers do not count multi-word tokens
    in_tree, in_text = " ".join(tree.surface), " ".join(text.split())
    if max(len(in_tree), len(in_text)) > MAX_SHOWN:
        in_tree, in_text = _excerpt(in_tree, position), _excerpt(in_text, position)
    return f"the tree has {in_tree!r}, but the text has {in_text!r} ({where})"


def to_conllu(
    tree: DependencyTree, text: str | None = None, comments: Mapping[str, str] | None = None
) -> str:
    r"""Format a tree as a block, including the blank line at the end.

    >>> print(to_conllu(DependencyTree(["She", "left"], [2, 0]), "She left"))
    # text = She left
    1	She	_	_	_	_	2	_	_	_
    2	left	_	_	_	_	0	_	_	_
    <BLANKLINE>
    >>> to_conllu(DependencyTree([], []))
    '# text =\n\n'
    """
    all_comments = dict(comments or {})
    if text is not None or not tree.words:
        all_comments["text"] = " ".join(re.split(r"[\t\r\n]+", text or "")).strip()
    if not tree.words and all_comments["text"]:
        raise InputError(f"the tree has no words, but its text is {all_comments['text']!r}")
    rows = [f"# {key} = {value}".rstrip() for key, value in all_comments.items()]
    if any(re.search(r"[\r\n]", row) for row in rows):
        raise InputError("a comment must be on one line")
    ranges = {first: (last, form) for first, last, form in tree.multiwords}
    labels = tree.labels or ("_",) * len(tree)
    for token, (word, head, label) in enumerate(
        zip(tree.words, tree.heads, labels, strict=True), 1
    ):
        if token in ranges:
            last, form = ranges[token]
            rows.append(f"{token}-{last}\t{_check_cell(form, token)}" + "\t_" * 8)
        form, label = _check_cell(word, token), _check_cell(label or "_", token)
        rows.append(f"{token}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t_")
    return "\n".join(rows) + "\n\n"


def _check_cell(value: str, token: int) -> str:
    if FORBIDDEN_SPACE.search(value):
        raise InputError(f"token {token}: CoNLL-U cannot represent the white space in {value!r}")
    return value


def _parse_block(path: StrPath, number: int, rows: list[tuple[int, str]]) -> TreeBlock:
    """Parse the numbered lines of a block; errors name the line and the sentence."""
    comments: dict[str, str] = {}
    tokens: list[tuple[int, str]] = []
    for row in rows:
        if not row[1].startswith("#"):
            tokens.append(row)
        elif "=" in row[1]:
            key, _, value = row[1][1:].partition("=")
            comments[key.strip()] = value.strip()
    builder = _TreeBuilder()
    line_number = rows[0][0]
    try:
        if not tokens and comments.get("text") != "":
            raise InputError("there are no tokens, and no empty comment '# text ='")
        for line_number, line in tokens:
            builder.add(line_number, line)
        line_number = rows[-1][0]
        tree = builder.build()
    except InputError as error:
        if isinstance(error, TreeError):
            line_number = builder.line_numbers[error.token - 1]
        where = f"{display_name(path)}, line {line_number:,} (sentence {number:,})"
        raise InputError(f"{where}: {error}") from None
    return TreeBlock(tree, number, rows[0][0], comments)


class _TreeBuilder:
    """Builds a tree from the lines of its tokens."""

    def __init__(self) -> None:
        self.line_numbers: list[int] = []  # of the words
        self._words: list[str] = []
        self._heads: list[int] = []
        self._labels: list[str] = []
        self._spans: list[tuple[int, int, str]] = []

    def add(self, line_number: int, line: str) -> None:
        """Add the word or the multi-word token of a line."""
        token, form, head, label = parse_line(line)
        last = len(self._words)
        if isinstance(token, int):
            if token != last + 1:
                raise InputError(f"expected token {last + 1}, got token {token}")
            if head is None:
                raise InputError(f"token {token} has no head")
            self.line_numbers.append(line_number)
            self._words.append(form)
            self._heads.append(head)
            self._labels.append(label)
            return
        first, separator, end = token
        if separator == ".":
            if first != last:
                raise InputError(f"the empty node {first}.{end} is misplaced after token {last}")
        elif first != last + 1 or (self._spans and first <= self._spans[-1][1]):
            raise InputError(f"expected token {last + 1}, got token {first}-{end}")
        else:
            self._spans.append((first, end, form))

    def build(self) -> DependencyTree:
        """Return the tree of all tokens."""
        count = len(self._words)
        if self._spans and self._spans[-1][1] > count:
            first, end, _ = self._spans[-1]
            raise InputError(f"token {first}-{end}: the sentence ends with token {count}")
        labels = self._labels if any(label != "_" for label in self._labels) else None
        return DependencyTree(self._words, self._heads, labels, self._spans)


def parse_line(line: str) -> tuple[TokenId, str, int | None, str]:
    """Return ID, FORM, HEAD and DEPREL of a line, without other white space around them."""
    cells = line.split("\t")
    token = f"token {cells[0]}" if ID.fullmatch(cells[0]) else f"the line {cells[0][:20]!r}"
    if len(cells) != len(COLUMNS):
        count = len(cells)
        raise InputError(f"{token} must have {len(COLUMNS)} columns, got {count}")
    used = [cells[k] for k in USED_INDICES]
    for name, cell in zip(USED_COLUMNS, used, strict=True):
        if not cell or cell.isspace() or FORBIDDEN_SPACE.search(cell):
            problem = "is empty" if not cell.strip() else "has invalid white space"
            raise InputError(f"{token}: the column {name} {problem}")
    first, form, head, label = used
    for name, cell in (("ID", first), ("HEAD", head)):
        if len(re.split("[-.]", cell)[-1]) > MAX_DIGITS or len(cell) > 2 * MAX_DIGITS:
            raise InputError(f"{token}: the number in the column {name} is too large")
    token_id = _parse_id(first.lstrip()) if HEAD.fullmatch(head) else None
    if token_id is None:
        name, cell = ("ID", first) if HEAD.fullmatch(head) else ("HEAD", head)
        raise InputError(f"{token}: the column {name} is invalid: {printable(cell)!r}")
    return token_id, form, None if head == "_" else int(head), label.rstrip()


def _parse_id(text: str) -> TokenId | None:
    """Return the ID of a word, of a multi-word token or of an empty node; None if it is invalid."""
    if WORD_ID.fullmatch(text):
        return int(text)
    parts = RANGE_OR_NODE_ID.fullmatch(text)
    if parts is None:
        return None
    first, separator, last = int(parts[1]), parts[2], int(parts[3])
    return None if separator == "-" and last < first else (first, separator, last)


def _excerpt(text: str, position: int) -> str:
    """Return the text around a character; ``position`` does not count white space."""
    indices = [k for k, character in enumerate(text) if not character.isspace()]
    center = indices[position] if position < len(indices) else len(text)
    start = max(0, center - MAX_SHOWN // 4)
    end = start + MAX_SHOWN
    return "…" * (start > 0) + text[start:end] + "…" * (end < len(text))
