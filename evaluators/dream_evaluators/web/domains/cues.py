"""Weak cues: what a name, a path or a title hints at without deciding anything."""

from __future__ import annotations

import re

from dream_evaluators.model.authority import Basis
from dream_evaluators.web.domains.vocabulary import words

# Points by which names with such an ending differ on average from the rest; named for the reader
# and for a judge who is asked for the class, never added to a score.
_ENDINGS = {
    "org": 2.0, "net": -2.0, "news": -5.0, "info": -5.0, "site": -5.0, "pro": -5.0, "co": -3.0,
    "us": -3.0, "blog": -5.0, "xyz": -5.0, "top": -5.0, "club": -5.0, "online": -5.0, "click": -5.0,
    "shop": -5.0, "store": -5.0, "live": -5.0, "uk": 3.0, "de": 3.0, "ca": 3.0, "au": 3.0,
}  # fmt: skip
_NAME_WORDS = {
    "truth": -5.0, "patriot": -5.0, "liberty": -5.0, "freedom": -5.0, "natural": -5.0,
    "wiki": -2.0, "blog": -5.0, "forum": -5.0, "deals": -5.0, "coupon": -5.0, "casino": -5.0,
    "crypto": -4.0, "herald": 4.0, "journal": 3.0, "tribune": 3.0, "gazette": 3.0, "society": 3.0,
    "association": 3.0, "institute": 3.0, "university": 3.0, "college": 3.0, "museum": 4.0,
    "library": 3.0, "hospital": 3.0, "market": -3.0,
}  # fmt: skip
_ANY_WORD = re.compile("|".join(_NAME_WORDS))
_OF_WORD = {
    word: Basis(rule="cue", value=f"word {word!r}", weight=points)
    for word, points in _NAME_WORDS.items()
}
# Open top-level domains that sound like an institution and are sold to anyone.
_OPEN_INSTITUTION = words(
    "university health clinic hospital academy college institute doctor education school law "
    "legal science bank financial press news"
)
_OF_ENDING = {
    **{
        top: (Basis(rule="cue", value=f"ending .{top}", weight=points),)
        for top, points in _ENDINGS.items()
    },
    **{
        top: (Basis(rule="cue", value=f"open ending .{top} proves nothing"),)
        for top in _OPEN_INSTITUTION
    },
}
# One segment of a path -> the flag that it earns on any site.
_PATH_FLAGS = {
    "press-release": "press_release", "press-releases": "press_release",
    "pressrelease": "press_release", "pressreleases": "press_release",
    "sponsored": "sponsored", "sponsored-content": "sponsored", "partner-content": "sponsored",
    "paid-post": "sponsored", "paidpost": "sponsored", "brandvoice": "sponsored",
    "advertorial": "sponsored", "brand-studio": "sponsored",
    "opinion": "opinion", "opinions": "opinion", "op-ed": "opinion", "editorial": "opinion",
    "commentisfree": "opinion", "commentary": "opinion",
}  # fmt: skip
_TITLE_FLAGS = (
    ("press_release", ("press release", "pr newswire", "business wire", "globenewswire")),
    ("sponsored", ("sponsored", "paid content", "advertorial")),
    ("opinion", ("opinion:", "opinion |", "| opinion", "op-ed")),
    ("retracted", ("retracted:", "retracted article", "retraction:", "retraction notice")),
)


def name_cues(label: str, suffix: str) -> tuple[Basis, ...]:
    """Cues of an unknown name, weights -5 to 5."""
    top = suffix.rpartition(".")[2]
    spoken = [_OF_WORD[word] for word in _ANY_WORD.findall(label)]
    return (*_OF_ENDING.get(top, ()), *spoken)


def page_flags(path: str, title: str) -> tuple[str, ...]:
    """Flags that the path or the title of one page earns on any site."""
    segments = path.lower().split("/", 12)
    flags = [_PATH_FLAGS[segment] for segment in segments if segment in _PATH_FLAGS]
    if title:
        head = title[:300].lower()
        flags += [flag for flag, words in _TITLE_FLAGS if any(word in head for word in words)]
    return tuple(flags)
