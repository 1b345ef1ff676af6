"""Cleaning of text from pages: what no reader can see is taken out before offsets are fixed."""

from __future__ import annotations

import re
import unicodedata

# Controls (C0 and C1 without tab and newline), soft hyphen, zero-width and bidirectional marks,
# variation selectors, annotation marks, tag characters: all can carry text past a reader's eyes.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
# Joiners are letters' business in Arabic, Indic and South-East Asian scripts, and join emoji.
_STRAY_JOINER = re.compile(
    "(?<![\u0590-\u109f\u1780-\u18af\u2600-\u27bf\U0001f000-\U0001faff])[\u200c\u200d]+"
)
_SMUGGLED = re.compile(
    "[\U000e0020-\U000e007e]{4}|[\U000e0100-\U000e01ef]{4}|[\u200b-\u200d\u2060-\u2064\ufeff]{16}"
)
_LINE_ENDS = re.compile("\r\n?|[\u0085\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")

REPLACEMENT = "\ufffd"
UNDECODABLE_SHARE = 0.01  # of a text's characters: above it nothing can be compared with a claim


def clean(text: str) -> str:
    """Take out what cannot be seen, unify line ends, compose letters (NFC).

    Newlines and tabs stay; lone surrogates become U+FFFD, so that the text can be stored.
    """
    text = _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))
    if text.isascii():
        return text
    text = _SURROGATE.sub(REPLACEMENT, _STRAY_JOINER.sub("", text))
    return unicodedata.normalize("NFC", text)


def smuggles(text: str) -> bool:
    """Whether a raw text carries a message in characters that have no shape."""
    return not text.isascii() and _SMUGGLED.search(text) is not None


def undecodable(text: str) -> bool:
    """Whether more than 1 % of the characters were lost in decoding."""
    return text.count(REPLACEMENT) > UNDECODABLE_SHARE * len(text)
