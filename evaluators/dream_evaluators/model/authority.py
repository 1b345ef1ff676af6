"""Who stands behind an address, and how much weight that deserves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """One step of the reasoning from address to score."""

    rule: str  # "unwrap", "doi_prefix", "path", "host", "registrable_domain", "suffix", "cue" ...
    value: str  # what matched
    weight: float = 0.0  # points (0-100) this step set or moved, 0 when it only identified


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One rating of a domain by an imported list, on our 0-100 scale."""

    list_name: str
    value: float
    date: str  # ISO date of the list


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """The answer for one address. `score` is None when the class is unknown or none applies."""

    url: str
    source_class: str  # a key of the class table, "unknown", or "not_a_web_source" and the like
    score: float | None = None  # 0-100
    band: str = ""  # definitive (90+), high (70-89), moderate (40-69), low (below 40)
    confidence: float = 0.0  # 0-1
    basis: tuple[Basis, ...] = ()
    publisher: str = ""  # the effective publisher: an organisation's main domain
    registrable_domain: str = ""
    host: str = ""
    unwrapped_from: str = ""  # the archive, translator or redirector around it
    flags: tuple[str, ...] = ()  # "lookalike", "user_content", "preprint", "placeholder" ...
    fit: float | None = None  # 0-100, how well this source suits the topic; None without a topic
    fit_reason: str = ""
    ratings: tuple[Rating, ...] = ()
    disagreement: float = 0.0  # points between our prior and the imported ratings
