"""What an element says about its place on a page: tables of tags, roles and class words."""

from __future__ import annotations

import re
from functools import lru_cache

# Elements without text for a reader; what the description needs from them is read elsewhere.
NO_TEXT = frozenset(
    "style template iframe object embed audio video canvas area source track base datalist map"
    " annotation annotation-xml param".split()
)
BLOCK = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav"
    " noscript ol optgroup option p pre search section select summary svg table tbody td textarea"
    " tfoot th thead tr ul".split()
)
KINDS = {
    **{f"h{level}": "heading" for level in range(1, 7)},
    "li": "list_item",
    "dt": "term",
    "dd": "definition",
    "blockquote": "quote",
    "caption": "caption",
    "figcaption": "caption",
    "pre": "code",
    "tr": "table_row",
    "noscript": "noscript",
    "svg": "graphic",
    **dict.fromkeys(("legend", "select", "option", "optgroup", "textarea"), "control"),
}
LEVELS = {f"h{level}": level for level in range(1, 7)}

# Each cue is one bit of a place's mask: what holds for an element holds for all within it, once,
# however often it is repeated on the way (sums over nested boxes condemn good text).
CUES = (
    "footer", "nav", "header", "overlay", "form", "social", "related", "side", "comment", "promo",
    "byline", "paging", "button", "control", "unseen", "slider", "menu", "card", "prose", "faq",
    "main", "article", "section", "table", "list", "hidden", "dimmed",
)  # fmt: skip
BIT = {name: 1 << number for number, name in enumerate(CUES)}

_TAG_CUES = {
    "footer": "footer", "nav": "nav", "header": "header", "dialog": "overlay", "menu": "menu",
    "search": "form", "form": "form", "fieldset": "form", "aside": "side", "button": "button",
    "main": "main", "article": "article", "section": "section", "table": "table",
    "ul": "list", "ol": "list", "select": "control", "option": "control", "optgroup": "control",
    "textarea": "control", "noscript": "control", "svg": "control", "label": "button",
}  # fmt: skip
TAG_BITS = {tag: BIT[cue] for tag, cue in _TAG_CUES.items()}
_ROLE_CUES = {
    "navigation": "nav", "menubar": "nav", "menu": "menu", "menuitem": "menu", "toolbar": "menu",
    "contentinfo": "footer", "banner": "header", "dialog": "overlay", "alertdialog": "overlay",
    "tooltip": "overlay", "alert": "overlay", "search": "form", "form": "form",
    "complementary": "side", "main": "main", "article": "article", "listbox": "control",
    "button": "button", "tab": "button",
}  # fmt: skip
ROLE_BITS = {role: BIT[cue] for role, cue in _ROLE_CUES.items()}
_CLASS_CUES = {
    "footer": "footer colophon contentinfo copyright legal disclaimer printfooter catlinks",
    "nav": "nav navbar navigation navbox breadcrumb breadcrumbs skip skiplink editsection topbar"
    " utility toc",
    "menu": "menu submenu megamenu dropdown flyout mega menuitem",
    "header": "masthead banner header topnav",
    "overlay": "modal popup popover popmake dialog cookie cookies consent gdpr drawer tooltip"
    " lightbox overlay offcanvas toast announcement",
    "form": "form forms gform signup login signin newsletter subscribe subscription email input"
    " field fields search checkbox filter filters sort contact captcha register feedback rating",
    "social": "share sharing social follow shares facebook twitter",
    "related": "related recommend recommended recommendation recommendations popular trending"
    " recent similar upsell crosssell readnext morestories moreposts outbrain taboola suggested",
    "side": "sidebar aside widget rail secondary widgets sidenav",
    "comment": "comment comments respond disqus reply replies commentlist",
    "promo": "promo promos promoted promotion ad ads advert adverts advertisement sponsor sponsored"
    " cta callout advertising affiliate",
    "byline": "author bio byline date published updated meta tags tag category categories timestamp"
    " posted duration",
    "paging": "pagination pager paginate prev previous",
    "button": "button buttons btn btns action actions toggle click login account close",
    "slider": "carousel slider swiper slick ticker marquee",
    "card": "card cards teaser teasers tile tiles grid listing excerpt",
    "prose": "prose richtext wysiwyg hentry markdown bodytext articlebody bodycontent postcontent"
    " entry rich rte",
    "faq": "faq faqs accordion accordions question answer",
    "unseen": "visuallyhidden sronly screenreader",
}
_CLASS_BITS = {word: BIT[cue] for cue, words in _CLASS_CUES.items() for word in words.split()}
_NOT_A_LETTER = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
_UNSEEN_CLASS = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-text|-only)?|show-for-sr)(?:\s|$)",
    re.IGNORECASE,
)
# Names of what opens on a click: hidden at first, read by every interested reader.
_OPENS = re.compile(
    r"accordion|collaps|expand|toggle|\btab(?:s|-?pane|-?panel|-?content)?\b|panel|faq|read-?more"
    r"|show-?more|slide|carousel|swiper",
    re.IGNORECASE,
)
NAMES_CAP = 300  # characters of class and id that are looked at


@lru_cache(maxsize=20_000)
def name_bits(names: str) -> int:
    """Return the cues that class and id names carry."""
    bits = BIT["unseen"] if _UNSEEN_CLASS.search(names) else 0
    for word in _NOT_A_LETTER.split(names):
        bits |= _CLASS_BITS.get(word.lower(), 0)
    return bits


@lru_cache(maxsize=20_000)
def opens_on_click(names: str) -> bool:
    """Whether class and id names are those of a tab or an accordion."""
    return _OPENS.search(names) is not None
