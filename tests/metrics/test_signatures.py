"""Signatures can be read back, are complete, and contain only what changes a number."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.metrics.linking import WEIGHTS
from hyperbaton.metrics.signature import SHORT_KEYS, Provenance, Signature
from metrics import corpora

LANGUAGES = (None, "en", "de", "zh")
ALIGNMENTS = ("", "given", "source")  # where alignments come from
NAMES = hb.metrics.names()
OPTIONAL = ("ja-mecab", "ko-mecab")  # tokenisers that may not be installed


def check_round_trip(
    metric: hb.metrics.Metric, references: int | str | None, alignments: str = ""
) -> None:
    provenance = Provenance(alignments)
    signature = metric.signature(references, provenance)
    for text in (str(signature), signature.format(short=True)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = hb.metrics.from_signature(text)
        assert again.signature(references, provenance) == signature, text
        assert again.name == metric.name
        parsed = Signature.parse(text)
        assert parsed == signature
        assert hash(parsed) == hash(signature)
        assert parsed.format() == str(signature)
        assert parsed.format(short=True) == signature.format(short=True)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_signatures_read_back(name: str, language: str | None) -> None:
    metric = hb.metrics.get(name, language)
    for references, alignments in itertools.product((None, 1, 3, "var"), ALIGNMENTS):
        check_round_trip(metric, references, alignments)


def other_options(name: str, language: str | None) -> list[tuple[str, str]]:
    """Return each option of a metric with its other values, or with some if it is a number."""
    metric = hb.metrics.get(name, language)
    found = []
    for key, option in type(metric).options_for(name, metric.variant.defaults).items():
        if key == "align":
            others = ["exact"] if language == "en" else []
        elif key == "parser":
            others = ["toy:other", "given"]
        elif key in WEIGHTS and key not in str(metric.options["align"]):
            others = []  # an error, since it would have no effect
        elif option.digits is not None:
            others = ["0.1", "0.125"]
        elif option.choices:
            others = [value for value in option.choices if value not in OPTIONAL]
        elif option.whole:
            others = [str(int(option.least) + 3)]
        else:
            others = ["0.1", "0.30000000000000004", "1"]
        found += [(key, value) for value in others if value != str(metric.options[key])]
    return found


@pytest.mark.parametrize("language", [None, "en"])
@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_in_the_signature(name: str, language: str | None) -> None:
    plain = hb.metrics.get(name, language)
    signatures = {str(plain.signature(1))}
    options = other_options(name, language)
    assert options
    for key, value in options:
        metric = hb.metrics.get(f"{name}:{key}={value}", language)
        assert metric != plain
        alignments = "source" if key == "nulls" else ""  # without a source it has no effect
        check_round_trip(metric, 1, alignments)
        signature = metric.signature(1, Provenance(alignments))
        assert dict(signature)[key] == value, (key, value)
        signatures.add(str(signature))
    assert len(signatures) == len(options) + 1


@pytest.mark.parametrize("name", ["full", "senscore", "lrscore"])
def test_parameters_of_the_order_measure(name: str) -> None:
    signatures = set()
    for options in ("order=pef", "order=pef,beta=0.5", "order=pef,gamma=0.5", "order=pet"):
        metric = hb.metrics.get(f"{name}:{options}")
        check_round_trip(metric, 2)
        signatures.add(str(metric.signature(1)))
    assert len(signatures) == 4


@pytest.mark.parametrize(
    "aligned", ["match=aligned", "weight=aligned", "match=aligned,weight=aligned"]
)
def test_links_of_trees_are_named(aligned: str) -> None:
    """Signatures name the options of links only if links are used."""
    signatures = {str(hb.metrics.get("dted", "en").signature(1))}
    for options in ("", ",case=mixed", ",align=exact", ",align=given", ",rescale=yes"):
        metric = hb.metrics.get(f"dted:{aligned}{options}", "en")
        for alignments in ALIGNMENTS:
            check_round_trip(metric, 2, alignments)
        assert "tok" not in dict(metric.signature(1))
        signatures.add(str(metric.signature(1)))
    assert len(signatures) == 6
    plain = dict(hb.metrics.get("dted", "en").signature(1))
    assert not {"case", "align", "pystemmer", "tok"} & set(plain)


def test_parsers_are_named() -> None:
    parts = dict(hb.metrics.get("dted", "en").signature(1))
    assert (parts["parser"], parts["model"]) == ("toy:en", "1/2")
    # A character that would break the signature is replaced.
    odd = hb.metrics.get("dted:parser=toy:a|b").signature(1)
    assert dict(Signature.parse(str(odd)))["parser"] == "toy:a_b"


def test_smoothing_is_named() -> None:
    for name in ("lrscore", "lr_kb4", "lr_hb4", "full:lexical=bleu4"):
        assert "|smooth:exp|" in str(hb.metrics.get(name).signature(1))


def test_the_language_is_named_if_it_has_an_effect() -> None:
    for name in ("pef", "adjacency", "meteor_frag", "full", "lrscore", "dted"):
        signatures = {str(hb.metrics.get(name, code).signature(1)) for code in LANGUAGES}
        assert len(signatures) == len(LANGUAGES)
    for name in ("wer", "bleu"):
        tokens = {str(hb.metrics.get(name, language).signature(1)) for language in LANGUAGES}
        assert len(tokens) == 2  # 13a and zh
    for name in ("chrf", "ter"):
        assert len({str(hb.metrics.get(name, code).signature(1)) for code in LANGUAGES}) == 1
    assert "|align:exact+stem+anchored.en|" in str(hb.metrics.get("pef", "en").signature(1))
    assert "|pystemmer:" in str(hb.metrics.get("pef", "en").signature(1))
    assert "|pystemmer:" not in str(hb.metrics.get("pef").signature(1))
    assert hb.metrics.get("pef", "en-GB").signature(1) == hb.metrics.get("pef", "en").signature(1)


def test_keys() -> None:
    assert len(set(SHORT_KEYS.values())) == len(SHORT_KEYS)
    for key, short in SHORT_KEYS.items():
        assert short == key or short not in SHORT_KEYS, (
            "a short form that is another key's long form"
        )
    for name, language in itertools.product(NAMES, LANGUAGES):
        signature = hb.metrics.get(name, language).signature(2)
        for text in (str(signature), signature.format(short=True)):
            first, *parts = text.split("|")
            keys = [part.split(":")[0] for part in parts]
            assert first == name
            assert len(set(keys)) == len(keys), text
        assert len(signature.format(short=True)) < len(str(signature))
    assert len({str(hb.metrics.get(name).signature(1)) for name in NAMES}) == len(NAMES)


def test_threads_are_not_in_the_signature() -> None:
    corpus = corpora.corpus(31, 10)
    one, two = (hb.score(*corpus, NAMES, threads=threads) for threads in (1, 2))
    for name in NAMES:
        assert one[name].signature == two[name].signature
        assert "threads" not in one[name].signature


def test_number_of_references() -> None:
    for references, count in ([["a"]], "1"), ([["a", "b"]], "2"), ([["a"], ["a", "b"]], "var"):
        result = hb.score(["a"] * len(references), references, NAMES)
        for name in NAMES:
            assert dict(Signature.parse(result[name].signature))["nrefs"] == count, name
    assert dict(Signature.parse(hb.score(["a"], ["a"], ["pef"])["pef"].signature))["nrefs"] == "1"
    # A metric does not remember what it scored; a metric with references knows their number.
    metric = hb.metrics.get("pef")
    streams: list[list[str | None]] = [["a", "b"], ["c", None]]
    score = metric.corpus_score(["a", "b"], streams)
    assert dict(Signature.parse(score.signature))["nrefs"] == "var"
    assert "nrefs" not in dict(metric.get_signature())
    assert dict(metric.with_references(streams).get_signature())["nrefs"] == "var"


def test_names() -> None:
    for name in NAMES:
        metric = hb.metrics.get(name)
        for other in (name.replace("_", "-"), name.upper(), f" {name} "):
            assert hb.metrics.get(other) == metric
        text = str(metric.signature(1))
        assert hb.metrics.from_signature(text.replace(name, name.replace("_", "-"), 1)).name == name
    assert hb.metrics.get("LR-KB4:Alpha=0.3") == hb.metrics.get("lr_kb4:alpha=0.3")
    assert len(set(NAMES)) == len(NAMES)


def test_equal_options_have_equal_signatures() -> None:
    for a, b in (
        ("pef", "pef:beta=0.6,gamma=0,bp=permutation,unaligned=drop,weight=none,case=lc,tok=13a"),
        ("pef:bp=off,beta=0.50", "pef:beta=5e-1,bp=off"),
        ("pef:gamma=1", "pef:gamma=1.0"),
        ("pef", "pef:align=exact+anchored"),
        ("lr_kb4", "lr-kb4:order=kendall,lexical=bleu4,bp=system"),
    ):
        assert hb.metrics.get(a).signature(1) == hb.metrics.get(b).signature(1)
    exact, stem = "pef:align=exact+stem+anchored", "pef:align=anchored+stem+exact"
    assert hb.metrics.get(exact, "en") == hb.metrics.get(stem, "en")
    assert hb.metrics.get(exact, "en").signature(1) == hb.metrics.get("pef", "en").signature(1)


@pytest.mark.parametrize(
    ("name", "language", "key"),
    [
        ("pef", None, "v"),
        ("pef", None, "sacrebleu"),
        ("pef", "en", "pystemmer"),
        ("wer", None, "v"),
        ("bleu", None, "version"),
        ("ter", None, "version"),
        ("dted", None, "v"),
        ("dted", "en", "model"),
        ("dted:weight=aligned", "en", "model"),
        ("dted:weight=aligned", "en", "pystemmer"),
    ],
)
def test_different_versions_give_a_warning(name: str, language: str | None, key: str) -> None:
    signature = hb.metrics.get(name, language).signature(1)
    version = dict(signature)[key]
    for short in (False, True):
        part = f"|{SHORT_KEYS[key] if short else key}:"
        assert signature.format(short).count(part + version) == 1
        text = signature.format(short).replace(part + version, part + "0.0.77")
        with pytest.warns(
            UserWarning, match=rf"says {key}:0\.0\.77, but here it is {key}:"
        ) as found:
            metric = hb.metrics.from_signature(text)
        assert len(found) == 1
        assert version in str(found[0].message)
        assert metric.signature(1) == hb.metrics.get(name, language).signature(1)


def test_signatures_of_paired_tests() -> None:
    signature = hb.metrics.get("pef:bp=off").signature(1)
    plain = str(signature)
    signature.update("seed", 12345)
    signature.update("bs", 1000)
    assert str(signature).endswith(plain.rpartition("|")[2])  # the version stays last
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(hb.metrics.from_signature(str(signature)).signature(1)) == plain
    with pytest.raises(ValueError, match="'b p' is not a valid key of a signature"):
        signature.update("b p", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pef|bp", "'bp' is not part of a signature"),
        ("pef|b p:off", "'b p:off' is not part of a signature"),
        ("pef|:off", "':off' is not part of a signature"),
        ("pef|1st:off", "'1st:off' is not part of a signature"),
        ("pef|bp:off|bp:off", "has bp twice"),
        ("pef|beta:0.6|b:0.6", "has beta twice"),
        ("peff|bp:off", "unknown metric 'peff'; did you mean pef"),
        ("pef|bp:sometimes", "bp must be one of"),
        ("pef|beta:7", "beta must be between 0 and 1"),
        ("", "unknown metric ''"),
    ],
)
def test_bad_signatures(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hb.metrics.from_signature(text)


def test_unknown_keys_of_signatures() -> None:
    """Options of other packages' metrics have no short form, so any identifier is a key."""
    text = "pef|beta:0.6|unheard_of:1|v:0"
    signature = Signature.parse(text)
    assert dict(signature)["unheard_of"] == "1"
    assert signature.format() == text
    assert signature.format(short=True) == "pef|b:0.6|unheard_of:1|v:0"
    assert Signature.parse(signature.format(short=True)) == signature
    signature.update("other", 2.0)
    assert str(signature) == "pef|beta:0.6|unheard_of:1|other:2|v:0"
    plain = str(hb.metrics.get("pef").signature(1))
    with pytest.warns(UserWarning, match="says unheard_of:1, but here it is unheard_of:–"):
        metric = hb.metrics.from_signature(f"{plain}|unheard_of:1")
    assert metric == hb.metrics.get("pef")


def test_a_number_can_be_reproduced() -> None:
    """The signature and the texts are enough."""
    corpus = corpora.corpus(32, 25)
    specs: list[Any] = [
        *NAMES,
        "pef:beta=0.30000000000000004,gamma=0.1,bp=off,unaligned=right,weight=ref,tok=intl",
        "full:order=pet,beta=0.1,lexical=f1,alpha=0.9,case=mixed",
        "lrscore:lexical=f1",
        "chrf:nw=2,beta=3",
        "dted:match=aligned,case=mixed,parser=toy:other",
        "dted:weight=aligned,rescale=yes",
        "dted:flat=yes",
    ]
    for language in (None, "en"):
        for spec, score in hb.score(*corpus, specs, language).items():
            metric = hb.metrics.from_signature(score.signature)
            again = hb.score(*corpus, [metric])[metric.spec]
            assert again.value == score.value, spec
            assert again.signature == score.signature


def test_given_alignments_are_needed_again() -> None:
    texts, links = (["a b"], ["b a c"]), ["0-1 1-0"]
    score = hb.score(*texts, ["pef"], alignments=links)["pef"]
    metric = hb.metrics.from_signature(score.signature)
    assert hb.score(*texts, [metric], alignments=links)[metric.spec].value == score.value
    with pytest.raises(
        ValueError, match="pef: align=given needs alignments: give them to score or compare"
    ):
        hb.score(*texts, [metric])


@pytest.mark.parametrize("spec", ["dted", "dted:parser=given", "dted:weight=aligned"])
def test_given_trees_are_needed_again(spec: str) -> None:
    texts = ["a b"], ["b a c"]
    trees: dict[str, Any] = {
        "trees": [hb.DependencyTree(["a", "b"], [0, 1])],
        "reference_trees": [hb.DependencyTree(["b", "a", "c"], [0, 1, 2])],
    }
    score = hb.score(*texts, [spec], **trees)[spec]
    parts = dict(Signature.parse(score.signature))
    assert parts["parser"] == "given"
    assert "model" not in parts
    metric = hb.metrics.from_signature(score.signature)
    again = hb.score(*texts, [metric], **trees)[metric.spec]
    assert (again.value, again.signature) == (score.value, score.signature)
    with pytest.raises(ValueError, match="dted: parser=given needs trees"):
        hb.score(*texts, [metric])


def test_incomplete_signatures() -> None:
    with pytest.warns(UserWarning, match="the signature lacks beta, gamma, bp"):
        hb.metrics.from_signature("pef")
    with pytest.raises(TypeError, match="a signature must be a string, got int"):
        hb.metrics.from_signature(5)  # type: ignore[arg-type]


def test_languages_by_name_and_code() -> None:
    signatures = {
        str(hb.metrics.get("pef", name).signature(1)) for name in ("en", "English", "en_GB")
    }
    assert len(signatures) == 1
