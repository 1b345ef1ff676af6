"""The commands, as a table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio

from dream_evaluators.errors import PathRefused
from dream_mcp import __version__
from dream_mcp.app import open_driver
from dream_mcp.commands import audit, claims, doctor, evaluate, judging, ratings, records
from dream_mcp.commands.session import Session
from dream_mcp.drive import Driver
from dream_mcp.files import Roots
from dream_mcp.settings import Settings

Handler = Callable[[Session, argparse.Namespace], Awaitable[int]]


def run(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Parse and run one command; results go to stdout, everything else to stderr.

    Raises:
        DreamError: It could not be done; the text says what to do.
    """
    parser = build_parser()
    options = parser.parse_args(arguments)
    options.typed = tuple(arguments)
    settings = Settings.from_env(env)
    # On the command line the user named the file: its folder is as open as where they stand.
    try:
        named = [Path(value).resolve().parent for value in _named_files(options)]
        roots = Roots((Path.cwd().resolve(), *settings.roots, *named))
    except (OSError, RuntimeError, ValueError) as error:
        raise PathRefused(f"A named file or the working folder cannot be used ({error}).") from None
    return anyio.run(_in_session, options, roots, open_driver(settings, env))


class _Parser(argparse.ArgumentParser):
    """Takes options by their whole names: what a later version adds must not change a script."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **options})


def build_parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = _Parser(
        prog="dream-mcp",
        description="Judge deep-research reports. Without a command: serve MCP over stdio.",
    )
    parser.add_argument("--version", action="version", version=f"dream-mcp {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for register in (
        evaluate.register,
        audit.register,
        judging.register_work,
        judging.register_answer,
        judging.register_pack,
        records.register_export,
        records.register_agreement,
        claims.register_claims,
        claims.register_authority,
        ratings.register,
        doctor.register,
    ):
        register(commands)
    return parser


async def _in_session(options: argparse.Namespace, roots: Roots, driver: Driver) -> int:
    handler: Handler = options.handler
    for warning in driver.warnings:
        print(f"dream-mcp: {warning}", file=sys.stderr)  # noqa: T201 - the command line speaks
    try:
        return await handler(Session(driver, roots), options)
    finally:
        driver.ledger.close()


def _named_files(options: argparse.Namespace) -> list[str]:
    names = (getattr(options, name, "") for name in ("report", "pack", "answers", "file"))
    return [name for name in names if name]
