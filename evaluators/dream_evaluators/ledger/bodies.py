"""Texts by content hash: stored once, compressed, checked when read."""

from __future__ import annotations

import zlib

from dream_evaluators.errors import StoreError
from dream_evaluators.hashing import text_id
from dream_evaluators.ledger.sqlite import Connection

# zlib is within 2 % of zstd on article text and needs nothing; the tag lets that change.
CODEC = "zlib"


def put_body(connection: Connection, text: str) -> str:
    """Store a text inside the caller's transaction and return its hash."""
    digest = text_id(text)
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 6)
    connection.execute(
        "insert into body (hash, codec, content) values (:hash, :codec, :content) "
        "on conflict (hash) do update set codec = excluded.codec, content = excluded.content "
        "where body.content <> excluded.content",  # mends a damaged one
        {"hash": digest, "codec": CODEC, "content": packed},
    )
    return digest


def get_body(connection: Connection, digest: str) -> str:
    """Read a text.

    Raises:
        StoreError: It is missing, or its content does not match its hash.
    """
    row = connection.execute("select codec, content from body where hash = ?", (digest,)).fetchone()
    if row is None:
        raise StoreError(f"The store has no text {digest}; open the report or source again.")
    if not _intact(digest, row["content"]):
        raise StoreError(f"The stored text {digest} is damaged; open the report or source again.")
    return zlib.decompress(row["content"]).decode("utf-8", "surrogatepass")


def damaged_bodies(connection: Connection) -> list[str]:
    """Re-hash every stored text; return the hashes that do not match."""
    rows = connection.execute("select hash, content from body")
    return [row["hash"] for row in rows if not _intact(row["hash"], row["content"])]


def _intact(digest: str, content: bytes) -> bool:
    try:
        return text_id(zlib.decompress(content).decode("utf-8", "surrogatepass")) == digest
    except (zlib.error, UnicodeDecodeError):
        return False
