"""Words that are safe to display in a terminal or in a browser.

Column widths on a terminal are those of ``rich.cells``; see ``hyperbaton.views.terminal``.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain

from hyperbaton.text.folding import INVISIBLE
from hyperbaton.text.tokenization import Tokenization

# Characters without a shape of their own that are part of the spelling: Persian and Indic scripts
# need the joiners, which are harmless alone.
JOINERS = "\u200c\u200d"
# Format characters that are visible signs, such as the Arabic end of ayah.
VISIBLE_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
# Signs for characters that are not shown. Control characters have signs of their own in Unicode.
CONTROL_PICTURES = 0x2400
DELETE, DELETE_SIGN = "\x7f", "\u2421"
INVISIBLE_SIGN = "◦"
UNKNOWN_SIGN = "□"
WORD = re.compile(r"\S+")
MAX_WORD_LENGTH = 40  # characters; longer words, such as addresses, are cut


def terminal_width() -> int:
    """Return the number of columns of the terminal; 100 if there is no terminal."""
    return shutil.get_terminal_size((100, 24)).columns


def visible(text: str) -> str:
    r"""Replace each character that is not seen, or that a program might interpret, by a sign.

    Control characters become ␀ to ␟ and ␡. Other invisible characters, such as the soft hyphen and
    marks and overrides of the writing direction, become ◦. Characters that no font knows, such as
    unpaired surrogates and those for private use, become □. Joiners are part of the spelling and
    stay, and so do spaces. :func:`describe_signs` says what the signs of a text stand for.

    >>> visible("no\x1b[31m \u202eno co\u00adop \ue000")
    'no␛[31m ◦no co◦op □'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _sign(c) for c in text)


@functools.cache
def _sign(c: str) -> str:
    """Return what is shown instead of a character that is not printable."""
    if c < " ":
        return chr(CONTROL_PICTURES + ord(c))
    if c == DELETE:
        return DELETE_SIGN
    category = unicodedata.category(c)
    if c in JOINERS or c in VISIBLE_FORMATS or category == "Zs":
        return c
    return INVISIBLE_SIGN if category in ("Cf", "Zl", "Zp") else UNKNOWN_SIGN


def describe_signs(*texts: str) -> list[str]:
    r"""Return sentences that explain the signs of :func:`visible` in these texts.

    >>> print(*describe_signs("we met", "co\u00adop \u200fabc\x1b"), sep="\n")
    ␛ is a control character (U+001B).
    ◦ is an invisible character: soft hyphen (U+00AD), right-to-left mark (U+200F).
    """
    hidden = {c for text in texts if not text.isprintable() for c in text if visible(c) != c}
    by_sign: dict[str, list[str]] = {}
    for c in sorted(hidden):
        by_sign.setdefault(_sign(c), []).append(c)
    return [_describe_sign(sign, characters) for sign, characters in by_sign.items()]


def _describe_sign(sign: str, characters: Sequence[str]) -> str:
    codes = [f"U+{ord(c):04X}" for c in characters]
    if sign == INVISIBLE_SIGN:
        names = [unicodedata.name(c, "no name").lower() for c in characters]
        found = ", ".join(f"{name} ({code})" for name, code in zip(names, codes, strict=True))
        return f"{sign} is an invisible character: {found}."
    if sign == UNKNOWN_SIGN:
        return f"{sign} is a character that cannot be shown: {', '.join(codes)}."
    return f"{sign} is a control character ({codes[0]})."


def safe_json(data: object, indent: int | None = None) -> str:
    r"""Return JSON that a terminal can show: characters that are not seen are escaped.

    >>> print(safe_json(["naïve \u202e", "\x9b"]))
    ["naïve \u202e", "\u009b"]
    """
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)


def is_right_to_left(text: str) -> bool:
    """Return whether most letters belong to scripts that are written from right to left.

    >>> is_right_to_left("سلام عليكم (salaam)"), is_right_to_left("hello")
    (True, False)
    """
    kinds = [unicodedata.bidirectional(c) for c in text]
    return kinds.count("R") + kinds.count("AL") > kinds.count("L")


def raw_tokens(
    text: str, tokenization: Tokenization, tokens: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return the tokens of a text as they are written there, safe to display.

    They are those of ``tokenization.split``, with case, accents and typography of the text. A token
    that is only a part of a written character, such as each point of …, is shown as it is compared.

    Parameters
    ----------
    text : str
        The text as written.
    tokenization : Tokenization
        How the text becomes tokens.
    tokens : sequence of str, optional
        The tokens with punctuation, if they are known.

    Returns
    -------
    tuple of str
        If the tokeniser changes characters of a word (13a replaces ``&quot;``), the tokens of this
        word have the case of the text only.

    Examples
    --------
    >>> raw_tokens("We’ve met Eve.", Tokenization("13a", fold="standard"))
    ('We’ve', 'met', 'Eve', '.')
    """
    if tokens is None:
        tokens = tokenization.with_punctuation().split(text)
    found = _raw_tokens(text, tokens, tokenization)
    shown = [raw for raw, token in zip(found, tokens, strict=True) if tokenization.keeps(token)]
    return tuple(shown) if "".join(shown).isprintable() else tuple(map(visible, shown))


def _raw_tokens(text: str, tokens: Sequence[str], tokenization: Tokenization) -> Sequence[str]:
    """Return each of the tokens, punctuation among them, as it is written in the text."""
    found = _find_tokens(text, tokens, tokenization)
    if found is not None:
        return found
    words = text.split()
    split = tokenization.with_punctuation().split
    tokens_of_words = list(map(split, words))
    if len(words) > 1 and list(chain.from_iterable(tokens_of_words)) == list(tokens):
        pairs = zip(words, tokens_of_words, strict=True)
        return [raw for pair in pairs for raw in _raw_tokens(*pair, tokenization)]
    cased = tokenization.with_punctuation().as_written().split(text)
    same = [tokenization.normalize(token) for token in cased] == list(tokens)
    return cased if same else tokens


def _find_tokens(text: str, tokens: Sequence[str], tokenization: Tokenization) -> list[str] | None:
    """Return the part of the text that became each token, or None if there are other tokens."""
    normalized, starts, ends = _normalize_with_offsets(text, tokenization)
    found, at = [], 0
    for token in tokens:
        if not normalized.startswith(token, at):
            return None
        end = at + len(token)
        first, last = starts[at], ends[end - 1]
        raw = "" if first is None or last is None else text[first:last]
        # without an offset, the token begins or ends within a character
        found.append(raw if len(raw.split()) == 1 else token)
        at = end
    return found if at == len(normalized) else None


def _normalize_with_offsets(
    text: str, tokenization: Tokenization
) -> tuple[str, list[int | None], list[int | None]]:
    """Return the normalised text without white space, and where its characters come from.

    A character comes from the text between its offset in the first list and its offset in the
    second one. Of several characters that come from the same place, only the first has an offset
    in the first list, and only the last in the second.
    """
    as_written = tokenization.as_written()
    words: list[str] = []
    starts: list[int | None] = []
    ends: list[int | None] = []
    for match in WORD.finditer(text):
        word, begin = match[0], match.start()
        normalized = tokenization.normalize(word)
        words.append(normalized)
        same_characters = word.isascii() or (
            as_written.normalize(word) == word and len(word) == len(word.lower()) == len(normalized)
        )
        if same_characters:  # except for their case
            starts += range(begin, match.end())
            ends += range(begin + 1, match.end() + 1)
            continue
        for raw_length, length in _pieces(word, normalized, tokenization):
            inside: list[int | None] = [None] * (length - 1)
            starts += [begin, *inside]
            begin += raw_length
            ends += [*inside, begin]
    return "".join(words), starts, ends


def _pieces(word: str, normalized: str, tokenization: Tokenization) -> list[tuple[int, int]]:
    """Cut a word into the smallest pieces that can be normalised one by one.

    Returns
    -------
    list of (int, int)
        The length of each piece and of its normal form, which is not empty: characters that
        disappear belong to the piece before them, or to the first piece.
    """
    pieces: list[tuple[int, int]] = []
    joined = ""
    hidden = 0  # number of characters at the start that disappear
    for cluster in _clusters(word) if tokenization.fold != "none" else word:
        whole = tokenization.normalize(cluster)
        parts = list(map(tokenization.normalize, cluster))
        if "".join(parts) != whole:
            cluster_pieces = [(len(cluster), whole)]
        else:
            cluster_pieces = [(1, part) for part in parts]
        for length, normal in cluster_pieces:
            if normal:
                pieces.append((hidden + length, len(normal)))
                hidden = 0
            elif pieces:
                pieces[-1] = pieces[-1][0] + length, pieces[-1][1]
            else:
                hidden += length
        joined += whole
    # A sigma by itself is never final. If anything else differs, the word is a single piece.
    if joined.replace("ς", "σ") == normalized.replace("ς", "σ"):
        return pieces
    return [(len(word), len(normalized))] if normalized else []


def _clusters(word: str) -> Iterator[str]:
    """Cut a word before each character that cannot be composed with the one before it."""
    begin = 0
    for k, c in enumerate(word):
        attached = (
            unicodedata.category(c).startswith("M")
            or "\u1160" <= c <= "\u11ff"  # vowels and final consonants of Hangul
            or c in "\uff9e\uff9f"  # half-width voiced sound marks
            or c in INVISIBLE
        )
        if k and not attached:
            yield word[begin:k]
            begin = k
    yield word[begin:]


def clip_word(text: str, suffix: str = "") -> str:
    """Return the word with a suffix, shortened before the suffix if it is very long."""
    most = MAX_WORD_LENGTH - len(suffix)
    return (text if len(text) <= most else text[: most - 1] + "…") + suffix


def isolated(name: str) -> str:
    """Return a name that does not turn the sentence around it, if it runs from right to left."""
    return f"\u2068{name}\u2069" if is_right_to_left(name) else name
