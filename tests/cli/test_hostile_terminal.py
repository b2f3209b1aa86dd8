"""Hostile texts and names on a terminal: nothing from input is a command to the terminal.

What commands print is fed to a terminal emulator, pyte, which tells what the terminal would do. The
last tests run commands on a pseudo-terminal and in tmux.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyte
import pytest

import hostile_text
from command_line import PROGRAM, CommandLine, NewProcess
from hyperbaton.files.lines import printable
from hyperbaton.text.display import visible
from waiting import wait_until

# What a terminal may be told: text, ends of lines, and colours if there are any.
TEXT = {"draw", "linefeed", "carriage_return"}
COLOURS = {"0", "1", "1;32", "2", "31", "32", "33", "34", "35", "36"}
# Joiners are part of the spelling, and so are spaces of other widths.
HARMLESS = re.compile("[\n\u200c\u200d\xa0\u3000]")
# Words from right to left are isolated from what stands around them.
ISOLATED = re.compile("[\u2067\u2068]([^\u2066-\u2069]*)\u2069")
WIDE = 400
LINES = hostile_text.LINES
# No argument and no file name has a NUL; the names that are in one command are different.
ARGUMENTS = [
    "".join(group).replace("\0", "")
    for group in (
        hostile_text.TERMINAL,
        hostile_text.BIDI,
        hostile_text.SEPARATORS,
        [*hostile_text.FORMULAS, *hostile_text.MARKUP_LANGUAGES, "\n", "byte\udcff"],
        [text[:50] for text in hostile_text.SHAPES],
    )
]
NAMES = list(dict.fromkeys(hostile_text.file_names(hostile_text.TEXTS)))

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names or terminals")


def check_shown(output: str, colours: bool = False) -> None:
    """Check that a terminal only shows this output, and does nothing else."""
    bare = output
    if colours:
        used = re.findall(r"\x1b\[([0-9;]*)m", output)
        assert set(used) <= COLOURS
        bare = re.sub(r"\x1b\[[0-9;]*m", "", output)
    for _ in range(2):  # what is isolated may be in a line from right to left
        bare = ISOLATED.sub(r"\1", bare)
    unsafe = {c for c in HARMLESS.sub("", bare) if not c.isprintable()}
    assert not unsafe, sorted(unsafe)
    assert terminal_events(bare) <= TEXT


def terminal_events(output: str) -> set[str]:
    """Return what a terminal is told to do by this output."""
    record = io.StringIO()
    screen: Any = pyte.DebugScreen(record)
    pyte.Stream(screen).feed(output.replace("\n", "\r\n"))
    return {json.loads(line)[0] for line in record.getvalue().splitlines()}


def row_ends(output: str) -> list[int]:
    """Return the columns of a wide screen at which the lines of this output end."""
    screen = pyte.Screen(WIDE, output.count("\n") + 1)
    pyte.Stream(screen).feed(output.replace("\n", "\r\n"))
    rows = (screen.buffer[y] for y in range(output.count("\n")))
    return [max((x for x in row if row[x].data.strip()), default=0) for row in rows]


def write(name: str, text: str) -> None:
    with open(name, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


@pytest.fixture
def texts(working_directory: Path) -> Path:
    """A reference and two systems with all hostile lines."""
    write("ref.txt", "".join(f"one {text} two three\n" for text in LINES))
    write("a.txt", "".join(f"three {text} one two\n" for text in LINES))
    write("b.txt", "".join(f"one two {text} four three\n" for text in LINES))
    return working_directory


@pytest.mark.parametrize(
    "text",
    [*hostile_text.TERMINAL, "\t", "\x00"],
)
def test_the_emulator_notices(text: str) -> None:
    """Without this, the other tests could pass because nothing is looked at."""
    with pytest.raises(AssertionError):
        check_shown(f"a {text} b\n")


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "-r", "ref.txt", "a.txt", "b.txt", "--differences", str(len(LINES))),
        ("compare", "-r", "ref.txt", "a.txt", "b.txt", "--differences", "99", "--format", "json"),
        ("align", "a.txt", "ref.txt", "--format", "draw"),
        ("align", "a.txt", "ref.txt", "--format", "json"),
        ("explain", "-r", "ref.txt", "a.txt", "--format", "jsonl"),
    ],
    ids=" ".join,
)
def test_texts(cli: CommandLine, arguments: tuple[str, ...]) -> None:
    few = ("--samples", "10", "-m", "pef") if arguments[0] == "compare" else ()
    result = cli.succeed(*arguments, *few)
    check_shown(result.stdout)
    check_shown(result.stderr)
    if arguments[0] == "compare" and "json" not in arguments:
        for text in LINES:
            assert visible(f"one {text} two three") in result.stdout


@pytest.mark.usefixtures("texts")
def test_explanations(cli: CommandLine) -> None:
    for line in range(1, len(LINES) + 1, 10):
        check_shown(cli.succeed("explain", "-r", "ref.txt", "a.txt", "--line", str(line)).stdout)


@posix
def test_names_of_systems(cli: CommandLine) -> None:
    write("ref.txt", "a b c\nd e f\n")
    for name in NAMES:
        write(name, "c b a\nd f e\n")
    score = ("score", "-r", "ref.txt", "-m", "pef,wer")
    for output in ("text", "json", "markdown", "latex"):
        result = cli.succeed(*score, "--format", output, "--", *NAMES)
        check_shown(result.stdout)
        check_shown(result.stderr)
    output = cli(*score, "--", *NAMES).stdout
    # Numbers are in columns, whatever the names are. Terminals differ in how wide emoji are that
    # are joined, or that follow each other as the letters of a flag.
    rows = zip(output.split("\n")[1:], row_ends(output)[1 : len(NAMES) + 1], strict=False)
    flags = "\N{WAVING WHITE FLAG}", "\N{REGIONAL INDICATOR SYMBOL LETTER D}"
    ends = {row: end for row, end in rows if not any(flag in row for flag in flags)}
    assert len(ends) >= len(NAMES) - 1
    assert len(set(ends.values())) == 1, ends


@posix
def test_names_in_sentences(cli: CommandLine) -> None:
    write("ref.txt", "a b c\nd e f\n")
    write("a.txt", "b a c\nd e f\n")
    for argument in ARGUMENTS:
        name = hostile_text.file_names([argument])[0]
        write(name, "c b a\nd f e\n")
        for output in ("text", "json"):
            options = ("-r", "ref.txt", "-m", "pef", "--samples", "9", "--format", output)
            result = cli("check", *options, "--baseline", "a.txt", "--", name)
            assert result.status == 4  # two lines have too few words to compare
            check_shown(result.stdout)
            check_shown(result.stderr)


# Places of an argument that messages quote.
PLACES: tuple[tuple[str, ...], ...] = (
    ("{}",),
    ("score", "--{}"),
    ("score", "-r", "ref.txt", "a.txt", "-m", "{}"),
    ("score", "-r", "ref.txt", "a.txt", "-m", "pef:{}"),
    ("score", "-r", "ref.txt", "a.txt", "-m", "pef:bp={}"),
    ("score", "-r", "ref.txt", "a.txt", "-l", "{}"),
    ("score", "-r", "ref.txt", "a.txt", "--digits", "{}"),
    ("score", "-r", "ref.txt", "a.txt", "--format", "{}"),
    ("score", "-r", "ref.txt", "{}"),
    ("score", "-r", "ref.txt", "a.tsv:{}"),
    ("score", "-r", "ref.txt", "a.txt", "-o", "{}/x"),
    ("score", "-r", "ref.txt", "a.txt", "-m", "order:precedence={}"),
    ("explain", "--text", "a b", "b a", "-a", "{}"),
    ("align", "--text", "a", "b", "--weights", "{}"),
    ("align", "--text", "a", "b", "--wordnet", "{}"),
    ("permutation", "{}"),
    ("metrics", "{}"),
    ("cite", "{}"),
    ("meta", "{}"),
    ("tune", "--example", "-m", "pef", "-t", "{}"),
    ("merge", "{}"),
    ("fit", "-r", "{}", "-o", "x"),
    ("parse", "a.txt", "-l", "{}"),
    ("--show-completion", "{}"),
)


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_messages(cli: CommandLine, place: tuple[str, ...]) -> None:
    for name in ("ref.txt", "a.txt", "a.tsv"):
        write(name, "a b\n")
    for argument in ARGUMENTS:
        check_shown(cli.error(*(part.replace("{}", argument) for part in place)))


@pytest.mark.parametrize("command", ["meta", "tune", "merge"])
def test_names_that_are_too_long(cli: CommandLine, command: str) -> None:
    options = ("-m", "pef", "-t", "beta") if command == "tune" else ()
    message = cli.error(command, "z" * 5000, *options)
    assert "z" * 5000 in message


def test_completion_and_citation(cli: CommandLine) -> None:
    for argument in ARGUMENTS:
        check_shown(cli("--complete", "score", "-m", argument).stdout)
        if "," not in argument:
            citation = cli.succeed("cite", f"order:precedence={argument}").stdout
            check_shown(citation)
            # The sentence is a comment of LaTeX to its end.
            assert citation.rstrip().split("\n")[-1].startswith("% We report")


def hostile_files() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield names and contents of files, and commands that complain about them."""
    score = ("score", "-r", "ref.txt", "a.txt")
    for text in ("".join(hostile_text.TERMINAL), "".join(hostile_text.BIDI)):
        quoted = json.dumps(text)
        for table in (f"language = {quoted}", f"{quoted} = 1", f"format = {quoted}", f"x = {text}"):
            yield "config.toml", f"[tool.hyperbaton]\n{table}\n", score
        tree = f"# sent_id = {text}\n# text = {text}\n"
        for row in ("1\tx\t_\t_\t_\t_\t{}\troot\t_\t_", "{}\tx\t_\t_\t_\t_\t0\troot\t_\t_", "{}"):
            content = f"{tree}{row.format(text)}\n\n"
            yield "t.conllu", content, (*score, "-m", "dted", "--trees", "t.conllu")
        yield "a.align", f"{text}\n", (*score, "-m", "pef", "-a", "a.align")
        yield "a.jsonl", f'{{"a": {text}}}\n', ("score", "-r", "ref.txt", "a.jsonl:a")
        yield "a.jsonl", f'{{{quoted}: "a"}}\n', ("score", "-r", "ref.txt", "a.jsonl:b")
        yield "a.tsv", f"{text}\ta\nx\ty\n", ("score", "-r", "ref.txt", "a.tsv:b")
        for cells in (f"{text}\t0\t1", f"A\t{text}\t1", f"A\t0\t{text}"):
            yield "set/human_seg.tsv", f"system\tsegment\tscore\n{cells}\n", ("meta", "set")
        yield "set/human_seg.tsv", f"{text}\tsegment\tscore\nA\t0\t1\n", ("meta", "set")


def test_messages_about_files(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    os.makedirs("set/systems")
    for name in ("ref.txt", "a.txt", "set/reference.txt", "set/systems/A.txt", "set/systems/B.txt"):
        write(name, "a b\n")
    for name, content, command in hostile_files():
        write(name, content)
        monkeypatch.setenv("HYPERBATON_CONFIG", name if name == "config.toml" else "")
        check_shown(cli.error(*command))


def test_settings_are_shown_as_toml(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    import tomllib

    metrics = [text for text in hostile_text.LINES if text]
    quoted = json.dumps(metrics, ensure_ascii=False).replace("\x7f", "\\u007f")
    write("config.toml", f"[tool.hyperbaton]\nmetrics = {quoted}\n")
    monkeypatch.setenv("HYPERBATON_CONFIG", "config.toml")
    shown = cli.output("config")
    check_shown(shown)
    assert tomllib.loads(shown)["tool"]["hyperbaton"]["metrics"] == metrics


@posix
@pytest.mark.usefixtures("texts")
def test_colours_and_progress(cli_process: NewProcess) -> None:
    write("one.txt", " ".join(hostile_text.TERMINAL) + "\n")
    write("two.txt", " ".join(reversed(hostile_text.TERMINAL)) + "\n")
    result = cli_process.on_terminal("stdout", "explain", "-r", "one.txt", "two.txt", "--line", "1")
    assert result.status == 0
    assert "\x1b[1m" in result.stdout
    check_shown(result.stdout.replace("\r\n", "\n"), colours=True)
    name = hostile_text.file_names(["".join(hostile_text.TERMINAL)])[0]
    shutil.copy("a.txt", name)
    shown = cli_process.on_terminal("stderr", "score", "-r", "ref.txt", name, "-m", "pef").stderr
    # A progress bar is of rich; it hides the cursor, and shows it again.
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h")
    for forbidden in ("\x07", "\x08", "\x9b", "\x1b]", "\x1bP", "\x1bc", "\x1b[6n", "\x1b[8m"):
        assert forbidden not in shown


@posix
@pytest.mark.usefixtures("texts")
def test_warnings_end_between_words(
    cli_process: NewProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal; programs read each warning on one line."""
    monkeypatch.setenv("COLUMNS", "60")
    write("junk.txt", "xyzzy\n" * len(LINES))
    arguments = "score", "-r", "ref.txt", "junk.txt", "-m", "order", "-l", "en", "-f", "json"
    (piped,) = cli_process(*arguments).stderr.splitlines()
    assert len(piped) > 120
    shown = cli_process.on_terminal("stderr", *arguments).stderr
    lines = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", shown).split("hyperbaton: ")[-1].splitlines()
    lines[0] = f"hyperbaton: {lines[0]}"
    assert max(map(len, lines)) <= 60
    assert all(line.startswith("  ") for line in lines[1:])
    assert " ".join(line.strip() for line in lines) == piped


@posix
@pytest.mark.usefixtures("texts")
@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_tmux(working_directory: Path) -> None:
    """A real terminal: its title, screen, clipboard and colours stay as they were."""
    name = hostile_text.file_names(["".join(hostile_text.TERMINAL)])[0]
    shutil.copy("a.txt", name)
    options = ["-m", "pef", "--samples", "10", "--differences", "200"]
    commands = [
        [*PROGRAM, "compare", "-r", "ref.txt", name, "b.txt", *options],
        [*PROGRAM, "score", "-r", "ref.txt", f"missing{name}"],
        [*PROGRAM, "score", f"--{''.join(hostile_text.TERMINAL)}"],
    ]
    script = "\n".join(["export NO_COLOR=1 COLUMNS=200", *map(shlex.join, commands), "echo $?"])
    write("run.sh", f"{script}\necho --- the end ---\nexec cat\n")

    def tmux(*arguments: str) -> str:
        call = ["tmux", "-f", os.devnull, "-S", str(working_directory / "s"), *arguments]
        return subprocess.run(call, check=True, capture_output=True, encoding="utf-8").stdout

    # A shell whose words are those of the script, whatever they contain.
    settings = ["set", "-g", "history-limit", "9999", ";", "set", "-g", "set-clipboard", "on", ";"]
    tmux(*settings, "new-session", "-d", "-x", "200", "-y", "50", "sh run.sh")
    try:
        tmux("select-pane", "-T", "the title")
        wait_until(lambda: "--- the end ---" in tmux("capture-pane", "-p"))
        shown = tmux("capture-pane", "-p", "-S", "-")
        styled = tmux("capture-pane", "-p", "-e", "-S", "-")
        state = tmux("display", "-p", "#{pane_title}|#{alternate_on}|#{cursor_flag}|#{pane_mode}")
        clipboard = tmux("list-buffers")
    finally:
        tmux("kill-server")
    assert state.strip() == "the title|0|1|"
    assert clipboard == ""
    assert "\x1b" not in styled
    assert printable(name)[:40] in shown
    assert "reference: one ␛[2J␛[Hcleared two three" in shown
    assert shown.count("hyperbaton: error: ") == 2
