"""One address to one source: asked for, judged, read, and looked up in the archive when dead."""

from __future__ import annotations

from dataclasses import replace

from dream_evaluators.hashing import text_id
from dream_evaluators.model.source import DEAD, READABLE, Outcome, Source
from dream_evaluators.urls import canonicalise
from dream_evaluators.web.extract import Extract, extract
from dream_evaluators.web.fetch import Fetcher
from dream_evaluators.web.kinds import Plan, Request, combine, plan_for
from dream_evaluators.web.outcomes import classify
from dream_evaluators.web.response import Response
from dream_evaluators.web.wayback import closest

HTTP_OK = 200
# What a snapshot keeps of an answer's headers: when and as what the page was served.
KEPT_HEADERS = frozenset(
    {"content-type", "content-language", "date", "etag", "last-modified", "x-robots-tag"}
)
HEADER = 300  # characters of each
# A page that forwards by itself later than this shows something first.
REFRESH_SECONDS = 5.0
# Answers behind which an archived copy may stand.
ARCHIVE_OUTCOMES = DEAD - {Outcome.ARCHIVED}


async def read_source(fetcher: Fetcher, url: str, *, archive: bool = True) -> Source:
    """Fetch an address and read it.

    Papers, wikis, repositories and the like are asked for where their text is; if that fails, and
    for all others, the address itself decides. Never raises for what the site does.

    Args:
        fetcher: Asks for it.
        url: The address as the report writes it.
        archive: Look for an archived copy when the page is gone.
    """
    plan = plan_for(url)
    source, record = await _by_plan(fetcher, url, plan) if plan else (None, None)
    if source is not None and source.readable:
        return source
    asked = plan.requests[-1].url if plan else ""
    if source is None or canonicalise(asked) != canonicalise(url):
        source = await _as_it_stands(fetcher, url)
    if archive and source.outcome in ARCHIVE_OUTCOMES:
        source = await _archived(fetcher, source) or source
    return _described(source, record) if record else source


async def source_of(url: str, response: Response) -> tuple[Source, Extract | None]:
    """Read what came back and decide what it means."""
    content = await _content(response)
    outcome, reason = classify(response, content.signals if content else None)
    if content and "unparsed" in content.flags and outcome in {*READABLE, Outcome.NO_TEXT}:
        outcome, reason = Outcome.PARSE_FAILED, "The page took too long to read."
    elif outcome in READABLE and content and content.outcome:
        outcome, reason = content.outcome, content.reason or "It could not be read as text."
    source = Source(
        url=url,
        canonical_url=canonicalise(url),
        final_url=response.final_url,
        outcome=outcome,
        reason=reason,
        status=response.status,
        media_type=response.media_type,
        headers=tuple((k, v[:HEADER]) for k, v in response.headers if k in KEPT_HEADERS),
        retrieved_at=response.retrieved_at,
        flags=("truncated",) if response.truncated else (),
    )
    return (with_content(source, content), content) if content else (source, None)


async def _as_it_stands(fetcher: Fetcher, url: str) -> Source:
    response = await fetcher.get(url)
    source, content = await source_of(url, response)
    signals = content.signals if content else None
    if signals and signals.refresh_url and signals.refresh_delay <= REFRESH_SECONDS:
        response = await fetcher.follow(response, signals.refresh_url)
        source, _ = await source_of(url, response)
    return source


async def _by_plan(fetcher: Fetcher, url: str, plan: Plan) -> tuple[Source | None, Extract | None]:
    """Read an address by its kind.

    Returns:
        The source, of the last request when none could be read; and what a registry says of it.
    """
    record: Extract | None = None
    source: Source | None = None
    for request in plan.requests:
        response = await fetcher.get(request.url)
        if request.read is not None:
            record = _record(request, response) or record
        if not request.whole:
            continue
        source, content = await source_of(url, response)
        if request.read is not None:  # what it answers is for this reader alone
            source, content = replace(source, text="", content_hash="", blocks=()), record
        if source.outcome in READABLE and content and content.text.strip() and not content.outcome:
            content = combine(content, record) if record and record is not content else content
            named = replace(content, identifier=content.identifier or plan.identifier)
            cut = tuple(flag for flag in source.flags if flag == "truncated")
            return with_content(replace(source, flags=cut), named), record
    return source, record


def _record(request: Request, response: Response) -> Extract | None:
    """Read a registry's answer; None when it has none, which proves nothing about the source."""
    if response.outcome is not None or response.status != HTTP_OK or request.read is None:
        return None
    record = request.read(response.body.decode("utf-8", "replace"))
    return None if record.outcome is Outcome.PARSE_FAILED else record


def _described(source: Source, record: Extract) -> Source:
    """What a registry knows of a source, also of one that could not be read."""
    return replace(
        source,
        title=record.title or source.title,
        publisher=record.publisher or source.publisher,
        published=record.published or source.published,
        published_from=record.published_from if record.published else source.published_from,
        identifier=record.identifier or source.identifier,
        flags=tuple(dict.fromkeys((*source.flags, *record.flags))),
    )


def with_content(source: Source, content: Extract) -> Source:
    """Put what was extracted into a source."""
    return replace(
        source,
        text=content.text,
        content_hash=text_id(content.text) if content.text else "",
        blocks=content.blocks,
        title=content.title,
        publisher=content.publisher,
        language=content.language,
        published=content.published,
        published_from=content.published_from,
        modified=content.modified,
        identifier=content.identifier,
        flags=(*source.flags, *content.flags),
    )


async def _content(response: Response) -> Extract | None:
    if not response.body:
        return None
    charset = response.content_type.lower().partition("charset=")[2].partition(";")[0].strip("\"' ")
    return await extract(
        response.body, media_type=response.media_type, charset=charset, url=response.final_url
    )


async def _archived(fetcher: Fetcher, source: Source) -> Source | None:
    copy = await closest(source.url, fetcher)
    if copy is None:
        return None
    address, moment = copy
    read, _ = await source_of(source.url, await fetcher.get(address))
    if not read.readable:
        return None
    day = f"{moment[:4]}-{moment[4:6]}-{moment[6:8]}"
    return replace(
        read,
        outcome=Outcome.ARCHIVED,
        reason=f"{source.reason} Read from the archive's copy of {day}.",
        status=source.status,
        final_url=source.final_url,
        archived_url=address,
        flags=(*read.flags, "archived"),
    )
