"""What the verdicts mean for the author: one finding a fault, with the quote and the fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dream_evaluators.injection import ORDERS
from dream_evaluators.metrics.remedies import NOTHING, Remedy
from dream_evaluators.model.finding import Finding, Severity
from dream_evaluators.model.report import Report, Statement
from dream_evaluators.model.score import Label, PairVerdict, StatementVerdict, SubFact
from dream_evaluators.web.camouflage import FLAG as CAMOUFLAGED

QUERY_CHARACTERS = 160


def citation_findings(
    report: Report,
    verdicts: Sequence[StatementVerdict],
    remedies: Mapping[str, Remedy] | None = None,
) -> tuple[Finding, ...]:
    """List the faults that the verdicts show, in the order of the report.

    Args:
        report: The report.
        verdicts: What was found of its sampled statements.
        remedies: What may mend them, by statement id.
    """
    by_id = {s.id: s for s in report.statements}
    hints = remedies or {}
    return tuple(
        finding
        for verdict in verdicts
        for finding in _of_statement(
            by_id[verdict.statement_id], verdict, hints.get(verdict.statement_id, NOTHING)
        )
    )


def _of_statement(
    statement: Statement, verdict: StatementVerdict, remedy: Remedy
) -> Iterator[Finding]:
    for pair in verdict.pairs:
        if pair.label is Label.SOURCE_DEAD:
            alone = verdict.label is Label.SOURCE_DEAD
            yield _dead(statement, pair, remedy if alone else NOTHING, alone=alone)
        elif pair.label is Label.CONTRADICT:
            yield _contradicted(statement, pair)
        yield from _of_page(statement, pair)
    if any(is_lexical(pair) for pair in verdict.pairs):
        yield from _suspected(statement, verdict)
    elif verdict.label is Label.UNVERIFIABLE:
        yield _unsupported(statement, verdict, remedy)
    elif verdict.label is Label.PARTIAL_SUPPORT:
        yield _partial(statement, verdict, remedy)


def _of_page(statement: Statement, pair: PairVerdict) -> Iterator[Finding]:
    """What a reader should know of the page, whatever it says of the statement."""
    if ORDERS in pair.flags:
        yield _instructions(statement, pair)
    elif CAMOUFLAGED in pair.flags:
        yield _camouflaged(statement, pair)


def is_lexical(pair: PairVerdict) -> bool:
    """Whether the offline judge said this: a comparison of words, not a reading."""
    return pair.judge.startswith("offline:")


def _finding(
    statement: Statement, kind: str, severity: Severity, message: str, **more: str
) -> Finding:
    return Finding(
        kind=kind,
        severity=severity,
        message=message,
        statement_id=statement.id,
        start=statement.start,
        end=statement.end,
        text=statement.text,
        **more,
    )


def _dead(statement: Statement, pair: PairVerdict, remedy: Remedy, *, alone: bool) -> Finding:
    mend = "Cite a page that exists, or an archived copy of this one."
    return _finding(
        statement,
        "dead_source",
        Severity.HIGH if alone else Severity.MEDIUM,
        f"The cited page does not exist: {pair.reason}",
        fix=_elsewhere(remedy) or mend
        if alone
        else "Remove the dead citation; another source of the sentence can be read.",
        url=pair.url,
        search_query=_query(statement),
    )


def _contradicted(statement: Statement, pair: PairVerdict) -> Finding:
    wrong = [fact for fact in pair.facts if fact.relation == "contradicted"]
    quote = _quote(wrong)
    parts = "; ".join(fact.fact for fact in wrong)
    return _finding(
        statement,
        "contradicted",
        Severity.HIGH,
        f"The cited source says otherwise. In question: {parts}. {pair.reason}",
        fix=f"Correct the sentence to what the source says: “{quote}”." if quote else "",
        url=pair.url,
        quote=quote,
    )


def _unsupported(statement: Statement, verdict: StatementVerdict, remedy: Remedy) -> Finding:
    pair = next(p for p in verdict.pairs if p.label is Label.UNVERIFIABLE)
    return _finding(
        statement,
        "unsupported",
        Severity.HIGH,
        f"The cited source was read and does not say this. {_numbers(remedy)}{pair.reason}",
        fix=_elsewhere(remedy)
        or _nearest(remedy)
        or "Cite a source that says it, or take the sentence out.",
        url=pair.url,
        quote=remedy.nearest,
        search_query=_query(statement),
    )


def _partial(statement: Statement, verdict: StatementVerdict, remedy: Remedy) -> Finding:
    pair = next(p for p in verdict.pairs if p.label is Label.PARTIAL_SUPPORT)
    absent = [fact.fact for fact in pair.facts if fact.relation == "absent"]
    supported = [fact for fact in pair.facts if fact.relation == "supported"]
    return _finding(
        statement,
        "partly_unsupported",
        Severity.MEDIUM,
        f"The cited source supports only a part of this. Not found there: {'; '.join(absent)}. "
        f"{_numbers(remedy)}".rstrip(),
        fix=_elsewhere(remedy)
        or _nearest(remedy)
        or "Cite a source for the missing part, or keep to what the source says.",
        url=pair.url,
        quote=_quote(supported),
        search_query=_query(statement),
    )


def _instructions(statement: Statement, pair: PairVerdict) -> Finding:
    return _finding(
        statement,
        ORDERS,
        Severity.MEDIUM,
        "The cited page contains text addressed to an AI system; it was treated as quoted text.",
        fix="Read the page yourself before you rely on it.",
        url=pair.url,
    )


def _camouflaged(statement: Statement, pair: PairVerdict) -> Finding:
    return _finding(
        statement,
        CAMOUFLAGED,
        Severity.LOW,
        "The cited page holds text that only machines see; it was not taken as evidence.",
        fix="Read the page yourself before you rely on it.",
        url=pair.url,
    )


# The offline judge's flags that are worth a reader's look although it decides nothing by them.
# `possible_contradiction` is not among them: it is wrong more often than right (docs/accuracy.md).
SUSPICIONS: dict[str, tuple[str, Severity, str]] = {
    "quote_missing": (
        "quote_not_in_source",
        Severity.HIGH,
        "Words in quotation marks were not found in the cited source.",
    ),
    "number_missing": (
        "number_not_in_source",
        Severity.MEDIUM,
        "A number of this sentence was not found in the cited source.",
    ),
}


def _suspected(statement: Statement, verdict: StatementVerdict) -> Iterator[Finding]:
    """What comparing words can say: at most one suspicion a statement, and never a verdict."""
    for flag, (kind, severity, message) in SUSPICIONS.items():
        flagged = [pair for pair in verdict.pairs if flag in pair.flags]
        # Every source must lack it: a number that one of two sources carries is no suspicion.
        if flagged and len(flagged) == len(verdict.pairs):
            yield _suspicion(statement, flagged[0], kind, severity, message)
            return
    if verdict.label is Label.UNVERIFIABLE:
        message = "Comparing words finds little of this in the cited source."
        pair = next(p for p in verdict.pairs if p.label is Label.UNVERIFIABLE)
        yield _suspicion(statement, pair, "possibly_unsupported", Severity.LOW, message)


def _suspicion(
    statement: Statement, pair: PairVerdict, kind: str, severity: Severity, message: str
) -> Finding:
    return _finding(
        statement,
        kind,
        severity,
        f"{message} ({pair.reason})",
        fix="Check the source, or have a model judge this evaluation.",
        url=pair.url,
        quote=_quote(pair.facts),
    )


def _numbers(remedy: Remedy) -> str:
    return f"Not found anywhere in it: {', '.join(remedy.numbers)}. " if remedy.numbers else ""


def _elsewhere(remedy: Remedy) -> str:
    if not remedy.better_url:
        return ""
    return (
        f"Another source of this report seems to say it, cite that: {remedy.better_url} "
        f"(“{remedy.better_quote}”)."
    )


def _nearest(remedy: Remedy) -> str:
    if not remedy.nearest:
        return ""
    return f"Cite a source that says it, or keep to what this one says: “{remedy.nearest}”."


def _quote(facts: Sequence[SubFact]) -> str:
    return next((fact.evidence.quote for fact in facts if fact.evidence), "")


def _query(statement: Statement) -> str:
    return statement.claim[:QUERY_CHARACTERS]
