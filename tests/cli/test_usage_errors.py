"""Messages for wrong arguments are readable whatever version of click splits the arguments."""

from __future__ import annotations

import pytest

from command_line import CommandLine

WRONG = [
    (["score", "--digits", "0"], "--digits must be a whole number from 1 to 15, got '0'."),
    (["score", "--digits=x"], "--digits must be a whole number from 1 to 15, got 'x'."),
    (["score", "-fxml"], "-f must be one of text, json, tsv, csv, markdown, latex, got 'xml'."),
    (["score", "--threads", "1.5"], "--threads must be a whole number, got '1.5'."),
    (["report", "--level", "high"], "--level must be a number, got 'high'."),
    (["align", "a", "b", "--top", "0"], "--top must be a whole number, at least 1, got '0'."),
    (["merge"], "Missing argument 'FOLDER'."),
    (["score", "--example", "-m"], "Option '-m' requires an argument."),
    (["score", "--exampel"], "No such option: --exampel"),
    (["tune", "--method", "luck"], "--method must be one of climb, grid, got 'luck'."),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=lambda value: str(value)[:40])
def test_wrong_options(cli: CommandLine, arguments: list[str], message: str) -> None:
    error = cli.error(*arguments)
    assert error.startswith(message)
    assert error.endswith(f" Try 'hyperbaton {arguments[0]} --help'.")


def test_lists_of_metrics(cli: CommandLine) -> None:
    arguments = ["score", "--example", "-f", "json", "-m"]
    document = cli.json(*arguments, "bleu,pef:bp=off,beta=0.5,wer,kendall:bp=off")
    assert list(document["systems"][0]["scores"]) == [
        "bleu",
        "pef:bp=off,beta=0.5",
        "wer",
        "kendall:bp=off",
    ]
    for wrong, message in (
        ("pef,bp=off", "'pef,bp=off': a colon separates a metric from its options: pef:bp=off"),
        ("pef:bp=off,beta", "'pef:bp=off,beta': 'beta' is not an option such as bp=off"),
        ("bleu,pfe:bp=off", "unknown metric 'pfe'; did you mean"),
    ):
        assert cli.error(*arguments, wrong).startswith(message)
