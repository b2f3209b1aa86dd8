"""Hostile texts for tests of everything that shows or stores texts from strangers.

Each text tries to be more than text where it is shown: an element of a page, a command to a
terminal, a formula of a spreadsheet, a macro of LaTeX. Scripts set ``globalThis.harmed``, which no
page of ours has, and addresses lead to ``hostile.invalid``, which no page may ask for.
"""

from __future__ import annotations

CANARY = "globalThis.harmed=1"
HOST = "hostile.invalid"

# Pages and drawings. None has white space, so that each is one word.
MARKUP = [
    f"<script>{CANARY}</script>",
    f"</script><script>{CANARY}</script>",
    f"</text><script>{CANARY}</script>",
    f"</title><script>{CANARY}</script>",
    f"</style><script>{CANARY}</script>",
    f"</textarea><script>{CANARY}</script>",
    f"<img/src=//{HOST}/x/onerror={CANARY}>",
    f"<svg/onload={CANARY}>",
    f"--><svg/onload={CANARY}>",
    f"]]><svg/onload={CANARY}>",
    f'"onload="{CANARY}',
    f'"autofocus/onfocus="{CANARY}"/x="',
    f"'><img/src=x/onerror={CANARY}>",
    f"`${{{CANARY}}}`",
    f"{{{{constructor.constructor('{CANARY}')()}}}}",
    f"javascript:{CANARY}",
    f"data:text/html,<script>{CANARY}</script>",
    f"<a/href=javascript:{CANARY}>x</a>",
    f"<iframe/srcdoc='<script>parent.{CANARY}</script>'>",
    f"<base/href=//{HOST}/>",
    f"<link/rel=stylesheet/href=//{HOST}/x.css>",
    f"<style>@import'//{HOST}/x.css';*{{display:none}}</style>",
    f"<meta/http-equiv=refresh/content=0;url=//{HOST}/>",
    "style</style>",
    "<!--",
    "<!--<script>",
    "]]>",
    "<![CDATA[",
    "<?xml-stylesheet?>",
    "&lt;b&gt;",
    "&#0;&bogus;",
    "\\u003cscript\\u003e",
    "$policy$content",
    "__proto__",
]

# The writing direction of what follows.
BIDI = [
    "\u202eevil\u202c",
    "\u202aembedded",
    "\u202bembedded",
    "\u202doverride",
    "\u2066x\u2069",
    "\u2067never-closed",
    "\u2069\u2069closes",
    "\u200emark\u200f",
    "\u061cmark",
]

# Terminals: colours, the cursor, the screen, the title, links, the clipboard, questions that the
# terminal answers as if the user typed; the same with one-character (C1) introducers.
TERMINAL = [
    "a\x07b\x1b[31mred",
    "\x1b[2J\x1b[Hcleared",
    "\x1b[1A\x1b[2Koverwritten",
    "\x1b]0;title\x07",
    "\x1b]2;title\x1b\\",
    f"\x1b]8;;http://{HOST}/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;aGFybWVk\x07",
    "\x1bPq#0\x1b\\",
    "\x1b[6n\x1b[c\x1b[21t",
    "\x1b[?1049h\x1b[?25l",
    "\x1bc",
    "\x1b(0lqk",
    "\x1b[8mhidden",
    "\x9b31mred",
    "\x9d0;title\x9c",
    "\x90q\x9c",
    "typed\x08\x08\x08\x08\x08gone",
    "\x7f\x7fdeleted",
    "\x0e\x0fshifted",
    "\x05answer",
]

# Lines and cells. These have white space.
SEPARATORS = [
    "before\rafter",
    "before\tafter",
    "before\u2028after",
    "before\u2029after",
    "before\x85after",
    "before\x0bafter",
    "before\x0cafter",
    "before\x1cafter\x1dand\x1eand\x1f",
]

# Cells that spreadsheets compute (OWASP's list).
FORMULAS = [
    "=1+1",
    f'=HYPERLINK("http://{HOST}/","x")',
    "=cmd|'/C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1;1)",
    "\t=1+1",
    "\r=1+1",
    '"=1+1',
    "\uff1d1+1",
]

# Documents and consoles with a markup language of their own.
MARKUP_LANGUAGES = [
    "|cell|",
    "``code``",
    "`",
    "**bold**",
    f"[x](javascript:{CANARY})",
    f"![x](http://{HOST}/x.png)",
    "\\input{/etc/passwd}",
    "\\write18{id}",
    "$x^2_3$",
    "%comment",
    "~#&{}",
    "\\",
    "a\\",
    "[red]",
    f"[link=http://{HOST}/]x[/link]",
    "[/]",
    "{task.description}",
    "%s%n{0}{}",
]

# Too long, too high, too wide, nothing to see, and honest text that is hard to lay out.
SHAPES = [
    "z" * 2000,
    "e" + "\u0301" * 300,
    "\u200b" * 300,
    "\u200d\u200c\ufeff",
    "\u00ad",
    "\U000e0041\U000e0042",  # tags
    "\ufffe\uffff",
    "\ue000\U0010ffff",
    "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪",
    "سلام",
    "שלום(1)",
    "語" * 80,
    "\ufdfd",
]

# Refused in files that are read, but names and Python strings may have them.
REFUSED = ["a\x00b", "half\ud800", "\udfffhalf", "byte\udcff"]

# One word each: no white space, so that any of them may stand in a sentence.
WORDS = [*MARKUP, *BIDI, *TERMINAL, *(t for t in MARKUP_LANGUAGES if " " not in t), *SHAPES]
# One line each: they may be a line of a file.
LINES = [*WORDS, *SEPARATORS, *FORMULAS, *(t for t in MARKUP_LANGUAGES if " " in t)]
# All of them; lists of names may have these.
TEXTS = [*LINES, "before\nafter", *REFUSED]


def file_names(texts: list[str]) -> list[str]:
    """Return the texts that a file may have as its name, shortened to what file systems allow."""
    names = []
    for text in texts:
        name = text.replace("/", "\u2215").replace("\0", "")
        while len(name.encode("utf-8", "surrogatepass")) > 200:
            name = name[: len(name) // 2]
        try:
            name.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            continue
        names.append(name)
    return names
