"""One call to the Messages API: parameters in, a reply or a Trouble out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

import anyio

from dream_evaluators.clock import Clock
from dream_evaluators.judges.anthropic.pricing import Spent, spent_on_call
from dream_evaluators.judges.anthropic.requests import Request
from dream_evaluators.judges.anthropic.retry import Remedy, Trouble, remedy_of
from dream_evaluators.judges.anthropic.settings import AnthropicSettings

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic

# Above this the SDK refuses to wait for an answer in one piece (ten minutes at its pace).
MOST_AT_ONCE = 21_333
WORDS = 300  # characters of an endpoint's own words that are passed on
# Whatever looks like a key: an endpoint may quote the one it got, or one of its own.
KEYS = re.compile(r"\bsk-[\w-]{6,}")

STOPPED: dict[int, str] = {
    401: "The endpoint refused the key: check ANTHROPIC_API_KEY",
    402: "The account behind ANTHROPIC_API_KEY has no credit",
    403: "The key may not do this",
    404: "There is no model {model!r} at this endpoint: check DREAM_MODEL and ANTHROPIC_BASE_URL",
    429: "The account behind ANTHROPIC_API_KEY has reached its spending limit",
}
WAITING: dict[int, str] = {429: "Rate limited", 529: "The endpoint is overloaded"}
# Statuses under which every other request would fare the same.
SHARED = frozenset({429, 529})
OVERLOADED = "overloaded_error"
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


class MessagesClient:
    """Sends calls, each once: retrying is not its business, and not the SDK's."""

    def __init__(self, client: AsyncAnthropic, settings: AnthropicSettings, clock: Clock) -> None:
        self._client = client
        self._settings = settings
        self._clock = clock

    @classmethod
    async def open(cls, settings: AnthropicSettings, clock: Clock) -> MessagesClient:
        """Load the SDK, off the event loop: that takes seconds the first time."""
        client = await anyio.to_thread.run_sync(_load, settings)
        return cls(client, settings, clock)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def send(
        self, request: Request, max_tokens: int, seconds: float, paused: tuple[Any, ...] = ()
    ) -> Reply:
        """Send a call once.

        Args:
            request: What to ask.
            max_tokens: Room for the answer; beyond 21,333 it is streamed.
            seconds: How long the whole call may take.
            paused: Turns of the model that were not its last word.

        Raises:
            Trouble: There is no answer.
        """
        parameters = {
            "model": self._settings.model,
            "max_tokens": max_tokens,
            "system": request.system,
            "messages": [
                {"role": "user", "content": request.content},
                *({"role": "assistant", "content": content} for content in paused),
            ],
            "output_config": {"format": {"type": "json_schema", "schema": request.schema}},
            "timeout": seconds,
        }
        return _read(await self._message(parameters, seconds, max_tokens > MOST_AT_ONCE))

    async def _message(self, parameters: dict[str, Any], seconds: float, streams: bool) -> Any:
        import anthropic  # noqa: PLC0415 - start-up
        import httpx2  # noqa: PLC0415 - start-up

        try:
            with anyio.fail_after(seconds):
                if streams:
                    return await self._streamed(parameters)
                return await self._client.messages.create(**parameters)
        except anthropic.APIStatusError as error:
            raise self._refused(error) from None
        except (anthropic.APIConnectionError, httpx2.TransportError) as error:
            reason = f"No connection to the endpoint ({type(error).__name__})"
            raise Trouble(Remedy.WAIT, reason) from None
        except TimeoutError:
            reason = f"The endpoint did not answer within {seconds:.0f} s"
            raise Trouble(Remedy.WAIT, reason) from None
        except (anthropic.APIError, JSONDecodeError):
            raise Trouble(Remedy.STOP, NO_MESSAGE) from None

    async def _streamed(self, parameters: dict[str, Any]) -> Any:
        async with self._client.messages.stream(**parameters) as stream:
            message = await stream.get_final_message()
        if message.stop_reason is None:
            raise Trouble(Remedy.WAIT, "The endpoint broke off its answer")
        return message

    def _refused(self, error: APIStatusError) -> Trouble:
        words = self._public(error.api_message or "")
        kind = str(error.type or "")
        remedy = remedy_of(error.status_code, kind, error.error_code or "", words)
        if remedy is Remedy.STOP:
            reason = STOPPED.get(error.status_code, "The endpoint refuses the request")
            reason = reason.format(model=self._settings.model)
        else:
            reason = WAITING.get(error.status_code, "The endpoint failed")
        where = f"HTTP {error.status_code}" if error.status_code != 200 else kind
        return Trouble(
            remedy,
            f"{reason} ({where}: {words})" if words else f"{reason} ({where})",
            retry_after=retry_after(error.response.headers, self._clock),
            everybody=error.status_code in SHARED or kind == OVERLOADED,
        )

    def _public(self, words: str) -> str:
        """An endpoint's words without any key, on one line and short."""
        shown = KEYS.sub("[key]", words[: 10 * WORDS].replace(self._settings.api_key, "[key]"))
        return " ".join(shown.split())[:WORDS]


def retry_after(headers: Mapping[str, str], clock: Clock) -> float | None:
    """How long an endpoint asks to wait, in seconds; None when it does not say.

    Reads `retry-after-ms`, then `retry-after` as seconds or as a date (RFC 9110, 10.2.3).
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()[:64]
        if text.isascii() and text.isdigit():
            return float(text) * unit
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", "")[:64])
        return max(0.0, (moment - clock.now()).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _load(settings: AnthropicSettings) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient  # noqa: PLC0415 - start-up

    return AsyncAnthropic(
        api_key=settings.api_key,
        base_url=settings.base_url or None,
        max_retries=0,
        # A redirect would take the report's text, or the key, to a host nobody named.
        http_client=DefaultAsyncHttpxClient(follow_redirects=False),
    )


def _read(message: Any) -> Reply:
    """Take a message apart; endpoints that only resemble the API leave out all sorts of things."""
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
