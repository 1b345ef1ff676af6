"""JSON schemas without references, as clients and endpoints take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Keys that say nothing a reader of the schema needs.
NOISE = frozenset({"title", "$defs"})


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Resolve `$ref` in place, drop titles, and close every object.

    Raises:
        KeyError: A reference points nowhere.
        RecursionError: The schema refers to itself.
    """
    definitions = schema.get("$defs", {})

    def walk(node: Any, *, names: bool = False) -> Any:
        if isinstance(node, list):
            return [walk(child) for child in node]
        if not isinstance(node, Mapping):
            return node
        if "$ref" in node:
            target = definitions[str(node["$ref"]).rpartition("/")[2]]
            return walk({**target, **{k: v for k, v in node.items() if k != "$ref"}})
        # Inside `properties` keys are field names, and a field may well be called "title".
        kept = {
            key: walk(value, names=key == "properties" and not names)
            for key, value in node.items()
            if names or key not in NOISE
        }
        if not names and "properties" in kept:
            kept["additionalProperties"] = False
        return kept

    result: dict[str, Any] = walk(schema)
    return result
