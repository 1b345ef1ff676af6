"""The Internet Archive's copy of a page that is no longer at its address."""

from __future__ import annotations

import json
import re
from typing import Protocol
from urllib.parse import quote

from dream_evaluators.web.response import Response

AVAILABILITY = "https://archive.org/wayback/available"
ARCHIVE = "https://web.archive.org/web"
TIMESTAMP = re.compile(r"[0-9]{14}")
# Its answers have some hundred bytes; more is no answer.
LONGEST_ANSWER = 1 << 16


class Asks(Protocol):
    """What asks for an address: a Fetcher."""

    async def get(self, url: str, *, accept: str = ...) -> Response:
        """Ask for an address."""
        ...


async def closest(
    url: str,
    fetcher: Asks,
    *,
    near: str = "",
    availability: str = AVAILABILITY,
    archive: str = ARCHIVE,
) -> tuple[str, str] | None:
    """Find the archived copy of an address.

    Args:
        url: The address that is dead.
        fetcher: Asks for it.
        near: A moment to be near to (digits of `YYYYMMDDhhmmss`); the latest copy when empty.
        availability: Where the availability API answers.
        archive: Where the copies are.

    Returns:
        The address of the copy as it was archived, without the archive's own frame, and its
        timestamp (`YYYYMMDDhhmmss`, UTC); None when there is none or the archive does not answer.
    """
    query = f"{availability}?url={quote(url, safe='')}"
    if near:
        query += f"&timestamp={quote(near, safe='')}"
    response = await fetcher.get(query, accept="application/json")
    if response.outcome is not None or response.status != 200:
        return None
    timestamp = _timestamp(response.body)
    return (f"{archive}/{timestamp}id_/{url}", timestamp) if timestamp else None


def _timestamp(body: bytes) -> str:
    if len(body) > LONGEST_ANSWER:
        return ""
    try:
        found = json.loads(body)
        copy = found["archived_snapshots"]["closest"]
        timestamp = copy["timestamp"]
        good = copy["available"] is True and str(copy.get("status", "200")) == "200"
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    return (
        timestamp if good and isinstance(timestamp, str) and TIMESTAMP.fullmatch(timestamp) else ""
    )
