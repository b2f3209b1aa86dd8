"""The aligner: matches between two sentences, and the best selection of them."""

from __future__ import annotations

import itertools
import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.context import CONTEXT, context_rows
from hyperbaton.alignment.links import Links
from hyperbaton.alignment.notation import Row
from hyperbaton.alignment.paraphrases import ParaphraseTable
from hyperbaton.alignment.similarity import similar_links
from hyperbaton.alignment.stems import stemmer, stemmer_name
from hyperbaton.alignment.wordnet import WordNet
from hyperbaton.errors import InputError, InputTypeError, TooLongError
from hyperbaton.text.tokenizers import default_tokenizer, tokenizer
from hyperbaton.threads import thread_count

MATCHERS = ("exact", "stem", "synonym", "paraphrase", "similar")
SEARCHED = MATCHERS[:-1]  # "similar" links what the others leave over
OF_ROWS = (*SEARCHED, CONTEXT)  # what the last number of a row of links means
DEFAULT_BUDGET = 2_000
MOST_WORDS = 100_000  # of both sentences of a pair
MOST_KNOWN = 1 << 20  # words whose stems and synonyms are remembered
SCALE = 1000  # weights are counted in thousandths

Sentence = str | Sequence[str]
# Words of both sides, lengths of both sides, rows of links, where those of each pair begin, exact
# (None: there was nothing to search).
_Selections = tuple[
    list[list[str]],
    list[list[str]],
    tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.bool_] | None,
]


class Aligner:
    """How sentences are aligned: language, matchers, tokeniser, weights.

    >>> from hyperbaton import Aligner
    >>> aligner = Aligner("en")
    >>> aligner.align("A cat sat there.", "There sat two cats.").to_pharaoh()
    '1-3 2-1 3-0 4-4'
    >>> aligner.signature
    'lang:en|matchers:exact+stem|tok:13a|case:lc'

    ``language`` is a code such as ``en``; without one, words match only if they are equal. The
    matchers are ``exact``; ``stem``, for the languages that Snowball has; ``synonym``, which
    needs WordNet's files (found where Debian or NLTK put them, or in the folder ``wordnet``);
    ``paraphrase``, which needs a table in METEOR's format, ``paraphrases``; and ``similar``. A pair
    of words belongs to the first that matches it. The default is exact and stem for a language
    with a stemmer, and exact for others, whatever is installed. In place of matchers there may be
    ``context``: equal words that are unique, or that unique neighbours lead to (Isozaki et al.
    2010), with no search.

    ``weights`` says what a word that is covered counts, by matcher; all count 1 otherwise.
    ``budget`` limits the steps of the search, for each word of a hypothesis.
    """

    def __init__(
        self,
        language: str | None = None,
        matchers: Iterable[str] | None = None,
        tokenize: str | None = None,
        lowercase: bool = True,
        weights: Mapping[str, float] | None = None,
        wordnet: str | os.PathLike[str] | None = None,
        paraphrases: str | os.PathLike[str] | None = None,
        budget: int = DEFAULT_BUDGET,
    ) -> None:
        if language is not None and not isinstance(language, str):
            raise InputTypeError(f"language is a code such as 'en', not {type(language).__name__}")
        name = stemmer_name(language)
        if matchers is None:
            matchers = ("exact", "stem") if name else ("exact",)
        elif isinstance(matchers, str):
            matchers = matchers.replace(",", " ").replace("+", " ").split()
        asked = set(matchers)
        if asked == {CONTEXT}:
            if weights or budget != DEFAULT_BUDGET:
                raise InputError("weights and budget are for a search, and context has none")
        elif CONTEXT in asked:
            raise InputError("context stands alone: it takes no other matcher beside it")
        for matcher in asked - {*MATCHERS, CONTEXT}:
            raise InputError(f"{matcher!r} is no matcher; there are {', '.join(MATCHERS)}")
        if not asked:
            raise InputError(f"one matcher at least, of {', '.join(MATCHERS)}")
        for option, given, matcher in (
            ("wordnet", wordnet, "synonym"),
            ("paraphrases", paraphrases, "paraphrase"),
        ):
            if given is not None and matcher not in asked:
                raise InputError(f"{option} is for the matcher {matcher}, which is not asked for")
        if isinstance(budget, bool) or not isinstance(budget, int) or not 0 <= budget < 1 << 62:
            raise InputError(f"budget is a number of steps from 0, not {budget!r}")
        self.language = language
        self.matchers = tuple(matcher for matcher in (*MATCHERS, CONTEXT) if matcher in asked)
        self.tokenize = tokenize if tokenize is not None else default_tokenizer(language)
        self.lowercase = lowercase
        self.budget = budget
        self.weights = dict(weights or {})
        self._whole_weights = _whole_weights(self.weights)
        self._wordnet_path, self._paraphrases_path = wordnet, paraphrases
        self._tokens = tokenizer(self.tokenize, lowercase)
        self._stem: Callable[[Sequence[str]], list[str]] | None = None
        if "stem" in asked:
            if name is None:
                if language is None:
                    raise InputError("stems need a language, such as en")
                raise InputError(f"there is no stemmer for the language {language!r}")
            self._stem = stemmer(name)
        self._wordnet = None
        if "synonym" in asked:
            if name != "english" and wordnet is None:
                raise InputError("synonyms are those of WordNet, which is English: language en")
            self._wordnet = WordNet.find(wordnet)
        self._table = None
        if "paraphrase" in asked:
            if paraphrases is None:
                raise InputError(
                    "paraphrases need a table in METEOR's format, such as METEOR's own "
                    "paraphrase-en.gz"
                )
            self._table = ParaphraseTable.open(paraphrases)
        self._stems: dict[str, str] = {}
        self._synsets: dict[str, tuple[int, ...]] = {}

    @cached_property
    def signature(self) -> str:
        """All that changes an alignment, in one line."""
        parts = [
            f"lang:{self.language.replace('_', '-').lower() if self.language else 'none'}",
            f"matchers:{self.matchers_with_data}",
            f"tok:{self.tokenize}",
            f"case:{'lc' if self.lowercase else 'mixed'}",
        ]
        weights = {m: self.weights.get(m, 1) for m in self.matchers if m in SEARCHED}
        if len(set(weights.values())) > 1:
            parts.append("weights:" + "+".join(f"{m}={w:g}" for m, w in weights.items()))
        if self.budget != DEFAULT_BUDGET:
            parts.append(f"budget:{self.budget}")
        return "|".join(parts)

    @property
    def matchers_with_data(self) -> str:
        """The matchers, with the versions of the data that they use."""
        with_data = {
            "synonym": f"synonym(wordnet-{self._wordnet.version})" if self._wordnet else "",
            "paraphrase": f"paraphrase({self._table.version})" if self._table else "",
        }
        return "+".join(with_data.get(matcher) or matcher for matcher in self.matchers)

    def __repr__(self) -> str:
        return f"Aligner({self.signature!r})"

    def __reduce__(self) -> tuple[type[Aligner], tuple[object, ...]]:
        # What is loaded is loaded again by whoever gets it.
        return Aligner, (
            self.language,
            self.matchers,
            self.tokenize,
            self.lowercase,
            self.weights,
            self._wordnet_path,
            self._paraphrases_path,
            self.budget,
        )

    def align(self, hyp: Sentence, ref: Sentence) -> Alignment:
        """The alignment of two sentences."""
        return self.align_many([hyp], [ref], threads=1)[0]

    def align_many(
        self, hyps: Iterable[Sentence], refs: Iterable[Sentence], threads: int | None = None
    ) -> list[Alignment]:
        """The alignments of many pairs, on all cores if ``threads`` is None."""
        left, right, lengths, rows, offsets, exact = self._search(hyps, refs, threads)
        links_of = partial(_links, rows, offsets)
        if "similar" in self.matchers:
            links_of = partial(_with_similar, left, right, links_of)
        hyp_lengths, ref_lengths = lengths
        proven = [None] * len(left) if exact is None else exact.tolist()
        return Alignment._found(hyp_lengths.tolist(), ref_lengths.tolist(), proven, links_of)

    def links_of_many(
        self, hyps: Iterable[Sentence], refs: Iterable[Sentence], threads: int | None = None
    ) -> Links:
        """The links of many pairs as arrays: what a corpus needs, with no object for each pair."""
        if "similar" in self.matchers:  # these are found one pair after another
            return Links.of(self.align_many(hyps, refs, threads))
        _, _, lengths, rows, offsets, _ = self._search(hyps, refs, threads)
        return Links.found(rows, offsets, *lengths)

    def _search(
        self, hyps: Iterable[Sentence], refs: Iterable[Sentence], threads: int | None
    ) -> _Selections:
        """The best selection of matches of each pair; links of similar words are not among them."""
        count = thread_count(threads)
        left, right = self._sentences(hyps, "hyps"), self._sentences(refs, "refs")
        if len(left) != len(right):
            raise InputError(f"{len(left):,} hypotheses, but {len(right):,} references")
        numbers = _Numbers(self.lowercase)
        hyp_words, hyp_offsets = _numbered(left, numbers, "hyps")
        ref_words, ref_offsets = _numbered(right, numbers, "refs")
        hyp_lengths, ref_lengths = np.diff(hyp_offsets), np.diff(ref_offsets)
        for k in np.flatnonzero(hyp_lengths + ref_lengths > MOST_WORDS):
            raise TooLongError(
                int(k),
                f"{hyp_lengths[k]:,} and {ref_lengths[k]:,} words are too many: "
                f"{MOST_WORDS:,} in both sentences at most",
            )
        if self.matchers == (CONTEXT,):
            words = hyp_words, hyp_offsets, ref_words, ref_offsets
            rows, row_offsets = context_rows(*words, OF_ROWS.index(CONTEXT), count)
            return left, right, (hyp_lengths, ref_lengths), rows, row_offsets, None
        vocabulary = numbers.vocabulary
        if "similar" in self.matchers:
            left, right = [[self._cased(words) for words in side] for side in (left, right)]
        synsets, synset_offsets = self._synset_arrays(vocabulary)
        phrases, phrase_offsets = np.array([], np.int32), np.zeros(len(left) + 1, np.int64)
        cut = np.zeros(len(left), np.uint8)
        if self._table is not None:
            in_table = self._table.numbers(vocabulary)
            phrases, phrase_offsets, cut = self._table.find(
                in_table[hyp_words], hyp_offsets, in_table[ref_words], ref_offsets, count
            )
            phrases[:, 4] = SEARCHED.index("paraphrase")
        flat, offsets, exact = _core.align(
            hyp_words,
            hyp_offsets,
            ref_words,
            ref_offsets,
            len(vocabulary),
            "exact" in self.matchers,
            self._stem_array(vocabulary),
            synsets,
            synset_offsets,
            phrases.ravel(),
            phrase_offsets,
            np.array(self._whole_weights, np.int64),
            self.budget,
            count,
        )
        proven = (exact > 0) & (cut == 0)  # not the best of all, if some were left out
        return left, right, (hyp_lengths, ref_lengths), flat.reshape(-1, 5), offsets, proven

    def tokens(self, sentence: Sentence) -> list[str]:
        """A sentence's tokens: of a string by the tokeniser, else as they are, in lower case."""
        return self._cased(self._split(sentence))

    def _split(self, sentence: Sentence) -> list[str]:
        if isinstance(sentence, str):
            return self._tokens(sentence)
        if isinstance(sentence, list):
            return sentence  # nobody changes it; copies of a corpus keep the garbage collector busy
        try:
            if not isinstance(sentence, bytes):
                return list(sentence)
        except TypeError:
            pass
        kind = type(sentence).__name__
        raise InputTypeError(f"a sentence is a string or a sequence of tokens, not {kind}")

    def _cased(self, words: list[str]) -> list[str]:
        return list(map(str.lower, words)) if self.lowercase else words

    def _sentences(self, sentences: Iterable[Sentence], name: str) -> list[list[str]]:
        if isinstance(sentences, (str, bytes)) or not isinstance(sentences, Iterable):
            kind = type(sentences).__name__
            raise InputTypeError(f"{name} is a sequence of sentences, not one {kind}")
        found = []
        try:
            for sentence in sentences:
                found.append(sentence if type(sentence) is list else self._split(sentence))
        except TypeError as error:
            raise InputTypeError(f"{name}[{len(found)}]: {error}") from None
        return found

    def _stem_array(self, vocabulary: list[str]) -> npt.NDArray[np.int32]:
        if self._stem is None:
            return np.array([], np.int32)
        if len(self._stems) > MOST_KNOWN:
            self._stems = {}
        known = self._stems
        new = [word for word in vocabulary if word not in known]
        known.update(zip(new, self._stem(new), strict=True))
        numbers: dict[str, int] = defaultdict(itertools.count().__next__)
        return np.array([numbers[known[word]] for word in vocabulary], np.int32)

    def _synset_arrays(
        self, vocabulary: list[str]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        if self._wordnet is None:
            return np.array([], np.int32), np.array([], np.int64)
        if len(self._synsets) > MOST_KNOWN:
            self._synsets = {}
        known = self._synsets
        for word in vocabulary:
            if word not in known:
                known[word] = tuple(sorted(self._wordnet.synsets(word)))
        sets = [known[word] for word in vocabulary]
        flat = [synset for one in sets for synset in one]
        return np.array(flat, np.int32), np.cumsum([0, *map(len, sets)], dtype=np.int64)


class Options(TypedDict, total=False):
    """What :class:`Aligner` takes beside the language."""

    matchers: Iterable[str] | None
    tokenize: str | None
    lowercase: bool
    weights: Mapping[str, float] | None
    wordnet: str | os.PathLike[str] | None
    paraphrases: str | os.PathLike[str] | None
    budget: int


def align(
    hyp: Sentence, ref: Sentence, language: str | None = None, **options: Unpack[Options]
) -> Alignment:
    """Align two sentences: token lists, or strings, which are tokenised.

    >>> from hyperbaton import align
    >>> align("the cat saw the dog", "the dog saw the cat").links
    ((0, 3), (1, 4), (2, 2), (3, 0), (4, 1))

    Among all selections of matches in which no word has two links, it is the one that covers most
    words of both sides; of these, the one with the fewest chunks (maximal runs of links that are
    adjacent and in the same order on both sides); of these, the one with the smallest sum of
    distances between the positions that are linked. That is what METEOR looks for with
    ``-t maxcov``; here it is found wherever ``.exact`` is true. The options are those of
    :class:`hyperbaton.Aligner`, which keeps what it loads from one call to the next.
    """
    return Aligner(language, **options).align(hyp, ref)


def align_many(
    hyps: Iterable[Sentence],
    refs: Iterable[Sentence],
    language: str | None = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> list[Alignment]:
    """Align many pairs of sentences, on all cores.

    >>> from hyperbaton import align_many
    >>> [a.to_pharaoh() for a in align_many(["a b", "c"], ["b a", "d"])]
    ['0-1 1-0', '']
    """
    return Aligner(language, **options).align_many(hyps, refs, threads)


def _whole_weights(given: Mapping[str, float]) -> tuple[int, ...]:
    for matcher, weight in given.items():
        if matcher not in SEARCHED:
            raise InputError(f"{matcher!r} has no weight; there are {', '.join(SEARCHED)}")
        if not 0.001 <= weight <= 1000:
            raise InputError(f"the weight of {matcher!r} is {weight}, not from 0.001 to 1000")
    whole = [round(given.get(matcher, 1) * SCALE) for matcher in SEARCHED]
    return tuple(weight // math.gcd(*whole) for weight in whole)


class _Numbers(dict[str, int]):
    """Numbers of words; if case does not matter, words that differ in it have the same."""

    def __init__(self, lowercase: bool) -> None:
        super().__init__()
        self._lowercase = lowercase
        self._first: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        if not isinstance(word, str):
            raise TypeError
        number = self._first.setdefault(word.lower() if self._lowercase else word, len(self._first))
        self[word] = number
        return number

    @property
    def vocabulary(self) -> list[str]:
        """The words, by number."""
        return list(self._first)


def _numbered(
    sentences: list[list[str]], numbers: _Numbers, name: str
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    try:
        return _core.number(sentences, numbers)
    except TypeError:
        for k, words in enumerate(sentences):
            for at, word in enumerate(words):
                if not isinstance(word, str):
                    kind = type(word).__name__
                    message = f"{name}[{k}]: token {at} is not a string: {kind}"
                    raise InputTypeError(message) from None
        raise


def _links(rows: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64], k: int) -> list[Row]:
    return [
        (h, r, h_length, r_length, OF_ROWS[matcher])
        for h, h_length, r, r_length, matcher in rows[offsets[k] : offsets[k + 1]].tolist()
    ]


def _with_similar(
    hyps: list[list[str]], refs: list[list[str]], links_of: Callable[[int], list[Row]], k: int
) -> list[Row]:
    hyp, ref, links = hyps[k], refs[k], links_of(k)
    linked_hyp = {h + k for h, _, length, _, _ in links for k in range(length)}
    linked_ref = {r + k for _, r, _, length, _ in links for k in range(length)}
    free_hyp = [h for h in range(len(hyp)) if h not in linked_hyp]
    free_ref = [r for r in range(len(ref)) if r not in linked_ref]
    more = similar_links(hyp, ref, free_hyp, free_ref)
    return links + [(h, r, 1, 1, "similar") for h, r in more]
