"""Our matching of suffix rules against tldextract's, and what suffixes say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tldextract import TLDExtract

from dream_evaluators.web.domains.registry import shipped_rows
from dream_evaluators.web.domains.suffixes import SuffixList, institution
from dream_evaluators.web.domains.vocabulary import words

OURS = SuffixList()
THEIRS = TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
# Names that a company sells as a registry does: suffixes for us, platforms for the list.
SELLERS = words("uk.com us.com eu.com eu.org co.com com.de it.com za.org")

HOSTS = words(
    "a.ck www.ck b.www.ck a.b.kawasaki.jp city.kawasaki.jp x.city.kawasaki.jp gov.uk co.uk uk "
    "www.gov.uk a.service.gov.uk www.gov.scot foo.notatld localhost s3.amazonaws.com  s3.us- "
    "west-2.amazonaws.com x.compute.amazonaws.com a.x.compute.amazonaws.com github.io "
    "a.b.github.io a.xn--55qx5d.cn a.b.xn--p1ai sch.uk a.sch.uk a.b.sch.uk www.nhs.uk "
    "k12.ca.us"
)


def agree(host: str) -> bool:
    ours, theirs = OURS.split(host), THEIRS.extract_str(host)
    whole = f"{theirs.domain}.{theirs.suffix}" if theirs.domain and theirs.suffix else ""
    return (ours.suffix, ours.registrable, ours.is_private, ours.registry_suffix) == (
        theirs.suffix, whole, theirs.is_private, theirs.registry_suffix
    )  # fmt: skip


@pytest.mark.parametrize("host", sorted(HOSTS))
def test_rules_wildcards_and_exceptions_match_as_the_library_does(host: str) -> None:
    assert agree(host)


def test_every_name_of_the_registry_splits_as_the_library_does() -> None:
    hosts = {f"www.{row.host.removeprefix('*.')}" for row in shipped_rows()}
    split = [host for host in hosts if not agree(host)]
    assert {".".join(host.split(".")[-2:]) for host in split} <= SELLERS


LABELS = sorted(words("a www com co uk gov ck jp city kawasaki io github"))


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5))
def test_any_heap_of_labels_splits_as_the_library_does(labels: list[str]) -> None:
    host = ".".join(labels)
    assert agree(host) or host.endswith(tuple(SELLERS))


@pytest.mark.parametrize(
    ("host", "source_class", "publisher"),
    [
        ("www.gov.cn", "gov", "gov.cn"),
        ("gov.uk", "gov", "gov.uk"),
        ("a.service.gov.uk", "gov", "gov.uk"),
        ("www.gov.scot", "gov", "gov.scot"),
        ("x.gc.ca", "gov", "x.gc.ca"),
        ("kremlin.mil.ru", "military", "kremlin.mil.ru"),
        ("x.int", "igo", "x.int"),
        ("ox.ac.uk", "academic", "ox.ac.uk"),
        ("www.nhs.uk", "health_institution", "nhs.uk"),
        ("www.gov.cz", "gov", "gov.cz"),
    ],
)
def test_a_suffix_that_only_an_institution_gets_gives_its_class(
    host: str, source_class: str, publisher: str
) -> None:
    rule = institution(OURS.split(host))
    assert rule is not None
    assert (rule.source_class, rule.publisher) == (source_class, publisher)


@pytest.mark.parametrize(
    "host", ["gov.ai", "www.go.it", "x.university", "gov.xyz", "admin.de", "x.gov.com", "bel.de"]
)
def test_a_suffix_that_anyone_gets_says_nothing(host: str) -> None:
    assert institution(OURS.split(host)) is None
