"""The C++ core. Its sources are in core/ and src/bindings/, in the same folders as here.

A batch is ``values`` (int32 or int64, one-dimensional, contiguous) and ``offsets``: sequence k is
``values[offsets[k]:offsets[k + 1]]``. Invalid input raises InputError or InputTypeError.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

_T = TypeVar("_T")
_Values = npt.NDArray[np.integer[Any]]
_Int64s = npt.NDArray[np.int64]
_Int32s = npt.NDArray[np.int32]
_Floats = npt.NDArray[np.float64]
_TreeArrays = tuple[_Int32s, _Int32s, _Int32s, npt.NDArray[np.uint8], _Int32s, _Int32s]

# permutations/permutation.cpp
def integers(sequence: object) -> _Int64s: ...
def pack(perms: list[Any]) -> tuple[_Int64s, _Int64s]: ...
def checked(values: _Values) -> _Int32s: ...

# permutations/measures.cpp
def kendall(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def kendall_sqrt(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def spearman(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def footrule(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def hamming(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def ulam(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def fuzzy(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def breakpoints(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def pet_size(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def pet_count(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def max_operator(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def average_operator(values: _Values, offsets: _Int64s, threads: int) -> _Floats: ...
def measures(values: _Values, offsets: _Int64s, threads: int) -> dict[str, _Floats]: ...

# permutations/recursive_scores.cpp
@overload
def pet(values: _Values, offsets: _Int64s, threads: int, beta: float, gamma: float) -> _Floats: ...
@overload
def pet(
    values: _Values,
    offsets: _Int64s,
    threads: int,
    beta: float,
    scores: _Floats,
    node_offsets: _Int64s,
) -> _Floats: ...
@overload
def pef(values: _Values, offsets: _Int64s, threads: int, beta: float, gamma: float) -> _Floats: ...
@overload
def pef(
    values: _Values,
    offsets: _Int64s,
    threads: int,
    beta: float,
    scores: _Floats,
    node_offsets: _Int64s,
) -> _Floats: ...
def pef_beer(values: _Values, offsets: _Int64s, threads: int, beta: float) -> _Floats: ...

# permutations/tree.cpp
def flat_tree(values: _Int32s) -> _TreeArrays: ...
def pet_tree(values: _Int32s, reduces: _Int32s) -> _TreeArrays: ...
def operators(
    values: _Values, offsets: _Int64s, threads: int
) -> tuple[_Int32s, _Int64s, _Int64s]: ...

# permutations/block_moves.cpp
def block_moves(
    values: _Values, offsets: _Int64s, minor: npt.NDArray[np.uint8], threads: int
) -> tuple[
    _Int64s,
    _Int32s,
    _Int32s,
    _Int32s,
    _Int32s,
    _Int32s,
    npt.NDArray[np.uint8],
    npt.NDArray[np.uint8],
]: ...

# permutations/reorderings.cpp
def reorderings(
    values: _Values, offsets: _Int64s, threads: int
) -> tuple[_Int32s, _Int32s, _Int32s, _Int64s, _Int32s, _Int64s, _Int32s, _Int32s]: ...

# edit/inversion_distance.cpp
def inversion_bounds(
    s: _Int32s,
    s_offsets: _Int64s,
    t: _Int32s,
    t_offsets: _Int64s,
    inversion: int,
    substitution: int,
    deletion: int,
    insertion: int,
    budget: int,
    threads: int,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]: ...
def inversion_parse(
    s: _Int32s,
    t: _Int32s,
    inversion: int,
    substitution: int,
    deletion: int,
    insertion: int,
    budget: int,
) -> tuple[int, int, npt.NDArray[np.uint8], _Int32s, _Int32s]: ...
def vector_units() -> _Int32s: ...
def use_vector_unit(unit: int) -> None: ...

# edit/cder.cpp
def cder(
    hypotheses: _Int32s,
    hypothesis_offsets: _Int64s,
    references: _Int32s,
    reference_offsets: _Int64s,
    threads: int,
) -> _Int64s: ...

# edit/levenshtein.cpp
def levenshtein(
    hypotheses: _Int32s,
    hypothesis_offsets: _Int64s,
    references: _Int32s,
    reference_offsets: _Int64s,
    threads: int,
) -> _Int64s: ...

# edit/translation_edit_rate.cpp
def translation_edits(
    hypotheses: _Int32s,
    hypothesis_offsets: _Int64s,
    references: _Int32s,
    reference_offsets: _Int64s,
    threads: int,
) -> _Int64s: ...

# trees/tree_edit_distance.cpp
def pack_tree_pairs(pairs: list[Any]) -> tuple[_Int32s, _Int64s, _Int32s, _Int64s] | None: ...
def tree_matches(
    a: _Values, a_offsets: _Int64s, b: _Values, b_offsets: _Int64s, threads: int
) -> _Int64s: ...
def tree_savings(
    a: _Values,
    a_offsets: _Int64s,
    b: _Values,
    b_offsets: _Int64s,
    savings: _Int64s,
    threads: int,
) -> _Int64s: ...
def tree_mapping(
    a: _Values, b: _Values, savings: _Int64s | None, path: int
) -> tuple[int, _Int32s, _Int32s]: ...

# alignment/alignment_search.cpp
def align(
    hyps: _Int32s,
    hyp_offsets: _Int64s,
    refs: _Int32s,
    ref_offsets: _Int64s,
    words: int,
    exact: bool,
    stems: _Int32s,
    synsets: _Int32s,
    synset_offsets: _Int64s,
    phrases: _Int32s,
    phrase_offsets: _Int64s,
    weights: _Int64s,
    budget: int,
    threads: int,
) -> tuple[_Int32s, _Int64s, npt.NDArray[np.uint8]]: ...

# alignment/context_aligner.cpp
def context_links(
    hyps: _Int32s, hyp_offsets: _Int64s, refs: _Int32s, ref_offsets: _Int64s, threads: int
) -> _Int32s: ...

# alignment/link_order.cpp
def link_counts(
    rows: _Int32s, offsets: _Int64s, hyp_lengths: _Int64s, ref_lengths: _Int64s, threads: int
) -> tuple[_Int64s, _Int64s, _Int64s, _Int64s]: ...
def link_places(
    rows: _Int32s, offsets: _Int64s, hyp_lengths: _Int64s, ref_lengths: _Int64s, threads: int
) -> tuple[_Int64s, _Int64s, _Int64s]: ...
def link_permutations(
    rows: _Int32s,
    offsets: _Int64s,
    hyp_lengths: _Int64s,
    ref_lengths: _Int64s,
    unaligned: int,
    threads: int,
) -> tuple[_Int64s, _Int64s]: ...

# alignment/paraphrase_finder.cpp
def paraphrases(
    hyps: _Int32s,
    hyp_offsets: _Int64s,
    refs: _Int32s,
    ref_offsets: _Int64s,
    words: int,
    edges: _Int64s,
    first: _Int32s,
    other: _Int32s,
    threads: int,
) -> tuple[_Int32s, _Int64s, npt.NDArray[np.uint8]]: ...

# softorder/soft_adjacency.cpp
def soft_adjacency(
    hyps: _Int32s,
    hyp_offsets: _Int64s,
    refs: _Int32s,
    ref_offsets: _Int64s,
    characters: _Int32s,
    character_offsets: _Int64s,
    vocabulary: int,
    tau: float,
    pi: float,
    theta: float,
    threads: int,
) -> _Floats: ...
def soft_steps(
    hyp: _Int32s,
    ref: _Int32s,
    characters: _Int32s,
    character_offsets: _Int64s,
    tau: float,
    pi: float,
    theta: float,
) -> tuple[_Floats, _Floats]: ...

# softorder/precedence.cpp
class PrecedenceModel:
    def __init__(
        self,
        word_counts: _Int64s,
        next_offsets: _Int64s,
        next_followers: _Int32s,
        next_counts: npt.NDArray[np.uint32],
        after_offsets: _Int64s,
        after_followers: _Int32s,
        after_counts: npt.NDArray[np.uint32],
        classes: _Int32s,
        class_count: int,
    ) -> None: ...
    def values(
        self,
        hyps: _Int32s,
        hyp_offsets: _Int64s,
        refs: _Int32s,
        ref_offsets: _Int64s,
        items: _Int32s,
        threads: int,
    ) -> _Floats: ...
    def losses(self, hyp: _Int32s, ref: _Int32s, items: _Int32s) -> _Floats: ...

# softorder/pair_counter.cpp
class LineCounter:
    def __init__(self, part: int, parts: int) -> None: ...
    def add(self, lines: Lines, numbers: _Int32s, offsets: _Int64s) -> None: ...
    @property
    def lines(self) -> int: ...
    @property
    def digest(self) -> tuple[int, int]: ...
    def word_counts(self) -> _Int64s: ...
    def take_table(
        self, distance: int, ranks: _Int32s, words: int
    ) -> tuple[_Int64s, _Int32s, npt.NDArray[np.uint32]]: ...

# softorder/character_overlap.cpp
def character_overlap(
    hyps: _Int32s,
    hyp_offsets: _Int64s,
    refs: _Int32s,
    ref_offsets: _Int64s,
    ngrams: _Int32s,
    ngram_offsets: _Int64s,
    beta: float,
    threads: int,
) -> _Floats: ...

# translation/source_aligner.cpp
_LinkSums = tuple[
    _Int64s, _Int32s, npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.uint64]
]

class Bitext:
    MAX_WORDS: int
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def add(
        self,
        sources: _Int32s,
        source_offsets: _Int64s,
        targets: _Int32s,
        target_offsets: _Int64s,
    ) -> None: ...
    def used_words(self, side: int, count: int) -> npt.NDArray[np.bool_]: ...
    def arrange(self, source_table: _Int32s, target_table: _Int32s) -> None: ...
    @property
    def distinct_sources(self) -> int: ...
    @property
    def empty_pairs(self) -> int: ...
    @property
    def long_pairs(self) -> int: ...

def train_aligner(
    bitext: Bitext,
    source_text: _Int32s,
    source_prefix: _Int32s,
    target_text: _Int32s,
    target_prefix: _Int32s,
    seed: int,
    iterations: tuple[int, int, int],
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[_LinkSums, _LinkSums, int]: ...
def sample_chain(
    bitext: Bitext,
    source_text: _Int32s,
    source_prefix: _Int32s,
    target_text: _Int32s,
    target_prefix: _Int32s,
    source: int,
    seed: int,
    iterations: tuple[int, int, int],
) -> npt.NDArray[np.uint16]: ...

class SourceAligner:
    MAX_CELLS: int
    def __init__(
        self,
        source_text: _Int32s,
        source_prefix: _Int32s,
        target_text: _Int32s,
        target_prefix: _Int32s,
        samples: int,
        *sums: npt.NDArray[Any],
    ) -> None: ...
    def links(
        self,
        source_words: _Int32s,
        source_text: _Int32s,
        source_prefix: _Int32s,
        source_offsets: _Int64s,
        target_words: _Int32s,
        target_text: _Int32s,
        target_prefix: _Int32s,
        target_offsets: _Int64s,
        method: int,
        threads: int,
    ) -> tuple[_Int32s, _Int32s, _Int64s]: ...
    def posteriors(
        self,
        source_words: _Int32s,
        source_text: _Int32s,
        source_prefix: _Int32s,
        target_words: _Int32s,
        target_text: _Int32s,
        target_prefix: _Int32s,
        by_positions: bool,
    ) -> tuple[_Floats, _Floats]: ...

# text/tokens.cpp
def number_tokens(
    s: tuple[tuple[object, ...], ...], t: tuple[tuple[object, ...], ...]
) -> tuple[_Int32s, _Int64s, _Int32s, _Int64s]: ...
def bag_overlaps(s: _Int32s, s_offsets: _Int64s, t: _Int32s, t_offsets: _Int64s) -> _Int64s: ...
def renumber_pairs(
    s: _Int32s, s_offsets: _Int64s, s_of: _Int64s, t: _Int32s, t_offsets: _Int64s
) -> tuple[_Int32s, _Int64s, _Int32s, _Int64s]: ...

# text/lines.cpp and text/arrow.cpp
def check_string(string: object, name: str) -> None: ...
def check_strings(strings: list[Any], name: str) -> None: ...

class Lines(Sequence[str]):
    """Lines of valid UTF-8 without NUL."""

    @staticmethod
    def from_strings(strings: Sequence[str]) -> Lines: ...
    @staticmethod
    def from_bytes(content: bytes) -> tuple[Lines, int]: ...
    @staticmethod
    def from_arrow(array: object, name: str) -> Lines | None: ...
    @staticmethod
    def interleave(parts: list[Lines]) -> Lines: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Lines: ...
    def tolist(self) -> list[str]: ...
    def count_ending(self, end: str) -> int: ...
    def digest(self, numbers: _Int64s) -> tuple[int, int]: ...

# text/word_table.cpp
class WordTable:
    def __init__(
        self,
        unit: str,
        is_13a: bool,
        lowercase: bool,
        dotless_i: bool,
        native: bool,
        drop_punctuation: bool,
        removed: list[str],
        normalize: Callable[[list[str]], list[str]],
        keeps: Callable[[list[str]], list[bool]],
    ) -> None: ...
    def number_lines(self, lines: Lines, threads: int) -> tuple[_Int32s, _Int64s]: ...
    def number_tokens(
        self, sentences: list[list[str]], name: str, threads: int
    ) -> tuple[_Int32s, _Int64s]: ...
    def tokens(self, begin: int, end: int) -> list[str]: ...
    @property
    def bytes(self) -> int: ...
    def __len__(self) -> int: ...

# support/cancellation.cpp
class Cancellation:
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    def run(self, function: Callable[[], _T]) -> _T: ...

# support/exact_sum.cpp
def exact_partials(numbers: _Floats) -> _Floats: ...

# support/resampling.cpp
def draw(
    coins: bool, length: int, first: int, samples: int, seed: int, threads: int
) -> _Int32s: ...
def weighted_sums(counts: _Int32s, rows: _Floats, length: int, threads: int) -> _Floats: ...
