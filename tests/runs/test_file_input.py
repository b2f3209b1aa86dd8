"""Batches from files: the same bits as from lists, errors with file and line, nothing twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.alignment.aligner import Aligner
from hyperbaton.errors import InputError
from hyperbaton.metrics.linking import shared_aligner
from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.engine import score_corpus
from hyperbaton.runs.file_runs import AlignmentFiles, FileCorpus
from hyperbaton.runs.run import Keep, ListCorpus, Request, Run
from hyperbaton.syntax.conllu import read_trees
from metrics import corpora

EXAMPLE = Path(hb.__file__).parent / "example"
SYSTEMS = ["fluent", "literal", "phrasal"]
SPECS = ["default", "order", "dted", "dted:match=aligned,weight=aligned"]


def example_files(names: list[str], suffix: str) -> list[str]:
    return [str(EXAMPLE / f"{name}.{suffix}") for name in names]


def example_corpus() -> FileCorpus:
    return FileCorpus(
        SYSTEMS,
        example_files(SYSTEMS, "txt"),
        example_files(["reference"], "txt"),
        trees=example_files(["reference", *SYSTEMS], "conllu"),
    )


def lines_of(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").splitlines()


def score_files(corpus: FileCorpus, specs: Any, size: int = 2000) -> dict[str, hb.Result]:
    metrics = metrics_by_spec(specs, Resources("en"))
    results = score_corpus(corpus, Run(metrics, batch_size=size))
    return {result.name: result for result in results}


@pytest.fixture(scope="module")
def expected() -> dict[str, hb.Result]:
    """The scores of the example set from lists."""
    trees = {
        name: list(hb.read_trees(EXAMPLE / f"{name}.conllu", lines_of(name)))
        for name in ["reference", *SYSTEMS]
    }
    return {
        name: hb.score(
            lines_of(name),
            lines_of("reference"),
            SPECS,
            "en",
            trees=trees[name],
            reference_trees=trees["reference"],
        )
        for name in SYSTEMS
    }


@pytest.mark.parametrize("size", [1, 3, 7, 2000])
def test_files_give_the_same_bits_as_lists(size: int, expected: dict[str, hb.Result]) -> None:
    found = score_files(example_corpus(), SPECS, size)
    assert list(found) == SYSTEMS
    for name, result in found.items():
        assert list(result) == list(expected[name])
        for spec, score in result.items():
            other = expected[name][spec]
            assert score == other, (name, spec)
            assert score.sums.tobytes() == other.sums.tobytes(), (name, spec)
            assert score.segments.tobytes() == other.segments.tobytes(), (name, spec)
            assert score.signature == other.signature, (name, spec)
            assert score.linked == other.linked, (name, spec)


def test_number_of_segments_and_batches() -> None:
    corpus, count = example_corpus(), len(lines_of("reference"))
    assert corpus.segment_count == 3 * count
    sizes = [(batch.system, len(batch)) for batch in corpus.batches(Request(count - 1))]
    assert sizes == [(name, size) for size in (count - 1, 1) for name in SYSTEMS]


# Errors ----------------------------------------------------------------------------------------


def write(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return str(path)


@pytest.mark.parametrize("size", [1, 2, 100])
def test_errors_name_the_file_and_the_line(tmp_path: Path, size: int) -> None:
    references = [write(tmp_path / f"ref{k}.txt", ["a"] * 3) for k in (1, 2)]
    systems = [write(tmp_path / f"{name}.txt", ["a"] * 3) for name in ("one", "two")]
    fine = write(tmp_path / "fine.links", ["0-0"] * 3)
    wrong = write(tmp_path / "wrong.links", ["0-0", "0-0", "1-0"])
    names = ["one", "two"]

    def error(alignments: AlignmentFiles | None, files: list[str] = systems) -> str:
        corpus = FileCorpus(names, files, references, alignments)
        with pytest.raises(InputError) as caught:
            score_files(corpus, "pef:tok=none", size)
        return str(caught.value)

    # The links of each system with each reference: the second of the second system is wrong.
    direct = AlignmentFiles(None, [fine, fine, fine, wrong], [], files_per_system=2)
    assert error(direct).startswith(f"{wrong}, line 3: link 1-0 is outside the hypothesis")
    source = write(tmp_path / "source.txt", ["x"] * 3)
    through = AlignmentFiles(source, [fine, wrong], [fine, fine])
    assert error(through).startswith(f"{wrong}, line 3: link 1-0 is outside the source")
    through = AlignmentFiles(source, [fine, fine], [fine, wrong])
    assert error(through).startswith(f"{wrong}, line 3: link 1-0 is outside the source")

    long = write(tmp_path / "long.txt", ["a", "a", "a " * 100_001])
    assert error(None, [systems[0], long]).startswith(
        f"{long}, line 3: the sentences are too long: 100,001 and 1 words"
    )


def test_empty_files(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.txt", [])
    with pytest.raises(InputError, match=r"empty\.txt is empty"):
        score_files(FileCorpus(["system"], [empty], [empty]), "pef")


# Nothing is read or computed twice, or in vain --------------------------------------------------


def test_trees_are_read_only_for_metrics_over_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def fail(*arguments: Any) -> Any:
        raise AssertionError("trees were read")

    def record(path: str, *more: Any) -> Any:
        opened.append(path)
        return read_trees(path, *more)

    corpus = example_corpus()
    monkeypatch.setattr("hyperbaton.syntax.conllu.read_trees", fail)
    assert list(score_files(corpus, "pef")) == SYSTEMS
    with pytest.raises(AssertionError, match="trees were read"):
        score_files(corpus, "dted")
    monkeypatch.setattr("hyperbaton.syntax.conllu.read_trees", record)
    result = score_files(corpus, ["pef", "dted"], 2)["fluent"]
    assert opened == list(corpus.trees or ())  # each file once, for all batches
    assert "|parser:given|" in result["dted"].signature


def test_trees_in_lists_are_converted_only_for_metrics_over_trees() -> None:
    texts, trees = (["a"], ["a"]), {"trees": [3], "reference_trees": [3]}
    assert hb.score(*texts, "pef", **trees)["pef"].value == 1  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a tree must be"):
        hb.score(*texts, "dted", **trees)  # type: ignore[arg-type]


@pytest.mark.parametrize("align", ["", "align=exact,", "align=stem+exact,"])
def test_a_metric_builds_one_aligner(align: str, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[Aligner] = []
    build = Aligner.__init__

    def count(self: Aligner, *arguments: Any, **options: Any) -> None:
        built.append(self)
        build(self, *arguments, **options)

    monkeypatch.setattr(Aligner, "__init__", count)
    shared_aligner.cache_clear()
    metric = hb.metrics.get(f"pef:{align}tok=none", "en")
    assert len(built) == 1
    hb.score(["a b"], ["b a"], [metric])
    others = [hb.metrics.get(f"{name}:{align}tok=none", "en") for name in ("kendall", "full")]
    hb.score(["a b"], ["b a"], others)
    assert len(built) == 1


def test_stored_links_are_not_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpora.corpus(52, 30)
    aligned: list[int] = []
    align_words = Aligner.align_words

    def count(self: Aligner, hyps: Any, refs: Any, threads: Any = None) -> Any:
        aligned.append(len(hyps.offsets) - 1)
        return align_words(self, hyps, refs, threads)

    monkeypatch.setattr(Aligner, "align_words", count)
    metrics = metrics_by_spec(["pef", "adjacency", "full", "wer"])
    run = Run(metrics, keep=Keep(texts=True, links=True), batch_size=12)
    (result,) = score_corpus(ListCorpus({"system": corpus.hypotheses}, corpus.references), run)
    assert len(aligned) == 3  # once for each batch, whatever the number of metrics
    assert sum(aligned) == sum(map(len, corpus.references))
    assert result.corpus is not None
    for stored in result.corpus:
        batch = stored.open(stored.open_references())
        for spec, metric in metrics.items():
            rows = result[spec].kept_statistics[stored.first : stored.first + len(batch)]
            assert metric.statistics(batch).tobytes() == rows.tobytes()
    assert len(aligned) == 3
    # Another aligner has to align again.
    hb.metrics.get("pef:case=mixed").statistics(batch)
    assert len(aligned) == 4
