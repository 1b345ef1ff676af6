"""Loopback servers for the fetching tests: a site of bad manners, and a trap nobody may dial."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
import trustme

from dream_evaluators.web.fetch import Fetcher
from dream_evaluators.web.policy import FetchPolicy

SITE_ADDRESS = "127.0.0.2"  # allow-listed in the tests
TRAP_ADDRESS = "127.0.0.1"  # never
Head = str
Writer = asyncio.StreamWriter
Route = Callable[[Head, Writer], Awaitable[None]]


def reply(
    body: bytes = b"<p>hello</p>", status: str = "200 OK", **headers: str | Sequence[str] | None
) -> Route:
    """Answer with a body and headers; `content_type="x"` sets Content-Type, None leaves one out."""
    merged: dict[str, str | Sequence[str] | None] = {
        "content_type": "text/html",
        "content_length": str(len(body)),
        "connection": "close",
        **headers,
    }
    lines = [f"HTTP/1.1 {status}"]
    for name, value in merged.items():
        values = [] if value is None else [value] if isinstance(value, str) else value
        lines += [f"{name.replace('_', '-')}: {each}" for each in values]
    answer = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body

    async def route(_head: Head, writer: Writer) -> None:
        writer.write(answer)

    return route


def raw(data: bytes) -> Route:
    """Answer with exactly these bytes."""

    async def route(_head: Head, writer: Writer) -> None:
        writer.write(data)

    return route


def redirect(location: str, status: str = "302 Found", **headers: str) -> Route:
    """Answer with a redirect."""
    return reply(b"", status, location=location, **headers)


def in_turn(*routes: Route) -> Route:
    """Answer the first request by the first route and so on; the last one stays."""
    left = list(routes)

    async def route(head: Head, writer: Writer) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(head, writer)

    return route


def endless(piece: bytes, start: bytes, every: float = 0.0) -> Route:
    """Answer for ever, a piece at a time."""

    async def route(_head: Head, writer: Writer) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(every)

    return route


async def silence(_head: Head, _writer: Writer) -> None:
    """Never answer."""
    await asyncio.Event().wait()


@dataclass
class Site:
    """A server under test: its port, its routes by path, and what it was asked."""

    port: int = 0
    routes: dict[str, Route] = field(default_factory=dict)
    heads: list[Head] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0

    @property
    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [head.split(" ")[1] for head in self.heads]

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        """Answer one connection."""
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.heads.append(head)
            path = head.split(" ")[1]
            route = self.routes.get(path) or self.routes.get("*") or reply(b"no", "404 Not Found")
            await route(head, writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self.open_now -= 1
            writer.close()


@dataclass
class Trap:
    """Stands where nothing may be dialled, and counts who does."""

    port: int = 0
    visits: int = 0

    async def serve(self, _reader: asyncio.StreamReader, writer: Writer) -> None:
        """Count a connection and give away a secret."""
        self.visits += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nSECRET")
        writer.close()


async def _listen(
    stack: AsyncExitStack,
    serve: Callable[[asyncio.StreamReader, Writer], Awaitable[None]],
    host: str,
    port: int = 0,
    tls: ssl.SSLContext | None = None,
) -> int:
    tasks: set[asyncio.Task[None]] = set()

    async def tracked(reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await serve(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            writer.transport.abort()
            tasks.discard(task)

    server = await asyncio.start_server(
        tracked, host, port, ssl=tls, ssl_handshake_timeout=2 if tls else None
    )

    async def stop() -> None:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    stack.push_async_callback(stop)
    return int(server.sockets[0].getsockname()[1])


@dataclass
class Loopback:
    """A site, the same over TLS, the same with a certificate nobody trusts, and traps beside it."""

    site: Site
    trap: Trap
    tls_port: int
    untrusted_port: int
    trust: ssl.SSLContext
    server_names: list[str | None]
    hosts: dict[str, Sequence[str] | Exception] = field(default_factory=dict)
    lookups: list[str] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Resolve from `hosts`; a name that is not there is on the site; an exception is raised."""
        self.lookups.append(host)
        answer = self.hosts.get(host, [SITE_ADDRESS])
        if isinstance(answer, Exception):
            raise answer
        return answer

    def policy(self, **limits: Any) -> FetchPolicy:
        """Limits for tests: the site may be dialled, at its own ports, with no waiting."""
        settings: dict[str, Any] = {
            "allow": (SITE_ADDRESS,),
            "ports": frozenset({self.site.port, self.tls_port, self.untrusted_port}),
            "total_seconds": 5.0,
            "connect_seconds": 2.0,
            "read_seconds": 2.0,
            "max_bytes": 1 << 20,
            "host_interval": 0.0,
            "retry_seconds": 0.0,
        }
        return FetchPolicy(**{**settings, **limits})

    def fetcher(self, **limits: Any) -> Fetcher:
        """Start a fetcher that resolves by `hosts` and trusts the site's certificate."""
        return Fetcher(self.policy(**limits), resolver=self.resolve, tls=self.trust)

    def url(self, path: str = "/", host: str = "good.test", port: int | None = None) -> str:
        """Write an http address on the site."""
        return f"http://{host}:{port or self.site.port}{path}"


@cache
def _authority(_name: str) -> trustme.CA:
    return trustme.CA()


def _server_context(authority: trustme.CA, host: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    return context


@asynccontextmanager
async def loopback() -> AsyncIterator[Loopback]:
    """Start everything; stop it at the end, whatever hangs."""
    authority, stranger = _authority("trusted"), _authority("stranger")
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    names: list[str | None] = []
    secure = _server_context(authority, "good.test")
    secure.sni_callback = lambda _socket, name, _context: names.append(name)
    site, trap = Site(), Trap()
    async with AsyncExitStack() as stack:
        try:
            site.port = await _listen(stack, site.serve, SITE_ADDRESS)
            trap.port = await _listen(stack, trap.serve, TRAP_ADDRESS, site.port)
        except OSError as error:
            pytest.skip(f"this machine has no second loopback address: {error}")
        with suppress(OSError):  # a machine without IPv6 has nothing there to guard
            await _listen(stack, trap.serve, "::1", site.port)
        tls_port = await _listen(stack, site.serve, SITE_ADDRESS, tls=secure)
        untrusted = await _listen(
            stack, site.serve, SITE_ADDRESS, tls=_server_context(stranger, "good.test")
        )
        yield Loopback(site, trap, tls_port, untrusted, trust, names)
