"""Folders of test sets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.errors import InputError
from hyperbaton.meta import agreement
from hyperbaton.meta.evaluation import score_test_set
from hyperbaton.meta.judgements import Rankings
from hyperbaton.meta.testsets import TestSet, read_others, read_test_sets
from hyperbaton.metrics.scoring import named_metrics
from hyperbaton.syntax.conllu import to_conllu
from meta.corpora import QUALITY, N, people, small, texts, write, write_folder, write_google
from parsing import ToyParser


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_one_folder() -> None:
    write_folder(Path("de-en"))
    (found,) = read_test_sets("de-en")
    expected, given = small(), people(1)[1]
    assert (found.name, found.n, set(found.systems)) == ("de-en", N, set(QUALITY))
    assert found.rankings is not None
    assert found.segments is not None
    assert found.whole is not None
    for systems, ours in ((tuple(found.systems), found), (tuple(QUALITY), expected)):
        assert ours.rankings is not None
        assert ours.segments is not None
        assert ours.rankings.systems == ours.segments.systems == systems
    np.testing.assert_array_equal(
        found.segments.of_systems(tuple(QUALITY)).segments, given.segments
    )
    for name in ("tau", "tau_wmt14", "accuracy"):
        measure = agreement.get(name)
        metric = np.random.default_rng(1).random((4, N))
        order = [list(QUALITY).index(name) for name in found.systems]
        assert measure.value(found.rankings, metric[order]) == pytest.approx(
            measure.value(expected.rankings, metric)  # type: ignore[arg-type]
        )


def test_a_folder_of_folders_and_a_choice_of_them() -> None:
    for pair in ("de-en", "fr-en"):
        write_folder(Path("set", pair))
    assert [one.name for one in read_test_sets("set")] == ["de-en", "fr-en"]
    assert [one.name for one in read_test_sets("set", pairs=["fr-en"])] == ["fr-en"]
    with pytest.raises(InputError, match="set has no cs-en; it has de-en, fr-en"):
        read_test_sets("set", pairs=["cs-en"])


def test_several_references() -> None:
    write_folder(Path("de-en"))
    write(Path("de-en", "reference.B.txt"), ["other"] * N)
    (found,) = read_test_sets("de-en")
    assert sorted(map(len, found.references)) == [2] * N


def test_preferences_where_there_are_no_rankings() -> None:
    write_folder(Path("de-en"))
    Path("de-en/judgments.csv").unlink()
    write(Path("de-en/pairwise.tsv"), ["seg_id\tbetter\tworse\tn", "0\tgood\tbad\t2"])
    (found,) = read_test_sets("de-en")
    assert found.rankings is not None
    assert found.rankings.judgements == 2


def test_trees_beside_the_texts() -> None:
    write_folder(Path("de-en"))
    assert read_test_sets("de-en", trees=True)[0].trees is None
    references, systems = texts(1)
    for name, lines in {"reference": references, **systems}.items():
        folder = Path("de-en") if name == "reference" else Path("de-en/systems")
        blocks = [to_conllu(tree, line) for line, tree in parsed(lines)]
        (folder / f"{name}.conllu").write_text("".join(blocks), "utf-8")
    (found,) = read_test_sets("de-en", trees=True)
    assert found.trees is not None
    assert found.reference_trees is not None
    assert set(found.trees) == set(QUALITY)
    assert read_test_sets("de-en")[0].trees is None
    expected = {
        name: hb.score(
            lines,
            references,
            "dted",
            trees=[tree for _, tree in parsed(lines)],
            reference_trees=[tree for _, tree in parsed(references)],
        )["dted"].value
        for name, lines in systems.items()
    }
    (scored,) = score_test_set(found, named_metrics("dted"))
    assert dict(zip(found.systems, scored.whole, strict=True)) == pytest.approx(expected)
    assert hb.meta_evaluate("de-en", "dted", samples=5)["de-en", "dted"].value is not None
    Path("de-en/systems/bad.conllu").unlink()
    with pytest.raises(InputError, match=r"reference\.conllu is there, but no .*bad\.conllu"):
        read_test_sets("de-en", trees=True)


def parsed(lines: list[str]) -> list[tuple[str, hb.DependencyTree]]:
    return list(zip(lines, ToyParser().parse(lines), strict=True))


def test_mt_metrics_eval() -> None:
    write_google(Path("wmt22"))
    (found,) = read_test_sets("wmt22", others=True)
    _, scores = people(1)
    assert set(found.systems) == set(QUALITY)  # the reference that is a system is left out
    assert found.segments is not None
    assert found.whole is not None
    np.testing.assert_array_equal(
        found.segments.of_systems(tuple(QUALITY)).segments, scores.segments
    )
    assert list(found.others) == ["length-src"]
    length = found.others["length-src"].of_systems(tuple(QUALITY))
    assert length.of_whole_systems().tolist() == [0, 1, 2, 3]
    assert length.segments[0].tolist() == [len(line) for line in texts(1)[1]["good"]]
    (one,) = read_test_sets("wmt22", references=["refB"])
    assert set(one.systems) == {*QUALITY, "refA"}  # as a translation, without a human score
    assert not read_test_sets("wmt22")[0].others


def test_mt_metrics_eval_with_several_human_scores() -> None:
    write_google(Path("wmt22"))
    write(Path("wmt22/human-scores/de-en.da.sys.score"), ["good 1", "bad 0"])
    with pytest.raises(InputError, match="de-en: choose the human scores; there are da, mqm"):
        read_test_sets("wmt22")
    with pytest.raises(InputError, match="de-en: no human scores 'x'; there are da, mqm"):
        read_test_sets("wmt22", scores="x")
    (found,) = read_test_sets("wmt22", scores="da")
    assert found.segments is None
    with pytest.raises(InputError, match="de-en has no reference 'refC'; it has refA, refB"):
        read_test_sets("wmt22", scores="da", references=["refC"])


def test_what_is_wrong_with_a_folder() -> None:
    with pytest.raises(InputError, match="there is no folder none"):
        read_test_sets("none")
    Path("empty").mkdir()
    with pytest.raises(InputError, match="empty is no test set: it has no folder systems"):
        read_test_sets("empty")
    write_folder(Path("de-en"))
    write(Path("de-en/systems/good.txt"), ["short"])
    with pytest.raises(InputError, match="reference has 40 lines, but good has 1"):
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


def test_judgements_must_fit() -> None:
    references, systems = texts(1)
    ranked, scores = people(1)
    rows = [[line] for line in references]
    with pytest.raises(InputError, match="unknown system: bad"):
        TestSet.of("x", {name: systems[name] for name in ("good", "fair", "poor")}, rows, [ranked])
    with pytest.raises(InputError, match="x has two files of rankings: give one"):
        TestSet.of("x", systems, rows, [ranked, ranked])
    shorter = {name: lines[1:] for name, lines in systems.items()}
    with pytest.raises(InputError, match="x has 39 segments, but judgements of 40"):
        TestSet.of("x", shorter, rows[1:], [scores])


def test_references_are_those_of_score() -> None:
    references, systems = texts(1)
    ranked, _ = people(1)
    flat = TestSet.of("x", systems, references, [ranked])
    assert flat.references == [[line] for line in references]
    with pytest.raises(InputError, match="x: 40 hypotheses, but references for 39 segments"):
        TestSet.of("x", systems, references[1:], [ranked])
    with pytest.raises(InputError, match="x: good has 40 lines, but poor has 39"):
        TestSet.of("x", {**systems, "poor": systems["poor"][1:]}, references, [ranked])


def test_choices_that_have_no_meaning_are_refused() -> None:
    write_folder(Path("de-en"))
    write_google(Path("wmt22"))
    only = "is only for folders of mt-metrics-eval"
    with pytest.raises(InputError, match=f"de-en: -r {only}"):
        read_test_sets("de-en", references=["refA"])
    with pytest.raises(InputError, match=f"de-en: --human-scores {only}"):
        read_test_sets("de-en", scores="mqm")
    with pytest.raises(InputError, match=f"de-en: --others {only}"):
        read_test_sets("de-en", others=True)
    with pytest.raises(InputError, match="wmt22: --standardize is not for folders"):
        read_test_sets("wmt22", scores="mqm", standardize=True)
    for file in Path("wmt22/human-scores").iterdir():
        file.unlink()
    with pytest.raises(InputError, match="wmt22 has no human scores of de-en"):
        read_test_sets("wmt22")


def test_scores_are_named_by_their_file() -> None:
    for name in ("o9.csv", "o9.tsv"):
        write(Path(name), ["system,score", "good,1"])
        assert list(read_others(name, list(QUALITY), N)) == ["o9"]


def test_which_judgements_a_measure_takes() -> None:
    given = small()
    for name, people_, expected in [
        ("tau", None, given.rankings),
        ("tau", "segments", given.segments),
        ("pearson", None, given.segments),
        ("pearson", "ranks", given.rankings),
        ("pearson_sys", None, given.whole),
        ("pearson_sys", "segments", given.segments),
        ("pearson_sys", "rankings", given.rankings),
    ]:
        assert given.human(agreement.get(name), people_)[1] is expected
    measure, human = given.human(agreement.get("spearman_sys"), None, "rankings")
    assert isinstance(human, Rankings)
    assert measure.by == "won"  # type: ignore[attr-defined]
    measure, _ = given.human(agreement.get("spearman_sys"), "ranks")
    assert measure.by == "ranks"  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="takes one of rankings, segments, not 'systems'"):
        given.human(agreement.get("tau"), "systems")
    with pytest.raises(InputError, match="de-en has no rankings or segments, which tau is of"):
        replace(given, rankings=None, segments=None).human(agreement.get("tau"))


def test_scores_of_other_metrics_are_called_by_their_column_or_file() -> None:
    write(Path("comet.tsv"), ["system\tseg_id\tscore", "good\t0\t1"])
    assert list(read_others("comet.tsv", ["good"], 1)) == ["comet"]
    write(Path("two.tsv"), ["system\tseg_id\tx\ty", "good\t0\t1\t2"])
    assert list(read_others("two.tsv", ["good"], 1)) == ["x", "y"]
