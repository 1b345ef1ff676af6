"""From the bytes of a report to its text."""

from __future__ import annotations

import codecs
import re

from dream_evaluators.errors import ReportUnreadable

SIZE_CAP = 20 * 1024 * 1024  # bytes; our choice, the longest real report has 0.8 MB

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode_report(body: bytes) -> str:
    """Decode a report: byte-order mark, else UTF-8, else the best guess.

    Lone surrogates become U+FFFD, so that the text can be stored and sent.

    Raises:
        ReportUnreadable: Empty, larger than 20 MB, or not text.
    """
    if len(body) > SIZE_CAP:
        raise ReportUnreadable(
            f"The report has {len(body):,} bytes; the limit is {SIZE_CAP:,}. Send it in parts."
        )
    text = _decode(body)
    if not text.strip():
        raise ReportUnreadable("The report is empty.")
    return _SURROGATE.sub("\ufffd", text)


def _decode(body: bytes) -> str:
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(encoding, "replace")
    if b"\0" in body[:4096]:
        raise ReportUnreadable(
            "The report is binary, not text. Send Markdown or plain text in UTF-8."
        )
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return _guess(body)


def _guess(body: bytes) -> str:
    import charset_normalizer  # noqa: PLC0415 - start-up

    best = charset_normalizer.from_bytes(body[:100_000]).best()
    if best is None:
        raise ReportUnreadable(
            "The report's encoding cannot be told. Send Markdown or plain text in UTF-8."
        )
    return body.decode(best.encoding, "replace")
