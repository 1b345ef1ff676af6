"""The limits of a fetch: time, size, politeness, and the operator's exceptions."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """How far one run goes to read its sources. All durations are in seconds."""

    total_seconds: float = 20.0  # for one address with all its redirects, waiting turns excluded
    connect_seconds: float = 5.0  # DNS, TCP and TLS of one connection
    read_seconds: float = 8.0  # longest silence of a server
    max_bytes: int = 10 * MEBIBYTE  # of a body, counted after decoding and also on the wire
    max_redirects: int = 8
    max_header_bytes: int = 64 * 1024
    allow: tuple[str, ...] = ()  # DREAM_FETCH_ALLOW: host, host:port or network
    contact: str = ""  # DREAM_CONTACT: goes into the User-Agent
    proxy: str = ""  # http(s)://host:port; the environment's proxies are never used
    per_host: int = 2  # requests to one host at a time
    host_interval: float = 0.5  # between the starts of two requests to one host
    concurrency: int = 16  # requests at a time
    retry_seconds: float = 1.0  # before the one retry, plus up to as much again at random
    max_retry_after: float = 30.0  # a server that asks for a longer wait is not asked again
    # The ports web servers are found on; any other is somebody's internal service more often.
    ports: frozenset[int] = frozenset({80, 443, 8080, 8443})
    # Looked up (never fetched) before a host is called non-existent, so that a machine whose DNS
    # does not work condemns nothing. Our choice: two names that any public resolver knows.
    canaries: tuple[str, ...] = ("doi.org", "archive.org")
