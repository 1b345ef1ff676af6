"""Text that claims to be an address: one parsed address or a named refusal, whatever it is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.model.authority import Authority
from dream_evaluators.web.domains import CLASSES, DomainAuthority
from dream_evaluators.web.domains import fold as folding
from dream_evaluators.web.domains.fold import Address, Refusal, fold, to_ascii, to_unicode
from dream_evaluators.web.domains.ip import ipv4_of, ipv6_of

SCORER = DomainAuthority()

REFUSED = [
    ("", "empty"),
    (" \n\t", "empty"),
    ("mailto:a@nature.com", "scheme"),
    ("data:text/html,hi", "scheme"),
    ("JavaScript:alert(1)", "scheme"),
    ("tel:+1", "scheme"),
    ("foo:bar", "scheme"),
    ("ipfs://abc", "scheme"),
    ("/relative/path", "relative"),
    ("?q=1", "relative"),
    ("#part", "relative"),
    ("view-source:/", "relative"),
    ("https://", "empty_host"),
    ("https://?x", "empty_host"),
    ("https://a..b.com", "bad_host"),
    ("https://.com", "bad_host"),
    ("not a url", "bad_host"),
    ("42", "bad_host"),
    ("https://nature.com:port/", "bad_port"),
    ("https://[not:an:ip]/", "bad_ip"),
    ("https://[::1]evil/", "bad_ip"),
    ("https://999.1.1.1.1/", "bad_ip"),
    ("https://1.2.3.400000000000/", "bad_ip"),
    ("https://" + "a" * 64 + ".com/", "host_length"),
    ("https://" + "a." * 150 + "com/", "host_length"),
    ("https://<your-host>/x", "placeholder"),
    ("https://{domain}/x", "placeholder"),
    ("http://&lt;prometheus-host&gt;:9090", "placeholder"),
    ("https://${HOST}:8080/", "placeholder"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_is_no_address_is_refused_by_name(text: str, reason: str) -> None:
    got = fold(text)
    assert isinstance(got, Refusal)
    assert got.reason == reason
    answer = SCORER.score(text)
    assert (answer.source_class, answer.score) == ("not_a_web_source", None)
    assert answer.flags


@pytest.mark.parametrize(
    "text",
    ["2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.1", "017700000001"],
)
def test_every_notation_of_an_ip_address_is_seen(text: str) -> None:
    answer = SCORER.score(f"http://{text}/")
    assert (answer.source_class, answer.publisher) == ("unattributable", "127.0.0.1")
    assert "ip_address" in answer.flags


@pytest.mark.parametrize("text", ["", "1.2.3.4.5", "256.1", "1.2.3.256", "08", "0x", "1_0", "x"])
def test_numbers_that_are_no_ip_address_are_none(text: str) -> None:
    assert ipv4_of(text) in ("", "0.0.0.0")  # noqa: S104 - "0x" is zero, as in a browser
    assert ipv6_of(text) == ""


def test_ip_addresses_of_private_networks_are_flagged() -> None:
    assert "private_host" in SCORER.score("http://192.168.1.1/").flags
    assert "private_host" not in SCORER.score("http://8.8.8.8/").flags
    assert SCORER.score("http://[2001:DB8::1]/x").publisher == "2001:db8::1"


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("https://nature.com@evil-site.net/", "userinfo"),
        ("https://nature.com\\@evil-site.net/", "backslash"),
        ("https://%6eature.com/", "encoded_host"),
        ("https://nature.com/" + "a" * 10_000, "overlong"),
        ("https://www.nаture.com/", "idn_mixed_script"),
        ("https://www.nature.com/press-release/x", "press_release"),
        ("https://www.nature.com/opinion/x", "opinion"),
        ("https://www.nature.com/sponsored/x", "sponsored"),
    ],
)
def test_odd_addresses_are_flagged(text: str, flag: str) -> None:
    assert flag in SCORER.score(text).flags


def test_titles_are_read_for_flags() -> None:
    flags = SCORER.score("https://www.nature.com/x", title="RETRACTED: a study").flags
    assert "retracted" in flags


def test_what_prose_puts_around_an_address_is_dropped() -> None:
    for text in ("<https://nature.com/a>", '"https://nature.com/a",', "（https://nature.com/a）。"):
        assert fold(text) == Address("nature.com", "/a")
    assert fold("https://a.com/x_(y)") == Address("a.com", "/x_(y)")


def test_unicode_and_punycode_are_one_host() -> None:
    assert fold("https://bücher.de/") == fold("https://xn--bcher-kva.de/")
    assert to_unicode("xn--bcher-kva.de") == "bücher.de"
    assert to_unicode("xn--\u00e9.de") == "xn--\u00e9.de"
    assert to_ascii("a_ü.de") == to_ascii("a_ü.de").lower()


ADDRESS = st.one_of(
    st.text(max_size=80),
    st.from_regex(r"https?://[a-zA-Z0-9.:@%\[\]\\/?#_~-]{0,60}", fullmatch=True),
    st.from_regex(r"https?://[a-z0-9-]{1,9}\.(com|de|gov|xn--p1ai|9|x1)(/[a-z0-9.~?=&-]{0,9})?"),
    st.binary(max_size=60).map(lambda raw: "https://" + raw.decode("latin-1")),
)


@given(ADDRESS, st.text(max_size=20), st.text(max_size=30))
def test_scoring_never_raises_and_stays_in_range(url: str, topic: str, title: str) -> None:
    answer = SCORER.score(url, topic=topic, title=title)
    assert isinstance(answer, Authority)
    assert answer.source_class in CLASSES
    assert answer.score is None or 0 <= answer.score <= 100
    assert (answer.score is None) == (not answer.band)
    assert 0 <= answer.confidence <= 1
    assert answer.basis


@given(ADDRESS)
def test_the_short_way_through_the_parser_gives_the_same_address(url: str) -> None:
    if folding._PLAIN.match(url) is None:
        return
    short = fold(url)
    marked = fold(url + "#")  # a fragment is outside the short way, and outside the address
    assert isinstance(short, Address)
    assert short == marked


@pytest.mark.parametrize(
    "text",
    [
        "https://" + "a." * 500_000 + "com",
        "https://a.com/" + ")" * 1_000_000,
        ")" * 1_000_000,
        "https://" + "@" * 1_000_000,
        "https://a.com/?" + "&" * 1_000_000,
        "https://web.archive.org/web/" + "https://" * 100_000,
        "10.1038/" + "x" * 1_000_000,
        "doi:" + " " * 1_000_000,
        "xn--" * 250_000,
        "https://" + "ü" * 1_000_000 + ".de",
        "%" * 1_000_000,
    ],
    ids=range(11),
)
def test_a_megabyte_of_malice_costs_next_to_nothing(text: str) -> None:
    start = time.process_time()
    SCORER.score(text, topic=text, title=text)
    assert time.process_time() - start < 10
