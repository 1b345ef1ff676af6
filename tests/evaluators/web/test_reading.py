"""One address to one source, over loopback HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial

import pytest

from dream_evaluators.hashing import text_id
from dream_evaluators.model.source import LinkState, Outcome
from dream_evaluators.urls import canonicalise
from dream_evaluators.web import reading
from dream_evaluators.web.fetch import ACCEPT, Fetcher
from dream_evaluators.web.reading import read_source, source_of
from dream_evaluators.web.response import Response
from dream_evaluators.web.wayback import closest
from tests.evaluators.web.pdf_files import make_pdf
from tests.evaluators.web.servers import Loopback, Route, loopback, redirect, reply

pytestmark = pytest.mark.anyio
WORDS = "The plant opened in 2019 and employs 240 people in the old harbour. " * 8
PAGE = f"<html lang=en><head><title>The plant</title></head><body><p>{WORDS}</p></body></html>"


@pytest.fixture
async def lo() -> AsyncIterator[Loopback]:
    async with loopback() as started:
        started.site.routes["/page"] = reply(PAGE.encode())
        yield started
        assert started.trap.visits == 0


@pytest.fixture
async def fetcher(lo: Loopback) -> AsyncIterator[Fetcher]:
    async with lo.fetcher() as made:
        yield made


async def test_a_page_becomes_a_source_with_its_text_and_title(
    lo: Loopback, fetcher: Fetcher
) -> None:
    url = lo.url("/page#part")
    source = await read_source(fetcher, url)
    assert (source.outcome, source.status, source.media_type) == (Outcome.OK, 200, "text/html")
    assert (source.url, source.canonical_url) == (url, canonicalise(url))
    assert source.final_url == lo.url("/page")
    assert source.title == "The plant"
    assert WORDS.strip() in source.text
    assert source.content_hash == text_id(source.text)
    assert source.readable
    for block in source.blocks:
        assert 0 <= block.start <= block.end <= len(source.text)


async def test_the_charset_of_the_header_is_used(lo: Loopback, fetcher: Fetcher) -> None:
    lo.site.routes["/cafe"] = reply(
        "<p>Le café fermé</p>".encode("cp1252"), content_type='text/html; charset="windows-1252"; x'
    )
    assert "Le café fermé" in (await read_source(fetcher, lo.url("/cafe"))).text


@pytest.mark.parametrize(
    ("status", "outcome", "state"),
    [
        ("404 Not Found", Outcome.NOT_FOUND, LinkState.DEAD),
        ("410 Gone", Outcome.GONE, LinkState.DEAD),
        ("403 Forbidden", Outcome.FORBIDDEN, LinkState.UNKNOWN),
        ("500 Oops", Outcome.SERVER_ERROR, LinkState.UNKNOWN),
    ],
)
async def test_a_failure_is_an_outcome_and_never_raised(
    lo: Loopback, fetcher: Fetcher, status: str, outcome: Outcome, state: LinkState
) -> None:
    lo.site.routes["/x"] = reply(b"<p>no</p>", status)
    source = await read_source(fetcher, lo.url("/x"), archive=False)
    assert (source.outcome, source.state, source.readable) == (outcome, state, False)
    assert source.reason.endswith(".")


async def test_an_answer_without_body_has_no_text(lo: Loopback, fetcher: Fetcher) -> None:
    lo.site.routes["/empty"] = reply(b"")
    source = await read_source(fetcher, lo.url("/empty"), archive=False)
    assert (source.text, source.content_hash, source.blocks) == ("", "", ())
    assert not source.readable


async def test_a_body_that_stops_early_is_marked(lo: Loopback, fetcher: Fetcher) -> None:
    lo.site.routes["/cut"] = reply(PAGE.encode(), content_length=str(len(PAGE) + 999))
    source = await read_source(fetcher, lo.url("/cut"), archive=False)
    assert "truncated" in source.flags


async def test_what_is_no_text_is_told_by_its_content(lo: Loopback, fetcher: Fetcher) -> None:
    lo.site.routes["/image"] = reply(b"\x89PNG\r\n\x1a\n" + bytes(200), content_type="image/png")
    source = await read_source(fetcher, lo.url("/image"), archive=False)
    assert source.outcome is Outcome.UNSUPPORTED_TYPE
    assert not source.readable


def forwarding(target: str, delay: str) -> bytes:
    return f'<html><meta http-equiv="refresh" content="{delay}; url={target}"><p>Wait.</p>'.encode()


async def test_a_page_that_forwards_at_once_is_followed(lo: Loopback, fetcher: Fetcher) -> None:
    lo.site.routes["/old"] = reply(forwarding("/page", "0"))
    source = await read_source(fetcher, lo.url("/old"), archive=False)
    assert source.final_url == lo.url("/page")
    assert source.url == lo.url("/old")
    assert WORDS.strip() in source.text


async def test_a_page_that_forwards_later_is_read_itself(lo: Loopback, fetcher: Fetcher) -> None:
    lo.site.routes["/slow"] = reply(forwarding("/page", "30"))
    source = await read_source(fetcher, lo.url("/slow"), archive=False)
    assert source.final_url == lo.url("/slow")
    assert lo.site.paths == ["/slow"]


async def test_a_redirect_is_followed_to_where_it_ends(lo: Loopback, fetcher: Fetcher) -> None:
    lo.site.routes["/moved"] = redirect("/page", "301 Moved")
    source = await read_source(fetcher, lo.url("/moved"))
    assert source.final_url == lo.url("/page")
    assert source.readable


@pytest.fixture
def archive(lo: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """Put the archive on the loopback site."""
    ours = partial(closest, availability=lo.url("/available"), archive=lo.url("/web"))
    monkeypatch.setattr(reading, "closest", ours)
    return lo


def hold(lo: Loopback, url: str, body: bytes = PAGE.encode(), status: str = "200 OK") -> None:
    """Let the archive have a copy of an address."""
    copy = {"available": True, "status": "200", "timestamp": "20200102030405"}
    answer = json.dumps({"archived_snapshots": {"closest": copy}}).encode()
    found = reply(answer, content_type="application/json")

    async def route(head: str, writer: object) -> None:
        asked = head.startswith("GET /available")
        await (found if asked else reply(body, status))(head, writer)  # type: ignore[arg-type]

    lo.site.routes["*"] = route
    lo.site.routes["/gone"] = reply(b"no", "404 Not Found")


async def test_a_dead_page_is_read_from_the_archive_and_stays_dead(
    archive: Loopback, fetcher: Fetcher
) -> None:
    url = archive.url("/gone")
    hold(archive, url)
    source = await read_source(fetcher, url)
    assert (source.outcome, source.state) == (Outcome.ARCHIVED, LinkState.DEAD)
    assert source.readable
    assert source.archived_url == f"{archive.url('/web')}/20200102030405id_/{url}"
    assert (source.status, source.final_url) == (404, url)
    assert source.reason.endswith("Read from the archive's copy of 2020-01-02.")
    assert "archived" in source.flags


async def test_without_a_readable_copy_a_dead_page_is_just_dead(
    archive: Loopback, fetcher: Fetcher
) -> None:
    archive.site.routes["/gone"] = reply(b"no", "404 Not Found")
    assert (await read_source(fetcher, archive.url("/gone"))).outcome is Outcome.NOT_FOUND
    hold(archive, archive.url("/gone"), b"blocked", "403 Forbidden")
    assert (await read_source(fetcher, archive.url("/gone"))).outcome is Outcome.NOT_FOUND


async def test_the_archive_is_not_asked_when_it_may_not_be(
    archive: Loopback, fetcher: Fetcher
) -> None:
    hold(archive, archive.url("/gone"))
    source = await read_source(fetcher, archive.url("/gone"), archive=False)
    assert source.outcome is Outcome.NOT_FOUND
    assert archive.site.paths == ["/gone"]


async def test_a_response_that_failed_is_a_source_without_text() -> None:
    response = Response(
        url="https://x.test/", outcome=Outcome.TIMEOUT, reason="It took too long.", status=0
    )
    source, content = await source_of("https://x.test/", response)
    assert content is None
    assert (source.outcome, source.reason, source.text) == (
        Outcome.TIMEOUT,
        "It took too long.",
        "",
    )


# Papers, wikis, records: asked for where their text is


class Moved(Fetcher):
    """Asks the loopback site for whatever address of the world it is given, host and path kept."""

    port = 0

    async def get(self, url: str, *, accept: str = ACCEPT) -> Response:
        host, _, path = url.partition("://")[2].partition("/")
        moved = f"http://{host.partition(':')[0]}:{self.port}/{path}"
        return await super().get(moved, accept=accept)


@pytest.fixture
async def world(lo: Loopback) -> AsyncIterator[Moved]:
    async with Moved(lo.policy(), resolver=lo.resolve) as made:
        made.port = lo.site.port
        yield made


def works(**message: object) -> Route:
    record = {"DOI": "10.1000/xy", "title": ["On fish"], **message}
    body = json.dumps({"status": "ok", "message": record}).encode()
    return reply(body, content_type="application/json")


DOI = "https://doi.org/10.1000/xy"
WORKS = "/works/10.1000%2Fxy"


async def test_a_paper_that_crossref_calls_retracted_says_so(lo: Loopback, world: Moved) -> None:
    lo.site.routes[WORKS] = works(
        **{"updated-by": [{"type": "retraction"}], "container-title": ["Sea Letters"]},
        published={"date-parts": [[2021, 3, 5]]},
    )
    lo.site.routes["/10.1000/xy"] = redirect(lo.url("/page", "sea.test"))
    source = await read_source(world, DOI)
    assert lo.site.paths == [WORKS, "/10.1000/xy", "/page"]
    assert (source.url, source.outcome) == (DOI, Outcome.REDIRECTED_SAME)
    assert source.final_url == lo.url("/page", "sea.test")
    assert (source.title, source.publisher, source.published) == (
        "On fish",
        "Sea Letters",
        "2021-03-05",
    )
    assert source.flags == ("retracted",)
    assert source.identifier == "doi:10.1000/xy"
    assert WORDS.strip() in source.text
    assert source.content_hash == text_id(source.text)


@pytest.mark.parametrize(
    "record",
    [
        reply(b"not found", "404 Not Found"),
        reply(b"busy", "503 Busy"),
        reply(b"<html>maintenance</html>"),
        reply(b"{}", content_type="application/json"),
    ],
)
async def test_a_registry_that_knows_nothing_proves_nothing(
    lo: Loopback, world: Moved, record: Route
) -> None:
    lo.site.routes |= {WORKS: record, "/10.1000/xy": redirect("/page")}
    source = await read_source(world, DOI)
    assert (source.readable, source.title, source.flags) == (True, "The plant", ())
    assert source.identifier == "doi:10.1000/xy"


ARXIV = "https://arxiv.org/abs/2602.18940"


async def test_a_paper_without_a_page_is_read_from_its_pdf(lo: Loopback, world: Moved) -> None:
    pdf = make_pdf([[f"The plant employs {n} people." for n in range(240, 250)]])
    lo.site.routes["/pdf/2602.18940"] = reply(pdf, content_type="application/pdf")
    source = await read_source(world, ARXIV)
    assert lo.site.paths == ["/html/2602.18940", "/pdf/2602.18940"]
    assert "The plant employs 240 people." in source.text
    assert (source.url, source.media_type) == (ARXIV, "application/pdf")
    assert source.identifier == "arxiv:2602.18940"


async def test_a_paper_without_page_and_pdf_is_read_from_its_abstract(
    lo: Loopback, world: Moved
) -> None:
    lo.site.routes["/abs/2602.18940"] = reply(PAGE.encode())
    source = await read_source(world, ARXIV)
    assert lo.site.paths == ["/html/2602.18940", "/pdf/2602.18940", "/abs/2602.18940"]
    assert (source.title, source.identifier) == ("The plant", "arxiv:2602.18940")


async def test_an_address_whose_text_is_nowhere_else_is_asked_itself(
    lo: Loopback, world: Moved
) -> None:
    lo.site.routes["/wiki/Plant"] = reply(PAGE.encode())
    source = await read_source(world, "https://en.wikipedia.org/wiki/Plant")
    assert lo.site.paths == ["/api/rest_v1/page/html/Plant", "/wiki/Plant"]
    assert (source.outcome, source.title) == (Outcome.OK, "The plant")


async def test_an_address_that_is_gone_everywhere_is_dead_at_its_own_word(
    lo: Loopback, world: Moved
) -> None:
    source = await read_source(world, "https://en.wikipedia.org/wiki/Plant", archive=False)
    assert (source.outcome, source.state) == (Outcome.NOT_FOUND, LinkState.DEAD)


EFETCH = "/entrez/eutils/efetch.fcgi?retmode=xml&db=pubmed&id=12345"
PUBMED = """<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><PMID>12345</PMID>
<Article><Journal><Title>Sea Med</Title></Journal><ArticleTitle>Fish and health.</ArticleTitle>
<Abstract><AbstractText>Fish helped 12 of 20.</AbstractText></Abstract>{more}</Article>
</PubmedArticle></PubmedArticleSet>"""


async def test_a_record_that_is_the_source_is_read_as_such(lo: Loopback, world: Moved) -> None:
    more = "<PublicationType>Retracted Publication</PublicationType>"
    lo.site.routes[EFETCH] = reply(PUBMED.format(more=more).encode(), content_type="text/xml")
    source = await read_source(world, "https://pubmed.ncbi.nlm.nih.gov/12345/")
    assert lo.site.paths == [EFETCH]
    assert (source.title, source.publisher) == ("Fish and health.", "Sea Med")
    assert "Fish helped 12 of 20." in source.text
    assert (source.identifier, source.flags) == ("pmid:12345", ("retracted",))


async def test_a_record_of_another_form_leaves_the_address_to_itself(
    lo: Loopback, world: Moved
) -> None:
    lo.site.routes[EFETCH] = reply(f"<p>{WORDS}</p>".encode())
    lo.site.routes["/12345/"] = reply(PAGE.encode())
    source = await read_source(world, "https://pubmed.ncbi.nlm.nih.gov/12345/")
    assert lo.site.paths == [EFETCH, "/12345/"]
    assert source.title == "The plant"


async def test_a_dead_page_is_looked_up_where_the_archive_is(lo: Loopback, world: Moved) -> None:
    gone = "http://gone.test/old/page"
    copy = {"available": True, "status": "200", "timestamp": "20200102030405"}
    found = json.dumps({"archived_snapshots": {"closest": copy}}).encode()
    asked = "/wayback/available?url=http%3A%2F%2Fgone.test%2Fold%2Fpage"
    kept = f"/web/20200102030405id_/{gone}"
    lo.site.routes |= {asked: reply(found), kept: reply(PAGE.encode())}
    source = await read_source(world, gone)
    assert lo.site.paths == ["/old/page", asked, kept]
    assert (source.outcome, source.url) == (Outcome.ARCHIVED, gone)
    assert source.archived_url == f"https://web.archive.org{kept}"
    assert source.title == "The plant"


async def test_a_paper_that_was_cut_says_so(lo: Loopback, world: Fetcher) -> None:
    lo.site.routes["/html/2602.18940"] = reply(PAGE.encode(), content_length=str(len(PAGE) + 999))
    assert "truncated" in (await read_source(world, ARXIV)).flags


async def test_a_record_that_was_cut_says_so(lo: Loopback, world: Fetcher) -> None:
    body = PUBMED.format(more="").encode()
    lo.site.routes[EFETCH] = reply(
        body, content_type="text/xml", content_length=str(len(body) + 99)
    )
    source = await read_source(world, "https://pubmed.ncbi.nlm.nih.gov/12345/")
    assert "truncated" in source.flags


async def test_a_retracted_paper_behind_a_wall_is_still_known_as_such(
    lo: Loopback, world: Fetcher
) -> None:
    lo.site.routes[WORKS] = works(**{"updated-by": [{"type": "retraction"}]})
    lo.site.routes["/10.1000/xy"] = reply(b"<p>no</p>", "403 Forbidden")
    source = await read_source(world, DOI, archive=False)
    assert "retracted" in source.flags
    assert source.state is LinkState.UNKNOWN


async def test_a_retracted_paper_read_from_the_archive_is_known_as_such(
    lo: Loopback, world: Fetcher
) -> None:
    lo.site.routes[WORKS] = works(**{"updated-by": [{"type": "retraction"}]})
    copy = {"available": True, "status": "200", "timestamp": "20200102030405"}
    found = json.dumps({"archived_snapshots": {"closest": copy}}).encode()
    lo.site.routes["*"] = reply(PAGE.encode())
    lo.site.routes["/10.1000/xy"] = reply(b"no", "404 Not Found")
    asked = "/wayback/available?url=https%3A%2F%2Fdoi.org%2F10.1000%2Fxy"
    lo.site.routes[asked] = reply(found)
    source = await read_source(world, DOI)
    assert {"retracted", "archived"} <= set(source.flags)


async def test_a_video_is_known_by_its_title(lo: Loopback, world: Fetcher) -> None:
    told = b'{"title":"How ferries work","author_name":"Harbour TV"}'
    lo.site.routes["*"] = reply(told, content_type="application/json")
    lo.site.routes["/watch?v=abcdefghijk"] = reply(b"<html><script>x</script></html>")
    source = await read_source(world, "https://www.youtube.com/watch?v=abcdefghijk", archive=False)
    assert source.title == "How ferries work"
    assert not source.readable
