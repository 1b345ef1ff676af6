"""The citation markers of chat products: tags, private-use characters, lenticular brackets."""

from __future__ import annotations

import json
import re

from dream_evaluators.report.context import InlineContext
from dream_evaluators.report.labels import is_numeric
from dream_evaluators.report.links import TURN, classify_link
from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.urls import clean_raw

_PRIVATE = re.compile(r"\ue200([a-z_]{0,30})((?:\ue202[^\ue200-\ue202\n]{0,2000}){0,50})\ue201")
_BARE_TURNS = re.compile(r"(?:file)?cite(?:[\ue200-\ue206]?turn\d{1,4}[a-z]{1,12}\d{1,4}){1,40}")
_LENTICULAR = re.compile(r"[【［〔]([^【】［］〔〕\n]{1,120})[】］〕]")
_DAGGER = re.compile(r"(?:(\d{1,4}):)?(\d{1,4})(?:[†‡].*)?$|(F:[^†]+)†.*$", re.S)
_OAI_REFERENCE = re.compile(r":contentReference\[oaicite:(\d{1,4})\](?:\{index=\d{1,4}\})?")
_CITE_OPEN = re.compile(r"[<(](?:antml:)?cite\s+index=[\"“”']([^\"“”'\n]{1,120})[\"“”']\s?>")
_CITE_BARE = re.compile(
    r"<(?:cite|citation|ref|source)>\s?\[?(\d{1,4}(?:\s?,\s?\d{1,4}){0,"
    r"20})\]?\s?</(?:cite|citation|ref|source)>",
    re.I,
)
_CITE_ID = re.compile(
    r"<(?P<tag>(?:qwen:)?cite|citation|ref|source|co|doc)\s+(?:id|ids|index|doc|"
    r"source|name|key)\s?=\s?[\"“']?(?P<id>[^\"“”'<>\n]{1,"
    r"120}?)[\"”']?\s?(?P<self>/?)>",
    re.I,
)
_GROK = re.compile(r"<grok:render\b[^<>]{0,400}>(?P<body>.{0,2000}?)</grok:render>", re.S)
_GROK_ID = re.compile(r"name=\"citation_id\"\s?>\s?([\w-]{1,40})\s?<|citation_id=\"?([\w-]{1,40})")
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,200}?href\s?=\s?[\"']?(?P<href>[^\"'<>\s]{1,2000})[\"']?[^<>]{0,"
    r"200}>(?P<text>[^<>\n]{0,400})</a>",
    re.I,
)
_SUP = re.compile(r"<sup>\s?\[?(\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,10})\]?\s?</sup>", re.I)
_AUTOLINK = re.compile(r"<(https?://[^<>\s]{1,2000})>", re.I)
_ANY_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9:_-]{0,40}(?:\s[^<>\n]{0,400})?/?>|</cite>")


def private_use(context: InlineContext, at: int) -> Mark | None:
    """ChatGPT's private-use markers: cite turn ids, or an entity to be shown by its name."""
    found = _PRIVATE.match(context.text, at, context.end)
    if not found:
        return Mark(MarkKind.TAG, at, at + 1)
    parts = [p for p in found.group(2).split("\ue202") if p]
    turns = tuple(t for part in parts for t in TURN.findall(part))
    if "cite" in found.group(1) and parts:
        return Mark(MarkKind.OPAQUE, at, found.end(), labels=turns or tuple(parts))
    shown = _entity_name(parts) if found.group(1) in ("entity", "") else ""
    return Mark(MarkKind.DISPLAY, at, found.end(), title=shown, lifted=False)


def _entity_name(parts: list[str]) -> str:
    try:
        values = json.loads(parts[0]) if parts else None
    except (ValueError, RecursionError):
        return ""
    names = [v for v in values if isinstance(v, str)] if isinstance(values, list) else []
    return names[1] if len(names) > 1 else ""


def bare_turns(context: InlineContext, at: int) -> Mark | None:
    """The same markers after an export dropped the private-use characters."""
    found = _BARE_TURNS.match(context.text, at, context.end)
    if not found:
        return None
    return Mark(MarkKind.OPAQUE, at, found.end(), labels=tuple(TURN.findall(found.group())))


def lenticular(context: InlineContext, at: int) -> Mark | None:
    """【12†L40-L48】, 【3:1†source】, 【1-8，14-17】, ［3］; other text in them is emphasis."""
    found = _LENTICULAR.match(context.text, at, context.end)
    if not found:
        return None
    inner = found.group(1).strip()
    if is_numeric(inner):
        return Mark(MarkKind.LABEL, at, found.end(), labels=(inner,), alone=True)
    turns = TURN.findall(inner)
    if turns:
        return Mark(MarkKind.OPAQUE, at, found.end(), labels=tuple(turns))
    return _daggers(inner, at, found.end())


def _daggers(inner: str, start: int, end: int) -> Mark | None:
    labels = []
    for piece in re.split(r"[;；]\s?", inner):
        found = _DAGGER.match(piece.strip())
        if not found or ("†" not in piece and "‡" not in piece and ":" not in piece):
            named = re.match(
                r"(?:citation|cite|source|来源|ref)\s?[:：]?\s?(\d{1,4})$", piece.strip(), re.I
            )
            if not named:
                return None
            labels.append(named.group(1))
        elif found.group(3):
            return Mark(MarkKind.OPAQUE, start, end, labels=(found.group(3),))
        else:
            labels.append(found.group(2))
    return Mark(MarkKind.LABEL, start, end, labels=tuple(labels))


def oai_reference(context: InlineContext, at: int) -> Mark | None:
    """:contentReference[oaicite:0]{index=0}."""
    found = _OAI_REFERENCE.match(context.text, at, context.end)
    if not found:
        return None
    return Mark(MarkKind.OPAQUE, at, found.end(), labels=(f"oaicite:{found.group(1)}",))


def angle(context: InlineContext, at: int) -> Mark | None:
    """Tags: the products' citation tags, links, superscripts, autolinks; the rest is dropped."""
    for rule in (_cite_index, _cite_bare, _cite_id, _grok, _anchor, _superscript, _autolink):
        mark = rule(context, at)
        if mark:
            return mark
    found = _ANY_TAG.match(context.text, at, context.end)
    return Mark(MarkKind.TAG, at, found.end()) if found else None


def _cite_index(context: InlineContext, at: int) -> Mark | None:
    found = _CITE_OPEN.match(context.text, at, context.end)
    if not found:
        return None
    labels = tuple(p.strip() for p in found.group(1).split(",") if p.strip())
    return Mark(MarkKind.OPAQUE, at, found.end(), labels=labels)


def _cite_bare(context: InlineContext, at: int) -> Mark | None:
    found = _CITE_BARE.match(context.text, at, context.end)
    return Mark(MarkKind.LABEL, at, found.end(), labels=(found.group(1),)) if found else None


def _cite_id(context: InlineContext, at: int) -> Mark | None:
    """`<qwen:cite id="id_2, id_5">evidence</qwen:cite>`: what stands inside is no prose."""
    found = _CITE_ID.match(context.text, at, context.end)
    if not found:
        return None
    end = found.end()
    if found.group("tag").lower() == "qwen:cite" and not found.group("self"):
        closing = context.text.find("</qwen:cite>", end, min(context.end, end + 4_000))
        end = closing + len("</qwen:cite>") if closing >= 0 else end
    labels = tuple(p.strip() for p in re.split(r"[,;]", found.group("id")) if p.strip())
    kind = MarkKind.LABEL if all(p.isdigit() for p in labels) else MarkKind.OPAQUE
    return Mark(kind, at, end, labels=labels)


def _grok(context: InlineContext, at: int) -> Mark | None:
    found = _GROK.match(context.text, at, min(context.end, at + 3_000))
    if not found:
        return None
    identity = _GROK_ID.search(found.group())
    if not identity:
        return Mark(MarkKind.TAG, at, found.end())
    label = identity.group(1) or identity.group(2)
    kind = MarkKind.LABEL if label.isdigit() else MarkKind.OPAQUE
    return Mark(kind, at, found.end(), labels=(label,))


def _anchor(context: InlineContext, at: int) -> Mark | None:
    found = _ANCHOR.match(context.text, at, context.end)
    if not found:
        return None
    return classify_link(
        found.group("text"), clean_raw(found.group("href")), at, found.end(), found.span("text")
    )


def _superscript(context: InlineContext, at: int) -> Mark | None:
    found = _SUP.match(context.text, at, context.end)
    if not found:
        return None
    return Mark(MarkKind.SUPERSCRIPT, at, found.end(), labels=(found.group(1),))


def _autolink(context: InlineContext, at: int) -> Mark | None:
    found = _AUTOLINK.match(context.text, at, context.end)
    if not found:
        return None
    return Mark(MarkKind.URL, at, found.end(), url=clean_raw(found.group(1)))
