"""Asks for addresses: redirects, retries, politeness and the rules of who is asked at all."""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio

from dream_evaluators.clock import Clock, SystemClock, iso
from dream_evaluators.model.source import Outcome
from dream_evaluators.urls import is_placeholder
from dream_evaluators.web.addresses import Allowance, literal_address, refusal
from dream_evaluators.web.pace import Pace, retry_after
from dream_evaluators.web.policy import FetchPolicy
from dream_evaluators.web.resolver import Names, Resolver, SystemResolver
from dream_evaluators.web.response import FetchError, Response, sentence

if TYPE_CHECKING:
    import ssl

    from dream_evaluators.web.answer import Answer, Target
    from dream_evaluators.web.transport import Session, Transport

ACCEPT = (
    "text/html,application/xhtml+xml,application/pdf,application/json;q=0.9,"
    "application/xml;q=0.9,text/*;q=0.8,*/*;q=0.1"
)
# Answers after which asking once more can help.
RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504, 520, 521, 522, 523, 524})


def user_agent(contact: str) -> str:
    """Say who asks, and whom to write to about it."""
    from importlib import metadata  # noqa: PLC0415 - start-up

    try:
        version = metadata.version("dream-mcp")
    except metadata.PackageNotFoundError:
        version = "dev"
    printable = "".join(c for c in contact if c.isascii() and c.isprintable())
    return f"dream-mcp/{version} (+{printable})" if printable else f"dream-mcp/{version}"


class _Trail:
    """One fetch under way: where it has been and how much of its time is left."""

    def __init__(self, url: str, session: Session, policy: FetchPolicy) -> None:
        self.url = url.partition("#")[0].strip()
        self.session = session
        self.left = policy.total_seconds
        self.hops: list[str] = []
        self.at = ""
        self.answer: Answer | None = None


class Fetcher:
    """Asks for addresses, safely; an asynchronous context manager that owns its connections.

    Args:
        policy: The limits.
        clock: Stamps responses and reads dates in Retry-After.
        resolver: Turns a host and port into literal addresses; the system's by default.
        tls: How certificates are checked; by the system's trust store by default.
        seed: Of the random part of waits before a retry.
    """

    def __init__(
        self,
        policy: FetchPolicy | None = None,
        *,
        clock: Clock | None = None,
        resolver: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
        seed: int = 0,
    ) -> None:
        self.policy = policy or FetchPolicy()
        self._clock = clock or SystemClock()
        self._allowance = Allowance.parse(self.policy.allow)
        self._names = Names(resolver or SystemResolver(), self._allowance, self.policy.canaries)
        self._pace = Pace(self.policy.per_host, self.policy.host_interval)
        self._places = anyio.Semaphore(self.policy.concurrency)
        self._chance = random.Random(seed)  # noqa: S311 - spreads retries, guards nothing
        self._headers = {
            "user-agent": user_agent(self.policy.contact),
            "accept-language": "en;q=0.9,*;q=0.5",
            "accept-encoding": "gzip, deflate",
        }
        self._tls = tls
        self._transport: Transport | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._transport is not None:
            await self._transport.aclose()
            self._transport = None

    async def get(self, url: str, *, accept: str = ACCEPT) -> Response:
        """Ask for an address and follow its redirects.

        Whatever the site does is a Response: nothing is raised for it.

        Args:
            url: An http or https address; its fragment is left out.
            accept: The media types wanted, as in an Accept header.
        """
        trail = _Trail(url, self._open().session(), self.policy)
        return await self._walk(trail, trail.url, "", accept)

    async def follow(self, response: Response, target: str, *, accept: str = ACCEPT) -> Response:
        """Go on from a page that redirects by itself (a meta refresh), as one more hop.

        Args:
            response: The page.
            target: Where it leads, absolute or relative to the page.
            accept: The media types wanted.
        """
        trail = _Trail(response.url, self._open().session(), self.policy)
        trail.hops = [*response.hops, response.final_url]
        return await self._walk(trail, target, response.final_url, accept)

    def _open(self) -> Transport:
        if self._transport is None:
            from dream_evaluators.web.transport import Transport  # noqa: PLC0415 - start-up

            self._transport = Transport(self.policy, self._names, self._tls)
        return self._transport

    async def _walk(self, trail: _Trail, url: str, base: str, accept: str) -> Response:
        from dream_evaluators.web.transport import read_target  # noqa: PLC0415 - start-up

        headers = {**self._headers, "accept": accept}
        try:
            while True:
                self._count(trail)
                trail.at = url
                target = read_target(url, base)
                trail.at = base = target.url
                self._admit(target)
                trail.answer = await self._answer(target, headers, trail)
                url = trail.answer.location
                if not url:
                    return self._response(trail)
                trail.hops.append(target.url)
        except FetchError as error:
            return self._response(trail, error)

    def _count(self, trail: _Trail) -> None:
        if len(trail.hops) > self.policy.max_redirects:
            raise FetchError(
                Outcome.TOO_MANY_REDIRECTS, f"more than {self.policy.max_redirects} redirects"
            )

    def _admit(self, target: Target) -> None:
        """Refuse what needs no lookup to be refused.

        Raises:
            FetchError: A port, an address or a name that we do not ask.
        """
        if self._allowance.covers_host(target.host, target.port):
            return
        literal = literal_address(target.host)
        why = refusal(str(literal), self._allowance) if literal is not None else ""
        if why:
            raise FetchError(
                Outcome.BLOCKED_BY_POLICY, f"the host {target.host} is a non-public address ({why})"
            )
        if target.port not in self.policy.ports:
            raise FetchError(Outcome.BLOCKED_BY_POLICY, f"port {target.port} is no web port")
        if is_placeholder(target.url):
            raise FetchError(Outcome.PLACEHOLDER, f"the host {target.host} stands for no source")

    async def _answer(self, target: Target, headers: Mapping[str, str], trail: _Trail) -> Answer:
        """Ask, and once more where that can help.

        Raises:
            FetchError: There is no answer.
        """
        wait = self.policy.retry_seconds * (1 + self._chance.random())
        try:
            answer = await self._ask(target, headers, trail)
            if answer.status not in RETRIED_STATUSES:
                return answer
            asked_for = self._retry_after(answer)
            if asked_for is not None and asked_for > self.policy.max_retry_after:
                return answer
            wait = max(wait, asked_for or 0.0)
        except FetchError as error:
            if not error.retry or trail.left <= 0:
                raise
        self._pace.defer(target.host, wait)
        return await self._last_try(target, headers, trail)

    async def _last_try(self, target: Target, headers: Mapping[str, str], trail: _Trail) -> Answer:
        try:
            return await self._ask(target, headers, trail)
        except FetchError as error:
            if error.absent and await self._names.absent(target.host):
                raise FetchError(
                    Outcome.NO_SUCH_HOST,
                    f"the DNS knows no {target.host} (asked twice, while other names resolved)",
                ) from None
            raise

    async def _ask(self, target: Target, headers: Mapping[str, str], trail: _Trail) -> Answer:
        # The host's turn comes first: who queues for a busy host takes no place from the others.
        async with self._pace.turn(target.host), self._places:
            start = anyio.current_time()
            try:
                return await trail.session.ask(target, headers, trail.left)
            finally:
                trail.left -= anyio.current_time() - start

    def _retry_after(self, answer: Answer) -> float | None:
        values = [value for name, value in answer.headers if name == "retry-after"]
        return retry_after(values[0], self._clock.now()) if values else None

    def _response(self, trail: _Trail, error: FetchError | None = None) -> Response:
        answer = trail.answer
        ended = answer is not None and error is None
        return Response(
            url=trail.url,
            final_url=trail.at,
            hops=tuple(trail.hops),
            status=answer.status if answer else 0,
            headers=answer.headers if answer and ended else (),
            body=answer.body if answer and ended else b"",
            truncated=answer.truncated if answer and ended else False,
            outcome=error.outcome if error else None,
            reason=sentence(error.reason) if error else "",
            retry_after=self._retry_after(answer) if answer else None,
            pinned=not self.policy.proxy,
            retrieved_at=iso(self._clock.now()),
        )
