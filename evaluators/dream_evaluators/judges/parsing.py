"""A model's text read as JSON: strictly, else by the one object in it that fits.

Everything here is linear in the text or bounded: the text may quote a hostile page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

# An honest answer to twenty questions is a tenth of this.
MAX_CHARACTERS = 400_000
# Openings that are tried in a text which is not JSON as a whole.
MAX_OPENINGS = 200
# Small models show their thoughts in front of the answer.
THOUGHTS = ("think", "thinking", "reasoning")


class Unreadable(Exception):
    """A text that holds no single usable answer; the message tells its writer why."""


def read_object(text: str, fit: Callable[[Any], T]) -> T:
    """Read the JSON object a text is, or the only one in it that fits.

    Args:
        text: What the model wrote, prose and code fences included.
        fit: Turns a decoded value into an answer, or raises Unreadable.

    Raises:
        Unreadable: Nothing fits, or two different things do: then nobody knows which was meant.
    """
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f"it is longer than {MAX_CHARACTERS:,} characters")
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _only(_without_thoughts(text), fit)
    return fit(value)


def _only(text: str, fit: Callable[[Any], T]) -> T:
    fitting: list[T] = []
    problem = "it holds no JSON object"
    for value in _objects(text):
        try:
            answer = fit(value)
        except Unreadable as error:
            problem = str(error)
            continue
        if answer not in fitting:
            fitting.append(answer)
    if not fitting:
        raise Unreadable(problem)
    if len(fitting) > 1:
        raise Unreadable(f"it holds {len(fitting)} different answers; give exactly one")
    return fitting[0]


def _objects(text: str) -> Iterator[Any]:
    """Every outermost JSON object in a text, in order."""
    at = text.find("{")
    for _ in range(MAX_OPENINGS):
        if at < 0:
            return
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            yield value
        at = text.find("{", at)


def _without_thoughts(text: str) -> str:
    """Drop a block of thoughts that the text begins with."""
    stripped = text.lstrip()
    for name in THOUGHTS:
        if stripped.startswith(f"<{name}>"):
            return stripped.partition(f"</{name}>")[2]
    return text


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says one key twice, of which most readers take the last."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_unique)
