"""What tells main content from what surrounds it: the measurable traits of a passage."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from dream_evaluators.web import cues
from dream_evaluators.web.places import Passage, Place, Walk

# Words that pages use to talk about themselves. In a short text one is enough.
_BOILERPLATE = frozenset(
    "© copyright cookie cookies subscribe newsletter privacy reserved. login log sign signup"
    " register share tweet follow reply comment comments advertisement sponsored cart wishlist"
    " checkout bag menu search skip loading loading... print email download previous next filter"
    " sort view more click contact copy read posted updated".split()
)
_SIDE_HEADING = re.compile(
    r"\b(?:related|recommended|you (?:may|might)|more (?:from|in|on|stories|articles|news|posts)"
    r"|(?:leave a )?(?:reply|comments?)|share|subscribe|newsletter|sign ?up|follow"
    r"|read (?:next|more)"
    r"|trending|popular|latest|recent|categories|archives|tags|about the author|contact|links"
    r"|company|support|legal|resources|connect|get in touch|advertisement|also|similar|cookies?"
    r"|privacy|log ?in|account|navigation|menu|search|help)\b",
    re.IGNORECASE,
)
_SENTENCE_END = frozenset('.!?。！？…”"')
# A box that holds over half of a page's text is no margin, whatever its class says: pages write
# "has-sidebar" and "no-comments" on the element around everything.
WRAPPER_SHARE = 0.5
_OF_WRAPPERS = cues.BIT["main"] | cues.BIT["article"] | cues.BIT["footer"]
_MAIN, _ARTICLE = cues.BIT["main"], cues.BIT["article"]
MAX_CLIMB = 60  # boxes from a passage outwards
DOMINANT = 0.4  # of the plain text: above it, <main> or <article> is where the content is

# In the order in which `traits` gives them.
TRAITS = (
    "length", "up to 25 characters", "25 to 80 characters", "80 and more characters",
    "250 and more characters", "link share", "mostly links", "80 and more, few links",
    "link share of the box", "length of the box", "link share of the outer box",
    "length of the outer box", "outside a dominant main", "outside a dominant article",
    "article page", "link share on an article page", "short on an article page",
    "list item on an article page", "box's link share on an article page",
    "before the first h1", "no h1", "position", "near the end", "near the start",
    "ends a sentence", "repeated", "boilerplate words, short", "boilerplate words",
    "under a side heading", "heading", "h1", "collapsed", "hidden", "preformatted",
)  # fmt: skip


@dataclass(slots=True)
class Page:
    """What the traits of a passage depend on beyond itself."""

    chars: int
    main_dominant: bool
    article_dominant: bool
    prose: float  # share of the text in long passages with few links: near 1 on article pages
    first_h1: int  # number of the passage, -1 without one
    seen: Counter[str]


def resolve(walk: Walk) -> None:
    """Give each place the cues that hold there, wrappers around everything apart."""
    limit = WRAPPER_SHARE * walk.places[0].chars
    for place in walk.places:
        own = place.bits & _OF_WRAPPERS if place.chars > limit else place.bits
        place.within = own | (place.around.within if place.around else 0)


def survey(passages: list[Passage]) -> Page:
    """Measure a page whose places are resolved."""
    chars = plain = in_main = in_article = prose = 0
    for passage in passages:
        length = len(passage.text)
        free = length - passage.links
        chars += length
        plain += free
        in_main += free if passage.place.within & _MAIN else 0
        in_article += free if passage.place.within & _ARTICLE else 0
        prose += length if length >= 120 and passage.links < 0.3 * length else 0
    return Page(
        chars=max(chars, 1),
        main_dominant=in_main > DOMINANT * max(plain, 1),
        article_dominant=in_article > DOMINANT * max(plain, 1),
        prose=prose / max(chars, 1),
        first_h1=next(
            (n for n, p in enumerate(passages) if p.place.level == 1 and len(p.text) > 3), -1
        ),
        seen=Counter(passage.text for passage in passages),
    )


def traits(passages: list[Passage], page: Page) -> list[tuple[float, ...]]:
    """Measure each passage: values in the order of TRAITS, most of them between 0 and 1."""
    found = []
    before = 0
    side = False
    for number, passage in enumerate(passages):
        text, place = passage.text, passage.place
        if place.level:
            side = len(text) < 80 and _SIDE_HEADING.search(text) is not None
        found.append(
            _shape(passage)
            + _surroundings(passage, page)
            + _position(number, before / page.chars, page)
            + _words(text, page.seen[text] > 1)
            + (side, place.level > 0, place.level == 1, place.collapsed, place.hidden, place.pre)
        )
        before += len(text)
    return found


def _shape(passage: Passage) -> tuple[float, ...]:
    length = len(passage.text)
    links = passage.links / length
    return (
        math.log(length) / 5,
        length < 25,
        25 <= length < 80,
        length >= 80,
        length >= 250,
        links,
        links > 0.65,
        length >= 80 and links < 0.35,
    )


def _surroundings(passage: Passage, page: Page) -> tuple[float, ...]:
    """Measure the nearest box that holds more than the passage, one twice as large, the page."""
    place, within = passage.place, passage.place.within
    length = len(passage.text)
    inner = _holding(place, length + 1)
    links, size = _box(inner)
    outer_links, outer_size = _box(_holding(inner, 2 * inner.chars) if inner else None)
    prose = page.prose
    return (
        links,
        size,
        outer_links,
        outer_size,
        page.main_dominant and not within & _MAIN,
        page.article_dominant and not within & _ARTICLE,
        prose,
        prose * passage.links / length,
        prose * (length < 60),
        prose * (place.tag == "li"),
        prose * links,
    )


def _holding(place: Place | None, chars: int) -> Place | None:
    """Find the innermost box, from `place` outwards, that holds so many characters.

    Looks at a bounded number of boxes: pages nest some 30 deep, hostile ones without end.
    """
    for _ in range(MAX_CLIMB):
        if place is None or place.chars >= chars:
            break
        place = place.around
    return place


def _box(place: Place | None) -> tuple[float, float]:
    if place is None or not place.chars:
        return 0.0, 0.0
    return place.links / place.chars, math.log(place.chars + 1) / 8


def _position(number: int, share_before: float, page: Page) -> tuple[float, ...]:
    return (
        number < page.first_h1,
        page.first_h1 < 0,
        share_before,
        share_before > 0.85,
        share_before < 0.08,
    )


def _words(text: str, repeated: bool) -> tuple[float, ...]:
    length = len(text)
    spoken = length <= 200 and not _BOILERPLATE.isdisjoint(text.lower().split())
    return (
        text[-1] in _SENTENCE_END,
        repeated,
        spoken and length < 60,
        spoken,
    )
