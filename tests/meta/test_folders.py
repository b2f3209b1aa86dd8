"""Test sets in folders."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.errors import InputError
from hyperbaton.meta import agreement
from hyperbaton.meta.evaluation import score_metrics
from hyperbaton.meta.testsets import read_test_sets
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.run import Run
from hyperbaton.syntax.conllu import to_conllu
from meta.corpora import (
    ERROR_RATES,
    N,
    people,
    small,
    texts,
    write,
    write_folder,
    write_mt_metrics_eval,
)
from parsing import ToyParser


@pytest.fixture(autouse=True)
def work_in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_folder_is_read_with_all_its_judgements() -> None:
    write_folder(Path("de-en"))
    (test_set,) = read_test_sets("de-en")
    expected, scores = small(), people(1)[1]
    assert (test_set.name, test_set.n, set(test_set.systems)) == ("de-en", N, set(ERROR_RATES))
    assert test_set.rankings is not None
    assert test_set.segments is not None
    assert test_set.whole is not None
    for systems, ours in ((tuple(test_set.systems), test_set), (tuple(ERROR_RATES), expected)):
        assert ours.rankings is not None
        assert ours.segments is not None
        assert ours.rankings.systems == ours.segments.systems == systems
    np.testing.assert_array_equal(
        test_set.segments.of_systems(tuple(ERROR_RATES)).segments, scores.segments
    )
    for name in ("tau", "tau_wmt14", "accuracy"):
        measure = agreement.get(name)
        metric = np.random.default_rng(1).random((4, N))
        order = [list(ERROR_RATES).index(name) for name in test_set.systems]
        assert measure.value(test_set.rankings, metric[order]) == pytest.approx(
            measure.value(expected.rankings, metric)  # type: ignore[arg-type]
        )


def test_pairs_are_chosen_in_a_folder_of_folders() -> None:
    for pair in ("de-en", "fr-en"):
        write_folder(Path("set", pair))
    assert [one.name for one in read_test_sets("set")] == ["de-en", "fr-en"]
    assert [one.name for one in read_test_sets("set", pairs=["fr-en"])] == ["fr-en"]
    with pytest.raises(InputError, match="set has no cs-en; it has de-en, fr-en"):
        read_test_sets("set", pairs=["cs-en"])


def test_several_references_are_read() -> None:
    write_folder(Path("de-en"))
    write(Path("de-en", "reference.B.txt"), ["other"] * N)
    (test_set,) = read_test_sets("de-en")
    assert sorted(map(len, test_set.references)) == [2] * N


def test_preferences_are_read_if_there_are_no_rankings() -> None:
    write_folder(Path("de-en"))
    Path("de-en/judgments.csv").unlink()
    write(Path("de-en/pairwise.tsv"), ["seg_id\tbetter\tworse\tn", "0\tgood\tbad\t2"])
    (test_set,) = read_test_sets("de-en")
    assert test_set.rankings is not None
    assert test_set.rankings.judgements == 2


def test_trees_beside_the_texts_are_read() -> None:
    write_folder(Path("de-en"))
    assert read_test_sets("de-en", trees=True)[0].trees is None
    references, systems = texts(1)
    for name, lines in {"reference": references, **systems}.items():
        folder = Path("de-en") if name == "reference" else Path("de-en/systems")
        blocks = [to_conllu(tree, line) for line, tree in parse(lines)]
        (folder / f"{name}.conllu").write_text("".join(blocks), "utf-8")
    (test_set,) = read_test_sets("de-en", trees=True)
    assert test_set.trees is not None
    assert test_set.reference_trees is not None
    assert set(test_set.trees) == set(ERROR_RATES)
    assert read_test_sets("de-en")[0].trees is None
    expected = {
        name: hb.score(
            lines,
            references,
            "dted",
            trees=[tree for _, tree in parse(lines)],
            reference_trees=[tree for _, tree in parse(references)],
        )["dted"].value
        for name, lines in systems.items()
    }
    (scored,) = score_metrics(test_set, Run(metrics_by_spec("dted")))
    assert dict(zip(test_set.systems, scored.system_scores, strict=True)) == pytest.approx(expected)
    assert hb.meta_evaluate("de-en", "dted", samples=5)["de-en", "dted"].value is not None
    Path("de-en/systems/bad.conllu").unlink()
    with pytest.raises(InputError, match=r"reference\.conllu exists, but .*bad\.conllu does not"):
        read_test_sets("de-en", trees=True)


def parse(lines: list[str]) -> list[tuple[str, hb.DependencyTree]]:
    return list(zip(lines, ToyParser().parse(lines), strict=True))


def test_mt_metrics_eval_folders_are_read() -> None:
    write_mt_metrics_eval(Path("wmt22"))
    (test_set,) = read_test_sets("wmt22", others=True)
    _, scores = people(1)
    assert set(test_set.systems) == set(ERROR_RATES)  # refA is a reference, so it is not a system
    assert test_set.segments is not None
    assert test_set.whole is not None
    np.testing.assert_array_equal(
        test_set.segments.of_systems(tuple(ERROR_RATES)).segments, scores.segments
    )
    assert list(test_set.others) == ["length-src"]
    length = test_set.others["length-src"].of_systems(tuple(ERROR_RATES))
    assert length.of_whole_systems().tolist() == [0, 1, 2, 3]
    assert length.segments[0].tolist() == [len(line) for line in texts(1)[1]["good"]]
    (one,) = read_test_sets("wmt22", references=["refB"])
    assert set(one.systems) == {*ERROR_RATES, "refA"}  # refA is a system without human scores
    assert not read_test_sets("wmt22")[0].others


def test_one_of_several_human_scores_must_be_chosen() -> None:
    write_mt_metrics_eval(Path("wmt22"))
    write(Path("wmt22/human-scores/de-en.da.sys.score"), ["good 1", "bad 0"])
    with pytest.raises(InputError, match="de-en has several human scores; choose one of da, mqm"):
        read_test_sets("wmt22")
    with pytest.raises(InputError, match="de-en has no human scores 'x'; it has da, mqm"):
        read_test_sets("wmt22", scores="x")
    (test_set,) = read_test_sets("wmt22", scores="da")
    assert test_set.segments is None
    with pytest.raises(InputError, match="de-en has no reference 'refC'; it has refA, refB"):
        read_test_sets("wmt22", scores="da", references=["refC"])


def test_invalid_folders_raise() -> None:
    with pytest.raises(InputError, match="there is no folder none"):
        read_test_sets("none")
    Path("empty").mkdir()
    with pytest.raises(InputError, match="empty is not a test set: it has no folder systems"):
        read_test_sets("empty")
    write_folder(Path("de-en"))
    write(Path("de-en/systems/good.txt"), ["short"])
    with pytest.raises(InputError, match=r"reference\.txt has 40 lines, but .*good\.txt has 1"):
        read_test_sets("de-en")
    write_folder(Path("a"))
    Path("a/reference.txt").unlink()
    with pytest.raises(InputError, match=r"a has no reference\.txt"):
        read_test_sets("a")
    write_folder(Path("b"))
    for name in ("judgments.csv", "human_seg.tsv", "human_sys.tsv"):
        Path("b", name).unlink()
    with pytest.raises(InputError, match="b has no human judgements"):
        read_test_sets("b")


def test_options_that_do_not_apply_raise() -> None:
    write_folder(Path("de-en"))
    write_mt_metrics_eval(Path("wmt22"))
    only = "only in folders of mt-metrics-eval"
    with pytest.raises(InputError, match=f"de-en: references can be chosen {only}"):
        read_test_sets("de-en", references=["refA"])
    with pytest.raises(InputError, match=f"de-en: human scores can be chosen {only}"):
        read_test_sets("de-en", scores="mqm")
    with pytest.raises(InputError, match=f"de-en: scores of other metrics can be read {only}"):
        read_test_sets("de-en", others=True)
    with pytest.raises(InputError, match="wmt22: scores of mt-metrics-eval cannot be standardized"):
        read_test_sets("wmt22", scores="mqm", standardize=True)
    for file in Path("wmt22/human-scores").iterdir():
        file.unlink()
    with pytest.raises(InputError, match="wmt22 has no human scores for de-en"):
        read_test_sets("wmt22")


def test_the_source_of_a_folder_is_read_if_it_is_asked_for() -> None:
    write_folder(Path("de-en"))
    with pytest.raises(InputError, match=r"cannot read de-en.source\.txt"):
        read_test_sets("de-en", source=True)
    source = [f"satz {k}" for k in range(N)]
    write(Path("de-en/source.txt"), source)
    assert read_test_sets("de-en", source=True)[0].source == source
    assert read_test_sets("de-en")[0].source is None
    write(Path("de-en/source.txt"), source[1:])
    with pytest.raises(InputError, match=r"de-en has 40 segments, but de-en.source\.txt has 39"):
        read_test_sets("de-en", source=True)


def test_a_source_may_be_gzipped() -> None:
    write_folder(Path("de-en"))
    with gzip.open("de-en/source.txt.gz", "wt", encoding="utf-8") as file:
        file.write("satz\n" * N)
    assert read_test_sets("de-en", source=True)[0].source == ["satz"] * N


def test_the_source_of_mt_metrics_eval() -> None:
    for pair, seed in (("de-en", 1), ("fr-en", 2)):
        write_mt_metrics_eval(Path("wmt22"), pair, seed)
        write(Path(f"wmt22/sources/{pair}.txt"), [f"{pair} {k}" for k in range(N)])
    found = read_test_sets("wmt22", pairs=["fr-en"], source=True)
    assert [one.source for one in found] == [[f"fr-en {k}" for k in range(N)]]
    assert all(one.source is None for one in read_test_sets("wmt22"))
    Path("wmt22/sources/de-en.txt").unlink()
    with pytest.raises(InputError, match=r"cannot read wmt22.sources.de-en\.txt"):
        read_test_sets("wmt22", source=True)
