"""``hyperbaton compare --differences``: the segments behind a difference."""

from __future__ import annotations

from pathlib import Path

import hyperbaton as hb
from cli.compare.corpus import ALL, PAIR, REFERENCES, SYSTEMS, compare_json, compared, write
from command_line import CommandLine


def test_segments_with_the_largest_differences(cli: CommandLine) -> None:
    out = cli.output("compare", *ALL, "-m", "wer", "--differences", "3")
    parts = out.rstrip("\n").split("\n\n")[2:-1]
    scores = compared(["wer"], *SYSTEMS).scores("wer")
    best, second = (score.segments.tolist() for score in list(scores.values())[:2])
    sizes = [abs(a - b) for a, b in zip(best, second, strict=True)]
    order = sorted(range(40), key=lambda k: (-sizes[k], k))[:3]
    assert len(parts) == 3
    for part, k in zip(parts, order, strict=True):
        assert part.splitlines() == [
            f"wer, segment {k + 1}",
            f"  reference: {REFERENCES[k]}",
            f"  perfect ({100 * best[k]:.1f}): {REFERENCES[k]}",
            f"  a ({100 * second[k]:.1f}): {SYSTEMS['a.txt'][k]}",
        ]
    assert sizes[order[0]] > sizes[order[2]] or sizes.count(sizes[order[0]]) > 2


def test_differences_in_json(cli: CommandLine) -> None:
    write("ref2.txt", [line.upper() + " !" for line in REFERENCES])
    arguments = ["-r", "ref.txt", "-r", "ref2.txt", *SYSTEMS, "-m", "wer,pef", "--samples", "20"]
    found = compare_json(cli, *arguments, "--differences", "2", "--baseline", "worse.txt")
    assert [segment["metric"] for segment in found["separating"]] == ["wer", "wer", "pef", "pef"]
    both = list(zip(REFERENCES, Path("ref2.txt").read_text("utf-8").splitlines(), strict=True))
    for segment in found["separating"]:
        k = segment["segment"] - 1
        metric = segment["metric"]
        assert segment["references"] == list(both[k])
        first, second = segment["systems"]
        assert (first["name"], second["name"]) == ("perfect", "worse")
        for system in (first, second):
            assert system["text"] == SYSTEMS[f"{system['name']}.txt"][k]
            value = hb.score([system["text"]], [both[k]], [metric])[metric].segments[0]
            assert system["value"] == value
    # The largest difference comes first.
    sizes = [
        abs(segment["systems"][0]["value"] - segment["systems"][1]["value"])
        for segment in found["separating"]
    ]
    assert sizes[0] >= sizes[1]
    assert sizes[2] >= sizes[3]


def test_differences_from_the_baseline(cli: CommandLine) -> None:
    """The two systems are the best one and the baseline."""
    arguments = [*PAIR, "-m", "wer", "--baseline", "worse.txt"]
    found = compare_json(cli, *arguments, "--differences", "1")
    (segment,) = found["separating"]
    assert [system["name"] for system in segment["systems"]] == ["a", "worse"]


def test_differences_if_the_baseline_is_best(cli: CommandLine) -> None:
    found = compare_json(cli, *ALL, "-m", "wer", "--baseline", "perfect.txt", "--differences", "1")
    (segment,) = found["separating"]
    assert [system["name"] for system in segment["systems"]] == ["a", "perfect"]


def test_equal_segments_are_not_differences(cli: CommandLine) -> None:
    write("one.txt", [*REFERENCES[:-1], "x"])
    arguments = ["-r", "ref.txt", "perfect.txt", "one.txt", "-m", "wer"]
    found = compare_json(cli, *arguments, "--differences", "50")
    assert [segment["segment"] for segment in found["separating"]] == [40]
    assert compare_json(cli, *arguments, "--differences", "0")["separating"] == []
