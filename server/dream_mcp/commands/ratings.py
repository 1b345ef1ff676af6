"""dream-mcp ratings: other raters' lists, and a registry of your own, beside ours."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dream_evaluators.errors import BadInput
from dream_evaluators.ledger.lists import RATINGS, REGISTRY, ImportedList
from dream_mcp.commands.session import Session
from dream_mcp.files import read_file

MAX_BYTES = 50 * (1 << 20)


def register(commands: Any) -> None:
    """Describe the commands."""
    parser = commands.add_parser("ratings", help="import ratings of domains, or your own registry")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    add = actions.add_parser("import", help="import a CSV, TSV or JSON file of ratings")
    add.add_argument("file", metavar="FILE")
    add.add_argument("--name", default="", help="what to call the list; default: the file's name")
    add.add_argument("--date", required=True, help="date of the list's edition, YYYY-MM-DD")
    add.add_argument("--scale", default="", metavar="WORST:BEST", help="for example 0:1 or 5:1")
    add.set_defaults(handler=import_ratings)
    own = actions.add_parser("registry", help="import lines NAME<tab>CLASS that override ours")
    own.add_argument("file", metavar="FILE")
    own.add_argument("--name", default="", help="what to call it; default: the file's name")
    own.set_defaults(handler=import_registry)
    actions.add_parser("list", help="list what was imported").set_defaults(handler=list_lists)
    drop = actions.add_parser("remove", help="forget a list")
    drop.add_argument("name")
    drop.set_defaults(handler=remove)


async def import_ratings(session: Session, options: argparse.Namespace) -> int:
    """Import a list of ratings; nothing is stored unless it can be read."""
    from dream_mcp.ratings import read_list  # noqa: PLC0415 - start-up

    path = session.roots.admit(options.file)
    worst, best = _scale(options.scale)
    imported = ImportedList(
        kind=RATINGS,
        name=options.name or path.stem,
        text=_read(path),
        date=options.date,
        worst=worst,
        best=best,
    )
    rated = read_list(imported)
    await session.driver.ledger.lists.put(imported)
    session.say(
        f"{rated.name} ({rated.date}): {len(rated.values)} domains, {rated.skipped} rows skipped"
    )
    return 0


async def import_registry(session: Session, options: argparse.Namespace) -> int:
    """Import a registry of the user's own; nothing is stored unless it can be read."""
    from dream_evaluators.web.domains import parse_overrides  # noqa: PLC0415 - start-up

    path = session.roots.admit(options.file)
    text = _read(path)
    entries = parse_overrides(text)
    if not entries:
        raise BadInput(f"{path.name} holds no entry; write lines of a name, a tab and a class.")
    name = options.name or path.stem
    await session.driver.ledger.lists.put(ImportedList(kind=REGISTRY, name=name, text=text))
    session.say(f"{name}: {len(entries)} entries that come before ours")
    return 0


async def list_lists(session: Session, _: argparse.Namespace) -> int:
    """List what was imported."""
    for item in await session.driver.ledger.lists.all():
        session.say(f"{item.kind}  {item.name}  {item.date}  imported {item.added_at}")
    return 0


async def remove(session: Session, options: argparse.Namespace) -> int:
    """Forget a list."""
    if not await session.driver.ledger.lists.remove(options.name):
        raise BadInput(f"No list is called {options.name!r}; `dream-mcp ratings list` names them.")
    return 0


def _scale(text: str) -> tuple[float, float]:
    if not text:
        return 0.0, 0.0
    worst, found, best = text.partition(":")
    try:
        scale = float(worst), float(best)
    except ValueError:
        found = ""
        scale = 0.0, 0.0
    if not found or scale[0] == scale[1]:
        raise BadInput(f"--scale takes WORST:BEST such as 0:1, not {text!r}.")
    return scale


def _read(path: Path) -> str:
    try:
        return read_file(path, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path.name} is not UTF-8 text; save it as UTF-8.") from None
