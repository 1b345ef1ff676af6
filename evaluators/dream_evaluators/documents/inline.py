"""Pieces of Markdown: escaped text, links, notes, cells, and the starts of lines."""

from __future__ import annotations

import re
from urllib.parse import quote

URL_CAP = 4_000  # characters; the report scanner's own limit for destinations
_BLANKS = re.compile(r"[\s\u00a0\u2007\u202f]+")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]+"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])|&(?=[a-z]{2,6};|#\d{1,5};)")
# What would make a plain paragraph something else: a heading, quote, row, fence or rule.
_BLOCK_START = re.compile(r"#{1,6}(?=\s)|>|\||(?:`{3}|~{3}|\$\$)|(?:-{3,}|\*{3,}|_{3,}|={3,})$")
# A bullet at the start of a paragraph that the original did not set as a list.
_BULLET_START = re.compile(r"[-*+](?=\s)")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]{1,30}):", re.IGNORECASE)
_ADDRESSES = frozenset(("http", "https", "ftp", "doi", "arxiv", "pmid", "urn", "info"))
_PLAIN_END = re.compile(r"[A-Za-z0-9/]$")  # an address that ends so can stand in a sentence
_UNSAFE = re.compile(r"[\s<>\"\\^`{|}\x00-\x1f]")


def visible(text: str) -> str:
    """Drop what has no shape (controls, zero-width and bidirectional marks); blanks stay."""
    if text.isascii() and text.isprintable():
        return text
    return _SURROGATE.sub("\ufffd", _UNSEEN.sub("", text))


def collapse(text: str) -> str:
    """Make every run of blanks one space, as browsers show it; ends are kept."""
    return _BLANKS.sub(" ", text)


def tidy(text: str) -> str:
    """Close up blanks in every line and at its ends; blank lines go."""
    lines = (collapse(line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def escape(text: str) -> str:
    """Keep what the original shows as text from being read as a tag or entity."""
    if "<" not in text and "&" not in text:
        return text
    return _TAG_START.sub(lambda found: "&lt;" if found.group() == "<" else "&amp;", text)


def protect_start(line: str) -> str:
    """Keep a paragraph's first characters from being read as the start of another block."""
    if _BLOCK_START.match(line) or _BULLET_START.match(line):
        return "\\" + line
    return line


def cell(text: str) -> str:
    """Make a text fit for a cell of a table row."""
    return collapse(text).strip().replace("|", "\\|")


def address(target: str, base: str = "") -> str:
    """Return the address a link leads to, as written; "" for what names no source.

    Args:
        target: The link's destination as the file has it.
        base: Address of the file itself; relative links need it.
    """
    target = "".join(target.split("\n")).strip()
    if not target or len(target) > URL_CAP or target.startswith("#"):
        return ""
    if target.startswith("//"):
        target = "https:" + target
    scheme = _SCHEME.match(target)
    if scheme is None:
        return _absolute(target, base)
    if scheme.group(1).lower() not in _ADDRESSES:
        return ""
    return _UNSAFE.sub(lambda found: quote(found.group()), target)


def _absolute(target: str, base: str) -> str:
    """Make a relative destination absolute; "" without a usable base."""
    from urllib.parse import urljoin  # noqa: PLC0415 - start-up

    if re.match(r"www\.[\w-]+\.\w", target):
        return "https://" + _UNSAFE.sub(lambda found: quote(found.group()), target)
    if not base.startswith(("http://", "https://")):
        return ""
    try:
        return address(urljoin(base, target))
    except ValueError:
        return ""


def link(text: str, url: str) -> str:
    """Write a link; blanks around its text stay outside, and a text that is the address is alone.

    Args:
        text: What the link shows, already escaped; without any, the address is written alone.
        url: From `address`.
    """
    core = text.strip()
    if core == url and _PLAIN_END.search(url):
        written = url
    elif not core or same_address(core, url):
        written = f"<{url}>"
    else:
        written = f"[{_balanced(core)}]({_closed(url)})"
    before = " " if text[:1].isspace() else ""
    after = " " if core and text[-1:].isspace() else ""
    return before + written + after


def same_address(text: str, url: str) -> bool:
    """Whether a text is the address, perhaps without its scheme or last slash."""
    if " " in text or "." not in text:
        return False
    plain = text.replace("&amp;", "&").rstrip("/")
    bare = url.rstrip("/")
    return plain == bare or ("/" in plain and plain == bare.partition("://")[2])


def _balanced(text: str) -> str:
    """Escape the brackets of a link's text where they do not pair."""
    depth = 0
    for character in text:
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth < 0:
            break
    return text if depth == 0 else text.replace("[", "\\[").replace("]", "\\]")


def _closed(url: str) -> str:
    """Encode the parentheses of an address where they do not pair."""
    depth = 0
    for character in url:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            break
    return url if depth == 0 else url.replace("(", "%28").replace(")", "%29")


def is_in_brackets(line: str) -> bool:
    """Whether a square bracket is open at the end of a line."""
    tail = line[-60:]
    return tail.rfind("[") > tail.rfind("]")


def fence(code: str, language: str = "") -> str:
    """Write a code block; its fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{code.strip(chr(10))}\n{ticks}"


def code_span(code: str) -> str:
    """Write code in a line; code with a backtick stays plain."""
    core = collapse(code).strip()
    return f"`{core}`" if core and "`" not in core else escape(core)


def comment(text: str) -> str:
    """Write what a reader of the text may want to know and no statement should be made of."""
    return f"<!-- {text.replace('--', '- -')} -->"
