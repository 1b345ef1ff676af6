"""Names that do not resolve: dead only where that is certain."""

from __future__ import annotations

import socket

import pytest

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.fetch import Fetcher
from tests.evaluators.web.servers import (
    SITE_ADDRESS,
    Loopback,
    in_turn,
    reply,
)

pytestmark = pytest.mark.anyio


async def test_a_name_that_does_not_exist_is_dead_only_when_asked_twice_and_others_resolve(
    lo: Loopback,
) -> None:
    lo.hosts["gone.test"] = socket.gaierror(socket.EAI_NONAME, "no such name")
    lo.hosts["doi.org"] = ["8.8.8.8"]
    async with lo.fetcher(canaries=("doi.org",)) as fetcher:
        response = await fetcher.get(lo.url("/", host="gone.test"))
    assert response.outcome is Outcome.NO_SUCH_HOST
    assert lo.lookups == ["gone.test", "gone.test", "doi.org"]


async def test_a_machine_without_dns_condemns_no_host(lo: Loopback) -> None:
    for host in ("gone.test", "doi.org", "archive.org"):
        lo.hosts[host] = socket.gaierror(socket.EAI_NONAME, "no such name")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url("/", host="gone.test"))
    assert response.outcome is Outcome.DNS_ERROR


async def test_an_inner_host_that_resolves_is_no_proof_that_the_dns_works(lo: Loopback) -> None:
    lo.hosts["gone.test"] = socket.gaierror(socket.EAI_NONAME, "no such name")
    lo.site.routes["/"] = reply(b"inside")
    async with lo.fetcher(canaries=()) as fetcher:
        assert (await fetcher.get(lo.url("/", host="intranet.test"))).body == b"inside"
        response = await fetcher.get(lo.url("/", host="gone.test"))
    assert response.outcome is Outcome.DNS_ERROR


@pytest.mark.parametrize("code", [socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_MEMORY])
async def test_a_lookup_that_fails_otherwise_is_a_dns_error(lo: Loopback, code: int) -> None:
    lo.hosts["shaky.test"] = socket.gaierror(code, "failed")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url("/", host="shaky.test"))
    assert response.outcome is Outcome.DNS_ERROR


async def test_a_lookup_that_recovers_is_forgiven(lo: Loopback) -> None:
    answers: list[object] = [socket.gaierror(socket.EAI_NONAME, "no"), [SITE_ADDRESS]]

    async def flaky(_host: str, _port: int) -> list[str]:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return [SITE_ADDRESS]

    lo.site.routes["/"] = in_turn(reply(b"here"))
    async with Fetcher(lo.policy(), resolver=flaky) as fetcher:
        response = await fetcher.get(lo.url())
    assert response.body == b"here"
