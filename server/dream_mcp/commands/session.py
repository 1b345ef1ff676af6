"""What a command works with, and how it speaks."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dream_evaluators.errors import BadInput
from dream_mcp.drive import Driver
from dream_mcp.files import Roots


def write_whole(name: str, body: bytes) -> None:
    """Write a file so that it is there as a whole or not at all.

    Raises:
        BadInput: It cannot be written.
    """
    try:
        path = Path(name)
        partial = path.with_name(path.name + ".part")
        partial.write_bytes(body)
        partial.replace(path)
    except (OSError, ValueError) as error:
        raise BadInput(f"{name} cannot be written ({error}).") from None


@dataclass(frozen=True)
class Session:
    """One command's store and folders."""

    driver: Driver
    roots: Roots

    def say(self, text: str) -> None:
        """Write a result to stdout."""
        print(text.rstrip("\n"))  # noqa: T201 - the command line speaks

    def say_json(self, card: Any) -> None:
        """Write a result to stdout as JSON, the same as the tool's structured content."""
        self.say(json.dumps(card, ensure_ascii=False, indent=1))

    def note(self, text: str) -> None:
        """Write something to stderr, after what went to stdout before."""
        sys.stdout.flush()
        print(text, file=sys.stderr)  # noqa: T201 - the command line speaks
