"""What callers hand in, as opened reports and checked requests: for tools and commands alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from dream_evaluators.clock import parse_day
from dream_evaluators.errors import BadInput
from dream_evaluators.hashing import text_id
from dream_evaluators.ledger.lists import lists_id
from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.model.report import SourceHint

from .drive import Driver, sources_hash
from .files import MAX_PACK_BYTES, Roots, check_size, read_file, read_report

if TYPE_CHECKING:
    from dream_evaluators.documents import Document
    from dream_evaluators.run import EvaluationRequest
    from dream_evaluators.web.packs import Pack

EFFORTS = ("quick", "standard", "full")
MAX_CLAIM = 4_000  # characters: a long sentence has 500
MAX_URL = 4_000
MOST_SAMPLES = 9
# A turn of the calling agent is dear; a script that names another judge wants the usual amount.
DEFAULT_EFFORT = {"agent": "quick"}


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What an evaluation is asked for, as callers write it."""

    query: str = ""
    protocol_id: str = ""
    metrics: Sequence[str] = ()
    judge: str = "auto"
    client: str = ""  # name of a client that lends its model
    effort: str = ""
    samples: int = 1
    as_of: str = ""
    offline: bool = False
    check_links: bool = True


@dataclass(frozen=True, kw_only=True)
class Handed:
    """A report as a caller hands it in: exactly one way, and what is known of it."""

    report_id: str = ""
    report: str = ""
    report_path: str = ""
    url: str = ""
    query: str = ""
    sources: Sequence[Mapping[str, Any]] = ()
    append_to: str = ""


@dataclass(frozen=True)
class Opened:
    """A report as this caller opened it: what others say of the same text does not enter."""

    id: str
    report: OpenedReport


async def open_report(driver: Driver, roots: Roots, handed: Handed) -> Opened:
    """Open a report from exactly one of the ways it can come.

    Raises:
        BadInput: None or more than one way was used, or the report cannot be.
    """
    ways = [handed.report_id, handed.report, handed.report_path, handed.url]
    if (given := sum(map(bool, ways))) != 1:
        raise BadInput(
            f"Give one of report_id, report, report_path or url; {given or 'none'} were given."
        )
    if handed.report_id:
        return Opened(handed.report_id, await driver.ledger.reports.get(handed.report_id))
    document = await _document(driver, roots, handed)
    opened = OpenedReport(
        text=document.text,
        format=document.format,
        query=handed.query,
        sources=tuple(map(_hint, handed.sources)),
        anchors=tuple(
            (anchor.start, f"{anchor.kind} {anchor.label}") for anchor in document.anchors
        ),
    )
    if handed.append_to:
        opened = await _appended(driver, handed.append_to, opened)
    check_size(opened.text)
    report_id = await driver.ledger.reports.add(opened)
    if not opened.sources:  # what was said of this text before still holds
        opened = await driver.ledger.reports.get(report_id)
    return Opened(report_id, opened)


async def read_pack_file(roots: Roots, path: str) -> Pack:
    """Read an evidence pack from a file below a root.

    Raises:
        PathRefused: It lies elsewhere.
        PackInvalid: It is none.
    """
    from dream_evaluators.web.packs import read_pack  # noqa: PLC0415 - start-up

    admitted = roots.admit(path)

    def read() -> Pack:
        return read_pack(read_file(admitted, MAX_PACK_BYTES), admitted.name)

    return await anyio.to_thread.run_sync(read)


async def open_packed(driver: Driver, pack: Pack) -> Opened:
    """Open the one report that a pack holds, for evaluations of this pack alone."""
    (packed,) = pack.reports.values()
    report_id = await driver.ledger.reports.add(OpenedReport(text=packed.text, query=packed.query))
    return Opened(report_id, packed)


async def _document(driver: Driver, roots: Roots, handed: Handed) -> Document:
    from dream_evaluators.documents import open_document_safely  # noqa: PLC0415 - start-up

    if handed.report:
        check_size(handed.report)
        return await open_document_safely(handed.report.encode("utf-8", "replace"))
    if handed.report_path:
        path = roots.admit(handed.report_path)
        return await open_document_safely(read_report(path), name=path.name)
    response = await driver.fetch(handed.url)
    return await open_document_safely(
        response.body, name=response.final_url, media_type=response.media_type
    )


async def _appended(driver: Driver, first: str, part: OpenedReport) -> OpenedReport:
    """Put a part behind what was opened before, whole statements across the seam."""
    from dream_evaluators.documents import join_parts  # noqa: PLC0415 - start-up

    before = await driver.ledger.reports.get(first)
    text = join_parts([before.text, part.text])
    shift = len(text) - len(part.text)
    return replace(
        before,
        text=text,
        query=part.query or before.query,
        sources=(*before.sources, *part.sources),
        anchors=(*before.anchors, *((start + shift, label) for start, label in part.anchors)),
    )


async def open_claim(driver: Driver, claim: str, url: str, source_text: str) -> Opened:
    """Open one claim with its source as the smallest report there is.

    Raises:
        BadInput: The claim or the source is missing.
    """
    claim = " ".join(claim.split())
    if not claim or len(claim) > MAX_CLAIM:
        raise BadInput(f"claim: send one sentence, of 1 to {MAX_CLAIM:,} characters.")
    if len(url) > MAX_URL:
        raise BadInput(f"url: longer than {MAX_URL:,} characters.")
    check_size(source_text)
    if not url and not source_text.strip():
        raise BadInput("Give the source as url or as source_text.")
    from dream_evaluators.run import CLAIM_FORMAT, claim_text  # noqa: PLC0415 - start-up

    address = url or f"text:{text_id(source_text)}"
    hint = SourceHint(marker="", url=address, text=source_text)
    text = claim_text(claim, address)
    opened = OpenedReport(text=text, format=CLAIM_FORMAT, sources=(hint,))
    return Opened(await driver.ledger.reports.add(opened), opened)


async def make_request(
    driver: Driver, opened: Opened, ask: Ask, pack: Pack | None = None
) -> EvaluationRequest:
    """Check what is asked for.

    Raises:
        BadInput: A value cannot be meant, or names what this version does not have.
        JudgeUnavailable: The judge cannot be had here.
    """
    from dream_evaluators.metrics import Effort  # noqa: PLC0415 - start-up
    from dream_evaluators.run import EvaluationRequest, choose_metrics  # noqa: PLC0415 - start-up

    judge = driver.rungs.choose(ask.judge, ask.client)
    _check(ask)
    if judge == "offline" and ask.samples > 1:
        raise BadInput("The offline judge says the same every time; leave samples at 1.")
    return EvaluationRequest(
        report_id=opened.id,
        format=opened.report.format,
        metrics=choose_metrics(ask.metrics),
        judge=judge,
        judge_name=driver.rungs.name(judge, ask.client),
        effort=Effort(ask.effort or DEFAULT_EFFORT.get(judge, "standard")),
        samples=ask.samples,
        query=ask.query or opened.report.query,
        as_of=ask.as_of,
        sources=sources_hash(opened.report),
        pack=pack.id if pack else "",
        lists=lists_id(await driver.ledger.lists.all()),
        offline=ask.offline or driver.settings.offline,
        check_links=ask.check_links,
    )


def _check(ask: Ask) -> None:
    if ask.protocol_id:
        raise BadInput("Protocols are not part of this version; leave protocol_id out.")
    if not 1 <= ask.samples <= MOST_SAMPLES:
        raise BadInput(f"samples lies between 1 and {MOST_SAMPLES}, not {ask.samples}.")
    if ask.effort and ask.effort not in EFFORTS:
        raise BadInput(f"effort is one of {', '.join(EFFORTS)}, not {ask.effort!r}.")
    if ask.as_of:
        try:
            parse_day(ask.as_of)
        except ValueError:
            raise BadInput(f"as_of is a date such as 2026-11-30, not {ask.as_of[:40]!r}.") from None


def _hint(given: Mapping[str, Any]) -> SourceHint:
    known = {"marker", "url", "text", "retrieved_at"}
    odd = sorted(set(given) - known)
    if odd or not isinstance(given.get("url"), str) or not given["url"]:
        what = f"has no field {odd[0]!r}" if odd else "needs a url"
        raise BadInput(
            f"sources: an entry {what}; entries are {{marker, url, text, retrieved_at}}."
        )
    if not all(isinstance(value, str) for value in given.values()):
        raise BadInput(
            "sources: marker, url, text and retrieved_at are strings; leave out the rest."
        )
    return SourceHint(**{"marker": "", **given})
