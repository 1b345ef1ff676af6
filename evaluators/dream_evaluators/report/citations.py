"""From a mark to citations: what each of its labels or its address resolves to."""

from __future__ import annotations

from collections.abc import Collection

from dream_evaluators.model.report import Citation, CitationStatus, Scope
from dream_evaluators.report.entries import Entry
from dream_evaluators.report.links import SCHEME
from dream_evaluators.report.lookup import Lookup
from dream_evaluators.report.marks import Mark, MarkKind
from dream_evaluators.urls import canonicalise, clean_raw, is_allowed, is_placeholder, text_fragment


class Resolver:
    """Turns marks into citations and remembers which entries were used."""

    def __init__(self, text: str, lookup: Lookup, allow: Collection[str] = ()) -> None:
        self.used: set[int] = set()  # starts of entries that some mark means
        self._text = text
        self._lookup = lookup
        self._allow = allow
        self._identities: dict[str, str] = {}
        self._addresses: dict[str, tuple[str, str, CitationStatus]] = {}

    def identity(self, url: str) -> str:
        """Return the canonical form of an address, computed once."""
        known = self._identities.get(url)
        if known is None:
            known = self._identities[url] = canonicalise(url)
        return known

    def citations(self, mark: Mark, scope: Scope) -> list[Citation]:
        """Return one citation for an address, or one for every label."""
        if mark.kind in (MarkKind.LINK, MarkKind.URL):
            label = mark.labels[0] if mark.labels else ""
            return [self._cite(mark, scope, label=label, url=mark.url, title=mark.title)]
        return [self._labelled(mark, label, scope) for label in mark.labels]

    def _labelled(self, mark: Mark, label: str, scope: Scope) -> Citation:
        entry = self._entry(mark, label)
        if entry is not None and entry.url:
            self.used.add(entry.start)
            return self._cite(mark, scope, label=label, url=entry.url, title=entry.title)
        hint = self._lookup.hint(label)
        if hint is not None and hint.url:
            return self._cite(mark, scope, label=label, url=hint.url, title="", vouched=True)
        linked = self._lookup.linked(label) if entry is None else ""
        if linked:
            return self._cite(mark, scope, label=label, url=linked, title="")
        status = CitationStatus.OPAQUE if mark.kind is MarkKind.OPAQUE else CitationStatus.DANGLING
        if entry is not None:
            self.used.add(entry.start)
            status = CitationStatus.NO_ADDRESS
        return Citation(
            marker=self._text[mark.start : mark.end],
            start=mark.start,
            end=mark.end,
            label=label,
            title=entry.title if entry else "",
            scope=scope,
            status=status,
        )

    def _entry(self, mark: Mark, label: str) -> Entry | None:
        if mark.kind is MarkKind.AUTHOR_YEAR:
            return self._lookup.author_year(label)
        return self._lookup.entry(label, mark.start)

    def _cite(
        self, mark: Mark, scope: Scope, *, label: str, url: str, title: str, vouched: bool = False
    ) -> Citation:
        known = self._addresses.get(url)
        if known is None:
            known = self._addresses[url] = _read_address(url, self._allow)
        address, quote, status = known
        if vouched:
            status = CitationStatus.RESOLVED
        return Citation(
            marker=self._text[mark.start : mark.end],
            start=mark.start,
            end=mark.end,
            label=label,
            url=address,
            canonical_url=self.identity(address),
            title=title,
            scope=scope,
            status=status,
            expected_quote=quote,
        )


def _read_address(url: str, allow: Collection[str]) -> tuple[str, str, CitationStatus]:
    """Return what is fetched, the quote its text fragment expects, and what the address is."""
    address, quote = text_fragment(clean_raw(url))
    if is_placeholder(address) and not is_allowed(address, allow):
        return address, quote, CitationStatus.PLACEHOLDER
    if SCHEME.match(address) and address[:4].lower() != "http":
        # file-service://, sandbox:// : nobody else's to open
        return address, quote, CitationStatus.NO_ADDRESS
    return address, quote, CitationStatus.RESOLVED
