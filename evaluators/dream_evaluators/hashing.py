"""Content identity: canonical JSON and tagged BLAKE2b hashes."""

from __future__ import annotations

import hashlib
import json

# The tag names the digest and the canonical form together: a later change to either yields ids
# that are visibly of another kind, instead of silently splitting what is stored.
HASH_PREFIX = "b2:"


def canonical_json(value: object) -> str:
    """Serialise to the one JSON text that equal values share.

    Args:
        value: Anything `json` can write. Floats must be finite.

    Returns:
        Compact JSON with sorted keys and unescaped Unicode.

    Raises:
        ValueError: A float is NaN or infinite.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def content_id(*parts: object) -> str:
    """Hash values into an id of 35 characters: `b2:` and 32 hex digits (BLAKE2b-128).

    Parts are hashed as one JSON list, so ("ab", "c") and ("a", "bc") differ.
    """
    text = canonical_json(list(parts)).encode("utf-8", "surrogatepass")
    return HASH_PREFIX + hashlib.blake2b(text, digest_size=16).hexdigest()


def text_id(text: str) -> str:
    """Hash one text into an id of 35 characters, as `content_id` does for values."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16)
    return HASH_PREFIX + digest.hexdigest()
