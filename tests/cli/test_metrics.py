"""``hyperbaton metrics``."""

from __future__ import annotations

import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.views.catalogue import GROUPS


def test_descriptions_of_sets_and_variants(cli: CommandLine) -> None:
    out = cli.output("metrics", "default")
    assert out.count("example: hyperbaton score") == len(hb.metrics.SETS["default"])
    assert cli.output("metrics", "pef:bp=off").startswith("pef: ")


def test_options_that_metrics_share_are_described_once(cli: CommandLine) -> None:
    one, several = cli.output("metrics", "wer"), cli.output("metrics", "wer", "per", "invwer")
    (case,) = (line for line in one.splitlines() if line.startswith("    case=lc"))
    assert several.count(case) == 1
    assert several.index(case) > several.index("options that several of them have:")


def test_descriptions(cli: CommandLine) -> None:
    described = cli.output("metrics", *hb.metrics.names())
    document = cli.json("metrics", "--format", "json")
    assert [metric["name"] for metric in document["metrics"]] == list(hb.metrics.names())
    for metric in document["metrics"]:
        assert f"\n{metric['name']}: {metric['about']}\n" in "\n" + described
        assert f"  paper: {metric['paper']}\n" in described
        assert f"  example: {metric['example']}\n" in described
        spec = metric["example"].split(" -m ")[1]
        assert hb.metrics.get(spec).name == metric["name"]
    assert cli("metrics", "pfe").status == 2


def test_list_of_metrics(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = cli.output("metrics").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    for name in (*hb.metrics.names(), *hb.metrics.SETS):
        assert sum(line.startswith(f"  {name} ") for line in lines) == 1
    assert [line.split()[0] for line in lines[1:4]] == ["order", "chrf", "bleu"]


def test_every_metric_is_in_one_group() -> None:
    grouped = [name for members in GROUPS.values() for name in members]
    assert sorted(grouped) == sorted(hb.metrics.names())


def test_description_of_a_metric(cli: CommandLine) -> None:
    out = cli.output("metrics", "LR-HB1")
    assert out.startswith("lr_hb1: LRscore with hamming and BLEU1\n")
