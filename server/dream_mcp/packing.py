"""An evaluation as an evidence pack: its report, the pages it read, the answers it stands on."""

from __future__ import annotations

from dataclasses import replace

from dream_evaluators.judge import unpacked_name

from .drive import Driver


async def export_pack(driver: Driver, evaluation: str) -> bytes:
    """Make the pack of an evaluation.

    Raises:
        BadInput: There is no such evaluation.
    """
    from dream_evaluators.web.packs import write_pack  # noqa: PLC0415 - start-up

    ledger = driver.ledger
    view = await driver.get(evaluation)
    report = await driver.opened(view.id)
    readings = await ledger.sources.readings(view.id)
    sources = [await ledger.sources.get(snapshot) for snapshot in readings.values()]
    verdicts = view.scorecard.verdicts if view.scorecard else ()
    pairs = [pair for v in verdicts for pair in (*v.pairs, *([v.union] if v.union else []))]
    beside = view.scorecard.asked if view.scorecard else ()
    items = {*(item for pair in pairs for item in pair.items), *beside}
    judge = driver.rungs.judge(view.request, view.created_at)
    answers = await ledger.answers.of(sorted(items))
    kept = [
        replace(answer, judge=unpacked_name(answer.judge))
        for group in answers.values()
        for answer in group
        if judge.choose([answer])
    ]
    return write_pack([report], sources, kept)
