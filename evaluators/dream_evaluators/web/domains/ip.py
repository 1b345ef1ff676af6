"""IP addresses in every notation a browser accepts (WHATWG IPv4 and IPv6 parsers)."""

from __future__ import annotations

import ipaddress

_MAX = 0xFFFFFFFF


def ipv6_of(text: str) -> str:
    """Return the canonical notation of an IPv6 literal, or an empty string."""
    try:
        return str(ipaddress.IPv6Address(text.partition("%")[0]))
    except ValueError:
        return ""


def ipv4_of(host: str) -> str:
    """Return dotted decimal for a host that ends in a number, or an empty string.

    One to four parts, each decimal, octal (leading 0) or hexadecimal (leading 0x); the last part
    fills the remaining bytes: `2130706433`, `0x7f.1` and `127.1` are all 127.0.0.1.
    """
    parts = host.split(".")
    if len(parts) > 4:
        return ""
    numbers = [_number(part) for part in parts]
    if any(number is None for number in numbers):
        return ""
    *front, last = [number or 0 for number in numbers]
    if any(number > 255 for number in front) or last >= 256 ** (4 - len(front)):
        return ""
    value = last + sum(number << (8 * (3 - place)) for place, number in enumerate(front))
    return str(ipaddress.IPv4Address(min(value, _MAX)))


def _number(part: str) -> int | None:
    if len(part) > 16 or "_" in part:  # no 32-bit number is longer; int() reads underscores
        return None
    try:
        if part.startswith("0x"):
            return int(part[2:] or "0", 16)
        if len(part) > 1 and part[0] == "0":
            return int(part, 8)
        return int(part) if part.isascii() and part.isdigit() else None
    except ValueError:
        return None


def is_public(address: str) -> bool:
    """Tell whether an address is reachable on the public internet."""
    return ipaddress.ip_address(address).is_global
