"""How much is known about the word order of a system, and the limits below which it has no value.

All limits stand here, so that what is shown, ranked, marked and compared follows the same rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# The share of words with a counterpart in the reference. The text of another line has .15 to .34 by
# chance, in every language, tokenisation and length that was tried. Of 438 systems of 28 test sets,
# 422 have .38 to .96; below are spam, empty files and four systems with very few words in common.
LEAST_MATCHED = 0.35
# Single characters have more in common by chance than words.
LEAST_MATCHED_CHARACTERS = 0.45
# ΣM: with less than one matched word, no word has a counterpart.
LEAST_MATCHED_WORDS = 1
ROUNDING = 1e-9  # errors of ΣM up to this size decide nothing
# Two systems are compared by words that both share with the reference (Σ w), if these are enough.
# Segments have 4 to 17 of them on average. These are those of about six segments, and fewer
# segments cannot be significant at 0.05.
LEAST_ANCHORS = 50
# Pairs of systems of 17 test sets have .19 to .66 of the reference's words in common, those of the
# example .63 to .69. Where both systems are shifted by a line, chance leaves .04 to .10.
LEAST_ANCHORED_SHARE = 0.1


def least_matched(characters: bool) -> float:
    """Return the least share of matched words, or of matched characters."""
    return LEAST_MATCHED_CHARACTERS if characters else LEAST_MATCHED


def has_evidence(
    matched_words: npt.ArrayLike, words: npt.ArrayLike, characters: bool
) -> npt.NDArray[np.bool_]:
    """Return, for each pair of ΣM and ΣN, whether they are enough for a value."""
    # "b" against "b b" has M = 1, but sums of exponentials may end a little below.
    matched = np.asarray(matched_words, np.float64) + ROUNDING
    is_enough: npt.NDArray[np.bool_] = (matched >= LEAST_MATCHED_WORDS) & (
        matched >= least_matched(characters) * np.asarray(words, np.float64)
    )
    return is_enough


@dataclass(frozen=True)
class Evidence:
    """From how many words the order of a text can be told.

    Attributes
    ----------
    matched_words : float
        ΣM: the words that have a counterpart on the other side.
    words : float
        ΣN: the words that could be told apart.
    characters : bool
        Whether tokens are single characters.
    """

    matched_words: float
    words: float
    characters: bool = False

    @property
    def share(self) -> float:
        """The share of matched words; 0 without words."""
        return self.matched_words / self.words if self.words else 0.0

    @property
    def is_scored(self) -> bool:
        """Whether there is enough to give a value."""
        return bool(has_evidence(self.matched_words, self.words, self.characters))

    @property
    def reason(self) -> str:
        """Why there is no value, for people; empty if there is one.

        >>> Evidence(18, 100).reason.partition(", as")[0]
        'not scored: only 18 % of its words are in the reference'
        >>> Evidence(50, 100).reason
        ''
        """
        return "" if self.is_scored else f"not scored: {self.shortage}"

    @property
    def shortage(self) -> str:
        """What is too little for a value, for people."""
        unit = "characters" if self.characters else "words"
        if self.share >= least_matched(self.characters):
            return f"less than one of its {unit} is in the reference"
        return (
            f"only {100 * self.share:.0f} % of its {unit} are in the reference, as many as in any "
            "unrelated text. Are the lines shifted?"
        )
