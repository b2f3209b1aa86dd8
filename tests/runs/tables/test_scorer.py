"""``TableScorer``: the same bits as ``score`` from tables of every kind, and clear errors."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from metrics import corpora

pa = pytest.importorskip("pyarrow", reason="tables need pyarrow")

SPECS = ["pef", "full", "adjacency", "ribes", "cder", "bleu", "chrf"]
SINGLE = corpora.corpus(71, 40, (1,))
SEVERAL = corpora.corpus(72, 40, (1, 2, 3))
HYPOTHESES, REFERENCES = SINGLE.hypotheses, [ref for (ref,) in SINGLE.references]
EXAMPLE = Path(hb.__file__).parent / "example"
TOO_LONG = " ".join(["a b c d"] * 15_000)  # words; the aligner takes 100,000 on both sides together


def scorer(specs: Any = SPECS, reference: Any = "ref", **options: Any) -> hb.TableScorer:
    return hb.TableScorer(specs, hypothesis="mt", reference=reference, **options)


def table(**columns: Any) -> Any:
    return pa.table({"mt": HYPOTHESES, "ref": REFERENCES} | columns)


def check_bits(scores: Any, expected: hb.Result, first: int = 0, end: int | None = None) -> None:
    """Check every value of a table against the segments ``first`` to ``end`` of a result."""
    for spec, score in expected.items():
        column = scores.column(spec)
        assert column.type == pa.float64()
        assert column.null_count == 0
        assert column.to_numpy().tobytes() == score.segments[first:end].tobytes(), spec


@pytest.fixture(scope="module")
def expected() -> hb.Result:
    return hb.score(HYPOTHESES, REFERENCES, SPECS)


def as_dictionary(strings: list[str]) -> Any:
    return pa.array(strings).dictionary_encode()


def in_chunks(strings: list[str]) -> Any:
    return pa.chunked_array([strings[:7], [], strings[7:8], strings[8:]], pa.string())


def as_slice(strings: list[str]) -> Any:
    return pa.array(["x", *strings, "y z"]).slice(1, len(strings))


COLUMNS: list[Callable[[list[str]], Any]] = [
    lambda strings: pa.array(strings, pa.string()),
    lambda strings: pa.array(strings, pa.large_string()),
    lambda strings: pa.array(strings, pa.string_view()),
    as_dictionary,
    in_chunks,
    as_slice,
]
COLUMN_NAMES = ["string", "large_string", "string_view", "dictionary", "chunks", "slice"]


@pytest.mark.parametrize("hypothesis_column", COLUMNS, ids=COLUMN_NAMES)
@pytest.mark.parametrize("reference_column", COLUMNS, ids=COLUMN_NAMES)
def test_columns_of_strings(
    hypothesis_column: Any, reference_column: Any, expected: hb.Result
) -> None:
    columns = {"mt": hypothesis_column(HYPOTHESES), "ref": reference_column(REFERENCES)}
    check_bits(scorer()(pa.table(columns)), expected)
    # Rows without the null have to be taken from the columns.
    with_null = pa.table(columns | {"mt": pa.array([None, *HYPOTHESES[1:]])})
    scores = scorer(on_error="null")(with_null)
    assert scores.slice(0, 1).to_pylist() == [dict.fromkeys(SPECS)]
    check_bits(scores.slice(1), expected, 1)


LIST_TYPES = [
    pa.list_(pa.string()),
    pa.large_list(pa.large_string()),
    pa.list_(pa.string_view()),
    pa.list_(pa.dictionary(pa.int32(), pa.string())),
    pa.list_view(pa.string()),
    pa.large_list_view(pa.string()),
]


@pytest.mark.parametrize("kind", LIST_TYPES, ids=str)
def test_lists_of_references(kind: Any) -> None:
    expected = hb.score(*SEVERAL, SPECS)
    lists = pa.array(SEVERAL.references, kind)
    check_bits(scorer()(table(mt=SEVERAL.hypotheses, ref=lists)), expected)
    sliced = table(mt=SEVERAL.hypotheses, ref=lists).slice(5, 20)
    check_bits(scorer()(sliced), expected, 5, 25)
    with_null = table(mt=[None, *SEVERAL.hypotheses[1:]], ref=lists)
    check_bits(scorer(on_error="null")(with_null).slice(1), expected, 1)


def test_lists_of_a_fixed_size_and_several_columns() -> None:
    two = corpora.corpus(73, 40, (2,))
    expected = hb.score(*two, SPECS)
    lists = pa.array(two.references, pa.list_(pa.string(), 2))
    check_bits(scorer()(table(mt=two.hypotheses, ref=lists)), expected)
    first, second = zip(*two.references, strict=True)
    columns = table(mt=two.hypotheses, first=first, second=as_dictionary(list(second)))
    check_bits(scorer(reference=["first", "second"])(columns), expected)
    check_bits(scorer(reference=("first", "second"))(columns.slice(9)), expected, 9)


def test_links_as_a_column() -> None:
    segments = corpora.linked_at_random(SEVERAL, 74)
    links = corpora.pharaoh(segments)
    specs = ["pef:tok=none", "adjacency:tok=none"]
    expected = hb.score(*SEVERAL, specs, alignments=links)
    without = hb.score(*SEVERAL, specs)
    assert expected["pef:tok=none"].value != without["pef:tok=none"].value
    columns = table(mt=SEVERAL.hypotheses, ref=SEVERAL.references, links=links)
    check_bits(scorer(specs, alignments="links")(columns), expected)


def test_links_as_strings() -> None:
    links = [one for (one,) in corpora.pharaoh(corpora.linked_at_random(SINGLE, 75))]
    expected = hb.score(HYPOTHESES, REFERENCES, "pef:tok=none", alignments=links)
    for column in (links, as_dictionary(links)):
        scores = scorer("pef:tok=none", alignments="links")(table(links=column))
        check_bits(scores, expected)


def test_links_through_the_source() -> None:
    # The source is the reference of another corpus, so that links can be drawn on both sides.
    system = corpora.linked_at_random(corpora.Corpus(REFERENCES, [[h] for h in HYPOTHESES]), 76)
    source = REFERENCES
    copies = corpora.linked_at_random(corpora.Corpus(source, [[s] for s in source]), 77)
    inputs = {
        "source": source,
        "alignments": [one for (one,) in corpora.pharaoh(system)],
        "reference_alignments": [one for (one,) in corpora.pharaoh(copies)],
    }
    specs = ["pef:tok=none", "lrscore:tok=none"]
    expected = hb.score(HYPOTHESES, REFERENCES, specs, **inputs)  # type: ignore[arg-type]
    names = {name: f"column {name}" for name in inputs}
    columns = {names[name]: values for name, values in inputs.items()}
    check_bits(scorer(specs, **names)(table(**columns)), expected)


def example_trees(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.conllu").read_text("utf-8").strip("\n").split("\n\n")


def example_lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").splitlines()


def test_trees_as_columns() -> None:
    columns = {
        "mt": example_lines("fluent"),
        "ref": example_lines("reference"),
        "tree": example_trees("fluent"),
        "ref tree": example_trees("reference"),
    }
    specs = ["dted", "dted:match=aligned,rescale=yes"]
    options = {"language": "en", "trees": "tree", "reference_trees": "ref tree"}
    trees, reference_trees = (
        list(hb.read_trees(EXAMPLE / f"{name}.conllu")) for name in ("fluent", "reference")
    )
    expected = hb.score(
        columns["mt"],
        columns["ref"],
        specs,
        language="en",
        trees=trees,
        reference_trees=reference_trees,
    )
    check_bits(scorer(specs, **options)(pa.table(columns)), expected)
    lists = columns | {name: [[one] for one in columns[name]] for name in ("ref", "ref tree")}
    check_bits(scorer(specs, **options)(pa.table(lists)), expected)


def test_record_batches_and_readers(expected: hb.Result) -> None:
    (batch,) = table().to_batches()
    check_bits(scorer()(batch), expected)
    check_bits(scorer()(table().to_reader(max_chunksize=9)), expected)
    check_bits(scorer()(table().to_struct_array()), expected)


def test_map_in_arrow(expected: hb.Result) -> None:
    batches = table(id=range(40)).to_batches(max_chunksize=9)
    scores = list(scorer(keep=["id"]).map_in_arrow(batches))
    assert all(isinstance(batch, pa.RecordBatch) for batch in scores)
    joined = pa.Table.from_batches(scores)
    assert joined.column("id").to_pylist() == list(range(40))
    check_bits(joined, expected)


def test_pandas(expected: hb.Result) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"mt": HYPOTHESES, "ref": REFERENCES}, index=range(40, 0, -1))
    check_bits(scorer()(frame), expected)
    check_bits(scorer()(frame.iloc[7:19]), expected, 7, 19)
    frame["ref"] = frame["ref"].astype("category")
    check_bits(scorer()(frame), expected)
    lists = pandas.DataFrame({"mt": SEVERAL.hypotheses, "ref": SEVERAL.references})
    check_bits(scorer()(lists), hb.score(*SEVERAL, SPECS))


def test_polars(expected: hb.Result) -> None:
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    frame = polars.DataFrame({"mt": HYPOTHESES, "ref": REFERENCES})
    check_bits(scorer()(frame), expected)
    check_bits(scorer()(frame.with_columns(polars.col("ref").cast(polars.Categorical))), expected)
    parts = polars.concat([frame[:11], frame[11:]], rechunk=False)
    check_bits(scorer()(parts[3:30]), expected, 3, 30)
    lists = polars.DataFrame({"mt": SEVERAL.hypotheses, "ref": SEVERAL.references})
    check_bits(scorer()(lists), hb.score(*SEVERAL, SPECS))


def test_duckdb(expected: hb.Result) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect() as connection:
        connection.register("texts", table(id=range(40)))
        relation = connection.sql("SELECT * FROM texts ORDER BY id")
        check_bits(scorer()(relation), expected)
        lists = table(mt=SEVERAL.hypotheses, ref=SEVERAL.references)
        check_bits(scorer()(connection.from_arrow(lists)), hb.score(*SEVERAL, SPECS))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("on_error", ["raise", "null"])
def test_more_rows_than_are_scored_at_a_time(threads: int, on_error: str) -> None:
    def in_batches(**more: Any) -> hb.TableScorer:
        made = scorer(specs, threads=threads, on_error=on_error, linked=True, **more)
        made.rows = replace(made.rows, run=replace(made.rows.run, batch_size=300))
        return made

    large = corpora.corpus(78, 1_300)
    specs = ["pef", "bleu"]
    columns = table(mt=large.hypotheses, ref=large.references, id=range(1_300))
    scores = in_batches(keep=["id"])(columns)
    assert scores.column("id").to_pylist() == list(range(1_300))
    check_bits(scores, hb.score(*large, specs))
    # A bad row far behind has its own number, and costs no other row.
    broken = [*large.hypotheses[:1_234], None, *large.hypotheses[1_235:]]
    columns = table(mt=broken, ref=large.references)
    if on_error == "raise":
        with pytest.raises(hb.InputError, match=r"^row 1,235: mt is null$"):
            in_batches()(columns)
        return
    with_null = in_batches()(columns)
    for name in (*specs, "linked"):
        kept = with_null.column(name).to_pylist()
        assert kept.pop(1_234) is None
        values = scores.column(name).to_pylist()
        del values[1_234]
        assert kept == values


@pytest.mark.parametrize("on_error", ["raise", "null"])
def test_no_rows(on_error: str) -> None:
    options: dict[str, Any] = {"keep": {"id": "int32"}, "linked": True, "on_error": on_error}
    for empty in (
        table(id=range(40)).slice(0, 0),
        pa.table({name: pa.chunked_array([], pa.string()) for name in ("mt", "ref", "id")}),
        pa.table({name: pa.nulls(0) for name in ("mt", "ref", "id")}),
    ):
        scores = scorer(**options)(empty)
        assert scores.num_rows == 0
        assert scores.schema == scorer(**options).schema


def test_pickles_score_alike(expected: hb.Result) -> None:
    for specs, language in ((SPECS, None), ("default", "en")):
        original = scorer(specs, language=language, keep={"id": pa.int16()}, on_error="null")
        copy = pickle.loads(pickle.dumps(original))
        assert repr(copy) == repr(original)
        columns = table(id=range(40))
        assert copy(columns).equals(original(columns))
        assert copy.schema == original.schema
    assert len(pickle.dumps(original)) < 10_000  # it travels with every task


def test_kept_columns() -> None:
    columns = table(id=range(40), nested=[{"a": k} for k in range(40)], hole=[None] * 40)
    kept = scorer("wer", keep=["nested", "id", "hole", "mt"])(columns)
    assert kept.column_names == ["nested", "id", "hole", "mt", "wer"]
    assert kept.drop_columns("wer").equals(columns.select(["nested", "id", "hole", "mt"]))
    cast = scorer("wer", keep={"id": "int16", "mt": pa.large_string(), "nested": None})(columns)
    kinds = [pa.int16(), pa.large_string(), columns.schema.field("nested").type, pa.float64()]
    assert cast.schema.types == kinds
    assert cast.column("id").to_pylist() == list(range(40))


def test_schema() -> None:
    with_types = scorer(["wer", "pef"], keep={"id": "int64"}, linked=True)
    names = {"id": pa.int64(), "wer": pa.float64(), "pef": pa.float64(), "linked": pa.float64()}
    assert with_types.schema == pa.schema(names.items())
    assert with_types(table(id=range(40))).schema == with_types.schema
    with pytest.raises(hb.InputError, match=r"type of the column 'id' .* keep=\{'id': 'int64'\}$"):
        scorer(keep=["id"]).schema  # noqa: B018


def test_aligned() -> None:
    columns = {"mt": ["a b c x", "", "a"], "ref": ["a b c", "", "z"]}
    scores = scorer(["wer", "pef"], linked=True)(pa.table(columns))
    # Three words of four and three of three have a link; no words; two words without a link.
    assert scores.column("linked").to_pylist() == [6 / 7, 0, 0]
    without_links = scorer("wer", linked=True)(pa.table(columns))
    assert without_links.column("linked").null_count == 3


BAD_ROWS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "null": ({"mt": ["a", "b", None]}, {}, "mt is null"),
    "null reference": ({"ref": ["a", "b", None]}, {}, "ref is null"),
    "null in a dictionary": (
        {"ref": pa.DictionaryArray.from_arrays([0, 1, 2], ["a", "b", None])},
        {},
        "ref must be a string, got null",
    ),
    "NUL": ({"mt": ["a", "b", "c\0"]}, {}, "mt has a NUL character"),
    "not UTF-8": (
        {"mt": pa.array([b"a", b"b", b"\xff"]).view(pa.string())},
        {},
        "mt is not UTF-8",
    ),
    "null in a list": ({"ref": [["a"], ["b", "c"], ["a", None]]}, {}, "ref is null"),
    "NUL in a list": ({"ref": [["a"], ["b"], ["a", "\0"]]}, {}, "ref[1] has a NUL character"),
    "null list": ({"ref": [["a"], ["b", "c"], None]}, {}, "ref is null"),
    "empty list": ({"ref": [["a"], ["b", "c"], []]}, {}, "ref is an empty list"),
    "null in the second column": (
        {"second": ["a", "b", None]},
        {"reference": ["ref", "second"]},
        "second is null",
    ),
    "links": (
        {"links": ["0-0", "0-0", "0-0 x"]},
        {"alignments": "links"},
        "alignments: 'x' is not a link such as 0-1 or 1-2=1-2",
    ),
    "link outside": (
        {"links": ["0-0", "0-0", "0-9"]},
        {"alignments": "links"},
        "alignments: link 0-9 is outside the reference, which has 1 words (tokeniser 13a; tok=none "
        "takes tokens as they are)",
    ),
    "null links": ({"links": ["0-0", "", None]}, {"alignments": "links"}, "links is null"),
    "null in links": (
        {"links": [["0-0"], [""], [None]]},
        {"alignments": "links"},
        "links is null",
    ),
    "number of links": (
        {"links": [["0-0"], [""], ["0-0", ""]]},
        {"alignments": "links"},
        "alignments has 2, but there are 1 references",
    ),
    "too long": (
        {"mt": ["a", "b", TOO_LONG], "ref": ["a", "b", TOO_LONG]},
        {},
        "the sentences are too long: 60,000 and 60,000 words, at most 100,000 together",
    ),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", BAD_ROWS)
def test_rows_that_cannot_be_scored(case: str, threads: int) -> None:
    changed, options, message = BAD_ROWS[case]
    columns = pa.table({"mt": ["a", "b", "c"], "ref": ["a", "b", "c"]} | changed)
    with pytest.raises(hb.InputError) as raised:
        scorer(["pef", "wer"], threads=threads, **options)(columns)
    assert str(raised.value) == f"row 3: {message}"
    # The other rows have the values that they have without the bad one.
    scores = scorer(["pef", "wer"], threads=threads, on_error="null", **options)(columns)
    others = scorer(["pef", "wer"], **options)(columns.slice(0, 2))
    assert scores.slice(0, 2).to_pylist() == others.to_pylist()
    assert scores.slice(2).to_pylist() == [{"pef": None, "wer": None}]


def test_trees_that_cannot_be_read() -> None:
    tree = "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n"
    options = {"trees": "tree", "reference_trees": "tree of ref"}
    for bad, message in (
        ("1\ta", "tree: a tree in CoNLL-U format, line 1 (sentence 1): token 1 must have 10"),
        (f"{tree}\n{tree}", "tree: a tree in CoNLL-U format has more than one sentence"),
        ("", "tree: a tree in CoNLL-U format is empty"),
        (tree.replace("a", "b"), "trees: the tree has 'b', but the text has 'a' (token 1)"),
        (None, "tree is null"),
    ):
        given = {"tree": [tree, bad], "tree of ref": [tree, tree]}
        columns = pa.table({"mt": ["a", "a"], "ref": ["a", "a"]} | given)
        with pytest.raises(hb.InputError, match="^row 2: " + re.escape(message)):
            scorer("dted", **options)(columns)
        scores = scorer("dted", on_error="null", **options)(columns)
        assert scores.column("dted").to_pylist() == [0.5, None]  # 0.5: identical trees


def test_errors_of_all_rows_are_raised() -> None:
    """A mistake that concerns every row must not turn into a column of nulls."""
    with pytest.raises(hb.InputError, match=r"^no parser: "):
        scorer("dted", on_error="null")(table())


def test_columns_of_nulls() -> None:
    """A part of a table may have nothing but nulls, which Arrow gives a type of its own."""
    for column in (pa.nulls(40), pa.nulls(40, pa.string()), pa.array([[None]] * 40)):
        with pytest.raises(hb.InputError, match=r"^row 1: ref is null$"):
            scorer()(table(ref=column))
        assert scorer("wer", on_error="null")(table(ref=column)).column("wer").null_count == 40


BAD_TABLES: dict[str, tuple[Callable[[], Any], str]] = {
    "missing column": (
        lambda: scorer(reference="reff")(table()),
        "the table has no column 'reff'; did you mean ref? It has ",
    ),
    "missing kept column": (
        lambda: scorer(keep=["idd"])(table(id=range(40))),
        "the table has no column 'idd'; did you mean id? It has ",
    ),
    "missing tree": (
        lambda: scorer(trees="t", reference_trees="ref")(table()),
        "the table has no column 't'",
    ),
    "two columns": (
        lambda: scorer()(pa.table([["a"], ["a"], ["b"]], names=["mt", "ref", "ref"])),
        "the table has 2 columns 'ref'",
    ),
    "integers": (
        lambda: scorer()(table(mt=range(40))),
        "the table: the column 'mt' must have strings, not int64",
    ),
    "bytes": (
        lambda: scorer()(table(ref=[b"a"] * 40)),
        "the table: the column 'ref' must have strings or lists of strings, not binary",
    ),
    "lists of hypotheses": (
        lambda: scorer()(table(mt=[["a"]] * 40)),
        "the table: the column 'mt' must have strings, not list",
    ),
    "lists in several columns": (
        lambda: scorer(reference=["ref", "second"])(table(second=[["a"]] * 40)),
        "the table: the column 'second' must have strings, not list",
    ),
    "cast": (
        lambda: scorer(keep={"id": "int8"})(table(id=range(100, 140))),
        "column 'id' cannot be cast to int8: Integer value 128 not in range: -128 to 127",
    ),
    "dictionary": (lambda: scorer()({"mt": [], "ref": []}), "a table must have Arrow's interface"),
    "array": (lambda: scorer()(pa.array(["a"])), "the StringArray cannot be read as an Arrow"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_tables_that_cannot_be_scored(case: str) -> None:
    call, message = BAD_TABLES[case]
    with pytest.raises(hb.HyperbatonError, match="^" + re.escape(message)) as raised:
        call()
    assert "\n" not in str(raised.value)


BAD_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "metric": ({"specs": "pff"}, "unknown metric 'pff'; did you mean pef?"),
    "no references": ({"reference": []}, "no column of references was given"),
    "reference": ({"reference": None}, "reference must be a list of columns, got NoneType"),
    "references": ({"reference": ["a", 3]}, "a column must be named by a string, got int"),
    "source": ({"source": ["a"]}, "a column must be named by a string, got list"),
    "source alone": (
        {"source": "source", "alignments": "links"},
        "links through the source need source, alignments, reference_alignments: "
        "reference_alignments is missing",
    ),
    "trees alone": ({"trees": "tree"}, "trees and reference_trees must be given together"),
    "keep": ({"keep": "id"}, "keep must be a list of columns, got str"),
    "kept name": ({"keep": [3]}, "a column must be named by a string, got int"),
    "kept type": ({"keep": {"id": "quark"}}, "keep: 'quark' is not the name of an Arrow type"),
    "kept kind": ({"keep": {"id": 3}}, "keep: the type of 'id' must be an Arrow type or its name"),
    "kept twice": ({"keep": ["id", "id"]}, "the result would have two columns named 'id'"),
    "kept metric": ({"keep": ["pef"]}, "the result would have two columns named 'pef'"),
    "kept share": (
        {"keep": ["linked"], "linked": True},
        "the result would have two columns named 'linked'",
    ),
    "on_error": ({"on_error": "skip"}, "on_error must be one of raise, null, got 'skip'"),
    "threads": ({"threads": 0}, "threads must be at least 1, got 0"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options(case: str) -> None:
    options, message = BAD_OPTIONS[case]
    with pytest.raises(hb.HyperbatonError, match=f"^{re.escape(message)}$"):
        scorer(**options)


def test_values_do_not_depend_on_how_rows_are_grouped(expected: hb.Result) -> None:
    order = np.random.default_rng(79).permutation(40)
    shuffled = table(id=range(40)).take(order)
    parts = [scorer(keep=["id"])(shuffled.slice(k, 7)) for k in range(0, 40, 7)]
    check_bits(pa.concat_tables(parts).sort_by("id"), expected)


@pytest.mark.parametrize(("schema", "package"), [("spark", "pyspark"), ("polars", "polars")])
def test_schemas_of_packages_that_are_missing(
    schema: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(hb.MissingData, match=f"^{package} is not installed: pip install "):
        getattr(scorer(), f"{schema}_schema")
