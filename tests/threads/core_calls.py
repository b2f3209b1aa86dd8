"""A valid call of every function of the core, long enough to release the GIL."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import hyperbaton
from hyperbaton import _core

THREADS = 3  # that one call uses
SENTENCES, WORDS, VOCABULARY = 300, 20, 60

Array = npt.NDArray[Any]
# Without its types, because arguments come as tuples.
core: Any = _core
# The core remembers values of pairs of words, so a vocabulary needs a number of its own.
_vocabularies = count(1 << 60)


@dataclass(frozen=True)
class Call:
    """A function with arguments, which may be arrays."""

    function: Callable[..., object]
    arguments: tuple[Any, ...]

    def __call__(self) -> Any:
        """Call the function."""
        return self.function(*self.arguments)

    @property
    def arrays(self) -> list[Array]:
        """The arrays among the arguments."""
        return [argument for argument in self.arguments if isinstance(argument, np.ndarray)]

    def with_arrays(self, arrays: list[Array]) -> Call:
        """Return the call with other arrays."""
        rest = iter(arrays)
        arguments = (next(rest) if isinstance(x, np.ndarray) else x for x in self.arguments)
        return Call(self.function, tuple(arguments))


def names_of_core() -> set[str]:
    """Return the functions of the core, and the methods of its classes, by its stub."""
    stub = Path(hyperbaton.__file__).with_name("_core.pyi").read_text("utf-8")
    names = set()
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            names |= {f"{node.name}.{method.name}" for method in methods}
    return names


def offsets_of(lengths: list[int]) -> Array:
    """Return the offsets of sequences of these lengths."""
    return np.array([0, *accumulate(lengths)], np.int64)


def batch(rng: random.Random, sentences: int = SENTENCES) -> tuple[Array, Array]:
    """Return random sentences as numbers of words."""
    lengths = [rng.randrange(WORDS + 1) for _ in range(sentences)]
    words = [rng.randrange(VOCABULARY) for _ in range(sum(lengths))]
    return np.array(words, np.int32), offsets_of(lengths)


def permutations(rng: random.Random, dtype: type) -> tuple[Array, Array]:
    """Return random permutations."""
    lengths = [rng.randrange(WORDS + 1) for _ in range(4 * SENTENCES)]
    values = [value for n in lengths for value in rng.sample(range(1, n + 1), n)]
    return np.array(values, dtype), offsets_of(lengths)


def trees(rng: random.Random, dtype: type) -> tuple[Array, Array]:
    """Return random dependency trees, as heads: a head has a lower number than its children."""
    lengths = [rng.randrange(1, WORDS) for _ in range(SENTENCES)]
    return np.array([rng.randrange(k + 1) for n in lengths for k in range(n)], dtype), offsets_of(
        lengths
    )


def items_of_words(rng: random.Random, bound: int) -> tuple[Array, Array]:
    """Return several numbers for each word of the vocabulary, such as its characters."""
    lengths = [rng.randrange(1, 9) for _ in range(VOCABULARY)]
    items = [rng.randrange(bound) for _ in range(sum(lengths))]
    return np.array(items, np.int32), offsets_of(lengths)


def text_lines(rng: random.Random, lines: int = 2000) -> list[str]:
    """Return lines of text, some words of which are not ASCII."""
    words = [f"w{k}" for k in range(200)] + ["Ähre", "naïve", "“", "…", "don't", "U.S."]
    return [" ".join(rng.choices(words, k=rng.randrange(12))) for _ in range(lines)]


def word_table(
    normalize: Callable[[list[str]], list[str]] = list,
    keeps: Callable[[list[str]], list[bool]] = lambda tokens: [True] * len(tokens),
    unit: str = "word",
) -> _core.WordTable:
    """Return an empty table of words."""
    return _core.WordTable(unit, False, True, False, True, unit == "word", [], normalize, keeps)


def pair_counts(sentences: tuple[Array, Array]) -> tuple[Array, ...]:
    """Return the arguments of a PrecedenceModel that was counted in sentences."""
    numbers, offsets = sentences
    counter = _core.LineCounter(0, 1)
    lines = [str(k) for k in range(len(offsets) - 1)]  # all of them differ
    counter.add(_core.Lines.from_strings(lines), numbers, offsets)
    ranks = np.arange(VOCABULARY, dtype=np.int32)
    tables = [
        array for distance in (1, 2) for array in counter.take_table(distance, ranks, VOCABULARY)
    ]
    counts = counter.word_counts()
    word_counts = np.zeros(VOCABULARY + 2, np.int64)
    word_counts[: len(counts)] = counts
    word_counts[-2:] = len(lines)  # the marks at both ends of a sentence
    return word_counts, *tables


def bitext(sentences: tuple[Array, Array], translations: tuple[Array, Array]) -> _core.Bitext:
    """Return a bitext that is ready for training."""
    pairs = _core.Bitext()
    pairs.add(*sentences, *translations)
    table = np.arange(VOCABULARY, dtype=np.int32)
    pairs.arrange(table, table)
    return pairs


def phrase_links(hyp_offsets: Array, ref_offsets: Array) -> tuple[Array, Array]:
    """Return a link of the first words of each pair, as a phrase."""
    linked = (np.diff(hyp_offsets) > 0) & (np.diff(ref_offsets) > 0)
    return np.tile(np.array([0, 1, 0, 1, 3], np.int32), int(linked.sum())), offsets_of(
        linked.astype(int).tolist()
    )


def paraphrase_index() -> tuple[Array, Array, Array]:
    """Return a trie with a node for each word; each node is a paraphrase of all others."""
    edges = np.arange(VOCABULARY, dtype=np.int64)
    first = np.concatenate(([0, 0], np.arange(1, VOCABULARY + 1) * VOCABULARY)).astype(np.int32)
    return edges, first, np.tile(np.arange(1, VOCABULARY + 1, dtype=np.int32), VOCABULARY)


def core_calls(seed: int = 1) -> dict[str, Call]:
    """Return calls of all functions; a name in brackets tells those of one function apart."""
    rng = random.Random(seed)
    calls = {
        **order_calls(rng),
        **edit_calls(rng),
        **alignment_calls(rng),
        **soft_order_calls(rng),
        **ngram_calls(rng),
        **translation_calls(rng),
        **text_calls(rng),
    }
    numbers = np.array([rng.uniform(-1, 1) * 10 ** rng.randrange(9) for _ in range(20_000)])
    counts = np.array([rng.randrange(4) for _ in range(40 * 500)], np.int32)
    calls |= {
        "draw": Call(_core.draw, (False, 500, 0, 60, seed, THREADS)),
        "draw (coins)": Call(_core.draw, (True, 500, 0, 60, seed, THREADS)),
        "weighted_sums": Call(_core.weighted_sums, (counts, numbers[:2000], 500, THREADS)),
        "exact_partials": Call(_core.exact_partials, (numbers[:4000],)),
        "Cancellation.__init__": Call(_core.Cancellation, ()),
        "Cancellation.cancel": Call(lambda: _core.Cancellation().cancel(), ()),
        "Cancellation.run": Call(lambda: _core.Cancellation().run(calls["pet"]), ()),
    }
    return calls


def order_calls(rng: random.Random) -> dict[str, Call]:
    """Return calls of functions over permutations."""
    wide, narrow = permutations(rng, np.int64), permutations(rng, np.int32)
    plain = (
        "kendall kendall_sqrt spearman footrule hamming ulam fuzzy breakpoints pet_size pet_count "
        "max_operator average_operator measures operators reorderings"
    )
    calls = {
        name: Call(getattr(_core, name), (*(wide if k % 2 else narrow), THREADS))
        for k, name in enumerate(plain.split())
    }
    long = np.array(rng.sample(range(1, 30_001), 30_000), np.int32)
    chain = np.arange(1, 30_001, dtype=np.int32)
    minor = np.array([rng.randrange(2) for _ in wide[0]], np.uint8)
    *_, node_offsets = _core.operators(*wide, 1)
    scores = np.array([rng.random() for _ in range(node_offsets[-1])])
    reduces = np.ones(30_000, np.int32)
    reduces[0] = 0
    return calls | {
        "integers": Call(_core.integers, (wide[0].tolist(),)),
        "pack": Call(_core.pack, ([[2, 1, 3]] * 2000,)),
        "checked": Call(_core.checked, (long,)),
        "checked (int64)": Call(_core.checked, (long.astype(np.int64),)),
        "pet": Call(_core.pet, (*wide, THREADS, 0.6, 0.5)),
        "pef": Call(_core.pef, (*narrow, THREADS, 0.6, 0.5)),
        "pet (scores)": Call(_core.pet, (*wide, THREADS, 0.6, scores, node_offsets)),
        "pef (scores)": Call(_core.pef, (*wide, THREADS, 0.6, scores, node_offsets)),
        "pef_beer": Call(_core.pef_beer, (*wide, THREADS, 0.6)),
        "flat_tree": Call(_core.flat_tree, (long,)),
        "pet_tree": Call(_core.pet_tree, (chain, reduces)),
        "block_moves": Call(_core.block_moves, (*wide, minor, THREADS)),
    }


def edit_calls(rng: random.Random) -> dict[str, Call]:
    """Return calls of edit distances, of words and of trees."""
    hyps, refs = batch(rng), batch(rng)
    a, b = trees(rng, np.int32), trees(rng, np.int32)
    wide = a[0].astype(np.int64), a[1], b[0].astype(np.int64), b[1]
    cells = int((np.diff(a[1]) * np.diff(b[1])).sum())
    savings = np.array([rng.randrange(3) for _ in range(cells)], np.int64)
    heads = [np.array([rng.randrange(k + 1) for k in range(200)], np.int32) for _ in range(2)]
    table = np.array([rng.randrange(3) for _ in range(200 * 200)], np.int64)
    pairs = [([0, 1, 1], [2, 0, 2])] * 1000
    s, t = (np.array(rng.choices(range(9), k=40), np.int32) for _ in range(2))
    return {
        "inversion_bounds": Call(
            _core.inversion_bounds, (*hyps, *refs, 1, 1, 1, 1, 1_000_000, THREADS)
        ),
        "inversion_parse": Call(_core.inversion_parse, (s, t, 1, 1, 1, 1, 10_000_000)),
        "vector_units": Call(_core.vector_units, ()),
        # The widest one, which is used already.
        "use_vector_unit": Call(lambda: _core.use_vector_unit(int(_core.vector_units()[-1])), ()),
        "cder": Call(_core.cder, (*hyps, *refs, THREADS)),
        "levenshtein": Call(_core.levenshtein, (*hyps, *refs, THREADS)),
        "translation_edits": Call(_core.translation_edits, (*hyps, *refs, THREADS)),
        "pack_tree_pairs": Call(_core.pack_tree_pairs, (pairs,)),
        "tree_matches": Call(_core.tree_matches, (*a, *b, THREADS)),
        "tree_savings": Call(_core.tree_savings, (*wide, savings, THREADS)),
        "tree_mapping": Call(_core.tree_mapping, (*heads, None, -1)),
        "tree_mapping (savings)": Call(_core.tree_mapping, (*heads, table, -1)),
    }


def alignment_calls(rng: random.Random) -> dict[str, Call]:
    """Return calls of the aligners, and of functions over links."""
    hyps, refs = batch(rng), batch(rng)
    stems = np.array([word // 2 * 2 for word in range(VOCABULARY)], np.int32)
    align = Call(
        _core.align,
        (
            *(*hyps, *refs, VOCABULARY, True, stems),
            *items_of_words(rng, 30),
            *phrase_links(hyps[1], refs[1]),
            *(np.array([10, 6, 8, 6], np.int64), 1000, True, THREADS),
        ),
    )
    rows, offsets, _ = _core.align(*align.arguments)
    links = rows, offsets, np.diff(hyps[1]), np.diff(refs[1])
    return {
        "align": align,
        "context_links": Call(_core.context_links, (*hyps, *refs, THREADS)),
        "link_counts": Call(_core.link_counts, (*links, THREADS)),
        "link_places": Call(_core.link_places, (*links, THREADS)),
        "link_permutations": Call(_core.link_permutations, (*links, 0, THREADS)),
        "link_permutations (left)": Call(_core.link_permutations, (*links, 1, THREADS)),
        "vector_links": Call(
            _core.vector_links,
            (*hyps, vectors_of(hyps), *refs, vectors_of(refs), 8, 0.1, 0.2, 0.4, THREADS),
        ),
        "paraphrases": Call(
            _core.paraphrases, (*hyps, *refs, VOCABULARY, *paraphrase_index(), THREADS)
        ),
    }


def vectors_of(sentences: tuple[Array, Array]) -> Array:
    """Return eight numbers for each word, one after another."""
    words = sentences[0]
    return np.cos(np.outer(words + 1, np.arange(1, 9))).astype(np.float32).ravel()


def soft_order_calls(rng: random.Random) -> dict[str, Call]:
    """Return calls of the parts of the soft-order metric."""
    hyps, refs = batch(rng), batch(rng)
    characters, ngrams = items_of_words(rng, 300), items_of_words(rng, 400)
    links = 0.1, 0.5, 0.5
    words = [np.array(rng.choices(range(VOCABULARY), k=100), np.int32) for _ in range(2)]
    classes = np.array([0] * VOCABULARY + [1, 2], np.int32)
    counts = *pair_counts(hyps), classes, 3
    model = core.PrecedenceModel(*counts)
    items = np.array([rng.randrange(VOCABULARY + 3) for _ in range(VOCABULARY)], np.int32)
    segments = len(hyps[1]) - 1  # each has one reference
    lines = core.Lines.from_strings([f"line {k}" for k in range(segments)])
    starts, forms = np.arange(segments + 1), np.zeros(VOCABULARY, np.int32)
    anchors = [_core.find_anchors(*batch(rng), *refs, starts, 1) for _ in range(2)]
    return {
        "find_anchors": Call(_core.find_anchors, (*hyps, *refs, starts, THREADS)),
        "pair_anchors": Call(_core.pair_anchors, (*anchors[0], *anchors[1], THREADS)),
        "order_statistics": Call(
            _core.order_statistics,
            (*hyps, *refs, *characters, next(_vocabularies), *links, True, THREADS),
        ),
        "order_statistics (without lost words)": Call(
            _core.order_statistics,
            (*hyps, *refs, *characters, next(_vocabularies), *links, False, THREADS),
        ),
        "matched_steps": Call(_core.matched_steps, (*words, *characters, *links)),
        "own_precedence": Call(
            _core.own_precedence, (lines, starts, *hyps, *refs, *characters, forms, THREADS)
        ),
        "character_overlap": Call(_core.character_overlap, (*hyps, *refs, *ngrams, 2.0, THREADS)),
        "PrecedenceModel.__init__": Call(_core.PrecedenceModel, counts),
        "PrecedenceModel.values": Call(model.values, (*hyps, *refs, items, THREADS)),
        # The model keeps the tables, so that they may change after it was made.
        "PrecedenceModel.values (new model)": Call(
            lambda *counts: core.PrecedenceModel(*counts).values(*hyps, *refs, items, THREADS),
            counts,
        ),
        "PrecedenceModel.losses": Call(model.losses, (*words, items)),
    }


def ngram_calls(rng: random.Random) -> dict[str, Call]:
    """Return calls of the statistics of BLEU and chrF; every second segment has two references."""
    hyps, refs = batch(rng), batch(rng, SENTENCES + SENTENCES // 2)
    starts = np.array([0, *accumulate(1 + k % 2 for k in range(SENTENCES))], np.int64)
    lines = [_core.Lines.from_strings(text_lines(rng, len(side[1]) - 1)) for side in (hyps, refs)]
    options = 6, 2, True, 2.0, True, THREADS
    words = core.BleuReferences(*refs, starts, 4, THREADS)
    characters = core.ChrfReferences(lines[1], starts, *options)
    return {
        "BleuReferences.__init__": Call(
            lambda *arrays: core.BleuReferences(*arrays, 4, THREADS).statistics(*hyps, THREADS),
            (*refs, starts),
        ),
        "BleuReferences.statistics": Call(words.statistics, (*hyps, THREADS)),
        "ChrfReferences.__init__": Call(
            lambda array: core.ChrfReferences(lines[1], array, *options).statistics(
                lines[0], THREADS
            ),
            (starts,),
        ),
        "ChrfReferences.statistics": Call(characters.statistics, (lines[0], THREADS)),
    }


def translation_calls(rng: random.Random) -> dict[str, Call]:
    """Return calls of the aligner of sources and translations."""
    sentences, translations = batch(rng), batch(rng)
    pairs = bitext(sentences, translations)
    texts = np.arange(VOCABULARY, dtype=np.int32), np.arange(VOCABULARY, dtype=np.int32) // 4
    spellings = *texts, *(array.copy() for array in texts)
    iterations = (1, 1, 1)
    *counts, samples = core.train_aligner(pairs, *spellings, 1, iterations, 1, None)
    model = *spellings, samples, *counts[0], *counts[1]
    aligner = core.SourceAligner(*model)
    sides = [
        (words, words.copy(), words // 4, offsets) for words, offsets in (sentences, translations)
    ]
    sentence = [words[:40].copy() for words, *_ in sides for _ in range(3)]

    def add(*arrays: Array) -> tuple[int, int, int]:
        added = _core.Bitext()
        added.add(*arrays)
        return len(added), added.empty_pairs, added.distinct_sources

    def arrange(*tables: Array) -> None:
        arranged = _core.Bitext()
        arranged.add(*sentences, *translations)
        arranged.arrange(*tables)

    return {
        "Bitext.__init__": Call(_core.Bitext, ()),
        "Bitext.__len__": Call(len, (pairs,)),
        "Bitext.add": Call(add, (*sentences, *translations)),
        "Bitext.used_words": Call(pairs.used_words, (0, VOCABULARY)),
        "Bitext.arrange": Call(arrange, texts),
        "Bitext.distinct_sources": Call(lambda: pairs.distinct_sources, ()),
        "Bitext.empty_pairs": Call(lambda: pairs.empty_pairs, ()),
        "Bitext.long_pairs": Call(lambda: pairs.long_pairs, ()),
        "train_aligner": Call(
            _core.train_aligner, (pairs, *spellings, 1, iterations, THREADS, None)
        ),
        "sample_chain": Call(_core.sample_chain, (pairs, *spellings, 0, 1, iterations)),
        "SourceAligner.__init__": Call(_core.SourceAligner, model),
        "SourceAligner.links": Call(aligner.links, (*sides[0], *sides[1], 0, 0.45, THREADS)),
        "SourceAligner.expected_kendall": Call(
            aligner.expected_kendall, (*sides[0], *sides[1], THREADS)
        ),
        "expected_kendall": Call(_core.expected_kendall, (np.linspace(0, 1, 12), 4)),
        "SourceAligner.posteriors": Call(aligner.posteriors, (*sentence, 2)),
        "SourceAligner.posteriors (words)": Call(aligner.posteriors, (*sentence, 0)),
    }


def text_calls(rng: random.Random) -> dict[str, Call]:
    """Return calls of functions over text."""
    hyps, refs = batch(rng), batch(rng)
    strings = text_lines(rng)
    lines = _core.Lines.from_strings(strings)
    sentences = [line.split() for line in strings]
    tokens = tuple(map(tuple, sentences))
    table = word_table()
    table.number_lines(lines, 1)
    sentence_of = np.array([rng.randrange(SENTENCES) for _ in range(SENTENCES)], np.int64)
    numbers = np.arange(len(strings), dtype=np.int64)

    def add(*arrays: Array) -> tuple[object, ...]:
        counter = _core.LineCounter(0, 1)
        counter.add(lines[:SENTENCES], *arrays)
        return counter.lines, counter.digest, counter.word_counts()

    def take_table(*arrays: Array) -> object:
        counter = core.LineCounter(0, 1)
        counter.add(lines[:SENTENCES], *hyps)
        return counter.take_table(2, *arrays, VOCABULARY)

    ranks = np.array(rng.sample(range(VOCABULARY), VOCABULARY), np.int32)
    return {
        "number_tokens": Call(_core.number_tokens, (tokens, tokens[::-1])),
        "bag_overlaps": Call(_core.bag_overlaps, (*hyps, *refs)),
        "renumber_pairs": Call(_core.renumber_pairs, (*hyps, sentence_of, *refs)),
        "check_string": Call(_core.check_string, (strings[1], "line")),
        "check_strings": Call(_core.check_strings, (strings, "lines")),
        "Lines.from_strings": Call(lambda: _core.Lines.from_strings(strings).tolist(), ()),
        "Lines.from_bytes": Call(
            lambda: _core.Lines.from_bytes("\n".join(strings).encode())[0].tolist(), ()
        ),
        "Lines.from_arrow": Call(lambda: arrow_lines(strings), ()),
        "Lines.interleave": Call(lambda: _core.Lines.interleave([lines, lines])[-1], ()),
        "Lines.__len__": Call(len, (lines,)),
        "Lines.__getitem__": Call(lambda: lines[5:1000][-1], ()),
        "Lines.__iter__": Call(lambda: list(lines), ()),
        "Lines.__reduce__": Call(lambda: lines.__reduce__()[1], ()),
        "Lines.tolist": Call(lines.tolist, ()),
        "Lines.count_ending": Call(lines.count_ending, ("7",)),
        "Lines.digest": Call(lines.digest, (numbers,)),
        "WordTable.__init__": Call(lambda: len(word_table()), ()),
        "WordTable.number_lines": Call(table.number_lines, (lines, THREADS)),
        "WordTable.number_tokens": Call(
            lambda: word_table(unit="text").number_tokens(sentences, "s", THREADS), ()
        ),
        "WordTable.number_lines (new table)": Call(
            lambda: word_table().number_lines(lines, THREADS), ()
        ),
        "WordTable.tokens": Call(table.tokens, (0, 1000)),
        "WordTable.bytes": Call(lambda: table.bytes, ()),
        "WordTable.__len__": Call(len, (table,)),
        "LineCounter.__init__": Call(_core.LineCounter, (0, 2)),
        "LineCounter.add": Call(add, hyps),
        "LineCounter.lines": Call(lambda: add(*hyps)[0], ()),
        "LineCounter.digest": Call(lambda: add(*hyps)[1], ()),
        "LineCounter.word_counts": Call(lambda: add(*hyps)[2], ()),
        "LineCounter.take_table": Call(take_table, (ranks,)),
    }


def arrow_lines(strings: list[str]) -> list[str]:
    """Return the strings of an Arrow array, or the strings if PyArrow is not installed."""
    try:
        import pyarrow
    except ImportError:
        return strings
    lines = _core.Lines.from_arrow(pyarrow.array(strings), "lines")
    assert lines is not None
    return lines.tolist()
