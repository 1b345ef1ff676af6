"""Finding the entry that a marker means: by label near its place, by author and year."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dream_evaluators.model.report import SourceHint
from dream_evaluators.report.authors import surname_year
from dream_evaluators.report.entries import Entry
from dream_evaluators.report.marks import Mark, MarkKind

# "id_2", "source-3": products that number their entries but prefix their markers.
_PREFIX = re.compile(r"^(?:id|doc|source|src|ref|web|cite|citation)[_: -]?(?=\d+$)", re.I)


class Lookup:
    """The entries of a report and the caller's sources, by what a marker can say."""

    def __init__(self, text: str, entries: list[Entry], sources: Sequence[SourceHint]) -> None:
        self._labels: dict[str, list[Entry]] = {}
        self._authors: dict[tuple[str, str], Entry] = {}
        for entry in entries:
            for label in entry.labels:
                self._labels.setdefault(label, []).append(entry)
            self._index_authors(text, entry)
        self._linked: dict[str, str] = {}
        self._hints: dict[str, SourceHint] = {}
        for hint in sources:
            self._hints.setdefault(plain_marker(hint.marker), hint)

    @property
    def labels(self) -> frozenset[str]:
        """Every label that some entry has."""
        return frozenset(self._labels)

    def _index_authors(self, text: str, entry: Entry) -> None:
        written = text[entry.start : min(entry.end, entry.start + 400)]
        years = re.findall(r"(?:19|20)\d\d", written)[:3]
        names = re.findall(r"[^\W\d_a-z][\w'’-]{1,30}", written[:160])[:8]
        for year in years:
            for name in names:
                self._authors.setdefault((name.lower(), year), entry)

    def entry(self, label: str, position: int) -> Entry | None:
        """Return the entry a label means at a position: of the next list that has it, or the last.

        Lists that start again at 1 in every chapter stand behind the text that cites them.
        """
        found = self._labels.get(label)
        if not found:
            plain = _PREFIX.sub("", label)
            found = self._labels.get(plain) if plain != label else None
        if not found:
            return None
        if len(found) == 1:
            return found[0]
        addressed = [e for e in found if e.url] or found
        return next((e for e in addressed if e.start > position), addressed[-1])

    def learn_links(self, marks: Sequence[Mark]) -> None:
        """Learn what `[3](address)` says of 3, for the places that write only `[3]`.

        A label that is linked to two addresses says nothing.
        """
        seen: dict[str, set[str]] = {}
        for mark in marks:
            if mark.kind is MarkKind.LINK and mark.labels:
                seen.setdefault(mark.labels[0], set()).add(mark.url)
        self._linked = {label: urls.pop() for label, urls in seen.items() if len(urls) == 1}

    def linked(self, label: str) -> str:
        """Return the address that the report's own links give a label, "" for none."""
        return self._linked.get(label, "")

    def hint(self, label: str) -> SourceHint | None:
        """Return what the caller says of a marker; "95-1" also asks for document 95."""
        return self._hints.get(label) or self._hints.get(re.sub(r"-[\d,-]+$", "", label))

    def author_year(self, label: str) -> Entry | None:
        """Return the entry of the first author and year of a label."""
        return self._authors.get(surname_year(label))


def plain_marker(marker: str) -> str:
    """Take brackets, carets and other dress off a marker."""
    return marker.strip().strip("[]【】()\\^\ue200\ue201\ue202").removeprefix("cite\ue202").strip()
