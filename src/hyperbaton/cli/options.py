"""Options that several subcommands share, and what they have in common."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

import hyperbaton
from hyperbaton.errors import InputError
from hyperbaton.metrics.registry import SETS
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.columns import read_texts, split_column
from hyperbaton.text.lines import printable

EXAMPLE = Path(hyperbaton.__file__).parent / "example"


class Format(StrEnum):
    """What is printed."""

    text = "text"
    json = "json"
    tsv = "tsv"
    markdown = "markdown"
    latex = "latex"


Systems = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SYS...",
        help="Translations, line by line: a text (or - or .gz), or a column: "
        "file.tsv:name, file.tsv:2, file.jsonl:key.",
        show_default=False,
    ),
]
References = Annotated[
    list[str] | None,
    typer.Option("--reference", "-r", metavar="REF", help="A reference; may be repeated."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="METRIC",
        help=f"Such as pef or pef,wer or full:order=ulam,bp=off, or a set: {', '.join(SETS)}; may "
        "be repeated.",
    ),
]
Language = Annotated[
    str | None, typer.Option("--language", "-l", help="Such as en: for stems and tokens.")
]
Form = Annotated[Format, typer.Option("--format", "-f", help="What is printed.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to.")]
Digits = Annotated[int, typer.Option(min=1, max=15, help="Digits after the point.")]
Short = Annotated[bool, typer.Option("--short", help="Short signatures.")]
Wordnet = Annotated[str | None, typer.Option(help="The folder of WordNet's files.")]
Paraphrases = Annotated[str | None, typer.Option(help="A paraphrase table in METEOR's format.")]
Trees = Annotated[
    list[str] | None,
    typer.Option(
        "--trees",
        metavar="CONLLU",
        help="The dependency trees of a system, a block for each line: one file for each SYS.",
    ),
]
ReferenceTrees = Annotated[
    list[str] | None,
    typer.Option("--ref-trees", metavar="CONLLU", help="Those of a reference: one for each REF."),
]
ParserSpec = Annotated[
    str | None,
    typer.Option(
        "--parser",
        metavar="PARSER",
        help="Finds trees for dted: spacy:NAME or udpipe:FILE; default: spaCy's for the language.",
    ),
]
Threads = Annotated[int | None, typer.Option(help="Default: all cores.")]
Example = Annotated[
    bool, typer.Option("--example", help="Take the three systems that come with Hyperbaton.")
]
Source = Annotated[
    str | None,
    typer.Option("--source", metavar="SRC", help="The source, for alignments that go through it."),
]
Alignments = Annotated[
    list[str] | None,
    typer.Option(
        "--alignment",
        metavar="SYS.align",
        help="Links (0-0 1-2, or 1-2=1-2) of the source, or without --source of the reference, "
        "with each system in turn.",
    ),
]
ReferenceAlignments = Annotated[
    list[str] | None,
    typer.Option(
        "--ref-alignment", metavar="REF.align", help="Links of the source with each reference."
    ),
]
OneBased = Annotated[
    bool, typer.Option("--one-based", help="In files of links, words are counted from 1.")
]
Sure = Annotated[bool, typer.Option("--sure", help="Leave out possible links (1?2, 1p2).")]
Samples = Annotated[int, typer.Option(help="How many samples are drawn.")]
Seed = Annotated[int, typer.Option(help="From which seed: the same gives the same numbers.")]
Level = Annotated[float, typer.Option(help="Of intervals; 1 less it is that of significance.")]


def files(
    command: str,
    systems: Sequence[str] | None,
    references: Sequence[str] | None,
    outputs: Sequence[str | None],
    example: bool,
    others: Sequence[str | None] = (),
) -> tuple[list[str], list[str]]:
    """Systems and references, all there, and none of them, or of others, written over."""
    if example:
        if systems or references or any(others):
            raise InputError("--example has its own systems and reference: give no others")
        systems = [str(EXAMPLE / f"{name}.txt") for name in ("literal", "phrasal", "fluent")]
        references = [str(EXAMPLE / "reference.txt")]
    if "" in (*(systems or ()), *(references or ()), *others, *outputs):
        raise InputError("the name of a file is empty")
    if not systems:
        raise InputError(f"no system: hyperbaton {command} -r REF SYS...")
    if not references:
        raise InputError(f"no reference: hyperbaton {command} -r REF SYS...")
    written = different(outputs)
    read = {
        os.path.realpath(split_column(name)[0]): name
        for name in [*references, *systems, *others]
        if name is not None and name != "-"
    }
    for name in written:
        if name in read:
            raise InputError(f"{printable(read[name])} would be written over while it is read")
    return list(systems), list(references)


def different(outputs: Sequence[str | None]) -> list[str]:
    """Where the outputs that are files are; no two of them are one."""
    written = [os.path.realpath(name) for name in outputs if name is not None and name != "-"]
    if len(set(written)) < len(written):
        raise InputError("two outputs would be written to the same file")
    return written


def tree_files(
    systems: Sequence[str],
    references: Sequence[str],
    trees: Sequence[str] | None,
    reference_trees: Sequence[str] | None,
    parser: str | None,
    example: bool,
) -> list[Iterator[DependencyTree]] | None:
    """The trees of references and of systems, each checked against its text, if there are files.

    Those of the example come with it.
    """
    if not trees and not reference_trees:
        if not example or parser is not None:
            return None
        paths = [str(Path(text).with_suffix(".conllu")) for text in (*references, *systems)]
    else:
        if parser is not None:
            raise InputError("--parser is for texts without --trees and --ref-trees")
        for option, files, what, texts in (
            ("--trees", trees or (), "system", systems),
            ("--ref-trees", reference_trees or (), "reference", references),
        ):
            if len(files) != len(texts):
                count = f"are {len(texts)} {what}s" if len(texts) != 1 else f"is 1 {what}"
                times = f"{len(files)} time{'s' * (len(files) != 1)}"
                raise InputError(f"{option} is given {times}, but there {count}")
        paths = [*(reference_trees or ()), *(trees or ())]
        if "-" in (*paths, *systems, *references):
            raise InputError("with trees, no file can be standard input")
    return [
        read_trees(path, (line for lines in read_texts(text) for line in lines), text)
        for path, text in zip(paths, [*references, *systems], strict=True)
    ]


def system_names(systems: Sequence[str]) -> list[str]:
    """What systems are called: their files, without folders where that is enough."""
    parts = [split_column(system) for system in systems]
    real = [(os.path.realpath(path), column) for path, _, column in parts]
    for k, one in enumerate(real):
        if one in real[:k]:
            first = systems[real.index(one)]
            also = "" if first == systems[k] else f": it is {printable(first)}, too"
            raise InputError(f"{printable(systems[k])} is given twice{also}")
    paths = {path for path, _ in real}
    names = []
    for path, _, column in parts:
        base = "standard input" if path == "-" else os.path.basename(path)
        if column is not None:
            base = column if len(paths) == 1 else f"{base}:{column}"
        names.append(base)
    clash = len(set(names)) < len(names)
    return [printable(s if clash else name) for s, name in zip(systems, names, strict=True)]


def in_colour(out: TextIO) -> bool:
    """Whether colour is wanted: on a terminal, unless NO_COLOR says otherwise."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@contextlib.contextmanager
def as_input_error() -> Iterator[None]:
    """What is wrong with an option is the user's to put right."""
    try:
        yield
    except ValueError as error:
        raise InputError(str(error)) from error
