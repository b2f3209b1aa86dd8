"""An aligner of two languages, which is trained on the sentence pairs at hand.

A :class:`SourceAlignment` says where the aligner of a run comes from: from a file, or from training
on the texts.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment, FoundLinks, SentenceWords
from hyperbaton.alignment.batch import AlignmentBatch, word_links_as_rows
from hyperbaton.alignment.choices import (
    DEFAULT_SYMMETRIZATION,
    GIVEN,
    SYMMETRIZATIONS,
    Symmetrization,
)
from hyperbaton.alignment.translation_model import (
    DEFAULT_SEED,
    MODEL_FORMAT,
    AlignerTraining,
    LeftOut,
    Lexicon,
    PairBlock,
    Progress,
    Spellings,
    TranslationModel,
)
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.columns import check_single, read_blocks, zip_blocks
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.notices import NOTE, Notice
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization, aligner_text
from hyperbaton.text.words import Int32s, Words, WordTable, as_utf8, shared_table
from hyperbaton.threads import thread_count

FEW_SOURCES = 2900  # below about 3,000 source sentences, many links are wrong
NOTHING_LEFT_OUT = LeftOut(0, 0)
PairSide = tuple[Int32s, Int32s, Int32s, npt.NDArray[np.int64]]  # of sentence pairs, for the core
JUMPS = "jumps-0.75-0.5"  # for signatures: the powers of jumps in the training and for links
BLOCK = 3000  # sentence pairs that are read at a time
# Of the words of a text in another language, fewer are known to a model; see known_share.
LEAST_KNOWN = 0.4
# Six or more characters of a script that is written without spaces are seldom one word.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{6}")
MANY_UNSPACED = 0.3  # share of the different words
MANY_WORDS = 100  # from so many words on, a share says something about the language


def few_sources_warning(sources: int) -> Notice | None:
    """Return a warning if an aligner was trained on few source sentences, with what to expect."""
    if sources >= FEW_SOURCES:
        return None
    return Notice(
        f"the source aligner was trained on only {count_noun(sources, 'source sentence')}, and "
        "below about 3,000 many links are wrong or missing: with 500, one link in eight was wrong "
        "for English and French, and one in three for Japanese and English",
        option="training",
    )


class SourceAligner:
    """Finds the links between the words of a source text and of its translations.

    It is trained on sentence pairs without any annotation, by Gibbs sampling in both directions:
    IBM model 1, then an HMM, then fertilities (Östling & Tiedemann 2016). Links are found by the
    posterior probabilities of the HMM. Make one with :meth:`train` or :meth:`load`.

    Attributes
    ----------
    model : TranslationModel
        What was learned.
    symmetrization : str
        How the links of both directions become one alignment, with a threshold other than 0.45.
    left_out : LeftOut
        How many sentence pairs were not used for training.
    pairs : int
        Number of sentence pairs that the aligner was trained on.
    sources : int
        Number of different source sentences among them.
    seed : int
        Random seed of the training.
    iterations : int
        Number of iterations of the last stage of training.

    Examples
    --------
    >>> import hyperbaton as hb
    >>> pairs = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")]
    >>> with warnings.catch_warnings(action="ignore"):  # three pairs are few
    ...     aligner = hb.SourceAligner.train(pairs)
    >>> print(aligner.align(["ein Haus"], ["a house"])[0].to_pharaoh())
    0-0 1-1
    >>> aligner.pairs, aligner.iterations
    (3, 250)
    """

    def __init__(
        self,
        model: TranslationModel,
        symmetrization: str = DEFAULT_SYMMETRIZATION,
        left_out: LeftOut = NOTHING_LEFT_OUT,
    ) -> None:
        self._symmetrization = Symmetrization.parse(symmetrization)
        self.model = model
        self.symmetrization = str(self._symmetrization)
        self.left_out = left_out
        self.pairs, self.sources = model.pairs, model.sources
        self.seed, self.iterations = model.seed, model.iterations
        spellings = Spellings()
        source = Lexicon(model.source_words, spellings)
        target = Lexicon(model.target_words, spellings)
        self._sides = source, target
        sums: list[Any] = [*model.to_target, *model.to_source]
        self._core = _core.SourceAligner(*source.spellings, *target.spellings, model.samples, *sums)

    @classmethod
    def train(
        cls,
        pairs: Iterable[tuple[str, str]],
        *,
        seed: int = DEFAULT_SEED,
        iterations: int | None = None,
        symmetrization: str = DEFAULT_SYMMETRIZATION,
        source_language: str | None = None,
        language: str | None = None,
        source_tokenize: str | None = None,
        tokenize: str | None = None,
        fold: str | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> SourceAligner:
        """Train an aligner on sentence pairs.

        The more pairs there are, the better the links: below about 3,000 many are wrong. The order
        of the pairs and the number of threads change nothing.

        Parameters
        ----------
        pairs : iterable of (str, str)
            Source sentences and their translations. Several translations of a source, such as
            references and the output of systems, are pairs of their own. Pairs with an empty side,
            or more than 400 words on a side, are left out.
        seed : int
            Random seed; results are reproducible.
        iterations : int, optional
            Iterations of the last stage of training; by default 2500 / √pairs, at least 4 and at
            most 250.
        symmetrization : {"mean", "geometric", "intersection", "grow-diag-final-and"}
            How the links of both directions become one alignment: the mean or the geometric mean
            of their posterior probabilities is above 0.45, or another threshold, as in
            ``"mean:0.3"``; both directions agree; or the heuristic of Koehn et al. (2005).
        source_language, language : str, optional
            Languages of sources and translations, which select their tokenisers.
        source_tokenize, tokenize : str, optional
            Tokenisers of sources and translations; ``"none"`` splits at spaces.
        fold : {"none", "standard"}, optional
            Whether words of translations that look the same are the same, as in metrics.
        threads : int, optional
            Number of threads; all cores by default. Training uses six at most.
        progress : callable, optional
            Called several times a second with the work done and the total.

        Returns
        -------
        SourceAligner
            The trained aligner.

        Raises
        ------
        InputError, InputTypeError
            If the input is invalid.

        Warns
        -----
        UserWarning
            If there are fewer than about 3,000 different source sentences.
        """
        Symmetrization.parse(symmetrization)
        training = AlignerTraining(
            aligner_text(source_language, source_tokenize), aligner_text(language, tokenize, fold)
        )
        for block in _read_blocks(pairs):
            training.add(block, thread_count(threads))
        model, left_out = training.train(seed, iterations, threads, progress)
        aligner = cls(model, symmetrization, left_out)
        if (warning := few_sources_warning(aligner.sources)) is not None:
            warnings.warn(warning, stacklevel=2)
        return aligner

    @classmethod
    def load(cls, path: StrPath) -> SourceAligner:
        """Read an aligner that :meth:`save` has written.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        SourceAligner
            The aligner.

        Raises
        ------
        InputError
            If the file is not an aligner of this version, or damaged.
        """
        return MODEL_FORMAT.read(path, cls._build)

    @classmethod
    def _build(cls, header: dict[str, Any], arrays: list[npt.NDArray[Any]]) -> SourceAligner:
        symmetrization = header.pop("symmetrization")
        if not isinstance(symmetrization, str):
            raise ValueError("symmetrization")
        return cls(TranslationModel.build(header, arrays), symmetrization)

    def save(self, path: StrPath) -> None:
        """Write the aligner to a file, which is replaced only when it is complete.

        Parameters
        ----------
        path : path
            The output file.
        """
        header = {**self.model.header, "symmetrization": self.symmetrization}
        MODEL_FORMAT.write(path, header, self.model.arrays())

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that tell models apart."""
        return self.model.digest

    @property
    def signature(self) -> str:
        """What the links depend on: settings, number of pairs, and the digest of the model."""
        return (
            f"{self._symmetrization.signature}.{JUMPS}.pairs-{self.pairs}.sources-{self.sources}."
            f"iterations-{self.iterations}.seed-{self.seed}."
            f"source_tok-{self.model.source_text.tok}.{self.digest}"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceAligner) and self.signature == other.signature

    def __hash__(self) -> int:
        return hash(self.signature)

    def __repr__(self) -> str:
        return f"SourceAligner({self.signature!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model, self.symmetrization, self.left_out)

    def align(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        symmetrization: str | None = None,
        posteriors: bool = False,
        threads: int | None = None,
    ) -> list[Alignment]:
        """Align source sentences with their translations.

        Sentences need not be those of the training. A pair with an empty side has no links, nor
        has one with more than 30 million combinations of a source and a target word. Pairs with
        more than 400 words on a side are aligned without regard to the positions of words.

        Parameters
        ----------
        sources, targets : sequence of str
            One translation for each source.
        symmetrization : str, optional
            Another one than that of the training, such as ``"mean:0.3"`` for more links.
        posteriors : bool
            Whether the alignments have the posterior probabilities of their links.
        threads : int, optional
            Number of threads; all cores by default.

        Returns
        -------
        list of Alignment
            The hypothesis side of each is the source.
        """
        count = thread_count(threads)
        sides = self._number(sources, targets, count)
        source, target = (side.aligned for side in sides)
        batch, probabilities = self._find_links(source, target, symmetrization, count)
        found = FoundLinks(batch, words=sides, posteriors=probabilities if posteriors else None)
        return Alignment._create_many(found)

    def expected_kendall(
        self, sources: Sequence[str], targets: Sequence[str], *, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Return how much of the order of source words their translations are expected to keep.

        An uncertain word is linked in sentence order, or not at all, so Kendall's measure of the
        best links is often too high. This is the measure of the posterior probabilities of all
        links; see :func:`hyperbaton.expected_kendall`. They are computed with jump probabilities to
        the power of 0.75, and not 0.5 as for links.

        Parameters
        ----------
        sources, targets : sequence of str
            One translation for each source.
        threads : int, optional
            Number of threads; all cores by default.

        Returns
        -------
        array of float64
            A value for each pair; 0 for pairs that :meth:`align` gives no links in any case.
        """
        count = thread_count(threads)
        source, target = self._number(sources, targets, count)
        return self.expected_kendall_of_words(source.aligned, target.aligned, threads=count)

    def expected_kendall_of_words(
        self, sources: Words, targets: Words, *, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the expected order of numbered words; see :meth:`expected_kendall`."""
        return self._core.expected_kendall(*self._look_up(sources, targets), thread_count(threads))

    def _number(
        self, sources: Sequence[str], targets: Sequence[str], threads: int
    ) -> tuple[SentenceWords, SentenceWords]:
        """Return the numbered words of both sides after checking the sentences."""
        sides = [_check_lines(sources, "sources"), _check_lines(targets, "targets")]
        if len(sides[0]) != len(sides[1]):
            raise InputError(f"{len(sides[0]):,} sources, but {len(sides[1]):,} targets")
        texts = self.model.source_text, self.model.target_text
        source, target = (
            SentenceWords(
                lines,
                text,
                shared_table(text).number_lines(_core.Lines.from_strings(lines), threads),
            )
            for text, lines in zip(texts, sides, strict=True)
        )
        return source, target

    def align_words(
        self,
        sources: Words,
        targets: Words,
        *,
        symmetrization: str | None = None,
        threads: int | None = None,
    ) -> list[Alignment]:
        """Align numbered words, with the posteriors of the links; see :meth:`align`."""
        batch, posteriors = self._find_links(sources, targets, symmetrization, threads)
        return Alignment._create_many(FoundLinks(batch, posteriors=posteriors))

    def _find_links(
        self, sources: Words, targets: Words, symmetrization: str | None, threads: int | None
    ) -> tuple[AlignmentBatch, npt.NDArray[np.float64]]:
        """Return the links, and the posterior probability of each."""
        rule = self._symmetrization
        if symmetrization is not None:
            rule = Symmetrization.parse(symmetrization)
        source_words, target_words, posteriors, offsets = self._core.links(
            *self._look_up(sources, targets),
            SYMMETRIZATIONS.index(rule.method),
            rule.threshold,
            thread_count(threads),
        )
        rows = word_links_as_rows(source_words, target_words, GIVEN)
        return AlignmentBatch(rows, offsets, sources.lengths, targets.lengths), posteriors

    def _look_up(self, sources: Words, targets: Words) -> tuple[*PairSide, *PairSide]:
        """Return both sides of sentence pairs as the core reads them."""
        source, target = self._sides
        return (
            *source.look_up(sources),
            sources.offsets,
            *target.look_up(targets),
            targets.offsets,
        )

    def known_share(self, sources: Words, targets: Words) -> tuple[float, float]:
        """Return the share of the source and of the target words that the training had."""
        shares = []
        for side, words in zip(self._sides, (sources, targets), strict=True):
            known = side.look_up(words)[0] >= 0
            shares.append(float(known.mean()) if len(known) else 1.0)
        return shares[0], shares[1]


def _read_blocks(pairs: Iterable[tuple[str, str]]) -> Iterator[PairBlock]:
    """Yield sentence pairs in blocks, after checking them."""
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise InputTypeError(
            f"pairs must be pairs of a source and a target, got {type(pairs).__name__}"
        )
    unread = iter(pairs)
    first = 0
    while block := list(islice(unread, BLOCK)):
        for k, pair in enumerate(block, first):
            is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
            if not is_pair or not all(isinstance(line, str) for line in pair):
                raise InputTypeError(f"pairs[{k}] must be two strings, a source and a target")
        sources, targets = ([pair[side] for pair in block] for side in (0, 1))
        for side, lines in (("source", sources), ("target", targets)):
            try:
                _core.check_strings(lines, side)
            except InputError:
                for k, line in enumerate(lines, first):  # the message counts from the first pair
                    _core.check_strings([line], f"the {side} of pairs[{k}]")
        yield PairBlock(as_utf8(sources), as_utf8(targets))
        first += len(block)


def _check_lines(lines: Sequence[str], name: str) -> list[str]:
    if isinstance(lines, (str, bytes)) or not isinstance(lines, Iterable):
        raise InputTypeError(f"{name} must be a list of strings, got {type(lines).__name__}")
    checked = list(lines)
    _core.check_strings(checked, name)
    return checked


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
        if self.symmetrization is not None:
            Symmetrization.parse(self.symmetrization)
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
        source_text = aligner_text(None) if self.source_text is None else self.source_text
        training = AlignerTraining(source_text, target_text)
        count = thread_count(threads)
        for block in read_pairs():
            training.add(block, count)
        known = len(training.tables[0]), len(training.tables[1])
        for source, target in self.bitexts:
            for k, block in enumerate(read_bitext(source, target)):
                if k == 0:
                    check_direction(training, known, block, (source, target))
                training.add(block, count)
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
        source_share = share(sources, training.tables[0], known[0])
        return source_share + share(targets, training.tables[1], known[1])

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
            check_single(source, line, count)
        counts = targets.counts
        source_of = None if counts is None else np.repeat(np.arange(len(counts)), counts)
        yield PairBlock(as_utf8(sources.texts), as_utf8(targets.texts), source_of)
        first += len(sources)


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
