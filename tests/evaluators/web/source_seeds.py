"""Bodies to mutate: one of each type that is read, small, with what has broken readers before."""

from __future__ import annotations

import random

from tests.evaluators.web.pdf_files import make_pdf

PAGE = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title>"
    "<script type='application/ld+json'>"
    '{"@type":"NewsArticle","datePublished":"2024-05-01"}</script></head>'
    "<body><nav><a href=/>Home</a></nav><main><h1>H</h1><p>Sales fell by <b>12 %</b> in 2024.</p>"
    "<table><tr><th>A<th>B</tr><tr><td>1<td><ul><li>x</ul></tr></table><dl><dt>t<dd>d</dl>"
    "<ol><li>one<li>two</ol><pre>a\n b</pre><div hidden style='display:none'>secret</div>"
    "<h2>References</h2><p>[1] Roe 2003.</p></main><footer>&copy; 2024 &#8203;</footer></body>"
)
XML = (
    "<article><front><title-group><article-title>T</article-title></title-group></front></article>"
)
SEEDS: tuple[tuple[str, bytes], ...] = (
    ("text/html", PAGE.encode()),
    ("text/html", PAGE.encode("utf-16")),
    ("text/html", PAGE.replace("utf-8", "gb2312").encode("gb18030")),
    ("application/xml", XML.encode()),
    ("application/rss+xml", b"<rss><channel><item><title>a</title></item></channel></rss>"),
    ("application/json", b'{"a": [1, {"b": "c"}], "d": null}'),
    ("text/csv", b"a,b\n1,2\n"),
    ("text/plain", b"# T\n\nText.\n\nReferences\n[1] Roe 2003."),
    ("application/pdf", make_pdf([["1 Introduction", "Text of a page."]] * 3, info={"Title": "T"})),
    ("application/pdf", make_pdf([[]], image=True)),
)
CHARSETS = ("", "utf-8", "iso-8859-1", "gb2312", "utf-16", "utf-7", "zip", "shift_jis", "\0", "é")
TYPES = ("", "text/html", "text/plain", "application/json", "application/xml", "image/png", "x/y")
TOKENS = (
    b"<div>", b"</div>", b"<table>", b"<td>", b"<p", b">", b"<!--", b"-->", b"<svg>", b"<math>",
    b"<![CDATA[", b"<select>", b"<option>", b"<template>", b"<noscript>", b"</p>", b"&#x110000;",
    b"&amp", b"\0", b"\xff", b"\xe2\x80\x8b", b"\xf3\xa0\x81\xa9", b'"', b"'", b"=", b"{", b"}",
    b"[", b" style='display:none'", b" class='footer'", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;",
    b"endobj", b"stream\n", b"/Kids[2 0 R]", b"9999999999",
)  # fmt: skip


def mutate(body: bytes, chance: random.Random) -> bytes:
    """Change a body in one to twelve places: cut, copy, flip, or insert something that matters."""
    data = bytearray(body)
    for _ in range(chance.randint(1, 12)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            del data[place : place + chance.randint(1, 40)]
        elif kind == 1:
            data[place:place] = data[place : place + chance.randint(1, 60)] * chance.randint(1, 30)
        elif kind == 2 and place < len(data):
            data[place] = chance.randrange(256)
        elif kind == 3:
            data[place:place] = chance.choice(TOKENS) * chance.choice((1, 1, 2, 50, 2_000))
        else:
            data[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 20)))
    return bytes(data[:400_000])
