"""Imported lists in the ledger."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream_evaluators.clock import FixedClock
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.lists import RATINGS, REGISTRY, ImportedList, lists_id
from tests.conftest import NOW
from tests.strategies import texts

pytestmark = pytest.mark.anyio
MOMENT = "2026-11-30T12:00:00Z"
SCALE = ImportedList(
    kind=RATINGS,
    name="scale",
    text="domain,score\none.test,4\n",
    date="2026-01-02",
    worst=1.0,
    best=5.0,
    added_at=MOMENT,
)
OURS = ImportedList(kind=REGISTRY, name="ours", text="Ours, news\n", added_at=MOMENT)
OTHERS = {
    "kind": REGISTRY,
    "name": "other",
    "text": "domain,score\n",
    "date": "2026-01-03",
    "worst": 0.0,
    "best": 10.0,
}


async def test_a_list_comes_back_as_it_was_imported_with_the_moment(ledger: Ledger) -> None:
    assert await ledger.lists.all() == ()
    await ledger.lists.put(replace(SCALE, added_at="whenever"))
    assert await ledger.lists.all() == (SCALE,)


async def test_importing_under_a_name_again_replaces_the_list(tmp_path: Path) -> None:
    path = str(tmp_path / "l.sqlite3")
    for day, best in ((0, 5.0), (1, 9.0)):
        ledger = Ledger.open(path, clock=FixedClock(NOW + timedelta(days=day)))
        await ledger.lists.put(replace(SCALE, best=best, text=f"of day {day}"))
        ledger.close()
    ledger = Ledger.open(path)
    (kept,) = await ledger.lists.all()
    ledger.close()
    assert (kept.best, kept.text, kept.added_at) == (9.0, "of day 1", "2026-12-01T12:00:00Z")


async def test_lists_come_by_kind_and_name_whatever_came_first(ledger: Ledger) -> None:
    named = [replace(SCALE, name=name) for name in "ba"]
    for imported in (OURS, *named, replace(OURS, name="a")):
        await ledger.lists.put(imported)
    found = [(imported.kind, imported.name) for imported in await ledger.lists.all()]
    assert found == [(RATINGS, "a"), (RATINGS, "b"), (REGISTRY, "a"), (REGISTRY, "ours")]


async def test_removing_forgets_every_list_of_the_name_and_no_other(ledger: Ledger) -> None:
    for imported in (SCALE, OURS, replace(OURS, name="scale")):
        await ledger.lists.put(imported)
    assert await ledger.lists.remove("scale")
    assert await ledger.lists.all() == (OURS,)
    assert not await ledger.lists.remove("scale")
    assert not await ledger.lists.remove("")


async def test_a_space_sees_and_removes_its_own_lists_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "l.sqlite3")
    ours, theirs = (Ledger.open(path, space=name) for name in ("ours", "theirs"))
    await ours.lists.put(SCALE)
    assert await theirs.lists.all() == ()
    assert not await theirs.lists.remove("scale")
    assert len(await ours.lists.all()) == 1
    ours.close()
    theirs.close()


def test_nothing_imported_has_no_identity() -> None:
    assert lists_id(()) == ""


@pytest.mark.parametrize("name", list(OTHERS))
def test_whatever_ratings_depend_on_is_in_the_identity(name: str) -> None:
    changed = replace(SCALE, **{name: OTHERS[name]})  # type: ignore[arg-type]
    assert lists_id((changed,)) != lists_id((SCALE,))


def test_when_a_list_was_imported_is_no_part_of_its_identity() -> None:
    assert lists_id((replace(SCALE, added_at=""), OURS)) == lists_id((SCALE, OURS))
    assert lists_id((SCALE, OURS)) != lists_id((SCALE,)) != lists_id((OURS,))


# Nobody's scale ends at -0.0, which SQLite gives back as 0.0.
ends = st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0)


@st.composite
def imported(draw: st.DrawFn) -> ImportedList:
    return ImportedList(
        kind=draw(st.sampled_from([RATINGS, REGISTRY])),
        name=draw(texts),
        text=draw(texts),
        date=draw(texts),
        worst=draw(ends),
        best=draw(ends),
        added_at=MOMENT,
    )


@settings(max_examples=30)
@given(st.lists(imported(), max_size=4, unique_by=lambda i: (i.kind, i.name)))
def test_the_identity_survives_the_store(given: list[ImportedList]) -> None:
    async def kept() -> tuple[ImportedList, ...]:
        ledger = Ledger.open(":memory:", clock=FixedClock(NOW))
        for each in given:
            await ledger.lists.put(each)
        found = await ledger.lists.all()
        ledger.close()
        return found

    found = anyio.run(kept)
    assert set(found) == set(given)
    assert lists_id(found) == lists_id(tuple(sorted(given, key=lambda i: (i.kind, i.name))))
