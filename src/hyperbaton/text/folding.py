"""Folding: words that look the same become the same word.

``fold_text`` replaces the characters of a fixed table, composes letters with their accents (Unicode
NFC) and, on request, turns letters into lower case. The table is written out here, so that it is
the same with every version of Python; docs/scoring.md lists it for users.
"""

from __future__ import annotations

from itertools import groupby
from unicodedata import combining, normalize

FOLDS = ("standard", "none")
# Languages whose capital I is a capital ı, and whose capital i is İ.
TURKIC_LANGUAGES = ("tr", "az")

# U+1FFD is the same character as U+00B4 by Unicode's own definition. The letters U+02BB and U+02BC
# are apostrophes of Hawaiian and Ukrainian, which many people type as ' or ’. Primes (′ ″) and the
# Hebrew geresh are other signs.
APOSTROPHES = "‘’‚‛‹›ʻʼ\u00b4\u1ffd"
QUOTES = "“”„‟«»"
# Hyphens and dashes, the minus sign, and the small forms of Chinese typography.
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"
ELLIPSIS = {"…": "..."}
LIGATURES = dict(
    zip("ﬀﬁﬂﬃﬄﬅﬆĲĳ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st", "IJ", "ij"), strict=True)
)
# Signs that are not seen: the soft hyphen, zero-width space, word joiner, byte-order mark, marks
# and embeddings of the writing direction, and invisible operators. The zero-width joiner and
# non-joiner are not among them: they tell words of Persian and of Indic languages apart.
INVISIBLE = (
    "\u00ad\u061c\u200b\u200e\u200f"
    "\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064"
    "\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f"
    "\ufeff"
)
FULL_WIDTH_ASCII = range(0xFF01, 0xFF5F)  # ！ to ～, in the order of ASCII
ASCII = range(ord("!"), ord("~") + 1)
# Forms, and their usual characters in the same order. The voiced sound marks become combining
# marks, which NFC joins with the letter before them.
OTHER_WIDTHS = {
    "｟｠｡｢｣､･": "⦅⦆。「」、・",
    "ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝ": (
        "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"
    ),
    "\uff9e\uff9f": "\u3099\u309a",
    "\uffa0ﾡﾢﾣﾤﾥﾦﾧﾨﾩﾪﾫﾬﾭﾮﾯﾰﾱﾲﾳﾴﾵﾶﾷﾸﾹﾺﾻﾼﾽﾾ": (
        "\u3164ㄱㄲㄳㄴㄵㄶㄷㄸㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅃㅄㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
    ),
    "ￂￃￄￅￆￇￊￋￌￍￎￏￒￓￔￕￖￗￚￛￜ": "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ",
    "￠￡￢￣￤￥￦￨￩￪￫￬￭￮": "¢£¬¯¦¥₩│←↑→↓■○",
}
TABLE: dict[str, str] = {
    **dict.fromkeys(APOSTROPHES, "'"),
    **dict.fromkeys(QUOTES, '"'),
    **dict.fromkeys(DASHES, "-"),
    **ELLIPSIS,
    **LIGATURES,
    **dict(zip(map(chr, FULL_WIDTH_ASCII), map(chr, ASCII), strict=True)),
    **dict(zip("".join(OTHER_WIDTHS), "".join(OTHER_WIDTHS.values()), strict=True)),
    **dict.fromkeys(INVISIBLE, ""),
}
LONG = 1000  # characters
_TRANSLATION = str.maketrans(TABLE)
_TURKIC_LOWER = str.maketrans({"I": "ı", "İ": "i"})


def fold_text(text: str, lowercase: bool, turkic: bool = False) -> str:
    """Return the text as it is compared.

    No step looks beyond white space, so the folded text consists of the folded words.

    Parameters
    ----------
    text : str
        A line or a word.
    lowercase : bool
        Whether to turn letters into lower case. This is not Unicode's case folding: ß stays ß.
    turkic : bool
        Whether the lower case of I is ı, and that of İ is i, as in Turkish and Azeri.

    Examples
    --------
    >>> fold_text("“Don’t”\u200f ﬁght…", lowercase=True)
    '"don\\'t" fight...'
    >>> fold_text("ﾊﾟﾘ ２０２４", lowercase=False)
    'パリ 2024'
    >>> fold_text("İLK IŞIK", lowercase=True, turkic=True)
    'ilk ışık'
    """
    if not text.isascii():
        text = _compose(text.translate(_TRANSLATION))
    if not lowercase:
        return text
    if turkic:
        text = text.translate(_TURKIC_LOWER)
    text = text.lower()
    return text if text.isascii() else _compose(text)


def _compose(text: str) -> str:
    """Return the text in NFC.

    Python's own function sorts accents in quadratic time, so those of a long text are sorted first.
    """
    if len(text) > LONG:
        decomposed = "".join(normalize("NFD", c) for c in text)
        runs = groupby(decomposed, key=lambda c: combining(c) > 0)
        text = "".join(
            "".join(sorted(run, key=combining) if accents else run) for accents, run in runs
        )
    return normalize("NFC", text)
