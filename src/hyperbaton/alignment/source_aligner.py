"""An aligner of two languages, which is trained on the sentence pairs at hand."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment, FoundLinks, SentenceWords
from hyperbaton.alignment.batch import AlignmentBatch, word_links_as_rows
from hyperbaton.alignment.choices import DEFAULT_SYMMETRIZATION, GIVEN, SYMMETRIZATIONS
from hyperbaton.alignment.translation_model import (
    DEFAULT_SEED,
    MODEL_FORMAT,
    AlignerTraining,
    LeftOut,
    Lexicon,
    Progress,
    Spellings,
    TranslationModel,
)
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import StrPath
from hyperbaton.notices import Notice
from hyperbaton.registries import check_choice
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import aligner_text
from hyperbaton.text.words import Words, shared_table
from hyperbaton.threads import thread_count

FEW_SOURCES = 2900  # below about 3,000 source sentences, many links are wrong
NOTHING_LEFT_OUT = LeftOut(0, 0)
BLOCK = 3000  # sentence pairs that are read at a time


def few_sources_warning(sources: int) -> Notice | None:
    """Return a warning if an aligner was trained on few source sentences, with what to expect."""
    if sources >= FEW_SOURCES:
        return None
    return Notice(
        f"the source aligner was trained on only {count_noun(sources, 'source sentence')}, and "
        "below about 3,000 many links are wrong or missing: with 500, one link in seven was wrong "
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
        How the links of both directions become one alignment.
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
        check_choice("symmetrization", symmetrization, SYMMETRIZATIONS)
        self.model = model
        self.symmetrization = symmetrization
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
            of their posterior probabilities is above 0.5; both directions agree; or the heuristic
            of Koehn et al. (2005).
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
        check_choice("symmetrization", symmetrization, SYMMETRIZATIONS)
        training = AlignerTraining(
            aligner_text(source_language, source_tokenize), aligner_text(language, tokenize, fold)
        )
        for sources, targets in _read_blocks(pairs):
            training.add_lines(sources, targets, thread_count(threads))
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
        if symmetrization not in SYMMETRIZATIONS:
            raise ValueError("symmetrization")
        return cls(TranslationModel.build(header, arrays), symmetrization)

    def save(self, path: StrPath) -> None:
        """Write the aligner to a file, which is replaced only when it is complete.

        Parameters
        ----------
        path : path
            The output file.
        """
        self.model.save(path, {"symmetrization": self.symmetrization})

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that tell models apart."""
        return self.model.digest

    @property
    def signature(self) -> str:
        """What the links depend on: settings, number of pairs, and the digest of the model."""
        return (
            f"{self.symmetrization}.pairs-{self.pairs}.sources-{self.sources}."
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
            Another one than that of the training.
        threads : int, optional
            Number of threads; all cores by default.

        Returns
        -------
        list of Alignment
            The hypothesis side of each is the source.
        """
        sides = [_check_lines(sources, "sources"), _check_lines(targets, "targets")]
        if len(sides[0]) != len(sides[1]):
            raise InputError(f"{len(sides[0]):,} sources, but {len(sides[1]):,} targets")
        count = thread_count(threads)
        texts = self.model.source_text, self.model.target_text
        source, target = (
            shared_table(text).number_lines(_core.Lines.from_strings(lines), count)
            for text, lines in zip(texts, sides, strict=True)
        )
        batch = self._find_links(source, target, symmetrization, count)
        words = (
            SentenceWords(sides[0], texts[0], source),
            SentenceWords(sides[1], texts[1], target),
        )
        return Alignment._create_many(FoundLinks(batch, words=words))

    def align_words(
        self,
        sources: Words,
        targets: Words,
        *,
        symmetrization: str | None = None,
        threads: int | None = None,
    ) -> list[Alignment]:
        """Align numbered words; see :meth:`align`."""
        batch = self._find_links(sources, targets, symmetrization, threads)
        return Alignment._create_many(FoundLinks(batch))

    def _find_links(
        self, sources: Words, targets: Words, symmetrization: str | None, threads: int | None
    ) -> AlignmentBatch:
        method = self.symmetrization if symmetrization is None else symmetrization
        check_choice("symmetrization", method, SYMMETRIZATIONS)
        source, target = self._sides
        source_words, target_words, offsets = self._core.links(
            *source.look_up(sources),
            sources.offsets,
            *target.look_up(targets),
            targets.offsets,
            SYMMETRIZATIONS.index(method),
            thread_count(threads),
        )
        rows = word_links_as_rows(source_words, target_words, GIVEN)
        return AlignmentBatch(rows, offsets, sources.lengths, targets.lengths)

    def known_share(self, sources: Words, targets: Words) -> tuple[float, float]:
        """Return the share of the source and of the target words that the training had."""
        shares = []
        for side, words in zip(self._sides, (sources, targets), strict=True):
            known = side.look_up(words)[0] >= 0
            shares.append(float(known.mean()) if len(known) else 1.0)
        return shares[0], shares[1]


def _read_blocks(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[_core.Lines, _core.Lines]]:
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
        yield _core.Lines.from_strings(sources), _core.Lines.from_strings(targets)
        first += len(block)


def _check_lines(lines: Sequence[str], name: str) -> list[str]:
    if isinstance(lines, (str, bytes)) or not isinstance(lines, Iterable):
        raise InputTypeError(f"{name} must be a list of strings, got {type(lines).__name__}")
    checked = list(lines)
    _core.check_strings(checked, name)
    return checked
