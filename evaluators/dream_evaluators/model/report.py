"""What a report is once read: blocks, statements, citations, references."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dream_evaluators.model.finding import Finding


class BlockKind(StrEnum):
    """What a stretch of a report is."""

    FRONT_MATTER = "front_matter"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    QUOTE = "quote"
    TABLE_ROW = "table_row"
    CODE = "code"
    MATH = "math"
    HTML = "html"
    THINKING = "thinking"
    RULE = "rule"
    REFERENCE = "reference"


class StatementKind(StrEnum):
    """The form a statement has in the report."""

    SENTENCE = "sentence"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"


class StatementState(StrEnum):
    """Whether a statement makes a factual claim, and whether an address stands behind it."""

    CITED = "cited"
    CITED_UNRESOLVABLE = "cited_unresolvable"
    UNCITED = "uncited"
    NOT_FACTUAL = "not_factual"


class Scope(StrEnum):
    """How far a citation reaches."""

    SENTENCE = "sentence"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    PARAGRAPH = "paragraph"


class CitationStatus(StrEnum):
    """What became of a citation marker."""

    RESOLVED = "resolved"  # an address or identifier stands behind it
    DANGLING = "dangling"  # it names an entry that the report does not have
    PLACEHOLDER = "placeholder"  # example.com, localhost, your-domain: no source at all
    OPAQUE = "opaque"  # a chat product's own marker that needs the caller's source map
    NO_ADDRESS = "no_address"  # its entry exists but names no address (a book, a local file)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHint:
    """What the caller knows of one source: resolves a marker that the text alone cannot."""

    marker: str  # as in the report, with or without brackets: "turn0search3", "3", "[3]"
    url: str
    text: str = ""  # the source's text when the caller has it
    retrieved_at: str = ""  # ISO moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One citation as it stands in the text.

    `text[start:end] == marker` (character offsets into the report's text). A marker that names
    several entries (`[2, 5]`) gives one Citation an entry, with the same span.
    """

    marker: str
    start: int
    end: int
    label: str = ""  # "3", "1_5", "turn0search3"; empty for a link or a bare address
    # The address as the report writes it, without escapes and text fragment: what is fetched. Empty
    # when unresolved; a placeholder keeps the address that was written.
    url: str = ""
    canonical_url: str = ""  # the identity of the address; empty when unresolved
    title: str = ""  # link text or the title of the entry
    scope: Scope = Scope.SENTENCE
    status: CitationStatus = CitationStatus.RESOLVED
    expected_quote: str = ""  # what the address's text fragment says should be found there


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One entry of a reference list: `text[start:end]` is the entry as written."""

    labels: tuple[str, ...]  # empty for an unnumbered entry
    start: int
    end: int
    url: str = ""
    canonical_url: str = ""
    title: str = ""
    used: bool = False  # some statement cites it, by label or by canonical address


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One stretch of the report: `text[start:end]`, line breaks included, blocks do not overlap."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0  # 1-6 for a heading, nesting depth from 0 for a list item
    section: int = 0  # number of the section (heading) it lies in, 0 before the first heading
    header: str = ""  # for a table row: the header cells, joined by " | "


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The unit of judgement: one sentence, list item or table row.

    `text[start:end]` is the statement as written, markers included; `claim` is the same with
    markers and markup taken out, which is what a judge reads.
    """

    id: str  # stable address "s<section>.<number in section>", both from 0 and 1
    kind: StatementKind
    start: int
    end: int
    text: str
    claim: str
    state: StatementState
    citations: tuple[Citation, ...] = ()
    inherited: tuple[Citation, ...] = ()  # what the paragraph policy would add
    heading: str = ""  # text of the nearest heading above; for a row also its header cells
    preceding: str = ""  # the claim before it in the same block, "" at its start
    paragraph: int = 0  # number of the block it lies in: the cluster for intervals

    @property
    def factual(self) -> bool:
        """Whether it makes a claim that could be checked."""
        return self.state is not StatementState.NOT_FACTUAL

    @property
    def resolved(self) -> tuple[Citation, ...]:
        """The citations behind which an address stands."""
        return tuple(c for c in self.citations if c.status is CitationStatus.RESOLVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStats:
    """Counts over one report; every field counts whole things."""

    statements: int
    factual: int
    cited: int
    cited_unresolvable: int
    uncited: int
    references: int
    dangling: int
    orphans: int
    unique_urls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report read into parts. Offsets are code points of `text`."""

    id: str  # hash of the text
    text: str
    format: str = "markdown"  # markdown, text, html, pdf, docx
    title: str = ""
    language: str = ""  # ISO 639-1 code of the main script's language, "" when unsure
    words: int = 0  # Latin words plus CJK characters
    blocks: tuple[Block, ...] = ()
    statements: tuple[Statement, ...] = ()
    references: tuple[Reference, ...] = ()
    dangling: tuple[Citation, ...] = ()  # every place of a marker without entry, opaque ones too
    findings: tuple[Finding, ...] = ()

    @property
    def orphans(self) -> tuple[Reference, ...]:
        """Reference entries that nothing in the text uses."""
        return tuple(r for r in self.references if not r.used)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation of every statement, in the order of the text."""
        return tuple(c for s in self.statements for c in s.citations)

    @property
    def stats(self) -> ReportStats:
        """Count the parts."""
        states = [s.state for s in self.statements]
        return ReportStats(
            statements=len(states),
            factual=sum(1 for s in states if s is not StatementState.NOT_FACTUAL),
            cited=states.count(StatementState.CITED),
            cited_unresolvable=states.count(StatementState.CITED_UNRESOLVABLE),
            uncited=states.count(StatementState.UNCITED),
            references=len(self.references),
            dangling=len(self.dangling),
            orphans=len(self.orphans),
            unique_urls=len({c.canonical_url for c in self.citations if c.canonical_url}),
        )
