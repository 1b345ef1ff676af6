"""How the fetcher behaves: redirects, cookies, TLS, retries, turns, and saying who it is."""

from __future__ import annotations

from datetime import UTC, datetime

import anyio
import pytest

from dream_evaluators.clock import FixedClock
from dream_evaluators.model.source import Outcome
from dream_evaluators.web.fetch import Fetcher, user_agent
from tests.evaluators.web.servers import (
    SITE_ADDRESS,
    Loopback,
    in_turn,
    redirect,
    reply,
    silence,
)

pytestmark = pytest.mark.anyio


MEBIBYTE = 1 << 20


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


async def test_a_body_is_read_whole_with_its_headers(lo: Loopback) -> None:
    lo.site.routes["/a"] = reply(b"<p>caf\xe9", content_type="Text/HTML; charset=latin-1")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url("/a#:~:text=caf"))
    assert response.body == b"<p>caf\xe9"
    assert response.url == response.final_url == lo.url("/a")
    assert response.media_type == "text/html"
    assert response.header("Content-Type") == "Text/HTML; charset=latin-1"
    assert (response.status, response.outcome, response.truncated) == (200, None, False)


async def test_cookies_last_as_long_as_the_fetch_and_are_shared_with_no_other(
    lo: Loopback,
) -> None:
    lo.site.routes["/in"] = redirect("/page", set_cookie="seen=yes; Path=/")
    async with lo.fetcher() as fetcher:
        await fetcher.get(lo.url("/in"))
        await fetcher.get(lo.url("/page"))
    cookies = ["seen=yes" in head for head in lo.site.heads]
    assert cookies == [False, True, False]


async def test_a_cookie_is_not_sent_to_another_host(lo: Loopback) -> None:
    lo.site.routes["/in"] = redirect(lo.url("/page", host="other.test"), set_cookie="a=b; Path=/")
    async with lo.fetcher() as fetcher:
        await fetcher.get(lo.url("/in"))
    assert "a=b" not in lo.site.heads[-1]


@pytest.mark.parametrize(
    "cookie",
    [
        "a=b; expires=" + "1-" * 10_000 + " " * 10_000,
        "a=b; expires=" + "0 " * 10_000 + "!",
        "a=b; expires=Mon, 1" + " " * 40_000 + "x",
        'a="' + "\\" * 40_000,
        "a=b;" * 12_000,
        "=" * 40_000,
        "a=b; max-age=" + "9" * 40_000,
        "a=b; domain=" + "." * 40_000,
    ],
    ids=range(8),
)
async def test_hostile_cookies_cost_no_time(lo: Loopback, cookie: str) -> None:
    lo.site.routes["/"] = redirect("/next", set_cookie=cookie)
    lo.site.routes["/next"] = reply(b"through")
    async with lo.fetcher() as fetcher:
        with anyio.fail_after(2):
            assert (await fetcher.get(lo.url())).body == b"through"


async def test_a_loop_of_redirects_ends_at_the_limit(lo: Loopback) -> None:
    lo.site.routes["/"] = redirect("/")
    async with lo.fetcher(max_redirects=3) as fetcher:
        response = await fetcher.get(lo.url())
    assert response.outcome is Outcome.TOO_MANY_REDIRECTS
    assert len(lo.site.heads) == 4


@pytest.mark.parametrize("status", ["301 A", "302 B", "303 C", "307 D", "308 E"])
async def test_a_redirect_of_every_kind_is_followed_by_get(lo: Loopback, status: str) -> None:
    lo.site.routes["/"] = redirect("next?q=ü#part", status)
    lo.site.routes["*"] = reply(b"there")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert response.body == b"there"
    assert response.hops == (lo.url(),)
    assert response.final_url == lo.url("/next?q=%C3%BC")
    assert all(head.startswith("GET ") for head in lo.site.heads)


async def test_a_redirect_without_a_target_is_an_answer(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"", "302 Found")
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert (response.status, response.outcome) == (302, None)


async def test_a_page_that_redirects_itself_is_followed_as_one_more_hop(lo: Loopback) -> None:
    lo.site.routes["/page"] = reply(b"moved")
    lo.site.routes["/new/page"] = reply(b"there")
    async with lo.fetcher(max_redirects=1) as fetcher:
        page = await fetcher.get(lo.url("/page"))
        moved = await fetcher.follow(page, "new/page")
        lost = await fetcher.follow(moved, "/page")
        inward = await fetcher.follow(page, f"http://127.0.0.1:{lo.site.port}/")
    assert (moved.body, moved.url, moved.hops) == (b"there", page.url, (page.url,))
    assert lost.outcome is Outcome.TOO_MANY_REDIRECTS
    assert inward.outcome is Outcome.BLOCKED_BY_POLICY


async def test_tls_checks_the_name_that_was_asked_for(lo: Loopback) -> None:
    lo.site.routes["/"] = reply(b"safe")
    async with lo.fetcher() as fetcher:
        right = await fetcher.get(f"https://good.test:{lo.tls_port}/")
        wrong = await fetcher.get(f"https://wrong.test:{lo.tls_port}/")
        dotted = await fetcher.get(f"https://good.test.:{lo.tls_port}/")
    assert right.body == dotted.body == b"safe"
    assert "good.test" in lo.server_names
    assert wrong.outcome is Outcome.TLS_ERROR
    assert "certificate" in wrong.reason
    assert any(f"host: good.test:{lo.tls_port}" in head.lower() for head in lo.site.heads)


async def test_a_certificate_nobody_vouches_for_is_a_tls_error(lo: Loopback) -> None:
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(f"https://good.test:{lo.untrusted_port}/")
    assert response.outcome is Outcome.TLS_ERROR


async def test_tls_on_a_plain_port_and_the_reverse_are_outcomes(lo: Loopback) -> None:
    async with lo.fetcher(read_seconds=0.5, connect_seconds=0.5) as fetcher:
        secure = await fetcher.get(f"https://good.test:{lo.site.port}/")
        plain = await fetcher.get(lo.url("/", port=lo.tls_port))
    assert secure.outcome in {Outcome.TLS_ERROR, Outcome.TIMEOUT, Outcome.CONNECT_ERROR}
    assert plain.outcome in {Outcome.PROTOCOL_ERROR, Outcome.CONNECT_ERROR, Outcome.TIMEOUT}


async def test_a_port_where_nobody_listens_is_a_connect_error(lo: Loopback) -> None:
    async with lo.fetcher(ports=frozenset({1})) as fetcher:
        response = await fetcher.get(lo.url("/", port=1))
    assert response.outcome is Outcome.CONNECT_ERROR
    assert lo.lookups == ["good.test", "good.test"]


async def test_the_next_address_of_a_host_is_tried_when_one_is_down(lo: Loopback) -> None:
    lo.hosts["good.test"] = ["127.0.0.3", SITE_ADDRESS]
    lo.site.routes["/"] = reply(b"up")
    async with lo.fetcher(allow=("127.0.0.2", "127.0.0.3")) as fetcher:
        assert (await fetcher.get(lo.url())).body == b"up"


async def test_a_server_that_is_busy_is_asked_again_after_the_wait_it_names(lo: Loopback) -> None:
    lo.site.routes["/"] = in_turn(reply(b"", "429 Busy", retry_after="0"), reply(b"ok"))
    async with lo.fetcher() as fetcher:
        response = await fetcher.get(lo.url())
    assert (response.status, response.body) == (200, b"ok")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 522])
async def test_a_server_that_stays_busy_is_asked_twice_and_no_more(
    lo: Loopback, status: int
) -> None:
    lo.site.routes["/"] = reply(b"", f"{status} No")
    async with lo.fetcher() as fetcher:
        assert (await fetcher.get(lo.url())).status == status
    assert len(lo.site.heads) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 501, 999])
async def test_an_answer_that_will_not_change_is_asked_for_once(lo: Loopback, status: int) -> None:
    lo.site.routes["/"] = reply(b"", f"{status} No")
    async with lo.fetcher() as fetcher:
        assert (await fetcher.get(lo.url())).status == status
    assert len(lo.site.heads) == 1


async def test_a_server_that_asks_for_an_hour_is_not_asked_again(lo: Loopback) -> None:
    noon = FixedClock(datetime(2026, 5, 4, 12, tzinfo=UTC))
    lo.site.routes["/"] = reply(b"", "503 Busy", retry_after="Mon, 04 May 2026 13:00:00 GMT")
    async with Fetcher(lo.policy(), resolver=lo.resolve, clock=noon) as fetcher:
        response = await fetcher.get(lo.url())
    assert response.retry_after == 3600
    assert response.retrieved_at == "2026-05-04T12:00:00Z"
    assert len(lo.site.heads) == 1


async def test_a_host_is_asked_by_few_at_a_time(lo: Loopback) -> None:
    lo.site.routes["*"] = reply(b"a" * 100_000)
    async with lo.fetcher(per_host=2) as fetcher, anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(fetcher.get, lo.url(f"/{number}"))
    assert len(lo.site.heads) == 8
    assert lo.site.most_open <= 3  # two at a time, and one that is just closing


async def test_who_queues_for_a_busy_host_takes_no_place_from_another(lo: Loopback) -> None:
    lo.site.routes["/slow"] = silence
    lo.site.routes["/"] = reply(b"ok")
    limits = lo.fetcher(per_host=1, concurrency=2)
    async with limits as fetcher, anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(fetcher.get, lo.url("/slow", host="busy.test"))
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(2):
            assert (await fetcher.get(lo.url())).body == b"ok"
        tasks.cancel_scope.cancel()


async def test_the_request_says_who_asks_and_what_for(lo: Loopback) -> None:
    async with lo.fetcher(contact="mailto:lab@uni.test\r\nX: y") as fetcher:
        await fetcher.get(lo.url(), accept="application/json")
    head = lo.site.heads[0].lower()
    assert "user-agent: dream-mcp/" in head
    assert "(+mailto:lab@uni.testx: y)" in head
    assert "\r\nx: y" not in head
    assert "accept: application/json" in head
    assert "accept-encoding: gzip, deflate\r\n" in head
    assert "cookie" not in head


def test_the_user_agent_without_contact_has_no_empty_parentheses() -> None:
    assert "(" not in user_agent("")


async def test_a_fetcher_that_fetched_nothing_closes(lo: Loopback) -> None:
    async with lo.fetcher():
        pass
    assert lo.site.heads == []


async def test_a_cancelled_fetch_gives_its_place_back(lo: Loopback) -> None:
    lo.site.routes["/slow"] = silence
    lo.site.routes["/"] = reply(b"ok")
    async with lo.fetcher(per_host=1, concurrency=1) as fetcher:
        with anyio.move_on_after(0.1):
            await fetcher.get(lo.url("/slow"))
        with anyio.fail_after(2):
            assert (await fetcher.get(lo.url())).body == b"ok"
