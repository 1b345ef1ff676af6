"""Which elements of a page are blocks, which are never text, and which nobody sees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset"
    " figcaption figure footer form header hr html legend li main ol p pre section summary table"
    " tbody td tfoot th thead tr ul".split()
) | frozenset(HEADINGS)
NO_TEXT = frozenset(
    "script style noscript template svg canvas iframe object embed head nav button select datalist"
    " input textarea dialog audio video map menu img picture title meta link frame frameset".split()
)
_NO_TEXT_ROLES = frozenset(
    "navigation search banner contentinfo dialog alertdialog button toolbar menu menubar tablist"
    " tooltip status".split()
)
_UNSEEN_CLASSES = frozenset(
    "sr-only visually-hidden visuallyhidden screen-reader-text mw-editsection headerlink"
    " anchorjs-link katex-html".split()
)
_UNSEEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![.\d])"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4}|(?<![\w-])opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)",
    re.IGNORECASE,
)
STYLE_CAP = 1_000  # characters of a style attribute that are looked at


def is_read(tag: str, attributes: dict[str, str | None]) -> bool:
    """Whether an element's text belongs to what a reader of the page sees as its content."""
    if tag in NO_TEXT:
        return False
    if not attributes:
        return True
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return False
    if (attributes.get("role") or "").lower() in _NO_TEXT_ROLES:
        return False
    if _UNSEEN_CLASSES.intersection((attributes.get("class") or "").split()):
        return False
    return not _UNSEEN_STYLE.search((attributes.get("style") or "")[:STYLE_CAP])


def block_of(node: LexborNode) -> LexborNode | None:
    """Return the nearest element, from a node upwards, that stands as a block of its own."""
    found: LexborNode | None = node
    while found is not None and found.tag not in BLOCKS:
        found = found.parent
    return found
