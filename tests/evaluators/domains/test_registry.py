"""The registry as data: no line twice, none unknown, none that a rule says already."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from dream_evaluators.web.domains import CLASSES, REGISTRY_VERSION, DomainAuthority, Entry
from dream_evaluators.web.domains.classes import MAX_OFFSET, band_of
from dream_evaluators.web.domains.fold import Address, fold
from dream_evaluators.web.domains.registry import (
    parse_entry,
    read_table,
    shipped,
    shipped_rows,
)
from dream_evaluators.web.domains.suffixes import SuffixList, institution

ROWS = shipped_rows()
NAMES = [row for row in ROWS if "/" not in row.key and not row.key.startswith("*.")]
SUFFIXES = SuffixList(row[0] for row in read_table("suffixes"))


def test_no_key_is_there_twice() -> None:
    assert [key for key, count in Counter(row.key for row in ROWS).items() if count > 1] == []


def test_every_key_is_a_folded_host_with_an_optional_path() -> None:
    odd = []
    for row in ROWS:
        host = fold(row.host.removeprefix("*."))
        ok = isinstance(host, Address) and host.host == row.host.removeprefix("*.")
        if not ok or row.key != row.key.lower().rstrip("/") or row.host.startswith("www."):
            odd.append(row.key)
    # A brand's top-level domain is one label and no address by itself.
    assert [key for key in odd if "." in key.removeprefix("*.")] == []


def test_classes_and_offsets_are_known() -> None:
    assert {row.source_class for row in ROWS} <= set(CLASSES)
    assert all(abs(row.offset) <= MAX_OFFSET for row in ROWS)
    assert all(CLASSES[row.source_class].is_scored for row in ROWS)
    assert all(len(row.country) in (0, 2) for row in ROWS)


def test_no_entry_says_what_a_suffix_rule_says_already() -> None:
    shadowed = []
    for row in NAMES:
        rule = institution(SUFFIXES.split(row.key))
        same = rule is not None and rule.source_class == row.source_class
        if same and not row.offset and not row.publisher and not row.flags:
            shadowed.append(row.key)
    assert shadowed == []


def test_no_host_says_what_its_parent_says_already() -> None:
    by_key = {row.key: row for row in ROWS}
    shadowed = []
    for row in NAMES:
        parent = row.key.partition(".")[2]
        above = by_key.get(parent)
        if above and (above.source_class, above.offset) == (row.source_class, row.offset):
            shadowed += [row.key] if not row.publisher and not row.flags else []
    assert shadowed == []


def test_every_name_has_a_public_suffix() -> None:
    assert [row.key for row in NAMES if not SUFFIXES.split(row.key).suffix] == []


def test_the_tables_of_identifiers_and_wrappers_are_in_order() -> None:
    prefixes = read_table("doi")
    assert len({row[0] for row in prefixes}) == len(prefixes)
    assert {row[1] for row in prefixes} <= set(CLASSES)
    wrappers = read_table("wrappers")
    assert len({row[0] for row in wrappers}) == len(wrappers)
    methods = {"embedded", "query", "translate", "amp", "alias", "opaque"}
    assert {row[2] for row in wrappers} <= methods


def test_the_registry_is_as_broad_as_promised() -> None:
    countries = Counter(
        row.country for row in ROWS if row.source_class.startswith(("news", "wire"))
    )
    assert sum(1 for country, count in countries.items() if country and count >= 3) >= 25
    statistics = {row.country for row in ROWS if row.source_class == "gov_statistics"}
    assert len(statistics - {""}) >= 25
    assert len(NAMES) >= 1_500
    assert len(read_table("doi")) >= 60
    assert sum("/" in row.key for row in ROWS) >= 60


def test_the_version_names_the_data() -> None:
    assert REGISTRY_VERSION.startswith("b2:")
    scorer = DomainAuthority()
    assert scorer.version == REGISTRY_VERSION
    changed = scorer.with_registry([Entry("nature.com", "satire")])
    assert changed.version != scorer.version
    assert changed.score("https://nature.com/").source_class == "satire"
    assert scorer.score("https://nature.com/").source_class == "peer_reviewed"


def test_an_entry_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown class"):
        parse_entry(["a.com"], "no_such_class", "x")
    with pytest.raises(ValueError, match="beyond"):
        parse_entry(["a.com", "16"], "vendor", "x")
    with pytest.raises(ValueError, match="invalid literal"):
        parse_entry(["a.com", "much"], "vendor", "x")


@pytest.mark.parametrize(
    ("score", "band"), [(100, "definitive"), (90, "definitive"), (89.9, "high"), (70, "high"),
                        (69, "moderate"), (40, "moderate"), (39.9, "low"), (0, "low"), (-1, "low")],
)  # fmt: skip
def test_bands_are_those_of_the_paper(score: float, band: str) -> None:
    assert band_of(score) == band


def test_every_class_has_a_prior_a_description_and_a_band() -> None:
    for name, item in CLASSES.items():
        assert item.description, name
        assert 0 <= item.prior <= 100
        assert bool(item.band) == item.is_scored


def test_a_path_wins_over_its_host_and_a_host_over_its_domain() -> None:
    registry = shipped().with_entries(
        [
            Entry("a.com", "vendor"),
            Entry("b.a.com", "gov"),
            Entry("a.com/x", "satire"),
            Entry("a.com/x/y*", "igo"),
            Entry("*.c.com", "social"),
        ]
    )

    def found(host: str, path: str = "", domain: str = "a.com") -> tuple[str, str]:
        match = registry.match(host, path, domain, "com")
        assert match is not None
        return match.entry.source_class, match.rule

    assert found("a.com", "/z") == ("vendor", "registrable_domain")
    assert found("www.a.com", "/x") == ("satire", "path")
    assert found("q.a.com", "/X/Yes/no") == ("igo", "path")
    assert found("a.com", "/x/z") == ("satire", "path")
    assert found("q.b.a.com", "/x") == ("gov", "host")
    assert found("q.c.com", "/", "c.com") == ("social", "platform")
    assert registry.match("c.com", "/", "c.com", "com") is None
    assert registry.match("tenant.b.a.com", "/", "tenant.b.a.com", "b.a.com") is None


def test_a_newer_suffix_list_can_be_given(tmp_path: Path) -> None:
    newer = tmp_path / "list.dat"
    newer.write_text(
        "// ===BEGIN ICANN DOMAINS===\ncom\nnovel\n\n"
        "// ===BEGIN PRIVATE DOMAINS===\nplatform.novel\n"
    )
    scorer = DomainAuthority(newer_suffix_list=newer)
    assert scorer.score("https://someone.platform.novel/x").source_class == "personal_pages"
    assert scorer.score("https://a.novel/x").registrable_domain == "a.novel"
