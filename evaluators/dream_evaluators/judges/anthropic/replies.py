"""What came back: a message of the Messages API, or the results of a message batch, taken apart."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from dream_evaluators.judges.anthropic.pricing import Spent, spent_on_call
from dream_evaluators.judges.anthropic.retry import Remedy, Trouble

# A batch's id becomes part of a path.
BATCH_ID = re.compile(r"\w[\w.:-]{0,199}", re.ASCII)
# What becomes of the requests of a batch; every request is in one of these at any time.
STATES = ("processing", "succeeded", "errored", "canceled", "expired")
NO_MESSAGE = "The endpoint does not answer as the Messages API does: check ANTHROPIC_BASE_URL"


@dataclass(frozen=True)
class Reply:
    """What came back.

    `content` is the turn as the API wants it back, should it have paused.
    """

    text: str
    stop_reason: str  # "" where the endpoint gives none
    model: str
    spent: Spent
    content: Any = None


@dataclass(frozen=True)
class ListedBatch:
    """A message batch as an endpoint lists it."""

    id: str
    size: int  # requests
    has_ended: bool
    created_at: datetime | None  # None where it is not said


def batch_id(batch: Any) -> str:
    """The id of a message batch; "" where it has none that may become part of a path."""
    name = getattr(batch, "id", None)
    return name if isinstance(name, str) and BATCH_ID.fullmatch(name) else ""


def read_list(batches: Any) -> list[ListedBatch]:
    """Read how an endpoint lists its message batches; what is none is left out."""
    found = batches if isinstance(batches, list) else []
    return [_listed(batch) for batch in found if batch_id(batch)]


def _listed(batch: Any) -> ListedBatch:
    counts = getattr(batch, "request_counts", None)
    moment = getattr(batch, "created_at", None)
    return ListedBatch(
        id=batch_id(batch),
        size=sum(_count(counts, state) for state in STATES),
        has_ended=has_ended(batch),
        created_at=moment if isinstance(moment, datetime) and moment.tzinfo else None,
    )


def has_ended(batch: Any) -> bool:
    """Whether all results of a message batch are there."""
    return getattr(batch, "processing_status", None) == "ended"


def read_results(lines: bytes) -> dict[str, Reply]:
    """Read the results of a message batch, one JSON object a line.

    Returns:
        By custom id the replies, at half price; what did not succeed has none.

    Raises:
        Trouble: They cannot be read.
    """
    found = [_result(line) for line in map(bytes.strip, lines.split(b"\n")) if line]
    return {name: reply for name, reply in found if reply}


def _result(line: bytes) -> tuple[str, Reply | None]:
    from anthropic.types import Message  # noqa: PLC0415 - start-up

    try:
        entry = json.loads(line.decode("utf-8", "replace"))
        name, result = str(entry["custom_id"]), entry["result"]
        if result["type"] != "succeeded":
            return name, None
        message = result["message"]
        reply = read_message(Message.construct(**message) if isinstance(message, Mapping) else None)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Trouble(Remedy.STOP, NO_MESSAGE) from None
    return name, replace(reply, spent=reply.spent.batched())


def read_message(message: Any) -> Reply:
    """Take a message apart; endpoints that only resemble the API leave out all sorts of things.

    Raises:
        Trouble: It is no message.
    """
    content = getattr(message, "content", None)
    if not isinstance(content, list):
        raise Trouble(Remedy.STOP, NO_MESSAGE)
    texts = [block.text or "" for block in content if getattr(block, "type", "") == "text"]
    usage, model = message.usage, str(message.model or "")
    return Reply(
        text="".join(texts),
        stop_reason=str(message.stop_reason or ""),
        model=model,
        spent=spent_on_call(
            model,
            plain=_count(usage, "input_tokens"),
            written=_count(usage, "cache_creation_input_tokens"),
            cached=_count(usage, "cache_read_input_tokens"),
            output=_count(usage, "output_tokens"),
        ),
        content=content,
    )


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0
