"""Text that a page paints for machines only: in the colour of the paper, tiny, or all but clear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dream_evaluators.web.visibility import camouflages, camouflaging_names

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

FLAG = "camouflaged_text"
LEAST = 20  # characters: what is shorter is a counting pixel or a spacer
MOST_NAMES = 1_000  # of a page's style sheets that are looked up, the first ones
MOST_STYLED = 20_000  # elements of a page that are looked at


def camouflaged(tree: LexborHTMLParser) -> bool:
    """Whether a page holds a sentence in an element that only a machine reads."""
    return any(len(node.text(strip=True)) >= LEAST for node in _painted(tree))


def _painted(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    for node in tree.css("[style]")[:MOST_STYLED]:
        if camouflages(node.attributes.get("style") or ""):
            yield node
    names = [name for sheet in tree.css("style") for name in camouflaging_names(sheet.text())]
    if names:
        yield from tree.css(", ".join(names[:MOST_NAMES]))[:MOST_STYLED]
