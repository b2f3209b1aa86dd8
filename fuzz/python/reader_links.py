"""Readers of links in Pharaoh's and Moses' notation, and of permutations."""

from __future__ import annotations

import numpy as np
from fuzz.python.byte_source import ByteSource
from fuzz.python.scratch import scratch_file
from fuzz.python.targets import only_user_errors, require, target

from hyperbaton.alignment import notation
from hyperbaton.alignment.pharaoh import LinkFile, read_alignments
from hyperbaton.order.catalogue import evaluate_measures, parse_permutation

WORDS = (
    b"0-0 ",
    b"1?2 ",
    b"0p1",
    b"0-1=2-3",
    b"-1",
    b"99999999999",
    b"0-0-1",
    "٠-١".encode(),
    b"0 - 0",
)


@target("reader_pharaoh", *WORDS)
def check_pharaoh(data: bytes) -> None:
    """Read a file of links beside texts."""
    source = ByteSource(data)
    base, possible = source.integer(0, 1), source.chance(128)
    has_target = source.chance(128)
    links, first, second = source.part(), source.part(), source.part()
    path, beside = scratch_file("links", links), scratch_file("source", first)
    other = scratch_file("target", second) if has_target else None
    with only_user_errors("read_alignments"):
        for alignment in read_alignments(
            path, beside, other, base=base, possible=possible, warn=lambda message: None
        ):
            repr(alignment)
    with only_user_errors("read_batches"):
        file = LinkFile(path, beside, other, base, possible)
        for batch in file.read_batches(lambda message: None, 2):
            for nulls in ("drop", "left", "right"):
                with only_user_errors("permutations"):
                    batch.permutations(nulls)


@target("reader_links", *WORDS)
def check_links(data: bytes) -> None:
    """Parse links; those of single words can be written and parsed again."""
    source = ByteSource(data)
    base, possible = source.integer(0, 1), source.chance(128)
    text = source.rest().decode("utf-8", "replace").replace("\0", "")
    rows = None
    with only_user_errors("parse_links"):
        rows = notation.parse_links(text, base, possible)
    pairs = None
    with only_user_errors("parse_pairs"):
        pairs = notation.parse_pairs([text], base, possible)
    require((rows is None) == (pairs is None), f"only one reader accepts {text!r}")
    if rows is None or pairs is None:
        return
    words = {(a + i, b + j) for a, b, m, n, _ in rows for i in range(m) for j in range(n)}
    require(words == set(zip(*map(np.ndarray.tolist, pairs[1:]), strict=True)), "the same links")
    moses = notation.format_moses(rows, base)
    again = notation.parse_links(moses, base)
    require([row[:4] for row in again] == [row[:4] for row in rows], f"{moses!r} has other links")


@target("reader_permutation", b"1 2 3", b"<2,1>", "⟨2, 1⟩".encode(), b"-1", b"99999999999999999999")
def check_permutation(data: bytes) -> None:
    """Parse a permutation that a user typed."""
    text = data.decode("utf-8", "surrogateescape")
    pi = None
    with only_user_errors("parse_permutation"):
        pi = parse_permutation(text)
    if pi is not None:
        require(parse_permutation(str(pi)) == pi, "the same after printing")
        if len(pi) <= 200:
            evaluate_measures(pi, {"beta": 0.6, "gamma": 0.0})
            str(pi.tree().flatten())
