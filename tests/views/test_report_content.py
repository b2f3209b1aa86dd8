"""The content of reports agrees with scores, comparisons and alignments."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import hostile_text
import hyperbaton as hb
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.metrics.batches import BATCH_SIZE
from hyperbaton.order.profile import reordering_profile
from hyperbaton.runs.results import Result
from hyperbaton.text.display import raw_tokens, visible
from hyperbaton.text.tokenization import Tokenization, tokenizer
from hyperbaton.views.content import LENGTHS, SCHEMA, SHARES
from hyperbaton.views.segments import BOUNDARY, with_boundaries

METRICS = ["bleu", "pef", "wer", "lr_kb4"]


def lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").split("\n")[:-1]


REFERENCES = lines("reference")
SYSTEMS = {name: lines(name) for name in ("literal", "phrasal", "fluent")}


def linked(runs: list[int]) -> list[tuple[int, int]]:
    """Decode runs of links."""
    triples = zip(runs[::3], runs[1::3], runs[2::3], strict=True)
    return [(h + k, r + k) for h, r, size in triples for k in range(size)]


def words(text: str) -> list[str]:
    return text.replace(BOUNDARY, " ").split()


def longest_move(segments: dict[str, Any], k: int) -> int:
    """Return the distance of the longest move that is not of punctuation alone."""
    moves = segments["moves"][k]
    return max((move[5] for move in moves[: len(moves) - segments["punctuation"][k]]), default=0)


def assert_largest(rows: list[Any], merits: dict[Any, float]) -> None:
    """Check that rows are the five with the largest merit, which is known to two digits."""
    assert len(rows) == min(5, len(merits))
    found = [merits[row] for row in rows]
    assert np.allclose(found, sorted(merits.values(), reverse=True)[:5], atol=0.01)


@pytest.fixture(scope="module")
def comparison() -> Any:
    return hb.compare(SYSTEMS, REFERENCES, METRICS, "en")


@pytest.fixture(scope="module")
def content(comparison: Any) -> dict[str, Any]:
    found: dict[str, Any] = comparison.report("A title").to_dict()
    return found


def test_scores_and_comparisons_are_the_same(comparison: Any, content: dict[str, Any]) -> None:
    compared = comparison.to_dict()
    assert content["word_order"] == compared["word_order"]
    assert content["schema"] == SCHEMA
    assert content["title"] == "A title"
    assert content["n"] == len(REFERENCES)
    assert content["metric"] == "pef"  # the first that is of order alone
    assert content["sampling"] == comparison.settings()
    for metric in content["metrics"]:
        compared_metric = compared["metrics"][metric["name"]]
        for key in ("ranking", "differences", "signature", "higher_is_better"):
            assert metric[key] == compared_metric[key]
        a, b = (metric["separating"][key] for key in "ab")
        segments = {s["name"]: s["segments"] for s in content["systems"]}
        merits = {}
        for k, x, y in comparison.separating(metric["name"], a, b, len(REFERENCES)):
            share = min(segments[name]["linked"][k] for name in (a, b))
            reach = max(longest_move(segments[name], k) for name in (a, b))
            if share >= content["enough"] and reach:
                merits[k + 1, x, y] = abs(x - y) * share * min(reach / 5, 1)
        rows = [(row["segment"], *row["values"]) for row in metric["separating"]["segments"]]
        assert_largest(rows, merits)
    for system, result in zip(content["systems"], comparison.results, strict=True):
        assert system["linked"] == result.linked
        for name, score in result.items():
            values = system["scores"][name]
            assert (values["value"], values["lower"], values["upper"]) == (
                score.value,
                score.lower,
                score.upper,
            )
            shown = system["segments"]["values"][name]
            assert shown == [round(value, 4) for value in score.segments.tolist()]


def test_bins_are_scored_as_corpora(content: dict[str, Any]) -> None:
    for system in content["systems"]:
        lengths = system["segments"]["length"]
        by_length = [
            [k for k, n in enumerate(lengths) if low <= n and (high is None or n <= high)]
            for low, high in LENGTHS
        ]
        assert system["lengths"] == list(map(len, by_length))
        assert sum(system["lengths"]) == sum(system["shares"]) == len(REFERENCES)
        hypotheses = SYSTEMS[system["name"]]
        for k, chosen in enumerate(by_length):
            for metric in METRICS:
                value = system["scores"][metric]["by_length"][k]
                if not chosen:
                    assert value is None
                    continue
                mine, theirs = ([lines[j] for j in chosen] for lines in (hypotheses, REFERENCES))
                expected = hb.score(mine, theirs, [metric], "en")[metric].value
                assert value == pytest.approx(expected)


def test_shares_are_those_of_alignments(content: dict[str, Any]) -> None:
    aligner = hb.Aligner("en")
    for system in content["systems"]:
        shares = []
        for hyp, ref in zip(SYSTEMS[system["name"]], REFERENCES, strict=True):
            found = aligner.align(aligner.tokens(hyp), aligner.tokens(ref))
            total = found.hyp_length + found.ref_length
            sides = (found.hyp_coverage * found.hyp_length, found.ref_coverage * found.ref_length)
            shares.append(round(sum(sides)) / total)
        assert system["segments"]["linked"] == [round(share, 2) for share in shares]
        assert system["shares"] == [
            sum(share == 0 if low is None else low < share <= high for share in shares)
            for low, high in SHARES
        ]


def test_texts_and_links_are_whole(content: dict[str, Any]) -> None:
    split = tokenizer("13a", lowercase=True)
    aligner = hb.Aligner("en")
    for k, (text,) in enumerate(content["references"]):
        assert text.replace(BOUNDARY, "") == REFERENCES[k]
        assert [word.lower() for word in words(text)] == split(REFERENCES[k])
    for system in content["systems"]:
        segments, hypotheses = system["segments"], SYSTEMS[system["name"]]
        for k, text in enumerate(segments["texts"]):
            assert text.replace(BOUNDARY, "") == hypotheses[k]
            alignment = aligner.align(aligner.tokens(hypotheses[k]), aligner.tokens(REFERENCES[k]))
            assert linked(segments["links"][k]) == list(alignment.links)
            assert segments["length"][k] == alignment.ref_length


def test_profiles(content: dict[str, Any]) -> None:
    aligner = hb.Aligner("en")
    for system in content["systems"]:
        perms = [
            list(aligner.align(aligner.tokens(hyp), aligner.tokens(ref)).permutation())
            for hyp, ref in zip(SYSTEMS[system["name"]], REFERENCES, strict=True)
        ]
        expected = reordering_profile(perms)
        profile = system["profile"]
        for key in ("monotone", "binarizable", "reorderings", "mean_span", "mean_move", "words"):
            assert profile[key] == getattr(expected, key)
        assert {tuple(pair) for pair in profile["moves"]} == set(expected.moves.items())
        kinds = {tuple(row["operator"] or ()): dict(row["spans"]) for row in profile["operators"]}
        for operator in expected.operators:
            if len(operator.operator) <= 4:
                assert kinds[operator.operator] == operator.spans
        longer = sum(
            operator.count for operator in expected.operators if len(operator.operator) > 4
        )
        assert sum(kinds[()].values()) == longer


def test_distributions(content: dict[str, Any], comparison: Any) -> None:
    for metric in content["metrics"]:
        edges = metric["edges"]
        unbounded = metric["range"][1] is None
        assert unbounded == (metric["name"] == "wer")
        for system, result in zip(content["systems"], comparison.results, strict=True):
            values = result[metric["name"]].segments
            counts = system["scores"][metric["name"]]["histogram"]
            assert len(counts) == len(edges) - 1 + unbounded
            assert sum(counts) == len(values)
            for k, (low, high) in enumerate(pairwise(edges)):
                last = k == len(edges) - 2
                inside = (values >= low) & ((values <= high) if last else (values < high))
                assert abs(counts[k] - int(inside.sum())) <= int(
                    np.isclose(values[:, None], [low, high]).sum()
                )
            segments = system["segments"]
            losses = 1 - values if metric["higher_is_better"] else values
            merits = {}
            for k, share in enumerate(segments["linked"]):
                reach = longest_move(segments, k)
                if share >= content["enough"] and reach:
                    merits[k + 1, values[k]] = losses[k] * share * min(reach / 5, 1)
            worst = system["scores"][metric["name"]]["worst"]
            assert_largest([(row["segment"], row["value"]) for row in worst], merits)


def test_every_metric_has_a_distribution() -> None:
    """This includes metrics without a lower or upper bound."""
    found = hb.score(["b a c", "x"], ["a b c", "x y"], "all").report().to_dict()
    assert len(found["metrics"]) == len(hb.metrics.SETS["all"])
    for metric in found["metrics"]:
        assert np.isfinite(metric["edges"]).all()
        system = found["systems"][0]
        scored = [x for x in system["segments"]["values"][metric["name"]] if x is not None]
        assert sum(system["scores"][metric["name"]]["histogram"]) == len(scored)
        assert len(scored) == (1 if metric["name"] == "order" else 2)  # "x" has too little evidence
    assert found["metrics"][[m["name"] for m in found["metrics"]].index("pef_beer")]["range"] == [
        None,
        1,
    ]


def test_what_is_not_scored_is_null() -> None:
    """By hand: 4 of (2 + 6 + 0 + 8 + 1 + 0 + 4 + 4)/2 words have a counterpart, in one segment."""
    references = ["a b c d e f", "s t u v w x y z", "", "i j k l"]
    result = hb.score(["x y", "", "z", "i j k l"], references, ["order", "pef"], confidence=True)
    found = json.loads(result.report().to_json())  # JSON without NaN
    (system,) = found["systems"]
    assert system["segments"]["values"]["order"] == [None, None, None, 1.0]
    scores = system["scores"]["order"]
    assert sum(scores["histogram"]) == 1
    assert scores["quartiles"] == [1.0] * 3
    for metric, kept in (("order", False), ("pef", True)):  # numbers of permutations are kept
        scores = system["scores"][metric]
        assert scores["not_scored"].startswith("not scored: only 32 % of its words are in the ref")
        assert (scores["value"] is not None) == kept
    nothing = hb.score(["x y", "z"], ["a b", "c"], "order").report().to_dict()
    assert nothing["systems"][0]["scores"]["order"] == {
        "below": False,
        "value": None,
        "not_scored": scores["not_scored"].replace("32 %", "0 %"),
        "lower": None,
        "upper": None,
        "histogram": [0] * 20,
        "quartiles": [None] * 3,
        "by_length": [None] * len(LENGTHS),
        "by_share": [None] * len(SHARES),
        "worst": [],
    }


def test_moves_of_systems_that_are_not_scored_are_not_compared() -> None:
    """Too little is known of them; with a single system that is scored, nothing is compared."""
    references = [f"a{k} b{k} c{k} d{k} e{k} f{k} g{k}" for k in range(20)]
    moved = [" ".join(text.split()[::-1]) for text in references]
    shifted = references[1:] + references[:1]
    systems = {"shifted": shifted, "moved": moved, "same": references}
    found = hb.compare(systems, references, "order", samples=50).report().to_dict()
    assert found["beside"] == "same"
    outcomes = {s["name"]: s["moves"]["kinds"]["any"] for s in found["systems"]}
    assert [outcomes[name]["outcome"] for name in systems] == [None, "more", None]
    assert [outcomes[name]["segments"] for name in systems] == [0, 20, 0]
    assert outcomes["moved"]["difference"] == 1
    assert outcomes["shifted"]["p"] is None
    del systems["moved"]
    alone = hb.compare(systems, references, "order", samples=50).report().to_dict()
    assert alone["beside"] is None
    baseline = hb.compare(systems, references, "order", samples=50, baseline="shifted")
    assert baseline.report().to_dict()["beside"] is None


def test_notes_are_facts_that_nothing_else_says() -> None:
    """Each is said once, without advice: nothing can be chosen on a page."""
    references = ["a b c d e f g"] * 6
    systems = {"x": ["b a c d e f g"] * 6, "shifted": ["p q r s t u v"] * 6}
    found = hb.compare(systems, references, "default", "cy", samples=20).report().to_dict()
    sentences = " ".join(found["word_order"]["sentences"])
    assert len(set(found["notes"])) == len(found["notes"]) > 0
    assert "is not scored: only 0 %" in sentences
    for note in found["notes"]:
        assert note[1:] not in sentences
        assert "not scored" not in note
        assert "language=" not in note
        assert " -" not in note


def test_the_reference_is_the_one_that_order_chooses() -> None:
    """By hand: all words are in the second reference, but not beside the same neighbours."""
    references = [["a b c d x y z", "d b a c"]]
    shown = {}
    for metric in ("pef", "order"):
        found = hb.score(["a b c d"], references, metric).report().to_dict()
        shown[metric] = found["systems"][0]["segments"]["reference"]
    assert shown == {"pef": [1], "order": [0]}


def test_titles() -> None:
    result = hb.score(["a"], ["a"], "pef")
    with pytest.raises(TypeError, match="title must be a string, got int"):
        result.report(title=5)  # type: ignore[arg-type]
    assert result.report(title="").to_dict()["title"] == result.report().to_dict()["title"]


def test_few_aligned_words_are_no_examples() -> None:
    references = ["a b c d", "e f g h", "i j k l"]
    systems = {"some": ["x y z d", "h g f e", "i j k l"], "all": references}
    found = hb.compare(systems, references, ["pef"], samples=20).report().to_dict()
    (metric,) = found["metrics"]
    assert [row["segment"] for row in metric["separating"]["segments"]] == [2]
    worst = found["systems"][0]["scores"]["pef"]["worst"]
    assert [row["segment"] for row in worst] == [2]  # in the third one no word moves


def test_segments_with_links_and_long_moves_are_the_first_examples() -> None:
    # Both systems score 0 in all segments. In the first, less than half of the words are linked;
    # in the second, only punctuation must move; in the third, a word moves less far than in the
    # fourth.
    references = ["a b c d e", "a , b", "a b c d e", "a b c d e"]
    systems = {
        "good": references,
        "bad": ["b a x y z", "a b ,", "b a c d e", "b c d e a"],
    }
    found = hb.compare(systems, references, ["kendall"], samples=20).report().to_dict()
    segments = found["systems"][1]["segments"]
    assert segments["punctuation"] == [0, 1, 0, 0]
    assert [len(moves) for moves in segments["moves"]] == [1, 1, 1, 1]
    (metric,) = found["metrics"]
    assert [row["segment"] for row in metric["separating"]["segments"]] == [4, 3]
    worst = found["systems"][1]["scores"]["kendall"]["worst"]
    assert [row["segment"] for row in worst] == [4, 3]


def test_sources() -> None:
    result = hb.score(["b a", "c"], ["a b", "c"], "pef")
    assert result.report().to_dict()["sources"] is None
    shown = result.report(source=["x  y", "\u202ez"]).to_dict()["sources"]
    assert shown == ["x y", visible("\u202ez")]
    with pytest.raises(ValueError, match="2 segments, but 1 source sentences"):
        result.report(source=["x"])
    with pytest.raises(TypeError, match="source must be a list of strings"):
        result.report(source="x")
    linked = hb.score(
        ["b a"],
        ["a b"],
        "pef",
        source=["x y"],
        alignments=["0-1 1-0"],
        reference_alignments=["0-0 1-1"],
    )
    assert linked.report().to_dict()["sources"] == ["x y"]


def test_batches_change_nothing() -> None:
    rng = random.Random(3)
    references = [" ".join(rng.sample("abcdefgh", 5)) for _ in range(BATCH_SIZE + 7)]
    hypotheses = [" ".join(rng.sample(text.split(), 5)) for text in references]
    whole = hb.score(hypotheses, references, ["pef"]).report().to_dict()["systems"][0]
    last = hb.score(hypotheses[BATCH_SIZE:], references[BATCH_SIZE:], ["pef"]).report().to_dict()
    for key, values in last["systems"][0]["segments"].items():
        if not isinstance(values, dict):  # of a column for each metric
            assert whole["segments"][key][BATCH_SIZE:] == values
    assert whole["profile"]["words"] == 5 * len(references)


def test_several_references_and_phrases() -> None:
    references = [["x y", "c a b"], ["p q r", "q"], ["m"]]
    given = [["0-0", "0-1=1-2 2-0"], ["", "0-0"], [""]]
    result = hb.score(["a b c", "q", "m"], references, ["pef"], alignments=given)
    segments = result.report().to_dict()["systems"][0]["segments"]
    assert segments["reference"] == [1, 1, 0]
    assert segments["length"] == [3, 1, 1]
    assert [linked(runs) for runs in segments["links"]] == [
        [(0, 1), (0, 2), (1, 1), (1, 2), (2, 0)],
        [(0, 0)],
        [],
    ]


@pytest.mark.parametrize(
    ("text", "tok"),
    [
        ("Well,  yes: 3.5 \t(or\u00a0so).", "13a"),
        ("日本語の文、です。", "zh"),
        ("a&amp;b &quot;c&quot;", "13a"),
        ("nothing  special", "none"),
        ("", "13a"),
        *((text, "13a") for text in hostile_text.WORDS),
    ],
)
def test_tokens_are_read_back_from_texts(text: str, tok: str) -> None:
    found = [visible(word) for word in tokenizer(tok, lowercase=False)(text)]
    joined = with_boundaries(text, found)
    joined.encode("utf-8")
    assert (joined.replace(BOUNDARY, " ").split(" ") if joined else []) == found


@pytest.mark.parametrize("punct", ["keep", "drop"])
@pytest.mark.parametrize("fold", ["standard", "none"])
@pytest.mark.parametrize(
    "text",
    [
        "“Don’t,” she said – ﬁne…",
        "co\u00adop \u200fabc\u200f \u200f x\u200by",
        "e\u0301te\u0301 ΟΔΟΣ. &quot;A’s&quot;",
        *hostile_text.WORDS,
    ],
)
def test_shown_tokens_are_read_back_from_texts(text: str, fold: str, punct: str) -> None:
    tokenization = Tokenization(fold=fold, punct=punct)
    shown = raw_tokens(text, tokenization)
    joined = with_boundaries(text, shown)
    pieces = joined.replace(BOUNDARY, " ").split(" ") if joined else []
    assert len(pieces) == len(shown) == len(tokenization.split(text))
    assert all(word in piece for word, piece in zip(shown, pieces, strict=True))
    if punct == "keep" and fold == "none":
        assert pieces == list(shown)
    elif shown and "…" not in text and "&" not in text:  # nothing of the text is lost
        assert joined.replace(BOUNDARY, "").replace("\xa0", " ") == visible(" ".join(text.split()))


def test_a_report_shows_the_words_that_were_compared() -> None:
    hyps, refs = ["He didn’t go, “he” said."], ["he said: he didn't go"]
    for punct, expected in (
        ("keep", ["He", "didn’t", "go", ",", "“", "he", "”", "said", "."]),
        ("drop", ["He", "didn’t", "go,", "“he”", "said."]),
    ):
        data = hb.score(hyps, refs, [f"pef:fold=standard,punct={punct}"]).report().to_dict()
        segments = data["systems"][0]["segments"]
        assert words(segments["texts"][0]) == expected
        # All five words have a link, and no sign is on both sides.
        linked_words = {expected[h].strip("“”,.") for h, _ in linked(segments["links"][0])}
        assert linked_words == {"He", "didn’t", "go", "he", "said"}


def test_a_page_contains_only_its_content() -> None:
    result = hb.score(hostile_text.WORDS, [f"{text} end" for text in hostile_text.WORDS], ["pef"])
    report = result.report("</title><script>")
    html = report.to_html()
    html.encode("utf-8")
    assert html.count("<script") == 2
    assert html.count("</script") == 2
    assert "<title>&lt;/title&gt;&lt;script&gt;</title>" in html
    start = html.index('id="content">') + len('id="content">')
    inside = html[start : html.index("</script>", start)]
    assert not set("<>&\u2028\u2029") & set(inside)
    assert json.loads(inside) == report.to_dict() == json.loads(report.to_json())
    around = html.replace(inside, "").replace("http://www.w3.org/2000/svg", "")
    assert "http" not in around.replace("http-equiv", "")


def test_content_is_reproducible() -> None:
    pages = {
        hb.compare(SYSTEMS, REFERENCES, ["pef"], "en", threads=threads).report().to_html()
        for threads in (1, 2)
    }
    assert len(pages) == 1


def test_metrics_without_alignments_also_have_links() -> None:
    report = hb.score(["b a"], ["a b"], ["wer"]).report()
    assert report.to_dict()["systems"][0]["segments"]["links"] == [[0, 1, 1, 1, 0, 1]]
    assert report.to_dict()["systems"][0]["linked"] is None
    assert report.to_dict()["metric"] == "wer"


def test_results_without_texts() -> None:
    result = hb.score(["a"], ["a"], ["pef"])
    with pytest.raises(ValueError, match="the texts of system were not kept"):
        Result(dict(result), result.name).report()


def test_save(tmp_path: Any) -> None:
    report = hb.score(["a"], ["a"], ["pef"]).report()
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == report.to_html()
    with pytest.raises(ValueError, match="it is a folder"):
        report.save(tmp_path)


@pytest.mark.filterwarnings("ignore:the source aligner was trained on only")
def test_links_through_the_source_that_were_found() -> None:
    """They are kept with the texts: nothing is trained or linked again for the report."""
    source = lines("source")
    sides = (REFERENCES, *SYSTEMS.values())
    pairs = [pair for side in sides for pair in zip(source, side, strict=True)]
    aligner = hb.SourceAligner.train(pairs, iterations=20, language="en")
    reference_links = aligner.align(source, REFERENCES)
    given: dict[str, Any] = {
        "alignments": {name: aligner.align(source, texts) for name, texts in SYSTEMS.items()},
        "reference_alignments": reference_links,
        "source_tokenize": "13a",
    }
    arguments = SYSTEMS, REFERENCES, ["lr_kb1", "pef"], "en"
    found, expected = (
        hb.compare(*arguments, source=source, samples=10, **options).report().to_dict()
        for options in ({"align_source": aligner}, given)
    )
    for ours, theirs in zip(found["systems"], expected["systems"], strict=True):
        assert ours["segments"] == theirs["segments"]
        own = given["alignments"][ours["name"]]
        for runs, left, right in zip(ours["segments"]["links"], own, reference_links, strict=True):
            composed = left.inverse().compose(right)
            assert linked(runs) == list(composed.links)
    assert any("the source aligner was trained on only" in note for note in found["notes"])
