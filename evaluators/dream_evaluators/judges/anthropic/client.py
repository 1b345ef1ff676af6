"""Calls to the Messages API: parameters in, a reply or a Trouble out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

import anyio

from dream_evaluators.clock import Clock
from dream_evaluators.judges.anthropic.replies import (
    NO_MESSAGE,
    ListedBatch,
    Reply,
    batch_id,
    has_ended,
    read_list,
    read_message,
    read_results,
)
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
MOST_LISTED = 100  # of the latest message batches

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
        parameters = self._parameters(request, max_tokens, paused)
        with self._troubles(seconds):
            if max_tokens > MOST_AT_ONCE:
                message = await self._streamed({**parameters, "timeout": seconds})
            else:
                message = await self._client.messages.create(**parameters, timeout=seconds)
        return read_message(message)

    async def hand_in(
        self, requests: Mapping[str, Request], max_tokens: int, seconds: float
    ) -> str:
        """Hand requests in as a message batch.

        Args:
            requests: By the custom id that each result will bear.
            max_tokens: Room for each answer.
            seconds: How long handing in may take.

        Returns:
            The batch's id.

        Raises:
            Trouble: The endpoint did not take it; its status is 404 where there are no batches.
        """
        entries: list[Any] = [
            {"custom_id": name, "params": self._parameters(request, max_tokens)}
            for name, request in requests.items()
        ]
        with self._troubles(seconds):
            batch = await self._client.messages.batches.create(requests=entries, timeout=seconds)
        name = batch_id(batch)
        if not name:
            raise Trouble(Remedy.STOP, NO_MESSAGE)
        return name

    async def listed(self, seconds: float) -> list[ListedBatch]:
        """Read the latest message batches of the key's workspace, the last one first.

        Raises:
            Trouble: There is no answer; its status is 404 where there is no such list.
        """
        with self._troubles(seconds):
            page = await self._client.messages.batches.list(limit=MOST_LISTED, timeout=seconds)
        return read_list(getattr(page, "data", None))

    async def has_ended(self, batch: str, seconds: float) -> bool:
        """Ask whether all results of a message batch are there.

        Raises:
            Trouble: There is no answer; its status is 404 where the batch is not known.
        """
        with self._troubles(seconds):
            found = await self._client.messages.batches.retrieve(batch, timeout=seconds)
        return has_ended(found)

    async def results(self, batch: str, seconds: float) -> dict[str, Reply]:
        """Fetch what came of a message batch that has ended.

        Returns:
            By custom id the replies, at half price, in no order; requests that errored, expired or
            were canceled have none.

        Raises:
            Trouble: There is no answer; its status is 404 where the batch is not known.
        """
        import httpx2  # noqa: PLC0415 - start-up

        # The batch names an address for its results, and the SDK would send the key wherever that
        # leads; the endpoint's own serves the same.
        path = f"/v1/messages/batches/{batch}/results"
        with self._troubles(seconds):
            response = await self._client.get(
                path, cast_to=httpx2.Response, options={"timeout": seconds}
            )
            return read_results(response.content)

    def _parameters(
        self, request: Request, max_tokens: int, paused: tuple[Any, ...] = ()
    ) -> dict[str, Any]:
        return {
            "model": self._settings.model,
            "max_tokens": max_tokens,
            "system": request.system,
            "messages": [
                {"role": "user", "content": request.content},
                *({"role": "assistant", "content": content} for content in paused),
            ],
            "output_config": {"format": {"type": "json_schema", "schema": request.schema}},
        }

    @contextmanager
    def _troubles(self, seconds: float) -> Iterator[None]:
        """Turn whatever goes wrong inside into a Trouble, also that it takes too long."""
        import anthropic  # noqa: PLC0415 - start-up
        import httpx2  # noqa: PLC0415 - start-up

        try:
            with anyio.fail_after(seconds):
                yield
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
            status=error.status_code,
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
