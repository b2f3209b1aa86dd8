"""Files of human judgements: all layouts, and all errors."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hyperbaton.errors import InputError
from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.readers import (
    read_external_scores,
    read_judgements,
    read_score_file,
    read_score_table,
)

Write = Callable[[str, str], Path]


def read_rankings(path: Path, systems: list[str] | None = None, n: int | None = None) -> Rankings:
    people = read_judgements(path, systems, n)
    assert isinstance(people, Rankings)
    return people


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def write_text(name: str, text: str) -> Path:
        if name.endswith(".gz"):
            Path(name).write_bytes(gzip.compress(text.encode("utf-8")))
        else:
            Path(name).write_text(text, encoding="utf-8", newline="")
        return Path(name)

    return write_text


def comparisons(people: Rankings) -> list[tuple[int, str, str, int]]:
    """Return (segment, first, second, outcome) of each comparison, sorted."""
    parts = (people.segment, people.first, people.second, people.outcome)
    return sorted(
        (s, people.systems[a], people.systems[b], o)
        for s, a, b, o in zip(*(part.tolist() for part in parts), strict=True)
    )


BY_RANKING = "ranking_id,judge,seg_id,system1,rank1,system2,rank2\n0,x,3,A,1,B,2\n1,y,0,B,2,A,2\n"
BY_SYSTEM = "ranking_id,judge,seg_id,system,rank\n7,x,3,A,1\n8,y,0,B,2\n7,x,3,B,2\n8,y,0,A,2\n"
WMT = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n"
    "ces,eng,4,4,x,A,1,B,2\nces,eng,1,1,y,B,2,A,2\n"
)


@pytest.mark.parametrize("text", [BY_RANKING, BY_SYSTEM, WMT, BY_RANKING.replace("\n", "\r\n")])
@pytest.mark.parametrize("name", ["ranks.csv", "ranks.csv.gz"])
def test_rankings_in_all_layouts(write: Write, text: str, name: str) -> None:
    people = read_rankings(write(name, text))
    assert comparisons(people) == [(0, "B", "A", 0), (3, "A", "B", 1)]
    assert (people.n, people.judges) == (4, ("x", "y"))


def test_rankings_separated_by_tabs(write: Write) -> None:
    assert len(read_rankings(write("ranks.tsv", BY_RANKING.replace(",", "\t")))) == 2


def test_missing_ranks_are_skipped(write: Write) -> None:
    head = "seg_id,system1,rank1,system2,rank2,system3,rank3\n"
    people = read_rankings(write("r.csv", head + "0,A,1,B,-1,C,2\n1,A,1,B,2,,\n"))
    assert comparisons(people) == [(0, "A", "C", 1), (1, "A", "B", 1)]


def test_systems_with_the_same_output_are_not_compared(write: Write) -> None:
    text = "ranking_id,seg_id,system,rank\n1,0,A+B,1\n1,0,C,2\n"
    assert comparisons(read_rankings(write("r.csv", text))) == [(0, "A", "C", 1), (0, "B", "C", 1)]
    people = read_rankings(Path("r.csv"), ["A+B", "C"])
    assert comparisons(people) == [(0, "A+B", "C", 1)]


def test_preferences_with_and_without_counts(write: Write) -> None:
    people = read_rankings(write("p.tsv.gz", "seg_id\tbetter\tworse\tn\n2\tA\tB\t3\n0\tB\tA\t1\n"))
    assert comparisons(people) == [(0, "B", "A", 1), (2, "A", "B", 1)]
    assert people.judgements == 4
    twice = read_rankings(write("q.tsv", "seg_id\tbetter\tworse\n0\tA\tB\n0\tA\tB\n"))
    assert twice.judgements == 2


def test_scores_of_segments_and_of_systems(write: Write) -> None:
    text = "system\tseg_id\tscore\nB\t1\t-2.5\nA\t0\t1e1\nA\t1\tNone\n"
    scores = read_score_table(write("s.tsv", text), ["A", "B"], 2)["score"]
    np.testing.assert_array_equal(scores.segments, [[10, np.nan], [np.nan, -2.5]])
    whole = read_judgements(write("w.tsv", "system\tscore\nB\t0.5\n"), ["A", "B"], 2)
    assert isinstance(whole, Scores)
    np.testing.assert_array_equal(whole.of_whole_systems(), [np.nan, 0.5])
    assert not whole.judged.any()


def test_output_of_score_segments_is_read(write: Write) -> None:
    text = "segment\tsystem\tpef\twer\n1\tA\t0.5\t0.25\n1\tB\t1.0\t0.0\n"
    scores = read_score_table(write("segments.tsv", text), ["A", "B"], 1)
    assert list(scores) == ["pef", "wer"]
    assert scores["wer"].segments.tolist() == [[0.25], [0.0]]


def test_scores_of_several_judges_are_averaged(write: Write) -> None:
    text = "system\tseg_id\tjudge\tscore\nA\t0\tx\t1\nA\t0\ty\t4\nB\t0\tx\t3\nB\t0\ty\t4\n"
    assert read_score_table(write("s.tsv", text))["score"].segments.tolist() == [[2.5], [3.5]]
    standardized = read_score_table(Path("s.tsv"), standardize=True)["score"]
    assert standardized.segments.tolist() == [[-0.5], [0.5]]


def test_score_files_of_mt_metrics_eval(write: Write) -> None:
    segments = read_score_file(
        write("a.seg.score", "A 1\nA None\nR 9\nR 9\nB 3\nB 4\n"), "AB", 2, "R"
    )
    np.testing.assert_array_equal(segments.segments, [[1, np.nan], [3, 4]])
    whole = read_score_file(write("a.sys.score", "A\t1.5\nB\tNone\n"), "AB", 2)
    np.testing.assert_array_equal(whole.of_whole_systems(), [1.5, np.nan])


INVALID_FILES = [  # F stands for the name of the file
    ("", "F is empty"),
    ("seg_id,better,worse\n", "F has a header but no rows"),
    ("a,a\n1,2\n", "F has two columns 'a'"),
    (
        "seg_id,x\n0,1\n",
        "F has no ranks (system1, rank1, …) or preferences (better, worse); it has seg_id, x",
    ),
    ("better,worse\nA,B\n", "F has no column 'seg_id'; it has better, worse"),
    ("seg_id,better,worse\n0,A\n", "F, line 2, has 2 columns, but the first line has 3"),
    ("seg_id,better,worse\nx,A,B\n", "F, line 2: seg_id must be an integer, got 'x'"),
    (
        "seg_id,better,worse\n9,A,B\n",
        "F, line 2: there is no segment 9; segments run from 0 to 2",
    ),
    (
        "srcIndex,better,worse\n0,A,B\n",
        "F, line 2: there is no segment 0; segments run from 1 to 3",
    ),
    ("seg_id,better,worse\n0,A,A\n", "F, line 2: 'A' cannot be better than itself"),
    ("seg_id,better,worse,n\n0,A,B,0\n", "F, line 2: n must be at least 1, got 0"),
    (
        "seg_id,better,worse,n\n0,A,B,1\n0,A,B,1\n",
        "F, line 3: the same pair already has a count on line 2",
    ),
    (
        "seg_id,better,worse\n0,A,X\n1,X,B\n1,A,Y\n",
        "F names 2 unknown systems: 'X' (line 2, 2 times), 'Y' (line 4, 1 time); "
        "known systems: A, B",
    ),
    (
        "seg_id,system,rank\n0,A,1\n",
        "F has no column 'ranking_id'; it has seg_id, system, rank",
    ),
    (
        "ranking_id,seg_id,system,rank\n1,0,A,1\n1,1,B,2\n",
        "F, line 3: all rows of a ranking must have the same segment",
    ),
    (
        "ranking_id,seg_id,system,rank\n1,0,A,1\n1,0,A,2\n",
        "F, line 3: 'A' occurs twice in the ranking",
    ),
    (
        "seg_id,system1,rank1,system2,rank2\n0,A,1,A,2\n",
        "F, line 2: 'A' occurs twice in the ranking",
    ),
    (
        "seg_id,system1,rank1,system2,rank2\n0,A,1,B,0\n",
        "F, line 2: rank2 must be at least 1, got 0",
    ),
    ("seg_id,system1,rank1\n0,A,-1\n", "F has no ranks"),
    (
        "srclang,trglang,seg_id,system1,rank1\nde,en,0,A,1\nfr,en,0,A,1\n",
        "F has rankings of 2 language pairs (de-en, fr-en); use one file per pair",
    ),
    ("seg_id,score\n0,1\n", "F has no column 'system'; it has seg_id, score"),
    (
        "system;seg_id;score\nA;0;1\n",
        "F separates columns by ';'; use tabs or commas",
    ),
    ("seg_id,better,worse\n0,A,A.txt\n", "F, line 2: 'A' cannot be better than itself"),
    (
        "system,seg_id,score\nA,0,1\nA,0,1\n",
        "F, line 3: a second score of A, segment 0; see line 2",
    ),
    ("system,score\nA,1\nA,2\n", "F, line 3: a second score of A; see line 2"),
    ("system,seg_id,score\nA,0,good\n", "F, line 2: score must be a number, got 'good'"),
    ("system,seg_id,score\nA,0,inf\n", "F, line 2: score must be a number, got 'inf'"),
    (
        "system,seg_id,score\nX,0,1\n",
        "F names 1 unknown system: 'X' (line 2, 1 time); known systems: A, B",
    ),
]


@pytest.mark.parametrize(
    ("text", "message"), INVALID_FILES, ids=[message for _, message in INVALID_FILES]
)
def test_errors_name_the_file_and_the_line(write: Write, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_judgements(write("f.csv", text), ["A", "B"], 3)
    assert str(error.value) == message.replace("F", "f.csv", 1)


def test_names_of_systems_may_have_the_suffix_of_their_files(write: Write) -> None:
    text = "system,seg_id,score\nA.txt,0,1\nB.txt.gz,0,2\nC.txt,0,3\n"
    scores = read_score_table(write("s.csv", text), ["A", "B", "C.txt"], 1)["score"]
    assert scores.segments.tolist() == [[1], [2], [3]]
    text = "seg_id,better,worse\n0,A.txt,B\n"
    ranked = read_rankings(write("r.csv", text), ["A", "B"], 1)
    assert (ranked.first.tolist(), ranked.second.tolist()) == ([0], [1])
    text = "ranking_id,seg_id,system,rank\n0,0,A.txt+B.txt,1\n0,0,C+D.txt,2\n"
    ranked = read_rankings(write("j.csv", text), ["A", "B", "C+D"], 1)
    assert (ranked.first.tolist(), ranked.second.tolist()) == ([0, 1], [2, 2])
    scores = read_score_file(write("f", "A.txt 1\nB.txt 2\n"), "AB", 3)
    assert scores.of_whole_systems().tolist() == [1, 2]


def test_a_file_without_scores_raises(write: Write) -> None:
    with pytest.raises(InputError, match=r"f\.csv has no scores; it has system, seg_id"):
        read_score_table(write("f.csv", "system,seg_id\nA,0\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A 1 2\n", "f, line 1: expected a system and a score, got 3 words"),
        ("A 1\nA 2\nA 3\n", "f has 3 scores of A, but there are 2 segments"),
        ("C 1\n", "f names 1 unknown system: 'C' (line 1, 1 time); known systems: A, B"),
        ("A x\n", "f, line 1: score must be a number, got 'x'"),
    ],
)
def test_invalid_score_files_raise(write: Write, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_score_file(write("f", text), "AB", 2)
    assert str(error.value) == message


def test_suffixes_of_score_files_are_stripped(write: Write) -> None:
    for name in ("o9.csv", "o9.tsv"):
        write(name, "system,score\ngood,1\n")
        assert list(read_external_scores(name, ["good", "bad"], 40)) == ["o9"]


def test_other_metrics_have_the_name_of_their_column_or_file(write: Write) -> None:
    write("comet.tsv", "system\tseg_id\tscore\ngood\t0\t1\n")
    assert list(read_external_scores("comet.tsv", ["good"], 1)) == ["comet"]
    write("two.tsv", "system\tseg_id\tx\ty\ngood\t0\t1\t2\n")
    assert list(read_external_scores("two.tsv", ["good"], 1)) == ["x", "y"]
