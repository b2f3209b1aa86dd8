"""How links with a source text are found: by a saved aligner, or by one trained on the texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.choices import DEFAULT_SYMMETRIZATION, SYMMETRIZATIONS
from hyperbaton.alignment.source_aligner import SourceAligner, few_sources_warning
from hyperbaton.alignment.translation_model import DEFAULT_SEED, AlignerTraining, Progress
from hyperbaton.errors import InputError
from hyperbaton.files.columns import describe_line, read_blocks, zip_blocks
from hyperbaton.files.lines import printable
from hyperbaton.notices import NOTE, Notice
from hyperbaton.registries import check_choice
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization, aligner_text
from hyperbaton.text.words import Words, WordTable, as_utf8, shared_table
from hyperbaton.threads import thread_count

BLOCK = 3000  # lines that are read at a time
# Of the words of a text in another language, fewer are known to a model; see known_share.
LEAST_KNOWN = 0.4
# Six or more characters of a script that is written without spaces are seldom one word.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{6}")
MANY_UNSPACED = 0.3  # share of the different words
MANY_WORDS = 100  # from so many words on, a share says something about the language


class PairBlock(NamedTuple):
    """Some sentence pairs: target ``k`` is a translation of source ``source_of[k]``."""

    sources: _core.Lines
    targets: _core.Lines
    source_of: npt.NDArray[np.int64] | None = None  # None: of source k

    def words(self, source_text: Tokenization, target_text: Tokenization) -> tuple[Words, Words]:
        """Return the words of each pair, numbered with the shared tables."""
        return self.number(shared_table(source_text), shared_table(target_text), 1)

    def number(
        self, source_table: WordTable, target_table: WordTable, threads: int
    ) -> tuple[Words, Words]:
        """Return the words of each pair, numbered with two tables."""
        sources = source_table.number_lines(self.sources, threads)
        if self.source_of is not None:
            sources = sources.take(self.source_of)
        return sources, target_table.number_lines(self.targets, threads)


@dataclass(frozen=True)
class SourceAlignment:
    """How links with a source text are found.

    Attributes
    ----------
    model : SourceAligner, optional
        An aligner that was trained before. By default, one is trained on the texts themselves.
    model_name : str
        The file of the model, for error messages.
    bitexts : sequence of (str, str)
        Files of source sentences and their translations, on which it is trained as well.
    seed : int
        Random seed of the training.
    symmetrization : str, optional
        How the links of both directions become one alignment; by default as the model says.
    source_text : Tokenization, optional
        How source lines become words; by default as the model says, or with the tokeniser 13a.
    notes : list of Notice
        What a user should know about the links. It is filled as they are found.
    """

    model: SourceAligner | None = None
    model_name: str = "the aligner"
    bitexts: tuple[tuple[str, str], ...] = ()
    seed: int = DEFAULT_SEED
    symmetrization: str | None = None
    source_text: Tokenization | None = None
    notes: list[Notice] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        if self.model is not None and self.bitexts:
            raise InputError(
                "a saved aligner cannot be trained again: give either a model or bitexts"
            )

    def find_aligner(
        self,
        target_text: Tokenization,
        read_pairs: Callable[[], Iterable[PairBlock]],
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> SourceAligner:
        """Return the saved aligner after checking that it fits, or train one.

        Parameters
        ----------
        target_text : Tokenization
            How the lines of translations become words.
        read_pairs : callable
            Returns the sentence pairs to be aligned, which an aligner is trained on.
        threads : int, optional
            Number of threads; all cores by default.
        progress : callable, optional
            Called during the training with the work done and the total.
        """
        if self.model is not None:
            aligner = self._check_model(self.model, target_text, read_pairs)
        else:
            aligner = self._train(target_text, read_pairs, threads, progress)
            self.notes.extend(training_notes(aligner))
        if (warning := few_sources_warning(aligner.sources)) is not None:
            self.notes.append(warning)
        return aligner

    def _train(
        self,
        target_text: Tokenization,
        read_pairs: Callable[[], Iterable[PairBlock]],
        threads: int | None,
        progress: Progress | None,
    ) -> SourceAligner:
        """Return an aligner that is trained on the texts and on all bitexts."""
        symmetrization = self.symmetrization or DEFAULT_SYMMETRIZATION
        check_choice("symmetrization", symmetrization, SYMMETRIZATIONS)
        source_text = aligner_text(None) if self.source_text is None else self.source_text
        training = AlignerTraining(source_text, target_text)
        tables = training.source_table, training.target_table
        count = thread_count(threads)
        for block in read_pairs():
            training.add(*block.number(*tables, count))
        known = len(tables[0]), len(tables[1])
        for source, target in self.bitexts:
            for k, block in enumerate(read_bitext(source, target)):
                if k == 0:
                    check_direction(training, known, block, (source, target))
                training.add(*block.number(*tables, count))
        model, left_out = training.train(self.seed, None, threads, progress)
        return SourceAligner(model, symmetrization, left_out)

    def _check_model(
        self,
        model: SourceAligner,
        target_text: Tokenization,
        read_pairs: Callable[[], Iterable[PairBlock]],
    ) -> SourceAligner:
        """Return the model with the symmetrisation that is asked for.

        Raises
        ------
        InputError
            If the model was trained with other tokenisers, or on other languages.
        """
        sides = [("target", model.model.target_text, target_text)]
        if self.source_text is not None:
            sides.append(("source", model.model.source_text, self.source_text))
        for side, trained, wanted in sides:
            for key in ("tok", "fold"):
                theirs, ours = getattr(trained, key), getattr(wanted, key)
                if theirs != ours:
                    raise InputError(
                        f"{self.model_name} was trained on {side} texts with {key}={theirs}, but "
                        f"here it is {key}={ours}"
                    )
        for block in read_pairs():
            check_known_words(model, self.model_name, block)
            break
        if self.symmetrization is None:
            return model
        return SourceAligner(model.model, self.symmetrization)


def check_direction(
    training: AlignerTraining, known: tuple[int, int], block: PairBlock, names: tuple[str, str]
) -> None:
    """Raise an error if the two files of a bitext seem to be exchanged.

    ``known`` is the number of source and of target words of the texts before. Without such texts
    nothing is known about the direction.
    """
    if not all(known):
        return

    def share(lines: _core.Lines, table: WordTable, before: int) -> float:
        numbers = table.number_lines(lines, 1).numbers
        return float((numbers < before).mean()) if len(numbers) else 1.0

    def match(sources: _core.Lines, targets: _core.Lines) -> float:
        source_share = share(sources, training.source_table, known[0])
        return source_share + share(targets, training.target_table, known[1])

    if match(block.targets, block.sources) > match(block.sources, block.targets):
        source, target = map(printable, names)
        raise InputError(
            f"--bitext {source} {target}: the files seem to be in the wrong order: {target} "
            f"shares more words with the source than {source}"
        )


def optional_text(language: str | None, tokenize: str | None) -> Tokenization | None:
    """Return how source lines become words; None if neither language nor tokeniser is given."""
    if language is None and tokenize is None:
        return None
    return aligner_text(language, tokenize)


def read_bitext(source: str, target: str) -> Iterator[PairBlock]:
    """Read the sentence pairs of two files, or columns of files, in blocks.

    A line of the target may have several translations.

    Raises
    ------
    InputError
        If the files differ in length, or cannot be read.
    """
    first = 0
    for sources, targets in zip_blocks([source, target], BLOCK, read_blocks):
        for line, count in enumerate(sources.counts or (), first + 1):
            if count != 1:
                raise InputError(f"{describe_line(source, line)}: expected one text, got {count}")
        yield PairBlock(
            as_utf8(sources.texts), as_utf8(targets.texts), repeat_sources(targets.counts)
        )
        first += len(sources)


def repeat_sources(counts: Iterable[int] | None) -> npt.NDArray[np.int64] | None:
    """Return the source of each target, if source k has ``counts[k]`` targets."""
    if counts is None:
        return None
    repeated = np.array(list(counts), np.int64)
    return np.repeat(np.arange(len(repeated)), repeated)


def check_known_words(model: SourceAligner, name: str, block: PairBlock) -> None:
    """Raise an error if a model knows so few words that it must be of other languages."""
    words = block.words(model.model.source_text, model.model.target_text)
    shares = model.known_share(*words)
    for side, share, side_words in zip(("source", "target"), shares, words, strict=True):
        if share < LEAST_KNOWN and len(side_words.numbers) >= MANY_WORDS:
            raise InputError(
                f"{name} knows only {share:.0%} of the {side} words: it was probably trained on "
                "other languages, or in the other direction"
            )


def training_notes(aligner: SourceAligner) -> Iterator[Notice]:
    """Yield what a user should know about a training."""
    sides = {"source": aligner.model.source_words, "target": aligner.model.target_words}
    for side, words in sides.items():
        unspaced = sum(bool(UNSPACED.search(word)) for word in words)
        if unspaced > MANY_UNSPACED * len(words):
            yield Notice(
                f"the {side} seems to be written without spaces, so whole phrases would count as "
                "words",
                option=f"{side}_language",
            )
    empty, too_long = aligner.left_out
    if empty:
        yield Notice(
            f"{count_noun(empty, 'sentence pair')} with an empty side: not used for training, and "
            "aligned to nothing",
            NOTE,
        )
    if too_long:
        limit = _core.Bitext.MAX_WORDS
        yield Notice(
            f"{count_noun(too_long, 'sentence pair')} with more than {limit} words on a side: not "
            "used for training, and aligned without regard to positions",
            NOTE,
        )


def count_unaligned(alignments: Iterable[Alignment]) -> int:
    """Return the number of pairs that are too long to be aligned."""
    return sum(
        alignment.hyp_length * alignment.ref_length > _core.SourceAligner.MAX_CELLS
        for alignment in alignments
    )


def too_long_note(count: int) -> Notice:
    """Return the note on pairs that are too long to be aligned."""
    return Notice(
        f"{count_noun(count, 'sentence pair')} with more than "
        f"{_core.SourceAligner.MAX_CELLS // 10**6} million combinations of a source and a target "
        "word: too long, not aligned"
    )
