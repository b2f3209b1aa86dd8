"""Readers of links in Pharaoh's and Moses' notation, and of permutations."""

from __future__ import annotations

from fuzz.python.byte_source import ByteSource
from fuzz.python.scratch import scratch_file
from fuzz.python.targets import only_user_errors, require, target
from hyperbaton.alignment import notation
from hyperbaton.alignment.pharaoh import LinkFile, read_alignments
from hyperbaton.order.overview import evaluate_measures, parse_permutation

WORDS = (b"0-0 ", b"1?2 ", b"0p1", b"0,1-2,3", b"-1", b"99999999999", b"0-0-1", "٠-١".encode(), b"0 - 0")


@target("reader_pharaoh", *WORDS)
def check_pharaoh(data: bytes) -> None:
    """Read a file of links beside texts."""
    source = ByteSource(data)
    base, possible = source.integer(0, 1), source.chance(128)
    has_target = source.chance(128)
    links, first, second = source.part(), source.part(), source.part()
    paths = [
        scratch_file(name, content)
        for name, content in (("links", links), ("source", first), ("target", second))
    ]
    other = paths[2] if has_target else None
    with only_user_errors("read_alignments"):
        for alignment in read_alignments(
            *paths[:2], other, base=base, possible=possible, warn=lambda message: None
        ):
            repr(alignment)
    with only_user_errors("read_batches"):
        file = LinkFile(*paths[:2], other, base, possible)
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
    if rows is None:
        require(pairs is None, f"only one reader accepts {text!r}")
        return
    moses = notation.format_moses(rows, base)
    require(notation.parse_links(moses, base) == rows, f"{moses!r} has other links")


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
