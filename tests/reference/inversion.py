"""The inversion edit distance as the paper defines it (Leusch, Ueffing & Ney 2003, section 3).

This is equation 2 with memoization, as in section 3.5 of the paper. Its split points include empty
left parts: the grammar of section 3.2 has them, but equation 2 as printed omits them. Without them,
d(a, xa) = 2 but d(xa, a) = 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

Sentence = tuple[Any, ...]
Costs = tuple[Any, Any, Any, Any]  # inversion, substitution, deletion, insertion
UNIT: Costs = (1, 1, 1, 1)


@cache
def distance(s: Sentence, t: Sentence, costs: Costs = UNIT) -> Any:
    """Equation 2."""
    inversion, substitution, deletion, insertion = costs
    best = deletion * len(s) + insertion * len(t)
    if len(s) == len(t) == 1:
        best = min(best, 0 if s == t else substitution)
    for i, j in splits(s, t):
        straight = distance(s[:i], t[:j], costs) + distance(s[i:], t[j:], costs)
        best = min(best, straight)
        if 0 < i < len(s) and 0 < j < len(t):
            inverted = distance(s[:i], t[j:], costs) + distance(s[i:], t[:j], costs)
            best = min(best, inversion + inverted)
    return best


def splits(s: Sentence, t: Sentence) -> Iterator[tuple[int, int]]:
    """All split points except those that leave one of the two parts empty on both sides."""
    points = [(i, j) for i in range(len(s) + 1) for j in range(len(t) + 1)]
    return iter(points[1:-1])


def parse(s: Sentence, t: Sentence, costs: Costs = UNIT) -> str:
    """The preferred parse of least cost, as text.

    From left to right: match, substitute, delete, insert, and invert only if nothing else is
    optimal. Then the longest block is inverted, and its left part is as short as possible; ties
    are decided by lengths in s first.
    """
    parts = list(straight_parts(s, t, costs))
    if not parts:
        return "ε/ε"
    return parts[0] if len(parts) == 1 else f"[{' '.join(parts)}]"


def straight_parts(s: Sentence, t: Sentence, costs: Costs) -> Iterator[str]:
    """The parts of the preferred parse, from left to right."""
    inversion, substitution, deletion, insertion = costs
    while s or t:
        left = distance(s, t, costs)
        if (s and t and s[0] == t[0] and left == distance(s[1:], t[1:], costs)) or (
            s and t and s[0] != t[0] and left == substitution + distance(s[1:], t[1:], costs)
        ):
            yield f"{s[0]}/{t[0]}"
            s, t = s[1:], t[1:]
        elif s and left == deletion + distance(s[1:], t, costs):
            yield f"{s[0]}/ε"
            s = s[1:]
        elif t and left == insertion + distance(s, t[1:], costs):
            yield f"ε/{t[0]}"
            t = t[1:]
        else:
            i, i1, j, j1 = next(
                (i, i1, j, j1)
                for i1 in range(len(s), 1, -1)
                for j1 in range(len(t), 1, -1)
                for i in range(1, i1)
                for j in range(j1 - 1, 0, -1)
                if left
                == inversion
                + distance(s[:i], t[j:j1], costs)
                + distance(s[i:i1], t[:j], costs)
                + distance(s[i1:], t[j1:], costs)
            )
            yield f"⟨{parse(s[:i], t[j:j1], costs)} {parse(s[i:i1], t[:j], costs)}⟩"
            s, t = s[i1:], t[j1:]


def cder(hypothesis: Sentence, reference: Sentence) -> int:
    """Leusch, Ueffing & Ney 2006: D(i, l) over i words of the hypothesis, l of the reference."""
    column = [0] + [1] * len(hypothesis)
    for length, word in enumerate(reference, start=1):
        new = [length]
        for i in range(1, len(hypothesis) + 1):
            changed = hypothesis[i - 1] != word
            new.append(min(column[i - 1] + changed, new[i - 1] + 1, column[i] + 1))
        column = [min(value, 1 + min(new)) for value in new]
    return column[-1]
