"""``hyperbaton align --source``: links that a source aligner finds, trained or saved before."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hyperbaton.alignment.aligner_training import aligner_text
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.alignment.pharaoh import LinkBatch
from hyperbaton.alignment.source_aligner import SourceAligner, few_sources_warning
from hyperbaton.alignment.source_alignment import (
    PairBlock,
    check_known_words,
    count_unaligned,
    read_bitext,
    too_long_note,
)
from hyperbaton.cli.align_files import LinkFiles, check_writable
from hyperbaton.cli.align_output import LinkOutput
from hyperbaton.cli.aligner_options import AlignerOptions
from hyperbaton.cli.messages import print_warnings
from hyperbaton.cli.options import check_paths
from hyperbaton.cli.progress import counting, training_progress
from hyperbaton.errors import InputError
from hyperbaton.files.columns import check_rereadable, count_source_lines, describe_line
from hyperbaton.files.lines import check_standard_input, display_name, printable
from hyperbaton.runs.cautions import spacing_notes
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.tokenizers import default_tokenizer

PROFILE_NOTE = (
    "note: with so few sentence pairs, the profile shows too few reorderings: words with "
    "uncertain links are linked in sentence order (English–French, 447 pairs: "
    "86 % of the sentences in order, but 57 % with gold links)"
)


class TargetWords(NamedTuple):
    """How the lines of targets become words, as far as options say."""

    language: str | None
    tokenize: str | None
    fold: str | None

    def tokenization(self, model: SourceAligner | None) -> Tokenization:
        """Return the tokenisation; without options, that of a saved aligner."""
        if model is not None and self == TargetWords(None, None, None):
            return model.model.target_text
        return aligner_text(*self)


@dataclass
class SourceTexts:
    """A source and its translations, the targets.

    ``empty`` and ``too_long`` count the pairs without links as they are aligned.
    """

    source: str
    targets: Sequence[str]
    empty: int = 0
    too_long: int = 0

    def read_pairs(self) -> Iterator[PairBlock]:
        """Read the pairs of the source with every target."""
        for target in self.targets:
            yield from self.read_target(target)

    def read_target(self, target: str) -> Iterator[PairBlock]:
        """Read the pairs of the source with one target, each line of which is one text."""
        lines = 0
        for block in read_bitext(self.source, target):
            if block.source_of is not None:
                counts = np.bincount(block.source_of, minlength=len(block.sources))
                for k in np.flatnonzero(counts != 1)[:1]:
                    where = describe_line(target, lines + int(k) + 1)
                    raise InputError(
                        f"{where}: expected one text, got {counts[k]} (--bitext takes several)"
                    )
            yield block
            lines += len(block.sources)
        if not lines:
            raise InputError(f"{display_name(self.source)} and {display_name(target)} are empty")

    def align(
        self, aligner: SourceAligner, threads: int | None
    ) -> Iterator[tuple[int, list[Alignment]]]:
        """Align every target with the source, with a progress bar.

        Yields
        ------
        k, alignments
            The number of the target, and the links of its next lines.
        """
        texts = aligner.model.source_text, aligner.model.target_text
        lines = count_source_lines(self.source)
        total = None if lines is None else lines * len(self.targets)
        done = 0
        with counting("lines aligned", total=total) as report_count:
            for k, target in enumerate(self.targets):
                for block in self.read_target(target):
                    alignments = aligner.align_words(*block.words(*texts), threads=threads)
                    self.empty += sum(not (a.hyp_length and a.ref_length) for a in alignments)
                    self.too_long += count_unaligned(alignments)
                    yield k, alignments
                    done += len(alignments)
                    report_count(done)

    def notes(self, trained: bool) -> Iterator[str]:
        """Yield what a user should know about pairs without links.

        The notes on a training count the pairs with an empty side already.
        """
        if self.empty and not trained:
            pairs = count_noun(self.empty, "sentence pair")
            yield f"note: {pairs} with an empty side: aligned to nothing"
        if self.too_long:
            yield too_long_note(self.too_long)


def align_source(
    texts: SourceTexts,
    options: AlignerOptions,
    target_words: TargetWords,
    output: LinkOutput,
    output_path: str | None,
    save_model: str | None,
) -> None:
    """Train an aligner or load one; save it, and write the links that it finds, or a profile."""
    if output.profile and len(texts.targets) > 1:
        raise InputError(f"--profile needs a single target, got {len(texts.targets)}")
    if output_path is None and (save_model is None or output.profile):
        output_path = "-"
    files = None
    if output_path is not None:
        files = LinkFiles.find([] if output.profile else texts.targets, output_path, output.suffix)
    check_files(texts, options, files, save_model)
    alignment = options.source_alignment()
    target_text = target_words.tokenization(alignment.model)
    with training_progress() as report:
        aligner = alignment.find_aligner(target_text, texts.read_pairs, output.threads, report)
    if alignment.model is not None:
        for target in texts.targets[1:]:  # find_aligner has checked the first one
            block = next(texts.read_target(target))
            check_known_words(aligner, alignment.model_name, block)
    if save_model is not None:
        aligner.save(save_model)
    if files is not None:
        found = texts.align(aligner, output.threads)
        if output.profile:
            output.write_profile((as_links(alignments) for _, alignments in found), files.paths[0])
        else:
            write = output.line_writer()
            with files.open() as outs:
                for k, alignments in found:
                    outs[k].writelines(f"{write(one)}\n" for one in alignments)
    print_warnings(word_notes(options, target_words))
    print_warnings(alignment.notes)
    print_warnings(texts.notes(trained=alignment.model is None))
    print_warnings(aligner_notes(aligner, output.profile))
    if files is not None and files.paths != ["-"] and output.has_links:
        print_warnings([usage_note(texts, aligner, target_words.language, files)])


def train_on_bitexts(
    options: AlignerOptions, target_words: TargetWords, threads: int, save_model: str
) -> None:
    """Train an aligner on bitexts alone, and save it."""
    check_paths(options.paths, [save_model])
    check_standard_input(options.bitexts or ())
    check_model_file(save_model)
    alignment = options.source_alignment()
    with training_progress() as report:
        target_text = target_words.tokenization(None)
        aligner = alignment.find_aligner(target_text, tuple, threads, report)
    aligner.save(save_model)
    print_warnings(word_notes(options, target_words))
    print_warnings(alignment.notes)
    print_warnings(aligner_notes(aligner, profile=False))


def word_notes(options: AlignerOptions, target_words: TargetWords) -> Iterator[str]:
    """Yield notes on how source and target are split into words."""
    if options.source_tokenize is None:
        yield from spacing_notes(options.source_language)
    if target_words.tokenize is None:
        yield from spacing_notes(target_words.language)


def aligner_notes(aligner: SourceAligner, profile: bool) -> Iterator[str]:
    """Yield what a user should know about an aligner, and about the profile of its links."""
    if (warning := few_sources_warning(aligner.sources)) is not None:
        yield f"warning: {warning}"
        if profile:
            yield PROFILE_NOTE
    yield f"note: the source aligner is {aligner.signature}"


def check_files(
    texts: SourceTexts, options: AlignerOptions, files: LinkFiles | None, save_model: str | None
) -> None:
    """Raise an error now, and not after the training, if files cannot be read or written."""
    outputs = [*(files.outputs if files else ()), *([] if save_model is None else [save_model])]
    check_paths([texts.source, *texts.targets, *options.paths], outputs)
    check_rereadable([texts.source, *texts.targets], "source and targets are read twice")
    check_standard_input(options.bitexts or ())
    if save_model is not None:
        if options.aligner_model is not None:
            raise InputError(
                "--save-model cannot be used with --aligner-model, which is already saved"
            )
        check_model_file(save_model)
    if files is not None:
        files.check_writable()


def check_model_file(path: str) -> None:
    """Raise an error if an aligner cannot be saved to a file."""
    if path == "-":
        raise InputError("--save-model needs a file, not standard output")
    check_writable(path)


def as_links(alignments: Sequence[Alignment]) -> LinkBatch:
    """Return the links of some sentence pairs as arrays."""
    batch = AlignmentBatch.from_alignments(alignments)
    return LinkBatch(*batch.word_links(), batch.hyp_lengths)


def usage_note(
    texts: SourceTexts, aligner: SourceAligner, language: str | None, files: LinkFiles
) -> str:
    """Return a note that says how to score with links, if they are those of several targets.

    For a single target it says which tokenisers the links need.
    """
    source_tok, target_tok = aligner.model.source_text.tok, aligner.model.target_text.tok
    if len(texts.targets) == 1:
        return (
            f"note: these links need --source-tokenize {source_tok} and, for the target, "
            f"--tokenize {target_tok} or tok={target_tok} of a metric"
        )
    reference, system = texts.targets[:2]
    is_default = target_tok == default_tokenizer(language)
    command = [
        *("hyperbaton", "score", "-r", reference, system),
        *([] if language is None else ["-l", language]),
        *("-m", "lr_kb1" if is_default else f"lr_kb1:tok={target_tok}"),
        *("--source", texts.source, "--source-tokenize", source_tok),
        *("--ref-alignment", files.paths[0], "--alignment", files.paths[1]),
    ]
    return f"note: to use these links: {printable(shlex.join(command))}"
