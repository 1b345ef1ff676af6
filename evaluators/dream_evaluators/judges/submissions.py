"""Answers that come back: taken apart, checked one by one, recorded or refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dream_evaluators.errors import AnswerRejected
from dream_evaluators.ledger import Ledger
from dream_evaluators.model.judgement import Answer, Question
from dream_evaluators.prompts.answers import ANSWER_TYPES, MAX_FACTS, MAX_TEXT

if TYPE_CHECKING:
    from pydantic import ValidationError

# A name is shown and stored; longer ones are cut.
NAME_CHARACTERS = 100
HANDLE_CHARACTERS = 40
MOST_REFUSED = 50  # refusals that are spelled out; the rest are alike
UNNAMED = "unnamed"
MAX_PROBLEMS = 3  # of one answer that are spelled out


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that was not taken: which, and what to send instead."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a submission: handles of questions taken, and what was refused and why."""

    accepted: tuple[str, ...]
    rejected: tuple[Rejection, ...]


def judge_name(answered_by: str) -> str:
    """The judge an answer is recorded under: `human:<name>` as given, else `agent:<model>`.

    Raises:
        AnswerRejected: A person without a name.
    """
    name = "".join(c for c in answered_by if c.isprintable()).strip()[:NAME_CHARACTERS]
    if name.startswith("human:"):
        if not name.removeprefix("human:").strip():
            raise AnswerRejected("A person's answers need a name: human:NAME.")
        return name
    return f"agent:{name.removeprefix('agent:') or UNNAMED}"


async def submit(
    ledger: Ledger, evaluation: str, answers: Sequence[Mapping[str, Any]], judge: str
) -> Receipt:
    """Record answers to work orders of an evaluation.

    Answers may come late, twice, out of order or in parts; whatever is wrong is refused by itself
    and its question stays open.

    Args:
        ledger: The store.
        evaluation: Its id.
        answers: Each `{id, answer}`: an order's id with all its verdicts, or a question's id.
        judge: The name they are recorded under, see `judge_name`.
    """
    numbers = await ledger.evaluations.number(evaluation, [])
    items = await ledger.answers.items([item for item, _ in numbers])
    orders = await ledger.evaluations.orders(evaluation)
    put = {
        n: Question(items[item], sample) for (item, sample), n in numbers.items() if item in items
    }
    desk = _Desk({f"q{n}": question for n, question in put.items()}, orders)
    taken: dict[str, str] = {}
    refused: list[Rejection] = []
    for given in answers:
        for handle, answer in desk.entries(given):
            if isinstance(answer, AnswerRejected):
                refused.append(Rejection(handle, str(answer)))
            else:
                taken[handle] = answer
    keys = {handle: desk.questions[handle].key for handle in taken}
    mates = tuple(sorted(item for item, _ in keys.values()))
    await ledger.answers.record(
        [
            Answer(
                item=keys[handle][0],
                sample=keys[handle][1],
                judge=judge,
                answer=answer,
                model=_model(judge),
                asked_with=mates,
            )
            for handle, answer in taken.items()
        ]
    )
    return Receipt(tuple(taken), tuple(refused[:MOST_REFUSED]))


def _model(judge: str) -> str:
    rung, _, name = judge.partition(":")
    return name if rung == "agent" and name != UNNAMED else ""


class _Desk:
    """The open questions of one evaluation, and how to read what is handed in for them."""

    def __init__(
        self, questions: Mapping[str, Question], orders: Mapping[int, Sequence[int]]
    ) -> None:
        self.questions = questions
        self.orders = {f"w{n}": [f"q{q}" for q in numbers] for n, numbers in orders.items()}

    def entries(self, given: Mapping[str, Any]) -> Iterator[tuple[str, str | AnswerRejected]]:
        """Give each verdict of one submitted answer as a checked JSON text, or why not."""
        named = given.get("id", "")
        handle = named.strip()[:HANDLE_CHARACTERS] if isinstance(named, str) else ""
        try:
            value = _decoded(given.get("answer"))
            if handle in self.questions:
                yield handle, self._checked(handle, value, "")
                return
            verdicts = self._verdicts(handle, value)
        except AnswerRejected as error:
            yield handle or "?", error
            return
        for index, entry in enumerate(verdicts):
            yield self._entry(handle, entry, index)

    def _verdicts(self, handle: str, value: Any) -> list[Any]:
        if handle not in self.orders:
            raise AnswerRejected(
                f"no open work order {handle!r}; ids look like 'w1' (an order) or 'q1' (one "
                "question of it), see get_work_orders"
            )
        if isinstance(value, list):
            return value
        if isinstance(value, Mapping) and isinstance(value.get("verdicts"), list):
            return list(value["verdicts"])
        if isinstance(value, Mapping) and len(self.orders[handle]) == 1:
            return [{"question": self.orders[handle][0], **value}]
        raise AnswerRejected('answer: must be {"verdicts": [...]} with one entry for each question')

    def _entry(self, order: str, entry: Any, index: int) -> tuple[str, str | AnswerRejected]:
        path = f"verdicts.{index}"
        if not isinstance(entry, Mapping):
            return order, AnswerRejected(f"{path}: must be an object")
        question = str(entry.get("question", ""))[:HANDLE_CHARACTERS]
        if question not in self.orders[order]:
            allowed = ", ".join(self.orders[order])
            return order, AnswerRejected(f"{path}.question: {question!r} is not one of {allowed}")
        rest = {key: value for key, value in entry.items() if key != "question"}
        try:
            return question, self._checked(question, rest, path)
        except AnswerRejected as error:
            return question, error

    def _checked(self, handle: str, value: Any, path: str) -> str:
        from pydantic import ValidationError  # noqa: PLC0415 - start-up

        answer_type = ANSWER_TYPES[self.questions[handle].item.kind]
        if not isinstance(value, Mapping):
            raise AnswerRejected(f"{path or 'answer'}: must be an object")
        value = {key: part for key, part in value.items() if key != "question"}
        try:
            text = answer_type.model_validate(value).model_dump_json()
        except ValidationError as error:
            raise AnswerRejected(explained(error, path)) from None
        except ValueError:  # a lone surrogate, which no JSON can carry
            raise AnswerRejected(f"{path or 'answer'}: holds characters that are no text") from None
        if len(text) > MAX_FACTS * MAX_TEXT:
            raise AnswerRejected(f"{path or 'answer'}: is too long; keep quotes short")
        return text


def _decoded(value: Any) -> Any:
    """Take an answer as an object or as JSON text of one."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise AnswerRejected(f"answer: is not valid JSON ({error})") from None
    except RecursionError:
        raise AnswerRejected("answer: is nested too deeply") from None


def explained(error: ValidationError, path: str) -> str:
    """Say what does not fit and where, below `path`, for whoever wrote the answer."""
    problems = [
        f"{'.'.join([*filter(None, [path]), *map(str, p['loc'])])}: {p['msg']}"
        for p in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    more = len(problems) - MAX_PROBLEMS
    shown = "; ".join(problems[:MAX_PROBLEMS])
    return f"{shown}; and {more} more" if more > 0 else shown
