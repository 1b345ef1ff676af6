"""Imported ratings and the user's own registry, laid over the one we ship."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dream_evaluators.ledger.lists import RATINGS, REGISTRY, ImportedList
from dream_evaluators.web.domains import DomainAuthority, parse_overrides, parse_ratings

if TYPE_CHECKING:
    from dream_evaluators.web.domains import RatingList


def read_list(imported: ImportedList) -> RatingList:
    """Read a list of ratings.

    Raises:
        BadInput: It is not readable, has no scale, or no usable row.
    """
    scale = (imported.worst, imported.best) if imported.worst != imported.best else None
    return parse_ratings(imported.text, name=imported.name, date=imported.date, scale=scale)


def build_scorer(lists: Sequence[ImportedList], suffix_list: str = "") -> DomainAuthority:
    """Build the scorer of addresses.

    Args:
        lists: What the user imported.
        suffix_list: A newer public suffix list than the bundled one; "" for that.

    Raises:
        BadInput: A stored list cannot be read any more.
    """
    scorer = DomainAuthority(newer_suffix_list=Path(suffix_list) if suffix_list else None)
    entries = [e for i in lists if i.kind == REGISTRY for e in parse_overrides(i.text)]
    rated = [read_list(i) for i in lists if i.kind == RATINGS]
    scorer = scorer.with_registry(entries) if entries else scorer
    return scorer.with_ratings(rated) if rated else scorer
