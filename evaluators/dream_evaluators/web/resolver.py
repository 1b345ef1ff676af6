"""Names to addresses: the system's resolver off the event loop, and when a name does not exist."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence

import anyio
import anyio.to_thread

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.addresses import Allowance, refusal
from dream_evaluators.web.response import FetchError

# Returns literal addresses; raises OSError (socket.gaierror) as `socket.getaddrinfo` does.
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

# A resolver thread that hangs is abandoned, so there have to be more than fetches at a time.
LOOKUP_THREADS = 32
CANARY_SECONDS = 5.0


class SystemResolver:
    """`getaddrinfo` in threads of its own, so that a slow lookup blocks nobody else's."""

    def __init__(self) -> None:
        self._threads = anyio.CapacityLimiter(LOOKUP_THREADS)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Look a host up.

        Raises:
            OSError: The lookup failed; a socket.gaierror says how.
        """
        found = await anyio.to_thread.run_sync(
            _lookup, host, port, abandon_on_cancel=True, limiter=self._threads
        )
        return list(dict.fromkeys(found))


def _lookup(host: str, port: int) -> list[str]:
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Names:
    """Looks names up, hands out only addresses that may be dialled, and remembers that DNS works.

    A name counts as non-existent only when another public name resolved in the same run.
    """

    def __init__(
        self, resolver: Resolver, allowance: Allowance, canaries: Iterable[str] = ()
    ) -> None:
        self._resolver = resolver
        self._allowance = allowance
        self._canaries = tuple(canaries)
        self._public: set[str] = set()  # two names are enough: one of them is another one

    async def addresses(self, host: str, port: int, seconds: float | None) -> list[str]:
        """Return the addresses of a host that may be dialled, IPv4 first.

        Raises:
            FetchError: The lookup failed or took too long, or no address may be dialled.
        """
        found = await self._resolve(host, port, seconds)
        exempt = self._allowance.covers_host(host, port)
        refused = {ip: "" if exempt else refusal(ip, self._allowance) for ip in found}
        usable = [ip for ip, why in refused.items() if not why]
        if not usable:
            why = next(iter(refused.values()), "")
            what = f"is at a non-public address ({why})" if why else "has no address"
            raise FetchError(Outcome.BLOCKED_BY_POLICY, f"the host {host} {what}")
        self._note(host, usable)
        # Hosts without an IPv6 route are common among servers; the reverse is rare.
        return sorted(usable, key=lambda ip: ":" in ip)

    async def absent(self, host: str) -> bool:
        """Whether a lookup that said "no such name" can be believed: other names resolve."""
        for canary in self._canaries:
            if self._public - {host}:
                break
            try:
                await self.addresses(canary, 443, CANARY_SECONDS)
            except FetchError:
                continue
        return bool(self._public - {host})

    def _note(self, host: str, addresses: Iterable[str]) -> None:
        if len(self._public) < 2 and not all(map(refusal, addresses)):
            self._public.add(host)

    async def _resolve(self, host: str, port: int, seconds: float | None) -> Sequence[str]:
        try:
            with anyio.fail_after(seconds):
                return await self._resolver(host, port)
        except TimeoutError:
            raise FetchError(
                Outcome.TIMEOUT, f"the DNS lookup of {host} took too long", retry=True
            ) from None
        except UnicodeError:
            raise FetchError(Outcome.BAD_URL, "the host is no valid name") from None
        except OSError as error:
            absent = isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME
            reason = "the DNS knows no such host" if absent else "the DNS lookup failed"
            raise FetchError(
                Outcome.DNS_ERROR, f"{reason}: {host}", retry=True, absent=absent
            ) from None
