"""dream-mcp export and agreement: what judges were asked and said, as rows and as figures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from dream_evaluators.errors import BadInput
from dream_evaluators.judges.agreement import agreement as agreement_of
from dream_evaluators.judges.agreement import label_of
from dream_evaluators.model.judgement import Answer, WorkItem
from dream_mcp.commands.session import Session

if TYPE_CHECKING:
    from dream_evaluators.model.score import Scorecard
    from dream_mcp.drive import Evaluation

FINE = 0
NOTHING = "Nothing is judged in {id} yet. Let it go on: dream-mcp work {id}"


def register_export(commands: Any) -> None:
    """Describe the command that exports judgements."""
    parser = commands.add_parser("export", help="write every judgement of an evaluation as a row")
    parser.add_argument("evaluation", metavar="ID", help="its id, or the beginning of it")
    parser.add_argument(
        "--jsonl", action="store_true", help="one JSON object a line (the only form, the default)"
    )
    parser.set_defaults(handler=export)


async def export(session: Session, options: argparse.Namespace) -> int:
    """Print every answer to every question that the evaluation stands on, whoever gave it."""
    view = await session.driver.get(options.evaluation)
    card = _card(view)
    ledger = session.driver.ledger
    items = await ledger.answers.items(card.items)
    answers = await ledger.answers.of(card.items)
    places = _places(card)
    rows = 0
    for item, group in answers.items():
        for answer in group:
            row = _row(items[item], answer, places.get(item, {}))
            session.say(json.dumps(row, ensure_ascii=False))
            rows += 1
    session.note(f"{rows} judgements of {len(items)} questions.")
    return FINE


def register_agreement(commands: Any) -> None:
    """Describe the command that compares judges."""
    parser = commands.add_parser("agreement", help="how far the judges of evaluations agree")
    parser.add_argument("evaluations", metavar="ID", nargs="+", help="ids, or beginnings of them")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.set_defaults(handler=agreement)


async def agreement(session: Session, options: argparse.Namespace) -> int:
    """Compare all judges, people included, on the questions of the evaluations."""
    ids: dict[str, None] = {}
    for name in options.evaluations:
        ids |= dict.fromkeys(_card(await session.driver.get(name)).items)
    answers = await session.driver.ledger.answers.of(list(ids))
    found = agreement_of(answer for group in answers.values() for answer in group)
    if options.json:
        plain = asdict(found)
        plain["pairs"] = [_present(pair) for pair in plain["pairs"]]
        session.say_json(_present(plain))
        return FINE
    for judge, n in found.judges.items():
        session.say(f"{judge}: {n} of {len(ids)} questions")
    for pair in found.pairs:
        kappa = "undefined" if pair.kappa is None else f"{pair.kappa:.2f}"
        alike = f"{pair.same} of {pair.n} alike" if pair.n else "no question in common"
        session.say(f"{pair.first} and {pair.second}: {alike}, Cohen's kappa {kappa}")
    if found.kendall_w is not None:
        session.say(
            f"Kendall's W over {found.n} questions that all answered: {found.kendall_w:.2f}"
        )
    if len(found.judges) < 2:
        session.note(
            "One judge alone agrees with nobody. Have another answer (dream-mcp answer ID FILE "
            "--by human:NAME), or put each question several times (evaluate --samples 3)."
        )
    return FINE


def _card(view: Evaluation) -> Scorecard:
    if view.scorecard is None:
        raise BadInput(NOTHING.format(id=view.id[:15]))
    return view.scorecard


def _places(card: Scorecard) -> dict[str, dict[str, str]]:
    """By question the statement and the address it is about."""
    pairs = [pair for v in card.verdicts for pair in (*v.pairs, *((v.union,) if v.union else ()))]
    return {
        item: {"statement_id": pair.statement_id, "url": pair.url}
        for pair in reversed(pairs)
        for item in pair.items
    }


def _row(item: WorkItem, answer: Answer, place: Mapping[str, str]) -> dict[str, Any]:
    row = {
        "item": item.id,
        "kind": item.kind,
        **place,
        "claim": item.inputs.get("claim", ""),
        "label": label_of(answer),
        "judge": answer.judge,
        "model": answer.model,
        "sample": answer.sample,
        "quotes": list(_quotes(json.loads(answer.answer))),
        "answered_at": answer.answered_at,
        "usage": dict(answer.usage),
        "answer": json.loads(answer.answer),
    }
    return _present(row)


def _quotes(said: Mapping[str, Any]) -> Iterator[str]:
    facts = [fact.get("quote", "") for fact in said.get("facts", ())]
    yield from filter(None, [*facts, *said.get("quotes", ()), said.get("evidence", "")])


def _present(row: Mapping[str, Any]) -> dict[str, Any]:
    """What is absent is left out, as in all results."""
    return {key: value for key, value in row.items() if value not in (None, "", [], {})}
