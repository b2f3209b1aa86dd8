"""``hyperbaton compare`` and ``hyperbaton score --confidence`` as a user calls them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.cli import main
from hyperbaton.cli.compare import Correction, Method
from hyperbaton.metrics.comparison import CORRECTIONS
from hyperbaton.metrics.comparison import compare as compare_systems
from hyperbaton.metrics.sampling import METHODS
from hyperbaton.report.comparisons import shown_p

WORDS = [f"{first}{last}" for first in "bdfg" for last in ("an", "em", "ir", "ol")]


def corpus() -> tuple[list[str], dict[str, list[str]]]:
    """References, and systems: two that are alike, one that is clearly worse, and a perfect one."""
    rng = random.Random(12)
    lines = [rng.sample(WORDS, rng.randint(5, 12)) for _ in range(40)]

    def noisy(rate: float) -> list[str]:
        found = []
        for line in lines:
            words = ["x" if rng.random() < rate else word for word in line]
            if rng.random() < rate:  # and some order is wrong
                words = words[2:] + words[:2]
            found.append(" ".join(words))
        return found

    references = [" ".join(line) for line in lines]
    return references, {
        "worse.txt": noisy(0.4),
        "a.txt": noisy(0.2),
        "b.txt": noisy(0.21),
        "perfect.txt": references,
    }


REFERENCES, SYSTEMS = corpus()
PAIR = ["-r", "ref.txt", "a.txt", "worse.txt"]
ALL = ["-r", "ref.txt", *SYSTEMS]


def write(name: str, lines: list[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    write("ref.txt", REFERENCES)
    for name, lines in SYSTEMS.items():
        write(name, lines)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """What is printed, and what is said."""
    status = main(list(arguments))
    out, err = capsys.readouterr()
    assert status == 0, err
    return out, err


def compare(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    out, err = run(capsys, "compare", *arguments)
    assert err == ""
    return out


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    out = compare(capsys, *arguments, "-f", "json")
    return json.loads(out, parse_constant=lambda name: pytest.fail(name))


def expected(metrics: list[str], *names: str, **options: Any) -> Any:
    return compare_systems({name: SYSTEMS[name] for name in names}, REFERENCES, metrics, **options)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that is said, of input that is wrong."""
    assert main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("hyperbaton: error: ")
    return err.removeprefix("hyperbaton: error: ").strip()


# Text -------------------------------------------------------------------------------------------


def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    out = compare(capsys, *ALL, "-m", "wer", "--samples", "500", "--seed", "7")
    ranking, pairs, below = out.rstrip("\n").split("\n\n")
    head, *rows = ranking.splitlines()
    assert head.split() == ["cluster", "system", "wer", "↓", "rank"]
    lines = [row for row in rows if set(row) == {"─"}]
    assert {len(line) for line in lines} == {len(head)}
    found = expected(["wer"], *SYSTEMS, samples=500, seed=7)
    cells = [row.split() for row in rows if row not in lines]
    assert [cell[:2] for cell in cells] == [
        ["1", "perfect.txt"],
        ["2", "a.txt"],
        ["2", "b.txt"],
        ["3", "worse.txt"],
    ]
    assert [cell[-1] for cell in cells] == ["1", "2–3", "2–3", "4"]
    assert rows.index(lines[0]) == 1  # one line after the first, another before the last
    assert rows.index(lines[1], 2) == 4
    assert len(lines) == 2
    for cell, rank in zip(cells, found.ranking("wer"), strict=True):
        assert cell[2:5] == [f"{rank.value:.4f}", f"[{rank.lower:.4f},", f"{rank.upper:.4f}]"]
    head, *rows = pairs.splitlines()
    assert head.split() == ["pair", "difference", "p", "effect", "better/equal/worse"]
    assert len(rows) == 6
    for row, one in zip(rows, found.differences, strict=True):
        star = "*" if one.better else ""
        assert row.split() == [
            one.a,
            "–",
            one.b,
            f"{one.difference:.4f}",
            f"[{one.lower:.4f},",
            f"{one.upper:.4f}]",
            f"{one.p:.3f}{star}",
            f"{one.effect:+.2f}",
            f"{one.wins}/{one.ties}/{one.losses}",
        ]
    assert sum("*" in row for row in rows) == 5
    count, signature = below.splitlines()
    assert count == "40 segments; 95 % intervals: bootstrap, 500 samples, seed 7"
    assert signature == found.results[0]["wer"].signature
    assert "\x1b" not in out


def test_each_metric_has_its_part(capsys: pytest.CaptureFixture[str]) -> None:
    parts = compare(capsys, *PAIR, "-m", "wer,bleu", "--short").rstrip("\n").split("\n\n")
    assert len(parts) == 5
    assert [part.split()[2:4] for part in parts[:4:2]] == [["wer", "↓"], ["bleu", "↑"]]
    assert [line.split("|")[0] for line in parts[4].splitlines()[1:]] == ["wer", "bleu"]
    # a.txt is better by both: less of the one, more of the other, and the effect is of one sign
    wer, bleu = (part.splitlines()[1].split() for part in parts[1:4:2])
    assert wer[:3] == bleu[:3] == ["a.txt", "–", "worse.txt"]
    assert wer[3].startswith("-")
    assert not bleu[3].startswith("-")
    assert wer[7].startswith("+")
    assert bleu[7].startswith("+")


def test_many_systems_are_a_table_of_p_values(capsys: pytest.CaptureFixture[str]) -> None:
    write("c.txt", [*SYSTEMS["b.txt"][:-1], "x"])
    out = compare(capsys, *ALL, "c.txt", "-m", "wer")
    head, *rows = out.split("\n\n")[1].splitlines()
    assert head.split() == ["p", "2", "3", "4", "5"]
    assert [row.split()[:2] for row in rows] == [
        ["1", "perfect.txt"],
        ["2", "a.txt"],
        ["3", "b.txt"],
        ["4", "c.txt"],
        ["5", "worse.txt"],
    ]
    texts = {**SYSTEMS, "c.txt": [*SYSTEMS["b.txt"][:-1], "x"]}
    found = compare_systems(texts, REFERENCES, ["wer"])
    order = [rank.system for rank in found.ranking("wer")]
    for row in rows[:-1]:
        number, name, *cells = row.split()
        for cell, other in zip(cells, order[int(number) :], strict=True):
            (one,) = (one for one in found.differences if {one.a, one.b} == {name, other})
            assert cell == shown_p(one.p) + "*" * (one.better is not None)
    assert len(rows[-1].split()) == 2


def test_digits(capsys: pytest.CaptureFixture[str]) -> None:
    out = compare(capsys, *PAIR, "-m", "wer", "--digits", "2")
    (one,) = expected(["wer"], "a.txt", "worse.txt").differences
    assert f"{one.difference:.2f} [{one.lower:.2f}, {one.upper:.2f}]" in out


@pytest.mark.parametrize("width", ["20", "40", "60"])
def test_narrow_terminals(
    width: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables are cut into parts, as those of score are."""
    monkeypatch.setenv("COLUMNS", width)
    out = compare(capsys, *ALL, "-m", "wer")
    for word in ("cluster", "rank", "effect", "better/equal/worse", "perfect.txt", "0.0000"):
        assert word in out


def test_systems_with_long_names(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"{letter * 90}.txt" for letter in "pq"]
    for name, lines in zip(names, (SYSTEMS["a.txt"], SYSTEMS["worse.txt"]), strict=True):
        write(name, lines)
    out = compare(capsys, "-r", "ref.txt", *names, "-m", "wer")
    assert all(name in out for name in names)


# Other formats ----------------------------------------------------------------------------------


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--seed", "9", "--samples", "200", "--level", "0.9", "--method", "bootstrap"]
    found = document(capsys, *ALL, "-m", "wer", "-m", "pef", *options)
    assert found.pop("separating") == []
    same = expected(["wer", "pef"], *SYSTEMS, seed=9, samples=200, level=0.9)
    assert found == same.to_dict()
    assert (found["seed"], found["samples"], found["level"]) == (9, 200, 0.9)
    assert (found["schema"], found["n"]) == ("hyperbaton/compare/1", 40)


def test_tsv(capsys: pytest.CaptureFixture[str]) -> None:
    out = compare(capsys, *ALL, "-m", "wer,bleu", "-f", "tsv")
    head, *rows = (line.split("\t") for line in out.splitlines())
    found = expected(["wer", "bleu"], *SYSTEMS)
    assert len(rows) == len(found.differences) == 12
    scores = {result.name: result for result in found.results}
    for row, one in zip(rows, found.differences, strict=True):
        cells = dict(zip(head, row, strict=True))
        assert float(cells.pop("value_a")) == scores[one.a][one.metric].value
        assert float(cells.pop("value_b")) == scores[one.b][one.metric].value
        keys = ("method", "samples", "seed", "level", "correction", "n", "signature")
        settings = [cells.pop(key) for key in keys]
        signature = scores[one.a][one.metric].signature
        assert settings == ["bootstrap", "1000", "1", "0.95", "none", "40", signature]
        for key, text in cells.items():
            value = getattr(one, key)
            assert text == ("" if value is None else str(value)), key
    out = compare(capsys, *PAIR, "-m", "wer", "-f", "tsv", "--method", "randomization")
    head, row = (line.split("\t") for line in out.splitlines())
    cells = dict(zip(head, row, strict=True))
    assert (cells["lower"], cells["upper"], cells["better"]) == ("", "", "a.txt")


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    out = compare(capsys, *ALL, "-m", "wer", "-f", "markdown", "--digits", "3")
    ranking, pairs, below = (part.splitlines() for part in out.rstrip("\n").split("\n\n"))
    assert below[0] == "- `40 segments; 95 % intervals: bootstrap, 1,000 samples, seed 1`"
    assert below[1].startswith("- `wer|nrefs:1|")
    assert ranking[:2] == ["| cluster | system | wer ↓ | rank |", "| ---: | --- | ---: | ---: |"]
    assert ranking[2] == "| 1 | perfect.txt | 0.000 [0.000, 0.000] | 1 |"
    assert len(ranking) == 6
    assert pairs[0] == "| pair | difference | p | effect | better/equal/worse |"
    assert len({line.count("|") for line in pairs}) == 1
    bold = [line for line in pairs[2:] if "**0.0" in line]
    assert len(bold) == 5
    (plain,) = set(pairs[2:]) - set(bold)
    assert plain.startswith("| a.txt – b.txt | ")


def test_latex(capsys: pytest.CaptureFixture[str]) -> None:
    write("under_score.txt", SYSTEMS["a.txt"])
    arguments = ["-r", "ref.txt", "under_score.txt", "worse.txt", "-m", "wer"]
    out = compare(capsys, *arguments, "-f", "latex")
    ranking, pairs, below = (part.splitlines() for part in out.rstrip("\n").split("\n\n"))
    assert below[0] == "% 40 segments; 95 % intervals: bootstrap, 1,000 samples, seed 1"
    assert below[1].startswith("% wer|nrefs:1|")
    assert ranking[0] == r"\begin{tabular}{rlrr}"
    assert ranking[2] == r"cluster & system & wer $\downarrow$ & rank \\"
    assert ranking[4].startswith(r"1 & under\_score.txt & 0.")
    assert pairs[0] == r"\begin{tabular}{lrrrr}"
    assert pairs[4].startswith(r"under\_score.txt -- worse.txt & -0.")
    assert r"& \textbf{0.001} &" in pairs[4]
    for table in (ranking, pairs):
        assert table[-1] == r"\end{tabular}"
        assert {line.count("&") for line in table if line.endswith(r"\\")} == {table[2].count("&")}


def test_a_p_that_is_too_small_to_print_in_latex(capsys: pytest.CaptureFixture[str]) -> None:
    """In LaTeX's own encoding of fonts, < outside mathematics is printed as ¡."""
    out = compare(capsys, *PAIR, "-m", "wer", "-f", "latex", "--samples", "3000")
    assert "0.001" in out
    for place, sign in enumerate(out):
        if sign in "<>":
            assert out[place - 1] == "$"
    text = compare(capsys, *PAIR, "-m", "wer", "--samples", "3000")
    assert "<0.001*" in text


def test_an_output_file(capsys: pytest.CaptureFixture[str]) -> None:
    plain = compare(capsys, *PAIR, "-m", "wer")
    assert compare(capsys, *PAIR, "-m", "wer", "-o", "out.txt") == ""
    assert Path("out.txt").read_text("utf-8") == plain


@pytest.mark.parametrize("form", ["text", "json", "markdown", "latex"])
@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_the_seed_is_in_the_output(
    form: str, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*PAIR, "-m", "wer", "-f", form, "--method", method]
    first = compare(capsys, *arguments, "--seed", "1234567")
    assert "1234567" in first
    assert compare(capsys, *arguments, "--seed", "1234567") == first
    assert "1234567" not in compare(capsys, *arguments)


# Options ----------------------------------------------------------------------------------------


def test_randomization(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--method", "randomization", "--samples", "300", "--seed", "2"]
    out = compare(capsys, *PAIR, "-m", "wer", *options)
    assert "40 segments; significance at 0.05: randomization, 300 samples, seed 2\n" in out
    (one,) = expected(
        ["wer"], "a.txt", "worse.txt", method="randomization", samples=300, seed=2
    ).differences
    row = out.split("\n\n")[1].splitlines()[1].split()
    assert row[3:5] == [f"{one.difference:.4f}", f"{one.p:.3f}*"]
    assert "[" not in out
    found = document(capsys, *PAIR, "-m", "wer", *options)
    assert found["method"] == "randomization"
    assert found["metrics"]["wer"]["differences"][0]["p"] == one.p


@pytest.mark.parametrize("baseline", ["a.txt", "{folder}/a.txt"])
def test_a_baseline_by_name_and_by_path(
    baseline: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    baseline = baseline.format(folder=tmp_path)
    systems = [str(tmp_path / name) for name in SYSTEMS]
    found = document(
        capsys, "-r", "ref.txt", *systems, "-m", "wer", "--baseline", baseline, "--samples", "50"
    )
    assert found["baseline"] == "a.txt"
    pairs = [(one["a"], one["b"]) for one in found["metrics"]["wer"]["differences"]]
    assert pairs == [("worse.txt", "a.txt"), ("b.txt", "a.txt"), ("perfect.txt", "a.txt")]
    text = compare(
        capsys, "-r", "ref.txt", *systems, "-m", "wer", "--baseline", baseline, "--samples", "50"
    )
    ranking, rows, _ = text.split("\n\n")
    assert "cluster" not in ranking
    assert "rank" not in ranking
    assert "─" not in ranking
    assert len(rows.splitlines()) == 4


def test_a_baseline_among_systems_of_the_same_name(capsys: pytest.CaptureFixture[str]) -> None:
    for folder, name in (("one", "a.txt"), ("two", "worse.txt")):
        Path(folder).mkdir()
        write(f"{folder}/out.txt", SYSTEMS[name])
    found = document(
        capsys,
        *("-r", "ref.txt", "one/out.txt", "two/out.txt", "-m", "wer"),
        *("--baseline", "one/out.txt"),
    )
    assert found["baseline"] == "one/out.txt"
    assert found["metrics"]["wer"]["differences"][0]["better"] == "one/out.txt"


def test_a_correction(capsys: pytest.CaptureFixture[str]) -> None:
    plain = document(capsys, *ALL, "-m", "wer")["metrics"]["wer"]["differences"]
    found = document(capsys, *ALL, "-m", "wer", "--correction", "holm")
    assert found["correction"] == "holm"
    from reference.resampling import holm

    p_values = [one["p"] for one in found["metrics"]["wer"]["differences"]]
    assert p_values == pytest.approx(holm([one["p"] for one in plain]))
    assert p_values != [one["p"] for one in plain]
    text = compare(capsys, *ALL, "-m", "wer", "--correction", "holm")
    assert "; correction: holm\n" in text
    assert "correction" not in compare(capsys, *ALL, "-m", "wer", "--correction", "none")


def test_a_level(capsys: pytest.CaptureFixture[str]) -> None:
    usual = document(capsys, *PAIR, "-m", "wer")["metrics"]["wer"]["differences"][0]
    wide = document(capsys, *PAIR, "-m", "wer", "--level", "0.999")
    one = wide["metrics"]["wer"]["differences"][0]
    assert one["lower"] < usual["lower"] < usual["upper"] < one["upper"]
    assert (usual["better"], one["better"], one["p"]) == ("a.txt", "a.txt", usual["p"])
    few, err = run(capsys, "compare", *PAIR, "-m", "wer", "--level", "0.999", "--samples", "500")
    assert "no p can be less than 0.002: at least 1,000 samples are needed" in err
    assert "*" not in few  # 1/501 is more than 0.001
    assert "99.9 % intervals: bootstrap, 500 samples, seed 1" in few


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_threads_change_nothing(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*ALL, "-m", "default", "-f", "json", "--method", method, "--samples", "601"]
    one = compare(capsys, *arguments, "--threads", "1")
    assert compare(capsys, *arguments, "--threads", "2") == one
    assert compare(capsys, *arguments) == one


def test_the_default_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, *PAIR, "--samples", "20")
    assert list(found["metrics"]) == list(hb.metrics.SETS["default"])


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    out = compare(capsys, "--example", "-m", "adjacency")
    assert out.splitlines()[1].split()[:2] == ["1", "fluent.txt"]
    assert "\nadjacency|" in out
    assert "align:exact+stem.en" in out


def test_columns_of_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    rows = zip(REFERENCES, SYSTEMS["a.txt"], SYSTEMS["worse.txt"], strict=True)
    write("d.tsv", ["ref\tgood\tbad", *("\t".join(row) for row in rows)])
    found = document(
        capsys, "-r", "d.tsv:ref", "d.tsv:good", "d.tsv:bad", "-m", "wer", "--baseline", "good"
    )
    plain = document(capsys, "-r", "ref.txt", "worse.txt", "a.txt", "-m", "wer")
    (one,), (other,) = (doc["metrics"]["wer"]["differences"] for doc in (found, plain))
    assert (one["a"], one["b"], one["better"]) == ("bad", "good", "good")
    assert (one["p"], one["difference"]) == (other["p"], other["difference"])


# The segments behind a difference ---------------------------------------------------------------


def test_differences(capsys: pytest.CaptureFixture[str]) -> None:
    out = compare(capsys, *ALL, "-m", "wer", "--differences", "3")
    parts = out.rstrip("\n").split("\n\n")[2:-1]
    scores = expected(["wer"], *SYSTEMS).scores("wer")
    best, second = (score.segments.tolist() for score in list(scores.values())[:2])
    sizes = [abs(a - b) for a, b in zip(best, second, strict=True)]
    order = sorted(range(40), key=lambda k: (-sizes[k], k))[:3]
    assert len(parts) == 3
    for part, k in zip(parts, order, strict=True):
        assert part.splitlines() == [
            f"wer, segment {k + 1}",
            f"  reference: {REFERENCES[k]}",
            f"  perfect.txt ({best[k]:.4f}): {REFERENCES[k]}",
            f"  a.txt ({second[k]:.4f}): {SYSTEMS['a.txt'][k]}",
        ]
    assert sizes[order[0]] > sizes[order[2]] or sizes.count(sizes[order[0]]) > 2


def test_differences_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    write("ref2.txt", [line.upper() + " !" for line in REFERENCES])
    arguments = ["-r", "ref.txt", "-r", "ref2.txt", *SYSTEMS, "-m", "wer,pef", "--samples", "20"]
    found = document(capsys, *arguments, "--differences", "2", "--baseline", "worse.txt")
    assert [one["metric"] for one in found["separating"]] == ["wer", "wer", "pef", "pef"]
    both = list(zip(REFERENCES, Path("ref2.txt").read_text("utf-8").splitlines(), strict=True))
    for one in found["separating"]:
        k = one["segment"] - 1
        metric = one["metric"]
        assert one["references"] == list(both[k])
        first, second = one["systems"]
        assert (first["name"], second["name"]) == ("perfect.txt", "worse.txt")
        for system in (first, second):
            assert system["text"] == SYSTEMS[system["name"]][k]
            value = hb.score([system["text"]], [both[k]], [metric])[metric].segments[0]
            assert system["value"] == value
    # by size
    sizes = [
        abs(one["systems"][0]["value"] - one["systems"][1]["value"]) for one in found["separating"]
    ]
    assert sizes[0] >= sizes[1]
    assert sizes[2] >= sizes[3]


def test_differences_from_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    """Of two systems one of which is the baseline, they are the two."""
    arguments = [*PAIR, "-m", "wer", "--baseline", "worse.txt"]
    found = document(capsys, *arguments, "--differences", "1")
    (one,) = found["separating"]
    assert [system["name"] for system in one["systems"]] == ["a.txt", "worse.txt"]


def test_the_baseline_may_be_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, *ALL, "-m", "wer", "--baseline", "perfect.txt", "--differences", "1")
    (one,) = found["separating"]
    assert [system["name"] for system in one["systems"]] == ["a.txt", "perfect.txt"]


def test_no_more_differences_than_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    write("one.txt", [*REFERENCES[:-1], "x"])
    arguments = ["-r", "ref.txt", "perfect.txt", "one.txt", "-m", "wer"]
    found = document(capsys, *arguments, "--differences", "50")
    assert [one["segment"] for one in found["separating"]] == [40]
    assert document(capsys, *arguments, "--differences", "0")["separating"] == []


# Notes and bad input ----------------------------------------------------------------------------


def test_few_segments_are_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref.txt", "a.txt", "worse.txt"):
        lines = Path(name).read_text("utf-8").splitlines()
        write(name, lines[:9])
    out, err = run(capsys, "compare", *PAIR, "-m", "wer")
    assert out.startswith("cluster")
    assert err == "hyperbaton: warning: 9 segments are too few for samples to mean much\n"


def test_equal_systems_are_said_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    write("same.txt", SYSTEMS["a.txt"])
    arguments = ["-r", "ref.txt", "a.txt", "same.txt", "-m", "wer,bleu"]
    out, err = run(capsys, "compare", *arguments)
    assert err == (
        "hyperbaton: note: a.txt and same.txt are equal in every segment by wer, bleu: p = 1\n"
    )
    for part in out.split("\n\n")[1:4:2]:
        assert part.splitlines()[1].split() == [
            *("a.txt", "–", "same.txt", "0.0000", "[0.0000,", "0.0000]", "1.000", "0/40/0")
        ]
    assert "*" not in out
    out, err = run(capsys, "compare", *arguments, "--method", "randomization", "-f", "json")
    for own in json.loads(out)["metrics"].values():
        assert own["differences"][0]["p"] == 1
        assert [rank["cluster"] for rank in own["ranking"]] == [1, 1]
    assert "p = 1" in err


def test_few_words_aligned_is_a_warning_here_too(capsys: pytest.CaptureFixture[str]) -> None:
    write("none.txt", ["quite other words"] * 40)
    _, err = run(capsys, "compare", "-r", "ref.txt", "a.txt", "none.txt", "-m", "pef")
    assert err.startswith("hyperbaton: warning: none.txt: only 0% of the words are aligned")


ERRORS: dict[str, tuple[list[str], str]] = {
    "one system": (["-r", "ref.txt", "a.txt"], "two systems at least are needed for a comparison"),
    "no system": (["-r", "ref.txt"], "no system: hyperbaton compare -r REF SYS..."),
    "no reference": (["a.txt", "b.txt"], "no reference: hyperbaton compare -r REF SYS..."),
    "a system twice": ([*PAIR, "a.txt"], "a.txt is given twice"),
    "zero samples": ([*PAIR, "--samples", "0"], "samples is 0, but it must be at least 1"),
    "fewer": ([*PAIR, "--samples", "-1"], "samples is -1, but it must be at least 1"),
    "a bad seed": ([*PAIR, "--seed", "-1"], "seed is -1, but it must be at least 0"),
    "a level in per cent": (
        [*PAIR, "--level", "95"],
        "level is a share between 0 and 1, such as 0.95, not 95.0",
    ),
    "a level of 1": (
        [*PAIR, "--level", "1"],
        "level is a share between 0 and 1, such as 0.95, not 1.0",
    ),
    "an unknown baseline": (
        [*PAIR, "--baseline", "b.txt"],
        "the baseline 'b.txt' is none of the systems: a.txt, worse.txt",
    ),
    "an unknown metric": ([*PAIR, "-m", "werr"], "there is no metric 'werr'"),
    "no threads": ([*PAIR, "--threads", "0"], "threads is 0, but at least one is needed"),
    "standard input twice": (
        ["-r", "ref.txt", "-", "a.txt", "--differences", "1"],
        "--differences reads the files twice: standard input cannot be one",
    ),
    "the output is one of the files": (
        [*PAIR, "-o", "a.txt"],
        "a.txt would be written over while it is read",
    ),
    "an unknown method": ([*PAIR, "--method", "jackknife"], "Invalid value for '--method'"),
    "an unknown correction": ([*PAIR, "--correction", "x"], "Invalid value for '--correction'"),
    "differences below 0": ([*PAIR, "--differences", "-1"], "Invalid value for '--differences'"),
    "samples that are no number": ([*PAIR, "--samples", "x"], "Invalid value for '--samples'"),
}


@pytest.mark.parametrize("row", ERRORS)
def test_bad_input(row: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, message = ERRORS[row]
    assert refused(capsys, "compare", *arguments).startswith(message)


@pytest.mark.parametrize("count", [1, 39])
def test_systems_of_different_length(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    write("short.txt", SYSTEMS["a.txt"][:count])
    message = refused(capsys, "compare", "-r", "ref.txt", "a.txt", "short.txt", "-o", "out.txt")
    assert "short.txt" in message
    assert f"{count}" in message
    assert not Path("out.txt").exists()


def test_empty_files(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ref.txt", "a.txt", "worse.txt"):
        write(name, [])
    assert refused(capsys, "compare", *PAIR) == "ref.txt is empty"


def test_from_standard_input() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "hyperbaton", "compare", "-r", "ref.txt", "-", "worse.txt"),
            *("-m", "wer", "-f", "tsv"),
        ],
        input="".join(f"{line}\n" for line in SYSTEMS["a.txt"]).encode(),
        capture_output=True,
        check=True,
    )
    head, row = (line.split("\t") for line in done.stdout.decode().splitlines())
    assert row[1:3] == ["standard input", "worse.txt"]
    assert row[head.index("better")] == "standard input"


# score --confidence ------------------------------------------------------------------------------


def score(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    out, err = run(capsys, "score", *arguments)
    assert err == ""
    return out


def test_confidence_in_text(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--confidence", "--samples", "300", "--seed", "8", "--level", "0.9"]
    out = score(capsys, *PAIR, "-m", "wer,bleu", *options)
    head, *rows = out.splitlines()[:3]
    assert head.split() == ["system", "wer", "↓", "bleu", "↑"]
    for row, name in zip(rows, ("a.txt", "worse.txt"), strict=True):
        found = hb.score(
            SYSTEMS[name],
            REFERENCES,
            ["wer", "bleu"],
            confidence=True,
            samples=300,
            seed=8,
            level=0.9,
        )
        cells = [f"{s.value:.4f} [{s.lower:.4f}, {s.upper:.4f}]" for s in found.values()]
        assert row.replace("*", "").split() == [name, *" ".join(cells).split()]
    assert rows[0].count("*") == 2
    assert "40 segments; 90 % intervals: bootstrap, 300 samples, seed 8\n" in out


def test_confidence_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*PAIR, "-m", "wer", "-f", "json"]
    plain = json.loads(score(capsys, *arguments))
    found = json.loads(score(capsys, *arguments, "-c"))
    assert found.pop("confidence") == {
        "method": "bootstrap",
        "samples": 1000,
        "seed": 1,
        "level": 0.95,
    }
    assert "confidence" not in plain
    for own, before in zip(found["systems"], plain["systems"], strict=True):
        wer, without = own["scores"]["wer"], before["scores"]["wer"]
        assert wer["lower"] < wer["value"] < wer["upper"]
        assert (without["lower"], without["upper"]) == (None, None)
        assert {**wer, "lower": None, "upper": None} == without
    compared = document(capsys, *PAIR, "-m", "wer")["metrics"]["wer"]["ranking"]
    bounds = [
        (own["scores"]["wer"]["lower"], own["scores"]["wer"]["upper"]) for own in found["systems"]
    ]
    assert bounds == [(rank["lower"], rank["upper"]) for rank in compared]


def test_confidence_in_tsv(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*PAIR, "-m", "wer,bleu", "-f", "tsv"]
    head, *rows = (line.split("\t") for line in score(capsys, *arguments, "-c").splitlines())
    cells = [dict(zip(head, row, strict=True)) for row in rows]
    plain = [line.split("\t") for line in score(capsys, *arguments).splitlines()]
    assert [*plain[0], "method", "samples", "seed", "level"] == head
    assert {row["seed"] for row in cells} == {"1"}
    numbers = iter(cells)
    for name in ("a.txt", "worse.txt"):
        found = hb.score(SYSTEMS[name], REFERENCES, ["wer", "bleu"], confidence=True)
        for metric, own in found.items():
            row = next(numbers)
            assert (row["system"], row["metric"]) == (name, metric)
            values = [float(row[key]) for key in ("value", "lower", "upper")]
            assert values == [own.value, own.lower, own.upper]
    for line in plain[1:]:
        without = dict(zip(plain[0], line, strict=True))
        assert (without["lower"], without["upper"]) == ("", "")


def test_confidence_in_markdown_and_latex(capsys: pytest.CaptureFixture[str]) -> None:
    wer = hb.score(SYSTEMS["a.txt"], REFERENCES, "wer", confidence=True)["wer"]
    cell = f"{wer.value:.2f} [{wer.lower:.2f}, {wer.upper:.2f}]"
    arguments = [*PAIR, "-m", "wer", "-c", "--digits", "2"]
    markdown = score(capsys, *arguments, "-f", "markdown").splitlines()
    assert markdown[0] == "| system | wer ↓ |"
    assert markdown[2] == f"| a.txt | **{cell}** |"
    latex = score(capsys, *arguments, "-f", "latex").splitlines()
    assert latex[4] == rf"a.txt & \textbf{{{cell}}} \\"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_the_seed_of_confidence_is_in_the_output(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = score(capsys, *PAIR, "-m", "wer", "-f", form, "-c", "--seed", "1234567")
    assert "1234567" in out


def test_confidence_on_threads_and_with_segments(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*ALL, "-m", "default", "-f", "json", "-c"]
    one = score(capsys, *arguments, "--threads", "1")
    assert score(capsys, *arguments, "--threads", "2") == one
    assert score(capsys, *arguments, "--segments", "segments.tsv") == one
    with_intervals = Path("segments.tsv").read_text("utf-8")
    score(capsys, *arguments[:-1], "--segments", "segments.tsv")
    assert Path("segments.tsv").read_text("utf-8") == with_intervals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--samples", "0"], "samples is 0, but it must be at least 1"),
        (["--level", "0"], "level is a share between 0 and 1, such as 0.95, not 0.0"),
        (["--seed", "-3"], "seed is -3, but it must be at least 0"),
    ],
)
def test_bad_input_of_confidence(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, "score", *PAIR, "-c", *options) == message


def test_a_small_p() -> None:
    assert [shown_p(p) for p in (0.0005, 0.00049, 1 / 3001, 0.9996, 0.0494)] == [
        *("0.001", "<0.001", "<0.001", "1.000", "0.049")
    ]


def test_the_options_are_those_of_the_package() -> None:
    assert [method.value for method in Method] == list(METHODS)
    assert [correction.value for correction in Correction] == list(CORRECTIONS)
