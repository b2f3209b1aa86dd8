"""``hyperbaton align --source``: links that a source aligner finds, or that files contain."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.alignment.pharaoh import LinkBatch, LinkFile
from hyperbaton.alignment.source_aligner import (
    SourceAligner,
    check_known_words,
    count_unaligned,
    few_sources_warning,
    read_bitext,
    too_long_note,
)
from hyperbaton.alignment.translation_model import PairBlock
from hyperbaton.cli.align import AlignOptions, TrainingOptions
from hyperbaton.cli.link_output import LinkFiles, LinkOutput, check_writable
from hyperbaton.cli.messages import (
    batches,
    counting,
    print_notices,
    training_progress,
    with_progress,
)
from hyperbaton.cli.options import check_paths
from hyperbaton.errors import InputError
from hyperbaton.files.columns import check_rereadable, count_source_lines, describe_line
from hyperbaton.files.lines import check_standard_input, display_name, printable
from hyperbaton.files.output_files import write_beside
from hyperbaton.notices import NOTE, Notice
from hyperbaton.runs.cautions import spacing_notes
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization, aligner_text, default_tokenizer

BATCH = 4000  # lines between two updates of the progress bar
PROFILE_NOTE = (
    "with so few sentence pairs, the profile shows too few reorderings: words with "
    "uncertain links are linked in sentence order (English–French, 447 pairs: "
    "86 % of the sentences in order, but 57 % with gold links)"
)


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

    def notes(self, trained: bool) -> Iterator[Notice]:
        """Yield what a user should know about pairs without links.

        The notes on a training count the pairs with an empty side already.
        """
        if self.empty and not trained:
            pairs = count_noun(self.empty, "sentence pair")
            yield Notice(f"{pairs} with an empty side: aligned to nothing", NOTE)
        if self.too_long:
            yield too_long_note(self.too_long)


def align_source(options: AlignOptions) -> None:
    """Train an aligner or load one; save it, and write the links that it finds, or a profile."""
    given, output, threads = options.given, options.output, options.matching.threads
    save_model = options.aligner.save_model
    targets = given.texts or [] if given.target is None else [given.target]
    texts = SourceTexts(given.source or "", targets)
    if output.profile and len(targets) > 1:
        raise InputError(f"--profile needs a single target, got {len(targets)}")
    path = output.output
    if path is None and (save_model is None or output.profile):
        path = "-"
    files = None
    if path is not None:
        files = LinkFiles.find([] if output.profile else targets, path, output.suffix)
    check_files(texts, options.aligner, files)
    alignment = options.aligner.source_alignment()
    target_text = target_tokenization(options, alignment.model)
    with training_progress() as report:
        aligner = alignment.find_aligner(target_text, texts.read_pairs, threads, report)
    if alignment.model is not None:
        for target in targets[1:]:  # find_aligner has checked the first one
            block = next(texts.read_target(target))
            check_known_words(aligner, alignment.model_name, block)
    if save_model is not None:
        aligner.save(save_model)
    if files is not None:
        write_found(texts.align(aligner, threads), output, files, threads)
    print_notices(word_notes(options))
    print_notices(alignment.notes)
    print_notices(texts.notes(trained=alignment.model is None))
    print_notices(aligner_notes(aligner, output.profile))
    if files is not None and files.paths != ["-"] and output.has_links:
        print_notices([usage_note(texts, aligner, given.language, files)])


def write_found(
    found: Iterator[tuple[int, list[Alignment]]],
    output: LinkOutput,
    files: LinkFiles,
    threads: int | None,
) -> None:
    """Write the links of each target into its file, or a profile."""
    if output.profile:
        batches_of_links = (as_links(alignments) for _, alignments in found)
        output.write_profile(batches_of_links, files.paths[0], threads)
        return
    write = output.line_writer()
    with files.open() as outs:
        for k, alignments in found:
            outs[k].writelines(f"{write(one)}\n" for one in alignments)


def train_on_bitexts(options: AlignOptions, save_model: str) -> None:
    """Train an aligner on bitexts alone, and save it."""
    check_paths(options.aligner.paths, [save_model])
    check_standard_input(options.aligner.bitext_files)
    check_model_file(save_model)
    alignment = options.aligner.source_alignment()
    with training_progress() as report:
        target_text = target_tokenization(options, None)
        aligner = alignment.find_aligner(target_text, tuple, options.matching.threads, report)
    aligner.save(save_model)
    print_notices(word_notes(options))
    print_notices(alignment.notes)
    print_notices(aligner_notes(aligner, profile=False))


def convert_links(options: AlignOptions, links: str) -> None:
    """Read the links of a bitext; convert them, or write statistics of the reorderings."""
    given, matching, output = options.given, options.matching, options.output
    file = LinkFile(
        links,
        given.source or "",
        given.target,
        int(matching.one_based),
        not matching.sure,
        options.aligner.source_text(),
        aligner_text(*options.target_words) if any(options.target_words) else None,
    )
    path = output.output or "-"
    check_paths(file.paths, [path])
    warnings: list[str] = []
    if output.profile:
        read_links = with_progress(file.read_batches(warnings.append))
        output.write_profile(read_links, path, matching.threads)
    else:
        write = output.line_writer()
        with write_beside(path) as out:
            for batch in with_progress(batches(file.read(warnings.append), BATCH)):
                out.writelines(f"{write(alignment)}\n" for alignment in batch)
    print_notices(map(Notice, warnings))


def target_tokenization(options: AlignOptions, model: SourceAligner | None) -> Tokenization:
    """Return how the lines of targets become words; without options, as for a saved aligner."""
    if model is not None and options.target_words == (None, None, None):
        return model.model.target_text
    return aligner_text(*options.target_words)


def word_notes(options: AlignOptions) -> Iterator[Notice]:
    """Yield notes on how source and target are split into words."""
    if options.aligner.source_tokenize is None:
        yield from spacing_notes(options.aligner.source_language)
    if options.given.tokenize is None:
        yield from spacing_notes(options.given.language)


def aligner_notes(aligner: SourceAligner, profile: bool) -> Iterator[Notice]:
    """Yield what a user should know about an aligner, and about the profile of its links."""
    if profile and few_sources_warning(aligner.sources) is not None:
        yield Notice(PROFILE_NOTE, NOTE)
    yield Notice(f"the source aligner is {aligner.signature}", NOTE)


def check_files(texts: SourceTexts, options: TrainingOptions, files: LinkFiles | None) -> None:
    """Raise an error now, and not after the training, if files cannot be read or written."""
    model = [] if options.save_model is None else [options.save_model]
    outputs = [*(files.outputs if files else ()), *model]
    check_paths([texts.source, *texts.targets, *options.paths], outputs)
    check_rereadable([texts.source, *texts.targets], "source and targets are read twice")
    check_standard_input(options.bitext_files)
    if options.save_model is not None:
        check_model_file(options.save_model)
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
) -> Notice:
    """Return a note that says how to score with links, if they are those of several targets.

    For a single target it says which tokenisers the links need.
    """
    source_tok, target_tok = aligner.model.source_text.tok, aligner.model.target_text.tok
    if len(texts.targets) == 1:
        return Notice(
            f"these links need --source-tokenize {source_tok} and, for the target, --tokenize "
            f"{target_tok} or tok={target_tok} of a metric",
            NOTE,
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
    return Notice(f"to use these links: {printable(shlex.join(command))}", NOTE)
