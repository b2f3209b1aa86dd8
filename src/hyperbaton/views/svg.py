"""SVG as text: escaped elements, colours for light and dark schemes, and widths of text.

The drawings are self-contained: they have no scripts, fonts or external links.
"""

from __future__ import annotations

import functools
import math
import unicodedata
from collections.abc import Iterable, Mapping
from html import escape

from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import visible

FONT = 'Arial, Helvetica, "Liberation Sans", "Noto Sans", sans-serif'
SIZE = 14.0  # font size, in pixels

# A style rule: property, value in the light scheme, value in the dark scheme. Text has a contrast
# of at least 4.5 with the paper. The paper is painted, because the page around a drawing may follow
# the other scheme.
Look = tuple[str, str, str]
LOOKS: dict[str, tuple[Look, ...]] = {
    "paper": (("fill", "#ffffff", "#16191d"),),
    "ink": (("fill", "#1f2328", "#e6e9ed"),),
    "quiet": (("fill", "#5c6570", "#9aa5b1"),),  # numbers, captions, words without a link
    "line": (("stroke", "#7b848e", "#838d98"), ("fill", "none", "none")),
    "faint": (("stroke", "#d5dae0", "#363c44"), ("fill", "none", "none")),  # grids, baselines
}

# Widths of ! to ~ in Arial, Helvetica and Liberation Sans, in thousandths of the font size.
ASCII = (
    "278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 "
    "556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 "
    "778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 "
    "278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 "
    "334 584"
)
WIDTHS = {chr(33 + k): int(width) / 1000 for k, width in enumerate(ASCII.split())} | {" ": 0.278}
OTHER, ARABIC = 0.62, 0.54  # approximate widths of letters in other scripts


def element(name: str, /, *content: str, **attributes: str | float | None) -> Markup:
    """Return an element; content that is not ``Markup`` is escaped.

    Attributes that are None are omitted. In attribute names, underscores become hyphens and a final
    underscore is removed.

    >>> element("text", "a < b", x=1.50, class_="hb-ink", text_anchor="middle")
    '<text x="1.5" class="hb-ink" text-anchor="middle">a &lt; b</text>'
    >>> element("g", element("rect", width=3.0))
    '<g><rect width="3"/></g>'
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not content:
        return Markup(f"<{name}{attribute_text}/>")
    return Markup(f"<{name}{attribute_text}>{''.join(map(escape_text, content))}</{name}>")


def escape_text(text: str) -> Markup:
    """Return text escaped for SVG and HTML, also inside of quotes.

    >>> escape_text('<b title="&">')
    '&lt;b title=&quot;&amp;&quot;&gt;'
    """
    return text if isinstance(text, Markup) else Markup(escape(visible(text)))


def number(value: float) -> str:
    """Return the number with at most two decimals.

    >>> number(12.0), number(0.126), number(-0.001)
    ('12', '0.13', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def document(
    width: float,
    height: float,
    *content: str,
    title: str,
    looks: Mapping[str, Iterable[Look]] = LOOKS,
    style: bool = True,
) -> Drawing:
    """Return a drawing.

    Parameters
    ----------
    width, height : float
    *content : str
        The elements.
    title : str
        The text alternative for screen readers.
    looks : mapping of str to rules
        The styles of the classes.
    style : bool
        Whether the drawing contains its style sheet. Without it, the page must have
        ``style_sheet(looks)``.

    >>> document(10, 5, title="nothing", style=False)
    '<svg xmlns="http://www.w3.org/2000/svg" ... width="10" height="5" viewBox="0 0 10 5"...
    """
    text = element(
        "svg",
        element("title", title),
        *([element("style", Markup(style_sheet(looks)))] if style else []),
        element("rect", class_="hb-paper", width=width, height=height),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        class_="hb-drawing",
        role="img",
        direction="ltr",  # whatever the direction of the page
        width=width,
        height=height,
        viewBox=f"0 0 {number(width)} {number(height)}",
    )
    return Drawing(text, width, height)


DARK = "(prefers-color-scheme:dark)"
ON_SCREEN = f" screen and {DARK}"  # dark colours of pages are not for print


def style_sheet(looks: Mapping[str, Iterable[Look]] = LOOKS, dark_query: str = DARK) -> str:
    """Return CSS for the classes, named ``hb-`` and the name of the look.

    ``dark_query`` is the media query of the dark scheme.

    >>> print(style_sheet({"ink": [("fill", "#000", "#fff")]}))
    .hb-drawing{...}.hb-ink{fill:#000}@media(prefers-color-scheme:dark){.hb-ink{fill:#fff}}
    """
    light, dark = [], []
    for name, rules in looks.items():
        light.append(f".hb-{name}{{{';'.join(f'{key}:{day}' for key, day, _ in rules)}}}")
        changed = ";".join(f"{key}:{night}" for key, day, night in rules if night != day)
        if changed:
            dark.append(f".hb-{name}{{{changed}}}")
    at = f"@media{dark_query}"
    font = f".hb-drawing{{font-family:{FONT};font-size:{number(SIZE)}px}}"
    return f"{font}{''.join(light)}{at}{{{''.join(dark)}}}"


def text_width(text: str, size: float = SIZE) -> float:
    """Return the approximate width of a text in pixels; it is exact for English in Arial.

    >>> text_width("in the lobby", 10), text_width("日本", 10), text_width("ä", 10)
    (51.14, 20.0, 5.56)
    """
    # sum() rounds differently from Python 3.12 on.
    return round(math.fsum(map(_width, visible(text))) * size, 2)


@functools.cache
def _width(c: str) -> float:
    if unicodedata.east_asian_width(c) in "WF":
        return 1.0
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.bidirectional(c) == "AL":
        return ARABIC
    # accents do not change the width
    return WIDTHS.get(unicodedata.normalize("NFD", c)[0], OTHER)


def _value(value: str | float) -> str:
    return escape_text(value) if isinstance(value, str) else number(value)
