"""One HTTP exchange over a connection pinned to a checked address: the only user of httpx2."""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping

import anyio
import httpcore2
import httpx2

from dream_evaluators.errors import BadInput
from dream_evaluators.model.source import Outcome
from dream_evaluators.web.answer import Answer, Intake, Target
from dream_evaluators.web.policy import FetchPolicy
from dream_evaluators.web.resolver import Names
from dream_evaluators.web.response import FetchError

# We ask for gzip and deflate and decode nothing else, whatever happens to be installed: a smaller
# surface for bombs, and the same text everywhere. Other words in the header mean no compression.
COMPRESSIONS = frozenset({"br", "zstd", "compress", "x-compress", "dcb", "dcz", "xz", "bzip2"})
DEFAULT_PORTS = {"http": 80, "https": 443}
HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]+(?:%25\w+)?")  # a name, or an IPv6 address
DIALLED_ADDRESSES = 4  # of one host, before we give up
CLOSING_SECONDS = 2.0  # for taking leave of a server, even when we are being cancelled
# A page of which so much came before its time was up is worth reading.
WORTH_READING = 32 * 1024

# Outcome, reason and whether a second try could help, by what the HTTP library raises.
FAILURES: tuple[tuple[tuple[type[Exception], ...], Outcome, str, bool], ...] = (
    ((httpcore2.ConnectTimeout,), Outcome.TIMEOUT, "no connection within the time allowed", True),
    ((httpcore2.PoolTimeout,), Outcome.TIMEOUT, "no free connection within the time", False),
    ((httpcore2.TimeoutException,), Outcome.TIMEOUT, "the server fell silent", True),
    ((httpcore2.ProxyError,), Outcome.CONNECT_ERROR, "the proxy refused the connection", False),
    ((httpcore2.ConnectError,), Outcome.CONNECT_ERROR, "the connection was refused", True),
    ((httpcore2.NetworkError, OSError), Outcome.CONNECT_ERROR, "the connection broke", True),
    ((httpcore2.LocalProtocolError,), Outcome.BAD_URL, "the address cannot be asked for", False),
    ((httpcore2.ProtocolError,), Outcome.PROTOCOL_ERROR, "the answer is no valid HTTP", True),
    (
        (httpx2.DecodingError,),
        Outcome.UNDECODABLE,
        "the body's compression is broken or was not asked for",
        False,
    ),
)
CAUGHT = tuple(kind for kinds, *_ in FAILURES for kind in kinds)


def read_target(url: str, base: str = "") -> Target:
    """Read an address, relative to `base` when one is given.

    Raises:
        FetchError: It is no address (BAD_URL), or none that we ask for (BLOCKED_BY_POLICY).
    """
    url = url.strip()
    try:
        parsed = httpx2.URL(base).join(url) if base else httpx2.URL(url)
        parsed = parsed.copy_with(fragment=None)
        host = parsed.raw_host.decode("ascii").rstrip(".")
    except (httpx2.InvalidURL, UnicodeError, ValueError, TypeError):
        raise FetchError(Outcome.BAD_URL, "this is no valid address") from None
    port = DEFAULT_PORTS.get(parsed.scheme)
    if port is None and parsed.scheme:
        raise FetchError(
            Outcome.BLOCKED_BY_POLICY, f"the scheme {parsed.scheme[:20]} is not http or https"
        )
    if port is None or not HOST.fullmatch(host.lower()):
        raise FetchError(Outcome.BAD_URL, "the address names no host")
    if parsed.userinfo:
        raise FetchError(Outcome.BLOCKED_BY_POLICY, "the address carries a user name")
    port = port if parsed.port is None else parsed.port
    if parsed.host.endswith("."):
        parsed = parsed.copy_with(host=host)
    return Target(url=str(parsed), host=host, port=port)


class PinnedBackend(httpcore2.AsyncNetworkBackend):
    """Dials only addresses that `Names` has checked.

    The pool comes here for every new connection, so each redirect, retry and reconnection is
    checked again; TLS and the Host header keep the name, which stands in the URL.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._wire = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Resolve, check, and connect to the first address that answers.

        Raises:
            FetchError: The host does not resolve, or to no address that may be dialled.
            httpcore2.ConnectError: No address answers.
            httpcore2.ConnectTimeout: None answers in time.
        """
        deadline = anyio.current_time() + (timeout or float("inf"))
        failure: Exception = httpcore2.ConnectTimeout("connect")
        for address in (await self._names.addresses(host, port, timeout))[:DIALLED_ADDRESSES]:
            left = deadline - anyio.current_time()
            if left <= 0:
                break
            try:
                return await self._wire.connect_tcp(
                    address, port, left if timeout else None, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse.

        Raises:
            FetchError: Always.
        """
        raise FetchError(Outcome.BLOCKED_BY_POLICY, "no local sockets")

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""
        await anyio.sleep(seconds)


class _Wire(httpx2.AsyncByteStream):
    """A body as it arrives, ended at `limit` bytes even if nothing of it decodes to anything."""

    def __init__(self, answer: httpcore2.Response, limit: int) -> None:
        self._answer = answer
        self._left = limit
        self.cut = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._answer.aiter_stream():
            room, self._left = self._left, self._left - len(chunk)
            self.cut = self._left < 0
            yield chunk[:room]
            if self.cut:
                return


class Session:
    """One fetch: its cookies live as long as it does, and no other fetch sees them."""

    def __init__(self, pool: httpcore2.AsyncConnectionPool, policy: FetchPolicy) -> None:
        self._pool = pool
        self._policy = policy
        self._cookies = httpx2.Cookies()
        self._timeouts = {
            "connect": policy.connect_seconds,
            "read": policy.read_seconds,
            "write": policy.read_seconds,
            "pool": policy.total_seconds,
        }

    async def ask(self, target: Target, headers: Mapping[str, str], seconds: float) -> Answer:
        """Send one GET and take in the answer, within so many seconds.

        What came before the connection broke or the time was up is kept, as truncated: of a body
        that is an answer by itself everything, of one that is not (a 404) its status.

        Raises:
            FetchError: There is no answer.
        """
        intake = Intake()
        try:
            with anyio.fail_after(seconds):
                await self._exchange(target, headers, intake)
        except TimeoutError:
            if intake.tells(WORTH_READING):
                return intake.answer(truncated=True)
            raise FetchError(Outcome.TIMEOUT, "no answer within the time for one address") from None
        except CAUGHT as error:
            if intake.tells(1):
                return intake.answer(truncated=True)
            raise _failure(error) from None
        return intake.answer()

    async def _exchange(self, target: Target, headers: Mapping[str, str], intake: Intake) -> None:
        request = httpx2.Request("GET", target.url, headers=headers)
        self._cookies.set_cookie_header(request)
        raw = await self._pool.handle_async_request(
            httpcore2.Request(
                "GET",
                _core_url(request.url),
                headers=request.headers.raw,
                extensions={"timeout": self._timeouts},
            )
        )
        try:
            await self._take_in(raw, request, intake)
        finally:
            with anyio.move_on_after(CLOSING_SECONDS, shield=True):
                await raw.aclose()

    async def _take_in(
        self, raw: httpcore2.Response, request: httpx2.Request, intake: Intake
    ) -> None:
        if sum(len(name) + len(value) for name, value in raw.headers) > (
            self._policy.max_header_bytes
        ):
            raise FetchError(Outcome.PROTOCOL_ERROR, "the answer's headers are too large")
        limit = self._policy.max_bytes
        wire = _Wire(raw, limit)
        headers = [(name, _known_coding(name, value)) for name, value in raw.headers]
        response = httpx2.Response(raw.status, headers=headers, stream=wire, request=request)
        self._cookies.extract_cookies(response)
        intake.status = raw.status
        intake.headers = tuple((k.lower(), v) for k, v in response.headers.multi_items())
        if response.has_redirect_location:
            intake.location = response.headers["location"]
        if intake.location:
            return
        _check_codings(response.headers.get("content-encoding", ""))
        async for chunk in response.aiter_bytes():
            if not intake.add(chunk, limit):
                break
        intake.truncated = intake.truncated or wire.cut


def _core_url(url: httpx2.URL) -> httpcore2.URL:
    return httpcore2.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )


def _known_coding(name: bytes, value: bytes) -> bytes:
    """Write the old name of gzip (RFC 9110, 8.4.1.3) as the one the library knows."""
    return (
        value.lower().replace(b"x-gzip", b"gzip") if name.lower() == b"content-encoding" else value
    )


def _check_codings(header: str) -> None:
    codings = {coding.strip().lower() for coding in header[:1024].split(",")}
    refused = sorted(codings & COMPRESSIONS)
    if refused:
        raise httpx2.DecodingError(refused[0])


def _failure(error: Exception) -> FetchError:
    causes = (error, error.__cause__, error.__context__)
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        certificate = any(isinstance(c, ssl.SSLCertVerificationError) for c in causes)
        reason = "the certificate is not valid" if certificate else "no secure connection"
        return FetchError(Outcome.TLS_ERROR, reason)
    for kinds, outcome, reason, retry in FAILURES:
        if isinstance(error, kinds):
            return FetchError(outcome, reason, retry=retry)
    raise AssertionError("every kind caught is in the table") from error


def _proxy(url: str) -> httpcore2.Proxy:
    try:
        # It takes the user and password out of the address.
        parsed = httpx2.Proxy(url)
        return httpcore2.Proxy(_core_url(parsed.url), auth=parsed.raw_auth)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise BadInput("the proxy is no address; write http://host:port") from None


class Transport:
    """The connections of one run, closed with it.

    Raises:
        BadInput: The policy's proxy is no address.
    """

    def __init__(
        self, policy: FetchPolicy, names: Names, tls: ssl.SSLContext | None = None
    ) -> None:
        self._policy = policy
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=tls or httpx2.create_ssl_context(trust_env=False),
            proxy=_proxy(policy.proxy) if policy.proxy else None,
            max_connections=2 * policy.concurrency,
            max_keepalive_connections=policy.concurrency,
            keepalive_expiry=5.0,
            network_backend=None if policy.proxy else PinnedBackend(names),
        )

    def session(self) -> Session:
        """Start a fetch, with no cookies."""
        return Session(self._pool, self._policy)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()
