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
    judge = driver.rungs.judge(view.request, view.created_at)
    repeats = [replace(judge, sample=sample) for sample in range(view.request.samples)]
    answers = await ledger.answers.of(view.scorecard.items if view.scorecard else [])
    kept = [
        replace(answer, judge=unpacked_name(answer.judge))
        for group in answers.values()
        for answer in group
        if any(repeat.choose([answer]) for repeat in repeats)
    ]
    return write_pack([report], sources, kept)
