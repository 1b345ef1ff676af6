"""From bytes to text: byte-order mark, header, UTF-8, declaration, statistics, in this order."""

from __future__ import annotations

import codecs
import re

from dream_evaluators.web.hygiene import undecodable

# WHATWG encoding labels whose meaning on the web differs from Python's codec of that name
# (encoding.spec.whatwg.org, "names and labels"): every label that a browser reads as another set.
_ALIASES: dict[str, str] = {
    alias: codec
    for codec, aliases in {
        "cp1252": "ascii us-ascii ansi_x3.4-1968 iso-ir-100 iso-8859-1 iso8859-1 iso8859_1 iso88591"
        " iso_8859-1 iso_8859-1:1987 latin1 latin-1 l1 cp819 ibm819 csisolatin1 x-cp1252"
        " windows-1252 x-user-defined",
        "cp1254": "iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 latin5 l5 iso-ir-148"
        " csisolatin5 x-cp1254",
        "cp874": "iso-8859-11 iso8859-11 iso885911 tis-620 dos-874",
        "gb18030": "gb2312 gb_2312 gb_2312-80 gbk x-gbk chinese csgb2312 csiso58gb231280 iso-ir-58",
        "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis",
        "cp949": "euc-kr euckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 cseuckr"
        " csksc56011987 iso-ir-149 windows-949",
        "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
        "euc_jp": "euc-jp x-euc-jp cseucpkdfmtjapanese",
        "iso8859_8": "iso-8859-8-i logical csiso88598i",
        "mac_cyrillic": "x-mac-cyrillic x-mac-ukrainian",
        "mac_roman": "macintosh x-mac-roman mac csmacintosh",
        "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 utf8",
    }.items()
    for alias in aliases.split()
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""<meta[^>]{0,300}?\bcharset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:+-]{2,40})"""
    rb"""|^\s{0,99}<\?xml[^>]{0,99}?\bencoding\s{0,9}=\s{0,9}["']([\w.:+-]{2,40})"""
    rb"""|^\s{0,99}@charset\s"([\w.:+-]{2,40})""",
    re.IGNORECASE,
)
_PRESCAN_BYTES = 16_384  # browsers stop at 1,024; pages with long heads declare later than that
_SAMPLE_BYTES = 200_000
_ESCAPES = re.compile(rb"\x1b(?:\$[@B(]|\([BJI])")
_LAST_RESORT = "cp1252"


def codec_of(label: str) -> str:
    """Name the Python codec that a browser would use for an encoding label, "" if none."""
    name = label.strip().strip("\"'").lower()
    if (alias := _ALIASES.get(name)) is not None:
        return alias
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    # Codecs such as "zip" or "rot13" are no text encodings; asking for one must not run it.
    return info.name if getattr(info, "_is_text_encoding", True) and name != "utf-7" else ""


def _as_utf8(body: bytes) -> str | None:
    """Decode as UTF-8 if it is; a character cut off at the very end is forgiven."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        return decoder.decode(body, final=False)
    except UnicodeDecodeError:
        return None


def _declared(body: bytes) -> str:
    """Find the codec that the document declares itself, "" if none."""
    match = _DECLARED.search(body[:_PRESCAN_BYTES])
    if match is None:
        return ""
    codec = codec_of(next(group for group in match.groups() if group).decode("ascii", "replace"))
    # A declaration that could be read as ASCII is not in UTF-16 (WHATWG says: take UTF-8).
    return "utf-8" if codec.startswith("utf-16") else codec


def _unmarked_utf16(body: bytes) -> str:
    """Recognise UTF-16 without a mark by the zeros beside its first ASCII letters."""
    head = body[:64]
    if len(head) < 4 or b"\0" not in head:
        return ""
    for codec, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros.count(0) > 0.8 * len(zeros):
            return codec
    return ""


def _guess(body: bytes) -> str:
    """Name the most likely codec by statistics over the first 200,000 bytes."""
    from charset_normalizer import from_bytes

    best = from_bytes(body[:_SAMPLE_BYTES]).best()
    return (codec_of(best.encoding) if best is not None else "") or _LAST_RESORT


def decode(body: bytes, charset: str = "") -> tuple[str, str]:
    """Decode a body as a browser would, and better where browsers trust a wrong label.

    Args:
        body: The bytes, already content-decoded.
        charset: The label of the Content-Type header, "" if none.

    Returns:
        The text without a byte-order mark, and the codec used. Bytes without meaning become U+FFFD.
    """
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace"), codec
    header = codec_of(charset) if charset else ""
    for codec in (header, _declared(body)):
        # Seven-bit bytes are valid UTF-8 too, so this one must be asked before.
        if codec.startswith("iso2022") and _ESCAPES.search(body[:_SAMPLE_BYTES]):
            return body.decode(codec, "replace"), codec
    if utf16 := _unmarked_utf16(body):
        return body.decode(utf16, "replace"), utf16
    # Bytes that are valid UTF-8 are UTF-8, also where a server's default label says Latin-1:
    # the other reading would need every accented letter to come in the one order that fits.
    if (text := _as_utf8(body)) is not None:
        return text, "utf-8"
    return _decode_legacy(body, header)


def _decode_legacy(body: bytes, header: str) -> tuple[str, str]:
    """Decode what is not UTF-8: by header, declaration, statistics; the first that fits."""
    best: tuple[str, str] | None = None
    for codec in (header, _declared(body)):
        if codec:
            text = body.decode(codec, "replace")
            if not undecodable(text):
                return text, codec
            best = best or (text, codec)
    codec = _guess(body)
    text = body.decode(codec, "replace")
    return (text, codec) if best is None or not undecodable(text) else best
