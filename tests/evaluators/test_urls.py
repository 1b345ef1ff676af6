from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dream_evaluators.urls import (
    canonicalise,
    clean_raw,
    find_doi,
    identifier_url,
    is_allowed,
    is_placeholder,
    is_redirector,
    split_address,
    text_fragment,
    trim_bare,
    unwrap,
)


@pytest.mark.parametrize(
    ("variants", "identity"),
    [
        (
            [
                "http://www.paper.test/post/",
                "https://paper.test/post",
                "https://PAPER.test:443/post?utm_source=chatgpt.com&fbclid=1#intro",
                "https://paper.test/post#:~:text=some%20words",
                "https://paper.test/./post",
                "https://paper.test/a/../post/index.html",
                "https://paper.test./post?source=chatgpt.com",
                "//paper.test/post",
                "paper.test/post",
                "<https://paper.test/post>",
                "https://paper.test/post.",
            ],
            "https://paper.test/post",
        ),
        (
            [
                "https://bücher.test/ä b",
                "https://xn--bcher-kva.test/%C3%A4%20b",
                "http://BÜCHER。test/ä%20b",
            ],
            "https://xn--bcher-kva.test/%C3%A4%20b",
        ),
        (
            ["https://h.test/?b=2&a=1&utm_campaign=x", "https://h.test?a=1&amp;b=2"],
            "https://h.test?a=1&b=2",
        ),
        (
            [
                "https://arxiv.org/abs/2501.15200",
                "http://arxiv.org/pdf/2501.15200v3.pdf",
                "https://arxiv.org/html/2501.15200v1#S3",
                "arXiv:2501.15200v2",
                "https://doi.org/10.48550/arXiv.2501.15200",
            ],
            "https://arxiv.org/abs/2501.15200",
        ),
        (
            [
                "https://doi.org/10.5555/ABC.1",
                "http://dx.doi.org/10.5555/abc.1",
                "doi:10.5555/abc.1",
                "https://publisher.test/doi/full/10.5555/abc.1",
                "https://publisher.test/articles/10.5555/abc.1/epub?download=1",
                "https://publisher.test/view?id=10.5555/abc.1",
                "10.5555/abc.1",
            ],
            "https://doi.org/10.5555/abc.1",
        ),
        (
            [
                "https://www.biorxiv.org/content/10.1101/2020.01.02.123456v2.full.pdf",
                "https://doi.org/10.1101/2020.01.02.123456",
            ],
            "https://doi.org/10.1101/2020.01.02.123456",
        ),
        (
            [
                "https://www.nature.com/articles/s41586-020-2649-2.pdf",
                "https://doi.org/10.1038/s41586-020-2649-2",
            ],
            "https://doi.org/10.1038/s41586-020-2649-2",
        ),
        (
            [
                "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC8401529/",
                "https://pmc.ncbi.nlm.nih.gov/articles/PMC8401529/pdf/main.pdf",
                "https://europepmc.org/article/PMC/PMC8401529",
                "PMCID: PMC8401529",
            ],
            "https://pmc.ncbi.nlm.nih.gov/articles/PMC8401529",
        ),
        (
            [
                "https://pubmed.ncbi.nlm.nih.gov/27035985/",
                "https://www.ncbi.nlm.nih.gov/pubmed/27035985",
                "PMID: 27035985",
            ],
            "https://pubmed.ncbi.nlm.nih.gov/27035985",
        ),
        (
            [
                "https://web.archive.org/web/20200101000000/https://nih.gov/a",
                "https://web.archive.org/web/20200101000000id_/http:/nih.gov/a",
                "https://archive.ph/20200101/https://nih.gov/a",
                "https://translate.google.com/translate?sl=en&u=https%3A%2F%2Fnih.gov%2Fa",
                "https://nih-gov.translate.goog/a?_x_tr_sl=auto&_x_tr_tl=de",
                "https://www.google.com/url?sa=t&url=https://nih.gov/a&usg=1",
                "https://r.jina.ai/https://nih.gov/a",
                "https://duckduckgo.com/l/?uddg=https%3A%2F%2Fnih.gov%2Fa",
                "https://www.bing.com/ck/a?p=1&u=a1aHR0cHM6Ly9uaWguZ292L2E",
                "https://nih-gov.cdn.ampproject.org/c/s/nih.gov/a",
                "https://www.google.com/amp/s/nih.gov/a",
            ],
            "https://nih.gov/a",
        ),
        (
            [
                "https://en.m.wikipedia.org/wiki/Foo_(bar)",
                "http://en.wikipedia.org/wiki/Foo_%28bar%29#History",
            ],
            "https://en.wikipedia.org/wiki/Foo_(bar)",
        ),
    ],
)
def test_variants_of_one_address_have_one_identity(variants: list[str], identity: str) -> None:
    assert {canonicalise(variant) for variant in variants} == {identity}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://h.test/a", "https://h.test/b"),
        ("https://h.test/?id=1", "https://h.test/?id=2"),
        ("https://h.test/A", "https://h.test/a"),
        ("https://h.test/#/page/1", "https://h.test/#/page/2"),
        ("https://h.test:8080/", "https://h.test/"),
        ("https://h.test/a%2Fb", "https://h.test/a/b"),
        ("https://archive.org/details/bookid", "https://bookid.test/"),
    ],
)
def test_different_pages_keep_different_identities(one: str, other: str) -> None:
    assert canonicalise(one) != canonicalise(other)


@pytest.mark.parametrize(
    "text", ["", "http://[bad", "javascript:alert(1)", "mailto:a@b.test", "no address", "https://"]
)
def test_what_is_no_web_address_comes_back_without_error(text: str) -> None:
    assert canonicalise(text) == text


def test_a_host_that_idna_refuses_is_encoded_rather_than_refused() -> None:
    assert canonicalise("https://\u2603\u200d.test/a").startswith("https://")


@given(st.text(max_size=200) | st.text(alphabet="?#&=/.,;:!)]>'*_ a%2é", max_size=20))
@example("??#")
@example("a).#b")
def test_the_identity_of_an_identity_is_itself(text: str) -> None:
    once = canonicalise("https://h.test/" + text)
    assert canonicalise(once) == once


@pytest.mark.parametrize("text", [":\x85>", "<<https://a.test/>>", "<https://a.test/>.", ". )"])
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    assert clean_raw(clean_raw(text)) == clean_raw(text)


@given(st.text(max_size=200))
def test_no_text_makes_the_functions_raise(text: str) -> None:
    canonicalise(text)
    is_placeholder(text)
    is_redirector(text)
    unwrap(text)
    identifier_url(text)
    assert clean_raw(clean_raw(text)) == clean_raw(text) or "\\" in text or "&" in text
    assert text.startswith(trim_bare(text))


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("https://h.test/a.", "https://h.test/a"),
        ('https://h.test/c";', "https://h.test/c"),
        ("https://h.test/d?", "https://h.test/d"),
        ("https://h.test/wiki/Foo_(bar),", "https://h.test/wiki/Foo_(bar)"),
        ("https://h.test/x)", "https://h.test/x"),
        ("https://h.test/guide，另见", "https://h.test/guide"),
        ("https://h.test/报告。产量", "https://h.test/报告"),
        ("https://h.test/foo、続き", "https://h.test/foo"),
        ("https://h.test/docs的说明", "https://h.test/docs"),
        ("https://h.test/a**", "https://h.test/a"),
        ("https://h.test/a…", "https://h.test/a"),
    ],
)
def test_prose_behind_a_bare_address_is_cut(written: str, address: str) -> None:
    assert trim_bare(written) == address


def test_escapes_entities_and_angle_brackets_are_taken_off() -> None:
    assert clean_raw(r"<https://h.test/a\_b\(c\)?x=1&amp;y=2>") == "https://h.test/a_b(c)?x=1&y=2"


@pytest.mark.parametrize(
    ("url", "address", "quote"),
    [
        (
            "https://h.test/a#:~:text=We tune,8%2C192 tokens",
            "https://h.test/a",
            "We tune … 8,192 tokens",
        ),
        ("https://h.test/a#part:~:text=one", "https://h.test/a#part", "one"),
        (
            "https://h.test/a#:~:text=pre-,start,end,-suf&text=two",
            "https://h.test/a",
            "start … end … two",
        ),
        ("https://h.test/a#:~:other=x", "https://h.test/a", ""),
        ("https://h.test/a#plain", "https://h.test/a#plain", ""),
    ],
)
def test_a_text_fragment_becomes_the_quote_to_expect(url: str, address: str, quote: str) -> None:
    assert text_fragment(url) == (address, quote)


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("(doi:10.5555/OCEAN.2011.02.03.07(QW)); older", "10.5555/OCEAN.2011.02.03.07(QW)"),
        (
            "10.5555/(sici)1000-0000(19950606)4:1<9::aid-y2>3.0.co;2-q.",
            "10.5555/(sici)1000-0000(19950606)4:1<9::aid-y2>3.0.co;2-q",
        ),
        ("see [10.5555/exmp-77-12](https://doi.org/10.5555/exmp-77-12).", "10.5555/exmp-77-12"),
        ("no identifier", ""),
    ],
)
def test_a_doi_keeps_its_brackets_and_loses_those_of_the_sentence(text: str, doi: str) -> None:
    assert find_doi(text) == doi


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("arXiv:hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001"),
        ("PMC1234567", "https://pmc.ncbi.nlm.nih.gov/articles/PMC1234567/"),
        ("doi: 10.5555/x.", "https://doi.org/10.5555/x"),
        ("arXiv", ""),
        ("pmid", ""),
        ("doi", ""),
        ("2501.15200", ""),
    ],
)
def test_identifiers_become_resolver_addresses(text: str, address: str) -> None:
    assert identifier_url(text) == address


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/x",
        "http://www.example.org",
        "https://sub.example.net/a",
        "http://localhost:8000/x",
        "http://127.0.0.1/",
        "https://your-domain.com/a",
        "https://yourwebsite.com",
        "https://doi.org/10.xxxx/abc",
        "https://arxiv.org/abs/2401.xxxxx",
        "https://h.test/[insert-id]",
        "url",
        "",
        "#",
        "https://h.test/...",
        "https://a.localhost/",
    ],
)
def test_invented_addresses_are_placeholders(url: str) -> None:
    assert is_placeholder(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://nih.gov/example.html",
        "https://oecd.org/a",
        "https://host.test/x",
        "https://preprints.example/abs/1",
        "https://yourstory.com/a",
        "http://[::2]/",
        "http://[x",
    ],
)
def test_real_addresses_are_no_placeholders(url: str) -> None:
    assert not is_placeholder(url)


def test_a_wrapper_tells_its_host_and_the_date_of_its_snapshot() -> None:
    taken = unwrap("https://web.archive.org/web/20200102000000/https://nih.gov/a")
    assert (taken.url, taken.via, taken.snapshot) == (
        "https://nih.gov/a",
        "web.archive.org",
        "2020-01-02",
    )
    assert unwrap("https://archive.org/details/bookid").via == ""


def test_only_addresses_that_hide_their_target_are_redirectors() -> None:
    assert is_redirector("https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZI_x")
    assert is_redirector("https://t.co/abc")
    assert not is_redirector("https://t.co/")
    assert not is_redirector("https://www.google.com/url?url=https://nih.gov/a")
    assert not is_redirector("http://[bad")


def test_a_broken_or_foreign_address_does_not_split() -> None:
    assert split_address("http://[bad") is None
    assert split_address("ftp://h.test/a") is None
    parts = split_address("HTTPS://h.test/a")
    assert parts is not None
    assert parts.hostname == "h.test"


@pytest.mark.parametrize(
    ("url", "allow", "allowed"),
    [
        ("http://127.0.0.1:8080/x", ("127.0.0.1:8080",), True),
        ("http://127.0.0.1:8081/x", ("127.0.0.1:8080",), False),
        ("http://localhost/x", ("localhost",), True),
        ("http://10.1.2.3/x", ("10.0.0.0/8",), True),
        ("http://11.1.2.3/x", ("10.0.0.0/8",), False),
        ("http://wiki.local/x", ("10.0.0.0/8", "wiki.local"), True),
        ("http://[bad/x", ("localhost",), False),
        ("http://localhost/x", (), False),
    ],
)
def test_an_operator_can_name_hosts_that_only_look_like_placeholders(
    url: str, allow: tuple[str, ...], allowed: bool
) -> None:
    assert is_allowed(url, allow) is allowed
