"""``hyperbaton meta`` as a user calls it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from command_line import CommandLine
from hyperbaton.meta import agreement
from hyperbaton.meta.evaluation import meta_evaluate
from hyperbaton.meta.plan import AVERAGES, EXCHANGES, PEOPLE, TESTS, UNITS
from meta.corpora import (
    ERROR_RATES,
    N,
    people,
    ranks_csv,
    texts,
    write,
    write_folder,
    write_mt_metrics_eval,
)

FEW = ["-m", "kendall,wer", "--samples", "50"]


@pytest.fixture(autouse=True)
def files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write two test sets; their tables are wider than others."""
    monkeypatch.setenv("COLUMNS", "120")
    write_folder(Path("set/de-en"), 1)
    write_folder(Path("set/fr-en"), 2)


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("average", AVERAGES),
        ("people", PEOPLE),
        ("bootstrap", UNITS),
        ("test", TESTS),
        ("exchange", EXCHANGES),
    ],
)
def test_choices_are_those_of_the_library(
    option: str, names: Iterable[str], cli: CommandLine
) -> None:
    assert f"--{option} <{'|'.join(names)}>" in cli.output("meta", "--help-all")


def test_text(cli: CommandLine) -> None:
    out = cli.succeed("meta", "set", *FEW).stdout
    found = meta_evaluate("set", ["kendall", "wer"], samples=50)
    head, kendall, wer, _, said, star, counts, *_ = out.splitlines()
    assert head.split() == ["metric", "de-en", "fr-en", "mean", "mean", "rank"]
    for row, metric in ((kendall, "kendall"), (wer, "wer")):
        one = found["de-en", metric]
        assert f"{one.value:.3f} [{one.lower:.3f}, {one.upper:.3f}]" in row
    assert said.startswith(
        "tau: Kendall's τ over pairs, without ties; 95 % intervals: bootstrap over"
    )
    assert star == (
        "*: no other metric is significantly better (permutation test of segments, p < 0.05)"
    )
    assert counts == (
        f"de-en: rankings by people; 4 of 4 systems used; {N} of {N} segments judged, "
        f"{N} scored, {N} both; "
        f"{6 * N} of {6 * N} judgements used"
    )
    assert "wer|nrefs:1|" in out


def test_json_and_tsv_have_all_digits(cli: CommandLine) -> None:
    found = meta_evaluate("set", ["kendall", "wer"], samples=50)
    done = cli.succeed("meta", "set", *FEW, "--format", "json")
    assert done.json() == json.loads(found.to_json())
    done = cli.succeed("meta", "set", *FEW, "--format", "tsv")
    head, *rows = (line.split("\t") for line in done.stdout.splitlines())
    assert len(rows) == 4
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        assert float(cells["value"]) == found[cells["pair"], cells["metric"]].value


def test_markdown_and_latex(cli: CommandLine) -> None:
    out = cli.succeed("meta", "set", *FEW, "--format", "markdown", "--pairwise").stdout
    assert out.startswith("| metric | de-en | fr-en | mean | mean rank |\n| --- | ---: |")
    assert "| N/B/D |" in out
    assert "| p, de-en |" in out
    assert "- `bold: no other metric is significantly better" in out
    assert "- `N/B/D: number of pairs on which the row's metric is significantly better (N)" in out
    assert "*: " not in out
    out = cli.succeed("meta", "set", *FEW, "--format", "latex").stdout
    assert out.startswith("\\begin{tabular}{lrrrr}\n\\toprule\nmetric & de-en")
    assert "% tau: Kendall's" in out


def test_files_instead_of_folders(cli: CommandLine) -> None:
    references, systems = texts(1)
    write(Path("ref.txt"), references)
    for name, lines in systems.items():
        write(Path(f"{name}.txt"), lines)
    write(Path("ranks.csv"), ranks_csv(people(1)[1]))
    given = [
        "meta",
        "-r",
        "ref.txt",
        *(f"{name}.txt" for name in ERROR_RATES),
        "--human",
        "ranks.csv",
    ]
    (pair,) = cli.succeed(*given, *FEW, "--format", "json").json()["pairs"]
    expected = meta_evaluate("set/de-en", ["kendall", "wer"], samples=50)
    assert pair["name"] == "ranks"
    assert pair["metrics"]["wer"]["value"] == expected["de-en", "wer"].value
    message = cli.error("meta", "good.txt", "--human", "ranks.csv")
    assert "no reference: hyperbaton meta -r REF SYS... --human FILE" in message
    assert "can only be used with folders" in cli.error(*given, "--pair", "x")
    write(Path("good.txt"), ["one line"])
    assert "ref.txt has 40 lines, but good.txt has 1" in cli.error(*given, *FEW)
    write(Path("refs.jsonl"), ['{"refs": ["a", "b"]}'])
    given[2] = "refs.jsonl:refs"
    message = cli.error(*given, *FEW)
    assert "refs.jsonl:refs, line 1: expected one text, got 2" in message


def test_scores_of_other_metrics(cli: CommandLine) -> None:
    """Scores written by ``score --segments`` agree with people as the metric itself does."""
    names = [f"set/de-en/systems/{name}.txt" for name in ERROR_RATES]
    command = ["score", "-r", "set/de-en/reference.txt", *names, "-m", "kendall,wer"]
    cli.succeed(*command, "--segments", "s.tsv", "-o", "out")
    table = Path("s.tsv").read_text("utf-8")
    Path("s.tsv").write_text(table.replace("kendall\twer", "k\tw"), "utf-8")
    more = ["--scores", "s.tsv", "--negate", "w", "--format", "json"]
    (pair,) = cli.succeed("meta", "set/de-en", *FEW, *more).json()["pairs"]
    for ours, theirs in (("kendall", "k"), ("wer", "w")):
        assert pair["metrics"][ours]["value"] == pair["metrics"][theirs]["value"]
    (same,) = (d for d in pair["differences"] if (d["a"], d["b"]) == ("wer", "w"))
    assert (same["difference"], same["p"], same["better"]) == (0, 1, None)
    only = ["-m", "none", "--scores", "s.tsv", "--samples", "9"]
    assert cli.succeed("meta", "set/de-en", *only).stdout.splitlines()[1].startswith("k ")
    message = cli.error("meta", "set", *FEW, "--scores", "s.tsv")
    assert "--scores needs a single test set, but there are 2" in message
    assert "no metrics were given" in cli.error("meta", "set/de-en", "-m", "none")


def test_mt_metrics_eval(cli: CommandLine) -> None:
    write_mt_metrics_eval(Path("wmt22"))
    command = ["meta", "wmt22", "--pair", "de-en", "--human-scores", "mqm", "--others", *FEW]
    document = cli.succeed(*command, "-a", "acc-eq", "-r", "refB", "--format", "json").json()
    assert (document["agreement"], document["average"]) == ("acc_eq", "item")
    assert list(document["pairs"][0]["metrics"]) == ["kendall", "wer", "length-src"]


def test_note_about_a_constant_metric(cli: CommandLine) -> None:
    rows = [f"{name}\t{k}\t1" for name in ERROR_RATES for k in range(N)]
    write(Path("same.tsv"), ["system\tseg_id\tscore", *rows])
    done = cli.succeed("meta", "set/de-en", *FEW, "--scores", "same.tsv")
    assert done.stdout.splitlines()[3].split() == ["same", "–"]
    assert done.stderr == (
        "hyperbaton: note: de-en: same has no tau: the metric is constant on all judged segments\n"
    )


def test_rankings_of_systems(cli: CommandLine) -> None:
    out = cli.succeed("meta", "set/de-en", *FEW, "-a", "c-R").stdout
    found = meta_evaluate("set/de-en", ["kendall", "wer"], samples=50, agreement="c_R")
    ranking = found["de-en", "wer"].ranking or ()
    lines = [line.split() for line in out.splitlines()]
    assert ["wer", *(f"S{k}" for k in ranking), f"{found['de-en', 'wer'].value:.3f}"] in lines
    assert f"de-en: ranked by people, best first: S1 {found.systems['de-en'][0]}, S2 " in out


def test_counts_of_judged_systems(cli: CommandLine) -> None:
    done = cli.succeed("meta", "set/de-en", *FEW, "-a", "pearson-sys")
    counts = "de-en: human scores of systems; 4 of 4 systems judged; 4 of 4 systems used"
    assert counts in done.stdout.splitlines()


def test_williams_of_three_systems(cli: CommandLine) -> None:
    Path("set/de-en/human_sys.tsv").write_text("system\tscore\ngood\t3\nfair\t2\nbad\t1\n")
    given = ["set/de-en", *FEW, "-a", "pearson-sys", "--test", "williams", "--pairwise"]
    done = cli.succeed("meta", *given)
    assert "1 kendall  –" in [line.strip() for line in done.stdout.splitlines()]
    assert "*" not in done.stdout.split("p: two-sided p-value")[0]
    assert "note: de-en: Williams' test needs at least 4 values" in done.stderr


def test_warning_about_the_t_test(cli: CommandLine) -> None:
    done = cli.succeed("meta", "set/de-en", *FEW, "--test", "t")
    assert "warning: the t-test treats bootstrap samples as observations" in done.stderr


WRONG = [
    ([], "no data: hyperbaton meta FOLDER..."),
    (["none"], "there is no folder none"),
    (["set", "-a", "x"], "unknown agreement 'x'; valid names: tau, "),
    (["set", "-a", "tau", "--average", "system"], "average must be one of none, item for tau, got"),
    (["set", "-a", "tau", "--test", "williams"], "Williams' test needs pearson"),
    (["set", "-m", "x"], "unknown metric 'x'"),
    (["set", "--pair", "cs-en"], "set has no cs-en; it has de-en, fr-en"),
    (["set", "--samples", "0"], "samples must be at least 1, got 0"),
    (
        ["set", "--people", "systems"],
        "people must be one of rankings, segments for tau over segments",
    ),
    (
        ["set", "-a", "pearson", "--bootstrap", "rankings"],
        "de-en: pearson of segment scores cannot be resampled by rankings",
    ),
    (["set", "--pairwise", "--format", "tsv"], "--pairwise cannot be used with --format tsv"),
    (["set", "--plot", "a.png"], "--plot writes SVG: the name must end in .svg, got a.png"),
    (["set", "-r", "refA"], "set: references can be chosen only in folders of mt-metrics-eval"),
    (
        ["set", "-m", "pef:bp=off,beta"],
        "'pef:bp=off,beta': 'beta' is not an option such as bp=off",
    ),
    (["set", "--scores", "none.tsv", "--pair", "de-en"], "cannot read none.tsv"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message for _, message in WRONG])
def test_error_messages(arguments: list[str], message: str, cli: CommandLine) -> None:
    assert cli.error("meta", "-o", "out.txt", *arguments).startswith(message)
    assert not Path("out.txt").exists()


BAD_FILES = [
    (
        "judgments.csv",
        "seg_id,system1,rank1,system2,rank2\n0,good,1,gone,2\n",
        "set/de-en/judgments.csv names 1 unknown system: 'gone' (line 2, 1 time); known systems: ",
    ),
    (
        "judgments.csv",
        "seg_id,system1,rank1,system2,rank2\n40,good,1,bad,2\n",
        "set/de-en/judgments.csv, line 2: there is no segment 40; segments run from 0 to 39",
    ),
    (
        "human_seg.tsv",
        "system\tseg_id\tscore\ngood\t0\t1\ngood\t0\t2\n",
        "set/de-en/human_seg.tsv, line 3: a second score of good, segment 0; see line 2",
    ),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_FILES)
def test_errors_in_judgements(name: str, text: str, message: str, cli: CommandLine) -> None:
    Path("set/de-en", name).write_text(text, "utf-8")
    error = cli.error("meta", "set/de-en", *FEW)
    assert error.replace("\\", "/").startswith(message)


def test_input_is_not_overwritten(cli: CommandLine) -> None:
    write(Path("x.tsv"), ["system\tseg_id\tscore", "good\t0\t1"])
    before = Path("x.tsv").read_bytes()
    message = cli.error("meta", "set/de-en", *FEW, "--scores", "x.tsv", "-o", "./x.tsv")
    assert "x.tsv would be overwritten" in message
    assert Path("x.tsv").read_bytes() == before


def test_list_of_measures(cli: CommandLine) -> None:
    out = cli.output("meta", "--list")
    assert all(f"\n{name} " in out for name in agreement.MEASURES)
