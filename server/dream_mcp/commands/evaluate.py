"""dream-mcp evaluate: a report in, a scorecard out."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from dream_evaluators.errors import BadInput
from dream_evaluators.ledger.evaluations import EvaluationStatus
from dream_evaluators.render import to_markdown
from dream_mcp.commands.session import Session
from dream_mcp.intake import EFFORTS, Ask, Handed, make_request, open_report, read_pack_file
from dream_mcp.present import evaluation_card, orders_open
from dream_mcp.rungs import Caps
from dream_mcp.settings import JUDGES

if TYPE_CHECKING:
    from dream_evaluators.model.score import Scorecard
    from dream_mcp.drive import Evaluation

FINE, BELOW, COULD_NOT = 0, 1, 2


def register(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser("evaluate", help="evaluate a report")
    parser.add_argument("report", help="the report file (Markdown, text, HTML, PDF or DOCX)")
    parser.add_argument("--query", default="", help="the question that the report answers")
    parser.add_argument(
        "--judge",
        default="auto",
        choices=JUDGES,
        help="who reads the sources: agent (you answer work orders), anthropic (a key), offline "
        "(nobody: an estimate); auto takes what can be had",
    )
    parser.add_argument(
        "--effort",
        default="",
        choices=EFFORTS,
        help="quick: 25 source readings; standard: 60 statements; full: all. Default: quick for "
        "agent and host, else standard",
    )
    parser.add_argument("--samples", type=int, default=1, help="put each question so often (1-9)")
    parser.add_argument("--metric", action="append", default=[], help="CI, CA, CF or DA; repeat")
    parser.add_argument(
        "--pack", default="", help="an evidence pack; its pages replace the network"
    )
    parser.add_argument("--offline", action="store_true", help="ask the network for nothing")
    parser.add_argument("--fresh", action="store_true", help="start anew instead of resuming")
    parser.add_argument("--max-usd", type=float, default=0.0, help="spend no more; 0: no cap")
    parser.add_argument("--max-calls", type=int, default=0, help="call a model no more often")
    parser.add_argument(
        "--batches",
        action="store_true",
        help="let a model take up to a day over large rounds, at half the price",
    )
    parser.add_argument("--as-of", default="", help="date (YYYY-MM-DD) to judge as of")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="the tool's structured content")
    form.add_argument("--md", action="store_true", help="the scorecard as Markdown (the default)")
    parser.add_argument(
        "--fail-under",
        nargs="+",
        default=[],
        metavar="METRIC=SCORE",
        help="exit 1 when a score lies below, beyond its interval; 2 when there is no score",
    )
    parser.set_defaults(handler=evaluate)


async def evaluate(session: Session, options: argparse.Namespace) -> int:
    """Evaluate a report, print what was found, and say what to do next."""
    thresholds = [_threshold(text) for text in options.fail_under]
    driver = session.driver
    pack = await read_pack_file(session.roots, options.pack) if options.pack else None
    path = str(session.roots.admit(options.report))
    handed = Handed(report_path=path, query=options.query)
    opened = await open_report(driver, session.roots, handed)
    ask = Ask(
        query=options.query,
        metrics=tuple(options.metric),
        judge=options.judge,
        effort=options.effort,
        samples=options.samples,
        as_of=options.as_of,
        offline=options.offline,
    )
    request = await make_request(driver, opened, ask, pack)
    evaluation = await driver.start(request, opened.report, pack, fresh=options.fresh)
    caps = Caps(max_usd=options.max_usd, max_calls=options.max_calls, batches=options.batches)
    view = await driver.settle(evaluation, caps)
    orders, waiting = await driver.orders.write_out(view.id)
    card = evaluation_card(view, orders[:1], waiting)
    if options.json:
        session.say_json(card)
    elif view.scorecard:
        session.say(to_markdown(view.scorecard))
    following = _following(view, card["next"])
    if view.status is EvaluationStatus.RUNNING:
        again = [word for word in options.typed if word != "--fresh"]
        following = f"When you come back, type: {shlex.join(['dream-mcp', *again])}"
    _say_next(session, view, waiting, following)
    return _verdict(session, view, thresholds)


def _following(view: Evaluation, next_call: str) -> str:
    """What to type next, where the tools' hint names what to call."""
    if view.status is EvaluationStatus.COMPLETE and view.request.judge != "offline":
        return f"Every judgement as a row: dream-mcp export {view.id[:15]} --jsonl"
    return next_call.replace("judge='agent' would", "--judge agent would").replace(
        "with the network, and fresh, or with an evidence pack",
        "with the network and --fresh, or with --pack",
    )


def _say_next(session: Session, view: Evaluation, waiting: int, following: str) -> None:
    short = view.id[:15]
    session.note(f"Evaluation {view.id}: {view.status.value}. {view.message}".rstrip())
    if waiting:
        session.note(
            f"{orders_open(waiting)} Print them with: dream-mcp work {short}\n"
            f"Hand in answers with: dream-mcp answer {short} FILE.json --by MODEL"
        )
    else:
        session.note(following)


def _verdict(session: Session, view: Evaluation, thresholds: list[tuple[str, float]]) -> int:
    if view.scorecard is None:
        return COULD_NOT
    codes = [_gate(session, view.scorecard, name, least) for name, least in thresholds]
    return max(codes, default=FINE)


def _gate(session: Session, card: Scorecard, name: str, least: float) -> int:
    score = card.scores.get(name)
    if score is None or score.value is None:
        why = score.reason.value if score and score.reason else "not evaluated"
        session.note(f"--fail-under {name}={least:g}: there is no score ({why}).")
        return COULD_NOT
    reach = score.value if score.high is None else score.high
    if reach < least:
        session.note(f"--fail-under {name}={least:g}: {score.value:.1f} is below it.")
        return BELOW
    return FINE


def _threshold(text: str) -> tuple[str, float]:
    name, found, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not found or not 0 <= value <= 100:
        raise BadInput(f"--fail-under takes METRIC=SCORE with a score of 0 to 100, not {text!r}.")
    return name, value
