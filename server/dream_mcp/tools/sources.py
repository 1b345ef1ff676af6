"""Tools on sources: one claim against one page, and who stands behind an address."""

from __future__ import annotations

from typing import Annotated, Any, cast

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import Field

from dream_evaluators.errors import BadInput
from dream_mcp.cards import AuthoritiesCard, CitationCheckCard
from dream_mcp.intake import MAX_URL, Ask, make_request, open_claim
from dream_mcp.present import (
    authority_card,
    order_card,
    remaining,
    source_card,
    verdict_card,
    what_next,
)
from dream_mcp.sampling import ask_host, lending_client
from dream_mcp.strict import StrictTool
from dream_mcp.tools.parameters import EMPTY, JudgeName
from dream_mcp.tools.results import app_of, heartbeat, result

CHECK_WAIT = 45.0
MAX_URLS = 50


def check_citation_tool() -> StrictTool:
    """Make the tool that checks one citation."""
    return StrictTool.of(
        check_citation,
        title="Check a citation",
        description="Check one citation: does the source support this claim? Fetches url (or "
        "takes source_text), and returns a verdict with quotes: full_support, partial_support, "
        "contradict, unverifiable (read, but silent), or needs_review when the offline judge "
        "abstains. Blocked or paywalled pages are unknown, never dead. With judge='agent' you "
        "answer a work order.",
        reads_only=False,
    )


async def check_citation(
    ctx: Context[Any, Any],
    claim: Annotated[str, Field(description="The sentence, without its citation marker.")],
    url: Annotated[str, Field(description="The cited address.")] = "",
    source_text: Annotated[str, Field(description="The source's text, when you have it.")] = "",
    judge: JudgeName = "auto",
) -> Annotated[CallToolResult, CitationCheckCard] | InputRequiredResult:
    """Check one citation."""
    app = app_of(ctx)
    opened = await open_claim(app.driver, claim, url, source_text)
    ask = Ask(metrics=("CF",), judge=judge, client=lending_client(ctx))
    request = await make_request(app.driver, opened, ask)
    evaluation = await app.driver.start(request, opened.report)
    view = await app.work(evaluation, CHECK_WAIT, heartbeat(ctx, CHECK_WAIT))
    asked = await ask_host(ctx, app, view, CHECK_WAIT)
    if isinstance(asked, InputRequiredResult):
        return asked
    view = asked
    source = await app.driver.only_source(view.id)
    orders, waiting = await app.driver.orders.write_out(view.id)
    card: CitationCheckCard = {
        "evaluation_id": view.id,
        "status": view.status.value,
        "source": source_card(source)
        if source
        else {"url": url, "outcome": "not_checked", "state": "unknown"},
        "next": what_next(view, waiting),
    }
    verdicts = view.scorecard.verdicts if view.scorecard else ()
    if verdicts:
        card["verdict"] = verdict_card(verdicts[0].pairs[0])
    if waiting:
        card["work_orders"] = [order_card(order) for order in orders]
        card["remaining"] = remaining(waiting)
    return result(card, _checked(card, orders))


def _checked(card: CitationCheckCard, orders: Any) -> str:
    verdict = card.get("verdict")
    label = verdict["label"] if verdict else card["status"]
    lines = [f"{label}: {verdict.get('reason', '') if verdict else ''}".rstrip(": ")]
    lines += [f"“{quote['quote']}”" for quote in (verdict["evidence"] if verdict else [])]
    source = card["source"]
    lines.append(f"Source {source['url']}: {source['state']} ({source['outcome']}).")
    lines += [order.prompt for order in orders]
    return "\n".join([*lines, f"Next: {card['next']}"])


def score_domain_authority_tool() -> StrictTool:
    """Make the tool that rates addresses."""
    return StrictTool.of(
        score_domain_authority,
        title="Rate sources",
        description="Rate the domain authority of URLs: who publishes each one (class), a score "
        "0-100 with its band, and every step of the reasoning. Unwraps archives, translators and "
        "DOIs; flags look-alikes, user content, preprints, press releases. Unknown names get no "
        "score. Offline, no model, instant.",
        open_world=False,
    )


async def score_domain_authority(
    ctx: Context[Any, Any],
    urls: Annotated[list[str], Field(description="Addresses or host names, up to 50.")] = EMPTY,
    topic: Annotated[str, Field(description="What they are cited for; adds fit.")] = "",
) -> Annotated[CallToolResult, AuthoritiesCard]:
    """Rate addresses."""
    if not urls or len(urls) > MAX_URLS:
        raise BadInput(f"urls: give 1 to {MAX_URLS} addresses, not {len(urls)}.")
    if any(len(url) > MAX_URL for url in urls) or len(topic) > MAX_URL:
        raise BadInput(f"urls and topic: longer than {MAX_URL:,} characters.")
    scorer = await app_of(ctx).driver.authority()
    found = [scorer.score(url, topic=topic) for url in urls]
    known = [a.score for a in found if a.score is not None]
    counted = [50.0 if a.score is None else a.score for a in found if _counts(a)]
    card: dict[str, Any] = {
        "results": [authority_card(a) for a in found],
        "coverage": round(len(known) / len(found), 4),
    }
    if known:
        card["mean"] = round(sum(counted) / len(counted), 2)
        card["known_only"] = round(sum(known) / len(known), 2)
    lines = [
        f"{a.url}: {'unknown' if a.score is None else f'{a.score:.0f}'} ({a.source_class})"
        for a in found
    ]
    return result(cast("AuthoritiesCard", card), "\n".join(lines))


def _counts(authority: Any) -> bool:
    return authority.score is not None or authority.source_class == "unknown"
