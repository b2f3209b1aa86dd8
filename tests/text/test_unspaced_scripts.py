"""Texts without spaces are recognised by their characters, and the command line says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import CommandLine
from hyperbaton.text.languages import unspaced_language

TEXTS = {
    "Japanese": "私たちは正午にロビーで会いました。",
    "Chinese": "我们中午在大厅见面。",
    "Thai": "เราพบกันตอนเที่ยง",
    "Lao": "ພວກເຮົາພົບກັນຕອນທ່ຽງ",
    "Burmese": "ကျွန်ုပ်တို့ နေ့လယ်မှာ တွေ့ခဲ့သည်",
    "Khmer": "យើងបានជួបគ្នានៅពេលថ្ងៃត្រង់",
}
SPACED = ["We met at noon.", "Мы встретились в полдень.", "التقينا عند الظهر.", "हम दोपहर में मिले।"]
SPACED += ["우리는 정오에 만났다.", "", "123", "We met in 北京 and 上海 at noon."]


@pytest.mark.parametrize("language", TEXTS)
def test_texts_without_spaces(language: str) -> None:
    assert unspaced_language([TEXTS[language], "BLEU 42", ""]) == language


@pytest.mark.parametrize("text", SPACED)
def test_texts_with_spaces(text: str) -> None:
    assert unspaced_language([text]) is None


@pytest.mark.parametrize("command", ["score", "compare", "check"])
def test_a_missing_language_is_noticed(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ref.txt", "a.txt", "b.txt"):
        Path(name).write_text(f"{TEXTS['Chinese']}\n" * 30, encoding="utf-8")
    arguments = ["--baseline", "b.txt"] if command == "check" else ["b.txt"]
    given = [command, "-r", "ref.txt", "a.txt", *arguments, "-m", "pef"]
    warning = "the references look Chinese, which is written without spaces between words: give"
    found = cli(*given)
    # To a check, a line without spaces is one word, which has no order.
    assert found.status == (4 if command == "check" else 0)
    assert f"{warning} the language, -l zh" in found.stderr
    assert warning not in cli.succeed(*given, "-l", "zh").stderr
    given[-1] = "pef:tok=zh"
    assert warning not in cli.succeed(*given).stderr
