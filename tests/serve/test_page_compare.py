"""The Compare and Jobs views in a real browser."""

from __future__ import annotations

import json
import random
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hostile_text
import hyperbaton.serve
from command_line import CommandLine
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_SYSTEMS
from serve.page_server import SiteOpener
from serve.running_server import running_server
from views.page_checks import stop_clock, structure

widths = pytest.mark.parametrize("width", [1280, 400])
SYSTEM, REFERENCE, SOURCE = (
    f".zone[data-role={role}] input[type=file]" for role in ("system", "reference", "source")
)
ASSETS = Path(hyperbaton.serve.__file__).parent / "assets"
MAX_MB = 1
MANY_SAMPLES = 100_000
PAUSE, LONGER_PAUSE = 500, 3000  # milliseconds until the page asks a server, or one that is gone
# Hostile file names, several in each; a name has no slash.
HOSTILE_NAMES = hostile_text.file_names(
    ["".join(hostile_text.MARKUP[k : k + 3]) + ".txt" for k in range(0, 30, 3)]
)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with running_server("--max-mb", str(MAX_MB)) as running:
        yield running


def content(name: str, text: str | bytes) -> dict[str, Any]:
    """Return a file for the file picker."""
    data = text if isinstance(text, bytes) else text.encode()
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def add_files(page: Any, picker: str, *files: dict[str, Any]) -> None:
    page.locator("#chosen-metrics:not(:empty)").wait_for()
    page.set_input_files(picker, list(files))


def wait_until_ready(page: Any) -> None:
    page.locator("#start:enabled").wait_for()


def wait_until_done(page: Any) -> None:
    page.locator(".downloads").wait_for()


def use_example(page: Any) -> None:
    page.locator("#use-example").click()
    wait_until_ready(page)


def start_example(page: Any) -> None:
    use_example(page)
    page.locator("#start").click()


def press_until(page: Any, selector: str, key: str = "Tab") -> None:
    """Press a key until an element has the focus."""
    for _ in range(200):
        if page.evaluate("(s) => Boolean(document.activeElement?.matches(s))", selector):
            return
        page.keyboard.press(key)
    pytest.fail(f"the keyboard does not reach {selector}")


def would_ask(page: Any) -> bool:
    """Return whether the page asks the user before it is left."""
    return bool(page.evaluate("!dispatchEvent(new Event('beforeunload', {cancelable: true}))"))


def drop_file(page: Any, target: str, name: str) -> None:
    """Drop a file of two lines on an element."""
    dropped = page.evaluate_handle(
        """(name) => {
          const data = new DataTransfer();
          data.items.add(new File(["a b\\nc d\\n"], name));
          return data;
        }""",
        name,
    )
    page.dispatch_event(target, "drop", {"dataTransfer": dropped})


def choose_samples(page: Any, samples: int) -> None:
    page.locator("#statistics summary").click()
    page.locator("#samples").fill(str(samples))


# The whole way


@widths
def test_example_by_mouse(open_site: SiteOpener, width: int) -> None:
    page = open_site(width=width)
    page.locator("#chosen-metrics:not(:empty)").wait_for()
    assert page.locator("#start").is_disabled()
    assert (
        page.locator("#start-reason").inner_text() == "Add at least one system and one reference."
    )
    use_example(page)
    assert page.locator("#preview-status").inner_text() == "All texts have 48 lines."
    assert page.locator(".preview tbody tr:not(.gap)").count() == 8
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    open_site.check_both_schemes(page)
    assert not would_ask(page)
    page.locator("#start").click()
    wait_until_done(page)
    assert page.locator(".verdict p").count() > 0
    assert page.get_by_text("The report opens in its own tab.").is_visible() == (width == 400)
    assert page.get_by_text("Run it in the folder with your files.").count() == 0
    assert page.locator("iframe.report").count() == (1 if width == 1280 else 0)
    open_site.check_both_schemes(page)
    page.get_by_role("link", name="All jobs").click()
    page.locator("#job-list .state.done").first.wait_for()
    facts = page.locator("#job-list li").first.locator(".note").all_inner_texts()
    assert facts[0].endswith(" · 3 systems · 48 segments · English · 3 metrics")
    assert len(facts) == 1  # the title lists the systems
    open_site.check_both_schemes(page)


def test_start_is_visible_without_scrolling(open_site: SiteOpener) -> None:
    """With few texts, the metrics are visible too; with many, Start stays in sight."""
    page = open_site()
    page.set_viewport_size({"width": 1280, "height": 800})
    use_example(page)
    for few in (True, False):
        page.evaluate("scrollTo(0, 0)")
        bottom = 800
        for seen in ("#start", "#chosen-metrics"):
            box = page.locator(seen).bounding_box()
            assert (box["y"] + box["height"] <= bottom) == (few or seen == "#start")
            bottom = box["y"]
        if few:
            add_files(page, SYSTEM, *(content(f"{k}.txt", "a\n" * 48) for k in range(14)))
            page.locator(".preview thead .name", has_text="13").wait_for()
            wait_until_ready(page)


@widths
def test_example_by_keyboard(open_site: SiteOpener, width: int) -> None:
    page = open_site(width=width)
    page.locator("#chosen-metrics:not(:empty)").wait_for()
    press_until(page, "#use-example")
    page.keyboard.press("Enter")
    wait_until_ready(page)
    press_until(page, "#statistics summary")
    page.keyboard.press("Enter")
    press_until(page, "#title")
    page.keyboard.type("By keyboard")
    press_until(page, "#start")
    page.keyboard.press("Enter")
    wait_until_done(page)
    assert page.locator("#jobs-heading").inner_text() == "By keyboard"
    assert page.evaluate("document.activeElement.id") == "jobs-heading"
    press_until(page, ".downloads a")
    with page.expect_download() as started:
        page.keyboard.press("Enter")
    assert started.value.suggested_filename == "report.html"
    press_until(page, "nav a[href='#jobs']", "Shift+Tab")
    page.keyboard.press("Enter")
    page.locator("#job-list a").first.wait_for()
    press_until(page, "#job-list button")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Keep"


def test_views_have_titles_and_marks(open_site: SiteOpener) -> None:
    page = open_site("#jobs")
    page.locator("#jobs-kept").wait_for()
    assert page.title() == "Jobs – Hyperbaton"
    assert page.locator("nav [aria-current]").inner_text() == "Jobs"
    page.locator("nav a[href='#compare']").click()
    page.locator("#compare-heading:focus").wait_for()
    assert page.title() == "Compare – Hyperbaton"
    assert page.locator("nav [aria-current]").inner_text() == "Compare"


# Results are those of the command line


def test_downloads_and_numbers_are_those_of_the_command_line(
    open_site: SiteOpener, cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_site()
    names = [f"{name}.txt" for name in EXAMPLE_SYSTEMS]
    add_files(page, SYSTEM, *(content(name, (EXAMPLE / name).read_bytes()) for name in names))
    add_files(page, REFERENCE, content("reference.txt", (EXAMPLE / "reference.txt").read_bytes()))
    page.locator("#language").fill("en")
    choose_samples(page, 200)
    wait_until_ready(page)
    assert would_ask(page)
    page.locator("#start").click()
    wait_until_done(page)
    assert not would_ask(page)
    assert page.get_by_text("Run it in the folder with your files.").is_visible()
    page.get_by_text("Commands of the single files").click()
    commands = page.locator("details .command code").all_inner_texts()
    links = page.locator(".downloads a")
    assert len(commands) == links.count() == 5
    for name in [*names, "reference.txt"]:
        shutil.copy(EXAMPLE / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    for k, command in enumerate(commands):
        with page.expect_download() as started:
            links.nth(k).click()
        program, *arguments = shlex.split(command)
        assert program == "hyperbaton"
        cli.succeed(*arguments)
        name = started.value.suggested_filename
        assert Path(started.value.path()).read_bytes() == Path(name).read_bytes(), name
    arguments = ["score", *names, "-r", "reference.txt", "-l", "en", "--format", "json"]
    expected = {
        (metric, system["name"]): score["value"]
        for system in cli.succeed(*arguments).json()["systems"]
        for metric, score in system["scores"].items()
    }
    downloaded = json.loads(Path("scores.json").read_text("utf-8"))
    found = {
        (metric, rank["system"]): rank["value"]
        for metric, result in downloaded["metrics"].items()
        for rank in result["ranking"]
    }
    assert found == expected
    rows = page.frame_locator("iframe.report").locator("#system-table tbody tr")
    assert {system for _, system in expected} == set(EXAMPLE_SYSTEMS)
    for name in EXAMPLE_SYSTEMS:
        shown = rows.filter(has_text=name).inner_text()
        for (_, system), value in expected.items():
            assert system != name or f"{100 * value:.1f}" in shown


# What is wrong with texts is shown in its place


def test_problems_are_shown_in_place(open_site: SiteOpener) -> None:
    page = open_site()
    add_files(
        page,
        SYSTEM,
        content("short.txt", "one\n\nthree\n"),
        content("latin1.txt", b"one\ntwo\ncaf\xe9 au lait\nfour\n"),
    )
    add_files(page, REFERENCE, content("ref.txt", "a\nb\nc\nd\n"))
    page.locator(".preview thead", has_text="ref.txt").wait_for()
    flagged = page.locator(".preview td.flagged").all_inner_texts()
    assert flagged == ["empty line", "caf\ufffd au lait\ncannot be read", "no line"]
    short, latin1 = page.locator(".zone[data-role=system] .input").all_inner_texts()
    for text in ("3 lines", "ref.txt has 4 lines", "1 empty line: line 2"):
        assert text in short
    for text in ("latin1.txt, line 3, is not UTF-8", "caf\ufffd au lait"):
        assert text in latin1
    assert page.locator("#start").is_disabled()
    assert page.locator("#start-reason").inner_text() != ""
    open_site.check(page)
    for name in ("short.txt", "latin1.txt"):
        page.get_by_role("button", name=f"Remove system {name}").click()
    add_files(page, SYSTEM, content("right.txt", "a\nc\nb\nd\n"))
    wait_until_ready(page)
    assert page.locator(".preview td.flagged").count() == 0


def test_late_problems_have_rows_of_their_own(open_site: SiteOpener) -> None:
    page = open_site()
    lines = [f"line {k}" for k in range(1, 31)]
    add_files(page, REFERENCE, content("ref.txt", "\n".join(lines) + "\n"))
    lines[19] = ""
    add_files(page, SYSTEM, content("sys.txt", "\n".join(lines) + "\n"))
    wait_until_ready(page)
    assert page.locator(".preview td.flagged").all_inner_texts() == ["empty line"]
    row = page.locator(".preview tr", has=page.locator("td.flagged"))
    assert row.locator("th").inner_text() == "20"
    assert page.locator("#start-note").inner_text() == "Note: sys.txt has 1 empty line."


def test_many_systems_are_compact(open_site: SiteOpener) -> None:
    page = open_site()
    line = "a rather long line that needs several lines of its cell " * 4 + "\n"
    files = [content(f"system-{k}.txt", line * 8) for k in range(17)]
    add_files(page, SYSTEM, *files)
    add_files(page, REFERENCE, content("ref.txt", line * 8))
    wait_until_ready(page)
    cards = page.locator(".zone[data-role=system] .input")
    boxes = [card.bounding_box() for card in cards.all()]
    assert len({box["x"] for box in boxes}) > 1  # several in a row
    assert max(box["height"] for box in boxes) < 100
    area = page.locator(".preview-area")
    area.evaluate("(e) => e.scrollTo(400, 400)")
    shown = area.bounding_box()
    corner = page.locator(".preview thead th").first.bounding_box()
    assert (round(corner["x"]), round(corner["y"])) == (round(shown["x"]), round(shown["y"]))
    number = page.locator(".preview tbody th").last.bounding_box()
    assert round(number["x"]) == round(shown["x"])
    open_site.check(page)
    # large letters: the fields stay inside their cards
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    fits = "(all) => all.every((e) => e.scrollWidth <= e.clientWidth)"
    assert cards.evaluate_all(fits)
    assert page.locator(".zone").evaluate_all(fits)


def test_large_files_are_refused_before_they_are_sent(open_site: SiteOpener) -> None:
    page = open_site()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    add_files(page, SYSTEM, content("large.txt", b"x" * (MAX_MB * 1_000_000 + 1)))
    alert = page.locator(".zone[data-role=system] [role=alert]:not(:empty)")
    message = alert.inner_text()
    assert message.startswith("large.txt has 1.0\u00a0MB. The limit of this server is 1 MB")
    assert page.locator(".input").count() == 0
    assert not any("/api/files" in url for url in sent)


@widths
def test_hostile_names_and_texts_are_only_text(open_site: SiteOpener, width: int) -> None:
    page = open_site(width=width)
    texts = [re.sub(r"[\n\r\x85\u2028\u2029]", " ", text) for text in hostile_text.WORDS]
    hostile = "\n".join([*texts, "<script>globalThis.harmed = 1</script>"]) + "\n"
    add_files(page, SYSTEM, *(content(name, hostile) for name in HOSTILE_NAMES))
    add_files(page, REFERENCE, content("<b>ref</b>.txt", hostile))
    name = page.locator(".zone[data-role=system] .input input").first
    name.wait_for()
    name.fill("<img src=x onerror=globalThis.harmed=1>")
    page.locator("#statistics summary").click()
    page.locator("#title").fill("<script>globalThis.harmed = 1</script>")
    page.locator("#samples").fill("100")
    wait_until_ready(page)
    open_site.check(page)
    structure(page)
    page.locator("#start").click()
    wait_until_done(page)
    heading = page.locator("#jobs-heading").inner_text()
    assert heading == "<script>globalThis.harmed = 1</script>"
    open_site.check(page)
    if width == 1280:
        page.frame_locator("iframe.report").locator("#system-table").wait_for()
    for frame in page.frames:
        structure(frame)


# Ways to give texts


def test_dropped_files(open_site: SiteOpener) -> None:
    page = open_site()
    page.locator("#chosen-metrics:not(:empty)").wait_for()
    drop_file(page, "#compare-heading", "sys.txt")
    message = page.locator("#drop-error")
    assert message.inner_text() == "Drop files on Systems, References or Source."
    for role, name in (("system", "sys.csv"), ("reference", "ref.txt")):
        drop_file(page, f".zone[data-role={role}]", name)
    wait_until_ready(page)
    assert message.inner_text() == ""
    assert page.locator(".input .file-name").all_inner_texts() == ["sys.csv", "ref.txt"]
    hints = page.locator(".input").filter(has_text="Columns need a .tsv file.")
    assert hints.locator(".file-name").all_inner_texts() == ["sys.csv"]


def test_pasted_texts(open_site: SiteOpener) -> None:
    page = open_site()
    page.locator("#chosen-metrics:not(:empty)").wait_for()
    page.get_by_role("button", name="Paste text: system").click()
    assert page.locator("#start-reason").inner_text() == "pasted-1.txt is empty."
    page.keyboard.type("القط رأى الكلب\nb a")
    page.get_by_role("button", name="Paste text: reference").click()
    page.keyboard.type("الكلب رأى القط\na b")
    wait_until_ready(page)
    cells = page.locator(".preview td .text")
    assert cells.count() == 4
    assert cells.evaluate_all("(all) => all.every((e) => e.dir === 'auto')")
    assert cells.first.evaluate("(e) => e.matches(':dir(rtl)')")


def test_columns_of_one_file_are_several_texts(open_site: SiteOpener) -> None:
    page = open_site()
    rows = ["src\tref\told\tnew", "s t\ta b\ta b\tb a", "u v\tc d\td c\tc d"]
    add_files(page, SYSTEM, content("data.tsv", "\n".join(rows) + "\n"))
    # The headings tell the source and the reference, but not which columns are systems.
    for column, role in (("src", "source"), ("ref", "reference"), ("old", "system"), ("new", "")):
        select = page.get_by_label(f"Use column {column} of data.tsv as")
        select.wait_for()
        assert select.input_value() == role
    page.get_by_label("Use column new of data.tsv as").select_option("system")
    wait_until_ready(page)
    assert page.locator(".preview thead .name").all_inner_texts()[2:] == ["old", "new"]
    assert page.locator(".preview tbody tr").first.locator("td").all_inner_texts() == [
        "s t", "a b", "a b", "b a",
    ]  # fmt: skip
    assert page.locator("#align-source").is_visible()
    select = page.get_by_label("Column of system data.tsv, column new")
    select.select_option("ref")
    page.locator(".preview thead .name", has_text="ref").nth(1).wait_for()
    page.get_by_role("button", name="Remove all texts").click()
    add_files(page, REFERENCE, content("given.txt", "a b\nc d\n"))
    add_files(page, SYSTEM, content("one.tsv", "source\treference1\tmt\ns\tr\tm\nt\tr\tm\n"))
    wait_until_ready(page)
    roles = page.locator("#column-files select").evaluate_all("(all) => all.map((e) => e.value)")
    assert roles == ["source", "", "system"]  # there is a reference already
    page.get_by_role("button", name="Remove reference given.txt").click()
    page.get_by_role("button", name="Remove system one.tsv").click()
    page.get_by_role("button", name="Remove source one.tsv").click()
    add_files(page, REFERENCE, content("one.tsv", "source\treference1\tmt\ns\tr\tm\nt\tr\tm\n"))
    wait_until_ready(page)
    roles = page.locator("#column-files select").evaluate_all("(all) => all.map((e) => e.value)")
    assert roles == ["source", "reference", "system"]


# Jobs


def test_cancel_keeps_the_form(open_site: SiteOpener) -> None:
    page = open_site()
    words = [f"w{k}" for k in range(200)]
    shuffled = random.Random(1).sample(words, len(words))
    system, reference = (f"{' '.join(line)}\n" * 800 for line in (shuffled, words))
    add_files(page, SYSTEM, *(content(f"{name}.txt", system) for name in EXAMPLE_SYSTEMS))
    add_files(page, REFERENCE, content("reference.txt", reference))
    wait_until_ready(page)
    page.locator("#metrics > summary").click()
    page.locator("#other-metrics").fill("invwer")  # takes an hour
    choose_samples(page, MANY_SAMPLES)
    page.locator("#title").fill("Endless")
    page.locator("#start").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("heading", name="The job was cancelled.").wait_for()
    open_site.check(page)
    page.get_by_role("link", name="Back to the form").first.click()
    assert page.locator("#title").input_value() == "Endless"
    assert page.locator(".zone[data-role=system] .input").count() == 3
    assert page.locator("#samples").input_value() == str(MANY_SAMPLES)
    assert page.locator("#start").is_enabled()


def test_progress_and_results(open_site: SiteOpener) -> None:
    page = open_site()
    progress: dict[str, Any] = {
        "step": "scoring", "done": 3, "total": 9, "unit": "segments",
        "seconds": 91.2, "seconds_left": 20.0, "next": [],
    }  # fmt: skip
    job: dict[str, Any] = {
        "id": "slow", "title": "Slow", "created": "2026-11-17T10:15:00Z", "state": "running",
        "systems": ["a"], "metrics": ["pef"], "language": "en", "ahead": 0, "progress": progress,
        "error": None, "warnings": [], "verdict": [], "segments": None, "command": "", "files": [],
    }  # fmt: skip
    page.route("**/api/jobs/slow", lambda route: route.fulfill(json=job) if job else route.abort())
    page.route("**/jobs/slow/report.html", lambda route: route.fulfill(body="report"))
    stop_clock(page)
    page.evaluate("location.hash = '#jobs?id=slow'")
    page.get_by_text("1 min 31 s so far · about 20 seconds left in this step").wait_for()
    # An estimate that climbs without any progress is not believed.
    progress.update(seconds=95.0, seconds_left=300.0)
    page.clock.run_for(PAUSE)
    page.get_by_text("1 min 35 s so far · about 20 seconds left in this step").wait_for()
    progress.update(total=None)
    page.clock.run_for(PAUSE)
    page.locator("progress:indeterminate").wait_for()
    finished = {
        **job, "state": "done", "progress": None, "verdict": ["a is better."],
        "command": "hyperbaton x", "command_notes": ["Rename a."],
        "warnings": ["warning: few lines", "note: no stemmer"],
    }  # fmt: skip
    job.clear()
    page.clock.run_for(PAUSE)
    page.locator("#jobs-error", has_text="The server does not answer.").wait_for()
    assert page.locator("progress:indeterminate").count() == 0
    assert page.get_by_role("button", name="Cancel").is_disabled()
    job.update(finished)
    page.clock.run_for(LONGER_PAUSE)
    page.get_by_text("Rename a.").wait_for()
    open_site.expect_refusal()
    assert page.locator(".caution").all_inner_texts() == ["warning: few lines"]
    assert page.locator(".remark").all_inner_texts() == ["note: no stemmer", "Rename a."]
    page.clock.resume()  # axe waits for timers of its own
    open_site.check_both_schemes(page)
    page.emulate_media(media="print")
    for text in ("a is better.", "warning: few lines", "hyperbaton x", "/jobs/slow/report.html"):
        assert page.locator("#view-jobs").get_by_text(text).is_visible()
    for text in ("Downloads", "Open the report in its own tab", "Copy"):
        assert not page.get_by_text(text, exact=True).is_visible()


def test_failed_jobs_lead_back_to_the_form(open_site: SiteOpener) -> None:
    page = open_site()
    use_example(page)
    failed = {
        "id": "broken", "title": "", "created": "2026-11-17T10:15:00Z", "state": "failed",
        "systems": ["<b>a</b>"], "metrics": [], "language": None, "ahead": 0, "progress": None,
        "error": "The job ended unexpectedly.", "warnings": [], "verdict": [], "segments": None,
        "command": "", "files": [],
    }  # fmt: skip
    page.route("**/api/jobs/broken", lambda route: route.fulfill(json=failed))
    page.evaluate("location.hash = '#jobs?id=broken'")
    page.get_by_role("heading", name="The job has failed.").wait_for()
    assert page.locator("#jobs-heading").inner_text() == "<b>a</b>"
    assert page.get_by_text("The job ended unexpectedly.").is_visible()
    open_site.check_both_schemes(page)
    page.get_by_role("link", name="Back to the form").first.click()
    assert page.locator(".zone[data-role=system] .input").count() == 3
    assert page.locator("#start").is_enabled()


def test_refused_options_are_said_and_the_form_is_kept(open_site: SiteOpener) -> None:
    page = open_site()
    use_example(page)
    chosen = page.locator("#chosen-metrics")
    assert chosen.inner_text() == "order, chrf, bleu (the default set)"
    page.locator("#metrics > summary").click()
    page.locator("#other-metrics").fill("order:precedence=/etc/passwd")
    page.locator("#start").click()
    page.locator("#start-error", has_text="precedence").wait_for()
    open_site.expect_refusal()
    assert page.locator("#start-reason").inner_text() == ""
    assert page.locator("#other-metrics").input_value() == "order:precedence=/etc/passwd"
    page.locator("#other-metrics").fill("pef:bp=off")
    assert page.locator("#start-error").inner_text() == ""
    assert page.locator("#start-reason").inner_text() == "Ready."
    assert chosen.inner_text() == "order, chrf, bleu, pef:bp=off"
    more = page.locator("#metrics details summary").first
    assert re.fullmatch(r"More metrics \(\d+\)", more.inner_text())
    page.get_by_role("button", name="edit: choose this set").click()
    assert re.fullmatch(r"More metrics \(\d+, 5 chosen\)", more.inner_text())
    page.get_by_role("button", name="none: choose no metric").click()
    assert chosen.inner_text() == "none"
    assert page.locator("#start-reason").inner_text() == "Choose at least one metric."
    page.locator("#other-metrics").fill("pef:bp=off, wer;")
    page.locator("#start").click()
    wait_until_done(page)
    command = page.locator(".command code").first.inner_text()
    assert shlex.split(command).count("-m") == 2
    assert "-m pef:bp=off" in command
    assert "-m wer " in command


def test_unknown_language_and_invalid_numbers_are_said(open_site: SiteOpener) -> None:
    page = open_site()
    use_example(page)
    named = page.locator(".zone[data-role=system] .input-fields input")
    assert [field.input_value() for field in named.all()] == list(EXAMPLE_SYSTEMS)
    baselines = page.locator("#baseline option").all_text_contents()
    assert baselines == ["none: compare every pair", *EXAMPLE_SYSTEMS]
    assert page.locator("#language").input_value() == "English (en)"
    page.locator("#language").fill("Klingonese")
    page.locator("#language").blur()
    assert page.locator("#language-error").inner_text() == "Unknown language: Klingonese"
    assert page.locator("#start-reason").inner_text() == "The language is unknown."
    page.locator("#language").fill("german")
    wait_until_ready(page)
    choose_samples(page, 0)
    assert page.locator("#start-reason").inner_text() == "The field “Samples” is not valid."
    page.get_by_role("button", name="Remove all texts").click()
    assert page.locator("#language").input_value() == "german"  # the user's choice
    page.locator("#use-example").click()
    page.get_by_role("button", name="Remove all texts").click()
    assert page.locator("#language").input_value() == ""


def test_jobs_can_be_removed(open_site: SiteOpener) -> None:
    page = open_site()
    use_example(page)
    choose_samples(page, 100)
    page.locator("#title").fill("Away with it")
    page.locator("#start").click()
    wait_until_done(page)
    page.get_by_role("link", name="All jobs").click()
    item = page.locator("#job-list li", has_text="Away with it")
    item.get_by_role("button", name="Remove").click()
    item.get_by_role("button", name="Keep").click()
    item.get_by_role("button", name="Remove").click()
    item.get_by_role("button", name="Remove for good").click()
    item.wait_for(state="detached")


def test_unknown_jobs_are_said(open_site: SiteOpener) -> None:
    page = open_site("#jobs?id=20260101-000000-ffff")
    page.locator("#jobs-error:not(:empty)").wait_for()
    open_site.expect_refusal()


def test_print_leaves_out_the_controls(open_site: SiteOpener) -> None:
    page = open_site()
    use_example(page)
    page.emulate_media(media="print")
    assert not page.locator("nav.bar").is_visible()
    assert not page.locator("#start").is_visible()
    assert page.locator(".preview").is_visible()


def test_a_server_that_is_gone(browser: object) -> None:
    with running_server() as running:
        site = SiteOpener(browser, running.url)
        page = site()
        use_example(page)
        running.stop()
        page.locator("#start").click()
        page.locator("#start-error", has_text="The server does not answer.").wait_for()
        site.expect_refusal()
        site.close()


def test_a_server_that_was_started_anew(browser: object, tmp_path: Path) -> None:
    changed = tmp_path / "changed.txt"
    changed.write_text("a b\nd c\n", "utf-8")
    with running_server() as running:
        port = re.search(r":(\d+)", running.base)[1]  # type: ignore[index]
        site = SiteOpener(browser, running.url)
        example, own, broken = site(), site(), site()
        use_example(example)
        rows = "ref\told\tnew\na b\ta b\tb a\nc d\td c\tc d\n"
        add_files(own, SYSTEM, content("data.tsv", rows))
        own.get_by_label("Use column new of data.tsv as").select_option("system")
        wait_until_ready(own)
        add_files(broken, REFERENCE, content("ref.txt", "a b\nc d\n"))
        broken.set_input_files(SYSTEM, changed)
        wait_until_ready(broken)
        changed.write_text("another text", "utf-8")
    with running_server("--port", port) as running:
        for page in (example, own):
            page.locator("#start").click()  # the texts are uploaded again
            wait_until_done(page)
        broken.locator("#start").click()
        broken.locator("#start-error", has_text="changed.txt could not be uploaded.").wait_for()
        broken.get_by_text("changed.txt was changed or removed on your disk.").wait_for()
        site.expect_refusal()
    with running_server("--port", port) as running:
        own.get_by_role("link", name="Back to the form").first.click()
        own.get_by_role("button", name="Remove system data.tsv, column new").click()
        own.locator(".preview thead th").nth(2).wait_for()
        own.locator("#preview:not(.old)").wait_for()
        wait_until_ready(own)
        assert own.locator(".preview thead .name").count() == 2
        site.expect_refusal()
        site.close()


def test_font_sizes_follow_the_browser() -> None:
    for name in ("serve.css", "views.css"):
        text = (ASSETS / name).read_text("utf-8")
        assert not re.findall(r"font(?:-size)?: [\d.]+px", text), name
