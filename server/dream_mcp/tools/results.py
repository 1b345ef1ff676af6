"""What a tool hands back: the whole card as structured content, a short text of the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ResourceLink, TextContent

from dream_mcp.strict import clean

if TYPE_CHECKING:
    from dream_mcp.app import App


def app_of(context: Context[Any, Any]) -> App:
    """The server's state."""
    app: App = context.request_context.lifespan_context
    return app


def result(card: Mapping[str, Any], text: str) -> CallToolResult:
    """A result; lone surrogates, which no JSON can carry, are replaced."""
    return CallToolResult(
        content=[TextContent(type="text", text=clean(text))],
        structured_content=clean(dict(card)),
    )


def linked(card: Mapping[str, Any], text: str, uri: str, name: str) -> CallToolResult:
    """A result that also points to the full record."""
    made = result(card, text)
    made.content.append(ResourceLink(type="resource_link", name=name, uri=uri))
    return made


def heartbeat(context: Context[Any, Any], total: float) -> Callable[[float], Awaitable[None]]:
    """Make the callback that tells a waiting client that work goes on."""

    async def beat(waited: float) -> None:
        await context.report_progress(waited, total, f"working, {waited:.0f} s")

    return beat
