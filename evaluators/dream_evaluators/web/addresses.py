"""Which network addresses may be dialled: an explicit table, and the operator's exceptions."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from dream_evaluators.errors import BadInput

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# From the IANA special-purpose registries (2025), plus multicast and one cloud vendor's public
# metadata address. Written out because `ipaddress.is_global` changes between Python patch releases
# and calls several of these global on 3.11.
BLOCKED_IPV4 = (
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared carrier space"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "cloud metadata"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "AS112"),
    ("192.52.193.0/24", "AMT"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "AS112"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved or broadcast"),
)
# Only global unicast (2000::/3) is ever dialled; these parts of it are not.
GLOBAL_IPV6 = "2000::/3"
BLOCKED_IPV6 = (
    ("2001::/23", "protocol assignments"),
    ("2001:db8::/32", "documentation"),
    ("2620:4f:8000::/48", "AS112"),
    ("3fff::/20", "documentation"),
)
# IPv6 forms that end at an IPv4 host: network, and the bit at which the IPv4 address starts.
EMBEDDED_IPV4 = (
    ("::ffff:0:0/96", 96, "IPv4-mapped"),
    ("64:ff9b::/96", 96, "NAT64"),
    ("2002::/16", 16, "6to4"),
)
# Interface identifiers of ISATAP (RFC 5214): a tunnel into a site's own IPv4 network.
ISATAP_MARKS = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")


@cache
def _networks(table: tuple[tuple[str, str], ...]) -> tuple[tuple[Network, str], ...]:
    return tuple((ipaddress.ip_network(block), name) for block, name in table)


@dataclass(frozen=True, slots=True)
class Allowance:
    """The exceptions of `DREAM_FETCH_ALLOW` to the address, port and placeholder rules."""

    hosts: frozenset[tuple[str, int | None]] = frozenset()  # (host, port); None is any port
    networks: tuple[Network, ...] = ()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> Allowance:
        """Read entries of the forms host, host:port, [v6]:port, address and network.

        Raises:
            BadInput: An entry has none of these forms.
        """
        hosts: set[tuple[str, int | None]] = set()
        networks: list[Network] = []
        for entry in filter(None, (raw.strip().lower() for raw in entries)):
            try:
                networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                hosts.add(_host_and_port(entry))
        return cls(frozenset(hosts), tuple(networks))

    def covers_host(self, host: str, port: int) -> bool:
        """Whether a host, by name or as a literal address, is exempt at this port."""
        name = host.strip("[]").rstrip(".").lower()
        if (name, None) in self.hosts or (name, port) in self.hosts:
            return True
        address = literal_address(name)
        return address is not None and self.covers_address(address)

    def covers_address(self, address: Address) -> bool:
        """Whether an address lies in an exempt network."""
        return any(
            address.version == network.version and address in network for network in self.networks
        )


NO_EXCEPTIONS = Allowance()


def _host_and_port(entry: str) -> tuple[str, int | None]:
    host, colon, port = entry.rpartition(":")
    if not colon:
        host, port = entry, ""
    host = host.strip("[]").rstrip(".")
    valid_port = not colon or (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536)
    if not host or not valid_port or set(host) & set("/@?#* "):
        raise BadInput(
            f"DREAM_FETCH_ALLOW: {entry!r} is no host, host:port or network; "
            "write for example intranet.test, intranet.test:8000 or 10.0.0.0/8"
        )
    return host, int(port) if colon else None


def literal_address(host: str) -> Address | None:
    """Read a host that is itself an address, in any form a resolver accepts, or return None.

    `2130706433`, `0x7f.1` and `127.1` are addresses to `getaddrinfo`, so they are to us.
    """
    bare = host.strip("[]")
    try:
        return ipaddress.ip_address(bare)
    except ValueError:
        pass
    if not bare or not set(bare.lower()) <= set("0123456789abcdefx."):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(bare))
    except OSError:
        return None


def refusal(address: str, allowance: Allowance = NO_EXCEPTIONS) -> str:
    """Say why an address may not be dialled, or "" when it may.

    Args:
        address: A literal address as a resolver returns it.
        allowance: The operator's exceptions.
    """
    if "%" in address:
        return "an address with a zone"
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "no address"
    return _refusal(parsed, allowance)


def _refusal(address: Address, allowance: Allowance) -> str:
    if allowance.covers_address(address):
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return _blocked_by(address, BLOCKED_IPV4)
    inner = _embedded(address)
    if inner is not None:
        return _refusal(inner, allowance)
    if address not in ipaddress.IPv6Network(GLOBAL_IPV6):
        return "not global unicast"
    if address.packed[8:12] in ISATAP_MARKS:
        return "ISATAP tunnel"
    return _blocked_by(address, BLOCKED_IPV6)


def _blocked_by(address: Address, table: tuple[tuple[str, str], ...]) -> str:
    return next((name for network, name in _networks(table) if address in network), "")


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    for block, start, _ in EMBEDDED_IPV4:
        if address in ipaddress.IPv6Network(block):
            return ipaddress.IPv4Address((int(address) >> (96 - start)) & 0xFFFFFFFF)
    return None
