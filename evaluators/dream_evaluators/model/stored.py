"""Records to stored JSON and back, with the version of their shape."""

from __future__ import annotations

import json
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from dream_evaluators.errors import StoreError, StoreNewer
from dream_evaluators.hashing import canonical_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

# Raised when a stored record changes in a way that older code would misread; adding a field with
# a default is no such change.
SCHEMA_VERSION: Final = 1


@cache
def _adapter(record_type: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - start-up

    return TypeAdapter(record_type)


def adapter(record_type: type[T]) -> TypeAdapter[T]:
    """Build the validator of a record type once."""
    return _adapter(cast("Hashable", record_type))


def as_plain(record: object) -> dict[str, Any]:
    """Turn a record into plain JSON values; enums become their strings."""
    plain: dict[str, Any] = adapter(type(record)).dump_python(record, mode="json")
    return plain


def to_stored(record: object) -> str:
    """Write a record as canonical JSON with its schema version."""
    return canonical_json({"schema_version": SCHEMA_VERSION, "record": as_plain(record)})


def from_stored(record_type: type[T], text: str) -> T:
    """Read a record that `to_stored` wrote.

    Raises:
        StoreNewer: A newer dream-mcp wrote it.
        StoreError: It is damaged.
    """
    try:
        envelope = json.loads(text)
        version = envelope["schema_version"]
        if version > SCHEMA_VERSION:
            raise StoreNewer(
                f"A stored {record_type.__name__} has schema version {version}; this dream-mcp "
                f"reads up to {SCHEMA_VERSION}. Upgrade dream-mcp."
            )
        record: T = adapter(record_type).validate_python(envelope["record"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(f"A stored {record_type.__name__} is damaged: {error}") from error
    return record
