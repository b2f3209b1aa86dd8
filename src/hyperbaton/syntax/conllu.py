"""Trees as CoNLL-U: read block by block, compared with the text that they are of, and written.

A line of text has one block. Several sentences of a line are one block with several roots, and an
empty line is a block that has no token and says so: ``# text =`` with nothing after it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, zip_longest

from hyperbaton.errors import InputError, TreeError
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.lines import StrPath, printable, read_lines

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
KEPT = ("ID", "FORM", "HEAD", "DEPREL")  # what a tree is made of
AT = tuple(map(COLUMNS.index, KEPT))
FIELDS = tuple(map(str.lower, KEPT))
MOST_DIGITS = 9  # of a number; no line has a thousand million words
# What a column cannot hold: white space that ends it, or a line, for some reader or other.
WHITE = re.compile(r"[\t\r\n\x0b\x0c\x1c-\x1f\x85\u2028\u2029]|  |^ | $|^\s*$")
ID = re.compile(r"[0-9]{1,9}(?:[-.][0-9]{1,9})?")
HEAD = re.compile(r"_|0|-?[1-9][0-9]*")
SHORT = 60  # characters: a longer text is shown in part

Id = int | tuple[int, str, int]  # a word's, or 1-2 or 1.1 in three parts


@dataclass(frozen=True, slots=True)
class Block:
    """A tree, where it is in its file, and the comments above it."""

    tree: DependencyTree
    number: int
    line: int
    comments: Mapping[str, str]


def read_blocks(path: StrPath) -> Iterator[Block]:
    """The blocks of a CoNLL-U file, plain or gzipped, one by one; ``-`` is standard input.

    Words are the syntactic ones: of a multi-word token (``1-2``) the form is kept beside them, and
    empty nodes (``1.1``) are passed over. Of comments, those with a key and a value are kept.
    """
    number = 0
    rows: list[tuple[int, str]] = []
    for at, line in enumerate(read_lines(path), 1):
        if line and not line.isspace():
            rows.append((at, line.removesuffix("\r")))
        elif rows:  # more than one blank line between blocks does no harm
            number += 1
            yield _block(path, number, rows)
            rows = []
    if rows:
        yield _block(path, number + 1, rows)


def read_trees(
    path: StrPath, lines: Iterable[str] | None = None, text: StrPath = "the text"
) -> Iterator[DependencyTree]:
    """The trees of a CoNLL-U file; if lines of text are given, each must be that of its tree.

    ``text`` is what errors call the file that the lines come from.
    """
    if lines is None:
        yield from (block.tree for block in read_blocks(path))
        return
    blocks, texts = 0, 0
    for block, line in zip_longest(read_blocks(path), lines):
        blocks, texts = blocks + (block is not None), texts + (line is not None)
        if block is None or line is None:
            continue  # on to the end: the error says how many there are
        wrong = difference(block.tree, line)
        if wrong:
            where = f"{_name(path)}, line {block.line:,} (sentence {block.number:,})"
            raise InputError(f"{where}: {wrong}")
        yield block.tree
    if blocks != texts:
        raise InputError(
            f"{_name(path)} has {blocks:,} sentence{'s' * (blocks != 1)}, but "
            f"{_name(text)} has {texts:,} line{'s' * (texts != 1)}"
        )


def check_trees(trees: Iterable[DependencyTree], lines: Iterable[str]) -> None:
    """Raise an error unless each tree has the characters of its line, white space aside.

    >>> check_trees([DependencyTree(["do", "n't"], [0, 1])], ["don't"])
    >>> check_trees([DependencyTree(["ab", "c"], [0, 1])], ["abd"])
    Traceback (most recent call last):
    ...
    hyperbaton...InputError: sentence 1: the tree has 'ab c', but the text has 'abd' (token 2)
    """
    trees, lines = list(trees), list(lines)
    if len(trees) != len(lines):
        raise InputError(f"there are {len(trees):,} trees, but {len(lines):,} lines of text")
    for number, (tree, line) in enumerate(zip(trees, lines, strict=True), 1):
        wrong = difference(tree, line)
        if wrong:
            raise InputError(f"sentence {number:,}: {wrong}")


def difference(tree: DependencyTree, text: str) -> str | None:
    """What is wrong if the tree and the text differ in more than white space, or nothing."""
    forms = ["".join(form.split()) for form in tree.surface]
    mine, other = "".join(forms), "".join(text.split())
    if mine == other:
        return None
    pairs = enumerate(zip(mine, other, strict=False))
    at = next((k for k, (a, b) in pairs if a != b), min(len(mine), len(other)))
    ends = accumulate(map(len, forms))
    token = next((k for k, end in enumerate(ends, 1) if at < end), None)
    where = f"token {token}" if token else "after the last token"
    if tree.multiwords and token:
        where = f"token {forms[token - 1]!r}"  # its number is not that of a word
    shown = [" ".join(tree.surface), " ".join(text.split())]
    if max(map(len, shown)) > SHORT:  # from a little before the place where they differ
        shown = [_excerpt(one, at) for one in shown]
    return f"the tree has {shown[0]!r}, but the text has {shown[1]!r} ({where})"


def to_conllu(
    tree: DependencyTree, text: str | None = None, comments: Mapping[str, str] | None = None
) -> str:
    r"""The tree as a block, with the blank line at its end.

    >>> print(to_conllu(DependencyTree(["She", "left"], [2, 0]), "She left"))
    # text = She left
    1	She	_	_	_	_	2	_	_	_
    2	left	_	_	_	_	0	_	_	_
    <BLANKLINE>
    >>> to_conllu(DependencyTree([], []))
    '# text =\n\n'
    """
    above = dict(comments or {})
    if text is not None or not tree.words:
        above["text"] = " ".join(re.split(r"[\t\r\n]+", text or "")).strip()
    if not tree.words and above["text"]:
        raise InputError(f"the tree has no word, but its text is {above['text']!r}")
    rows = [f"# {key} = {value}".rstrip() for key, value in above.items()]
    if any(re.search(r"[\r\n]", row) for row in rows):
        raise InputError("a comment has more than one line")
    ranges = {first: (last, form) for first, last, form in tree.multiwords}
    labels = tree.labels or ("_",) * len(tree)
    for token, (word, head, label) in enumerate(
        zip(tree.words, tree.heads, labels, strict=True), 1
    ):
        if token in ranges:
            last, form = ranges[token]
            rows.append(f"{token}-{last}\t{_column(form, token)}" + "\t_" * 8)
        form, label = _column(word, token), _column(label or "_", token)
        rows.append(f"{token}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t_")
    return "\n".join(rows) + "\n\n"


def _column(value: str, token: int) -> str:
    if WHITE.search(value):
        raise InputError(f"token {token}: CoNLL-U cannot hold {value!r}, for its white space")
    return value


def _block(path: StrPath, number: int, rows: list[tuple[int, str]]) -> Block:
    """The block that these lines are; errors name the line and the sentence."""
    comments: dict[str, str] = {}
    tokens: list[tuple[int, str]] = []
    for row in rows:
        if not row[1].startswith("#"):
            tokens.append(row)
        elif "=" in row[1]:
            key, _, value = row[1][1:].partition("=")
            comments[key.strip()] = value.strip()
    builder = _Builder()
    at = rows[0][0]
    try:
        if not tokens and comments.get("text") != "":
            raise InputError("there is no token, and no '# text =' that says so")
        for at, line in tokens:
            builder.add(at, line)
        at = rows[-1][0]
        tree = builder.tree()
    except ValueError as error:
        if isinstance(error, TreeError):
            at = builder.lines[error.token - 1]
        where = f"{_name(path)}, line {at:,} (sentence {number:,})"
        raise InputError(f"{where}: {error}") from None
    return Block(tree, number, rows[0][0], comments)


class _Builder:
    """A tree, token by token."""

    def __init__(self) -> None:
        self.lines: list[int] = []  # where each word is
        self._words: list[str] = []
        self._heads: list[int] = []
        self._labels: list[str] = []
        self._spans: list[tuple[int, int, str]] = []

    def add(self, at: int, line: str) -> None:
        """Take the word that the line is, or the multi-word token."""
        token, form, head, label = _cells(line)
        last = len(self._words)
        if isinstance(token, int):
            if token != last + 1:
                raise InputError(f"token {token} stands where token {last + 1} belongs")
            if head is None:
                raise InputError(f"token {token} has no head")
            self.lines.append(at)
            self._words.append(form)
            self._heads.append(head)
            self._labels.append(label)
            return
        first, sign, end = token
        if sign == ".":
            if first != last:
                raise InputError(f"the empty node {first}.{end} stands after token {last}")
        elif first != last + 1 or (self._spans and first <= self._spans[-1][1]):
            raise InputError(f"token {first}-{end} stands where token {last + 1} belongs")
        else:
            self._spans.append((first, end, form))

    def tree(self) -> DependencyTree:
        """The tree of all tokens."""
        count = len(self._words)
        if self._spans and self._spans[-1][1] > count:
            first, end, _ = self._spans[-1]
            raise InputError(f"token {first}-{end}: the sentence ends with token {count}")
        labels = self._labels if any(label != "_" for label in self._labels) else None
        return DependencyTree(self._words, self._heads, labels, self._spans)


def _cells(line: str) -> tuple[Id, str, int | None, str]:
    """What a tree needs of a line: ID, FORM, HEAD and DEPREL.

    The library divides columns at two spaces, too, takes lines with fewer columns, and leaves out
    what is empty at their ends. So it is given no line that it could take for another.
    """
    import conllu  # not before it is needed
    from conllu.exceptions import ParseException

    cells = line.split("\t")
    token = f"token {cells[0]}" if ID.fullmatch(cells[0]) else f"the line {cells[0][:20]!r}"
    if len(cells) != len(COLUMNS):
        count = f"{len(cells)} column{'s' * (len(cells) != 1)}"
        raise InputError(f"{token} has {count}, where CoNLL-U has {len(COLUMNS)}")
    kept = [cells[k] for k in AT]
    for name, cell in zip(KEPT, kept, strict=True):
        if not cell or cell.isspace() or WHITE.search(cell):
            wrong = "is empty" if not cell.strip() else "has white space where it should have none"
            raise InputError(f"{token}: the column {name} {wrong}")
    for name, cell in (("ID", kept[0]), ("HEAD", kept[2])):
        if len(re.split("[-.]", cell)[-1]) > MOST_DIGITS or len(cell) > 2 * MOST_DIGITS:
            raise InputError(f"{token}: the column {name} is no number that a token can have")
    try:
        found = conllu.parse_token_and_metadata("\t".join(kept), fields=FIELDS)[0]
    except ParseException:
        name, cell = ("ID", kept[0]) if HEAD.fullmatch(kept[2]) else ("HEAD", kept[2])
        raise InputError(f"{token}: the column {name} cannot be {printable(cell)!r}") from None
    if found["id"] is None or found["id"] == 0:
        raise InputError(f"{token}: the column ID cannot be {kept[0]!r}")
    return found["id"], found["form"], found["head"], found["deprel"]


def _excerpt(text: str, at: int) -> str:
    """What is round the character that ``at`` others are before, spaces not counted."""
    letters = [k for k, character in enumerate(text) if not character.isspace()]
    place = letters[at] if at < len(letters) else len(text)
    start = max(0, place - SHORT // 4)
    end = start + SHORT
    return "…" * (start > 0) + text[start:end] + "…" * (end < len(text))


def _name(path: StrPath) -> str:
    name = os.fspath(path)
    return "standard input" if name == "-" else printable(name)
