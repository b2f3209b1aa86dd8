"""``hyperbaton align HYP REF``: align two sentences, or two files line by line."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.choices import ENCODER
from hyperbaton.cli.align import AlignOptions, format_links
from hyperbaton.cli.messages import batches, print_notices, with_progress
from hyperbaton.cli.options import check_paths, check_typed_texts
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.files.lines import COMPRESSED_SUFFIXES, printable, read_aligned
from hyperbaton.files.output_files import write_beside
from hyperbaton.runs.cautions import spacing_notes, stemmer_notes
from hyperbaton.text.display import raw_tokens, safe_json
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.terminal import link_lines, unlinked_line

BATCH = 4000  # lines per batch: enough for all threads, small in memory
ENCODED_BATCH = 500  # encoders are slow, and small batches show progress


def align_texts(options: AlignOptions, hyp: str, ref: str) -> None:
    """Align two files, or two texts, and write the links."""
    given, matching, path = options.given, options.matching, options.output.output or "-"
    files = not given.text and are_files(hyp, ref)
    check_paths((hyp, ref) if files else (), [path])
    if not files:
        check_typed_texts((hyp, ref))
    aligner = Aligner(
        given.language,
        matching.matchers,
        given.tokenize,
        lowercase=not matching.cased,
        weights=parse_weights(matching.weights),
        wordnet=matching.wordnet,
        paraphrases=matching.paraphrases,
        budget=matching.budget,
        fold=matching.fold,
    )
    print_notices([] if matching.matchers else stemmer_notes(given.language))
    print_notices([] if given.tokenize else spacing_notes(given.language))
    form = options.output.format or ("pharaoh" if files else "draw")
    with write_beside(path) as out:
        if form == "json":
            out.write(safe_json({"signature": aligner.signature}) + "\n")
        pairs = align_pairs(aligner, hyp, ref, files, matching.threads)
        for number, (*texts, alignment) in enumerate(pairs):
            if form == "draw" and number > 0:
                out.write("\n")
            unaligned = options.output.unaligned
            out.write(format_pair(form, aligner, texts, alignment, unaligned) + "\n")


def align_pairs(
    aligner: Aligner, hyp: str, ref: str, files: bool, threads: int | None
) -> Iterator[tuple[str, str, Alignment]]:
    """Yield each pair of two files, or two texts, with its links."""
    pairs: Iterable[tuple[str, ...]] = read_aligned(hyp, ref) if files else [(hyp, ref)]
    lines_before = 0
    size = ENCODED_BATCH if aligner.matchers == (ENCODER,) else BATCH
    for batch in with_progress(batches(pairs, size), files):
        hyps, refs = zip(*batch, strict=True)
        try:
            alignments = aligner.align_many(hyps, refs, threads)
        except TooLongError as error:
            where = f"{hyp} and {ref}, line {lines_before + error.pair + 1}: " if files else ""
            raise InputError(f"{where}{error}") from None
        yield from zip(hyps, refs, alignments, strict=True)
        lines_before += len(batch)


def are_files(hyp: str, ref: str) -> bool:
    """Tell whether both are files and not texts; raise an error if only one is a file."""
    exist = [name == "-" or os.path.exists(name) for name in (hyp, ref)]
    for name, exists in zip((hyp, ref), exist, strict=True):
        endings = (".txt", *COMPRESSED_SUFFIXES)
        looks_like_file = not re.search(r"\s", name) and name.endswith(endings)
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
            raise InputError(f"{part!r} is not a weight; weights look like stem=0.6") from None
    return weights


def format_pair(
    form: str, aligner: Aligner, texts: Sequence[str], alignment: Alignment, unaligned: str
) -> str:
    """Format one pair: a drawing, a line of links or a permutation, or a line of JSON."""
    if form == "draw":
        return draw_pair(aligner, texts, alignment, unaligned)
    words = {}
    if form == "json":
        words = {
            side: aligner.tokens(text) for side, text in zip(("hyp", "ref"), texts, strict=True)
        }
    return format_links(form, alignment, partial(alignment.permutation, unaligned), **words)


def draw_pair(aligner: Aligner, texts: Sequence[str], alignment: Alignment, unaligned: str) -> str:
    """Draw the links of one pair chunk by chunk, followed by a summary."""
    own, words = (raw_tokens(text, aligner.tokenization) for text in texts)
    lines = link_lines(own, words, alignment)
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
