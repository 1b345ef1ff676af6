"""Which statements are judged: a repeatable sample by section, fixed before any verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dream_evaluators.hashing import text_id
from dream_evaluators.metrics.context import Effort
from dream_evaluators.model.report import Statement

# Our choice (docs/design.md): what a reader waits for, what a script can afford, everything.
LIMITS: dict[Effort, int | None] = {Effort.QUICK: 25, Effort.STANDARD: 60, Effort.FULL: None}
# A statement may cite five sources, and what a reader waits for is counted in readings; but at
# least so many statements are drawn.
MOST_READINGS, FEWEST = 25, 8
# Sections too small for a place of their own are drawn from together.
POOL = "pool"


class Sampled(NamedTuple):
    """A statement to judge, and how many statements it stands for."""

    statement: Statement
    weight: float


def sample(statements: Sequence[Statement], effort: Effort) -> tuple[Sampled, ...]:
    """Draw a stratified sample; a quick one of as many statements as 25 source readings allow.

    A statement's place in the draw is the hash of its own claim, so the same report always gives
    the same sample, and an edited report keeps all of it but what the edit touched.

    Args:
        statements: The population, in the order of the report.
        effort: How many at most.

    Returns:
        The sampled statements in the order of the report, each with its Horvitz-Thompson weight
        (size of its stratum / number drawn from it, at least 1).
    """
    limit = min(LIMITS[effort] or len(statements), len(statements))
    drawn = _draw(statements, limit)
    while effort is Effort.QUICK and limit > FEWEST and _readings(drawn) > MOST_READINGS:
        limit -= 1
        drawn = _draw(statements, limit)
    return drawn


def _readings(drawn: Sequence[Sampled]) -> int:
    return sum(len({c.canonical_url for c in each.statement.resolved}) for each in drawn)


def _draw(statements: Sequence[Statement], limit: int) -> tuple[Sampled, ...]:
    if len(statements) <= limit:
        return tuple(Sampled(s, 1.0) for s in statements)
    strata = _strata(statements, limit)
    quotas = _quotas({name: len(members) for name, members in strata.items()}, limit)
    drawn = [
        Sampled(statement, len(members) / quotas[name])
        for name, members in strata.items()
        for statement in sorted(members, key=lambda s: (text_id(s.claim), s.start))[: quotas[name]]
    ]
    return tuple(sorted(drawn, key=lambda s: s.statement.start))


def _strata(statements: Sequence[Statement], limit: int) -> dict[str, list[Statement]]:
    sections: dict[str, list[Statement]] = {}
    for statement in statements:
        sections.setdefault(statement.id.partition(".")[0], []).append(statement)
    strata: dict[str, list[Statement]] = {}
    for section, members in sections.items():
        name = section if len(members) * limit >= len(statements) else POOL
        strata.setdefault(name, []).extend(members)
    return strata


def _quotas(sizes: Mapping[str, int], limit: int) -> dict[str, int]:
    """Share `limit` places in proportion to size, at least one each, largest remainders first."""
    total = sum(sizes.values())
    exact = {name: size * limit / total for name, size in sizes.items()}
    quotas = {name: max(1, int(share)) for name, share in exact.items()}
    spare = limit - sum(quotas.values())
    by_remainder = sorted(sizes, key=lambda name: (quotas[name] - exact[name], name))
    for name in by_remainder[:spare]:
        quotas[name] += 1
    return quotas
