"""Addresses with a better source are asked for there, and the answers are read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.model.source import Outcome
from dream_evaluators.web.extract import extract_html
from dream_evaluators.web.kinds import combine, plan_for
from dream_evaluators.web.records import read_crossref, read_oembed, read_pubmed

DOC = "1234567890abcdefghijklmn"


@pytest.mark.parametrize(
    ("url", "kind", "identifier", "first"),
    [
        ("https://arxiv.org/abs/2602.18940v2", "arxiv", "arxiv:2602.18940v2",
         "https://arxiv.org/html/2602.18940v2"),
        ("http://arxiv.org/pdf/2602.18940.pdf", "arxiv", "arxiv:2602.18940",
         "https://arxiv.org/html/2602.18940"),
        ("https://arxiv.org/abs/hep-th/9901001", "arxiv", "arxiv:hep-th/9901001",
         "https://arxiv.org/html/hep-th/9901001"),
        ("https://doi.org/10.1000/x(1)Y", "doi", "doi:10.1000/x(1)y",
         "https://api.crossref.org/works/10.1000%2Fx%281%29Y"),
        ("http://dx.doi.org/10.1000/xy).", "doi", "doi:10.1000/xy",
         "https://api.crossref.org/works/10.1000%2Fxy"),
        ("https://doi.org/10.1000%2Fxy?a=b", "", "", ""),
        ("https://pubmed.ncbi.nlm.nih.gov/12345/", "pubmed", "pmid:12345",
         "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?retmode=xml&db=pubmed&id=12345"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/", "pmc", "pmcid:pmc123",
         "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?retmode=xml&db=pmc&id=123"),
        ("https://de.m.wikipedia.org/wiki/Caf%C3%A9_(x)#A", "wikipedia", "",
         "https://de.wikipedia.org/api/rest_v1/page/html/Caf%C3%A9_%28x%29"),
        ("https://github.com/a/b.c/blob/main/x/y%20z.md?plain=1#L3", "github_file", "",
         "https://raw.githubusercontent.com/a/b.c/main/x/y%20z.md"),
        (f"https://gist.github.com/a/{'0123456789abcdef' * 2}", "gist", "",
         f"https://gist.githubusercontent.com/a/{'0123456789abcdef' * 2}/raw"),
        ("https://youtu.be/abcdefghijk?t=3", "youtube", "",
         "https://www.youtube.com/oembed?format=json"
         "&url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3Dabcdefghijk"),
        ("https://www.youtube.com/watch?list=x&v=abcdefghijk", "youtube", "",
         "https://www.youtube.com/oembed?format=json"
         "&url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3Dabcdefghijk"),
        (f"https://docs.google.com/document/d/{DOC}/edit", "google_document", "",
         f"https://docs.google.com/document/d/{DOC}/export?format=txt"),
        (f"https://docs.google.com/spreadsheets/d/{DOC}/edit#gid=0", "google_sheet", "",
         f"https://docs.google.com/spreadsheets/d/{DOC}/export?format=csv"),
        (f"https://docs.google.com/presentation/d/{DOC}", "google_slides", "",
         f"https://docs.google.com/presentation/d/{DOC}/export/txt"),
    ],
)  # fmt: skip
def test_an_address_of_a_kind_is_asked_for_elsewhere(
    url: str, kind: str, identifier: str, first: str
) -> None:
    plan = plan_for(url)
    found = (plan.kind, plan.identifier, plan.requests[0].url) if plan else ("", "", "")
    assert found == (kind, identifier, first)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/abs/2602.18940",
        "https://arxiv.org/list/cs.AI/recent",
        "https://arxiv.org.example/abs/2602.18940",
        "https://github.com/a/b",
        "https://example.org/?u=https://doi.org/10.1000/x",
        "https://www.youtube.com/@channel",
        "",
    ],
)
def test_other_addresses_are_asked_for_as_they_stand(url: str) -> None:
    assert plan_for(url) is None


@given(st.text(max_size=200))
def test_any_text_behind_a_known_host_gives_addresses_of_that_service(text: str) -> None:
    plan = plan_for("https://en.wikipedia.org/wiki/" + text)
    if plan:
        assert plan.requests[0].url.startswith("https://en.wikipedia.org/api/rest_v1/page/html/")
        assert plan.requests[0].url.isascii()


def crossref(**message: object) -> str:
    return json.dumps(
        {"status": "ok", "message": {"DOI": "10.1/X", "title": ["On fish"], **message}}
    )


def test_a_crossref_record_is_read() -> None:
    page = read_crossref(
        crossref(
            **{"container-title": ["Sea Letters"], "published": {"date-parts": [[2021, 3, 5]]}},
            abstract="<jats:title>Abstract</jats:title><jats:p>We count fish.</jats:p>",
        )
    )
    assert (page.title, page.publisher) == ("On fish", "Sea Letters")
    assert (page.published, page.published_from) == ("2021-03-05", "crossref")
    assert page.identifier == "doi:10.1/x"
    assert "We count fish." in page.text
    assert page.flags == ()


@pytest.mark.parametrize(
    ("message", "flags"),
    [
        ({"updated-by": [{"type": "retraction", "DOI": "10.1/r"}]}, ("retracted",)),
        ({"updated-by": [{"type": "withdrawal"}, {"type": "retraction"}]}, ("retracted",)),
        ({"updated-by": [{"type": "Expression of Concern"}]}, ("expression_of_concern",)),
        ({"updated-by": [{"type": "erratum"}]}, ("corrected",)),
        ({"updated-by": [{"type": "new_version"}, "odd", {}]}, ()),
        ({"update-to": [{"type": "retraction"}]}, ("retraction_notice",)),
        ({"update-to": [{"type": "correction"}]}, ()),
        ({"updated-by": "odd"}, ()),
    ],
)
def test_a_retraction_is_told_from_its_notice(
    message: dict[str, object], flags: tuple[str, ...]
) -> None:
    assert read_crossref(crossref(**message)).flags == flags


@pytest.mark.parametrize(
    ("parts", "iso"),
    [
        ([[2021]], "2021"),
        ([[2021, 3]], "2021-03"),
        ([[2021, 13]], ""),
        ([[None]], ""),
        ([], ""),
        ("x", ""),
    ],
)
def test_a_crossref_date_may_be_partial(parts: object, iso: str) -> None:
    assert read_crossref(crossref(issued={"date-parts": parts})).published == iso


@pytest.mark.parametrize("text", ["", "null", "[]", '{"message": 3}', "[" * 100_000, "<html>"])
def test_answers_of_another_form_are_told_as_such(text: str) -> None:
    for read in (read_crossref, read_oembed, read_pubmed):
        assert read(text).outcome is Outcome.PARSE_FAILED


def test_a_video_has_a_title_and_no_text() -> None:
    page = read_oembed('{"title": "How ferries work", "author_name": "Harbour TV"}')
    assert page.outcome is Outcome.NO_TEXT
    assert (page.title, page.publisher) == ("How ferries work", "Harbour TV")
    assert read_oembed('{"title": "T"}').text == "T"


PUBMED = """<PubmedArticleSet><PubmedArticle><PMID Version="1">12345</PMID><Article><Journal>
<JournalIssue><PubDate><Year>2019</Year>{date}</PubDate></JournalIssue><Title>Sea Med</Title>
</Journal><ArticleTitle>Fish <i>and</i> health.</ArticleTitle><Abstract>
<AbstractText Label="RESULTS">Fish helped 12 of 20.</AbstractText></Abstract>{more}
</Article></PubmedArticle></PubmedArticleSet>"""


@pytest.mark.parametrize(
    ("date", "iso"),
    [
        ("<Month>Mar</Month><Day>5</Day>", "2019-03-05"),
        ("<Month>03</Month>", "2019-03"),
        ("<Month>Mar</Month><Day>77</Day>", "2019"),
        ("<Month>Spring</Month>", "2019"),
        ("", "2019"),
    ],
)
def test_a_pubmed_record_is_read(date: str, iso: str) -> None:
    page = read_pubmed(PUBMED.format(date=date, more=""))
    assert (page.title, page.publisher) == ("Fish and health.", "Sea Med")
    assert (page.published, page.published_from) == (iso, "pubmed")
    assert page.identifier == "pmid:12345"
    assert "Fish helped 12 of 20." in page.text
    assert page.flags == ()


@pytest.mark.parametrize(
    ("more", "flags"),
    [
        ("<PublicationType>Retracted Publication</PublicationType>", ("retracted",)),
        ('<CommentsCorrections RefType="RetractionIn"/>', ("retracted",)),
        ('<CommentsCorrections RefType="ExpressionOfConcernIn"/>', ("expression_of_concern",)),
        ('<CommentsCorrections RefType="RetractionOf"/>', ()),
    ],
)
def test_pubmed_tells_what_was_retracted(more: str, flags: tuple[str, ...]) -> None:
    assert read_pubmed(PUBMED.format(date="", more=more)).flags == flags


def test_a_registry_outranks_the_page_about_facts_and_not_about_text() -> None:
    page = extract_html("<title>Fish | Publisher</title><p>The whole paper.</p>", "https://p.test/")
    record = read_crossref(crossref(**{"updated-by": [{"type": "retraction"}]}))
    both = combine(page, record)
    assert (both.text, both.title, both.flags) == ("The whole paper.", "On fish", ("retracted",))
    assert both.identifier == "doi:10.1/x"


def test_a_registry_stands_in_for_a_page_without_text() -> None:
    both = combine(extract_html("", "https://p.test/"), read_crossref(crossref()))
    assert both.text == "On fish"
