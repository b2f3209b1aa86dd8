"""Readers of human judgements and of test sets."""

from __future__ import annotations

from fuzz.python.byte_source import ByteSource
from fuzz.python.scratch import scratch_file, scratch_folder
from fuzz.python.targets import only_user_errors, target

from hyperbaton.meta.readers import (
    read_external_scores,
    read_judgements,
    read_score_file,
    read_score_table,
)
from hyperbaton.meta.testsets import read_test_sets

SYSTEMS = ["a", "b", "c"]
WORDS = (
    *(
        b"seg_id,",
        b"system1,rank1,",
        b"better,worse,n",
        b"system,seg_id,score",
        b"judge",
        b"srcIndex",
    ),
    *(
        b"1e999",
        b"nan",
        b"None",
        b"-1",
        b'"',
        b"a+b",
        b"99999999999999999999",
        b"99999999999",
        b"\t",
        b"ranking_id",
    ),
)


@target("reader_judgements", *WORDS)
def check_judgements(data: bytes) -> None:
    """Read a table of judgements in any format."""
    source = ByteSource(data)
    kind = source.choice(("csv", "tsv"))
    systems = SYSTEMS if source.chance(96) else None
    n = source.choice((None, 1, 3, 1000))
    standardize = source.chance(64)
    path = scratch_file(f"judgements.{kind}", source.rest())
    with only_user_errors("read_judgements"):
        repr(read_judgements(path, systems, n, standardize=standardize))
    with only_user_errors("read_score_table"):
        repr(read_score_table(path, systems, n, standardize=standardize))
    with only_user_errors("read_external_scores"):
        repr(read_external_scores(path, SYSTEMS, 3))
    with only_user_errors("read_score_file"):
        repr(read_score_file(path, SYSTEMS, 3, ["d"]))


FOLDER = (
    *("reference.txt", "systems/a.txt", "systems/b.txt", "judgments.csv", "human_seg.tsv"),
    *("human_sys.tsv", "pairwise.tsv", "source.txt", "reference.conllu", "systems/a.conllu"),
)
MTME = (
    *("system-outputs/de-en/a.txt", "system-outputs/de-en/b.txt", "references/de-en.refA.txt"),
    *("human-scores/de-en.mqm.seg.score", "human-scores/de-en.mqm.sys.score"),
    *("metric-scores/de-en/X-refA.seg.score", "sources/de-en.txt", "references/de-en.b.txt"),
)


@target("reader_test_sets", *WORDS, b"\n%%\n")
def check_test_sets(data: bytes) -> None:
    """Read a folder with a test set, or one of mt-metrics-eval."""
    source = ByteSource(data)
    names = MTME if source.chance(128) else FOLDER
    missing = source.integer(0, (1 << 16) - 1)
    options = [source.chance(64) for _ in range(4)]
    folder = scratch_folder("set")
    for k, name in enumerate(names):
        if missing >> k & 1:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.part())
    others, standardize, trees, with_source = options
    with only_user_errors("read_test_sets"):
        repr(
            read_test_sets(
                folder,
                others=others and names is MTME,
                standardize=standardize and names is FOLDER,
                trees=trees,
                source=with_source,
            )
        )
