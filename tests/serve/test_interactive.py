"""Explanations and permutations as the page asks for them, without a server."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import hostile_text
import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.metrics.registry import SETS
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.serve.interactive import explain_request, permutation_request
from hyperbaton.views.glossary import TERMS
from views.svg_checks import parse_drawing

PAIR = {
    "hypothesis": "we will meet at noon in the lobby",
    "reference": "we meet in the lobby at noon",
}
PAIRS = [
    ("en", "I have yesterday a book read .", "Yesterday I read a book ."),
    (None, "a b c", "c a b"),
    ("ar", "الكلب رأى القط", "القط رأى الكلب"),
    ("zh", "我在图书馆昨天看书", "我昨天在图书馆看书"),
    ("en", "", "a b"),
]


def ask(function: Any, **request: Any) -> Any:
    """Return the answer, as JSON carries it."""
    return json.loads(json.dumps(function(json.loads(json.dumps(request)))))


def parts_of(answer: Any) -> dict[str, str]:
    return {part["name"]: part["html"] for part in answer["display"]}


# Explanations


def test_explanations_are_those_of_the_command_line(cli: CommandLine) -> None:
    answer = ask(explain_request, **PAIR, language="en")
    command = ("explain", PAIR["hypothesis"], PAIR["reference"], "-l", "en", "--json")
    assert answer == cli.succeed(*command).json()


@pytest.mark.parametrize("alignment", ["0-0 2-1 3-2 4-3", ""])
def test_edited_links(alignment: str) -> None:
    answer = ask(explain_request, **PAIR, language="en", alignment=alignment)
    expected = hb.explain(PAIR["hypothesis"], PAIR["reference"], language="en", alignment=alignment)
    assert answer == json.loads(json.dumps(expected.to_dict()))
    assert len(answer["alignment"]["links"]) == len(alignment.split())


@pytest.mark.parametrize(("language", "hypothesis", "reference"), PAIRS)
def test_links_that_are_sent_back_change_no_order(
    language: str | None, hypothesis: str, reference: str
) -> None:
    """The page edits the links between the words of an answer."""
    texts = {"hypothesis": hypothesis, "reference": reference, "language": language}
    first = ask(explain_request, **texts, slow=False)
    links = " ".join(f"{link['hyp']}-{link['ref']}" for link in first["alignment"]["links"])
    again = ask(explain_request, **texts, slow=False, alignment=links)
    for key in ("hypothesis_words", "reference_words", "permutation", "moves", "tree"):
        assert again[key] == first[key]


@pytest.mark.parametrize(("language", "hypothesis", "reference"), PAIRS)
def test_slow_metrics_can_follow(language: str | None, hypothesis: str, reference: str) -> None:
    texts = {"hypothesis": hypothesis, "reference": reference, "language": language}
    full = ask(explain_request, **texts, display=True)
    quick = ask(explain_request, **texts, display=True, slow=False)
    assert (full["pending"], quick["pending"]) == ([], ["invwer", "ter"])
    for name in quick["pending"]:
        del full["scores"][name]
    tables = parts_of(full).pop("scores"), parts_of(quick).pop("scores")
    assert [table.count("<tr>") for table in tables] == [len(SETS["all"])] * 2
    assert tables[1].count(">…<") == 2
    for answer in (full, quick):
        del answer["pending"]
        answer["display"] = [part for part in answer["display"] if part["name"] != "scores"]
    assert quick == full


def test_slow_metrics_of_long_texts_are_left_out() -> None:
    text = " ".join(f"w{k}" for k in range(250))
    for slow in (True, False):
        answer = ask(explain_request, hypothesis=text, reference=text, slow=slow, display=True)
        assert answer["left_out"] == ["invwer", "ter"]
        assert answer["pending"] == []


def test_parts_are_those_of_the_page() -> None:
    answer = ask(explain_request, **PAIR, language="en", display=True)
    names = ["sentences", "moves", "alignment", "tree", "parse", "forest", "scores", "glossary"]
    assert [part["name"] for part in answer["display"]] == names
    page = hb.explain(PAIR["hypothesis"], PAIR["reference"], language="en")._repr_html_()
    assert page is not None
    for part in answer["display"][:-1]:
        assert part["html"] in page
        assert part["title"].replace("'", "&#x27;") in page


def test_parts_need_no_inline_styles() -> None:
    """The page's Content-Security-Policy forbids them."""
    answer = ask(explain_request, **PAIR, display=True)
    shown = ask(permutation_request, permutation="2 4 1 3", words=["a", "b"], display=True)
    texts = [*parts_of(answer).values(), shown["display"]["forest"]]
    texts.append(shown["display"]["tree"]["drawing"])
    for text in texts:
        assert "style" not in text
        assert "<a " not in text


def test_given_metrics() -> None:
    answer = ask(explain_request, **PAIR, metrics=["pef:bp=off", "wer"], display=True)
    assert list(answer["scores"]) == ["pef:bp=off", "wer"]
    assert answer["pending"] == []


def test_tokenizer() -> None:
    answer = ask(explain_request, hypothesis="don't, a", reference="a don't,", tokenize="none")
    assert answer["hypothesis_words"] == ["don't,", "a"]


@pytest.mark.parametrize("text", hostile_text.WORDS)
def test_hostile_texts_are_escaped(text: str) -> None:
    answer = ask(explain_request, hypothesis=f"x {text}", reference=f"{text} x", display=True)
    for html in parts_of(answer).values():
        assert "<script" not in html
        assert "<img" not in html
    display = ask(permutation_request, permutation=[2, 1], words=[text, text], display=True)[
        "display"
    ]
    parse_drawing(display["forest"])
    parse_drawing(display["tree"]["drawing"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hypothesis": None}, "hypothesis is missing"),
        ({"reference": 3}, "reference must be a string, got a number"),
        ({"reference": ["a"]}, "reference must be a string, got a list"),
        ({"language": {}}, "language must be a string, got an object"),
        ({"language": "xx"}, "unknown language 'xx'"),
        ({"hypothesis": "a\x00"}, "hypothesis has a NUL character"),
        ({"hypothesis": "a\ud800"}, "hypothesis has an unpaired surrogate"),
        ({"alignment": "0-99"}, "link 0-99 is outside the reference, which has 7 words"),
        ({"alignment": "first"}, "'first' is not a link"),
        ({"metrics": "pef"}, "metrics must be a list of strings"),
        ({"metrics": ["nonsense"]}, "nonsense"),
        ({"metrics": ["order:precedence=/etc/passwd"]}, "precedence"),
        ({"metrics": ["dted:parser=spacy"]}, "dted needs dependency trees"),
        ({"tokenize": "nonsense"}, "there is no tokeniser 'nonsense'"),
        ({"display": "yes"}, "display must be true or false, got a string"),
        ({"slow": None}, "slow must be true or false, got null"),
        ({"parser": "udpipe:FILE"}, "unknown key 'parser'; the keys are hypothesis"),
        ({"wordnet": "/tmp"}, "unknown key 'wordnet'"),
    ],
)
def test_invalid_explanations(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        explain_request({**PAIR, **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hypothesis": "a " * 401}, "the translation has 401 words; the limit is 400"),
        ({"reference": "好" * 401, "language": "zh"}, "the reference has 401 words"),
        ({"reference": "a" * 8001}, "the reference has 8,001 characters; the limit is 8,000"),
        ({"alignment": "0-0 " * 6000}, "the alignment has 24,000 characters"),
    ],
)
def test_long_explanations(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TooLongError, match=message):
        explain_request({**PAIR, **change})


# Permutations


@pytest.mark.parametrize("values", ["2 4 5 6 1 3", "⟨4, 3, 2, 1⟩", "1"])
def test_permutations_are_those_of_the_command_line(values: str, cli: CommandLine) -> None:
    answer = ask(permutation_request, permutation=values)
    assert answer == cli.succeed("permutation", values, "--json").json()
    assert ask(permutation_request, permutation=answer["permutation"]) == answer


def test_display_of_a_permutation() -> None:
    sentence = ["today", "we", "meet", "in", "the", "lobby"]
    answer = ask(permutation_request, permutation="2 4 5 6 1 3", words=sentence, display=True)
    display = answer["display"]
    tree = display["tree"]
    assert (tree["number"], tree["count"]) == ("0", "2")
    assert tree["brackets"] == answer["brackets"]
    assert "lobby" in tree["drawing"]
    assert "lobby" in display["forest"]
    assert {row["name"]: row["value"] for row in display["measures"]} == answer["measures"]
    assert [row["about"] for row in display["measures"]] == [
        measure.description for measure in MEASURES.values()
    ]
    primal, straight = display["operators"]
    assert primal == {
        "operator": "⟨2,4,1,3⟩",
        "places": "1 node",
        "term": "⟨2,4,1,3⟩ and ⟨3,1,4,2⟩",
        "meaning": TERMS["operator-2413"].text,
        "parts": ["we", "in the lobby", "today", "meet"],
        "in_order": ["today", "we", "meet", "in the lobby"],
    }
    assert (straight["operator"], straight["places"]) == ("⟨1,2⟩", "2 nodes")
    assert straight["parts"] == straight["in_order"] == ["in the", "lobby"]


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ("1 2", "operator-12"),
        ("2 1", "operator-21"),
        ("3 1 4 2", "operator-2413"),
        ("2 4 1 5 3", "longer-operator"),
    ],
)
def test_meanings_of_operators(values: str, key: str) -> None:
    (operator,) = ask(permutation_request, permutation=values, display=True)["display"]["operators"]
    assert (operator["term"], operator["meaning"]) == (TERMS[key].name, TERMS[key].text)
    assert operator["in_order"] == sorted(operator["parts"])


def test_one_value_has_no_operator() -> None:
    assert ask(permutation_request, permutation="1", display=True)["display"]["operators"] == []


@pytest.mark.parametrize("number", [0, "3", 4])
def test_trees_of_the_forest(number: int | str) -> None:
    answer = ask(permutation_request, permutation="4 3 2 1", tree=number, display=True)
    trees = list(hb.Permutation([4, 3, 2, 1]).forest())
    assert answer["display"]["tree"]["brackets"] == str(trees[int(number)])


def test_a_number_beyond_those_of_javascript() -> None:
    values = list(range(1, 61))
    count = hb.Permutation(values).forest().count()
    assert count > 2**100
    answer = ask(permutation_request, permutation=values, tree=str(count - 1), display=True)
    assert answer["display"]["tree"]["number"] == str(count - 1)
    assert answer["display"]["tree"]["count"] == str(count)
    assert answer["trees"] == count
    assert answer["trees_log10"] == pytest.approx(math.log10(count))


def test_values_without_words_are_shown_as_numbers() -> None:
    display = ask(permutation_request, permutation="3 1 2", words=["a"], display=True)["display"]
    assert display["operators"][0]["parts"] == ["3", "a 2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"permutation": ""}, "there are no values"),
        ({"permutation": []}, "there are no values"),
        ({"permutation": None}, "permutation must be a string or a list of integers"),
        ({"permutation": [1, 2.5]}, "value 2 of the permutation must be an integer"),
        ({"permutation": [True]}, "value 1 of the permutation must be an integer"),
        ({"permutation": "1 x"}, "value 'x' at position 2 is not an integer"),
        ({"permutation": "1 1"}, "1"),
        ({"permutation": [10**30]}, "1"),
        ({"words": "a b"}, "words must be a list of strings"),
        ({"tree": 2}, "there is no tree 2: they are numbered from 0 to 1"),
        ({"tree": -1}, "there is no tree -1"),
        ({"tree": "-1"}, "tree must be an integer from 0"),
        ({"tree": 0.5}, "tree must be an integer from 0"),
        ({"tree": "9" * 400}, "there is no tree of such a number"),
        ({"tree": "9" * 5000}, "tree must be an integer from 0"),
        ({"beta": 1}, "unknown key 'beta'; the keys are permutation, words, tree, display"),
    ],
)
def test_invalid_permutations(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        permutation_request({"permutation": "2 4 5 6 1 3", **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"permutation": list(range(1, 62))}, "the permutation has 61 values; the limit is 60"),
        ({"permutation": "1 " * 4001}, "the permutation has 8,002 characters"),
        ({"words": ["a" * 8001]}, "the sentence has 8,001 characters"),
    ],
)
def test_long_permutations(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TooLongError, match=message):
        permutation_request({"permutation": "1", **change})
