"""What an evaluation reads: each address once, from where it is allowed to, and always the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

import anyio

from dream_evaluators.clock import Clock, iso
from dream_evaluators.hashing import text_id
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.sources import FETCHED, HANDED
from dream_evaluators.model.report import SourceHint
from dream_evaluators.model.source import READABLE, Outcome, Source
from dream_evaluators.urls import canonicalise, is_placeholder
from dream_evaluators.web.fetch import Fetcher

# How long a snapshot may serve another evaluation. Pages that could be read are good for a day, an
# archived copy does not change; what failed is tried again next time.
TIME_TO_LIVE = dict.fromkeys(READABLE, timedelta(hours=24)) | {Outcome.ARCHIVED: timedelta(days=30)}
LONGEST = max(TIME_TO_LIVE.values())


@dataclass
class SourceReader:
    """Reads sources for one evaluation.

    What it read once it reads again, also after a restart; the pages of an evidence pack count as
    read. Else the caller's own copies come first, then recent snapshots, then the network.

    Attributes:
        ledger: Where snapshots are kept.
        evaluation: Its id; "" reads without remembering for whom.
        clock: Tells how old a snapshot is.
        fetcher: The way to the network; None when it may not be used.
        hints: What the report's author says it read.
        archive: Look for an archived copy of a page that is gone.
        why_not: Said of addresses that are not checked.
        refresh: Take no snapshot from before this evaluation.
    """

    ledger: Ledger
    evaluation: str
    clock: Clock
    fetcher: Fetcher | None = None
    hints: Iterable[SourceHint] = ()
    archive: bool = True
    why_not: str = "Not checked: this evaluation runs offline."
    refresh: bool = False
    _turns: dict[str, anyio.Lock] = field(default_factory=dict)
    _read: dict[str, Source] = field(default_factory=dict)
    _pinned: dict[str, str] | None = None

    async def read(self, url: str) -> Source:
        """Return the snapshot of an address that this evaluation goes by."""
        key = canonicalise(url)
        async with self._turns.setdefault(key, anyio.Lock()):
            if key not in self._read:
                self._read[key] = await self._once(url, key)
            return self._read[key]

    async def _once(self, url: str, key: str) -> Source:
        if self._pinned is None:
            self._pinned = await self.ledger.sources.readings(self.evaluation)
        if key in self._pinned:
            return await self.ledger.sources.get(self._pinned[key])
        source = await self._obtain(url, key)
        asked = self.fetcher is not None and "handed_in" not in source.flags
        snapshot = await self.ledger.sources.add(source, FETCHED if asked else HANDED)
        if not self.evaluation:
            return source
        kept = await self.ledger.sources.pin(self.evaluation, key, snapshot)
        return source if kept == snapshot else await self.ledger.sources.get(kept)

    async def _obtain(self, url: str, key: str) -> Source:
        if hint := next((h for h in self.hints if h.text and canonicalise(h.url) == key), None):
            return self._handed(hint, key)
        if self.fetcher is None:
            return self._unchecked(url, key, self.why_not)
        if not self.refresh and (recent := await self._recent(key)):
            return recent
        from dream_evaluators.web.reading import read_source  # noqa: PLC0415 - start-up

        return await read_source(self.fetcher, url, archive=self.archive)

    async def _recent(self, key: str) -> Source | None:
        now = self.clock.now()
        source = await self.ledger.sources.latest(key, iso(now - LONGEST), iso(now))
        if source is None or source.outcome not in TIME_TO_LIVE:
            return None
        return source if source.retrieved_at >= iso(now - TIME_TO_LIVE[source.outcome]) else None

    def _unchecked(self, url: str, key: str, reason: str) -> Source:
        placeholder = is_placeholder(url)
        return Source(
            url=url,
            canonical_url=key,
            outcome=Outcome.PLACEHOLDER if placeholder else Outcome.NOT_CHECKED,
            reason="A placeholder address that belongs to nobody." if placeholder else reason,
        )

    def _handed(self, hint: SourceHint, key: str) -> Source:
        return Source(
            url=hint.url,
            canonical_url=key,
            final_url=hint.url,
            outcome=Outcome.OK,
            reason="The text was handed in with the report; the address was not asked.",
            text=hint.text,
            content_hash=text_id(hint.text),
            retrieved_at=hint.retrieved_at or iso(self.clock.now()),
            flags=("handed_in",),
        )
