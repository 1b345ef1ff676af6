"""Dates are read as pages write them, with where they stood."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream_evaluators.web.dates import date_in_url, plausible, read_date
from dream_evaluators.web.extract import extract_html


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-05-12T10:00:00+02:00", "2024-05-12"),
        ("2024/5/2", "2024-05-02"),
        ("20240512", "2024-05-12"),
        ("20240512T101500", "2024-05-12"),
        ("May 12, 2024", "2024-05-12"),
        ("Posted on Sept. 3rd, 2023 by A", "2023-09-03"),
        ("12 May 2024", "2024-05-12"),
        ("Tue, 03 Feb 2026 10:00:00 GMT", "2026-02-03"),
        ("3-Feb-2026", "2026-02-03"),
        ("12. März 2024", "2024-03-12"),
        ("1er août 2022", "2022-08-01"),
        ("3 de mayo de 2021", "2021-05-03"),
        ("12.05.2024", "2024-05-12"),
        ("2024年5月12日", "2024-05-12"),
        ("2024년 5월 12일", "2024-05-12"),
        ("25/12/2023", "2023-12-25"),
        ("12/25/2023", "2023-12-25"),
        ("05/05/2023", "2023-05-05"),
        ("2024-05", "2024-05"),
        ("2024", "2024"),
        ("03/04/2021", ""),
        ("2024-13-40", ""),
        ("31 February 2024", ""),
        ("2024-00", ""),
        ("Foo 12, 2024", ""),
        ("version 3.2024.1", ""),
        ("", ""),
    ],
)
def test_a_date_is_read_or_left(text: str, iso: str) -> None:
    assert read_date(text) == iso


@given(st.dates())
def test_an_iso_date_is_read_back(moment: object) -> None:
    text = str(moment)
    if text[:2] in ("19", "20"):
        assert read_date(text) == text


@given(st.text(max_size=300))
def test_any_text_is_read_without_error(text: str) -> None:
    assert read_date(text) == "" or plausible(read_date(text)) or read_date(text) < "1990"


@pytest.mark.parametrize(
    ("url", "iso"),
    [
        ("https://news.example.org/2024/05/12/story", "2024-05-12"),
        ("https://news.example.org/a-20240512.html", "2024-05-12"),
        ("https://news.example.org/2024-05-12-story", "2024-05-12"),
        ("https://news.example.org/2024/99/12/story", ""),
        ("https://news.example.org/story?d=/2024/05/12/", ""),
        ("https://news.example.org/12345678", ""),
    ],
)
def test_a_day_in_the_path_is_read(url: str, iso: str) -> None:
    assert date_in_url(url) == iso


def test_a_date_before_the_web_or_after_today_is_not_the_pages_own() -> None:
    assert not plausible("1970-01-01")
    assert not plausible("2030-01-01", latest="2026-11-30")
    assert plausible("2026-11-30", latest="2026-11-30")
    assert not plausible("")


ARTICLE = '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"%s"}</script>'
META = '<meta property="article:published_time" content="2022-02-02">'
MICRODATA = '<p><time itemprop="datePublished" datetime="2021-01-01">then</time> text</p>'
TIME = "<p>By A, <time>4 March 2020</time></p>"


@pytest.mark.parametrize(
    ("html", "url", "published", "source"),
    [
        (ARTICLE % "2023-03-03" + META + TIME, "https://a.test/", "2023-03-03", "json-ld"),
        (ARTICLE % "no date" + META, "https://a.test/", "2022-02-02", "meta"),
        (ARTICLE % "1970-01-01" + META, "https://a.test/", "2022-02-02", "meta"),
        (MICRODATA + TIME, "https://a.test/2019/01/02/x", "2021-01-01", "microdata"),
        (TIME, "https://a.test/2019/01/02/x", "2019-01-02", "url"),
        (TIME, "https://a.test/", "2020-03-04", "time"),
        ("<time class=updated datetime=2020-01-01>x</time>", "https://a.test/", "", ""),
        (f"<div class=comments>{TIME * 3}</div><p>{'word ' * 200}</p>", "https://a.test/", "", ""),
        ("<p>no date</p>", "https://a.test/", "", ""),
    ],
)
def test_the_most_deliberate_date_wins_and_says_where_it_stood(
    html: str, url: str, published: str, source: str
) -> None:
    page = extract_html(html, url)
    assert (page.published, page.published_from) == (published, source)


def test_the_date_of_change_is_kept_apart() -> None:
    page = extract_html(
        '<meta property="article:modified_time" content="2024-01-05"><p>x</p>', "https://a.test/"
    )
    assert page.modified == "2024-01-05"
    assert page.published == ""


@pytest.mark.parametrize("hostile", ["1 " * 500_000, "a" * 1_000_000, "2024-" * 200_000])
def test_hostile_dates_cost_nothing(hostile: str) -> None:
    began = time.process_time()
    read_date(hostile)
    date_in_url("https://a.test/" + hostile)
    assert time.process_time() - began < 2
