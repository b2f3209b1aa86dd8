"""The aligner finds matching words and phrases of two sentences and selects the best of them."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment, FoundLinks, SentenceWords
from hyperbaton.alignment.batch import AlignmentBatch, Ints, word_links_as_rows
from hyperbaton.alignment.choices import (
    ANCHORED,
    CONTEXT,
    ENCODER,
    MATCHERS,
    ROW_MATCHERS,
    SEARCH_MATCHERS,
    SIMILAR,
)
from hyperbaton.errors import InputError, InputTypeError, TooLongError
from hyperbaton.text.languages import language_code, parse_language
from hyperbaton.text.tokenization import Tokenization, aligner_text
from hyperbaton.text.words import Int32s, TokenNumbers, Words, WordTable, shared_table
from hyperbaton.threads import thread_count

# What only some matchers need is imported by their methods.
if TYPE_CHECKING:
    from hyperbaton.alignment.encoders import Encoder, EncoderLinker
    from hyperbaton.alignment.paraphrases import ParaphraseTable
    from hyperbaton.alignment.wordnet import WordNet

DEFAULT_BUDGET = 2_000
WEIGHT_SCALE = 1000  # weights are rounded to multiples of 1/1000
MAX_WORDS = 100_000  # of both sentences of a pair together
# With paraphrases, pairs of sentences with about so many words, or one pair, are aligned at a
# time. Lines that repeat few words have over a hundred paraphrases per word, which would take
# gigabytes for a batch of lines.
PART_WORDS = 20_000
# Snowball's names of languages by their codes, where they are not the English names.
SNOWBALL_NAMES = {"nb": "norwegian", "nn": "norwegian", "st": "sesotho"}
AS_WRITTEN = Tokenization("none", "mixed")

Sentence = str | Sequence[str]
Checked = tuple[list[str | list[str]], set[type]]  # sentences, and which of the types there are
# Rows of links, the offset of each pair, and whether each selection is exact.
Found = tuple[npt.NDArray[np.int32], Ints, npt.NDArray[np.bool_]]


def select_matchers(matchers: Iterable[str]) -> tuple[str, ...]:
    """Return the requested matchers in the order in which they are applied.

    A string has names separated by ``,`` or ``+``.

    >>> select_matchers("stem+exact")
    ('exact', 'stem')
    """
    if isinstance(matchers, str):
        matchers = matchers.replace(",", " ").replace("+", " ").split()
    requested = set(matchers)
    if CONTEXT in requested and len(requested) > 1:
        raise InputError(f"the matcher {CONTEXT} cannot be combined with other matchers")
    for matcher in requested - {*MATCHERS, CONTEXT}:
        if names_encoder(matcher):
            raise InputError(f"the matcher {ENCODER} cannot be combined with other matchers")
        valid = ", ".join([*MATCHERS, CONTEXT, f"{ENCODER}:PATH"])
        raise InputError(f"unknown matcher {matcher!r}; valid: {valid}")
    if not requested:
        raise InputError(f"at least one matcher is required: {', '.join(MATCHERS)} or {CONTEXT}")
    if requested == {ANCHORED}:
        raise InputError(f"{ANCHORED} drops links of other matchers: add one, such as exact")
    return tuple(matcher for matcher in (*MATCHERS, CONTEXT) if matcher in requested)


def is_encoder(given: object) -> bool:
    """Return whether an object gives words vectors, as :class:`hyperbaton.Encoder` does."""
    return not isinstance(given, str) and hasattr(given, "encode")


def names_encoder(matchers: object) -> bool:
    """Return whether a text asks for an encoder.

    >>> names_encoder("encoder:vectors.txt:threshold=0.5"), names_encoder("exact+stem")
    (True, False)
    """
    return isinstance(matchers, str) and matchers.startswith(f"{ENCODER}:")


def word_matchers(language: str | None) -> tuple[str, ...]:
    """Return the matchers that find links by default in a language, whatever is installed.

    >>> word_matchers("de-AT"), word_matchers("ja")
    (('exact', 'stem'), ('exact',))
    """
    has_stemmer = language is not None and stemmer_name(language) is not None
    return ("exact", "stem") if has_stemmer else ("exact",)


def scale_weights(weights: Mapping[str, float]) -> tuple[int, ...]:
    """Return the weight of each search matcher as an integer, by default 1 before scaling.

    >>> scale_weights({"stem": 0.5})
    (2, 1, 2, 2)
    """
    for matcher, weight in weights.items():
        if matcher not in SEARCH_MATCHERS:
            raise InputError(f"{matcher!r} has no weight; valid: {', '.join(SEARCH_MATCHERS)}")
        if not 0.001 <= weight <= 1000:
            raise InputError(f"the weight of {matcher!r} must be from 0.001 to 1000, got {weight}")
    scaled = [round(weights.get(matcher, 1) * WEIGHT_SCALE) for matcher in SEARCH_MATCHERS]
    return tuple(weight // math.gcd(*scaled) for weight in scaled)


class Aligner:
    """Aligns sentences of one language.

    Parameters
    ----------
    language
        A code or BCP 47 tag, such as ``en`` or ``pt-BR``. Without one, words match only if they
        are equal.
    matchers
        Names of matchers, or a string of names separated by ``,`` or ``+``. A pair of words
        belongs to the first matcher that matches it. Or an :class:`hyperbaton.Encoder`, which links
        words by their vectors, or ``encoder:PATH``, where it is (see docs/encoders.md).

        - ``exact``: equal words;
        - ``stem``: equal stems, for languages with a Snowball stemmer;
        - ``synonym``: a common synset in WordNet;
        - ``paraphrase``: phrases of a paraphrase table;
        - ``similar``: words with similar spelling that the other matchers left without a link. It
          finds more links, but makes permutations worse;
        - ``anchored``: drops links of repeated words that lie far from the links of words that
          occur once;
        - ``context``: equal words that are unique, or unique together with their neighbours
          (Isozaki et al. 2010). It cannot be combined with other matchers and does not search.

        The default is exact, stem and anchored for a language with a stemmer, and exact and
        anchored for others, whatever is installed.
    tokenize
        Name of the tokeniser for sentences that are strings; by default that of the language.
    lowercase
        Whether to ignore case.
    weights
        How much a covered word counts, by matcher; 1 by default.
    wordnet
        Folder of WordNet's database, for ``synonym``. By default it is looked for where Debian or
        NLTK install it.
    paraphrases
        Paraphrase table in METEOR's format, for ``paraphrase``.
    budget
        Maximum number of search steps per word of the hypothesis.
    fold
        ``standard``: words that look the same are the same (see docs/scoring.md); ``none``:
        characters as written. Given tokens are folded one by one.

    Examples
    --------
    >>> from hyperbaton import Aligner
    >>> aligner = Aligner("en")
    >>> aligner.align("A cat sat there.", "There sat two cats.").to_pharaoh()
    '1-3 2-1 3-0 4-4'
    >>> aligner.signature
    'lang:en|matchers:exact+stem+anchored|tok:13a|case:lc'
    """

    def __init__(
        self,
        language: str | None = None,
        matchers: Iterable[str] | Encoder | None = None,
        tokenize: str | None = None,
        lowercase: bool = True,
        weights: Mapping[str, float] | None = None,
        wordnet: str | os.PathLike[str] | None = None,
        paraphrases: str | os.PathLike[str] | None = None,
        budget: int = DEFAULT_BUDGET,
        fold: str | None = None,
    ) -> None:
        stemmer = None if language is None else stemmer_name(language)
        if matchers is None:
            matchers = (*word_matchers(language), ANCHORED)
        self._encoder = _open_encoder(matchers)
        self._given_matchers = matchers
        self.matchers = (ENCODER,) if self._encoder else select_matchers(matchers)  # type: ignore[arg-type]
        self._wordnet_path, self._paraphrases_path = wordnet, paraphrases
        self._check_search(weights, budget)
        self.language = language
        self.lowercase = lowercase
        self.budget = budget
        self.weights = dict(weights or {})
        self._scaled_weights = scale_weights(self.weights)
        self.tokenization = aligner_text(language, tokenize, fold, "lc" if lowercase else "mixed")
        self.tokenize = self.tokenization.tok
        self._stems = self._load_stems(stemmer) if "stem" in self.matchers else None
        self._wordnet = self._load_wordnet(stemmer) if "synonym" in self.matchers else None
        self._synsets = self._wordnet.token_synsets() if self._wordnet else None
        self._paraphrases = self._load_paraphrases() if "paraphrase" in self.matchers else None
        if self._paraphrases is not None:
            numbers = self._paraphrases.numbers
            self._paraphrase_numbers = TokenNumbers(lambda: numbers)

    def _check_search(self, weights: Mapping[str, float] | None, budget: object) -> None:
        """Raise an error if the matchers do not use what was given for them."""
        if self.matchers in ((CONTEXT,), (ENCODER,)) and (weights or budget != DEFAULT_BUDGET):
            raise InputError(
                f"the matcher {self.matchers[0]} takes neither weights nor a budget: it does not "
                "search"
            )
        for option, value, matcher in (
            ("wordnet", self._wordnet_path, "synonym"),
            ("paraphrases", self._paraphrases_path, "paraphrase"),
        ):
            if value is not None and matcher not in self.matchers:
                raise InputError(f"{option} is only used by the matcher {matcher}: add it")
        if isinstance(budget, bool) or not isinstance(budget, int) or not 0 <= budget < 1 << 62:
            raise InputError(f"budget must be a non-negative integer, got {budget!r}")

    def _load_stems(self, stemmer: str | None) -> TokenNumbers:
        if stemmer is None:
            if self.language is None:
                raise InputError("the matcher stem needs a language, such as en")
            raise InputError(f"there is no stemmer for the language {self.language!r}")
        return _number_stems(stemmer)

    def _load_wordnet(self, stemmer: str | None) -> WordNet:
        if stemmer != "english" and self._wordnet_path is None:
            raise InputError("the matcher synonym needs the language en: WordNet is English")
        from hyperbaton.alignment.wordnet import WordNet

        return WordNet.find(self._wordnet_path)

    def _load_paraphrases(self) -> ParaphraseTable:
        if self._paraphrases_path is None:
            raise InputError(
                "the matcher paraphrase needs a table in METEOR's format, such as METEOR's "
                "paraphrase-en.gz"
            )
        from hyperbaton.alignment.paraphrases import ParaphraseTable

        return ParaphraseTable.open(self._paraphrases_path)

    @cached_property
    def signature(self) -> str:
        """Everything that affects an alignment, on one line."""
        parts = [
            f"lang:{_language_tag(self.language)}",
            f"matchers:{self.matcher_signature}",
            f"tok:{self.tokenize}",
            f"case:{'lc' if self.lowercase else 'mixed'}",
        ]
        if self.tokenization.fold != "none":  # its lower case follows from the language
            parts.append(f"fold:{self.tokenization.fold}")
        weights = {m: self.weights.get(m, 1) for m in self.matchers if m in SEARCH_MATCHERS}
        if len(set(weights.values())) > 1:
            parts.append("weights:" + "+".join(f"{m}={w:g}" for m, w in weights.items()))
        if self.budget != DEFAULT_BUDGET:
            parts.append(f"budget:{self.budget}")
        return "|".join(parts)

    @property
    def matcher_signature(self) -> str:
        """The matchers, with the versions of the data that they use."""
        if self._encoder is not None:
            return self._encoder.signature
        versions = {}
        if self._wordnet is not None:
            versions["synonym"] = f"(wordnet-{self._wordnet.version})"
        if self._paraphrases is not None:
            versions["paraphrase"] = f"({self._paraphrases.version})"
        return "+".join(matcher + versions.get(matcher, "") for matcher in self.matchers)

    def __repr__(self) -> str:
        return f"Aligner({self.signature!r})"

    def __reduce__(self) -> tuple[type[Aligner], tuple[object, ...]]:
        # The receiving process loads the data again.
        return Aligner, (
            self.language,
            self.matchers if self._encoder is None else self._given_matchers,
            self.tokenize,
            self.lowercase,
            self.weights,
            self._wordnet_path,
            self._paraphrases_path,
            self.budget,
            self.tokenization.fold,
        )

    def align(self, hyp: Sentence, ref: Sentence) -> Alignment:
        """Align two sentences.

        Parameters
        ----------
        hyp : str or sequence of str
            The hypothesis: a string, which is tokenised, or its tokens.
        ref : str or sequence of str
            The reference, in the same form.

        Returns
        -------
        Alignment
            The links between the words of both sentences.
        """
        return self.align_many([hyp], [ref], threads=1)[0]

    def align_many(
        self, hyps: Iterable[Sentence], refs: Iterable[Sentence], threads: int | None = None
    ) -> list[Alignment]:
        """Align many sentence pairs on ``threads`` threads, by default on all cores.

        Parameters
        ----------
        hyps : iterable of str or of sequences of str
            The hypotheses: strings, which are tokenised, or their tokens.
        refs : iterable of str or of sequences of str
            The references, one for each hypothesis.
        threads : int, optional
            Number of threads; by default all cores.

        Returns
        -------
        list of Alignment
            One alignment for each pair.
        """
        words = self._number_pairs(hyps, refs, threads)
        hyp_words, ref_words = words[0].aligned, words[1].aligned
        batch, exact = self._select_links(hyp_words, ref_words, threads)
        similar = None
        if SIMILAR in self.matchers:
            from hyperbaton.alignment.similarity import check_similar_words

            similar = hyp_words.strings(), ref_words.strings()
            check_similar_words(*similar, batch)
        return Alignment._create_many(FoundLinks(batch, exact, words, similar))

    def align_batch(
        self, hyps: Iterable[Sentence], refs: Iterable[Sentence], threads: int | None = None
    ) -> AlignmentBatch:
        """Align many sentence pairs and return arrays instead of one object per pair."""
        hyp, ref = self._number_pairs(hyps, refs, threads)
        return self.align_words(hyp.aligned, ref.aligned, threads)

    def align_words(self, hyps: Words, refs: Words, threads: int | None = None) -> AlignmentBatch:
        """Align sentences whose tokens were numbered with the same table."""
        if SIMILAR in self.matchers:  # these links are found pair by pair
            alignments = self.align_many(hyps.strings(), refs.strings(), threads)
            return AlignmentBatch.from_alignments(alignments)
        return self._select_links(hyps, refs, threads)[0]

    def _select_links(
        self, hyps: Words, refs: Words, threads: int | None
    ) -> tuple[AlignmentBatch, npt.NDArray[np.bool_] | None]:
        """Select the best links of each pair, without those of similar words.

        Also return whether each selection is exact; None if there was no search.
        """
        hyp_lengths, ref_lengths = hyps.lengths, refs.lengths
        for k in np.flatnonzero(hyp_lengths + ref_lengths > MAX_WORDS):
            raise TooLongError(
                int(k),
                f"the sentences are too long: {hyp_lengths[k]:,} and {ref_lengths[k]:,} words, "
                f"at most {MAX_WORDS:,} together",
            )
        count = thread_count(threads)
        exact = None
        if self._encoder is not None:
            rows, offsets = self._encoder.find_links(hyps, refs, count)
        elif self.matchers == (CONTEXT,):
            rows, offsets = _find_context_links(hyps, refs, count)
        else:
            search = self._search if self._paraphrases is None else self._search_in_parts
            rows, offsets, exact = search(hyps, refs, count)
        return AlignmentBatch(rows, offsets, hyp_lengths, ref_lengths, count), exact

    def _search_in_parts(self, hyps: Words, refs: Words, threads: int) -> Found:
        """Search some pairs at a time if there may be many paraphrases."""
        total = hyps.offsets + refs.offsets
        if total[-1] <= PART_WORDS:
            return self._search(hyps, refs, threads)
        ends = np.searchsorted(total, np.arange(PART_WORDS, total[-1], PART_WORDS), "right") - 1
        bounds = np.unique(np.concatenate(([0], ends, [len(total) - 1])))
        parts = [
            self._search(hyps.take(pairs), refs.take(pairs), threads)
            for pairs in (np.arange(first, last) for first, last in itertools.pairwise(bounds))
        ]
        rows, offsets, exact = zip(*parts, strict=True)
        counts = np.concatenate([np.diff(part) for part in offsets])
        return (
            np.concatenate(rows),
            np.concatenate(([0], np.cumsum(counts))),
            np.concatenate(exact),
        )

    def _search(self, hyps: Words, refs: Words, threads: int) -> Found:
        """Return rows of links, the offset of each pair, and whether each selection is exact."""
        table = hyps.table
        assert refs.table is table
        size = len(table)
        pairs = len(hyps.offsets) - 1
        stems = synsets = np.array([], np.int32)
        synset_offsets = np.array([], np.int64)
        phrases, phrase_offsets = np.array([], np.int32), np.zeros(pairs + 1, np.int64)
        incomplete = np.zeros(pairs, np.uint8)
        if self._stems is not None:
            stems = self._stems.array(table, size)
        if self._synsets is not None:
            synsets, synset_offsets = self._synsets.arrays(table, size)
        if self._paraphrases is not None:
            numbers = self._paraphrase_numbers.array(table, size)
            phrases, phrase_offsets, incomplete = self._paraphrases.find(
                numbers[hyps.numbers], hyps.offsets, numbers[refs.numbers], refs.offsets, threads
            )
            phrases[:, 4] = ROW_MATCHERS.index("paraphrase")
        flat, offsets, exact = _core.align(
            hyps.numbers,
            hyps.offsets,
            refs.numbers,
            refs.offsets,
            size,
            "exact" in self.matchers,
            stems,
            synsets,
            synset_offsets,
            phrases.ravel(),
            phrase_offsets,
            np.array(self._scaled_weights, np.int64),
            self.budget,
            ANCHORED in self.matchers,
            threads,
        )
        return flat.reshape(-1, 5), offsets, (exact > 0) & (incomplete == 0)

    def tokens(self, sentence: Sentence) -> list[str]:
        """Return the tokens of a sentence as the aligner compares them.

        A string is tokenised; tokens are folded, and in lower case unless case matters.

        Parameters
        ----------
        sentence : str or sequence of str
            The sentence: a string, which is tokenised, or its tokens.

        Returns
        -------
        list of str
            The tokens.
        """
        if isinstance(sentence, str):
            return self.tokenization.split(sentence)
        return [self.tokenization.normalize(token) for token in self._as_list(sentence)]

    def _number_pairs(
        self, hyps: Iterable[Sentence], refs: Iterable[Sentence], threads: int | None
    ) -> tuple[SentenceWords, SentenceWords]:
        """Return both sides, which must have the same length, with the numbers of their tokens.

        Strings are split in the core. If some sentences are lists of tokens, all are split first.
        """
        sides = self._check_sentences(hyps, "hyps"), self._check_sentences(refs, "refs")
        counts = [len(sentences) for sentences, _ in sides]
        if counts[0] != counts[1]:
            raise InputError(f"{counts[0]:,} hypotheses, but {counts[1]:,} references")
        count = thread_count(threads)
        whole = list in sides[0][1] | sides[1][1]
        table = shared_table(self.tokenization, whole)

        def number(sentences: list[Any], name: str) -> SentenceWords:
            if whole:
                tokens = [
                    given if isinstance(given, list) else self._split_checked(given, name, k)
                    for k, given in enumerate(sentences)
                ]
                words = table.number_tokens(tokens, name, count)
            else:
                _core.check_strings(sentences, name)
                words = table.number_lines(_core.Lines.from_strings(sentences), count)
            return SentenceWords(list(sentences), self.tokenization, words)

        return number(sides[0][0], "hyps"), number(sides[1][0], "refs")

    def _split_checked(self, sentence: str, name: str, k: int) -> list[str]:
        _core.check_string(sentence, f"{name}[{k}]")
        return self.tokenization.split(sentence)

    def _check_sentences(self, sentences: Iterable[Sentence], name: str) -> Checked:
        """Return strings and lists of tokens, and which of the two types there are."""
        if isinstance(sentences, (str, bytes)) or not isinstance(sentences, Iterable):
            kind = type(sentences).__name__
            raise InputTypeError(f"{name} must be a sequence of sentences, got {kind}")
        types = set(map(type, sentences)) if type(sentences) is list else {object}
        if types <= {str, list}:
            return sentences, types  # type: ignore[return-value]  # the usual case
        if hasattr(sentences, "to_pylist"):  # pyarrow's own objects are no strings
            sentences = sentences.to_pylist()
        checked: list[str | list[str]] = []
        try:
            for sentence in sentences:
                checked.append(sentence if isinstance(sentence, str) else self._as_list(sentence))
        except InputTypeError as error:
            raise InputTypeError(f"{name}[{len(checked)}]: {error}") from None
        return checked, {list if isinstance(given, list) else str for given in checked}

    @staticmethod
    def _as_list(sentence: Sequence[str]) -> list[str]:
        if isinstance(sentence, list):
            return sentence  # not copied, to save the garbage collector work: it is never changed
        try:
            if not isinstance(sentence, bytes):
                return list(sentence)
        except TypeError:
            pass
        kind = type(sentence).__name__
        raise InputTypeError(f"a sentence must be a string or a sequence of tokens, got {kind}")


def _open_encoder(matchers: Any) -> EncoderLinker | None:
    """Return what links words by vectors, if an encoder is given or named."""
    if not (names_encoder(matchers) or is_encoder(matchers)):
        return None
    from hyperbaton.alignment.encoders import EncoderLinker, open_encoder

    return EncoderLinker(open_encoder(matchers) if isinstance(matchers, str) else matchers)


def stemmer_name(language: str) -> str | None:
    """Return Snowball's name of a language, or None if there is no stemmer for it.

    Which stemmers there are depends on the version of PyStemmer.

    >>> stemmer_name("en"), stemmer_name("de-AT"), stemmer_name("French"), stemmer_name("ja")
    ('english', 'german', 'french', None)
    """
    import Stemmer

    known = parse_language(language)
    name = SNOWBALL_NAMES.get(known.code, known.name.lower())
    return name if name in Stemmer.algorithms() else None


def _number_stems(stemmer: str) -> TokenNumbers:
    """Return numbers that are equal for tokens with equal stems."""
    import Stemmer

    stem = Stemmer.Stemmer(stemmer, 0).stemWords

    def make_look_up() -> Callable[[list[str]], Int32s]:
        stems = WordTable(AS_WRITTEN, whole=True)
        return lambda tokens: stems.number_tokens([stem(tokens)], "stems", 1).numbers

    return TokenNumbers(make_look_up)


def _find_context_links(
    hyps: Words, refs: Words, threads: int
) -> tuple[npt.NDArray[np.int32], Ints]:
    """Link words that are unique in their context, as RIBES does; return rows and offsets.

    A hypothesis word is linked if it occurs once in both sentences, or else if a run of words that
    ends or begins with it does. The shortest such run is used; if two are equally long, the one
    that ends with the word. Isozaki et al. 2010 describe runs of two words only; the authors'
    program, version 1.03, uses runs of any length. Two hypothesis words may be linked with the
    same reference word.
    """
    ref = _core.context_links(hyps.numbers, hyps.offsets, refs.numbers, refs.offsets, threads)
    linked = np.flatnonzero(ref >= 0)
    pair = np.searchsorted(hyps.offsets, linked, "right") - 1
    rows = word_links_as_rows(linked - hyps.offsets[pair], ref[linked], CONTEXT)
    counts = np.bincount(pair, minlength=len(hyps.offsets) - 1)
    return rows, np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def _language_tag(language: str | None) -> str:
    """Return a language as signatures write it: its code, and the rest of the tag."""
    if language is None:
        return "none"
    _, *rest = language.strip().replace("_", "-").lower().split("-")
    return "-".join([language_code(language), *rest])


class Options(TypedDict, total=False):
    """The options of :class:`Aligner` besides the language."""

    matchers: Iterable[str] | Encoder | None
    tokenize: str | None
    lowercase: bool
    weights: Mapping[str, float] | None
    wordnet: str | os.PathLike[str] | None
    paraphrases: str | os.PathLike[str] | None
    budget: int
    fold: str | None


def align(
    hyp: Sentence, ref: Sentence, language: str | None = None, **options: Unpack[Options]
) -> Alignment:
    """Align two sentences: token lists, or strings, which are tokenised.

    Among all selections of matches in which no word has two links, the aligner looks for those
    that cover most words of both sides; among these, for those with the fewest chunks (maximal
    runs of links that are adjacent and in the same order on both sides); among these, for the one
    with the smallest sum of distances between linked positions. METEOR looks for the same with
    ``-t maxcov``. If ``.exact`` is true, the result is the best selection.

    The options are those of :class:`hyperbaton.Aligner`. Use one for repeated calls: it loads its
    data once.

    Parameters
    ----------
    hyp : str or sequence of str
        The hypothesis: a string, which is tokenised, or its tokens.
    ref : str or sequence of str
        The reference, in the same form.
    language : str, optional
        Language code or BCP 47 tag, such as ``"en"``; it selects the stemmer and the tokeniser.
    **options
        Options of :class:`hyperbaton.Aligner`, such as ``matchers`` or ``tokenize``.

    Returns
    -------
    Alignment
        The links between the words of both sentences.

    Raises
    ------
    InputError
        If an option is invalid, or the sentences are too long.
    InputTypeError
        If a sentence is neither a string nor a sequence of tokens.
    MissingData
        If a tokeniser, WordNet or a paraphrase table is missing.

    Examples
    --------
    >>> from hyperbaton import align
    >>> align("the cat saw the dog", "the dog saw the cat").links
    ((0, 3), (1, 4), (2, 2), (3, 0), (4, 1))
    """
    return Aligner(language, **options).align(hyp, ref)


def align_many(
    hyps: Iterable[Sentence],
    refs: Iterable[Sentence],
    language: str | None = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> list[Alignment]:
    """Align many sentence pairs, by default on all cores.

    The options are those of :class:`hyperbaton.Aligner`.

    Parameters
    ----------
    hyps : iterable of str or of sequences of str
        The hypotheses: strings, which are tokenised, or their tokens.
    refs : iterable of str or of sequences of str
        The references, one for each hypothesis.
    language : str, optional
        Language code or BCP 47 tag, such as ``"en"``; it selects the stemmer and the tokeniser.
    threads : int, optional
        Number of threads; by default all cores.
    **options
        Options of :class:`hyperbaton.Aligner`, such as ``matchers`` or ``tokenize``.

    Returns
    -------
    list of Alignment
        One alignment for each pair.

    Raises
    ------
    InputError
        If an option is invalid, or the sentences are too long.
    InputTypeError
        If a sentence is neither a string nor a sequence of tokens.
    MissingData
        If a tokeniser, WordNet or a paraphrase table is missing.

    Examples
    --------
    >>> from hyperbaton import align_many
    >>> [a.to_pharaoh() for a in align_many(["a b", "c"], ["b a", "d"])]
    ['0-1 1-0', '']
    """
    return Aligner(language, **options).align_many(hyps, refs, threads)
