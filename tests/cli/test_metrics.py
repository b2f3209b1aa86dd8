"""``hyperbaton metrics`` and ``hyperbaton score --explain``."""

from __future__ import annotations

import hyperbaton as hb
from command_line import CommandLine


def test_descriptions_of_sets_and_variants(cli: CommandLine) -> None:
    out = cli.output("metrics", "default")
    assert out.count("example: hyperbaton score") == len(hb.metrics.SETS["default"])
    assert cli.output("score", "--explain", "pef:bp=off").startswith("pef: ")


def test_list_of_metrics(cli: CommandLine) -> None:
    listed = cli.output("metrics")
    brief = cli.output("metrics", "--brief")
    document = cli.json("metrics", "--json")
    assert [metric["name"] for metric in document["metrics"]] == list(hb.metrics.names())
    for metric in document["metrics"]:
        assert f"\n{metric['name']}: {metric['about']}\n" in "\n" + listed
        assert f"  paper: {metric['paper']}\n" in listed
        assert f"  example: {metric['example']}\n" in listed
        assert f"\n{metric['name']} " in "\n" + brief
        spec = metric["example"].split(" -m ")[1]
        assert hb.metrics.get(spec).name == metric["name"]
    assert cli("metrics", "pfe").status == 2


def test_description_of_a_metric(cli: CommandLine) -> None:
    out = cli.output("score", "--explain", "LR-HB1")
    assert out.startswith("lr_hb1: LRscore with hamming and BLEU1\n")
    assert cli("score", "--explain", "pfe").status == 2
