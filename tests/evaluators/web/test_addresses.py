"""The address table: what may be dialled, and what the operator can exempt."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.errors import BadInput
from dream_evaluators.web.addresses import (
    BLOCKED_IPV4,
    BLOCKED_IPV6,
    Allowance,
    literal_address,
    refusal,
)

REFUSED_TEXT = """
0.0.0.0 0.1.2.3 10.0.0.5 10.255.255.255 100.64.0.1 100.127.255.254 127.0.0.1 127.255.255.255
168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.0.170 192.0.2.1
192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1:: 2001:db8::1
2002:7f00:1:: 2002:a00:1:: 2002:c0a8:101::1 2620:4f:8000::1 3fff::1 5f00::1 fc00::1
fd00:ec2::254 fe80::1 fec0::1 ff02::1 ff05::2 4000::1 2606:4700::5efe:7f00:1
2606:4700::200:5efe:a00:1 fe80::1%lo
"""
REFUSED = REFUSED_TEXT.split()
ALLOWED_TEXT = """
1.1.1.1 8.8.8.8 9.9.9.9 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1
168.63.129.17 169.253.255.255 172.15.255.255 172.32.0.1 192.0.1.1 192.167.1.1 198.17.255.255
223.255.255.255 2606:4700:4700::1111 2a00:1450:4001:80b::200e 2001:4860:4860::8888
::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
"""
ALLOWED = ALLOWED_TEXT.split()


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_is_not_public_is_refused_with_a_reason(address: str) -> None:
    assert refusal(address)


@pytest.mark.parametrize("address", ALLOWED)
def test_a_public_address_may_be_dialled(address: str) -> None:
    assert refusal(address) == ""


def test_what_is_no_address_is_refused() -> None:
    assert refusal("good.test")
    assert refusal("")


@given(st.sampled_from(BLOCKED_IPV4), st.integers(0, 2**32 - 1))
def test_every_address_of_a_blocked_ipv4_network_is_refused_in_every_disguise(
    row: tuple[str, str], offset: int
) -> None:
    network = ipaddress.IPv4Network(row[0])
    address = network[offset % network.num_addresses]
    number = int(address)
    disguises = (
        address,
        ipaddress.IPv6Address((0xFFFF << 32) | number),
        ipaddress.IPv6Address((0x0064FF9B << 96) | number),
        ipaddress.IPv6Address((0x2002 << 112) | (number << 80)),
        ipaddress.IPv6Address(number),
    )
    assert all(refusal(str(each)) for each in disguises)


@given(st.sampled_from(BLOCKED_IPV6), st.integers(0, 2**112 - 1))
def test_every_address_of_a_blocked_ipv6_network_is_refused(
    row: tuple[str, str], offset: int
) -> None:
    network = ipaddress.IPv6Network(row[0])
    assert refusal(str(network[offset % network.num_addresses]))


@given(st.ip_addresses(v=6))
def test_ipv6_outside_global_unicast_is_dialled_only_for_an_ipv4_host_in_it(
    address: ipaddress.IPv6Address,
) -> None:
    if refusal(str(address)) == "" and address.ipv4_mapped is None:
        assert address in ipaddress.ip_network("2000::/3") or address in ipaddress.ip_network(
            "64:ff9b::/96"
        )


@given(st.ip_addresses())
def test_a_decision_depends_on_the_address_and_not_on_its_spelling(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    assert refusal(address.exploded) == refusal(address.compressed)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0x7F.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("0", "0.0.0.0"),  # noqa: S104 - an address to be read, not bound
        ("[::1]", "::1"),
    ],
)
def test_every_spelling_a_resolver_reads_as_an_address_is_read_as_one(
    host: str, address: str
) -> None:
    assert str(literal_address(host)) == address


@pytest.mark.parametrize("host", ["", "good.test", "deadbeef.cafe", "1.2.3.4.5", "0xzz", "fee"])
def test_a_name_is_no_literal_address(host: str) -> None:
    assert literal_address(host) is None


def test_an_exempt_network_is_dialled_in_all_its_disguises() -> None:
    allowance = Allowance.parse(["10.1.0.0/16", " ", "FD00::/8"])
    assert refusal("10.1.2.3", allowance) == ""
    assert refusal("::ffff:10.1.2.3", allowance) == ""
    assert refusal("fd00::1", allowance) == ""
    assert refusal("10.2.0.1", allowance)
    assert refusal("127.0.0.1", allowance)


def test_an_exempt_host_is_exempt_at_the_ports_the_entry_names() -> None:
    allowance = Allowance.parse(["Intranet.test", "wiki.test:8000", "[::1]:9000", "10.0.0.5:81"])
    assert allowance.covers_host("intranet.test.", 22)
    assert allowance.covers_host("WIKI.test", 8000)
    assert not allowance.covers_host("wiki.test", 80)
    assert not allowance.covers_host("sub.intranet.test", 80)
    assert allowance.covers_host("::1", 9000)
    assert not allowance.covers_host("::1", 80)
    assert allowance.covers_host("10.0.0.5", 81)
    assert not allowance.covers_host("10.0.0.5", 80)


def test_a_literal_host_in_an_exempt_network_is_exempt() -> None:
    allowance = Allowance.parse(["127.0.0.0/8"])
    assert allowance.covers_host("127.1", 8080)
    assert not allowance.covers_host("10.0.0.1", 8080)


@pytest.mark.parametrize(
    "entry",
    ["http://intranet.test", "a b", "host:", "host:0", "host:65536", "host:x", "*.test", ":80"],
)
def test_an_entry_of_another_form_is_named_in_the_error(entry: str) -> None:
    with pytest.raises(BadInput, match="DREAM_FETCH_ALLOW"):
        Allowance.parse([entry])


@given(st.text(max_size=40))
def test_no_entry_whatsoever_exempts_the_metadata_address_by_accident(entry: str) -> None:
    try:
        allowance = Allowance.parse([entry])
    except BadInput:
        return
    if not allowance.networks:
        assert refusal("169.254.169.254", allowance)
