"""What the script of a report computes, run in Node: anchors, orders of segments and of systems."""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
from itertools import combinations
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.views.asset_files import read_asset
from reference.anchors import compare_segment, positions_of_single_words

REFERENCES = (EXAMPLE / "reference.txt").read_text("utf-8").split("\n")[:-1]
# The parts of the page that need no browser, with the functions of report.js that they call.
SCRIPT = (
    """
    globalThis.matchMedia = () => ({});
    const [data, state, expression] = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const metricNamed = (name) => data.metrics.find((metric) => metric.name === name);
    const breakable = (text) => text;
    """
    + "".join(read_asset(f"{name}.js") for name in ("decode", "systems", "segments"))
    + "console.log(JSON.stringify(eval(expression)));"
)


def evaluate(expression: str, data: Any = None, **state: Any) -> Any:
    """Return the value of an expression on the page of a report."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node: the script of reports is not run")
    usual = dict.fromkeys(("from", "to", "linked"))
    usual |= {"kind": "", "search": "", "punctuation": False, "system": 0, "other": -1}
    done = subprocess.run(
        [node, "-e", SCRIPT],
        input=json.dumps([data, usual | state, expression]),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def systems() -> dict[str, list[str]]:
    rng = random.Random(5)
    fluent = (EXAMPLE / "fluent.txt").read_text("utf-8").split("\n")[:-1]
    return {
        "junk": ["xyzzy qwert plugh"] * len(REFERENCES),
        "literal": (EXAMPLE / "literal.txt").read_text("utf-8").split("\n")[:-1],
        "shuffled": [" ".join(rng.sample(line.split(), len(line.split()))) for line in fluent],
        "holes": ["" if k % 3 == 0 else line for k, line in enumerate(fluent)],
    }


@pytest.fixture(scope="module")
def comparison(systems: dict[str, list[str]]) -> Any:
    return hb.compare(systems, REFERENCES, ["order", "chrf"], "en", samples=20)


@pytest.fixture(scope="module")
def content(comparison: Any) -> Any:
    return json.loads(comparison.report().to_json())  # JSON without NaN


def selected(content: Any, sort: str, metric: str, system: str, other: str | None = None) -> Any:
    """Return the segments as the page lists them, from 0."""
    names = [one["name"] for one in content["systems"]]
    chosen = {"system": names.index(system), "other": -1 if other is None else names.index(other)}
    return evaluate("selectSegments()", content, sort=sort, metric=metric, **chosen)


def stored_anchors(hyp: list[str], references: list[list[str]]) -> list[int]:
    """Return what is kept of a system, by the twin."""
    positions = [positions_of_single_words(hyp, ref) for ref in references]
    rows = zip(references, positions, strict=True)
    return [number for ref, row in rows for number in (len(ref), len(row), *row)]


def test_anchors_are_shared_as_by_the_definition() -> None:
    """They come from the naive twin."""
    rng = random.Random(40)
    rows, expected = [], []
    for _ in range(300):
        sizes = rng.sample(range(11), rng.randint(1, 3))  # which tell the references apart
        references = [rng.sample("aabcdefghijkl", size) for size in sizes]
        a, b = (rng.sample("aabcdefghijkl", rng.randint(0, 13)) for _ in range(2))
        rows.append([stored_anchors(hyp, references) for hyp in (a, b)])
        expected.append((sizes, compare_segment(a, b, references)))
    found = evaluate("data.map(([a, b]) => shareAnchors(a, b))", rows)
    for one, (sizes, segment) in zip(found, expected, strict=True):
        assert one["weight"] * (one["weight"] > 1) == segment.weight
        difference = segment.weight * (segment.a - segment.b)
        assert one["difference"] == pytest.approx(float(difference), abs=1e-12)
        assert sizes[one["reference"]] == segment.words
    assert sum(segment.weight > 2 for _, segment in expected) > 50


def test_the_largest_differences_come_first(comparison: Any, content: Any) -> None:
    """With two systems, and among all pairs."""
    sizes = {}
    for a, b in combinations((result.name for result in comparison.results), 2):
        of_pair = sizes[a, b] = comparison.segment_differences("order", a, b).sizes
        listed = [of_pair[k] for k in selected(content, "difference", "order", a, b)]
        assert listed == pytest.approx(sorted(of_pair, reverse=True))
    largest = [max(of_pair[k] for of_pair in sizes.values()) for k in range(len(REFERENCES))]
    for system in ("literal", "junk"):
        listed = [largest[k] for k in selected(content, "difference", "order", system)]
        assert listed == pytest.approx(sorted(largest, reverse=True), abs=1e-4)


def test_a_baseline_is_what_differences_are_from(systems: dict[str, list[str]]) -> None:
    found = hb.compare(systems, REFERENCES, "order", "en", baseline="holes", samples=20)
    (metric,) = found.report().to_dict()["metrics"]
    sizes = [
        found.segment_differences("order", name, "holes").sizes
        for name in systems
        if name != "holes"
    ]
    assert metric["largest"] == pytest.approx(
        [max(row) for row in zip(*sizes, strict=True)], abs=1e-4
    )


def test_two_systems_have_no_largest_difference_of_a_pair(systems: dict[str, list[str]]) -> None:
    pair = {name: systems[name] for name in ("literal", "holes")}
    content = hb.compare(pair, REFERENCES, "order", "en", samples=20).report().to_dict()
    assert content["metrics"][0]["largest"] is None


def test_the_worst_segments_by_order_lose_most_words(comparison: Any, content: Any) -> None:
    for result, system in zip(comparison.results, content["systems"], strict=True):
        lost = result["order"].statistics[:, 0]
        first = sorted(range(len(lost)), key=lambda k: -lost[k])
        worst = system["scores"]["order"]["worst"]
        assert [row["segment"] - 1 for row in worst] == [k for k in first[:5] if lost[k] > 0]
        listed = [lost[k] for k in selected(content, "worst", "order", result.name)]
        assert listed == pytest.approx(sorted(lost, reverse=True), abs=1e-4)


def test_segments_without_a_value_come_last(comparison: Any, content: Any) -> None:
    for result in comparison.results:
        values = result["order"].segments
        listed = [values[k] for k in selected(content, "best", "order", result.name)]
        scored = [value for value in listed if not math.isnan(value)]
        assert scored == pytest.approx(sorted(scored, reverse=True), abs=1e-4)
        assert all(map(math.isnan, listed[len(scored) :]))


def test_systems_without_a_value_come_last(content: Any) -> None:
    assert content["systems"][0]["scores"]["order"]["value"] is None
    for key in ("metric order", "-metric order"):
        orders = evaluate(
            f"[...data.systems].sort(tableSorts()[{key!r}]).map((system) => system.name)", content
        )
        assert orders[-1] == "junk"
        assert sorted(orders) == sorted(system["name"] for system in content["systems"])
    names = evaluate(
        "[...data.systems].sort(tableSorts()['matched']).map((system) => system.name)", content
    )
    matched = {system["name"]: system["matched"] for system in content["systems"]}
    assert [matched[name] for name in names] == sorted(matched.values(), reverse=True)


def test_a_pair_is_shown_with_the_reference_that_has_most_anchors() -> None:
    # By hand: each system by itself has most words in place beside the first reference, where only
    # c occurs once; both share c and d with the second one.
    references = [["a a b b c", "c d e"]]
    pair = {"one": ["a a b b c d"], "two": ["a a b b d c"]}
    content = hb.compare(pair, references, "order", samples=20).report().to_dict()
    segments = [system["segments"] for system in content["systems"]]
    assert [one["anchors"]["order"] for one in segments] == [
        [[5, 1, 4, 3, 2, 0, 1]],
        [[5, 1, 4, 3, 2, 1, 0]],
    ]
    assert [one["reference"] for one in segments] == [[0], [0]]
    shown = "[[0], [1], [0, 1]].map((systems) => shownReference(0, systems))"
    assert evaluate(shown, content) == [0, 0, 1]
