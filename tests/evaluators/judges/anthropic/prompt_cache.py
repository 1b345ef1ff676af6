"""A prompt cache that counts tokens by our own estimate."""

from __future__ import annotations

import json

from dream_evaluators.tokens import estimate_tokens
from tests.evaluators.judges.anthropic.endpoint import Call


class PromptCache:
    """Counts tokens as an endpoint with a prompt cache would, by our own estimate.

    The schema is part of every beginning, as it is at the endpoint, but nobody's input tokens.
    """

    def __init__(self, floor: int = 0) -> None:
        self._floor = floor  # shorter beginnings are not cached
        self._known: set[str] = set()

    def usage(self, call: Call) -> dict[str, int]:
        """Tokens by kind, as the API names them."""
        blocks = [*call.body["system"], *call.body["messages"][0]["content"]]
        begun = json.dumps(call.body["output_config"]["format"]["schema"])
        schema, seen, cached, marks = estimate_tokens(begun), 0, 0, [0]
        for block in blocks:
            begun += block["text"]
            seen += estimate_tokens(block["text"])
            if "cache_control" in block and schema + seen >= self._floor:
                marks.append(seen)
                cached = seen if begun in self._known else cached
                self._known.add(begun)
        written = marks[-1] - cached
        return {
            "input_tokens": seen - cached - written,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": cached,
        }
