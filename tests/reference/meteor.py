"""The aligner of METEOR 1.5, for comparison. It needs Java and METEOR_JAR or pycocoevalcap.

Its behaviour where it matters for comparisons:

- It neither lower-cases nor tokenizes lines; ASCII white space separates words.
- Words are equal if their Java hash codes are. Candidates are all pairs of equal words, then all
  other pairs of equal stems (Snowball's English, Porter 2), then all other pairs whose lemmas share
  a synset of WordNet 3.0; offsets are compared without the part of speech. A beam search of width
  40, or of ``-x``, chooses among them: most matches, then fewest chunks.
- With its default, ``-t maxcov``, an inexact match counts half, and the sum is rounded down to an
  integer at each step, so that one word for one word counts nothing. Such a match is certain only
  if it is the only candidate of both words; otherwise it is used if it costs no chunk. A pair that
  shares both stem and synset is two candidates. With ``-t maxacc``, stems and synonyms count as
  much as equal words, and replace some of them.
- It runs on one thread. Java needs about 10,000 pairs to compile the hot code.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

Link = tuple[int, int, int, int, int]
Sentences = Sequence[Sequence[str]]

# White space would split a token and no token can be empty, so both go to the private use area.
SPACE = {ord(c): 0xE000 + ord(c) for c in " \t\n\r\f"}
EMPTY = "\ue000"
LINK = re.compile(rb"(\d+):(\d+)\s+(\d+):(\d+)\s+(\d+)\s")


def find() -> list[str] | None:
    """The command without arguments, or None if Java or the jar is missing."""
    java, jar = shutil.which("java"), os.environ.get("METEOR_JAR")
    if not jar:
        spec = importlib.util.find_spec("pycocoevalcap")
        folders = spec.submodule_search_locations if spec else None
        jars = [Path(folder) / "meteor" / "meteor-1.5.jar" for folder in folders or ()]
        jar = next((str(path) for path in jars if path.is_file()), None)
    return [java, "-cp", jar, "Matcher"] if java and jar and Path(jar).is_file() else None


def paraphrase_table() -> Path | None:
    """The path of its English paraphrases, if they are in data/ beside the jar."""
    program = find()
    table = Path(program[2]).parent / "data" / "paraphrase-en.gz" if program else None
    return table if table and table.is_file() else None


def missing() -> str:
    """What METEOR lacks to run, as a message; empty if nothing."""
    if shutil.which("java") is None:
        return "METEOR needs Java, which is not installed"
    return "" if find() else "needs METEOR's jar: set METEOR_JAR, or install pycocoevalcap"


def align(
    hyps: Sentences,
    refs: Sentences,
    language: str = "en",
    modules: str = "exact stem synonym",
    options: Sequence[str] = (),
) -> list[list[Link]]:
    """The sorted links of each pair: start and length in hyp, the same in ref, index of module.

    ``options`` are further options of METEOR, such as ``["-t", "maxacc", "-x", "400"]``.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = write(Path(folder), hyps, refs)
        with open(Path(folder) / "links", "w+b") as output:
            run([*files, *arguments(language, modules, options)], output)
            output.seek(0)
            links = list(parse(output))
    if len(links) != len(hyps):
        raise RuntimeError(f"METEOR aligned {len(links)} of {len(hyps)} pairs")
    return links


def arguments(language: str, modules: str, options: Sequence[str]) -> list[str]:
    return ["-l", language, "-m", modules, "-t", "maxcov", *options]


def run(command: list[str], output: IO[bytes] | int) -> None:
    program = find()
    if program is None:
        raise RuntimeError(missing())
    subprocess.run([*program, *command], stdout=output, check=True)


def write(folder: Path, hyps: Sentences, refs: Sentences) -> list[str]:
    if len(hyps) != len(refs):
        raise ValueError(f"{len(hyps)} hypotheses, but {len(refs)} references")
    paths = []
    for name, sentences in (("hyp", hyps), ("ref", refs)):
        paths.append(str(folder / name))
        with open(paths[-1], "w", encoding="utf-8", newline="\n") as file:
            file.writelines(" ".join(map(word, sentence)) + "\n" for sentence in sentences)
    return paths


def word(token: str) -> str:
    return token.translate(SPACE) or EMPTY


def parse(lines: Iterator[bytes]) -> Iterator[list[Link]]:
    """Read for each pair: its number, two sentences, a head, links (reference first), a blank."""
    for number, title in enumerate(lines, 1):
        if title.split() != [b"Alignment", str(number).encode()]:
            raise RuntimeError(f"METEOR wrote {title!r} where pair {number} was due")
        for _ in range(3):
            next(lines)
        links = []
        while match := LINK.match(next(lines)):
            ref, ref_length, hyp, hyp_length, module = map(int, match.groups())
            links.append((hyp, hyp_length, ref, ref_length, module))
        yield sorted(links)
