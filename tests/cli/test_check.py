"""``hyperbaton check``, for continuous integration."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from cli.compare.corpus import REFERENCES, SYSTEMS, WORDS, compared, write
from command_line import CommandLine, NewProcess
from reference import anchors

FAIL = "--fail-below-baseline"
WORSE = ["check", "-r", "ref.txt", "worse.txt", "--baseline", "a.txt"]
BETTER = ["check", "-r", "ref.txt", "a.txt", "--baseline", "worse.txt"]
ALIKE = ["check", "-r", "ref.txt", "a.txt", "--baseline", "b.txt"]
OK, IS_WORSE, CANNOT_TELL = "ok", "worse", "cannot tell"


@pytest.fixture(autouse=True)
def files(working_directory: Path) -> None:
    write("ref.txt", REFERENCES)
    for name, lines in SYSTEMS.items():
        write(name, lines)
    write("junk.txt", ["xyzzy qwert plugh"] * 40)
    write("empty.txt", [""] * 40)
    write("reversed.txt", [" ".join(reversed(line.split())) for line in REFERENCES])


def shorten(count: int) -> None:
    """Keep only some lines of all files."""
    for path in Path().glob("*.txt"):
        write(path.name, path.read_text("utf-8").splitlines()[:count])


def find_outcomes(cli: CommandLine, *arguments: str) -> dict[str, str]:
    """Return the outcome of each system, whatever the status is."""
    systems = cli("check", "-r", "ref.txt", *arguments, "-f", "json").json()["systems"]
    return {system["system"].removesuffix(".txt"): system["outcome"] for system in systems}


def first_lines(text: str) -> list[str]:
    """Return the lines that say what the outcome of a system is."""
    return [line for line in text.splitlines() if not line.startswith("  ")]


# Outcomes and statuses --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "system"),
    [
        ("pef", "worse"),
        ("wer", "worse"),
        ("chrf", "worse"),
        ("hyper", "worse"),
        ("order", "reversed"),
    ],
)
def test_a_worse_system_fails(metric: str, system: str, cli: CommandLine) -> None:
    """An error rate of a worse system is higher."""
    arguments = ["check", "-r", "ref.txt", f"{system}.txt", "--baseline", "a.txt", "-m", metric]
    result = cli(*arguments, FAIL)
    assert (result.status, result.stderr) == (3, "")
    assert first_lines(result.stdout)[0].startswith(f"worse: {system} against a; ")
    assert cli.output(*arguments) == result.stdout


@pytest.mark.parametrize("metric", ["pef", "wer", "order", "chrf", "hyper"])
def test_a_better_system_passes(metric: str, cli: CommandLine) -> None:
    text = cli.output(*BETTER, "-m", metric, FAIL)
    assert first_lines(text)[0].startswith("ok: a against worse; ")


@pytest.mark.parametrize("metric", ["pef", "wer", "order", "chrf"])
def test_a_system_that_is_alike_passes(metric: str, cli: CommandLine) -> None:
    first, line = cli.output(*ALIKE, "-m", metric, FAIL).splitlines()
    assert first.startswith("ok: a against b; ")
    assert line.startswith(f"  {metric}: no certain difference (")


@pytest.mark.parametrize(
    ("systems", "options", "outcomes", "status"),
    [
        # Without a baseline, only words are checked.
        (["a"], [], [OK], 0),
        (["junk"], [], [CANNOT_TELL], 4),
        (["empty"], [], [CANNOT_TELL], 4),
        (["a", "junk"], [], [OK, CANNOT_TELL], 4),
        # With a baseline, nothing fails that is not asked for.
        (["a"], ["--baseline", "b.txt"], [OK], 0),
        (["worse"], ["--baseline", "a.txt"], [IS_WORSE], 0),
        (["junk"], ["--baseline", "a.txt"], [CANNOT_TELL], 4),
        (["worse", "junk"], ["--baseline", "a.txt"], [IS_WORSE, CANNOT_TELL], 4),
        (["a"], ["--baseline", "junk.txt"], [CANNOT_TELL], 4),
        (["junk"], ["--baseline", "empty.txt"], [CANNOT_TELL], 4),
        # A system of which nothing is known never passes, and is never called worse.
        (["worse"], ["--baseline", "a.txt", FAIL], [IS_WORSE], 3),
        (["junk"], ["--baseline", "a.txt", FAIL], [CANNOT_TELL], 4),
        (["empty"], ["--baseline", "a.txt", FAIL], [CANNOT_TELL], 4),
        (["a"], ["--baseline", "empty.txt", FAIL], [CANNOT_TELL], 4),
        (["b", "junk"], ["--baseline", "a.txt", FAIL], [OK, CANNOT_TELL], 4),
        (["worse", "junk"], ["--baseline", "a.txt", FAIL], [IS_WORSE, CANNOT_TELL], 3),
        # --max-drop is about sizes.
        (["worse"], ["--baseline", "a.txt", "--max-drop", "1"], [IS_WORSE], 0),
        (["worse"], ["--baseline", "a.txt", "--max-drop", "0.01"], [IS_WORSE], 3),
        (["a"], ["--baseline", "b.txt", "--max-drop", "0"], [IS_WORSE], 3),
        (["a"], ["--baseline", "b.txt", "--max-drop", "0.3"], [OK], 0),
        (["junk"], ["--baseline", "a.txt", "--max-drop", "0.01"], [CANNOT_TELL], 4),
        (["a"], ["--baseline", "junk.txt", "--max-drop", "0.9"], [CANNOT_TELL], 4),
        (["b", "worse"], ["--baseline", "a.txt", "--max-drop", "1", FAIL], [OK, IS_WORSE], 3),
    ],
)
@pytest.mark.parametrize("metrics", [[], ["-m", "chrf"]])
def test_statuses(
    metrics: list[str],
    systems: Sequence[str],
    options: list[str],
    outcomes: list[str],
    status: int,
    cli: CommandLine,
) -> None:
    """They do not depend on whether ``order`` is one of the metrics."""
    arguments = [*(f"{name}.txt" for name in systems), *options, *metrics]
    result = cli("check", "-r", "ref.txt", *arguments, "-f", "json")
    assert result.status == status
    found = result.json()
    assert [system["outcome"] for system in found["systems"]] == outcomes
    worst = next(word for word in (IS_WORSE, CANNOT_TELL, OK) if word in outcomes)
    assert found["outcome"] == worst
    text = cli("check", "-r", "ref.txt", *arguments)
    assert text.status == status
    assert [line.split(":")[0] for line in first_lines(text.stdout)] == outcomes
    assert "precedence" not in text.stdout + text.stderr  # what only counts words is not shown


def test_shifted_lines(cli: CommandLine) -> None:
    """Words of other lines are in the example by chance alone."""
    example = Path(hb.__file__).parent / "example"
    for name in ("reference", "fluent"):
        write(f"{name}.txt", (example / f"{name}.txt").read_text("utf-8").splitlines())
    lines = Path("fluent.txt").read_text("utf-8").splitlines()
    write("shifted.txt", [*lines[1:], lines[0]])
    for metrics in ([], ["-m", "chrf"]):
        alone = ["check", "-r", "reference.txt", "shifted.txt", *metrics]
        for arguments in (alone, [*alone, "--baseline", "fluent.txt", FAIL]):
            result = cli(*arguments)
            assert result.status == 4
            assert "Are the lines shifted?" in result.stdout
    swapped = ["check", "-r", "reference.txt", "fluent.txt", "--baseline", "shifted.txt", FAIL]
    assert cli(*swapped).status == 4


def test_a_system_with_too_few_words_in_common_with_the_baseline(cli: CommandLine) -> None:
    """Both are scored, but what they have of the reference are different words."""
    lines = [line.split() for line in REFERENCES]
    write("odd.txt", [" ".join(w if k % 2 else "xyz" for k, w in enumerate(x)) for x in lines])
    write("even.txt", [" ".join("xyz" if k % 2 else w for k, w in enumerate(x)) for x in lines])
    arguments = ["odd.txt", "--baseline", "even.txt"]
    result = cli("check", "-r", "ref.txt", *arguments, FAIL)
    assert result.status == 4
    assert result.stdout.splitlines()[:3] == [
        "cannot tell: odd against even",
        "  only 0 words (0 % of the reference's) in common with the baseline and the",
        "  reference: at least 50, and 10 %, are needed",
    ]
    assert result.stdout.splitlines()[3].startswith("  order: too few words in common (")
    assert find_outcomes(cli, *arguments, "-m", "chrf") == {"odd": CANNOT_TELL}
    assert find_outcomes(cli, "odd.txt") == {"odd": OK}


def test_too_few_segments_with_words_in_common(cli: CommandLine) -> None:
    """Five long lines have enough words, but no test of so few segments can find anything."""
    rng = random.Random(3)
    words = [f"{first}{last}" for first in "bdfgklmnprst" for last in ("alo", "em", "iru", "os")]
    references = [" ".join(rng.sample(words, 40)) for _ in range(5)] + ["no no no no"] * 35
    write("ref.txt", references)
    swapped = [" ".join(reversed(line.split())) for line in references]
    write("old.txt", references)
    write("new.txt", swapped)
    result = cli("check", "-r", "ref.txt", "new.txt", "--baseline", "old.txt", "-m", "order", FAIL)
    assert result.status == 4
    assert result.stdout.splitlines()[1] == (
        "  only 5 segments with words in common with the baseline: at least 6 are needed"
    )


# Numbers ----------------------------------------------------------------------------------------


def test_values_are_those_of_the_page(cli: CommandLine) -> None:
    """ORDER.md lists the anchors and the differences of the example."""
    found = cli.succeed("check", "--example", "--baseline", "literal", "-f", "json").json()
    order = {c["system"]: c for c in found["checks"] if c["metric"] == "order"}
    fluent, phrasal = order["fluent"], order["phrasal"]
    assert (fluent["anchors"], phrasal["anchors"]) == (582, 581)
    assert fluent["difference"] == pytest.approx(0.220004991, abs=1e-9)
    assert phrasal["difference"] == pytest.approx(0.084150765, abs=1e-9)
    assert (fluent["outcome"], phrasal["outcome"]) == ("closer", "closer")
    lines = cli.output("check", "--example", "--baseline", "literal").splitlines()
    assert lines[4].startswith("  order: closer to the order of the reference (+22.0, 582 words, p")
    lines = cli.output("check", "--example", "--baseline", "fluent").splitlines()
    assert lines[1].startswith("  order: farther from the order of the reference (−22.0, 582 words")


def test_anchors_are_those_of_the_twin(cli: CommandLine) -> None:
    found = cli.succeed(*WORSE, "-m", "order", "-f", "json").json()
    system, baseline = ([line.split() for line in SYSTEMS[x]] for x in ("worse.txt", "a.txt"))
    expected = anchors.compare(system, baseline, [[line.split()] for line in REFERENCES])
    (check,) = found["checks"]
    assert check["difference"] == pytest.approx(float(expected.difference), abs=1e-12)
    assert check["anchors"] == expected.anchors
    assert check["anchored"] == pytest.approx(float(expected.share), abs=1e-12)
    assert check["drop"] == -check["lower"]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--method", "randomization"], {"method": "randomization"}),
        (["--samples", "300", "--seed", "7"], {"samples": 300, "seed": 7}),
        (["--level", "0.9"], {"level": 0.9}),
    ],
)
def test_numbers_are_those_of_compare(
    arguments: list[str], options: dict[str, Any], cli: CommandLine
) -> None:
    metrics = ["order", "chrf", "wer"]
    found = cli.succeed(*ALIKE, "-m", ",".join(metrics), "-f", "json", *arguments).json()
    comparison = compared(metrics, "a.txt", "b.txt", baseline="b", **options)
    for check, difference in zip(found["checks"], comparison.differences, strict=True):
        for key in ("metric", "difference", "lower", "upper", "effect", "anchors", "anchored"):
            assert check[key] == getattr(difference, key)
    assert found["level"] == options.get("level", 0.95)


def correct(p_values: Sequence[float]) -> list[float]:
    """Return p-values as Holm (1979) corrects them, from the definition."""
    ranked = sorted(p_values)
    return [
        min(1.0, max((len(ranked) - k) * ranked[k] for k in range(ranked.index(p) + 1)))
        for p in p_values
    ]


@pytest.mark.parametrize("metrics", [["order", "chrf"], ["wer", "pef", "bleu", "order", "chrf"]])
def test_p_values_are_corrected_for_the_number_of_metrics(
    metrics: list[str], cli: CommandLine
) -> None:
    for arguments, names in ((ALIKE, ("a.txt", "b.txt")), (WORSE, ("worse.txt", "a.txt"))):
        found = cli.succeed(*arguments, "-m", ",".join(metrics), "-f", "json").json()
        comparison = compared(metrics, *names, baseline=names[1].removesuffix(".txt"))
        expected = correct([difference.p for difference in comparison.differences])
        assert [check["p"] for check in found["checks"]] == pytest.approx(expected, abs=1e-15)
        assert found["correction"] == "holm"
    alone = cli.succeed(*ALIKE, "-m", "chrf", "-f", "json").json()["checks"][0]
    assert alone["p"] == compared(["chrf"], "a.txt", "b.txt").differences[0].p


def test_the_correction_decides(cli: CommandLine) -> None:
    """A difference that is significant by itself may not be beside other metrics."""
    lines = list(SYSTEMS["a.txt"])
    changed = [k for k, line in enumerate(lines) if len(line.split()) > 6][:6]
    for k in changed:
        lines[k] = " ".join(reversed(lines[k].split()))
    write("some.txt", lines)
    arguments = ["check", "-r", "ref.txt", "some.txt", "--baseline", "a.txt"]
    assert cli(*arguments, "-m", "wer", FAIL).status == 3
    more = "wer,per,bleu,chrf,order,pef,kendall,ulam"
    found = cli(*arguments, "-m", more, "-f", "json", FAIL).json()
    wer = found["checks"][0]
    alone = cli(*arguments, "-m", "wer", "-f", "json").json()["checks"][0]
    assert wer["p"] > alone["p"]
    assert wer["worse"] == (wer["p"] < 0.05)


def test_the_drop_of_an_error_rate(cli: CommandLine) -> None:
    """Lower is better, so that the loss is the difference itself."""
    found = cli.succeed(*WORSE, "-m", "wer,chrf", "-f", "json").json()
    wer, chrf = found["checks"]
    assert wer["drop"] == wer["upper"] > wer["difference"] > 0
    assert chrf["drop"] == -chrf["lower"] > -chrf["difference"] > 0
    for check in (wer, chrf):
        metric, drop = check["metric"], check["drop"]
        below, above = f"{drop - 1e-4:.6f}", f"{drop + 1e-4:.6f}"
        failed = cli(*WORSE, "-m", metric, "--max-drop", below)
        assert failed.status == 3
        assert failed.stdout.splitlines()[-1] == (
            f"  {metric}: may have lost {100 * drop:.4g} points, more than {100 * float(below):.4g}"
        )
        assert cli(*WORSE, "-m", metric, "--max-drop", above).status == 0


def test_one_of_several_metrics_fails(cli: CommandLine) -> None:
    """The words are the same in another order, so that only order gets worse."""
    arguments = ["check", "-r", "ref.txt", "reversed.txt", "--baseline", "perfect.txt"]
    result = cli(*arguments, "-m", "per", "-m", "pef", FAIL)
    assert result.status == 3
    first, per, pef = result.stdout.splitlines()
    assert first.startswith("worse: reversed against perfect; ")
    assert per == "  per: no certain difference (0.0 against 0.0, p = 1.000)"
    assert pef.startswith("  pef: significantly worse (")
    assert cli(*arguments, "-m", "per", FAIL).status == 0


def test_the_default_metrics(cli: CommandLine) -> None:
    text = cli.output(*ALIKE)
    assert [line.split(":")[0] for line in text.splitlines()[1:]] == ["  order", "  chrf"]
    assert all(len(line) <= 80 for line in text.splitlines())


@pytest.mark.parametrize("metric", ["hyper", "wer", "pef", "chrf", "bleu"])
def test_words_are_counted_whatever_the_metric_is(metric: str, cli: CommandLine) -> None:
    expected = hb.score(SYSTEMS["a.txt"], REFERENCES, "order")["order"].matched
    found = cli("check", "-r", "ref.txt", "a.txt", "-m", metric, "-f", "json").json()
    assert found["systems"][0]["matched"] == expected
    assert found["checks"] == []


def test_words_are_those_of_the_metric(cli: CommandLine) -> None:
    """Words of another tokeniser would be whole sentences in Chinese."""
    line = "我们明天去北京看一位老朋友"
    write("ref.txt", [line[k:] + line[:k] for k in range(12)])
    write("zh.txt", [line[k:] + "他" + line[:k] for k in range(12)])
    arguments = ["zh.txt", "-q", "-m"]
    assert find_outcomes(cli, *arguments, "bleu:tok=zh") == {"zh": OK}
    by_language = ["zh.txt", "-q", "-l", "zh", "-m", "chrf"]
    assert find_outcomes(cli, *by_language) == {"zh": OK}


# What is printed --------------------------------------------------------------------------------


def test_json(cli: CommandLine) -> None:
    result = cli(*WORSE, "-m", "pef,wer", "-f", "json", FAIL)
    assert result.status == 3
    found = result.json()
    keys = ("schema", "outcome", "can_fail", "baseline", "n", "correction")
    assert [found[key] for key in keys] == [
        "hyperbaton/check/2",
        "worse",
        True,
        "a",
        40,
        "holm",
    ]
    assert [(check["metric"], check["worse"]) for check in found["checks"]] == [
        ("pef", True),
        ("wer", True),
    ]
    comparison = compared(["wer"], "worse.txt", "a.txt")
    wer = found["checks"][1]
    assert [wer["value"], wer["baseline_value"]] == [
        score["wer"].value for score in comparison.results
    ]
    assert wer["signature"] == comparison.results[0]["wer"].signature


def test_json_of_what_cannot_be_told(cli: CommandLine) -> None:
    result = cli("check", "-r", "ref.txt", "junk.txt", "--baseline", "a.txt", "-f", "json", "-q")
    found = result.json()
    (system,) = found["systems"]
    assert (system["outcome"], found["outcome"]) == (CANNOT_TELL, CANNOT_TELL)
    assert system["reason"].startswith("not scored: only 0 % of its words are in the reference")
    order, chrf = found["checks"]
    assert (order["value"], order["drop"], order["outcome"]) == (None, None, "not scored")
    assert chrf["worse"]


def test_the_baseline_is_not_scored(cli: CommandLine) -> None:
    lines = cli("check", "-r", "ref.txt", "a.txt", "--baseline", "junk.txt", FAIL).stdout
    assert lines.splitlines()[:2] == [
        "cannot tell: a against junk",
        "  the baseline is not scored: only 0 % of its words are in the reference, as",
    ]
    assert lines.splitlines()[3] == "  order: not scored"


def test_equal_files(cli: CommandLine) -> None:
    write("copy.txt", SYSTEMS["a.txt"])
    arguments = ["check", "-r", "ref.txt", "copy.txt", "--baseline", "a.txt", "-m", "pef", FAIL]
    result = cli.succeed(*arguments)
    assert result.stdout.endswith(", p = 1.000)\n")
    assert result.stderr == (
        "hyperbaton: note: copy and a are equal in every segment by pef: p = 1\n"
    )
    assert cli.succeed(*arguments, "--quiet").stderr == ""


# Checks that could never fail -------------------------------------------------------------------


def test_a_check_that_could_never_fail(cli: CommandLine) -> None:
    shorten(5)
    message = cli.error(*WORSE, "-m", "pef", FAIL, "-o", "out.txt")
    assert message == (
        "5 segments are too few for intervals and significant differences: at least 6 are needed; "
        "this check could never fail"
    )
    assert cli.error(*WORSE, "-m", "pef,wer", "--max-drop", "0.5") == message
    assert not Path("out.txt").exists()
    result = cli(*WORSE, "-m", "pef", "-f", "json")
    assert result.json()["can_fail"] is False
    assert "5 segments are too few for intervals and significant differences" in result.stderr


@pytest.mark.parametrize(("metrics", "needed"), [("wer", 6), ("wer,chrf", 7), ("wer,chrf,pef", 7)])
def test_the_correction_needs_segments(metrics: str, needed: int, cli: CommandLine) -> None:
    """p of the exact test is at least 2¹⁻ⁿ, and Holm multiplies the least p by the metrics."""
    count = len(metrics.split(","))
    assert count * 2.0 ** (1 - needed) < 0.05 <= count * 2.0 ** (2 - needed)
    rng = random.Random(2)
    references = [" ".join(rng.sample(WORDS, 16)) for _ in range(needed)]
    write("ref.txt", references)
    write("old.txt", references)
    write(
        "new.txt", [" ".join([*line.split()[8:], "x", *line.split()[1:8]]) for line in references]
    )
    arguments = ["check", "-r", "ref.txt", "new.txt", "--baseline", "old.txt", "-m", metrics]
    assert cli(*arguments, FAIL).status == 3
    shorten(needed - 1)
    message = cli.error(*arguments, FAIL)
    assert message.endswith(f"at least {needed} are needed; this check could never fail")
    assert cli(*arguments, "-f", "json").json()["can_fail"] is False


def test_too_few_samples_to_fail(cli: CommandLine) -> None:
    message = cli.error(*WORSE, "-m", "pef", "--samples", "10", FAIL)
    assert message.startswith("with 10 samples, no p can be less than 0.091")
    message = cli.error(*WORSE, "-m", "pef,wer", "--samples", "30", FAIL)
    assert message == (
        "with 30 samples and 2 tests, no p can be less than 0.065: at least 40 samples are "
        "needed; this check could never fail"
    )
    result = cli.succeed(*WORSE, "-m", "pef,wer", "--samples", "30")
    assert "no p can be less than 0.065" in result.stderr


def test_samples_grow_with_the_metrics(cli: CommandLine) -> None:
    """At the level 0.999, 1,000 samples are too few for two metrics."""
    arguments = [*WORSE, "-m", "pef,wer", "--level", "0.999"]
    assert cli(*arguments, FAIL).status == 3
    assert cli.json(*arguments, "-f", "json")["samples"] == 4 * 2 * 1000
    assert cli.error(*arguments, "--samples", "1000", FAIL).startswith("with 1,000 samples and 2")


def test_few_segments_may_be_enough(cli: CommandLine) -> None:
    shorten(12)
    arguments = ["check", "-r", "ref.txt", "worse.txt", "--baseline", "perfect.txt", "-m", "wer"]
    result = cli(*arguments, FAIL)
    assert result.status == 3
    assert "12 segments are few" in result.stderr


def test_one_segment(cli: CommandLine) -> None:
    shorten(1)
    assert cli("check", "-r", "ref.txt", "a.txt").status == 0
    assert cli("check", "-r", "ref.txt", "junk.txt").status == 4
    message = cli.error(*WORSE, FAIL)
    assert message.startswith("one segment is too few for intervals and significant differences")


# Input and options ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-r", "ref.txt", "a.txt", FAIL], f"{FAIL} needs --baseline"),
        (["-r", "ref.txt", "a.txt", "--max-drop", "0.1"], "--max-drop needs --baseline"),
        (["--example", FAIL], f"{FAIL} needs --baseline"),
        (
            [*ALIKE[1:], "--max-drop", "0.1", "--method", "randomization"],
            "--max-drop needs intervals, which --method bootstrap gives",
        ),
        ([*ALIKE[1:], "--max-drop", "2"], "--max-drop must be a number from 0 to 1, got '2'"),
        ([*ALIKE[1:], "--max-drop", "-0.1"], "--max-drop must be a number from 0 to 1"),
        ([*ALIKE[1:], "--max-drop", "nan"], "--max-drop must be a number from 0 to 1"),
        (["-r", "ref.txt"], "no system: hyperbaton check -r REF SYS..."),
        (["-r", "ref.txt", "--baseline", "b.txt"], "no system: hyperbaton check -r REF SYS..."),
        (["a.txt", "--baseline", "b.txt"], "no reference: hyperbaton check -r REF SYS..."),
        (
            ["-r", "ref.txt", "a.txt", "--baseline", "none.txt"],
            "cannot read none.txt: No such file or directory",
        ),
        (["-r", "ref.txt", "a.txt", "--baseline", "a.txt"], "a.txt is given twice"),
        (["-r", "ref.txt", "x=a.txt", "--baseline", "x=b.txt"], "two systems have the name x"),
        (
            ["-r", "ref.txt", "a.txt", "--baseline", "short.txt"],
            "ref.txt has 40 lines, but short.txt has 3",
        ),
        (
            ["--example", "--baseline", "none"],
            "the baseline 'none' is not one of the systems: literal, phrasal, fluent",
        ),
        (["-r", "ref.txt", "a.txt", "--baseline", "b.txt", "-o", "b.txt"], "b.txt would be over"),
    ],
)
def test_bad_input(arguments: list[str], message: str, cli: CommandLine) -> None:
    write("short.txt", REFERENCES[:3])
    assert cli.error("check", *arguments, "-m", "pef").startswith(message)


def test_there_is_no_correction_to_choose(cli: CommandLine) -> None:
    text = cli.output("check", "--help")
    assert "--correction" not in text
    assert "--max-drop" in text
    for status in range(5):
        assert f"\n    {status}  " in text


def test_files_of_other_kinds(cli: CommandLine) -> None:
    expected = cli.output(*WORSE, "-m", "pef")
    Path("new.txt.gz").write_bytes(gzip.compress(Path("worse.txt").read_bytes()))
    rows = zip(REFERENCES, SYSTEMS["a.txt"], strict=True)
    write("data.tsv", ["ref\told", *("\t".join(row) for row in rows)])
    found = cli.output(
        *("check", "-r", "data.tsv:ref", "worse=new.txt.gz"),
        *("--baseline", "a=data.tsv:old", "-m", "pef"),
    )
    assert found == expected


def test_an_output_file(cli: CommandLine) -> None:
    result = cli(*WORSE, "-m", "pef", FAIL, "-o", "out.txt")
    assert (result.status, result.stdout) == (3, "")
    assert "significantly worse" in Path("out.txt").read_text("utf-8")


def test_the_configuration_sets_metrics(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYPERBATON_CONFIG", raising=False)
    table = '[tool.hyperbaton]\nmetrics = ["wer", "pef"]\nformat = "latex"\n'
    Path("pyproject.toml").write_text(table, encoding="utf-8")
    found = cli.output(*WORSE)
    assert [line.split(":")[0] for line in found.splitlines()[1:]] == ["  wer", "  pef"]


def test_the_exit_status_of_a_process(cli_process: NewProcess) -> None:
    """It is what continuous integration sees; there is no terminal, and the locale may be C."""
    run = cli_process.with_environment(LC_ALL="C", PYTHONUTF8="0")
    result = run("check", "-r", "ref.txt", "reversed.txt", "--baseline", "a.txt", FAIL)
    assert (result.status, result.stderr) == (3, "")
    assert "(−" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pipe that is closed")
@pytest.mark.parametrize(("system", "status"), [("worse.txt", 3), ("junk.txt", 4)])
def test_a_closed_pipe_does_not_pass(system: str, status: int) -> None:
    """The status says that the check failed even if nobody reads why."""
    reader, writer = os.pipe()
    os.close(reader)
    arguments = ["check", "-r", "ref.txt", system, "--baseline", "a.txt", "-m", "wer", FAIL]
    command = [sys.executable, "-m", "hyperbaton", *arguments]
    process = subprocess.run(command, stdout=writer, stderr=subprocess.DEVNULL)
    os.close(writer)
    assert process.returncode == status
