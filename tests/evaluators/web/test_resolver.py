"""Names to addresses: what the system's resolver gives, and when "no such name" is believed."""

from __future__ import annotations

import socket
from collections.abc import Sequence

import pytest

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.addresses import Allowance
from dream_evaluators.web.resolver import Names, SystemResolver
from dream_evaluators.web.response import FetchError
from dream_evaluators.web.transport import PinnedBackend

pytestmark = pytest.mark.anyio
PUBLIC = "8.8.8.8"


def names(table: dict[str, Sequence[str]], *canaries: str, allow: Sequence[str] = ()) -> Names:
    async def resolve(host: str, _port: int) -> Sequence[str]:
        if host not in table:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return table[host]

    return Names(resolve, Allowance.parse(allow), canaries)


async def test_the_system_resolves_a_literal_address_once() -> None:
    assert await SystemResolver()("127.0.0.2", 80) == ["127.0.0.2"]


async def test_addresses_come_with_ipv4_first() -> None:
    known = names({"a.test": ["2606:4700::1", PUBLIC, "10.0.0.1"]})
    assert await known.addresses("a.test", 80, None) == [PUBLIC, "2606:4700::1"]


async def test_an_exempt_host_keeps_all_its_addresses() -> None:
    known = names({"a.test": ["10.0.0.1", "not an address"]}, allow=["a.test"])
    assert await known.addresses("a.test", 80, None) == ["10.0.0.1", "not an address"]


async def test_absence_is_believed_once_another_public_name_resolved() -> None:
    known = names({"a.test": [PUBLIC], "inner.test": ["10.0.0.1"]}, allow=["10.0.0.0/8"])
    assert not await known.absent("gone.test")
    await known.addresses("inner.test", 80, None)
    assert not await known.absent("gone.test")
    await known.addresses("a.test", 80, None)
    assert await known.absent("gone.test")
    assert not await known.absent("a.test")  # a name is no witness in its own case


async def test_canaries_are_asked_in_turn_until_one_resolves() -> None:
    known = names({"two.test": [PUBLIC]}, "one.test", "two.test", "three.test")
    assert await known.absent("gone.test")


async def test_a_canary_at_an_inner_address_proves_nothing() -> None:
    # A captive network answers every name with its own gateway.
    known = names({"one.test": ["192.168.0.1"], "two.test": ["10.0.0.1"]}, "one.test", "two.test")
    assert not await known.absent("gone.test")


async def test_a_host_without_any_address_is_refused() -> None:
    with pytest.raises(FetchError, match="no address") as caught:
        await names({"a.test": []}).addresses("a.test", 80, None)
    assert caught.value.outcome is Outcome.BLOCKED_BY_POLICY


async def test_the_backend_dials_no_local_socket() -> None:
    with pytest.raises(FetchError, match="local sockets"):
        await PinnedBackend(names({})).connect_unix_socket("/run/socket")
