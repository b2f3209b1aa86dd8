"""The list of commands."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import PROGRAM, CommandLine, NewProcess
from hyperbaton.cli import COMMANDS, find_command, load_command
from hyperbaton.cli.commands import OptionGroup, all_groups, attribute_texts, flag, parameters_of


def test_list_of_commands_has_their_own_summaries() -> None:
    for name, about in COMMANDS.items():
        command, _ = find_command(name)
        assert (command.__doc__ or "").splitlines()[0] == about


def test_help_imports_no_heavy_packages() -> None:
    code = (
        "import sys; from hyperbaton.cli import main; main(['--help']);"
        "sys.exit(bool({'numpy', 'sacrebleu', 'rich', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_reader_that_closes_the_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{shlex.join(PROGRAM)} score --example -m pef | true; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_can_be_only_one_of_the_files(cli: CommandLine, cli_process: NewProcess) -> None:
    """Two readers would each get some of its lines, or wait for the other one for ever."""
    os.mkfifo("twice")
    message = "twice can be only one of the files"
    assert cli.error("score", "-r", "twice", "a=twice", "-m", "bleu") == message
    result = cli_process("score", "-r", "-", "/dev/stdin", "-m", "bleu", stdin="a b c d\n" * 9000)
    assert "standard input can be only one of the files" in result.stderr
    assert result.status == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_cannot_be_read_twice(cli: CommandLine) -> None:
    os.mkfifo("pipe")
    Path("ref.txt").write_text("a b\n")
    message = cli.error("compare", "-r", "ref.txt", "pipe", "ref.txt", "--differences", "1")
    assert message == "--differences reads the files twice: pipe is not a regular file"


def test_an_option_that_is_not_utf8(cli_process: NewProcess) -> None:
    assert "No such option" in cli_process.error("score", "--\udcff")


@pytest.mark.parametrize(
    "arguments",
    [
        "score --example -m pef --segments -",
        "score --example -m pef --segments /dev/stdout",
        "report --example -o - --json -",
    ],
)
def test_two_outputs_to_standard_output(cli: CommandLine, arguments: str) -> None:
    message = cli.error(*arguments.split())
    assert message == "two outputs would be written to standard output"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_every_option(name: str, cli: CommandLine) -> None:
    text = cli.output(name, "--help-all")
    for parameter in load_command(name).params:
        for option in parameter.opts:
            if option != "--help-all":
                assert not option.startswith("-") or option in text


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_few_options_and_examples(name: str, cli: CommandLine) -> None:
    text, whole = cli.output(name, "--help"), cli.output(name, "--help-all")
    options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)
    assert len(options) <= 15 + len(["--help"])
    examples = text.partition("Examples:\n")[2].partition("\n\n")[0]
    if text != whole:
        assert f"All options: hyperbaton {name} --help-all" in text
        assert examples.count("    hyperbaton ") == 3
        assert len(whole) > len(text)
    assert set(options) <= set(re.findall(r"--[\w-]+", whole))


def test_list_of_commands_begins_with_what_most_people_need(cli: CommandLine) -> None:
    first, _, more = cli.output("--help").partition("\nMore commands:\n")
    names = re.findall(r"^  (\w+)  ", first.partition("\nCommands:\n")[2], re.MULTILINE)
    assert names == ["compare", "explain", "report", "serve", "score", "check", "align", "metrics"]
    assert len(re.findall(r"^  (\w+)  ", more, re.MULTILINE)) == len(COMMANDS) - len(names)


def test_help_on_sources(cli: CommandLine) -> None:
    assert "source.txt" in cli.output("meta", "--help-all")
    assert "combined: mean, geometric, intersection, grow-" in cli.output("score", "--help-all")
    assert "--source src.txt --align-source" in cli.output("report", "--help-all")


def test_a_section_that_is_not_listed_is_refused() -> None:
    """Its options would come last, or be missing from the help."""

    class New(OptionGroup):
        option: bool = flag("--flag", title="New")

    with pytest.raises(ValueError, match="'New' has no place among the sections of the help"):
        list(parameters_of(New))


@pytest.mark.parametrize("name", COMMANDS)
def test_all_options_are_documented(name: str) -> None:
    function, _ = find_command(name)
    for group in all_groups(function):
        for parameter in parameters_of(group):
            assert parameter.about, (group, parameter.name)
        for attribute in attribute_texts(group):
            assert hasattr(group, attribute), (group, attribute)


@pytest.mark.parametrize("name", COMMANDS)
def test_rules_name_options_of_their_command(name: str) -> None:
    function, own_rules = find_command(name)
    groups = list(all_groups(function))
    known = {
        spelling
        for one in groups
        for parameter in parameters_of(one)
        for spelling in parameter.spellings
    }
    for rules in (own_rules, *(one.RULES for one in groups)):
        for refusals in rules.values():
            for options, message in refusals.items():
                assert set(options.split()) <= known
                assert message.count("{option}") <= 1
