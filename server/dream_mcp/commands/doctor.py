"""dream-mcp doctor: what is available here, and what each missing thing costs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dream_evaluators.ledger import IN_MEMORY
from dream_mcp import __version__
from dream_mcp.commands.session import Session

PROBE = "https://doi.org/"
PROBE_SECONDS = 8.0
PROBE_PAIR = (["The bridge opened in 1932."], "The bridge opened in 1932.")
LIKELY = 0.5


def register(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("doctor", help="say what is available and what is missing")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(handler=doctor)


async def doctor(session: Session, options: argparse.Namespace) -> int:
    """Check store, judges and network; exit code 1 when the store is damaged."""
    checks = {
        "version": ("ok", f"dream-mcp {__version__}, Python {sys.version.split()[0]}"),
        "store": await _store(session),
        "judge": _judge(session),
        "inference": await _inference(session),
        "network": await _network(session),
        "roots": ("ok", ", ".join(str(folder) for folder in session.roots.folders)),
    }
    if options.json:
        session.say_json({name: {"state": s, "says": t} for name, (s, t) in checks.items()})
    else:
        for name, (state, says) in checks.items():
            session.say(f"{state:8} {name}: {says}")
    return 1 if checks["store"][0] == "damaged" else 0


async def _store(session: Session) -> tuple[str, str]:
    ledger = session.driver.ledger
    if ledger.path == IN_MEMORY:
        return "missing", "in memory: nothing is kept after this process; set DREAM_STORE"
    if wrong := await ledger.verify():
        return "damaged", f"{ledger.path}: {len(wrong)} rows do not match their ids; restore a copy"
    return "ok", ledger.path


def _judge(session: Session) -> tuple[str, str]:
    settings = session.driver.settings
    if settings.anthropic_key:
        return "ok", f"a key is set; model {settings.model or 'the default'}"
    return (
        "missing",
        "no ANTHROPIC_API_KEY: faithfulness needs --judge agent (you answer work orders) or a "
        "client that lends its model; everything else works",
    )


async def _inference(session: Session) -> tuple[str, str]:
    """Whether the offline judge has a model for a second look, and whether it runs."""
    settings = session.driver.settings
    if not settings.nli:
        return "off", "no DREAM_NLI: the offline judge compares words only, which is its default"
    import anyio  # noqa: PLC0415 - start-up

    from dream_evaluators.errors import BadInput  # noqa: PLC0415 - start-up
    from dream_evaluators.judges.inference import ModelFile  # noqa: PLC0415 - start-up

    model = ModelFile(Path(settings.nli), settings.nli_sha256)
    try:
        loaded = await anyio.to_thread.run_sync(model.load)
        [found] = await anyio.to_thread.run_sync(loaded.infer, *PROBE_PAIR)
    except BadInput as error:
        return "missing", str(error)
    if found.entailment < LIKELY:
        return "missing", f"{model.path.name} does not find that a sentence follows from itself"
    return "ok", f"{model.path.name} answers ({model.fingerprint})"


async def _network(session: Session) -> tuple[str, str]:
    if session.driver.settings.offline:
        return "off", "DREAM_OFFLINE is set: no page is read, faithfulness stays open"
    async with session.driver.fetcher() as fetcher:
        import anyio  # noqa: PLC0415 - start-up

        with anyio.move_on_after(PROBE_SECONDS):
            response = await fetcher.get(PROBE)
            if response.status:
                return "ok", f"{PROBE} answers"
            return "missing", f"{PROBE}: {response.reason}. Cited pages will count as unknown"
    return "missing", f"{PROBE} did not answer in {PROBE_SECONDS:g} s"
