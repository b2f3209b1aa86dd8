"""``hyperbaton align --source``: links that a source aligner finds, or that files contain."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

import numpy as np
import numpy.typing as npt

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
from hyperbaton.cli.align import LINK_SUFFIX, AlignOptions, LinkOutput, TrainingOptions
from hyperbaton.cli.messages import (
    batches,
    counting,
    print_notices,
    training_progress,
    with_progress,
)
from hyperbaton.cli.options import check_paths
from hyperbaton.cli.systems import system_names
from hyperbaton.errors import InputError
from hyperbaton.files.columns import check_rereadable, count_source_lines, describe_line
from hyperbaton.files.lines import check_file_name, check_standard_input, display_name, printable
from hyperbaton.files.output_files import OutputFiles, write_beside
from hyperbaton.notices import NOTE, Notice
from hyperbaton.runs.cautions import spacing_notes
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization, aligner_text, default_tokenizer

BATCH = 4000  # lines between two updates of the progress bar
PROFILE_NOTE = (
    "with so few sentence pairs, the profile shows too few reorderings: words with "
    "uncertain links are linked in sentence order (Japanese–English, 582 pairs: "
    "kendall 0.84, but 0.75 with gold links)"
)


@dataclass
class SourceTexts:
    """A source and its translations, the targets.

    ``empty`` and ``too_long`` count the pairs without links as they are aligned. If
    ``expected_orders`` is a list, it gets the expected order of each pair.
    """

    source: str
    targets: Sequence[str]
    empty: int = 0
    too_long: int = 0
    expected_orders: list[npt.NDArray[np.float64]] | None = None

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
                    words = block.words(*texts)
                    alignments = aligner.align_words(*words, threads=threads)
                    if self.expected_orders is not None:
                        order = aligner.expected_kendall_of_words(*words, threads=threads)
                        self.expected_orders.append(order)
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
    texts = SourceTexts(given.source or "", targets, expected_orders=[] if output.profile else None)
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
        write_found(texts, aligner, output, files, threads)
    pair_notes = texts.notes(trained=alignment.model is None)
    print_notices([*word_notes(options), *alignment.notes, *pair_notes])
    print_notices(aligner_notes(aligner, output.profile))
    if files is not None and files.paths != ["-"] and output.has_links:
        print_notices([usage_note(texts, aligner, given.language, files)])


def write_found(
    texts: SourceTexts,
    aligner: SourceAligner,
    output: LinkOutput,
    files: LinkFiles,
    threads: int | None,
) -> None:
    """Write the links of each target into its file, or a profile."""
    found = texts.align(aligner, threads)
    if output.profile:
        batches_of_links = (as_links(alignments) for _, alignments in found)
        output.write_profile(batches_of_links, files.paths[0], threads, texts.expected_orders)
        return
    with files.open() as outs:
        for k, alignments in found:
            outs[k].writelines(f"{output.source_line(one)}\n" for one in alignments)


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
    notes = [*word_notes(options), *alignment.notes, *aligner_notes(aligner, profile=False)]
    print_notices(notes)


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
        with write_beside(path) as out:
            for batch in with_progress(batches(file.read(warnings.append), BATCH)):
                out.writelines(f"{output.source_line(alignment)}\n" for alignment in batch)
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
    outputs = [*files.paths, files.folder] if files else []
    inputs = [texts.source, *texts.targets, *options.paths]
    check_paths(inputs, [*outputs, options.save_model])
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


RESERVED_FILES = 50  # for everything but links
MAX_BYTES = 200  # of a file name; file systems allow 255
NOT_IN_FILE_NAMES = re.compile(r'[<>:"/\\|?*]')


@dataclass(frozen=True)
class LinkFiles:
    """The file for the links of each target, ``-`` for standard output.

    Attributes
    ----------
    paths : list of str
        The files.
    folder : str, optional
        Their folder, if one was asked for. It is created if it is missing.
    """

    paths: list[str]
    folder: str | None = None

    @classmethod
    def find(cls, targets: Sequence[str], output: str, suffix: str = LINK_SUFFIX) -> LinkFiles:
        """Return the files for an output: a folder if it is one, or if there are several targets.

        Without targets, the output is one file. The names of files in a folder end in ``suffix``.
        """
        looks_like_folder = output.endswith(("/", os.sep)) or os.path.isdir(output)
        if not targets or (len(targets) == 1 and not looks_like_folder):
            return cls([output])
        if output == "-":
            raise InputError(f"{len(targets)} targets need a folder for their links: -o FOLDER")
        names = link_file_names(targets, suffix)
        return cls([os.path.join(output, name) for name in names], output)

    def check_writable(self) -> None:
        """Raise an error if the files cannot be written."""
        if len(self.paths) > open_file_limit() - RESERVED_FILES:
            raise InputError(
                f"the links of {len(self.paths):,} targets need as many open files, but at most "
                f"{open_file_limit():,} are allowed: align fewer at a time with --aligner-model, "
                "or allow more (ulimit -n)"
            )
        if self.folder is not None and not os.path.isdir(self.folder):
            check_writable(self.folder.rstrip("/" + os.sep))
            if os.path.lexists(self.folder.rstrip("/" + os.sep)):
                raise InputError(f"cannot write into {printable(self.folder)}: it is not a folder")
            return
        for path in self.paths:
            if path != "-":
                check_writable(path)

    @contextlib.contextmanager
    def open(self) -> Iterator[list[TextIO]]:
        """Open all files, which replace existing ones only when all of them are complete."""
        with contextlib.ExitStack() as stack:
            if self.folder is not None and not os.path.isdir(self.folder):
                try:
                    os.mkdir(self.folder)
                except OSError as error:
                    raise InputError(
                        f"cannot create {printable(self.folder)}: {error.strerror}"
                    ) from None
                stack.callback(_remove_if_empty, self.folder)
            files = stack.enter_context(OutputFiles())
            yield [files.open(path) for path in self.paths]


def open_file_limit() -> int:
    """Return how many files this process may have open."""
    try:
        import resource
    except ImportError:  # Windows
        return 8192
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit


def _remove_if_empty(folder: str) -> None:
    with contextlib.suppress(OSError):  # it has files
        os.rmdir(folder)


def link_file_names(targets: Sequence[str], suffix: str = LINK_SUFFIX) -> list[str]:
    """Return a valid file name for the links of each target; no two are the same.

    >>> link_file_names(["run/a.txt", "run/b.tsv:out"])
    ['a.txt.align', 'b.tsv_out.align']
    >>> link_file_names(["../x/a.txt", "y/a.txt", "x_a.txt"])
    ['x_a.txt.align', 'y_a.txt.align', 'x_a.txt-2.align']
    """
    names: list[str] = []
    used: set[str] = set()
    for target in system_names(targets):
        name = NOT_IN_FILE_NAMES.sub("_", target)
        name = name.encode()[-MAX_BYTES:].decode(errors="ignore").lstrip("._") or "target"
        unique, count = name, 1
        while unique.casefold() in used:  # some file systems ignore case
            count += 1
            unique = f"{name}-{count}"
        used.add(unique.casefold())
        names.append(unique + suffix)
    return names


def check_writable(path: str) -> None:
    """Raise an error if a file cannot be written, as far as that is known beforehand."""
    check_file_name(path)
    if (reason := _reason_against(path)) is not None:
        raise InputError(f"cannot write {printable(path)}: {reason}")


def _reason_against(path: str) -> str | None:
    """Return why a file cannot be written, or None."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        pass
    except OSError as error:  # such as a name that is too long
        return error.strerror
    if os.path.isdir(path):
        return "it is a folder"
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        return f"there is no folder {printable(folder)}"
    is_replaced = os.path.isfile(path) or not os.path.exists(path)  # no pipe or device
    return None if os.access(folder if is_replaced else path, os.W_OK) else "Permission denied"
