"""Square brackets: links of every form, numbered markers, footnotes, products' own brackets."""

from __future__ import annotations

import re

from dream_evaluators.report.context import InlineContext
from dream_evaluators.report.labels import is_interval, is_numeric
from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.urls import clean_raw, identifier_url, is_placeholder

DESTINATION_CAP = 4_000  # characters; our choice, search addresses with text fragments reach 2,500

_FOOTNOTE = re.compile(r"\[\^([\w.:-]{1,40})\^?\\?\]")
TURN = re.compile(r"turn\d{1,4}[a-z]{1,12}\d{1,4}")
_NAMED = re.compile(
    r"\[\s?(?P<name>cite|citation|web|webpage|source|sources|src|ref|reference|doc|"
    r"document|search|result|passage|context|article|page|note|"
    r"attached_file|attached_files|memory|chart|file|image|来源|文献|资料|引用|参考|文档|网页)"
    r"[\s:：_#.-]{0,3}(?P<numbers>\d{1,4}(?:\s?[,，、;-]\s?\d{1,4}){0,30})\s?\\?\]",
    re.I,
)
# "[3, p. 12]", "[3: 23-25]": the entry and a place in it.
_LOCATED = re.compile(
    r"\[(\d{1,3})\s?(?:[,;:]\s?(?:pp?\.|S\.|pages?|ch\.|chapter|sec\.|section|§|"
    r"tables?|figs?\.?|figure|"
    r"para\.|art\.|at|第)\s?[^\[\]\n]{1,30}|:\s?\d{1,4}(?:[–-]\d{1,4})?)\\?\]",
    re.I,
)
_OPAQUE_NAMES = frozenset({"attached_file", "attached_files", "memory", "chart", "file", "image"})
_TAGS = re.compile(r"\[(?:cite_start|cite_end|/cite|span_\d{1,5}\]\((?:start|end)_span\))\]?", re.I)
_KEY = re.compile(r"\[(-?@[\w:.#$%&+?<>~/-]{2,60}(?:;\s?@[\w:.-]{2,60}){0,10})\]")
_TITLE = re.compile(r"""(?<!\s)\s+(?:"[^"\n]{0,400}"|'[^'\n]{0,400}'|“[^”\n]{0,400}”)\s*$""")
_NO_SOURCE = re.compile(r"(?:mailto|tel|javascript|data|sms):", re.I)
_HOST_PATH = re.compile(r"(?:www\.)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,24}(?:[/?#:]|$)", re.I)
SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,30}:", re.I)
_FILE_LIKE = re.compile(r"\.(?:md|html?|png|jpe?g|gif|svg|py|txt|json|csv|pdf|docx?|xlsx?)$", re.I)
_OAI = re.compile(r"oai_citation:(\d+)‡")
_CITING_TEXT = re.compile(
    r"(?:(?:sources?|来源|來源|资料来源|出典|quellen?|fuente|fonte)\s?[:：].{0,200}|"
    r"\^?\(?\[?\^?\d{1,4}\^?\]?\)?|sources?(?:\s?\d{1,3})?|link|ref(?:erence)?s?|"
    r"cite|citation|url|here|read more|via|pdf|doi|来源|來源|链接|出典|quelle|fuente|fonte)",
    re.I,
)


def bracket(context: InlineContext, at: int) -> Mark | None:
    """Read what the `[` at a position starts; None when it is only a bracket."""
    text = context.text
    close = context.squares.get(at)
    if close is None:
        return None
    start = at - 1 if at > context.start and text[at - 1] == "\\" else at
    if text[at - 1 : at] == "!" and at > context.start:
        return _image(context, at)
    second = text[at + 1]
    for rule in _BY_SECOND.get(second, _WORD_RULES if second.isalpha() else _OTHER_RULES):
        mark = rule(context, start, at)
        if mark:
            return mark
    if text.startswith("(", close + 1):
        return _link(context, start, at, close)
    return _reference_link(context, start, at, close) or _numbers(context, start, at, close)


def _image(context: InlineContext, at: int) -> Mark | None:
    close = context.squares.get(at)
    if close is None:
        return None
    end = close + 1
    if context.text.startswith("(", end):
        end = context.rounds.get(end, close) + 1
    elif context.text.startswith("[", end):
        end = context.squares.get(end, close) + 1
    return Mark(MarkKind.IMAGE, at - 1, end)


def _footnote(context: InlineContext, start: int, at: int) -> Mark | None:
    found = _FOOTNOTE.match(context.text, at, context.end)
    if not found or context.text.startswith("(", found.end()):
        return None
    return Mark(MarkKind.LABEL, start, found.end(), labels=(found.group(1),))


def _named(context: InlineContext, start: int, at: int) -> Mark | None:
    found = _NAMED.match(context.text, at, context.end)
    if not found or context.text.startswith("(", found.end()):
        return None
    numbers = re.findall(r"\d+", found.group("numbers"))
    name = found.group("name").lower()
    if name in _OPAQUE_NAMES:
        labels = tuple(f"{name}:{n}" for n in numbers)
        return Mark(MarkKind.OPAQUE, start, found.end(), labels=labels)
    return Mark(
        MarkKind.LABEL, start, found.end(), labels=tuple(dict.fromkeys(numbers)), title=name
    )


def _tag(context: InlineContext, start: int, at: int) -> Mark | None:
    found = _TAGS.match(context.text, at, context.end)
    return Mark(MarkKind.TAG, start, found.end()) if found else None


def _located(context: InlineContext, start: int, at: int) -> Mark | None:
    found = _LOCATED.match(context.text, at, context.end)
    return Mark(MarkKind.LABEL, start, found.end(), labels=(found.group(1),)) if found else None


def _key(context: InlineContext, start: int, at: int) -> Mark | None:
    found = _KEY.match(context.text, at, context.end)
    if not found:
        return None
    keys = tuple(k.strip().lstrip("-@") for k in found.group(1).split(";"))
    return Mark(MarkKind.LABEL, start, found.end(), labels=keys)


_BY_SECOND = {"^": (_footnote,), "@": (_key,), "-": (_key,), "/": (_tag,), " ": (_named,)}
_WORD_RULES = (_named, _tag)
_OTHER_RULES = (_located,)


def _reference_link(context: InlineContext, start: int, at: int, close: int) -> Mark | None:
    """`[text][label]`: a link whose address stands in a definition."""
    text = context.text
    second = context.squares.get(close + 1) if text.startswith("[", close + 1) else None
    inner = text[at + 1 : close].rstrip("\\")
    if second is None or is_numeric(inner) or inner.startswith("^"):
        return None
    label = text[close + 2 : second].strip()
    if not (label in context.defined and label) or TURN.fullmatch(label):
        return None
    return Mark(
        MarkKind.LABEL,
        start,
        second + 1,
        labels=(label,),
        title=inner,
        kept=(at + 1, close),
        lifted=False,
    )


def _numbers(context: InlineContext, start: int, at: int, close: int) -> Mark | None:
    text = context.text
    inner = text[at + 1 : close].rstrip("\\").strip()
    if inner[:1] == "[" or inner[:2] == "\\[":  # [[3]]
        return _double(context, start, at, close)
    if TURN.match(inner):
        return Mark(MarkKind.OPAQUE, start, close + 1, labels=tuple(TURN.findall(inner)))
    if is_numeric(inner):
        if is_interval(text[max(context.start, at - 24) : at], inner):
            return None
        raised = text[start - 1 : start] == "^" and text.startswith("^", close + 1)  # ^[1]^
        return Mark(MarkKind.LABEL, start - raised, close + 1 + raised, labels=(inner,), alone=True)
    if inner in context.defined:
        return Mark(MarkKind.LABEL, start, close + 1, labels=(inner,))
    pieces = re.split(r"\s?[,;，；]\s?", inner) if len(inner) < 120 else []
    if len(pieces) > 1 and all(p in context.defined for p in pieces):
        return Mark(MarkKind.LABEL, start, close + 1, labels=tuple(pieces))
    return None


def _double(context: InlineContext, start: int, at: int, close: int) -> Mark | None:
    inner = context.text[at + 1 : close].strip("[]\\ ")
    if not is_numeric(inner) and inner not in context.defined:
        return None
    numeric = inner.isdigit() or is_numeric(inner)
    return Mark(MarkKind.LABEL, start, close + 1, labels=(inner,), alone=numeric)


# --- links ----------------------------------------------------------------------------------------


def _link(context: InlineContext, start: int, at: int, close: int) -> Mark | None:
    destination, end = _destination(context, close + 1)
    if end < 0:
        return None
    inner = context.text[at + 1 : close]
    if inner.startswith("!["):  # a badge: an image that links
        return Mark(MarkKind.IMAGE, start, end)
    mark = classify_link(inner, destination, start, end, (at + 1, close))
    if mark.kind is MarkKind.LINK and mark.url:
        glued = context.text[start - 1 : start] if start > context.start else ""
        mark.lifted = (
            bool(_CITING_TEXT.fullmatch(mark.title))
            or _names_address(mark)
            or (glued.isascii() and (glued.isalnum() or glued in (".", "%", ")", '"')))
        )
    return mark


def classify_link(
    inner: str, destination: str, start: int, end: int, kept: tuple[int, int]
) -> Mark:
    """Tell what a link with this text and destination is; every link gives some mark."""
    number = inner.replace("\\", "").strip("[]()^ ")
    title = re.sub(r"\\(?=\W)", "", _OAI.sub("", inner)).strip()
    labels = (number,) if is_numeric(number) and "-" not in number else ()
    oai = _OAI.match(inner)
    if oai:
        labels = (oai.group(1),)
    url = _address(destination)
    if url:
        return Mark(
            MarkKind.LINK,
            start,
            end,
            labels=labels,
            url=url,
            title=title,
            kept=kept,
            lifted=bool(labels),
        )
    if TURN.fullmatch(destination):
        return Mark(MarkKind.OPAQUE, start, end, labels=(destination,), title=title)
    if labels and not _NO_SOURCE.match(destination):
        return Mark(MarkKind.LABEL, start, end, labels=labels, title=title)
    if _is_nowhere(destination):
        return Mark(
            MarkKind.LINK, start, end, url=destination, title=title, kept=kept, lifted=False
        )
    return Mark(MarkKind.TAG, start, end, kept=kept, lifted=False)


def _address(destination: str) -> str:
    """Return the web address of a destination, "" when it names none."""
    cleaned = clean_raw(destination)
    if re.match(r"https?:/{0,2}[^\s/]", cleaned, re.I):
        return cleaned
    identified = identifier_url(cleaned)
    if identified:
        return identified
    if cleaned.startswith("//") or (
        _HOST_PATH.match(cleaned) and not _FILE_LIKE.search(cleaned.partition("/")[0])
    ):
        return "https:" + cleaned if cleaned.startswith("//") else "https://" + cleaned
    return ""


def _is_nowhere(destination: str) -> bool:
    """A destination that should have been an address: blank, "url", file-service://, sandbox:."""
    if (destination.startswith("#") and len(destination) > 1) or _NO_SOURCE.match(destination):
        return False
    return is_placeholder(destination) or bool(SCHEME.match(destination))


def _names_address(mark: Mark) -> bool:
    """Whether the link text only repeats the address or its host."""
    title = mark.title.lower().rstrip("/")
    if not title or " " in title:
        return False
    bare = re.sub(r"^https?://(?:www\.)?", "", mark.url.lower()).rstrip("/")
    return re.sub(r"^https?://(?:www\.)?", "", title) in (
        bare,
        bare.split("/")[0],
    ) or title.startswith("http")


def _destination(context: InlineContext, opening: int) -> tuple[str, int]:
    """Read the destination whose `(` stands at a position: (destination, end), end -1 for none."""
    text = context.text
    if text.startswith("<", opening + 1):
        return _angle_destination(context, opening)
    if opening > context.last_round:
        return "", -1
    close = context.rounds.get(opening, -1)
    if close < 0 or close - opening > DESTINATION_CAP:
        close = text.find(")", opening, min(context.end, opening + DESTINATION_CAP))
        line = text.find("\n", opening, close) if close >= 0 else -1
        if close < 0 or line >= 0:
            return "", -1
    inside = text[opening + 1 : close]
    if "](" in inside:  # ran into the next link: an opening parenthesis is missing its end
        close = text.find(")", opening)
        inside = text[opening + 1 : close]
        if "](" in inside:
            return "", -1
    return _TITLE.sub("", inside.strip()).strip(), close + 1


def _angle_destination(context: InlineContext, opening: int) -> tuple[str, int]:
    found = re.compile(r"\(<([^<>\n]{0,4000})>(?:\s+\"[^\"\n]{0,400}\")?\s*\)").match(
        context.text, opening, context.end
    )
    return (found.group(1), found.end()) if found else ("", -1)
