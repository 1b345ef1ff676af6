"""From an address to its class, its score, and every step between."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dream_evaluators.hashing import content_id
from dream_evaluators.model.authority import Authority, Basis
from dream_evaluators.web.domains.classes import (
    CLASSES,
    IMPORTED,
    NOT_A_WEB_SOURCE,
    UNRESOLVED_REDIRECT,
    band_of,
)
from dream_evaluators.web.domains.cues import page_flags
from dream_evaluators.web.domains.deception import is_mixed_script
from dream_evaluators.web.domains.fit import Party, fit_of
from dream_evaluators.web.domains.fold import Address, Refusal, fold
from dream_evaluators.web.domains.identifiers import url_of_bare
from dream_evaluators.web.domains.place import Place, hidden, named, place_of
from dream_evaluators.web.domains.ratings import DISAGREEMENT, Ratings, blend
from dream_evaluators.web.domains.registry import read_table, shipped
from dream_evaluators.web.domains.suffixes import SuffixList
from dream_evaluators.web.domains.vocabulary import words
from dream_evaluators.web.domains.wrappers import MAX_DEPTH, unwrap

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dream_evaluators.model.authority import Rating
    from dream_evaluators.web.domains.ratings import RatingList
    from dream_evaluators.web.domains.registry import Entry, Registry

WRAPPED = 0.95  # confidence left when the address had to be dug out of another
IMPORTED_CONFIDENCE = 0.5
# How sure each rule is that the class is right, 0-1: our choice, in the order of the pipeline.
_CONFIDENCE = {
    "path": 0.9, "host": 0.9, "registrable_domain": 0.9, "platform": 0.85, "doi_prefix": 0.9,
    "doi": 0.6, "suffix": 0.85, "tilde": 0.8, "lookalike": 0.7, "private_suffix": 0.6,
    "reserved": 0.95, "no_suffix": 0.9, "ip": 0.95, "wrapper": 0.9, "refused": 0.95, "cue": 0.0,
}  # fmt: skip


class DomainAuthority:
    """Scores addresses offline: opens no socket, writes no file, safe to share between threads.

    Building one reads the lists (about 0.2 s); build it once. `with_ratings` and `with_registry`
    return another scorer and leave this one as it is.
    """

    def __init__(self, *, newer_suffix_list: Path | None = None) -> None:
        """Load the registry and the suffix list.

        Args:
            newer_suffix_list: A public suffix list file newer than the bundled one.
        """
        platforms = (row[0] for row in read_table("suffixes"))
        self._set_up(shipped(), SuffixList(platforms, newer_suffix_list), Ratings())

    def _set_up(self, registry: Registry, suffixes: SuffixList, ratings: Ratings) -> None:
        self._registry, self._suffixes, self._ratings = registry, suffixes, ratings

    @property
    def version(self) -> str:
        """Identity of registry, class table and imported ratings; scores compare if it is equal."""
        if not self._ratings.lists:
            return self._registry.version
        return content_id(self._registry.version, self._ratings.version)

    def with_ratings(self, lists: Iterable[RatingList]) -> DomainAuthority:
        """Return a scorer that also uses these imported lists, instead of any earlier ones."""
        return self._with(self._registry, Ratings(tuple(lists)))

    def with_registry(self, entries: Iterable[Entry]) -> DomainAuthority:
        """Return a scorer in which these entries come before those of the same name so far."""
        return self._with(self._registry.with_entries(list(entries)), self._ratings)

    def _with(self, registry: Registry, ratings: Ratings) -> DomainAuthority:
        other = object.__new__(DomainAuthority)
        other._set_up(registry, self._suffixes, ratings)
        return other

    def score(self, url: str, *, topic: str = "", title: str = "") -> Authority:
        """Say who stands behind an address and how much weight that deserves; never raises.

        Args:
            url: An address, or a bare DOI, arXiv id, PMID or PMCID.
            topic: What the report is about; sets `fit` and leaves the score alone.
            title: The page's title or the link's text: flags, and a hint behind a redirector.
        """
        steps: list[Basis] = []
        bare = url_of_bare(url)
        if bare:
            steps.append(Basis(rule="identifier", value=bare[:200]))
        outer = fold(bare or url)
        if isinstance(outer, Refusal):
            return _refused(url, outer)
        inner, place, via = self._locate(outer, steps)
        if place.source_class == UNRESOLVED_REDIRECT and title:
            steps += _title_hint(title)
        answer = self._answer(url, outer, place, via, steps, page_flags(inner.path, title))
        if self._ratings.lists:
            answer = _rated(answer, self._ratings.of(inner.host, self._registrable(inner)))
        if is_mixed_script(inner.host):
            answer = replace(answer, flags=(*answer.flags, "idn_mixed_script"))
        if topic:
            party = Party(place.publisher, inner.host, place.country)
            fit, reason = fit_of(answer.source_class, party, topic)
            answer = replace(answer, fit=fit, fit_reason=reason)
        return answer

    def _registrable(self, address: Address) -> str:
        return "" if address.is_ip else self._suffixes.split(address.host).registrable

    def _locate(self, outer: Address, steps: list[Basis]) -> tuple[Address, Place, str]:
        """Take wrappers off until an address that is nobody's envelope is left."""
        address, via = outer, ""
        for _ in range(MAX_DEPTH):
            wrapping = None if address.is_ip else unwrap(address, self._is_library)
            if wrapping is None:
                return address, place_of(address, self._registry, self._suffixes), via
            via = via or address.host
            if wrapping.inner is None:
                return address, hidden(wrapping.kind, address.host), via
            steps.append(Basis(rule="unwrap", value=f"{wrapping.kind} {address.host}"[:200]))
            address = wrapping.inner
        return address, hidden("nested", address.host), via

    def _is_library(self, host: str) -> bool:
        """Whether a host is a university's or a library's, so that its proxy can be believed."""
        place = named(Address(host), self._suffixes.split(host), self._registry)
        return place is not None and place.source_class in ("academic", "library_archive")

    def _answer(
        self,
        url: str,
        outer: Address,
        place: Place,
        via: str,
        steps: list[Basis],
        page: tuple[str, ...],
    ) -> Authority:
        kind = CLASSES[place.source_class]
        steps.append(Basis(rule=place.rule, value=place.value, weight=kind.prior))
        points = kind.prior
        if place.offset:
            points = min(100.0, max(0.0, points + place.offset))
            steps.append(Basis(rule="name_offset", value=place.value, weight=float(place.offset)))
        steps += place.cues
        flags = kind.flags + place.flags + outer.flags + page
        return Authority(
            url=url,
            source_class=place.source_class,
            score=points if kind.is_scored else None,
            band=band_of(points) if kind.is_scored else "",
            confidence=_CONFIDENCE[place.rule] * (WRAPPED if via else 1.0),
            basis=tuple(steps),
            publisher=place.publisher,
            registrable_domain=self._registrable(outer),
            host=outer.host,
            unwrapped_from=via,
            flags=tuple(dict.fromkeys(flags)) if flags else (),
        )


def _rated(answer: Authority, ratings: tuple[Rating, ...]) -> Authority:
    """Put imported ratings beside our prior and blend; a name we do not know gets theirs alone."""
    if not ratings or answer.source_class in (NOT_A_WEB_SOURCE, UNRESOLVED_REDIRECT):
        return answer
    value, gap = blend(answer.score, ratings)
    steps = tuple(
        Basis(rule="rating", value=f"{rating.list_name} {rating.date}".strip(), weight=rating.value)
        for rating in ratings
    )
    known = answer.score is not None
    return replace(
        answer,
        source_class=answer.source_class if known else IMPORTED,
        score=value,
        band=band_of(value),
        confidence=answer.confidence if known else IMPORTED_CONFIDENCE,
        basis=answer.basis + steps,
        ratings=ratings,
        disagreement=gap,
        flags=answer.flags + (("ratings_disagree",) if gap > DISAGREEMENT else ()),
    )


def _title_hint(title: str) -> list[Basis]:
    """Gemini's redirects are opaque, but their link text is often the domain behind them."""
    text = title.strip()
    if " " in text or "." not in text or len(text) > 253:
        return []
    named_host = fold(text)
    if isinstance(named_host, Refusal) or named_host.is_ip:
        return []
    return [Basis(rule="cue", value=f"link text names {named_host.host}")]


# What the folder says of an address that is broken in one way or another.
_BROKEN = words("empty relative empty_host bad_host bad_port bad_ip host_length")


def _refused(url: str, refusal: Refusal) -> Authority:
    return Authority(
        url=url,
        source_class=NOT_A_WEB_SOURCE,
        confidence=_CONFIDENCE["refused"],
        basis=(Basis(rule="refused", value=f"{refusal.reason} {refusal.detail}".strip()),),
        flags=("bad_url" if refusal.reason in _BROKEN else refusal.reason,),
    )
