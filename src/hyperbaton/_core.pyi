"""
The C++ core of Hyperbaton. It is not public; use the functions of hyperbaton.

A batch is `values` (int32 or int64, one-dimensional, contiguous) and `offsets`: sequence k is
`values[offsets[k]:offsets[k + 1]]`. Invalid input raises InputError or InputTypeError.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

import numpy
import numpy.typing

_T = TypeVar("_T")

def integers(sequence: object | None) -> numpy.typing.NDArray[numpy.int64]:
    """The integers of one sequence, as an array."""

def pack(
    perms: list[Any],
) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
    """The integers of many sequences, as flat values and offsets."""

def checked(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
) -> numpy.typing.NDArray[numpy.int32]:
    """
    A copy of the values. Raises InputError unless they are a permutation of 1..n.
    """

def kendall(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def kendall_sqrt(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def spearman(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def footrule(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def hamming(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def ulam(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def fuzzy(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def breakpoints(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def pet_size(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def pet_count(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def max_operator(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def average_operator(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...
def measures(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> dict[str, numpy.typing.NDArray[numpy.float64]]:
    """
    Every measure of every permutation, with default options: a dict from name to array.
    """

@overload
def pet(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
    beta: float,
    gamma: float,
) -> numpy.typing.NDArray[numpy.float64]: ...
@overload
def pet(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
    beta: float,
    scores: numpy.typing.NDArray[numpy.float64],
    node_offsets: numpy.typing.NDArray[numpy.int64],
) -> numpy.typing.NDArray[numpy.float64]: ...
@overload
def pef(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
    beta: float,
    gamma: float,
) -> numpy.typing.NDArray[numpy.float64]: ...
@overload
def pef(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
    beta: float,
    scores: numpy.typing.NDArray[numpy.float64],
    node_offsets: numpy.typing.NDArray[numpy.int64],
) -> numpy.typing.NDArray[numpy.float64]: ...
def pef_beer(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
    beta: float,
) -> numpy.typing.NDArray[numpy.float64]: ...
def flat_tree(
    values: numpy.typing.NDArray[numpy.int32],
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
]:
    """
    The flattened tree: start, end, low, chain (whether the node is a chain), first_child and children of its nodes, in pre-order.
    """

def pet_tree(
    values: numpy.typing.NDArray[numpy.int32], reduces: numpy.typing.NDArray[numpy.int32]
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
]:
    """
    The PET that `reduces` selects (empty: the canonical one), in the form of flat_tree.
    """

def operators(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int64],
]:
    """
    The operators of all nodes of all flattened trees, in pre-order: flat values, the offset of each operator, and the index of each permutation's first operator.
    """

def block_moves(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    minor: numpy.typing.NDArray[numpy.uint8],
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.uint8],
]:
    """
    The block moves that put each permutation in order: where the moves of each permutation begin; the starts and ends of the blocks and of their anchors; distances; whether a block goes before its anchor, and whether all of its words are minor. `minor` says so of each word; it may be empty.
    """

def reorderings(
    values: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
]:
    """
    The reorderings in the canonical trees of all permutations: the spans of <1,2>, of <2,1> and of longer operators; the index of each permutation's first longer operator; the longer operators as flat values and offsets; and the distances and lengths of the blocks that move.
    """

def inversion_bounds(
    s: numpy.typing.NDArray[numpy.int32],
    s_offsets: numpy.typing.NDArray[numpy.int64],
    t: numpy.typing.NDArray[numpy.int32],
    t_offsets: numpy.typing.NDArray[numpy.int64],
    inversion: int,
    substitution: int,
    deletion: int,
    insertion: int,
    budget: int,
    threads: int,
) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64]]:
    """
    The lower and upper bounds of the distance of each pair; they are equal where the budget suffices.
    """

def inversion_parse(
    s: numpy.typing.NDArray[numpy.int32],
    t: numpy.typing.NDArray[numpy.int32],
    inversion: int,
    substitution: int,
    deletion: int,
    insertion: int,
    budget: int,
) -> tuple[
    int,
    int,
    numpy.typing.NDArray[numpy.uint8],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int32],
]:
    """
    The cost of the cheapest parse found, a lower bound of the distance, and the parse's steps: their
    kinds and their positions in both sentences.
    """

def vector_units() -> numpy.typing.NDArray[numpy.int32]:
    """The vector units of this machine. Tests run on each of them."""

def use_vector_unit(unit: int) -> None: ...
def cder(
    hypotheses: numpy.typing.NDArray[numpy.int32],
    hypothesis_offsets: numpy.typing.NDArray[numpy.int64],
    references: numpy.typing.NDArray[numpy.int32],
    reference_offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.int64]: ...
def levenshtein(
    hypotheses: numpy.typing.NDArray[numpy.int32],
    hypothesis_offsets: numpy.typing.NDArray[numpy.int64],
    references: numpy.typing.NDArray[numpy.int32],
    reference_offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.int64]: ...
def translation_edits(
    hypotheses: numpy.typing.NDArray[numpy.int32],
    hypothesis_offsets: numpy.typing.NDArray[numpy.int64],
    references: numpy.typing.NDArray[numpy.int32],
    reference_offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.int64]: ...
def pack_tree_pairs(
    pairs: list[Any],
) -> (
    tuple[
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.int64],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.int64],
    ]
    | None
):
    """
    The heads and offsets of both sides; None unless all trees are lists or tuples of plain integers of
    32 bits.
    """

def tree_matches(
    a: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    a_offsets: numpy.typing.NDArray[numpy.int64],
    b: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    b_offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.int64]:
    """
    The largest number of nodes that can be matched, for each pair of trees.
    """

def tree_savings(
    a: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    a_offsets: numpy.typing.NDArray[numpy.int64],
    b: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    b_offsets: numpy.typing.NDArray[numpy.int64],
    savings: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.int64]:
    """The largest amount that matches can save, for each pair of trees."""

def tree_mapping(
    a: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    b: numpy.typing.NDArray[numpy.int64] | numpy.typing.NDArray[numpy.int32],
    savings: numpy.typing.NDArray[numpy.int64] | None,
    path: int,
) -> tuple[int, numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
    """
    The amount that matches save, and the matched tokens, from 0. Tests force one kind of path; -1 is the best.
    """

def align(
    hyps: numpy.typing.NDArray[numpy.int32],
    hyp_offsets: numpy.typing.NDArray[numpy.int64],
    refs: numpy.typing.NDArray[numpy.int32],
    ref_offsets: numpy.typing.NDArray[numpy.int64],
    words: int,
    exact: bool,
    stems: numpy.typing.NDArray[numpy.int32],
    synsets: numpy.typing.NDArray[numpy.int32],
    synset_offsets: numpy.typing.NDArray[numpy.int64],
    phrases: numpy.typing.NDArray[numpy.int32],
    phrase_offsets: numpy.typing.NDArray[numpy.int64],
    weights: numpy.typing.NDArray[numpy.int64],
    budget: int,
    anchored: bool,
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.uint8],
]:
    """
    The best selection of links for each pair (5 numbers per link), the offsets of each pair, and
    whether the selection is proven to be the best. With anchored, links of repeated words that are
    far from those of words that occur once are then dropped.
    """

def context_links(
    hyps: numpy.typing.NDArray[numpy.int32],
    hyp_offsets: numpy.typing.NDArray[numpy.int64],
    refs: numpy.typing.NDArray[numpy.int32],
    ref_offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> numpy.typing.NDArray[numpy.int32]:
    """
    For each word of the hypotheses, the word of the reference that its context identifies, or -1.
    """

def link_counts(
    rows: numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    hyp_lengths: numpy.typing.NDArray[numpy.int64],
    ref_lengths: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int64],
]:
    """
    The chunks, linked boundaries, and covered words of both sides, of each pair.
    """

def link_places(
    rows: numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    hyp_lengths: numpy.typing.NDArray[numpy.int64],
    ref_lengths: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int64],
]:
    """The words of both sides at each place, and offsets."""

def link_permutations(
    rows: numpy.typing.NDArray[numpy.int32],
    offsets: numpy.typing.NDArray[numpy.int64],
    hyp_lengths: numpy.typing.NDArray[numpy.int64],
    ref_lengths: numpy.typing.NDArray[numpy.int64],
    unaligned: int,
    threads: int,
) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
    """
    The permutations and their offsets. `unaligned` is 0 (drop), 1 (left) or 2 (right).
    """

def vector_links(
    hyps: numpy.typing.NDArray[numpy.int32],
    hyp_offsets: numpy.typing.NDArray[numpy.int64],
    hyp_vectors: numpy.typing.NDArray[numpy.float32],
    refs: numpy.typing.NDArray[numpy.int32],
    ref_offsets: numpy.typing.NDArray[numpy.int64],
    ref_vectors: numpy.typing.NDArray[numpy.float32],
    dimensions: int,
    neighbours: float,
    distance: float,
    threshold: float,
    threads: int,
) -> numpy.typing.NDArray[numpy.int32]:
    """
    For each word of the hypotheses, the word of the reference linked by the vectors of both, or -1.
    """

def paraphrases(
    hyps: numpy.typing.NDArray[numpy.int32],
    hyp_offsets: numpy.typing.NDArray[numpy.int64],
    refs: numpy.typing.NDArray[numpy.int32],
    ref_offsets: numpy.typing.NDArray[numpy.int64],
    words: int,
    edges: numpy.typing.NDArray[numpy.int64],
    first: numpy.typing.NDArray[numpy.int32],
    other: numpy.typing.NDArray[numpy.int32],
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.uint8],
]:
    """
    The paraphrases of all pairs of sentences (five numbers each, see Paraphrase), the offsets of each
    pair, and whether some paraphrases were left out.
    """

def order_statistics(
    hyps: numpy.typing.NDArray[numpy.int32],
    hyp_offsets: numpy.typing.NDArray[numpy.int64],
    refs: numpy.typing.NDArray[numpy.int32],
    ref_offsets: numpy.typing.NDArray[numpy.int64],
    characters: numpy.typing.NDArray[numpy.int32],
    character_offsets: numpy.typing.NDArray[numpy.int64],
    vocabulary: int,
    tau: float,
    pi: float,
    theta: float,
    count_lost: bool,
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.float64],
]:
    """
    The matched words of each pair, those of them that are lost (0 if these are not counted), and the words that can be told apart.
    """

def matched_steps(
    hyp: numpy.typing.NDArray[numpy.int32],
    ref: numpy.typing.NDArray[numpy.int32],
    characters: numpy.typing.NDArray[numpy.int32],
    character_offsets: numpy.typing.NDArray[numpy.int64],
    tau: float,
    pi: float,
    theta: float,
) -> tuple[
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.float64],
]:
    """
    The losses of the steps of both sides, and how far each of their words has counterparts.
    """

def find_anchors(
    hyps: numpy.typing.NDArray[numpy.int32],
    hyp_offsets: numpy.typing.NDArray[numpy.int64],
    refs: numpy.typing.NDArray[numpy.int32],
    ref_offsets: numpy.typing.NDArray[numpy.int64],
    starts: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]:
    """
    For each segment, and each of its references: the number of words, that of anchors, and their
    positions.
    """

def pair_anchors(
    a: numpy.typing.NDArray[numpy.int32],
    a_offsets: numpy.typing.NDArray[numpy.int64],
    b: numpy.typing.NDArray[numpy.int32],
    b_offsets: numpy.typing.NDArray[numpy.int64],
    threads: int,
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.float64],
    numpy.typing.NDArray[numpy.int32],
]:
    """
    The number of shared anchors of each segment, the neighbours that each system keeps among them, and
    the words of the reference.
    """

def own_precedence(
    lines: Lines,
    starts: numpy.typing.NDArray[numpy.int64],
    hyps: numpy.typing.NDArray[numpy.int32],
    hyp_offsets: numpy.typing.NDArray[numpy.int64],
    refs: numpy.typing.NDArray[numpy.int32],
    ref_offsets: numpy.typing.NDArray[numpy.int64],
    characters: numpy.typing.NDArray[numpy.int32],
    character_offsets: numpy.typing.NDArray[numpy.int64],
    classes: numpy.typing.NDArray[numpy.int32],
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    How far neighbours of each pair stand the right way round, counted in the references of its segment, which begin at `starts`. All pairs of a segment have the same hypothesis.
    """

class PrecedenceModel:
    def __init__(
        self,
        word_counts: numpy.typing.NDArray[numpy.int64],
        next_offsets: numpy.typing.NDArray[numpy.int64],
        next_followers: numpy.typing.NDArray[numpy.int32],
        next_counts: numpy.typing.NDArray[numpy.uint32],
        after_offsets: numpy.typing.NDArray[numpy.int64],
        after_followers: numpy.typing.NDArray[numpy.int32],
        after_counts: numpy.typing.NDArray[numpy.uint32],
        classes: numpy.typing.NDArray[numpy.int32],
        class_count: int,
    ) -> None: ...
    def values(
        self,
        hyps: numpy.typing.NDArray[numpy.int32],
        hyp_offsets: numpy.typing.NDArray[numpy.int64],
        refs: numpy.typing.NDArray[numpy.int32],
        ref_offsets: numpy.typing.NDArray[numpy.int64],
        items: numpy.typing.NDArray[numpy.int32],
        threads: int,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def losses(
        self,
        hyp: numpy.typing.NDArray[numpy.int32],
        ref: numpy.typing.NDArray[numpy.int32],
        items: numpy.typing.NDArray[numpy.int32],
    ) -> numpy.typing.NDArray[numpy.float64]: ...

class LineCounter:
    def __init__(self, part: int, parts: int) -> None: ...
    def add(
        self,
        lines: Lines,
        numbers: numpy.typing.NDArray[numpy.int32],
        offsets: numpy.typing.NDArray[numpy.int64],
    ) -> None: ...
    @property
    def lines(self) -> int: ...
    @property
    def digest(self) -> tuple[int, int]: ...
    def word_counts(self) -> numpy.typing.NDArray[numpy.int64]: ...
    def take_table(
        self, distance: int, ranks: numpy.typing.NDArray[numpy.int32], words: int
    ) -> tuple[
        numpy.typing.NDArray[numpy.int64],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.uint32],
    ]: ...

def character_overlap(
    hyps: numpy.typing.NDArray[numpy.int32],
    hyp_offsets: numpy.typing.NDArray[numpy.int64],
    refs: numpy.typing.NDArray[numpy.int32],
    ref_offsets: numpy.typing.NDArray[numpy.int64],
    ngrams: numpy.typing.NDArray[numpy.int32],
    ngram_offsets: numpy.typing.NDArray[numpy.int64],
    beta: float,
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]: ...

class BleuReferences:
    """
    The n-grams of references, whose words have numbers. Segment k has those
    from starts[k] to starts[k + 1].
    """

    def __init__(
        self,
        words: numpy.typing.NDArray[numpy.int32],
        offsets: numpy.typing.NDArray[numpy.int64],
        starts: numpy.typing.NDArray[numpy.int64],
        longest: int,
        threads: int,
    ) -> None: ...
    def statistics(
        self,
        words: numpy.typing.NDArray[numpy.int32],
        offsets: numpy.typing.NDArray[numpy.int64],
        threads: int,
    ) -> numpy.typing.NDArray[numpy.float64]:
        """sacreBLEU's statistics of each segment, one after another."""

class ChrfReferences:
    """
    The n-grams of references. Segment k has those from starts[k] to
    starts[k + 1].
    """

    def __init__(
        self,
        lines: Lines,
        starts: numpy.typing.NDArray[numpy.int64],
        characters: int,
        words: int,
        white_space: bool,
        beta: float,
        effective: bool,
        threads: int,
    ) -> None: ...
    def statistics(self, hypotheses: Lines, threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """sacreBLEU's statistics of each segment, one after another."""

class Bitext:
    def __init__(self) -> None: ...

    MAX_WORDS: int = 400

    def add(
        self,
        sources: numpy.typing.NDArray[numpy.int32],
        source_offsets: numpy.typing.NDArray[numpy.int64],
        targets: numpy.typing.NDArray[numpy.int32],
        target_offsets: numpy.typing.NDArray[numpy.int64],
    ) -> None: ...
    def used_words(self, side: int, count: int) -> numpy.typing.NDArray[numpy.bool_]:
        """
        Which of the first `count` words of a side occur in the pairs that are kept.
        """

    def arrange(
        self,
        source_table: numpy.typing.NDArray[numpy.int32],
        target_table: numpy.typing.NDArray[numpy.int32],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def distinct_sources(self) -> int: ...
    @property
    def empty_pairs(self) -> int: ...
    @property
    def long_pairs(self) -> int: ...

def train_aligner(
    bitext: Bitext,
    source_text: numpy.typing.NDArray[numpy.int32],
    source_prefix: numpy.typing.NDArray[numpy.int32],
    target_text: numpy.typing.NDArray[numpy.int32],
    target_prefix: numpy.typing.NDArray[numpy.int32],
    seed: int,
    iterations: tuple[int, int, int],
    threads: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[
    tuple[
        numpy.typing.NDArray[numpy.int64],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.uint32],
        numpy.typing.NDArray[numpy.uint64],
        numpy.typing.NDArray[numpy.uint64],
    ],
    tuple[
        numpy.typing.NDArray[numpy.int64],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.uint32],
        numpy.typing.NDArray[numpy.uint64],
        numpy.typing.NDArray[numpy.uint64],
    ],
    int,
]:
    """
    The sums of the sampled links from source to target words and from target to source words, and the
    number of samples. `progress` is told how many steps of how many are done.
    """

def sample_chain(
    bitext: Bitext,
    source_text: numpy.typing.NDArray[numpy.int32],
    source_prefix: numpy.typing.NDArray[numpy.int32],
    target_text: numpy.typing.NDArray[numpy.int32],
    target_prefix: numpy.typing.NDArray[numpy.int32],
    source: int,
    seed: int,
    iterations: tuple[int, int, int],
) -> numpy.typing.NDArray[numpy.uint16]:
    """
    The links of one chain: the source position of each target word, from 1, or 0. The naive twin is
    compared with it.
    """

class SourceAligner:
    def __init__(
        self,
        source_text: numpy.typing.NDArray[numpy.int32],
        source_prefix: numpy.typing.NDArray[numpy.int32],
        target_text: numpy.typing.NDArray[numpy.int32],
        target_prefix: numpy.typing.NDArray[numpy.int32],
        samples: int,
        target_offsets: numpy.typing.NDArray[numpy.int64],
        targets: numpy.typing.NDArray[numpy.int32],
        target_sums: numpy.typing.NDArray[numpy.uint32],
        target_nulls: numpy.typing.NDArray[numpy.uint64],
        target_jumps: numpy.typing.NDArray[numpy.uint64],
        source_offsets: numpy.typing.NDArray[numpy.int64],
        sources: numpy.typing.NDArray[numpy.int32],
        source_sums: numpy.typing.NDArray[numpy.uint32],
        source_nulls: numpy.typing.NDArray[numpy.uint64],
        source_jumps: numpy.typing.NDArray[numpy.uint64],
    ) -> None: ...

    MAX_CELLS: int = 30000000

    def links(
        self,
        source_words: numpy.typing.NDArray[numpy.int32],
        source_text: numpy.typing.NDArray[numpy.int32],
        source_prefix: numpy.typing.NDArray[numpy.int32],
        source_offsets: numpy.typing.NDArray[numpy.int64],
        target_words: numpy.typing.NDArray[numpy.int32],
        target_text: numpy.typing.NDArray[numpy.int32],
        target_prefix: numpy.typing.NDArray[numpy.int32],
        target_offsets: numpy.typing.NDArray[numpy.int64],
        method: int,
        threshold: float,
        threads: int,
    ) -> tuple[
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.int32],
        numpy.typing.NDArray[numpy.float64],
        numpy.typing.NDArray[numpy.int64],
    ]:
        """
        Source and target words of all links, their posteriors, and where the links of each pair start.
        """

    def expected_kendall(
        self,
        source_words: numpy.typing.NDArray[numpy.int32],
        source_text: numpy.typing.NDArray[numpy.int32],
        source_prefix: numpy.typing.NDArray[numpy.int32],
        source_offsets: numpy.typing.NDArray[numpy.int64],
        target_words: numpy.typing.NDArray[numpy.int32],
        target_text: numpy.typing.NDArray[numpy.int32],
        target_prefix: numpy.typing.NDArray[numpy.int32],
        target_offsets: numpy.typing.NDArray[numpy.int64],
        threads: int,
    ) -> numpy.typing.NDArray[numpy.float64]: ...
    def posteriors(
        self,
        source_words: numpy.typing.NDArray[numpy.int32],
        source_text: numpy.typing.NDArray[numpy.int32],
        source_prefix: numpy.typing.NDArray[numpy.int32],
        target_words: numpy.typing.NDArray[numpy.int32],
        target_text: numpy.typing.NDArray[numpy.int32],
        target_prefix: numpy.typing.NDArray[numpy.int32],
        quarters: int,
    ) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        The posterior probabilities of one pair: rows of target words with those of source words and of
        none, and the opposite. The power of jumps is given in quarters, 2 or 3; with 0 the positions of
        words do not matter. The naive twin is compared with them.
        """

def expected_kendall(posteriors: numpy.typing.NDArray[numpy.float64], columns: int) -> float:
    """
    Kendall's measure of the order that a matrix of posteriors lets expect.
    """

def number_tokens(
    s: tuple[tuple[object, ...], ...], t: tuple[tuple[object, ...], ...]
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
]:
    """
    Numbers and offsets of both sides. Pair k is the tuples s[k] and t[k]; its tokens get numbers from 0,
    in the order of first occurrence.
    """

def bag_overlaps(
    s: numpy.typing.NDArray[numpy.int32],
    s_offsets: numpy.typing.NDArray[numpy.int64],
    t: numpy.typing.NDArray[numpy.int32],
    t_offsets: numpy.typing.NDArray[numpy.int64],
) -> numpy.typing.NDArray[numpy.int64]:
    """The size of the intersection of each pair's bags of tokens."""

def renumber_pairs(
    s: numpy.typing.NDArray[numpy.int32],
    s_offsets: numpy.typing.NDArray[numpy.int64],
    s_of: numpy.typing.NDArray[numpy.int64],
    t: numpy.typing.NDArray[numpy.int32],
    t_offsets: numpy.typing.NDArray[numpy.int64],
) -> tuple[
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
    numpy.typing.NDArray[numpy.int32],
    numpy.typing.NDArray[numpy.int64],
]:
    """
    Renumbers pairs of numbered sentences as number_tokens does. Pair k is sentence s_of[k] of s and
    sentence k of t.
    """

def check_string(string: object | None, name: str) -> None:
    """
    Raises an error, which calls the string by `name`, unless it is a valid line of text.
    """

def check_strings(strings: list[Any], name: str) -> None:
    """
    Raises an error, which calls the strings by `name`, unless all are valid lines of text.
    """

class Lines(Sequence[str]):
    """Lines of valid UTF-8 without NUL."""

    @staticmethod
    def from_strings(strings: Sequence[str]) -> Lines: ...
    @staticmethod
    def from_bytes(content: bytes) -> tuple[Lines, int]:
        """
        The lines of a file, and the first one that is not UTF-8 or has a NUL byte, or -1.
        """

    @staticmethod
    def from_arrow(array: object, name: str) -> Lines | None:
        """
        The strings of an object with Arrow's PyCapsule interface; None if it has no strings. Errors call
        the object by `name`.
        """

    @staticmethod
    def interleave(parts: list[Lines]) -> Lines:
        """The first lines of all parts, then the second ones, and so on."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, arg: int, /) -> str: ...
    @overload
    def __getitem__(self, arg: slice, /) -> Lines: ...
    def __iter__(self) -> Iterator[str]: ...
    def tolist(self) -> list[str]: ...
    def count_ending(self, end: str) -> int: ...
    def digest(self, numbers: numpy.typing.NDArray[numpy.int64]) -> tuple[int, int]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

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
    def number_lines(
        self, lines: Lines, threads: int
    ) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]: ...
    def number_tokens(
        self, sentences: list[list[str]], name: str, threads: int
    ) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]:
        """For a table of whole texts: each token is one."""

    def tokens(self, begin: int, end: int) -> list[str]: ...
    @property
    def bytes(self) -> int: ...
    def __len__(self) -> int: ...

class Cancellation:
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    def run(self, function: Callable[[], _T]) -> _T:
        """
        Calls a Python function. Once the work is cancelled, loops of the core that it starts on this
        thread stop, and raise CancelledError.
        """

def exact_partials(
    numbers: numpy.typing.NDArray[numpy.float64],
) -> numpy.typing.NDArray[numpy.float64]: ...
def draw(
    coins: bool, length: int, first: int, samples: int, seed: int, threads: int
) -> numpy.typing.NDArray[numpy.int32]:
    """
    The counts of samples `first` to `first + samples - 1` of a seed, `length` numbers each.
    """

def weighted_sums(
    counts: numpy.typing.NDArray[numpy.int32],
    rows: numpy.typing.NDArray[numpy.float64],
    length: int,
    threads: int,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    The sums of the rows (of `length` numbers each) weighted by each sample's counts.
    """
