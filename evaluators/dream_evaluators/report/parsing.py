"""Reading a report: blocks, marks, reference lists, statements, findings, in that order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from dream_evaluators.hashing import text_id
from dream_evaluators.model.report import (
    Block,
    BlockKind,
    Citation,
    CitationStatus,
    Reference,
    Report,
    Scope,
    SourceHint,
    Statement,
    StatementState,
)
from dream_evaluators.report.blocks import Span, find_blocks
from dream_evaluators.report.checkworthy import is_checkworthy
from dream_evaluators.report.citations import Resolver
from dream_evaluators.report.claims import claim_text, clean
from dream_evaluators.report.findings import find_findings
from dream_evaluators.report.inline import InlineScanner
from dream_evaluators.report.language import count_words, tell_language
from dream_evaluators.report.lookup import Lookup
from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.report.references import find_references
from dream_evaluators.report.statements import PROSE, Draft, StatementBuilder, is_wrapped
from dream_evaluators.report.styles import Styles, accept


def read_report(
    text: str, sources: Sequence[SourceHint], origin: str, allow: Collection[str]
) -> Report:
    """Read a report; see `dream_evaluators.report.parse_report`."""
    reading = _Reading(text, sources, allow)
    reading.run()
    statements = reading.statements()
    references = reading.references(statements)
    report = Report(
        id=text_id(text),
        text=text,
        format=origin,
        title=reading.title(),
        language=tell_language(text),
        words=count_words(text),
        blocks=tuple(reading.record(block) for block in reading.blocks),
        statements=statements,
        references=references,
        dangling=_dangling(statements),
    )
    return replace(report, findings=find_findings(report, sources))


def _dangling(statements: Sequence[Statement]) -> tuple[Citation, ...]:
    unresolved = (CitationStatus.DANGLING, CitationStatus.OPAQUE)
    return tuple(c for s in statements for c in s.citations if c.status in unresolved)


class _Reading:
    """One pass over one text; the parts are kept until the records are made of them."""

    def __init__(self, text: str, sources: Sequence[SourceHint], allow: Collection[str]) -> None:
        self._text = text
        self._scanner = InlineScanner(text)
        self.blocks: list[Span] = find_blocks(text)
        self._entries = find_references(text, self.blocks, self._scanner)
        self._lookup = Lookup(text, self._entries, sources)
        self._scanner.defined = self._lookup.labels
        self._resolver = Resolver(text, self._lookup, allow)
        self._builder = StatementBuilder(text, self.blocks, is_wrapped(text, self.blocks))
        self._headings: list[str] = []  # for every block, the heading above it

    def run(self) -> None:
        """Find the marks of all blocks, decide which count, cut the statements."""
        marks: dict[int, list[Mark]] = {}
        for index, block in enumerate(self.blocks):
            if block.kind in PROSE or block.kind is BlockKind.HEADING:
                marks[index] = self._scanner.scan(block.start, block.end)
        everything = [mark for found in marks.values() for mark in found]
        self._lookup.learn_links(everything)
        styles = Styles.of(everything, self._lookup)
        heading = ""
        for index, block in enumerate(self.blocks):
            if block.kind is BlockKind.HEADING:
                heading = self._heading(
                    block, accept(self._text, marks[index], styles, self._lookup)
                )
            elif block.kind in PROSE:
                self._builder.add(index, accept(self._text, marks[index], styles, self._lookup))
            self._headings.append(heading)

    def _heading(self, block: Span, marks: list[Mark]) -> str:
        for mark in marks:
            if mark.cites:  # a citation in a heading uses its entry, though no statement has it
                self._resolver.citations(mark, Scope.SENTENCE)
        return claim_text(self._text, block.body, block.end, marks).rstrip("# ")

    def statements(self) -> tuple[Statement, ...]:
        """Make the records of the statements."""
        drafts = self._builder.drafts
        cited = [self._citations(draft) for draft in drafts]
        inherited = _inherit(drafts, cited)
        opening = _openings(drafts)
        statements: list[Statement] = []
        numbers: dict[int, int] = {}
        for index, (draft, citations, more) in enumerate(
            zip(drafts, cited, inherited, strict=True)
        ):
            section = self.blocks[draft.block].section
            numbers[section] = number = numbers.get(section, 0) + 1
            before = (
                statements[-1] if statements and statements[-1].paragraph == draft.block else None
            )
            statements.append(
                self._statement(
                    f"s{section}.{number}", draft, citations, more, before, opens=index in opening
                )
            )
        return tuple(statements)

    def _statement(
        self,
        address: str,
        draft: Draft,
        citations: tuple[Citation, ...],
        inherited: tuple[Citation, ...],
        before: Statement | None,
        *,
        opens: bool,
    ) -> Statement:
        block = self.blocks[draft.block]
        row = block.kind is BlockKind.TABLE_ROW
        claim = claim_text(self._text, draft.start, draft.claim_end, draft.marks, row=row)
        heading = self._headings[draft.block]
        header = clean(block.header) if row else ""
        return Statement(
            id=address,
            kind=draft.kind,
            start=draft.start,
            end=draft.end,
            text=self._text[draft.start : draft.end],
            claim=claim,
            state=_state(claim, citations, opens=opens),
            citations=citations,
            inherited=inherited,
            heading=" | ".join(part for part in (heading, header) if part),
            preceding=before.claim if before else "",
            paragraph=draft.block,
        )

    def _citations(self, draft: Draft) -> tuple[Citation, ...]:
        found: list[Citation] = []
        for mark in draft.marks:
            if mark.cites:
                found.extend(self._resolver.citations(mark, draft.scope))
        for mark, scope in draft.trailing:
            found.extend(self._resolver.citations(mark, scope))
        # An author and year beside a real citation names the work, it is no second marker.
        names = {m.start for m in draft.marks if m.kind is MarkKind.AUTHOR_YEAR}
        if names and any(c.status is CitationStatus.RESOLVED for c in found):
            unresolved = CitationStatus.DANGLING
            found = [c for c in found if not (c.status is unresolved and c.start in names)]
        return tuple(found)

    def references(self, statements: Sequence[Statement]) -> tuple[Reference, ...]:
        """Make the records of the entries; one is used by label or by canonical address."""
        cited = {c.canonical_url for s in statements for c in s.citations if c.canonical_url}
        records = []
        for entry in self._entries:
            canonical = self._resolver.identity(entry.url) if entry.url else ""
            records.append(
                Reference(
                    labels=tuple(entry.labels),
                    start=entry.start,
                    end=entry.end,
                    url=entry.url,
                    canonical_url=canonical,
                    title=entry.title,
                    used=entry.start in self._resolver.used or canonical in cited,
                )
            )
        return tuple(records)

    def title(self) -> str:
        """Return the text of the first heading of the highest level, "" without headings."""
        headings = [b for b in self.blocks if b.kind is BlockKind.HEADING]
        if not headings:
            return ""
        first = min(headings, key=lambda block: (block.level, block.start))
        return clean(self._text[first.body : first.end].rstrip("# "))

    def record(self, block: Span) -> Block:
        """Make the record of a block."""
        return Block(
            kind=block.kind,
            start=block.start,
            end=block.end,
            level=block.level,
            section=block.section,
            header=block.header,
        )


def _openings(drafts: Sequence[Draft]) -> frozenset[int]:
    """The first statements of blocks that have more than one."""
    firsts = (
        index
        for index in range(len(drafts) - 1)
        if drafts[index].block == drafts[index + 1].block
        and (index == 0 or drafts[index - 1].block != drafts[index].block)
    )
    return frozenset(firsts)


def _state(claim: str, citations: Sequence[Citation], *, opens: bool) -> StatementState:
    if any(c.status is CitationStatus.RESOLVED for c in citations):
        return StatementState.CITED
    if citations:
        return StatementState.CITED_UNRESOLVABLE
    return (
        StatementState.UNCITED if is_checkworthy(claim, opens=opens) else StatementState.NOT_FACTUAL
    )


def _inherit(
    drafts: Sequence[Draft], cited: Sequence[tuple[Citation, ...]]
) -> list[tuple[Citation, ...]]:
    """What the paragraph policy adds: an uncited statement takes those of the next cited one."""
    inherited: list[tuple[Citation, ...]] = [()] * len(drafts)
    for index in range(len(drafts) - 2, -1, -1):
        if cited[index] or drafts[index].block != drafts[index + 1].block:
            continue
        inherited[index] = cited[index + 1] or inherited[index + 1]
    return inherited
