"""What one request asks for, and what it brings: while it arrives and when it is all there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """An address that can be asked for: scheme http or https, a host, no user, no fragment."""

    url: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request brought."""

    status: int
    headers: tuple[tuple[str, str], ...]  # names in lower case
    body: bytes = b""
    truncated: bool = False
    location: str = ""  # of a redirect, as sent


class Intake:
    """What has arrived so far of one answer: survives the exception that ends it early."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: tuple[tuple[str, str], ...] = ()
        self.location = ""
        self.chunks: list[bytes] = []
        self.size = 0
        self.truncated = False

    def add(self, chunk: bytes, limit: int) -> bool:
        """Take a chunk; say whether there is room for more."""
        room = limit - self.size
        self.truncated = len(chunk) > room
        self.chunks.append(chunk[:room] if self.truncated else chunk)
        self.size += min(len(chunk), room)
        return not self.truncated

    def tells(self, least: int) -> bool:
        """Whether it says something although it is not all there.

        Args:
            least: The bytes of body that are worth having.
        """
        success = 200 <= self.status < 300
        return self.size >= least if success else self.status > 0

    def answer(self, *, truncated: bool = False) -> Answer:
        """Freeze it."""
        return Answer(
            self.status,
            self.headers,
            b"".join(self.chunks),
            truncated=truncated or self.truncated,
            location=self.location,
        )
