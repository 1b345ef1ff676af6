"""A judge's recorded answers without the texts they are about: question hash, verdict and spans.

The development rows beside the repository may not be copied into it, so an answer is kept as the
hash of its question and, for each part of the claim, what the source says and where the quote
stands. Read again beside the same rows it is the judge's answer; a question that has changed since
it was answered has another hash, and its answer is not found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from dream_evaluators.judge import Judge, Pending
from dream_evaluators.ledger import Ledger
from dream_evaluators.metrics.verdicts import Pair, claim_question, find_problem, judge_pair
from dream_evaluators.model.judgement import Answer
from dream_evaluators.model.score import TITLE, SubFact
from dream_evaluators.prompts.answers import ClaimVerdict, FailedAnswer

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "replays"
FAILED = "judge_failed"
IN_TITLE = (-1, -1)


@dataclass(frozen=True)
class Kept:
    """One recorded answer.

    Attributes:
        item: The hash of the question as first put.
        model: As the judge named itself.
        label: The verdict; judge_failed when both answers were unusable.
        facts: For each part (relation, start, end) in the source's text; (relation, 0, 0) where
            nothing was quoted, (relation, -1, -1) for words of its title.
        problems: Kinds of what was wrong with the first answer, then with the second.
    """

    item: str
    model: str
    label: str
    facts: tuple[tuple[str, int, int], ...]
    problems: tuple[str, ...] = ()


def read(name: str) -> dict[str, Kept]:
    """Read a replay file by question; empty where there is none yet."""
    path = FOLDER / name
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {
        row["item"]: Kept(
            row["item"],
            row["model"],
            row["label"],
            tuple((relation, start, end) for relation, start, end in row["facts"]),
            tuple(row["problems"]),
        )
        for row in rows
    }


def write(name: str, kept: Iterable[Kept]) -> int:
    """Write a replay file in the order of the questions' hashes; return how many it holds."""
    answers = sorted(kept, key=lambda each: each.item)
    if len(answers) < len(read(name)):
        raise SystemExit(f"{name} holds more than these {len(answers)} answers; remove it first")
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = [asdict(each) for each in answers]
    lines = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    (FOLDER / name).write_text(lines, encoding="utf-8")
    return len(rows)


def question_id(pair: Pair) -> str:
    """The hash of the question as first put."""
    return claim_question(pair).id


async def collect(stores: Sequence[Path], asked: Sequence[Pair]) -> list[Kept]:
    """Read what an agent answered from its stores."""
    kept: list[Kept] = []
    for store in stores:
        if not store.is_file():
            raise SystemExit(f"{store}: there is no such store")
        ledger = Ledger.open(str(store))
        judge = Judge(ledger, "agent")
        for pair in asked:
            first = claim_question(pair).id
            if first in await ledger.answers.of([first]):
                with suppress(Pending):  # it was asked again and has not been answered yet
                    kept.append(await _kept(judge, pair))
        ledger.close()
    return list({each.item: each for each in reversed(kept)}.values())


async def _kept(judge: Judge, pair: Pair) -> Kept:
    verdict = await judge_pair(judge, pair)
    problems = []
    for item in verdict.items:
        [answer, *_] = (await judge.ledger.answers.of([item]))[item]
        found = find_problem(ClaimVerdict.model_validate_json(answer.answer), pair.source)
        problems += [_kind(found)] if found else []
    facts = tuple((fact.relation, *_span(fact)) for fact in verdict.facts)
    return Kept(verdict.items[0], verdict.model, verdict.label.value, facts, tuple(problems))


def _span(fact: SubFact) -> tuple[int, int]:
    if fact.evidence and fact.evidence.match == TITLE:
        return IN_TITLE
    return (fact.evidence.start, fact.evidence.end) if fact.evidence else (0, 0)


KINDS = {
    "does not stand": "ungrounded",
    "quotes nothing": "no_quote",
    "amount to": "verdict",
    "no part": "empty",
    "nowhere in the source": "number",
}


def _kind(problem: str) -> str:
    return next(kind for words, kind in KINDS.items() if words in problem)


async def restore(ledger: Ledger, asked: Iterable[Pair], kept: Mapping[str, Kept]) -> int:
    """Put recorded answers back beside their sources; return how many were found."""
    answers = []
    for pair in asked:
        item = claim_question(pair)
        await ledger.sources.add(pair.source)
        if each := kept.get(item.id):
            name = f"agent:{each.model or 'unnamed'}"
            answers.append(
                Answer(item=item.id, judge=name, answer=_answer(each, pair), model=each.model)
            )
    await ledger.answers.record(answers)
    return len(answers)


def _answer(kept: Kept, pair: Pair) -> str:
    if kept.label == FAILED:
        return FailedAnswer(failed="unreadable", reason="; ".join(kept.problems)).model_dump_json()
    facts = [
        {"fact": "A part.", "quote": _quote(pair, start, end), "relation": relation}
        for relation, start, end in kept.facts
    ]
    given = {"facts": facts, "reasoning": "", "verdict": kept.label}
    return ClaimVerdict.model_validate(given).model_dump_json()


def _quote(pair: Pair, start: int, end: int) -> str:
    return pair.source.title if (start, end) == IN_TITLE else pair.source.text[start:end]
