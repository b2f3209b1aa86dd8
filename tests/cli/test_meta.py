"""``hyperbaton meta`` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hyperbaton.cli import main
from hyperbaton.cli.human_data import Average, People
from hyperbaton.cli.meta import Method, Units
from hyperbaton.meta import agreement
from hyperbaton.meta.evaluation import meta_evaluate
from hyperbaton.meta.measures import AVERAGES, UNITS
from hyperbaton.meta.plan import TESTS
from hyperbaton.meta.testsets import PEOPLE
from meta.corpora import QUALITY, N, people, ranks_csv, texts, write, write_folder, write_google

FEW = ["-m", "kendall,wer", "--samples", "50"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    write_folder(Path("set/de-en"), 1)
    write_folder(Path("set/fr-en"), 2)


def test_choices_are_those_of_the_library() -> None:
    for ours, theirs in ((Average, AVERAGES), (People, PEOPLE), (Units, UNITS), (Method, TESTS)):
        assert tuple(one.value for one in ours) == theirs


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["meta", "set", *FEW]) == 0
    out = capsys.readouterr().out
    found = meta_evaluate("set", ["kendall", "wer"], samples=50)
    head, kendall, wer, _, said, star, counts, *_ = out.splitlines()
    assert head.split() == ["metric", "de-en", "fr-en", "mean", "mean", "rank"]
    for row, metric in ((kendall, "kendall"), (wer, "wer")):
        one = found["de-en", metric]
        assert f"{one.value:.3f} [{one.lower:.3f}, {one.upper:.3f}]" in row
    assert said.startswith(
        "tau: Kendall's τ of pairs, ties left out; 95 % intervals: bootstrap over"
    )
    assert star == "*: no other metric is significantly better (permutation test, p < 0.05)"
    assert counts == (
        f"de-en: rankings by people; 4 of 4 systems used; {N} of {N} segments judged, "
        f"{N} scored, {N} both; "
        f"{6 * N} of {6 * N} judgements used"
    )
    assert "wer|nrefs:1|" in out


def test_json_and_tsv_have_all_digits(capsys: pytest.CaptureFixture[str]) -> None:
    found = meta_evaluate("set", ["kendall", "wer"], samples=50)
    assert main(["meta", "set", *FEW, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(found.to_json())
    assert main(["meta", "set", *FEW, "--format", "tsv"]) == 0
    head, *rows = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert len(rows) == 4
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        assert float(cells["value"]) == found[cells["pair"], cells["metric"]].value


def test_markdown_and_latex(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["meta", "set", *FEW, "--format", "markdown", "--pairwise"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("| metric | de-en | fr-en | mean | mean rank |\n| --- | ---: |")
    assert "| N/B/D |" in out
    assert "| p, de-en |" in out
    assert "- `bold: no other metric is significantly better" in out
    assert "- `N/B/D: on how many pairs the metric of the row is significantly better (N)" in out
    assert "*: " not in out
    assert main(["meta", "set", *FEW, "--format", "latex"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("\\begin{tabular}{lrrrr}\n\\toprule\nmetric & de-en")
    assert "% tau: Kendall's" in out


def test_explicit_files(capsys: pytest.CaptureFixture[str]) -> None:
    references, systems = texts(1)
    write(Path("ref.txt"), references)
    for name, lines in systems.items():
        write(Path(f"{name}.txt"), lines)
    write(Path("ranks.csv"), ranks_csv(people(1)[1]))
    given = ["meta", "-r", "ref.txt", *(f"{name}.txt" for name in QUALITY), "--human", "ranks.csv"]
    assert main([*given, *FEW, "--format", "json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    expected = meta_evaluate("set/de-en", ["kendall", "wer"], samples=50)
    assert pair["name"] == "ranks"
    assert pair["metrics"]["wer"]["value"] == expected["de-en", "wer"].value
    assert main(["meta", "good.txt", "--human", "ranks.csv"]) == 2
    assert "no reference: hyperbaton meta -r REF SYS... --human FILE" in capsys.readouterr().err
    assert main([*given, "--pair", "x"]) == 2
    assert "are for folders, not for files" in capsys.readouterr().err
    write(Path("good.txt"), ["one line"])
    assert main([*given, *FEW]) == 2
    assert "ref.txt has 40 lines, but good has 1" in capsys.readouterr().err


def test_scores_of_other_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    """What ``score --segments`` writes is read, and agrees as the metric itself does."""
    names = [f"set/de-en/systems/{name}.txt" for name in QUALITY]
    command = ["score", "-r", "set/de-en/reference.txt", *names, "-m", "kendall,wer"]
    assert main([*command, "--segments", "s.tsv", "-o", "out"]) == 0
    table = Path("s.tsv").read_text("utf-8")
    Path("s.tsv").write_text(table.replace("kendall\twer", "k\tw"), "utf-8")
    more = ["--scores", "s.tsv", "--negate", "w", "--format", "json"]
    assert main(["meta", "set/de-en", *FEW, *more]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    for ours, theirs in (("kendall", "k"), ("wer", "w")):
        assert pair["metrics"][ours]["value"] == pair["metrics"][theirs]["value"]
    (same,) = (d for d in pair["differences"] if (d["a"], d["b"]) == ("wer", "w"))
    assert (same["difference"], same["p"], same["better"]) == (0, 1, None)
    assert main(["meta", "set/de-en", "-m", "none", "--scores", "s.tsv", "--samples", "9"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("k ")
    assert main(["meta", "set", *FEW, "--scores", "s.tsv"]) == 2
    assert "--scores are of one test set, but there are 2" in capsys.readouterr().err
    assert main(["meta", "set/de-en", "-m", "none"]) == 2
    assert "no metrics were asked for" in capsys.readouterr().err


def test_mt_metrics_eval(capsys: pytest.CaptureFixture[str]) -> None:
    write_google(Path("wmt22"))
    command = ["meta", "wmt22", "--pair", "de-en", "--human-scores", "mqm", "--others", *FEW]
    assert main([*command, "-a", "acc-eq", "-r", "refB", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["agreement"], document["average"]) == ("acc_eq", "item")
    assert list(document["pairs"][0]["metrics"]) == ["kendall", "wer", "length-src"]


def test_a_constant_metric_is_marked_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{name}\t{k}\t1" for name in QUALITY for k in range(N)]
    write(Path("same.tsv"), ["system\tseg_id\tscore", *rows])
    assert main(["meta", "set/de-en", *FEW, "--scores", "same.tsv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[3].split() == ["same", "–"]
    assert err == (
        "hyperbaton: note: de-en: same has no tau: the metric is constant over all that was "
        "judged\n"
    )


def test_rankings_of_systems(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["meta", "set/de-en", *FEW, "-a", "c-R"]) == 0
    out = capsys.readouterr().out
    found = meta_evaluate("set/de-en", ["kendall", "wer"], samples=50, agreement="c_R")
    ranking = found["de-en", "wer"].ranking or ()
    lines = [line.split() for line in out.splitlines()]
    assert ["wer", *(f"S{k}" for k in ranking), f"{found['de-en', 'wer'].value:.3f}"] in lines
    assert f"de-en: by people, the best first: S1 {found.systems['de-en'][0]}, S2 " in out


def test_judgements_of_systems_are_counted_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["meta", "set/de-en", *FEW, "-a", "pearson-sys"]) == 0
    counts = "de-en: human scores of systems; 4 of 4 systems judged; 4 of 4 systems used"
    assert counts in capsys.readouterr().out.splitlines()


def test_williams_of_three_systems(capsys: pytest.CaptureFixture[str]) -> None:
    Path("set/de-en/human_sys.tsv").write_text("system\tscore\ngood\t3\nfair\t2\nbad\t1\n")
    given = ["set/de-en", *FEW, "-a", "pearson-sys", "--test", "williams", "--pairwise"]
    assert main(["meta", *given]) == 0
    out, err = capsys.readouterr()
    assert "1 kendall  –" in [line.strip() for line in out.splitlines()]
    assert "*" not in out.split("p: of each two")[0]
    assert "note: de-en: Williams' test needs 4 values, and there are fewer" in err


def test_the_t_test_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["meta", "set/de-en", *FEW, "--test", "t"]) == 0
    assert "warning: the t-test over bootstrap samples takes samples" in capsys.readouterr().err


WRONG = [
    ([], "no data: hyperbaton meta FOLDER..."),
    (["none"], "there is no folder none"),
    (["set", "-a", "x"], "there is no agreement 'x'; there are tau, "),
    (["set", "-a", "tau", "--average", "system"], "tau is averaged by one of none, item, not by"),
    (["set", "-a", "tau", "--test", "williams"], "Williams' test is of Pearson's r"),
    (["set", "-m", "x"], "there is no metric 'x'"),
    (["set", "--pair", "cs-en"], "set has no cs-en; it has de-en, fr-en"),
    (["set", "--samples", "0"], "samples is 0, but it must be at least 1"),
    (["set", "--people", "systems"], "tau over segments takes one of rankings, segments, not"),
    (
        ["set", "-a", "pearson", "--bootstrap", "rankings"],
        "de-en: pearson is of scores of segments",
    ),
    (["set", "--pairwise", "--format", "tsv"], "--pairwise is not for --format tsv"),
    (["set", "--plot", "a.png"], "--plot draws SVG: a.png should end in .svg"),
    (["set", "-r", "refA"], "set: -r is only for folders of mt-metrics-eval"),
    (
        ["set", "-m", "pef:bp=off,wer"],
        "'pef:bp=off,wer': 'wer' is not an option such as bp=off; wer is a metric: -m for each",
    ),
    (["set", "--scores", "none.tsv", "--pair", "de-en"], "cannot read none.tsv"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["meta", "-o", "out.txt", *arguments]) == 2
    out, err = capsys.readouterr()
    assert err.startswith(f"hyperbaton: error: {message}")
    assert err.count("\n") == 1
    assert not out
    assert not Path("out.txt").exists()


BAD_FILES = [
    (
        "judgments.csv",
        "seg_id,system1,rank1,system2,rank2\n0,good,1,gone,2\n",
        "set/de-en/judgments.csv names 1 unknown system: 'gone' (line 2, 1 time); there are ",
    ),
    (
        "judgments.csv",
        "seg_id,system1,rank1,system2,rank2\n40,good,1,bad,2\n",
        "set/de-en/judgments.csv, line 2: there is no segment 40: there are 40, counted from 0",
    ),
    (
        "human_seg.tsv",
        "system\tseg_id\tscore\ngood\t0\t1\ngood\t0\t2\n",
        "set/de-en/human_seg.tsv, line 3: a second score of good, segment 0; see line 2",
    ),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_FILES)
def test_bad_judgements(
    name: str, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("set/de-en", name).write_text(text, "utf-8")
    assert main(["meta", "set/de-en", *FEW]) == 2
    assert f"hyperbaton: error: {message}" in capsys.readouterr().err.replace("\\", "/")


def test_no_file_that_is_read_is_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    write(Path("x.tsv"), ["system\tseg_id\tscore", "good\t0\t1"])
    before = Path("x.tsv").read_bytes()
    assert main(["meta", "set/de-en", *FEW, "--scores", "x.tsv", "-o", "./x.tsv"]) == 2
    assert "x.tsv would be written over" in capsys.readouterr().err
    assert Path("x.tsv").read_bytes() == before


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["meta", "--list"]) == 0
    out = capsys.readouterr().out
    assert all(f"\n{name} " in out for name in agreement.MEASURES)
