"""Whom the fetcher dials: a trap stands at every address it must not, and has to stay unvisited."""

from __future__ import annotations

import pytest

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.fetch import Fetcher
from tests.evaluators.web.servers import (
    SITE_ADDRESS,
    TRAP_ADDRESS,
    Loopback,
    redirect,
    reply,
)

pytestmark = pytest.mark.anyio

REFUSED = {Outcome.BLOCKED_BY_POLICY, Outcome.BAD_URL, Outcome.PLACEHOLDER}

INNER_HOSTS_TEXT = """
127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 0177.0.0.1 017700000001 0 0.0.0.0
127.0.0.1. localhost localhost. LOCALHOST [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1]
[::ffff:7f00:1] [::ffff:0:127.0.0.1] [::127.0.0.1] [2002:7f00:1::] [64:ff9b::7f00:1]
[64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [fe80::1] [fe80::1%25lo] [fec0::1] [fd00:ec2::254]
[ff02::1] [2001:0:7f00:1::] １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 169.254.169.254 2852039166
0xa9fea9fe 169.254.43518 100.64.0.1 168.63.129.16 224.0.0.1 255.255.255.255 192.0.2.1 10.0.0.5
172.16.0.1 192.168.0.1 198.18.0.1 240.0.0.1 192.0.0.8 metadata.google.internal
"""
INNER_HOSTS = INNER_HOSTS_TEXT.split()

INNER_ADDRESSES = {
    "loopback": ["127.0.0.1"],
    "loopback6": ["::1"],
    "unspecified": ["0.0.0.0"],  # noqa: S104 - an address to be refused, not bound
    "unspecified6": ["::"],
    "metadata": ["169.254.169.254"],
    "azure": ["168.63.129.16"],
    "mapped": ["::ffff:127.0.0.1"],
    "compatible": ["::127.0.0.1"],
    "sixtofour": ["2002:7f00:1::"],
    "nat64": ["64:ff9b::7f00:1"],
    "teredo": ["2001:0:7f00:1::"],
    "isatap": ["2606:4700::5efe:7f00:1"],
    "private": ["10.1.2.3"],
    "carrier": ["100.64.0.1"],
    "unique-local": ["fd00::1"],
    "link-local": ["fe80::1%lo"],
    "site-local": ["fec0::1"],
    "multicast": ["224.0.0.1", "ff02::1"],
    "several": ["127.0.0.1", "::1", "10.0.0.1"],
    "garbage": ["not-an-address"],
    "nothing": [],
}


@pytest.mark.parametrize("host", INNER_HOSTS)
async def test_no_spelling_of_an_inner_host_is_dialled(lo: Loopback, host: str) -> None:
    async with Fetcher(lo.policy(), tls=lo.trust) as fetcher:  # with the system's own resolver
        response = await fetcher.get(f"http://{host}:{lo.site.port}/")
    assert response.outcome in REFUSED, response.reason
    assert response.reason
    assert lo.site.heads == []


@pytest.mark.parametrize("name", INNER_ADDRESSES)
async def test_a_public_name_with_an_inner_address_is_refused(lo: Loopback, name: str) -> None:
    lo.hosts["evil.test"] = INNER_ADDRESSES[name]
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url("/", host="evil.test"))
    assert response.outcome is Outcome.BLOCKED_BY_POLICY
    assert "evil.test" in response.reason


async def test_the_inner_ones_of_a_hosts_addresses_are_left_out(lo: Loopback) -> None:
    lo.hosts["mixed.test"] = [TRAP_ADDRESS, "::1", SITE_ADDRESS]
    lo.site.routes["/"] = reply(b"public")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url("/", host="mixed.test"))
    assert response.body == b"public"


async def test_a_name_that_turns_inward_is_refused_at_the_next_connection(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"first")
    async with lo.fetcher() as fetcher:
        first = await fetcher.get(lo.url("/", host="rebind.test"))
        lo.hosts["rebind.test"] = [TRAP_ADDRESS]
        second = await fetcher.get(lo.url("/", host="rebind.test"))
    assert first.body == b"first"
    assert second.outcome is Outcome.BLOCKED_BY_POLICY


async def test_a_name_that_turns_inward_between_two_hops_is_refused(lo: Loopback) -> None:
    async def turn(head: str, writer: object) -> None:
        lo.hosts["rebind.test"] = [TRAP_ADDRESS]
        await redirect("/next")(head, writer)  # type: ignore[arg-type]

    lo.site.routes["/"] = turn
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url("/", host="rebind.test"))
    assert response.outcome is Outcome.BLOCKED_BY_POLICY
    assert response.hops == (lo.url("/", host="rebind.test"),)


async def test_a_name_that_turns_inward_before_a_retry_is_refused(lo: Loopback) -> None:
    async def turn(head: str, writer: object) -> None:
        lo.hosts["rebind.test"] = [TRAP_ADDRESS]
        await reply(b"", "503 Service Unavailable")(head, writer)  # type: ignore[arg-type]

    lo.site.routes["/"] = turn
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url("/", host="rebind.test"))
    assert response.outcome is Outcome.BLOCKED_BY_POLICY


REDIRECT_TARGETS = [
    "http://169.254.169.254/latest/meta-data/",
    "http://127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "\\\\127.0.0.1:{port}\\",
    "http:\\\\127.0.0.1:{port}/",
    "http:/127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "///127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@good.test/",
    "http://good.test:{port}@127.0.0.1:{port}/",
    "http://good.test@127.0.0.1:{port}/",
    "http://127.0.0.1%2f@good.test:{port}/",
    "http://127.0.0.1:{port}#@good.test/",
    "http://127.0.0.1:{port}?@good.test/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://2130706433:{port}/",
    "http://127.1:{port}/",
    "http://evil.test:{port}/",
    "http://localhost:{port}/",
    "http://good.test:22/",
    "http://good.test:6379/",
    "https://127.0.0.1:{port}/",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
    "ftp://127.0.0.1:{port}/",
    "javascript:alert(1)",
    "data:text/html,hi",
    "unix:/run/socket",
    "http://",
    "http://:{port}/",
    "http://[::1",
    "http://%31%32%37.0.0.1:{port}/",
    "http://127.0.0.1\t:{port}/",
    " http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}/\x00",
    "http://１２７.０.０.１:{port}/",
]


@pytest.mark.parametrize("target", REDIRECT_TARGETS)
async def test_no_redirect_leads_inward(lo: Loopback, target: str) -> None:
    lo.hosts["evil.test"] = [TRAP_ADDRESS]
    location = target.format(port=lo.site.port).encode().decode("latin-1")
    lo.site.routes["/"] = redirect(location)
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert b"SECRET" not in response.body
    # What is left is a refusal, or the site itself, asked for a path it does not have.
    on_site = response.final_url.startswith(f"http://good.test:{lo.site.port}/")
    refused = response.outcome in REFUSED | {Outcome.PROTOCOL_ERROR}
    assert refused or (on_site and response.status in (302, 404))


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("file:///etc/passwd", Outcome.BLOCKED_BY_POLICY),
        ("ftp://nasa.gov/a", Outcome.BLOCKED_BY_POLICY),
        ("gopher://nasa.gov/", Outcome.BLOCKED_BY_POLICY),
        ("data:text/html,hi", Outcome.BLOCKED_BY_POLICY),
        ("javascript:1", Outcome.BLOCKED_BY_POLICY),
        ("mailto:someone@nasa.gov", Outcome.BLOCKED_BY_POLICY),
        ("https://nasa.gov:22/", Outcome.BLOCKED_BY_POLICY),
        ("https://nasa.gov:0/", Outcome.BLOCKED_BY_POLICY),
        ("https://nasa.gov:99999/", Outcome.BLOCKED_BY_POLICY),
        ("http://user:secret@nasa.gov/", Outcome.BLOCKED_BY_POLICY),
        ("http:///x", Outcome.BAD_URL),
        ("", Outcome.BAD_URL),
        ("   ", Outcome.BAD_URL),
        ("nasa.gov/x", Outcome.BAD_URL),
        ("http://nasa.gov/\r\nX-Injected: y", Outcome.BAD_URL),
        ("http://nasa.gov\x00.evil.test/", Outcome.BAD_URL),
        ("http://[::1", Outcome.BAD_URL),
        ("http://" + "a" * 64 + ".test/", Outcome.BAD_URL),
        ("http://a..test/", Outcome.BAD_URL),
        ("http://nasa.gov/" + "a" * 200_000, Outcome.BAD_URL),
        ("http://\u200bnasa.gov/", Outcome.BAD_URL),
        ("http://%31%32%37.0.0.1/", Outcome.BAD_URL),
        ("https://example.com/source", Outcome.PLACEHOLDER),
    ],
)
async def test_what_is_no_web_address_is_refused_without_being_called_dead(
    lo: Loopback, url: str, outcome: Outcome
) -> None:
    async with Fetcher(lo.policy(ports=frozenset({80, 443}), canaries=())) as fetcher:
        response = await fetcher.get(url)
    assert response.outcome is outcome, response
    assert "secret" not in response.reason


async def test_a_user_name_or_password_never_reaches_a_reason(lo: Loopback) -> None:
    lo.site.routes["/"] = redirect(f"http://key:SECRET123@good.test:{lo.site.port}/")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert response.outcome is Outcome.BLOCKED_BY_POLICY
    assert "SECRET123" not in response.reason


async def test_the_exempt_host_is_dialled_at_its_inner_address_and_odd_port(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"inside")
    policy = lo.policy(allow=(f"intranet.test:{lo.site.port}",), ports=frozenset({80}))
    async with Fetcher(policy, resolver=lo.resolve) as fetcher:
        inside = await fetcher.get(lo.url("/", host="intranet.test"))
        other = await fetcher.get(lo.url("/", host="other.test"))
    assert inside.body == b"inside"
    assert other.outcome is Outcome.BLOCKED_BY_POLICY


async def test_the_exempt_placeholder_is_asked(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"local")
    async with lo.fetcher(allow=("127.0.0.2",)) as fetcher:
        response = await fetcher.get(f"http://{SITE_ADDRESS}:{lo.site.port}/")
    assert response.body == b"local"
