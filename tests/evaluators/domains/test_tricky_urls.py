"""Addresses built to mislead: who stands behind them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dream_evaluators.web.domains import DomainAuthority

TRICKY = Path(__file__).resolve().parents[4] / "shared/data/domains/tricky_urls.dev.json"


@pytest.fixture(scope="module")
def scorer() -> DomainAuthority:
    return DomainAuthority()


def test_every_tricky_address_gets_its_domain_publisher_and_class(scorer: DomainAuthority) -> None:
    if not TRICKY.exists():
        pytest.skip("the project's shared data is not beside this repository")
    cases = json.loads(TRICKY.read_text(encoding="utf-8"))
    wrong = []
    for case in cases:
        got = scorer.score(case["url"])
        want = (case["registrable_domain"], case["effective_publisher"], case["class"])
        if (got.registrable_domain, got.publisher, got.source_class) != want:
            wrong.append((case["url"], got, want))
    assert not wrong
    assert len(cases) > 50


CLASSES_OF = [
    # notation
    ("https://www.nature.com:443/articles/x", "peer_reviewed"),
    ("//nature.com/x", "peer_reviewed"),
    ("https://%6eature.com/x", "peer_reviewed"),
    ("view-source:https://www.nature.com/x", "peer_reviewed"),
    ("https://www.ｎａｔｕｒｅ.com/", "peer_reviewed"),
    ("(https://www.nature.com/x).", "peer_reviewed"),
    ("https://nature.com\\@evil.example.net/", "peer_reviewed"),
    ("https://user:word@www.nih.gov/x", "gov"),
    ("ftp://ftp.ncbi.nlm.nih.gov/pub", "not_a_web_source"),
    # governments with and without a suffix
    ("https://www.gov.ie/en", "gov"),
    ("https://www.gov.cz/x", "gov"),
    ("https://www.canada.ca/en", "gov"),
    ("https://service.gov.uk", "gov"),
    ("https://www.bgs.gov.health-alerts.net/", "lookalike"),
    ("https://www.go.it/x", "unknown"),
    ("https://x.mil/", "military"),
    ("https://www.k12.ca.us/", "school"),
    ("https://foo.ac.ru/", "academic"),
    ("https://foo.go.jp/", "gov"),
    ("https://www.tubitak.bel.tr/", "gov"),
    ("https://foo.edu.krd/", "academic"),
    # parts of one site
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1/", "scholarly_index"),
    ("https://www.sec.gov/news/x", "gov"),
    ("https://baike.baidu.com/item/x", "baike"),
    ("https://wenku.baidu.com/view/1", "doc_sharing"),
    ("https://baijiahao.baidu.com/s?id=1", "self_media"),
    ("https://mp.weixin.qq.com/s/abc", "self_media"),
    ("https://www.forbes.com/sites/someone/2020/x", "contributor"),
    ("https://people.csail.mit.edu/~x/", "academic_personal"),
    ("https://en.wikipedia.org/wiki/User:Someone", "personal_pages"),
    # tenants
    ("https://someone.blogspot.co.uk/2020", "personal_pages"),
    ("https://someone.medium.com/x", "blog_platform"),
    ("https://foo.pages.dev/", "personal_pages"),
    ("https://foo.unheard-of.hf.space/", "code_host"),
    ("https://foo.ngrok.io/", "personal_pages"),
    ("https://foo.eu.org/x", "unknown"),
    # identifiers
    ("doi:10.1016/j.cell.2020.01.001", "peer_reviewed"),
    ("urn:doi:10.1038/x", "peer_reviewed"),
    ("https://doi.org/10.1101/2020.01.01.123456", "preprint"),
    ("https://doi.org/10.1101/gr.123456.120", "peer_reviewed"),
    ("https://doi.org/10.99999/abc", "scholarly_index"),
    ("https://doi.org/", "scholarly_index"),
    ("PMID: 31570509", "scholarly_index"),
    ("PMC1234567", "scholarly_index"),
    ("pmcid: PMC1234567", "scholarly_index"),
    ("arXiv:hep-th/9901001", "preprint"),
    ("hdl:1721.1/1", "scholarly_index"),
    ("doi:nonsense", "not_a_web_source"),
    ("isbn:9780000000000", "not_a_web_source"),
    # look-alikes
    ("https://harvard.edu.evil.example/paper", "lookalike"),
    ("https://nature.com.evil-site.net/x", "lookalike"),
    ("https://www-nature-com.ezproxy.evil-site.net/", "lookalike"),
    ("https://www.who-int.org/x", "lookalike"),
    ("https://irs-gov.com", "lookalike"),
    ("https://microsoft-support.xyz/", "lookalike"),
    ("https://edu-harvard.org/x", "lookalike"),
    ("https://rnicrosoft.com/", "lookalike"),
    ("https://www.reuters.com.co/", "misinformation"),
    ("https://www.theguardian.com.co/", "lookalike"),
    ("https://www.nаture.com/", "lookalike"),  # Cyrillic а
    ("https://my-company-name.com/", "unknown"),
    ("https://xn--mnchen-3ya.de/", "unknown"),
    # no public source
    ("http://localhost:8000/x", "not_a_web_source"),
    ("https://foo.local/x", "not_a_web_source"),
    ("https://foo.test/", "not_a_web_source"),
    ("https://www.example.com.au/x", "not_a_web_source"),
    ("https://foo.onion/", "unattributable"),
    ("https://web.archive.org/save/_embed/x", "unattributable"),
    ("http://co.uk/", "unknown"),
]


@pytest.mark.parametrize(("url", "source_class"), CLASSES_OF)
def test_an_address_gets_the_class_of_its_effective_publisher(
    scorer: DomainAuthority, url: str, source_class: str
) -> None:
    assert scorer.score(url).source_class == source_class


WRAPPED = [
    ("https://web.archive.org/web/2020/http:/www.who.int/x", "who.int", "web.archive.org"),
    ("https://web.archive.org/web/2020/www.who.int/x", "who.int", "web.archive.org"),
    ("https://12ft.io/https://www.nytimes.com/x", "nytimes.com", "12ft.io"),
    ("https://www.google.com/amp/s/www.bbc.com/news/x", "bbc.com", "www.google.com"),
    ("https://www.google.de/url?q=https://www.bbc.com/x", "bbc.com", "www.google.de"),
    (
        "https://www-nytimes-com.cdn.ampproject.org/c/s/www.nytimes.com/x.html",
        "nytimes.com",
        "www-nytimes-com.cdn.ampproject.org",
    ),
    (
        "https://webcache.googleusercontent.com/search?q=cache:abc:https://www.nature.com/x",
        "nature.com",
        "webcache.googleusercontent.com",
    ),
    (
        "https://translate.google.com/translate?sl=de&u=https://www.spiegel.de/x",
        "spiegel.de",
        "translate.google.com",
    ),
    (
        "https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.bbc.com%2Fnews",
        "bbc.com",
        "l.facebook.com",
    ),
    (
        "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.who.int%2Fx",
        "who.int",
        "eur01.safelinks.protection.outlook.com",
    ),
    ("https://nyti.ms/abc", "nytimes.com", "nyti.ms"),
    (
        "https://ezproxy.lib.mit.edu/login?url=https://www.jstor.org/stable/1",
        "jstor.org",
        "ezproxy.lib.mit.edu",
    ),
    (
        "https://web.archive.org/web/2020/https://www.google.com/url?q=https://www.who.int/",
        "who.int",
        "web.archive.org",
    ),
]


@pytest.mark.parametrize(("url", "publisher", "wrapper"), WRAPPED)
def test_a_wrapper_lends_its_name_to_nobody(
    scorer: DomainAuthority, url: str, publisher: str, wrapper: str
) -> None:
    got = scorer.score(url)
    assert got.publisher == publisher
    assert got.unwrapped_from == wrapper
    assert any(step.rule == "unwrap" for step in got.basis)


@pytest.mark.parametrize(
    "url",
    [
        "https://t.co/abc",
        "https://bit.ly/3xyz",
        "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AbF9wX",
        "https://www.baidu.com/link?url=abc",
    ],
)
def test_an_opaque_redirector_gets_no_score_and_no_credit(
    scorer: DomainAuthority, url: str
) -> None:
    got = scorer.score(url)
    assert (got.source_class, got.score, got.publisher) == ("unresolved_redirect", None, "unknown")


def test_the_link_text_of_a_redirector_is_a_hint_and_no_answer(scorer: DomainAuthority) -> None:
    got = scorer.score("https://t.co/abc", title="nature.com")
    assert got.score is None
    assert got.basis[-1].value == "link text names nature.com" or any(
        step.value == "link text names nature.com" for step in got.basis
    )
    for useless in ("A long title", "nodot", "10.0.0.1", "bad..host"):
        steps = scorer.score("https://t.co/abc", title=useless).basis
        assert not any("link text" in step.value for step in steps)


def test_the_front_page_of_a_redirector_is_its_own(scorer: DomainAuthority) -> None:
    assert scorer.score("https://www.google.com/url?q=").publisher == "Google"
    assert scorer.score("https://ezproxy.lib.mit.edu/login").publisher == "mit.edu"
    assert scorer.score("https://medium.com/r").publisher == "r"


def test_nesting_without_end_is_given_up(scorer: DomainAuthority) -> None:
    url = "https://web.archive.org/web/1/" * 9 + "https://www.who.int/"
    assert scorer.score(url).source_class == "unresolved_redirect"


def test_a_proxy_of_strangers_is_not_believed(scorer: DomainAuthority) -> None:
    assert scorer.score("https://nature.com.proxy.evil-site.net/x").source_class == "lookalike"
    assert scorer.score("https://proxyland.evil-site.net/").source_class == "unknown"
    # The name of a proxy company counts on label borders only.
    assert scorer.score("https://who-int.idm.notoclc.org/").source_class != "igo"
    assert scorer.score("https://who-int.idm.oclc.org/").source_class == "igo"


def test_a_mirror_keeps_the_author_and_a_short_link_the_publisher(scorer: DomainAuthority) -> None:
    assert scorer.score("https://nitter.net/someone/status/1").publisher == "someone"
    assert scorer.score("https://git.io/abc").publisher == "github.com"
