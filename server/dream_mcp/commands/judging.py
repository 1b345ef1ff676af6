"""dream-mcp work, answer and pack: judging from a shell, and taking an evaluation along."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dream_evaluators.errors import AnswerRejected
from dream_evaluators.judges.submissions import judge_name
from dream_evaluators.render import to_summary
from dream_mcp.commands.session import Session, write_whole
from dream_mcp.files import MAX_ANSWERS_BYTES, read_file
from dream_mcp.packing import export_pack
from dream_mcp.present import orders_card, orders_open, receipt_card

FINE, REFUSED = 0, 1


def register_work(commands: Any) -> None:
    """Describe the command that prints work orders."""
    parser = commands.add_parser("work", help="print the open work orders of an evaluation")
    parser.add_argument("evaluation", metavar="ID", help="its id, or the beginning of it")
    parser.add_argument("--limit", type=int, default=3, help="how many at most")
    parser.add_argument("--json", action="store_true", help="the tool's structured content")
    parser.set_defaults(handler=work)


async def work(session: Session, options: argparse.Namespace) -> int:
    """Print open work orders."""
    view = await session.driver.get(options.evaluation)
    orders, waiting = await session.driver.orders.write_out(view.id, max(1, options.limit))
    if options.json:
        session.say_json(orders_card(view, orders, waiting))
        return FINE
    for order in orders:
        schema = json.dumps(order.answer_schema, ensure_ascii=False)
        session.say(f"===== work order {order.id} =====\n{order.prompt}\n\nSchema: {schema}\n")
    session.note(orders_open(waiting))
    if orders:
        session.note(
            f'Write [{{"id": "{orders[0].id}", "answer": {{"verdicts": [...]}}}}, ...] to a file '
            f"and hand it in with: dream-mcp answer {view.id[:15]} FILE.json --by MODEL"
        )
    return FINE


def register_answer(commands: Any) -> None:
    """Describe the command that takes answers."""
    parser = commands.add_parser("answer", help="hand in answers to work orders")
    parser.add_argument("evaluation", metavar="ID", help="its id, or the beginning of it")
    parser.add_argument("answers", metavar="FILE.json", help="a list of {id, answer}")
    parser.add_argument("--by", default="", help="the model's name, or human:NAME")
    parser.add_argument("--json", action="store_true", help="the tool's structured content")
    parser.set_defaults(handler=answer)


async def answer(session: Session, options: argparse.Namespace) -> int:
    """Record answers and say how the evaluation stands."""
    answers = _read_answers(session.roots.admit(options.answers))
    receipt = await session.driver.orders.submit(
        options.evaluation, answers, judge_name(options.by)
    )
    view = await session.driver.advance(options.evaluation, again=True)
    _, waiting = await session.driver.orders.write_out(view.id, 1)
    if options.json:
        session.say_json(receipt_card(view, receipt, waiting))
    else:
        session.say(f"Accepted: {', '.join(receipt.accepted) or 'none'}.")
        if view.scorecard:
            session.say(to_summary(view.scorecard))
    for refused in receipt.rejected:
        session.note(f"Rejected {refused.id}: {refused.reason}")
    if waiting:
        short = view.id[:15]
        session.note(f"{orders_open(waiting)} Print the next with: dream-mcp work {short}")
    else:
        session.note(f"{view.status.value}. {view.message}".rstrip())
    return REFUSED if receipt.rejected else FINE


def register_pack(commands: Any) -> None:
    """Describe the command that exports an evidence pack."""
    parser = commands.add_parser("pack", help="write an evaluation's evidence pack")
    parser.add_argument("evaluation", metavar="ID", help="its id, or the beginning of it")
    parser.add_argument("-o", "--output", default="", help="the file; default ID.zip")
    parser.set_defaults(handler=pack)


async def pack(session: Session, options: argparse.Namespace) -> int:
    """Write an evidence pack."""
    view = await session.driver.get(options.evaluation)
    body = await export_pack(session.driver, view.id)
    name = options.output or f"{view.id.removeprefix('b2:')[:12]}.zip"
    write_whole(name, body)
    session.say(name)
    again = f"--judge {view.request.judge} --effort {view.request.effort.value}"
    session.note(f"Replay it with: dream-mcp evaluate REPORT --pack {name} {again}")
    return FINE


def _read_answers(path: Path) -> list[Mapping[str, Any]]:
    try:
        answers = json.loads(read_file(path, MAX_ANSWERS_BYTES))
    except ValueError as error:
        raise AnswerRejected(f"{path.name} is not valid JSON: {error}") from None
    except RecursionError:
        raise AnswerRejected(f"{path.name} is nested too deeply.") from None
    if isinstance(answers, dict):
        answers = answers.get("answers", [answers])
    if not isinstance(answers, list) or not all(isinstance(a, dict) for a in answers):
        raise AnswerRejected(f"{path.name} must hold a list of objects {{id, answer}}.")
    return answers
