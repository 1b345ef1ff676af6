"""Who stands behind an address, and how much weight that deserves: offline, with every step."""

from dream_evaluators.web.domains.authority import DomainAuthority
from dream_evaluators.web.domains.classes import (
    CLASSES,
    NEUTRAL,
    NEUTRAL_HIGH,
    NEUTRAL_LOW,
    SourceClass,
    band_of,
)
from dream_evaluators.web.domains.ratings import RatingList, parse_overrides, parse_ratings
from dream_evaluators.web.domains.registry import REGISTRY_VERSION, Entry

__all__ = [
    "CLASSES",
    "NEUTRAL",
    "NEUTRAL_HIGH",
    "NEUTRAL_LOW",
    "REGISTRY_VERSION",
    "DomainAuthority",
    "Entry",
    "RatingList",
    "SourceClass",
    "band_of",
    "parse_overrides",
    "parse_ratings",
]
