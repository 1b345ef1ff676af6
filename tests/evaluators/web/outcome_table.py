"""Recorded answers, all of our own writing, with the outcome and the evidence each must give."""
# ruff: noqa: E501 - a table is read by its rows

from __future__ import annotations

from dataclasses import dataclass

from dream_evaluators.model.source import LinkState, Outcome

ASKED = "https://paper.test/news/2024/harbour-report"
SENTENCES = (
    "The harbour board published its yearly report on Monday.",
    "It counts 1,204 ships, eleven more than in the year before.",
    "Three of the berths were closed for repairs until August.",
    "Fishermen asked for a fourth crane, which the board declined.",
    "The next report is due in May, when the new quay opens.",
)
ARTICLE = "".join(f"<p>{sentence} ({number})</p>" for number in range(9) for sentence in SENTENCES)
NOTE = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
ALIVE, DEAD, UNKNOWN = LinkState.ALIVE, LinkState.DEAD, LinkState.UNKNOWN


@dataclass(frozen=True)
class Recorded:
    """One answer: where it came from, what it was, and what it means."""

    name: str
    outcome: Outcome
    state: LinkState
    reason: str  # has to stand in the reason given
    page: str = ""
    asked: str = ASKED
    final: str = ""  # the last address, when there was a redirect
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    media_type: str = "text/html"
    truncated: bool = False


def html(title: str = "Harbour report", body: str = ARTICLE, head: str = "") -> str:
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    )


def bare(heading: str, text: str = "") -> str:
    return html(heading, f"<main><h1>{heading}</h1><p>{text}</p></main>")


O = Outcome  # noqa: E741 - a table wants short names
LOGIN = "<form><input name=user><input type=password name=p><button>Sign in</button></form>"
APP = '<div id="root"></div><script src="/a.js"></script><script src="/b.js"></script>'
TEASER = "<article><p>The harbour board met on Monday. The vote was close.</p></article>"
NOT_FREE = (
    '<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle",'
    '"headline":"Harbour report","isAccessibleForFree":false}</script>'
)

RECORDED = (
    # Pages that are there.
    Recorded("an article", O.OK, ALIVE, "status 200", html()),
    Recorded("a short note", O.OK, ALIVE, "status 200", html(body=f"<article>{NOTE}</article>")),
    Recorded("status 203", O.OK, ALIVE, "status 203", html(), status=203),
    Recorded("a PDF", O.OK, ALIVE, "status 200", "%PDF-1.7", media_type="application/pdf"),
    Recorded("JSON", O.OK, ALIVE, "status 200", '{"ships": 1204}', media_type="application/json"),
    Recorded("an article about 404 pages", O.OK, ALIVE, "status 200", html("404 Not Found", f"<h1>Page not found</h1>{ARTICLE}")),
    Recorded("a title that contains not found", O.OK, ALIVE, "status 200", html("Lost, not found and given back | Paper", f"<article>{NOTE}</article>")),
    Recorded("a title that ends in not found", O.OK, ALIVE, "status 200", html("The missing plane: not found", f"<article>{NOTE}</article>")),
    Recorded("a shop", O.OK, ALIVE, "status 200", html("paper.test: houses for sale", f"<article>{NOTE}</article>")),
    Recorded("a specification with removed parts", O.OK, ALIVE, "status 200", html("Specification", f"<h1>Specification</h1><p>This section has been removed.</p>{NOTE}")),
    Recorded("an address with error in it", O.OK, ALIVE, "status 200", html("Error handling", f"<h1>Error handling</h1>{ARTICLE}"), asked="https://docs.test/errors/404.html"),
    Recorded("an article about captchas", O.OK, ALIVE, "status 200", html("Captcha | Encyclopaedia", f"<h1>Captcha</h1><p>Prove you are human.</p>{ARTICLE}")),
    Recorded("an article on a page with Cloudflare's script", O.OK, ALIVE, "status 200", html(body=f'<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>{ARTICLE}')),
    Recorded("an article on a page with Imperva's script", O.OK, ALIVE, "status 200", html(body=f'<script src="/_Incapsula_Resource?x=1"></script>{ARTICLE}')),
    Recorded("an article below a sign-in form", O.OK, ALIVE, "status 200", html(body=f"{LOGIN}{ARTICLE}")),
    Recorded("an article with a cookie banner", O.OK, ALIVE, "status 200", html(body=f"<div><p>We value your privacy.</p></div>{ARTICLE}")),
    Recorded("an article that says it is not free and is whole", O.OK, ALIVE, "status 200", html(head=NOT_FREE)),
    Recorded("an application that renders on the server", O.OK, ALIVE, "status 200", html(body=f'<div id="root">{ARTICLE}</div><script src="/a.js"></script>')),
    Recorded("an article that was cut", O.OK_PARTIAL, ALIVE, "bytes", html(), truncated=True),
    Recorded("a part by status", O.OK_PARTIAL, ALIVE, "bytes", html(), status=206),
    # Redirects that lose nothing.
    Recorded("http to https", O.REDIRECTED_SAME, ALIVE, "paper.test", html(), asked="http://paper.test/news/2024/harbour-report", final=ASKED),
    Recorded("www and slash", O.REDIRECTED_SAME, ALIVE, "www.paper.test", html(), final="https://www.paper.test/news/2024/harbour-report/"),
    Recorded("a locale", O.REDIRECTED_SAME, ALIVE, "same page", html(), final="https://paper.test/en-gb/news/2024/harbour-report"),
    Recorded("an extension less", O.REDIRECTED_SAME, ALIVE, "same page", html(), asked=ASKED + ".html", final=ASKED),
    Recorded("the mobile site", O.REDIRECTED_SAME, ALIVE, "same page", html(), asked="https://m.paper.test/news/2024/harbour-report", final=ASKED),
    Recorded("another folder, same name", O.REDIRECTED_SAME, ALIVE, "same page", html(), final="https://paper.test/archive/harbour-report"),
    Recorded("another name, same number", O.REDIRECTED_SAME, ALIVE, "same page", html(), asked="https://paper.test/story/88213407", final="https://paper.test/a/harbour-report-88213407"),
    Recorded("a home page to its locale", O.REDIRECTED_SAME, ALIVE, "same page", html(), asked="https://paper.test/", final="https://paper.test/en/home"),
    Recorded("a DOI", O.REDIRECTED_SAME, ALIVE, "journal.test", html(), asked="https://doi.org/10.5555/12345678", final="https://journal.test/articles/x1"),
    Recorded("a short link to a home page", O.REDIRECTED_SAME, ALIVE, "paper.test", html(), asked="https://bit.ly/3xYz", final="https://paper.test/"),
    Recorded("an unknown short link to a home page", O.REDIRECTED_ELSEWHERE, ALIVE, "paper.test", html(), asked="https://sho.test/3xYz", final="https://paper.test/"),
    Recorded("another page of the site", O.REDIRECTED_ELSEWHERE, ALIVE, "paper.test/weather/today", html(), final="https://paper.test/weather/today"),
    Recorded("another site", O.REDIRECTED_ELSEWHERE, ALIVE, "other.test", html(), final="https://other.test/weather/today"),
    # Pages that are not there.
    Recorded("status 404", O.NOT_FOUND, DEAD, "status 404", bare("Not found"), status=404),
    Recorded("status 404 with a long page", O.NOT_FOUND, DEAD, "status 404", html(), status=404),
    Recorded("status 404 behind Imperva", O.NOT_FOUND, DEAD, "status 404", html("Not found", '<script src="/_Incapsula_Resource"></script>'), status=404),
    Recorded("status 404 after a redirect", O.NOT_FOUND, DEAD, "status 404", bare("Not found"), status=404, final="https://paper.test/x"),
    Recorded("a DOI that is not registered", O.NOT_FOUND, DEAD, "status 404", bare("DOI Not Found"), status=404, asked="https://doi.org/10.5555/none"),
    Recorded("status 410", O.GONE, DEAD, "status 410", bare("Gone"), status=410),
    Recorded("not found with 200", O.SOFT_404, DEAD, "page not found", bare("Page not found | Paper", "Try the search.")),
    Recorded("not found before a colon", O.SOFT_404, DEAD, "error 404", bare("Error 404: we looked everywhere")),
    Recorded("not found in the heading only", O.SOFT_404, DEAD, "404", html("Paper", "<h1>404</h1><p>Oh no.</p>")),
    Recorded("not found with a curly apostrophe", O.SOFT_404, DEAD, "doesn't exist", bare("This page doesn’t exist.")),
    Recorded("not found in German", O.SOFT_404, DEAD, "seite nicht gefunden", bare("Seite nicht gefunden – Zeitung")),
    Recorded("not found in French", O.SOFT_404, DEAD, "page introuvable", bare("Page introuvable - Journal")),
    Recorded("not found in Spanish", O.SOFT_404, DEAD, "página no encontrada", bare("Página no encontrada")),
    Recorded("not found in Russian", O.SOFT_404, DEAD, "страница не найдена", bare("Страница не найдена")),
    Recorded("not found in Chinese", O.SOFT_404, DEAD, "页面不存在", bare("页面不存在_报纸".replace("_", " | "))),
    Recorded("not found in Japanese", O.SOFT_404, DEAD, "ページが見つかりません", bare("ページが見つかりません")),
    Recorded("not found by its address", O.SOFT_404, DEAD, "page-not-found page", html("Paper", "<p>Search our archive.</p>"), final="https://paper.test/404.html"),
    Recorded("to the home page", O.REDIRECTED_HOME, DEAD, "home page", html("Welcome"), final="https://paper.test/"),
    Recorded("to the home page of a locale", O.REDIRECTED_HOME, DEAD, "home page", html("Welcome"), final="https://www.paper.test/en/index.html"),
    Recorded("a numbered page to the home page", O.REDIRECTED_HOME, DEAD, "home page", html("Welcome"), asked="https://paper.test/?p=123", final="https://paper.test/"),
    Recorded("a deep page to another site's home page", O.REDIRECTED_HOME, DEAD, "home page", html("Welcome"), final="https://group.test/"),
    Recorded("a domain for sale", O.PARKED, DEAD, "for sale", bare("paper.test is for sale")),
    Recorded("a domain for sale in its text", O.PARKED, DEAD, "buy this domain", html("paper.test", "<p>Buy this domain today.</p>")),
    Recorded("an expired domain", O.PARKED, DEAD, "domain has expired", bare("paper.test", "This domain has expired.")),
    Recorded("a parking host", O.PARKED, DEAD, "domain market", html("paper.test", "<p>Related searches</p>"), final="https://ww1.paper.test/"),
    Recorded("a domain market", O.PARKED, DEAD, "hugedomains.com", html("paper.test", "<p>Price</p>"), final="https://www.hugedomains.com/domain_profile.cfm?d=paper"),
    # Pages of which nothing is known.
    Recorded("status 400", O.UNEXPECTED_STATUS, UNKNOWN, "status 400", status=400),
    Recorded("status 401", O.AUTH_REQUIRED, UNKNOWN, "status 401", status=401),
    Recorded("status 402", O.PAYWALLED, UNKNOWN, "status 402", status=402),
    Recorded("status 403", O.FORBIDDEN, UNKNOWN, "status 403", "Access denied", status=403),
    Recorded("status 405", O.UNEXPECTED_STATUS, UNKNOWN, "status 405", status=405),
    Recorded("status 429", O.RATE_LIMITED, UNKNOWN, "status 429", status=429),
    Recorded("status 451", O.LEGAL_BLOCK, UNKNOWN, "status 451", status=451),
    Recorded("status 500", O.SERVER_ERROR, UNKNOWN, "status 500", status=500),
    Recorded("status 503", O.SERVER_ERROR, UNKNOWN, "status 503", bare("Down for maintenance"), status=503),
    Recorded("status 521", O.SERVER_ERROR, UNKNOWN, "status 521", status=521),
    Recorded("status 999", O.BOT_CHALLENGE, UNKNOWN, "status 999", html(), status=999),
    Recorded("a redirect without a target", O.UNEXPECTED_STATUS, UNKNOWN, "status 302", status=302),
    Recorded("status 204", O.NO_TEXT, UNKNOWN, "status 204", status=204),
    Recorded("an empty page", O.NO_TEXT, UNKNOWN, "no text", "<html></html>"),
    Recorded("an empty text file", O.NO_TEXT, UNKNOWN, "empty", " ", media_type="text/plain"),
    Recorded("an expired grounding link", O.UNRESOLVABLE_REDIRECTOR, UNKNOWN, "expired", status=404, asked="https://vertexaisearch.cloud.google.com/grounding-api-redirect/AbC"),
    Recorded("a grounding link that stays", O.UNRESOLVABLE_REDIRECTOR, UNKNOWN, "nowhere", html("Google", "<p>x</p>"), asked="https://vertexaisearch.cloud.google.com/grounding-api-redirect/AbC"),
    Recorded("Cloudflare's header", O.BOT_CHALLENGE, UNKNOWN, "Cloudflare", html("Just a moment..."), status=403, headers=(("cf-mitigated", "challenge"),)),
    Recorded("Cloudflare's challenge", O.BOT_CHALLENGE, UNKNOWN, "Cloudflare", html("Just a moment...", "<script>window._cf_chl_opt={}</script>"), status=403),
    Recorded("Cloudflare's challenge as 404", O.BOT_CHALLENGE, UNKNOWN, "Cloudflare", html("x", "<script>window._cf_chl_opt={}</script>"), status=404),
    Recorded("a challenge with 200", O.BOT_CHALLENGE, UNKNOWN, "just a moment", html("Just a moment", "<p>JavaScript is disabled in your browser. Please enable JavaScript to proceed.</p>")),
    Recorded("a challenge by its words", O.BOT_CHALLENGE, UNKNOWN, "verify you are human", html("paper.test", "<p>Verify you are human by completing the action below.</p>")),
    Recorded("a challenge with 503", O.BOT_CHALLENGE, UNKNOWN, "checking your browser", bare("Checking your browser..."), status=503),
    Recorded("DataDome", O.BOT_CHALLENGE, UNKNOWN, "DataDome", html("paper.test", '<script src="https://ct.captcha-delivery.com/c.js"></script>'), status=403),
    Recorded("HUMAN", O.BOT_CHALLENGE, UNKNOWN, "HUMAN", html("Access to this page has been denied", '<div id="px-captcha"></div>'), status=403),
    Recorded("Imperva", O.BOT_CHALLENGE, UNKNOWN, "Imperva", html("", '<iframe src="/_Incapsula_Resource?SWUDNSAI=31"></iframe>')),
    Recorded("Akamai", O.BOT_CHALLENGE, UNKNOWN, "Akamai", bare("Access Denied", "Reference #18.2d https://errors.edgesuite.net/18.2d"), status=403),
    Recorded("AWS", O.BOT_CHALLENGE, UNKNOWN, "AWS", "", status=202, headers=(("x-amzn-waf-action", "challenge"),)),
    Recorded("a proof of work", O.BOT_CHALLENGE, UNKNOWN, "Anubis", html("Making sure you're not a bot!", '<script id="anubis_challenge">{}</script>')),
    Recorded("a challenge in Chinese", O.BOT_CHALLENGE, UNKNOWN, "百度安全验证", bare("百度安全验证")),
    Recorded("access denied with 200", O.FORBIDDEN, UNKNOWN, "access denied", bare("Access Denied", "You cannot see this.")),
    Recorded("too many requests with 200", O.RATE_LIMITED, UNKNOWN, "too many requests", bare("Too Many Requests")),
    Recorded("withheld in Europe", O.LEGAL_BLOCK, UNKNOWN, "european visitors", bare("Sorry", "Our European visitors are important to us.")),
    Recorded("maintenance with 200", O.SERVER_ERROR, UNKNOWN, "under maintenance", bare("Site under maintenance")),
    Recorded("a database that is down", O.SERVER_ERROR, UNKNOWN, "database connection", bare("Paper", "Error establishing a database connection")),
    Recorded("a suspended account", O.SERVER_ERROR, UNKNOWN, "account suspended", bare("Account Suspended")),
    Recorded("an error page by its address", O.SERVER_ERROR, UNKNOWN, "error page", html("Paper", "<p>Something went wrong.</p>"), final="https://paper.test/error?code=7"),
    Recorded("a sign-in page", O.LOGIN_REDIRECT, UNKNOWN, "sign-in", html("Paper", LOGIN), final="https://paper.test/login?next=/news"),
    Recorded("a sign-in host", O.LOGIN_REDIRECT, UNKNOWN, "accounts.google.com", html("Sign in", LOGIN), asked="https://docs.google.com/document/d/1/edit", final="https://accounts.google.com/v3/x"),
    Recorded("a sign-in form in place", O.AUTH_REQUIRED, UNKNOWN, "sign-in form", html("Log in | Paper", f"<h1>Log in</h1>{LOGIN}")),
    Recorded("a consent host", O.CONSENT_WALL, UNKNOWN, "cookies", html("Before you continue", "<p>x</p>"), final="https://consent.google.com/m?continue=x"),
    Recorded("a consent page in place", O.CONSENT_WALL, UNKNOWN, "privacy", html("Paper", "<p>We value your privacy. We store cookies.</p><button>Accept</button>")),
    Recorded("a consent page in German", O.CONSENT_WALL, UNKNOWN, "bevor sie fortfahren", bare("Bevor Sie fortfahren", "Cookies")),
    Recorded("a teaser that says it is not free", O.PAYWALLED, UNKNOWN, "not free", html(body=TEASER, head=NOT_FREE)),
    Recorded("a teaser with an offer", O.PAYWALLED, UNKNOWN, "subscribe to continue", html(body=f"{TEASER}<p>Subscribe to continue reading.</p>")),
    Recorded("a teaser in French", O.PAYWALLED, UNKNOWN, "réservé aux abonnés", html(body=f"{TEASER}<p>Cet article est réservé aux abonnés.</p>")),
    Recorded("an application without text", O.JS_SHELL, UNKNOWN, "JavaScript", html("Paper", APP)),
    Recorded("an application that asks for scripts", O.JS_SHELL, UNKNOWN, "JavaScript", html("Paper", "<noscript>You need to enable JavaScript to run this app.</noscript><script src=a></script>")),
    Recorded("scripts and nothing else", O.JS_SHELL, UNKNOWN, "scripts", html("Paper", "<script>1</script>")),
)  # fmt: skip
