"""What answers mean: a recorded table through the real reader, and what holds of any answer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.model.source import LinkState, Outcome, state_of
from dream_evaluators.web.markers import PAGE_PHRASES, SIGN_IN, Phrases
from dream_evaluators.web.outcomes import PageSignals, classify
from dream_evaluators.web.redirects import Destination, destination, site
from dream_evaluators.web.response import Response
from tests.evaluators.web.outcome_table import RECORDED, Recorded


def answer(recorded: Recorded) -> Response:
    final = recorded.final or recorded.asked
    return Response(
        url=recorded.asked,
        final_url=final,
        hops=(recorded.asked,) if recorded.final else (),
        status=recorded.status,
        headers=(("content-type", recorded.media_type), *recorded.headers),
        body=recorded.page.encode(),
        truncated=recorded.truncated,
    )


def read(recorded: Recorded) -> PageSignals | None:
    if recorded.media_type != "text/html" or not recorded.page:
        return None
    from dream_evaluators.web.html import extract_html

    return extract_html(recorded.page, recorded.final or recorded.asked).signals


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded.name)
def test_a_recorded_answer_has_its_outcome_state_and_evidence(recorded: Recorded) -> None:
    outcome, reason = classify(answer(recorded), read(recorded))
    assert outcome is recorded.outcome, (outcome, reason, read(recorded))
    assert state_of(outcome) is recorded.state
    assert recorded.reason.casefold() in reason.casefold()
    assert reason.endswith(".")


def test_the_table_is_large_and_names_each_case_once() -> None:
    assert len(RECORDED) >= 60
    assert len({recorded.name for recorded in RECORDED}) == len(RECORDED)


def test_an_outcome_found_while_fetching_is_final() -> None:
    response = Response(url="http://a.test/", outcome=Outcome.TIMEOUT, reason="too slow")
    assert classify(response, PageSignals(title="404")) == (Outcome.TIMEOUT, "too slow")


@pytest.mark.parametrize(
    ("media_type", "body", "outcome"),
    [
        ("application/pdf", b"%PDF-1.7", Outcome.OK),
        ("text/html", b"%PDF-1.7", Outcome.OK),
        ("application/json", b"{}", Outcome.OK),
        ("text/html", b"\xef\xbb\xbf <html></html>", Outcome.NO_TEXT),
        ("application/pdf", b"", Outcome.NO_TEXT),
    ],
)
def test_signals_that_nobody_filled_say_something_of_pages_only(
    media_type: str, body: bytes, outcome: Outcome
) -> None:
    url = "http://a.test/x"
    headers = (("content-type", media_type),)
    response = Response(url=url, final_url=url, status=200, headers=headers, body=body)
    assert classify(response, PageSignals())[0] is outcome


def test_only_proof_of_absence_is_dead() -> None:
    statuses = set(range(100, 1000)) - {404, 410}
    for status in statuses:
        outcome, _ = classify(
            Response(url="http://a.test/x", final_url="http://a.test/x", status=status)
        )
        assert state_of(outcome) is not LinkState.DEAD


def test_only_2xx_counts_as_content() -> None:
    for status in set(range(100, 1000)) - set(range(200, 300)):
        response = Response(
            url="http://a.test/x", final_url="http://a.test/x", status=status, body=b"x" * 5000
        )
        outcome, _ = classify(response, PageSignals(title="A study", words=900))
        assert state_of(outcome) is not LinkState.ALIVE


@pytest.mark.parametrize("row", PAGE_PHRASES, ids=lambda row: row.outcome.value)
def test_every_phrase_is_written_as_it_is_compared(row: Phrases) -> None:
    phrases = [*row.headings, *row.texts]
    for phrase in phrases:
        assert phrase == " ".join(phrase.casefold().split())
        assert phrase
        assert "’" not in phrase


@pytest.mark.parametrize("row", PAGE_PHRASES, ids=lambda row: row.outcome.value)
def test_every_phrase_of_a_short_page_is_recognised_and_of_a_long_one_is_not(row: Phrases) -> None:
    response = Response(
        url="http://a.test/x", final_url="http://a.test/x", status=200, body=b"x" * 99
    )
    for phrase in (*row.headings, *row.texts):
        short = PageSignals(title=f"{phrase} | Paper", words=50)
        assert classify(response, short)[0] is not Outcome.OK
        assert classify(response, PageSignals(title=phrase, words=900))[0] is Outcome.OK


def test_sign_in_words_need_a_password_field() -> None:
    response = Response(url="http://a.test/x", final_url="http://a.test/x", status=200)
    for word in SIGN_IN:
        page = PageSignals(title=word, words=60, password_field=True)
        assert classify(response, page)[0] is Outcome.AUTH_REQUIRED
        assert classify(response, PageSignals(title=word, words=60))[0] is Outcome.OK


@pytest.mark.parametrize(
    ("asked", "final", "where"),
    [
        ("http://a.test/x", "https://www.a.test/x/", Destination.SAME),
        ("http://a.test/x?utm=1", "http://a.test/x", Destination.SAME),
        ("http://a.test", "http://a.test/", Destination.SAME),
        ("http://a.test/?lang=en", "http://a.test/", Destination.SAME),
        ("http://a.test/welcome", "http://a.test/", Destination.SAME),
        ("http://a.test/?id=7", "http://a.test/", Destination.HOME),
        ("http://a.test/pricing", "http://a.test/de/", Destination.HOME),
        ("http://a.test/x", "http://a.test/?p=5", Destination.ELSEWHERE),
        ("http://old.test/a/b", "http://new.test/", Destination.HOME),
        ("http://old.test/new-shop", "http://new.test/", Destination.HOME),
        ("http://a.test/blog", "http://blog.a.test/", Destination.ELSEWHERE),
        ("http://a.test/products/big-lamp", "http://www.biglamp.test/", Destination.ELSEWHERE),
        ("http://a.test/news/a-test", "http://www.a.test/", Destination.HOME),
        ("http://www.sedo.com/x", "http://sedo.com/x", Destination.SAME),
        ("http://www2.a.test/x", "http://a.test/x", Destination.SAME),
        ("http://a.test/x", "http://ww25.a.test/x", Destination.MARKET),
        ("http://news.a.test/x", "http://a.test/", Destination.HOME),
        ("http://old.test/a/b", "http://new.test/a/b", Destination.ELSEWHERE),
        ("http://a.co.uk/x", "http://b.co.uk/x", Destination.ELSEWHERE),
        ("http://a.test/login", "http://a.test/login/", Destination.SAME),
        ("http://a.test/docs/oauth/x-y", "http://a.test/v2/oauth/x-y", Destination.SAME),
        ("http://a.test/x", "https://sso.a.test/r", Destination.SIGN_IN),
        ("http://a.test/x", "https://a.test/SignIn?r=x", Destination.SIGN_IN),
        ("http://a.test/x", "https://a.test/consent/", Destination.CONSENT),
        ("http://a.test/x", "https://a.test/Errors/NotFound", Destination.ABSENT),
        ("http://a.test/404", "https://a.test/404", Destination.SAME),
        ("http://a.test/x", "http://a.test/%zz/[", Destination.ELSEWHERE),
        ("http://a.test/x", "http://[a.test/x", Destination.ELSEWHERE),
    ],
)
def test_the_end_of_a_chain_is_told_from_its_start(
    asked: str, final: str, where: Destination
) -> None:
    assert destination(asked, final) is where


def test_a_site_is_the_part_of_a_host_that_someone_registers() -> None:
    hosts = ("a.test", "b.a.test", "a.co.uk", "b.a.co.uk", "a.gov.au", "localhost")
    assert [site(host) for host in hosts] == [
        "a.test", "a.test", "a.co.uk", "a.co.uk", "a.gov.au", "localhost",
    ]  # fmt: skip


texts = st.text(max_size=200)
signals = st.builds(
    PageSignals,
    title=texts,
    h1=texts,
    words=st.integers(0, 2000),
    text_start=texts,
    scripts=st.integers(0, 9),
    app_root=st.booleans(),
    password_field=st.booleans(),
    free=st.none() | st.booleans(),
    noscript=texts,
)


@given(
    signals=st.none() | signals,
    status=st.integers(0, 1100),
    asked=texts,
    final=texts,
    body=st.binary(max_size=300),
)
def test_any_answer_has_an_outcome_and_a_reason(
    signals: PageSignals | None, status: int, asked: str, final: str, body: bytes
) -> None:
    response = Response(url=asked, final_url=final, status=status, body=body)
    outcome, reason = classify(response, signals)
    assert isinstance(outcome, Outcome)
    assert reason.endswith(".")


@given(st.text(max_size=80), st.integers(300, 9000))
def test_a_long_page_that_did_not_move_is_there_whatever_its_title(title: str, words: int) -> None:
    response = Response(
        url="http://a.test/x", final_url="http://a.test/x", status=200, body=b"x" * 9000
    )
    assert classify(response, PageSignals(title=title, words=words))[0] is Outcome.OK


@pytest.mark.parametrize("piece", [" | ", " - ", "404 ", "a", "’", "://", "/", "\u2028", "%2f"])
def test_a_megabyte_of_anything_costs_no_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    page = PageSignals(title=text, h1=text, text_start=text, noscript=text, words=5)
    response = Response(
        url="http://a.test/" + text, final_url="http://b.test/" + text + "x", status=200
    )
    start = time.process_time()
    classify(response, page)
    assert time.process_time() - start < 5
