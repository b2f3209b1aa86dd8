"""``hyperbaton align``: word alignments of two sentences, or of two files line by line."""

from __future__ import annotations

import json
import os
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Annotated

import typer

from hyperbaton.alignment.aligner import DEFAULT_BUDGET, MATCHERS, Aligner
from hyperbaton.alignment.alignment import UNALIGNED, Alignment
from hyperbaton.alignment.source import NULLS
from hyperbaton.cli import options
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.report.terminal import link_lines, unlinked
from hyperbaton.text.columns import split_column
from hyperbaton.text.lines import read_aligned, write_beside
from hyperbaton.threads import thread_count

DEFAULT_TOP = 10
DEFAULT_NULLS = "moses"  # the other rule pulls words without a link away from their neighbours
BATCH = 4000  # lines: enough for all threads, little memory


class Format(StrEnum):
    """What is printed."""

    pharaoh = "pharaoh"
    moses = "moses"
    json = "json"
    permutation = "permutation"
    draw = "draw"


def align(
    hyp: Annotated[
        str,
        typer.Argument(
            metavar="HYP",
            help="The translation: a file (or - or .gz), or text; with --source, a file of links.",
        ),
    ],
    ref: Annotated[
        str | None,
        typer.Argument(metavar="[REF]", help="The reference, likewise.", show_default=False),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Such as en: for stems and tokens.")
    ] = None,
    matchers: Annotated[
        str | None,
        typer.Option(
            "--matchers", "-m", help=f"Of {', '.join(MATCHERS)}, with commas; or context."
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="Default: pharaoh for files, draw for texts."),
    ] = None,
    unaligned: Annotated[
        str, typer.Option(help=f"In permutations: {', '.join(UNALIGNED)} (see the docs).")
    ] = "drop",
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to.")] = "-",
    tokenize: Annotated[
        str | None, typer.Option(help="sacreBLEU's tokeniser; none for tokens split by spaces.")
    ] = None,
    cased: Annotated[bool, typer.Option("--cased", help="Do not lower-case.")] = False,
    weights: Annotated[
        str | None, typer.Option(help="What a covered word counts, such as exact=1,stem=0.6.")
    ] = None,
    wordnet: Annotated[str | None, typer.Option(help="The folder of WordNet's files.")] = None,
    paraphrases: Annotated[
        str | None, typer.Option(help="A paraphrase table in METEOR's format.")
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Both are texts, even if there are such files.")
    ] = False,
    budget: Annotated[int, typer.Option(help="Steps of the search for a word.")] = DEFAULT_BUDGET,
    threads: Annotated[int | None, typer.Option(help="Default: all cores.")] = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="SRC", help="The source of a bitext whose links are in a file."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="TGT", help="Its target, to check the links against.")
    ] = None,
    profile: Annotated[
        bool, typer.Option("--profile", help="Say which reorderings the bitext has.")
    ] = False,
    nulls: Annotated[
        str | None,
        typer.Option(
            help=f"Source words without a link: {', '.join(NULLS)}; default: {DEFAULT_NULLS}."
        ),
    ] = None,
    one_based: options.OneBased = False,
    sure: options.Sure = False,
    top: Annotated[
        int, typer.Option(min=1, help="How many operators a profile lists.")
    ] = DEFAULT_TOP,
) -> None:
    """Align two sentences, or two files line by line.

    Texts or files: if there are files of these names, they are files.

    \b
    Examples:
      hyperbaton align "the cat saw the dog" "the dog saw the cat"
      hyperbaton align system.txt reference.txt -l en > links.txt
      hyperbaton align system.txt reference.txt -l en -m exact,stem,synonym -f json -o links.jsonl
      hyperbaton align system.txt reference.txt -f permutation --unaligned left
      hyperbaton align system.txt reference.txt -m context
      hyperbaton align --source src.txt links.align --profile
      hyperbaton align --source src.txt links.align --one-based --sure -f moses -o links.moses
    """
    of_bitext = [
        ("--target", target),
        ("--profile", profile),
        ("--nulls", nulls),
        ("--one-based", one_based),
        ("--sure", sure),
        ("--top", top != DEFAULT_TOP),
    ]
    if source is not None:
        if ref is not None:
            raise InputError("with --source there is one file of links, and no other")
        for option, given in (
            ("--language", language),
            ("--matchers", matchers),
            ("--unaligned", unaligned != "drop"),
            ("--tokenize", tokenize),
            ("--cased", cased),
            ("--weights", weights),
            ("--wordnet", wordnet),
            ("--paraphrases", paraphrases),
            ("--text", text),
            ("--budget", budget != DEFAULT_BUDGET),
        ):
            if given:
                raise InputError(f"{option} is for links that are to be found, without --source")
        bitext(hyp, source, target, form, output, profile, nulls, one_based, sure, top, threads)
        return
    for option, given in of_bitext:
        if given:
            raise InputError(f"{option} is for links with a source: --source SRC LINKS")
    if ref is None:
        raise InputError("no reference: hyperbaton align HYP REF")
    if unaligned not in UNALIGNED:
        raise InputError(f"--unaligned is one of {', '.join(UNALIGNED)}, not {unaligned!r}")
    files = not text and are_files(hyp, ref)
    refuse_to_write_over(output, (hyp, ref) if files else ())
    try:
        thread_count(threads)
        aligner = Aligner(
            language,
            matchers,
            tokenize,
            not cased,
            parse_weights(weights),
            wordnet,
            paraphrases,
            budget,
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    form = form or (Format.pharaoh if files else Format.draw)
    write = WRITERS[form]
    with write_beside(output) as out:
        if form is Format.json:
            out.write(json.dumps({"signature": aligner.signature}) + "\n")
        pairs: Iterable[tuple[str, ...]] = read_aligned(hyp, ref) if files else [(hyp, ref)]
        done = 0
        for batch in with_progress(batches(pairs, BATCH), files):
            hyps, refs = [pair[0] for pair in batch], [pair[1] for pair in batch]
            try:
                found = aligner.align_many(hyps, refs, threads)
            except TooLongError as error:
                where = f"{hyp} and {ref}, line {done + error.pair + 1}: " if files else ""
                raise InputError(f"{where}{error}") from None
            for k, alignment in enumerate(found):
                if form is Format.draw and done + k > 0:
                    out.write("\n")
                out.write(write(aligner, hyps[k], refs[k], alignment, unaligned) + "\n")
            done += len(batch)


def bitext(
    path: str,
    source: str,
    target: str | None,
    form: Format | None,
    output: str,
    profile: bool,
    nulls: str | None,
    one_based: bool,
    sure: bool,
    top: int,
    threads: int | None,
) -> None:
    """Read links with a source; write them, or what reorderings they are."""
    from hyperbaton.cli import bitext as commands

    nulls = nulls or DEFAULT_NULLS
    if nulls not in NULLS:
        raise InputError(f"--nulls is one of {', '.join(NULLS)}, not {nulls!r}")
    with options.as_input_error():
        thread_count(threads)
    refuse_to_write_over(output, [name for name in (path, source, target) if name is not None])
    files = (path, source, target, int(one_based), not sure)
    if profile:
        if form not in (None, Format.json):
            raise InputError("--profile is printed as a table, or with --format json")
        commands.profile(*files, nulls, form is Format.json, top, threads, output)
        return
    writers: dict[Format, Callable[[Alignment], str]] = {
        Format.pharaoh: Alignment.to_pharaoh,
        Format.moses: Alignment.to_moses,
        Format.permutation: lambda one: " ".join(map(str, one.source_permutation(nulls))),
        Format.json: lambda one: json.dumps(
            {**one.to_dict(), "permutation": list(one.source_permutation(nulls))}
        ),
    }
    write = writers.get(form or Format.pharaoh)
    if write is None:
        raise InputError("--format draw is for texts, and links have none")
    commands.convert(*files, write, output)


def refuse_to_write_over(output: str, names: Iterable[str]) -> None:
    """An output that is one of the inputs."""
    for name in names:
        path = split_column(name)[0]
        if os.path.exists(output) and os.path.exists(path) and os.path.samefile(output, path):
            raise InputError(f"{output} would be written over while it is read")


def are_files(hyp: str, ref: str) -> bool:
    """Whether both are files, as against texts; it is wrong if one is and the other is not."""
    there = [name == "-" or os.path.exists(name) for name in (hyp, ref)]
    for name, is_there in zip((hyp, ref), there, strict=True):
        looks = not re.search(r"\s", name) and name.endswith((".txt", ".gz"))
        if not is_there and (any(there) or looks):
            raise InputError(f"there is no file {name} (--text if it is a text)")
    return all(there)


def parse_weights(text: str | None) -> dict[str, float] | None:
    """Weights as they are typed."""
    if text is None:
        return None
    weights = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        try:
            weights[name.strip()] = float(number)
        except ValueError:
            raise InputError(f"{part!r} is not a weight such as stem=0.6") from None
    return weights


def as_pharaoh(_a: Aligner, _h: str, _r: str, alignment: Alignment, _u: str) -> str:
    """One line of links."""
    return alignment.to_pharaoh()


def as_moses(_a: Aligner, _h: str, _r: str, alignment: Alignment, _u: str) -> str:
    """One line of phrases."""
    return alignment.to_moses()


def as_json(aligner: Aligner, hyp: str, ref: str, alignment: Alignment, unaligned: str) -> str:
    """One line of JSON."""
    whole = {
        "hyp": aligner.tokens(hyp),
        "ref": aligner.tokens(ref),
        **alignment.to_dict(),
        "permutation": list(alignment.permutation(unaligned)),
    }
    return json.dumps(whole, ensure_ascii=False)


def as_permutation(_a: Aligner, _h: str, _r: str, alignment: Alignment, unaligned: str) -> str:
    """One line of numbers from 1."""
    return " ".join(map(str, alignment.permutation(unaligned)))


def as_drawing(aligner: Aligner, hyp: str, ref: str, alignment: Alignment, unaligned: str) -> str:
    """For people: every word with what it is linked to, chunk after chunk."""
    words = aligner.tokens(ref)
    lines = link_lines(aligner.tokens(hyp), words, alignment)
    count = len(alignment.phrases)
    below = [
        unlinked(words, alignment),
        f"{count} link{'s' * (count != 1)} in {alignment.chunks} "
        f"chunk{'s' * (alignment.chunks != 1)}; "
        f"covered: {alignment.hyp_coverage:.0%} of the translation, "
        f"{alignment.ref_coverage:.0%} of the reference"
        + " (perhaps not the best: the search was cut short)"
        * (alignment.exact is False),
        f"permutation: {alignment.permutation(unaligned)}",
        aligner.signature,
    ]
    columns = shutil.get_terminal_size().columns
    wrapped = [textwrap.fill(line, columns, subsequent_indent="  ") for line in below if line]
    return "\n".join([*lines, "", *wrapped])


Writer = Callable[[Aligner, str, str, Alignment, str], str]
WRITERS: dict[Format, Writer] = {
    Format.pharaoh: as_pharaoh,
    Format.moses: as_moses,
    Format.json: as_json,
    Format.permutation: as_permutation,
    Format.draw: as_drawing,
}
