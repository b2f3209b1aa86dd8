"""Write the seeds in fuzz/corpus: ``python -m fuzz.python.make_corpus TARGET...``.

Readers get files that the package's own writers wrote, or that come with it. Arguments of bindings
are searched for: inputs are kept if they have a new outcome. Crashes that were found are kept as
they are: their names start with ``crash-``, those of seeds with ``seed-``.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import sys
from itertools import islice
from pathlib import Path

from fuzz.python.reader_models import aligner_model, precedence_model
from fuzz.python.runner import CORPUS, mutate
from fuzz.python.targets import Target, load_targets, outcomes, run_case

from hyperbaton.metrics import registry
from hyperbaton.serve.worker import encode_frame

EXAMPLE = Path("src/hyperbaton/example")
MAX_SEED = 200  # bytes of a seed that is searched for
MAX_FILE = 3000
SEARCHED_CASES = 4000
MOST_SEARCHED = 30


def _head(name: str, lines: int) -> bytes:
    with (EXAMPLE / name).open("rb") as file:
        return b"".join(islice(file, lines))


def _parts(*contents: bytes) -> bytes:
    return b"\n%%\n".join(contents)


def reader_seeds() -> dict[str, list[bytes]]:
    """Return files by target; the first bytes are options."""
    texts = _head("fluent.txt", 4)
    trees = _head("reference.conllu", 30)
    scores = b"system,seg_id,score\na,0,1.5\nb,0,2\na,1,-1\nb,1,nan\n"
    ranks = b"seg_id,system1,rank1,system2,rank2\n0,a,1,b,2\n1,a,1,b,1\n"
    names = registry.names()
    return {
        "reader_lines": [
            *(bytes([k, 0, 0, 0]) + texts for k in range(4)),
            b"\0\0\0\0\xef\xbb\xbfa\r\nb\n\nc",
            b"\0\0\0\0" + gzip.compress(texts, mtime=0),
            b"\0\0\0\0" + gzip.compress(b"a" * 1_000_000, mtime=0),
            b"\0\0\0\0" + "a\nb".encode("utf-16"),
        ],
        "reader_columns": [
            b"\0\0a\tb\n1\t2\n3\t4\n",
            b"\0\x01a\tb\r\n1\n",
            b'\x01\0{"a": "x"}\n{"a": ["y", "z"]}\n{"b": 1}\n',
            b'\x01\0{"a": "\\ud800"}\n',
            b"\x01\0" + b"[" * 2000,
            b"\x02\0" + texts,
        ],
        "reader_conllu": [
            trees,
            _head("fluent.conllu", 40),
            b"1-2\tim\t_\n1\tin\t_\t_\t_\t_\t2\tcase\t_\t_\n",
        ],
        "reader_pharaoh": [
            _parts(b"\0\xff\xff0-0 1-1\n0?1 1p0", b"a b\nc d", b"e f\ng h"),
            _parts(b"\x01\xff\x001-1 2-1\n", b"a b", b""),
            _parts(b"\0\xff\xff0-1=0 2=1-2", b"a b c", b"d e f"),
        ],
        "reader_links": [
            b"\0\xff0-0 1-2 2-1",
            b"\x01\xff1-1 2?3 3p2",
            b"\0\xff0-1=0 2=1-2",
            b"\0\xff-1-0",
        ],
        "reader_permutation": [
            b"2 4 5 6 1 3",
            "⟨5, 7, 4, 6, 3, 1, 2⟩".encode(),
            b"1,1",
            b"99999999999999999999",
        ],
        "reader_judgements": [
            *(b"\0\0\0\0" + table for table in (_head("judgements.csv", 12), scores, ranks)),
            b"\x01\0\0\0" + scores.replace(b",", b"\t"),
            b"\0\0\0\0ranking_id,seg_id,system,rank\n1,0,a,1\n1,0,b+c,2\n",
            b"\0\0\0\0seg_id,better,worse,n\n0,a,b,3\n",
            b"\0\0\0\xffsystem,seg_id,judge,score\na,0,x,1\nb,0,y,2\na,1,x,3\n",
            b"\0\0\0\0system,score\na,1\nb,2\n",
            b"\0\0\0\0srclang,trglang,srcIndex,system1Id,system1rank,system2Id,system2rank\nde,en,1,a,1,b,-1\n",
            b"\x01\0\0\0a 1.5\na None\na 2\nb 1\nb 2\nb 3\n",
        ],
        "reader_test_sets": [
            b"\0\0\0\0\0\0\xff"
            + _parts(b"a b\nc d", b"b a\nc d", b"a b\nd c", ranks, scores.replace(b",", b"\t")),
            b"\xff\0\0\xff\0\0\xff"
            + _parts(
                b"a b\nc d",
                b"b a\nc d",
                b"a b\nd c",
                b"a 1\na 2\nb 3\nb None",
                b"a 1\nb 2",
                b"a 1\na 2\nb 0\nb 1",
            ),
        ],
        "reader_paraphrases": [
            b"\0" + b"0.25\nas well\ntoo\n0.5\ntoo\nas well\n",
            b"\x01" + gzip.compress(b"0.25\nas well\ntoo\n0.5\na\nb\n", mtime=0),
            b"\0" + b"1e999\na\nb\n",
        ],
        "reader_wordnet": [
            _parts(
                b"auto n 1 1 @ 1 0 02958343  \ncar n 2 1 @ 2 2 02958343 02959942  \n",
                b"",
                b"",
                b"",
                b"geese goose\n",
            ),
            _parts(
                b"  1 licence of WordNet 3.0\nauto n 2 1 @ 1 0 02958343  \n", b"", b"", b"", b"a\n"
            ),
        ],
        "reader_parse_cache": [
            b'\0\0\0\0[["a", "b"], [2, 0], null, null]',
            b'\0\0\0\0[["c"], [0], ["root"], []]',
            b"\0\xff\0\0[[",
            b"\xff\0\0\0SQLite",
            b"\xff\0\x10\x30" + b"\xff" * 40,
        ],
        "reader_models": [b"", b"\xff", b"\0\x01\x01\x05\x10", b"\xff\x02\x02\x01\x01\x03\x01\x02"],
        "reader_model_bytes": [
            precedence_model(os.getpid())[:MAX_FILE],
            aligner_model(os.getpid())[:MAX_FILE],
        ],
        "reader_configuration": [
            b'[tool.hyperbaton]\nmetrics = ["pef", "bleu"]\nlanguage = "en"\n',
            b"[tool.hyperbaton]\ndigits = 3\nscale = 100\n",
            b'[tool.hyperbaton]\nformat = "json"\nshort = true\nquiet = false\n',
            b"[tool]\nhyperbaton = 1\n",
        ],
        "reader_metrics": [
            ",".join(names).encode(),
            b"full:order=ulam,bp=off",
            b"pef:bp=off,beta=0.5,wer",
            b"pef:beta=nan",
            b"bleu,order=ulam",
        ],
        "reader_signature": [
            str(registry.get(name).signature(1)).encode() for name in ("pef", "bleu", "full", "wer")
        ]
        + [b"de-AT", b"zh_Hant", b"english"],
        "reader_requests": [
            b'\0{"hypothesis": "b a c", "reference": "a b c", "language": "en", '
            b'"metrics": ["pef"], "display": true}',
            b'\0{"hypothesis": "b a", "reference": "a b", "alignment": "0-1 1-0", '
            b'"metrics": ["wer"]}',
            b'\x01{"permutation": [2, 4, 1, 3], "words": ["a", "b", "c", "d"], "display": true}',
            b'\x01{"permutation": "4 3 2 1", "tree": 3}',
        ],
        "reader_jobs": [
            _parts(
                b"\x01\0\0a b\nc d",
                b"\x01\0\0b a\nd c",
                b'{"references": [{"file": "0"}], "systems": [{"file": "1", "name": "x"}], '
                b'"metrics": ["pef"], "samples": 10}',
            ),
            _parts(
                b"\0\x01a\tb\n1\t2",
                b"\0\x02" + b'{"a": "b"}',
                b'{"references": [{"file": "0", "column": "a"}], '
                b'"systems": [{"file": "1", "column": "a"}]}',
            ),
        ],
        "reader_frames": [
            encode_frame({"task": "explain"}) * 2,
            b"\0\0\0\x05[",
            b"\xff\xff\xff\xff",
        ],
    }


def search_seeds(target: Target, given: list[bytes]) -> list[bytes]:
    """Return short inputs with different outcomes, which random changes of others found."""
    random_ = random.Random(target.name)
    outcomes.seen.clear()
    outcomes.returned.clear()
    kept: list[bytes] = []
    for data in given:
        run_case(target, data)
    pool = [*given, b""]
    for case in range(SEARCHED_CASES):
        data = random_.randbytes(random_.randint(1, MAX_SEED))
        if case % 2:
            data = mutate(random_, random_.choice(pool), random_.choice(pool), target.words)[
                :MAX_SEED
            ]
        before, returned = len(outcomes.seen), len(outcomes.returned)
        run_case(target, data)
        is_new = len(outcomes.seen) > before and len(kept) < MOST_SEARCHED
        if is_new or len(outcomes.returned) > returned:
            pool.append(data)
            kept.append(data)
    return kept


def main(names: list[str]) -> None:
    """Write the seeds of some targets. Those of the others stay as they are."""
    given = reader_seeds()
    targets = load_targets()
    for target in [targets[name] for name in names]:
        folder = CORPUS / target.name
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("seed-*"):
            path.unlink()
        seeds = given.get(target.name, [])
        seeds = seeds or search_seeds(target, seeds)
        for data in seeds:
            (folder / f"seed-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)
        print(f"{target.name}: {len(seeds)} seeds, {sum(map(len, seeds)):,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:] or [*load_targets()])
