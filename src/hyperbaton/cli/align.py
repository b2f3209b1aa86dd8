"""``hyperbaton align``: align two sentences, or two files line by line."""

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

from hyperbaton.alignment.aligner import DEFAULT_BUDGET, Aligner
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.batch import UNALIGNED
from hyperbaton.alignment.matchers import MATCHERS
from hyperbaton.alignment.source import NULLS
from hyperbaton.cli import options
from hyperbaton.cli.file_run import print_warnings
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.report.cautions import spacing_notes, stemmer_notes
from hyperbaton.report.terminal import link_lines, unlinked_line
from hyperbaton.text.display import raw_tokens
from hyperbaton.text.lines import printable, read_aligned, write_beside
from hyperbaton.text.plurals import count_noun
from hyperbaton.threads import thread_count

DEFAULT_TOP = 10
DEFAULT_NULLS = "moses"  # "paper" can move words without a link away from their neighbours
BATCH = 4000  # lines per batch: enough for all threads, small in memory


class Format(StrEnum):
    """Output formats."""

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
            help="Translation: a file (- for standard input, .gz) or a text; with --source, a file "
            "of links.",
        ),
    ],
    ref: Annotated[
        str | None,
        typer.Argument(metavar="[REF]", help="Reference: a file or a text.", show_default=False),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            "-l",
            metavar="LANG",
            help="Language, for stems and tokenisation: a code or BCP 47 tag such as de, pt-BR or "
            "zh-Hans.",
            rich_help_panel="Input",
        ),
    ] = None,
    matchers: Annotated[
        str | None,
        typer.Option(
            "--matchers",
            "-m",
            help=f"Comma-separated: {', '.join(MATCHERS)}; or context alone.",
            rich_help_panel="Alignments",
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="Output format; default: pharaoh for files, draw for texts.",
            rich_help_panel="Output",
        ),
    ] = None,
    unaligned: Annotated[
        str,
        typer.Option(
            help=f"Unaligned words in permutations: {', '.join(UNALIGNED)}.",
            rich_help_panel="Output",
        ),
    ] = "drop",
    output: options.OutputFile = "-",
    tokenize: Annotated[
        str | None,
        typer.Option(help="sacreBLEU tokeniser; none to split at spaces.", rich_help_panel="Input"),
    ] = None,
    cased: Annotated[
        bool, typer.Option("--cased", help="Match case.", rich_help_panel="Alignments")
    ] = False,
    fold: options.Fold = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Weight of a covered word by matcher, such as exact=1,stem=0.6.",
            rich_help_panel="Alignments",
        ),
    ] = None,
    wordnet: Annotated[
        str | None,
        typer.Option(help="Folder of the WordNet database.", rich_help_panel="Alignments"),
    ] = None,
    paraphrases: Annotated[
        str | None,
        typer.Option(help="Paraphrase table in METEOR's format.", rich_help_panel="Alignments"),
    ] = None,
    text: Annotated[
        bool,
        typer.Option(
            "--text",
            help="Treat HYP and REF as texts even if such files exist.",
            rich_help_panel="Input",
        ),
    ] = False,
    budget: Annotated[
        int, typer.Option(help="Maximum search steps per word.", rich_help_panel="Alignments")
    ] = DEFAULT_BUDGET,
    threads: Annotated[
        int | None,
        typer.Option(help="Number of threads; default: all cores.", rich_help_panel="Alignments"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="SRC",
            help="Source text; HYP is then a file of links with it.",
            rich_help_panel="Input",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="TGT", help="Target text, to check the links.", rich_help_panel="Input"
        ),
    ] = None,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile", help="Print statistics of the reorderings.", rich_help_panel="Output"
        ),
    ] = False,
    nulls: Annotated[
        str | None,
        typer.Option(
            help=f"Place of unaligned source words: {', '.join(NULLS)}; default: {DEFAULT_NULLS}.",
            rich_help_panel="Output",
        ),
    ] = None,
    one_based: options.OneBased = False,
    sure: options.Sure = False,
    top: Annotated[
        int,
        typer.Option(min=1, help="Number of operators in the profile.", rich_help_panel="Output"),
    ] = DEFAULT_TOP,
) -> None:
    """Align two sentences, or two files line by line.

    Existing file names are read as files; use --text to force text.

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
    bitext_options = [
        ("--target", target),
        ("--profile", profile),
        ("--nulls", nulls),
        ("--one-based", one_based),
        ("--sure", sure),
        ("--top", top != DEFAULT_TOP),
    ]
    if source is not None:
        if ref is not None:
            raise InputError(
                "--source takes one file of links: hyperbaton align --source SRC LINKS"
            )
        for option, given in (
            ("--language", language),
            ("--matchers", matchers),
            ("--unaligned", unaligned != "drop"),
            ("--tokenize", tokenize),
            ("--cased", cased),
            ("--fold", fold),
            ("--weights", weights),
            ("--wordnet", wordnet),
            ("--paraphrases", paraphrases),
            ("--text", text),
            ("--budget", budget != DEFAULT_BUDGET),
        ):
            if given:
                raise InputError(
                    f"{option} cannot be used with --source, which reads existing links"
                )
        process_bitext(
            hyp, source, target, form, output, profile, nulls, one_based, sure, top, threads
        )
        return
    for option, given in bitext_options:
        if given:
            raise InputError(f"{option} needs --source: hyperbaton align --source SRC LINKS")
    if ref is None:
        raise InputError("no reference: hyperbaton align HYP REF")
    if unaligned not in UNALIGNED:
        raise InputError(f"--unaligned must be one of {', '.join(UNALIGNED)}, got {unaligned!r}")
    files = not text and are_files(hyp, ref)
    options.check_paths((hyp, ref) if files else (), [output])
    if not files:
        options.check_typed_texts((hyp, ref))
    thread_count(threads)
    aligner = Aligner(
        language,
        matchers,
        tokenize,
        lowercase=not cased,
        weights=parse_weights(weights),
        wordnet=wordnet,
        paraphrases=paraphrases,
        budget=budget,
        fold=fold,
    )
    print_warnings([] if matchers else stemmer_notes(language))
    print_warnings([] if tokenize else spacing_notes(language))
    form = form or (Format.pharaoh if files else Format.draw)
    write = WRITERS[form]
    with write_beside(output) as out:
        if form is Format.json:
            out.write(json.dumps({"signature": aligner.signature}) + "\n")
        pairs: Iterable[tuple[str, ...]] = read_aligned(hyp, ref) if files else [(hyp, ref)]
        lines_before = 0
        for batch in with_progress(batches(pairs, BATCH), files):
            hyps, refs = [pair[0] for pair in batch], [pair[1] for pair in batch]
            try:
                alignments = aligner.align_many(hyps, refs, threads)
            except TooLongError as error:
                where = f"{hyp} and {ref}, line {lines_before + error.pair + 1}: " if files else ""
                raise InputError(f"{where}{error}") from None
            for k, alignment in enumerate(alignments):
                if form is Format.draw and lines_before + k > 0:
                    out.write("\n")
                out.write(write(aligner, hyps[k], refs[k], alignment, unaligned) + "\n")
            lines_before += len(batch)


def process_bitext(
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
    """Read the links of a bitext; convert them, or print statistics of the reorderings."""
    from hyperbaton.cli import bitext

    nulls = nulls or DEFAULT_NULLS
    if nulls not in NULLS:
        raise InputError(f"--nulls must be one of {', '.join(NULLS)}, got {nulls!r}")
    thread_count(threads)
    inputs = [name for name in (path, source, target) if name is not None]
    options.check_paths(inputs, [output])
    files = (path, source, target, int(one_based), not sure)
    if profile:
        if form not in (None, Format.json):
            raise InputError("--profile supports only a table or --format json")
        bitext.write_profile(*files, nulls, form is Format.json, top, threads, output)
        return
    writers: dict[Format, Callable[[Alignment], str]] = {
        Format.pharaoh: Alignment.to_pharaoh,
        Format.moses: Alignment.to_moses,
        Format.permutation: lambda alignment: " ".join(
            map(str, alignment.source_permutation(nulls))
        ),
        Format.json: lambda alignment: json.dumps(
            {**alignment.to_dict(), "permutation": list(alignment.source_permutation(nulls))}
        ),
    }
    write = writers.get(form or Format.pharaoh)
    if write is None:
        raise InputError("--format draw cannot be used with --source: there are no texts to draw")
    bitext.convert_alignments(*files, write, output)


def are_files(hyp: str, ref: str) -> bool:
    """Tell whether both are files and not texts; raise an error if only one is a file."""
    exist = [name == "-" or os.path.exists(name) for name in (hyp, ref)]
    for name, exists in zip((hyp, ref), exist, strict=True):
        looks_like_file = not re.search(r"\s", name) and name.endswith((".txt", ".gz"))
        if not exists and (any(exist) or looks_like_file):
            raise InputError(f"there is no file {printable(name)} (use --text if it is a text)")
    return all(exist)


def parse_weights(text: str | None) -> dict[str, float] | None:
    """Parse weights such as ``exact=1,stem=0.6``."""
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
    """Format the word links of one pair on one line."""
    return alignment.to_pharaoh()


def as_moses(_a: Aligner, _h: str, _r: str, alignment: Alignment, _u: str) -> str:
    """Format the phrase links of one pair on one line."""
    return alignment.to_moses()


def as_json(aligner: Aligner, hyp: str, ref: str, alignment: Alignment, unaligned: str) -> str:
    """Format tokens, alignment and permutation of one pair as one line of JSON."""
    document = {
        "hyp": aligner.tokens(hyp),
        "ref": aligner.tokens(ref),
        **alignment.to_dict(),
        "permutation": list(alignment.permutation(unaligned)),
    }
    return json.dumps(document, ensure_ascii=False)


def as_permutation(_a: Aligner, _h: str, _r: str, alignment: Alignment, unaligned: str) -> str:
    """Format the permutation of one pair on one line."""
    return " ".join(map(str, alignment.permutation(unaligned)))


def as_drawing(aligner: Aligner, hyp: str, ref: str, alignment: Alignment, unaligned: str) -> str:
    """Draw the links of one pair chunk by chunk, followed by a summary."""
    words = raw_tokens(ref, aligner.tokenization)
    lines = link_lines(raw_tokens(hyp, aligner.tokenization), words, alignment)
    count = len(alignment.phrases)
    summary = [
        unlinked_line(words, alignment),
        f"{count_noun(count, 'link')} in {count_noun(alignment.chunks, 'chunk')}; covered: "
        f"{alignment.hyp_coverage:.0%} of the translation, "
        f"{alignment.ref_coverage:.0%} of the reference"
        + " (perhaps not the best alignment: the search budget ran out)"
        * (alignment.exact is False),
        f"permutation: {alignment.permutation(unaligned)}",
        aligner.signature,
    ]
    columns = shutil.get_terminal_size().columns
    wrapped = [textwrap.fill(line, columns, subsequent_indent="  ") for line in summary if line]
    return "\n".join([*lines, "", *wrapped])


Writer = Callable[[Aligner, str, str, Alignment, str], str]
WRITERS: dict[Format, Writer] = {
    Format.pharaoh: as_pharaoh,
    Format.moses: as_moses,
    Format.json: as_json,
    Format.permutation: as_permutation,
    Format.draw: as_drawing,
}
