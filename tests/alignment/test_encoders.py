"""Encoders: what they get and give, tables of word vectors, and all that can be wrong with them."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from alignment.encoders import TABLE, Written
from command_line import CommandLine
from hyperbaton.alignment import encoders

TEXT = "".join(f"{word} {' '.join(map(str, vector))}\n" for word, vector in TABLE.items())
SYSTEMS = {
    "a": ["The big house", "home", "the big house"],
    "b": ["home the large", "the big house", ""],
}
REFERENCES = ["the large home", "the home", "the large home"]


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.txt"
    path.write_text(TEXT, "utf-8")
    return str(path)


def test_each_sentence_is_encoded_once() -> None:
    """References once for all systems, and sentences that several systems have."""
    encoder = Written()
    metrics = [hb.metrics.get(name, align=encoder) for name in ("kendall", "pef")]
    hb.compare(SYSTEMS, REFERENCES, metrics, threads=2)
    texts = {*REFERENCES, *SYSTEMS["a"], *SYSTEMS["b"]} - {""}
    assert sorted(encoder.encoded) == sorted({tuple(text.lower().split()) for text in texts})


def test_forgotten_sentences_are_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Written()
    aligner = hb.Aligner(matchers=encoder)
    for _ in range(2):
        aligner.align("big", "large")
    assert len(encoder.encoded) == 2
    monkeypatch.setattr(encoders, "MAX_BYTES", 12)  # those of one word
    for _ in range(2):
        assert aligner.align("home", "house").links == ((0, 0),)
    # Of the two sentences of a pair, the reference is remembered.
    assert sorted(encoder.encoded[2:4]) == [("home",), ("house",)]
    assert encoder.encoded[4:] == [("home",)]


def test_pairs_are_linked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    hyps = ["the big house", "", "big", "home the large", "the"] * 5
    refs = ["the large home", "the", "big", "the big house", ""] * 5
    whole = hb.Aligner(matchers=Written()).align_many(hyps, refs)
    monkeypatch.setattr(encoders, "PART_WORDS", 5)
    monkeypatch.setattr(encoders, "CHUNK", 2)
    parts = hb.Aligner(matchers=Written(thread_safe=True)).align_many(hyps, refs, threads=3)
    assert [alignment.links for alignment in whole] == [alignment.links for alignment in parts]
    assert whole[3].links == ((0, 2), (1, 0), (2, 1))


def test_signature_and_pickling(table: str) -> None:
    settings = "neighbours=0.1,distance=0.2,threshold=0.4"
    aligner = hb.Aligner("en", Written(settings={"layer": 3, "v": "a|b (c)"}))
    expected = f"encoder(written-1,layer=3,v=a_b_c_,{settings})"
    assert aligner.signature == f"lang:en|matchers:{expected}|tok:13a|case:lc"
    metric = hb.metrics.get("pef", align=Written())
    assert f"|align:encoder(written-1,{settings})|" in str(metric.signature(1))
    # The SHA-256 of the file, by sha256sum.
    import hashlib

    digest = hashlib.sha256(Path(table).read_bytes()).hexdigest()[:12]
    spec = f"encoder:{table}:threshold=0.5:distance=0.25"
    of_table = hb.metrics.get("pef", align=spec)
    own = f"encoder(table.txt-{digest},neighbours=0.2,distance=0.25,threshold=0.5)"
    assert f"|align:{own}|" in str(of_table.signature(1))
    for value in (metric, of_table):
        again = pickle.loads(pickle.dumps(value))
        assert again == value
        assert again.sentence_score("the big house", ["home the large"]).value == pytest.approx(
            value.sentence_score("the big house", ["home the large"]).value
        )
    copied = pickle.loads(pickle.dumps(hb.Aligner(matchers=spec)))
    assert copied.align("big house", "home large").links == ((0, 1), (1, 0))
    assert pickle.loads(pickle.dumps(hb.WordVectors(table))).digest == digest


def test_signatures_are_read_back(table: str) -> None:
    metric = hb.metrics.get("pef", align=f"encoder:{table}")
    signature = metric.signature(1)
    assert hb.metrics.from_signature(signature, encoder=f"encoder:{table}") == metric
    with pytest.raises(hb.InputError, match="the signature names an encoder: give it as encoder"):
        hb.metrics.from_signature(signature)
    with pytest.warns(UserWarning, match="but here it is align:encoder"):
        hb.metrics.from_signature(signature, encoder=Written())


def test_everything_downstream(table: str) -> None:
    """Scores, moves, explanations, comparisons and tables have the links of the encoder."""
    spec = f"kendall:align=encoder:{table}"
    result = hb.score(SYSTEMS["b"], REFERENCES, spec)
    # The links of line 1 are 0-2 1-0 2-1: ⟨3, 1, 2⟩, of whose three pairs one is in order.
    assert result[spec].segments.tolist()[0] == pytest.approx(1 / 3)
    explained = hb.explain("home the large", "the large home", spec)
    assert explained.sentences == ('move "home" after "the large"',)
    lines = hb.explain_many(SYSTEMS, REFERENCES, spec)
    assert [line.links for line in lines][:2] == [
        ((0, 0), (1, 1), (2, 2)),
        ((0, 2), (1, 0), (2, 1)),
    ]
    assert spec in str(hb.compare(SYSTEMS, REFERENCES, spec))
    pa = pytest.importorskip("pyarrow")
    rows = pa.table({"mt": SYSTEMS["b"], "ref": REFERENCES})
    scored = hb.TableScorer([spec], hypothesis="mt", reference="ref")(rows)
    assert scored[spec].to_pylist() == result[spec].segments.tolist()


def test_commands(table: str, cli: CommandLine, tmp_path: Path) -> None:
    for name, lines in {**SYSTEMS, "ref": REFERENCES}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    a, b, ref = (str(tmp_path / f"{name}.txt") for name in ("a", "b", "ref"))
    output = cli.succeed("align", b, ref, "-m", f"encoder:{table}").stdout
    assert output == "0-2 1-0 2-1\n0-0 2-1\n\n"
    spec = f"kendall:align=encoder:{table}"
    score = cli.succeed("score", "-r", ref, a, b, "-m", spec, "--format", "json").json()
    assert "align:encoder(table.txt-" in score["systems"][0]["scores"][spec]["signature"]
    page = str(tmp_path / "report.html")
    cli.succeed("report", "-r", ref, a, b, "-m", spec, "-o", page)
    assert "encoder(table.txt-" in Path(page).read_text("utf-8")
    cli.succeed("compare", "-r", ref, a, b, "-m", spec)
    assert (
        'move "home" after "the large"'
        in cli.succeed("explain", "home the large", "the large home", "-m", spec).stdout
    )
    message = cli.error("score", "-r", ref, a, "-m", spec, "--segments", table)
    assert message == f"{table} would be overwritten while it is read"


BAD_ENCODERS: list[tuple[Any, str]] = [
    ([np.zeros((2, 2))], "must return 3 × 2 numbers for the sentence 'the big house', got"),
    ([np.zeros(3)], r"must return 3 × dimensions numbers .* got the shape \(3,\) of float64"),
    ([np.zeros((3, 0))], r"got the shape \(3, 0\)"),
    ([np.full((3, 2), "x")], "got the shape .* of <U1"),
    ([[[1, 2], [3], [4, 5]]], "must return arrays of numbers"),
    ([], "must return an array for each of 1 sentences, got 0"),
    ([np.zeros((3, 2))] * 2, "must return an array for each of 1 sentences, got 2"),
    (None, "must return arrays of numbers"),
    ([np.array([[1, 2], [1, np.nan], [1, 1]])], "gives the word 'big' a vector that is not finite"),
    (
        [np.array([[1, 2], [1, 1], [1e300, 1]])],
        "gives the word 'house' a vector that is not finite",
    ),
]


@pytest.mark.parametrize(("given", "message"), BAD_ENCODERS)
def test_bad_arrays(given: Any, message: str) -> None:
    class Bad(hb.Encoder):
        name, digest = "bad", "1"

        def encode(self, sentences: Sequence[Sequence[str]]) -> Any:
            return given

    with pytest.raises(hb.InputError, match=f"the encoder bad {message}|{message}"):
        hb.align("the big house", "", matchers=Bad())
    with pytest.raises(hb.InputError, match=message):
        hb.score(["the big house"], [""], hb.metrics.get("pef", align=Bad()))


def test_other_dimensions() -> None:
    class Growing(hb.Encoder):
        name, digest = "growing", "1"

        def encode(self, sentences: Sequence[Sequence[str]]) -> list[Any]:
            return [np.ones((len(words), len(words))) for words in sentences]

    with pytest.raises(hb.InputError, match=r"must return 2 × 1 numbers for the sentence 'a b'"):
        hb.align("a", "a b", matchers=Growing())


def test_objects_that_are_no_encoders() -> None:
    class Nameless:
        def encode(self, sentences: Any) -> Any:
            return []

    nameless: Any = Nameless()
    with pytest.raises(hb.InputTypeError, match="an encoder must have a name, a string: Nameless"):
        hb.align("a", "a", matchers=nameless)
    nameless.name, nameless.digest = "nameless", 3
    with pytest.raises(hb.InputTypeError, match="an encoder must have a digest, a string"):
        hb.align("a", "a", matchers=nameless)
    nameless.digest = "3"  # it has the other settings of hb.Encoder
    assert "threshold=0.4" in hb.Aligner(matchers=nameless).signature
    with pytest.raises(hb.InputError, match="threshold must be a number from 0 to 1, got 2"):
        hb.Aligner(matchers=Written(threshold=2))


def test_texts_that_are_no_encoders(table: str, tmp_path: Path) -> None:
    for spec, message in {
        "encoder:": "'encoder:' names no file: write encoder:PATH",
        f"encoder:{tmp_path / 'no'}": r"cannot read .*no: No such file",
        f"encoder:{table}:layer=4": "a table of word vectors has no layer",
        f"encoder:{table}:treshold=0.4": "unknown setting 'treshold'; did you mean threshold?",
        f"encoder:{table}:threshold=0.4:threshold=0.5": "sets threshold twice",
        f"encoder:{table}:threshold=high": "threshold must be a number from 0 to 1, got 'high'",
        f"encoder:{table}:distance=nan": "distance must be a number from 0 to 1, got 'nan'",
    }.items():
        with pytest.raises(hb.InputError, match=message):
            hb.Aligner(matchers=spec)
    with pytest.raises(hb.InputError, match="the matcher encoder cannot be combined with other"):
        hb.Aligner(matchers=["exact", f"encoder:{table}"])
    with pytest.raises(hb.InputError, match="the matcher encoder takes neither weights nor a bud"):
        hb.Aligner(matchers=f"encoder:{table}", budget=3)
    with pytest.raises(hb.InputError, match=r"unknown matcher 'encodr'.*context, encoder:PATH"):
        hb.Aligner(matchers="encodr")
    with pytest.raises(hb.InputError, match="the matcher encoder takes neither weights nor"):
        hb.metrics.get("pef", align=f"encoder:{table}", exact=0.5)


def test_too_long_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "MAX_CELLS", 5)
    message = "the sentences are too long for an encoder: 3 and 2 words, at most 5 pairs of words"
    with pytest.raises(hb.InputError, match=message):
        hb.align("a b c", "a b", matchers=Written())


def test_errors_say_where_and_leave_no_file(cli: CommandLine, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("a 1 2\nb 1\n", "utf-8")
    lines, output = tmp_path / "lines.txt", tmp_path / "links.txt"
    lines.write_text("a\n", "utf-8")
    message = f"{bad}, line 2: expected a word and 2 numbers, got 2 columns"
    paths = str(lines), str(lines)
    assert cli.error("align", *paths, "-m", f"encoder:{bad}", "-o", str(output)) == message
    assert cli.error("score", "-r", *paths, "-m", f"pef:align=encoder:{bad}") == message
    assert not output.exists()


# Tables of word vectors


def vectors_of(path: Path, words: str) -> list[list[float]]:
    found: list[list[float]] = hb.WordVectors(path).encode([words.split()])[0].tolist()
    return found


def test_formats_of_tables(tmp_path: Path) -> None:
    glove, word2vec = tmp_path / "glove.txt", tmp_path / "word2vec.txt"
    glove.write_text("a 1 2.5\nBerlin -1e-2 0\na 9 9\n", "utf-8")
    word2vec.write_text("3 2\na 1 2.5 \nBerlin -1e-2 0 \na 9 9 \n", "utf-8")
    packed = tmp_path / "glove.txt.gz"
    packed.write_bytes(gzip.compress(glove.read_bytes()))
    array = tmp_path / "array.npy"
    np.save(array, np.array([[1, 2.5], [-0.01, 0], [9, 9]]))
    (tmp_path / "array.txt").write_text("a\nBerlin\na\n", "utf-8")
    for path in (glove, word2vec, packed, array):
        table = hb.WordVectors(path)
        assert len(table) == 2
        # The first of two equal words counts; an unknown word has its vector in lower case.
        expected = [[1, 2.5], [1, 2.5], [pytest.approx(-0.01), 0], [0, 0]]
        assert table.encode([["a", "A", "Berlin", "berlin"]])[0].tolist() == expected
    assert hb.WordVectors(packed).digest == hb.WordVectors(glove).digest


def test_long_tables(tmp_path: Path) -> None:
    """Files are read in blocks."""
    path = tmp_path / "long.txt"
    path.write_text("".join(f"w{k} {k} {-k}\n" for k in range(4500)), "utf-8")
    assert vectors_of(path, "w0 w1999 w2000 w4499") == [
        [0, 0],
        [1999, -1999],
        [2000, -2000],
        [4499, -4499],
    ]
    with path.open("a", encoding="utf-8") as file:
        file.write("x 1 y\n")
    with pytest.raises(hb.InputError, match=r"long.txt, line 4,501: 'y' is not a number"):
        hb.WordVectors(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no word vectors"),
        (b"a 1 2\nb 1\n", "line 2: expected a word and 2 numbers, got 2 columns"),
        (b"a 1 2\nb 3 1 2\n", "line 2: expected a word and 2 numbers, got 4 columns"),
        (b"a 1 2\nb 1 \xa02\n", "line 2: '\ufffd2' is not a number"),
        (b"a 1 2\nb 1 2\x85\n", "line 2: '2\ufffd' is not a number"),
        (b"a 1 2\nb 1 " + b"0" * 3000 + b"\n", "line 2: '0{64}' is not a number"),
        (b"400000 300\n", "has no word vectors"),
        (b"a 1 2\n\n", "line 2: expected a word and 2 numbers, got 1 column"),
        (b"a\n", "line 1: expected a word and 1 number, got 1 column"),
        (b"2 2\na 1 2\nb 1\n", "line 3: expected a word and 2 numbers, got 2 columns"),
        (b"3 2\na 1 2\nb 1 2\n", "has 2 words, but its first line says 3"),
        (b"a 1 x\n", "line 1: 'x' is not a number"),
        (b"a 1 nan\n", "line 1: 'nan' is not a number"),
        (b"b 1 1\na 1 1e99\n", "line 2: '1e99' is not a number"),
        (b"\xff 1 2\n", "line 1: the word is not UTF-8"),
        (b"\x1f\x8b\x08broken", "is a damaged|cannot read"),
    ],
)
def test_bad_tables(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(hb.InputError, match=message):
        hb.WordVectors(path)


def test_words_with_spaces_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbfa 1 2\n. . . 3 4\n")
    (vectors,) = hb.WordVectors(path).encode([["a", ". . ."]])
    assert vectors.tolist() == [[1, 2], [3, 4]]


def test_damaged_arrays_of_vectors(tmp_path: Path) -> None:
    path = tmp_path / "bad.npy"
    (tmp_path / "bad.txt").write_text("a\nb\n", "utf-8")
    np.savez(tmp_path / "bad.npz", np.ones((2, 3)))
    (tmp_path / "bad.npz").rename(path)
    with pytest.raises(hb.InputError, match=r"bad.npy is an archive"):
        hb.WordVectors(path)
    np.save(path, np.ones((2, 3)))
    whole = path.read_bytes()
    for shape in (b"(True, 2)", b"(10**9,3)", b"(2, 3"):
        path.write_bytes(whole.replace(b"(2, 3)", shape))
        with pytest.raises(hb.InputError, match=r"cannot read .*bad.npy: "):
            hb.WordVectors(path)
    huge = b"(1000000000000, 3), }"
    path.write_bytes(whole.replace(b"(2, 3), }".ljust(len(huge)), huge))
    with pytest.raises(hb.InputError, match=r"cannot read .*bad.npy: "):
        hb.WordVectors(path)


def test_a_failure_of_an_encoder_is_forgotten() -> None:
    class Once(hb.Encoder):
        name, digest = "once", "1"
        width = 3

        def encode(self, sentences: Sequence[Sequence[str]]) -> list[Any]:
            width, self.width = self.width, 4
            return [
                np.full((len(words), width), np.nan if width == 3 else 1) for words in sentences
            ]

    aligner = hb.Aligner(matchers=Once())
    with pytest.raises(hb.InputError, match="not finite"):
        aligner.align("a b", "a b")
    assert aligner.align("a b", "a b").links == ((0, 0), (1, 1))
    with pytest.raises(TypeError, match="must be an object, not the class Once"):
        hb.Aligner(matchers=Once)  # type: ignore[arg-type]


def test_bad_arrays_of_vectors(tmp_path: Path) -> None:
    path, words = tmp_path / "bad.npy", tmp_path / "bad.txt"
    path.write_bytes(b"no array")
    with pytest.raises(hb.InputError, match=r"cannot read .*bad.npy: "):
        hb.WordVectors(path)
    np.save(path, np.ones((2, 3)))
    with pytest.raises(hb.InputError, match=r"bad.npy needs its words, line by line, in .*bad.txt"):
        hb.WordVectors(path)
    words.write_text("a\n", "utf-8")
    with pytest.raises(hb.InputError, match=r"bad.npy has 2 rows, but .*bad.txt has 1 word"):
        hb.WordVectors(path)
    words.write_text("a\nb\n", "utf-8")
    np.save(path, np.array([[1, 2], [1, np.inf]]))
    with pytest.raises(hb.InputError, match="row 2: the vector of 'b' is not finite"):
        hb.WordVectors(path)
    np.save(path, np.ones((2, 3, 1)))
    with pytest.raises(hb.InputError, match=r"must be an array of numbers with a row for each wor"):
        hb.WordVectors(path)
    np.save(path, np.array(["a", "b"]))
    with pytest.raises(hb.InputError, match=r"got the shape \(2,\) of <U1"):
        hb.WordVectors(path)
