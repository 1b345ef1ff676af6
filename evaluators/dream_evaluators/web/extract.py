"""A fetched body to labelled text: by its type, off the event loop, in a process if it may bite."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from ctypes import ArgumentError

import anyio
import anyio.to_process
import anyio.to_thread
from anyio.lowlevel import RunVar

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.content import Extract, main_text
from dream_evaluators.web.documents import read_csv, read_json, read_text
from dream_evaluators.web.encoding import decode
from dream_evaluators.web.html import extract_bare, extract_html
from dream_evaluators.web.hygiene import undecodable
from dream_evaluators.web.pdf import read_pdf
from dream_evaluators.web.xml import read_xml

__all__ = ["Extract", "extract", "extract_html", "main_text"]

# Of 692 real pages none had more than 8,371 "<" or 13,825 "="; the parser is quadratic in both,
# and takes half a second at 20,000.
TAME_TAGS = 20_000
TAME_ATTRIBUTES = 20_000
TAME_BYTES = 2_000_000
HTML_SECONDS = 4.0
PDF_SECONDS = 20.0  # read_pdf stops by itself before that; this is for what hangs in native code
# Threads, and processes, at a time: extraction is CPU, more would only stall the event loop.
WORKERS = 2
TRIES = 2  # a process may have broken down on what it read before
MEMORY = 2 << 30  # bytes of address space that a reading process may use

_KINDS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/csv": "csv",
    "application/json": "json",
    "text/json": "json",
    "text/xml": "xml",
    "application/xml": "xml",
    "image/svg+xml": "unsupported",
    "text/css": "unsupported",
    "text/javascript": "unsupported",
    "application/javascript": "unsupported",
}
_UNTYPED = frozenset(
    (
        "",
        "application/octet-stream",
        "binary/octet-stream",
        "application/unknown",
        "application/download",
        "application/force-download",
        "unknown/unknown",
    )
)
_HTML_START = re.compile(
    rb"^\s*(?:<!--[^>]{0,500}-->\s*)?(?:<!doctype html|<html|<head|<body)", re.IGNORECASE
)
_FEED_START = re.compile(
    rb"^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?<(?:rss|feed|rdf:RDF|article\s[^>]{0,500}dtd-version)",
    re.IGNORECASE,
)
_BINARY = (
    b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"\x1f\x8b", b"\x7fELF", b"ID3",
    b"OggS", b"\xd0\xcf\x11\xe0", b"BM", b"Rar!", b"7z\xbc\xaf", b"\x00\x00\x00", b"{\\rtf",
)  # fmt: skip


def kind_of(body: bytes, media_type: str) -> str:
    """Decide how a body is read: html, pdf, text, csv, json, xml or unsupported.

    The declared type decides except where the bytes prove it wrong, as browsers do.
    """
    media_type = media_type.partition(";")[0].strip().lower()
    if b"%PDF-" in body[:1_024] and not _HTML_START.search(body[:600]):
        return "pdf"
    kind = _declared_kind(media_type)
    if kind == "unsupported":
        return kind
    if body.startswith(_BINARY) and kind != "pdf":
        return "unsupported"
    if kind in ("html", "text", "") and _FEED_START.search(body[:2_000]):
        return "xml"
    if kind != "html" and _HTML_START.search(body[:2_000]):
        return "html"
    return kind or _sniffed_kind(body)


def _declared_kind(media_type: str) -> str:
    if media_type in _UNTYPED:
        return ""
    if kind := _KINDS.get(media_type):
        return kind
    for suffix in ("json", "xml"):
        if media_type.endswith("+" + suffix):
            return suffix
    return "text" if media_type.startswith("text/") else "unsupported"


def _sniffed_kind(body: bytes) -> str:
    head = body[:2_000].lstrip()
    if head.startswith(b"<?xml"):
        return "xml"
    if head.startswith((b"{", b"[")):
        return "json"
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "unsupported"
    return "html" if head.startswith(b"<") else "text"


def suspicious(body: bytes, kind: str) -> bool:
    """Whether a body might keep its reader busy or crash it, so that it belongs in a process."""
    if kind == "pdf" or len(body) > TAME_BYTES:
        return True
    marked_up = kind in ("html", "xml")
    return marked_up and (body.count(b"<") > TAME_TAGS or body.count(b"=") > TAME_ATTRIBUTES)


async def extract(body: bytes, *, media_type: str, charset: str = "", url: str = "") -> Extract:
    """Read a body without blocking the event loop; what it contains never raises.

    Ordinary bodies are read in a thread; PDFs and suspicious ones in a process that is killed on
    time-out or cancellation.

    Args:
        body: The bytes, already content-decoded.
        media_type: From the Content-Type header; parameters are ignored.
        charset: From the Content-Type header, "" if none.
        url: The final address.
    """
    kind = kind_of(body, media_type)
    if kind == "unsupported":
        return Extract(
            outcome=Outcome.UNSUPPORTED_TYPE, reason=f"{media_type or 'binary data'} is not read"
        )
    if suspicious(body, kind):
        return await _in_process(body, kind, charset, url)
    return await anyio.to_thread.run_sync(
        read, body, kind, charset, url, abandon_on_cancel=True, limiter=_limiter()
    )


_THREADS: RunVar[anyio.CapacityLimiter] = RunVar("dream_extract_threads")
_PROCESSES: RunVar[anyio.CapacityLimiter] = RunVar("dream_extract_processes")


def _limiter(limit: RunVar[anyio.CapacityLimiter] = _THREADS) -> anyio.CapacityLimiter:
    """Return this event loop's limit on extracting threads, or processes."""
    limiter = limit.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(WORKERS)
        limit.set(limiter)
    return limiter


async def _in_process(body: bytes, kind: str, charset: str, url: str) -> Extract:
    seconds = PDF_SECONDS if kind == "pdf" else HTML_SECONDS
    reason = ""
    for _ in range(TRIES):
        try:
            # The clock starts when there is a process to be had: waiting is nobody's hanging.
            async with _limiter(_PROCESSES):
                with anyio.fail_after(seconds):
                    return await anyio.to_process.run_sync(
                        read_confined,
                        body,
                        kind,
                        charset,
                        url,
                        cancellable=True,
                        limiter=anyio.CapacityLimiter(1),
                    )
        except TimeoutError:
            reason = f"reading took longer than {seconds:g} s"
            break
        except anyio.BrokenWorkerProcess:
            reason = "the reading process broke down"
    if kind == "html":
        return await anyio.to_thread.run_sync(read_bare, body, charset, limiter=_limiter())
    return Extract(outcome=Outcome.PARSE_FAILED, reason=reason)


def read_bare(body: bytes, charset: str) -> Extract:
    """Read a page without parsing it, after its parser gave up."""
    return extract_bare(decode(body, charset)[0])


def read_confined(body: bytes, kind: str, charset: str, url: str) -> Extract:
    """Read a body in a process of its own, within a limit on memory where the system has one."""
    try:
        import resource
    except ImportError:  # Windows
        return read(body, kind, charset, url)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft > MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    try:
        return read(body, kind, charset, url)
    except (ArgumentError, RecursionError):
        # Seen after 100,000 broken PDFs in one process: native code leaves Python's count of open
        # calls too high, and nothing works any more. Whoever asked gets a fresh process.
        os._exit(1)


def read(body: bytes, kind: str, charset: str, url: str) -> Extract:
    """Read a body of a known kind; synchronous, for a thread or a process."""
    try:
        if kind == "pdf":
            return read_pdf(body)
        text, _ = decode(body, charset)
        if undecodable(text):
            return Extract(
                outcome=Outcome.UNDECODABLE,
                reason="over 1 % of the characters have no meaning in any encoding tried",
            )
        return _READERS[kind](text, url)
    except (ValueError, RecursionError, MemoryError) as error:
        return Extract(
            outcome=Outcome.PARSE_FAILED, reason=f"{type(error).__name__} while reading {kind}"
        )


_READERS: dict[str, Callable[[str, str], Extract]] = {
    "html": extract_html,
    "xml": read_xml,
    "text": lambda text, _: read_text(text),
    "json": lambda text, _: read_json(text),
    "csv": lambda text, _: read_csv(text),
}
