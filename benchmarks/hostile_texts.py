"""Hostile inputs: texts, trees, permutations, links, judgements, shards of a given size.

A shape is a value for each dimension of its kind, such as ``{"words": "three", "order": "same"}``.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow
from pyarrow import parquet

Shape = Mapping[str, str]
Files = dict[str, list[str]]  # by role, such as "system": the names of the files

SEED = 1
MEGABYTE = 1_000_000

TEXTS = {
    "line": ("2000", "all", "8000", "400", "100", "20", "1"),
    "words": ("three", "one", "thirty", "distinct", "prefixes", "long", "combining", "punctuation"),
    "order": (
        "independent",
        "shuffled",
        "reversed",
        "interleaved",
        "same",
        "disjoint",
        "unequal",
    ),
    "systems": ("1", "20"),
    "references": ("1", "10"),
}
TREES = {
    "tree": ("random", "chain", "star", "comb", "zigzag"),
    "other": ("random", "chain", "star", "comb", "zigzag"),
    "line": ("2000", "all", "500", "100", "20"),
}
PERMUTATIONS = {"values": ("random", "reversed", "identity", "interleaved", "blocks", "swaps")}
LINKS = {
    "links": ("diagonal", "reversed", "random", "many-to-one", "all", "phrases"),
    "line": ("2000", "all", "100", "10"),
}
JUDGEMENTS = {
    "kind": ("rankings", "segments", "systems"),
    "systems": ("10", "3", "100"),
    "line": ("8", "1", "60"),
}
SHARDS = {"shards": ("4", "1"), "words": ("three", "distinct"), "line": ("20", "2000", "1")}
COLUMNS = {"cells": ("huge", "many", "quoted"), "words": ("three", "distinct", "long")}


def _word_maker(name: str, rng: random.Random) -> tuple[Callable[[int], list[str]], float]:
    """Return a function that makes words, and the bytes of a word with its space."""
    if name == "one":
        return lambda n: ["a"] * n, 2
    if name == "three":
        return lambda n: rng.choices("abc", k=n), 2
    if name == "thirty":
        words = [f"{a}{b}" for a in "abcdef" for b in "vwxyz"]
        return lambda n: rng.choices(words, k=n), 3
    if name == "distinct":
        return lambda n: [f"{k:x}" for k in rng.sample(range(1 << 20), n)], 6
    if name == "prefixes":  # similar words, of which no two are equal
        return lambda n: [f"reordering{k:x}" for k in rng.sample(range(1 << 20), n)], 16
    if name == "long":
        return lambda n: [rng.choice("ab") * 20_000 + str(k) for k in range(n)], 20_004
    if name == "combining":
        return lambda n: [
            "a" + "".join(rng.choices("\u0301\u0323\u0302", k=40)) for _ in range(n)
        ], 82
    if name == "punctuation":
        return lambda n: ["".join(rng.choices("a.,!-1%'", k=20)) for _ in range(n)], 21
    raise ValueError(name)


def _reorder(words: list[str], order: str, rng: random.Random) -> list[str]:
    """Return the system's words for those of the reference."""
    n = len(words)
    if order == "shuffled":
        return rng.sample(words, n)
    if order == "reversed":
        return words[::-1]
    if order == "interleaved":  # simple permutations such as 2 4 1 3
        half = n // 2
        pairs = zip(words[half:], words[:half], strict=False)
        return [word for pair in pairs for word in pair] + words[2 * half :]
    if order == "disjoint":
        return [f"x{word}" for word in words]
    return list(words)


def text_lines(shape: Shape, size: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return the lines of each system and each reference, of about ``size`` bytes together."""
    rng = random.Random(SEED)
    make, width = _word_maker(shape["words"], rng)
    systems, references = int(shape.get("systems", 1)), int(shape.get("references", 1))
    order = shape["order"]
    sides = systems + references
    if order == "disjoint":
        width += 1
    total = int(size / sides / width)  # words of each file
    line = total if shape["line"] == "all" else min(int(shape["line"]), total)
    line = max(1, min(line, 49_000 if shape.get("cap") else line))
    count = max(1, total // line)
    bases = [make(line) for _ in range(count)]
    if order == "unequal":  # one side has hardly any words, the other has nearly all
        long, short = [" ".join(make(2 * line)) for _ in bases], [words[0] for words in bases]
        return [long] * systems, [short] * references
    reference_files, system_files = [], []
    for _ in range(references):
        reference_files.append([" ".join(words) for words in bases])
    for _ in range(systems):
        hypotheses = (
            [make(line) for _ in bases]
            if order == "independent"
            else [_reorder(words, order, rng) for words in bases]
        )
        system_files.append([" ".join(words) for words in hypotheses])
    return system_files, reference_files


def _write(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return str(path)


def write_texts(shape: Shape, size: int, folder: Path) -> Files:
    """Write systems and references."""
    systems, references = text_lines(shape, size)
    return {
        "system": [_write(folder / f"sys{k}.txt", lines) for k, lines in enumerate(systems)],
        "reference": [_write(folder / f"ref{k}.txt", lines) for k, lines in enumerate(references)],
    }


def _heads(name: str, n: int, rng: random.Random) -> list[int]:
    """Return the heads of a tree; words are counted from 1, and 0 is the root."""
    if name == "chain":
        return list(range(n))
    if name == "star":
        return [0] + [1] * (n - 1)
    if name == "comb":  # a chain of which every word has a leaf
        return [0] + [k - 1 if k % 2 else k // 2 * 2 - 1 for k in range(2, n + 1)]
    if name == "zigzag":  # children alternately on the left and on the right
        outer = [k // 2 + 1 if k % 2 == 0 else n - k // 2 for k in range(n)]
        heads = [0] * n
        for parent, child in itertools.pairwise(outer):
            heads[child - 1] = parent
        return heads
    return [0] + [rng.randrange(max(1, k - 20), k) for k in range(2, n + 1)]


def write_trees(shape: Shape, size: int, folder: Path) -> Files:
    """Write a system and a reference with their trees in CoNLL-U format."""
    rng = random.Random(SEED)
    total = size // 2 // 29  # words of each side: 27 bytes of CoNLL-U and 2 of text
    line = total if shape["line"] == "all" else min(int(shape["line"]), total)
    count = max(1, total // line)
    files: Files = {}
    for role, tree in (("system", shape["tree"]), ("reference", shape["other"])):
        texts, blocks = [], []
        for _ in range(count):
            words = rng.choices("abc", k=line)
            texts.append(" ".join(words))
            blocks.append(f"# text = {texts[-1]}")
            blocks += [
                f"{k}\t{word}\t_\t_\t_\t_\t{head}\t_\t_\t_"
                for k, (word, head) in enumerate(
                    zip(words, _heads(tree, line, rng), strict=True), start=1
                )
            ]
            blocks.append("")
        files[role] = [_write(folder / f"{role}.txt", texts)]
        files[f"{role}_trees"] = [_write(folder / f"{role}.conllu", blocks)]
    return files


def permutation_values(shape: Shape, size: int) -> list[int]:
    """Return a permutation that takes about ``size`` bytes."""
    n = size // 7
    rng = random.Random(SEED)
    if shape["values"] == "random":
        return rng.sample(range(1, n + 1), n)
    if shape["values"] == "reversed":
        return list(range(n, 0, -1))
    if shape["values"] == "interleaved":
        half = n // 2
        return [v for k in range(1, half + 1) for v in (half + k, k)]
    if shape["values"] == "blocks":  # operators of four within each other
        values = [2, 4, 1, 3]
        while len(values) * 4 <= n:
            m = len(values)
            values = [v + shift * m for shift in (1, 3, 0, 2) for v in values]
        return values
    if shape["values"] == "swaps":
        return [k + 1 if k % 2 else k - 1 for k in range(1, n // 2 * 2 + 1)]
    return list(range(1, n + 1))


def write_permutation(shape: Shape, size: int, folder: Path) -> Files:
    """Write a permutation as one line."""
    line = " ".join(map(str, permutation_values(shape, size)))
    return {"values": [_write(folder / "values.txt", [line])]}


def write_links(shape: Shape, size: int, folder: Path) -> Files:
    """Write a source, a target, and the links between them."""
    rng = random.Random(SEED)
    total = size // (4 + 12)
    line = total if shape["line"] == "all" else int(shape["line"])
    kind = shape["links"]
    rows = []
    if kind in ("all", "phrases"):
        line = min(line, 300)
    count = max(1, total // (line * line if kind == "all" else line))
    for _ in range(count):
        if kind == "all":
            rows.append(" ".join(f"{i}-{j}" for i in range(line) for j in range(line)))
            continue
        if kind == "phrases":
            every = "+".join(map(str, range(line)))
            rows.append(f"{every}={every}" if line < 300 else f"0-{line - 1}")
            continue
        targets = {
            "diagonal": lambda: range(line),
            "reversed": lambda: range(line - 1, -1, -1),
            "random": lambda: rng.sample(range(line), line),
            "many-to-one": lambda: [0] * line,
        }[kind]()
        rows.append(" ".join(f"{i}-{j}" for i, j in enumerate(targets)))
    texts = [" ".join(rng.choices("abc", k=line)) for _ in range(count)]
    return {
        "source": [_write(folder / "src.txt", texts)],
        "system": [_write(folder / "sys.txt", texts)],
        "reference": [_write(folder / "ref.txt", texts)],
        "links": [_write(folder / "links.align", rows)],
    }


def write_judgements(shape: Shape, size: int, folder: Path) -> Files:
    """Write systems, a reference, and human judgements of them."""
    rng = random.Random(SEED)
    systems, line = int(shape["systems"]), int(shape["line"])
    per_segment = (systems + 1) * line * 2 + systems * 12
    segments = max(2, size // per_segment)
    texts = [
        [" ".join(rng.choices("abc", k=line)) for _ in range(segments)] for _ in range(systems + 1)
    ]
    names = [f"sys{k}" for k in range(systems)]
    rows = []
    if shape["kind"] == "rankings":
        head = [f"system{k},rank{k}" for k in range(1, min(systems, 5) + 1)]
        rows.append("seg_id," + ",".join(head))
        for segment in range(segments):
            chosen = rng.sample(names, len(head))
            cells = [f"{name},{rng.randint(1, 5)}" for name in chosen]
            rows.append(f"{segment}," + ",".join(cells))
    elif shape["kind"] == "segments":
        rows.append("system\tsegment\tscore")
        rows += [
            f"{name}\t{segment}\t{rng.random():.3f}"
            for name in names
            for segment in range(1, segments + 1)
        ]
    else:
        rows.append("system\tscore")
        rows += [f"{name}\t{rng.random():.3f}" for name in names]
    suffix = "csv" if shape["kind"] == "rankings" else "tsv"
    return {
        "system": [
            _write(folder / f"{name}.txt", lines) for name, lines in zip(names, texts, strict=False)
        ],
        "reference": [_write(folder / "ref.txt", texts[-1])],
        "human": [_write(folder / f"human.{suffix}", rows)],
    }


def write_shards(shape: Shape, size: int, folder: Path) -> Files:
    """Write the scores of a text in several shards."""
    systems, references = text_lines({"order": "shuffled", **shape}, size)
    table = pyarrow.table({"sys": systems[0], "ref": references[0]})
    parquet.write_table(table, folder / "table.parquet")
    for shard in range(1, int(shape["shards"]) + 1):
        output = ["-o", f"{folder}/scores/", "--shard", f"{shard}/{shape['shards']}"]
        columns = [f"{folder}/table.parquet:{name}" for name in ("ref", "sys")]
        words = ["score", "-q", "-m", "wer", "-r", *columns, *output]
        subprocess.run([sys.executable, "-m", "hyperbaton", *words], check=True)
    return {"folder": [f"{folder}/scores/"]}


def write_columns(shape: Shape, size: int, folder: Path) -> Files:
    """Write a table with a column for the system and one for the reference."""
    rng = random.Random(SEED)
    make, width = _word_maker(shape["words"], rng)
    total = max(1, int(size / 2 / width))
    line = {"huge": total, "many": 2, "quoted": 20}[shape["cells"]]
    line = min(line, total, 49_000)
    quote = '"' if shape["cells"] == "quoted" else ""
    rows = ["sys\tref"]
    for _ in range(max(1, total // line)):
        cells = (" ".join(make(line)) for _ in range(2))
        rows.append("\t".join(quote + cell for cell in cells))
    table = _write(folder / "table.tsv", rows)
    return {"system": [f"{table}:sys"], "reference": [f"{table}:ref"]}
