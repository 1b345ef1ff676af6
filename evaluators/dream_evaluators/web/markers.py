"""The words by which pages say that they are not the page: tables, in the languages met most.

All phrases are case-folded, with single spaces and straight apostrophes. A *heading* phrase has to
be a whole part of a title or first heading ("Page not found | Site"), because an article may well
be about such pages; a *text* phrase may stand anywhere in the opening of a short page.
"""

from __future__ import annotations

from dataclasses import dataclass

from dream_evaluators.model.source import Outcome


def _phrases(text: str) -> frozenset[str]:
    return frozenset(text.strip().replace("\n", "|").split("|"))


NOT_FOUND = _phrases(
    """
404|error 404|404 error|http 404|http error 404|404 not found|404 page not found|404 page
404 error page|not found|page not found|page not found (404)|page not found 404|file not found
error 404 not found|error 404 (not found)|404 file not found|404. that's an error
document not found|article not found|content not found|resource not found|item not found
story not found|post not found|object not found|record not found|doi not found|url not found
page cannot be found|page can't be found|page could not be found|page couldn't be found
the page cannot be found|the page can't be found|the page could not be found
this page cannot be found|this page can't be found|this page could not be found
that page can't be found|the requested page could not be found|the page was not found
the page you requested could not be found|the page you requested was not found
the page you are looking for could not be found|the page you are looking for cannot be found
the page you are looking for can't be found|the page you are looking for does not exist
the page you are looking for doesn't exist|the page you were looking for doesn't exist
the page you were looking for could not be found|the page you're looking for can't be found
the page you're looking for could not be found|the page you're looking for doesn't exist
page does not exist|page doesn't exist|this page does not exist|this page doesn't exist
page no longer exists|this page no longer exists|page no longer available
this page is no longer available|article no longer available|content no longer available
this article is no longer available|this content is no longer available
page removed|page has been removed|this page has been removed|oops! page not found
oops! that page can't be found|sorry, page not found|we can't find that page
we couldn't find that page|we can't find the page you're looking for
we couldn't find the page you're looking for|sorry, we can't find that page
sorry, we couldn't find that page|sorry, this page isn't available
seite nicht gefunden|die seite wurde nicht gefunden|seite wurde nicht gefunden|fehler 404
404 fehler|seite existiert nicht|diese seite existiert nicht|inhalt nicht gefunden
artikel nicht gefunden|nicht gefunden|diese seite wurde nicht gefunden
page non trouvée|page introuvable|erreur 404|404 erreur|cette page n'existe pas
la page demandée n'existe pas|contenu introuvable|page inexistante|non trouvé
página no encontrada|pagina no encontrada|no se encontró la página|la página no existe
contenido no encontrado|no encontrado|no encontrada|esta página no existe
página não encontrada|pagina nao encontrada|erro 404|conteúdo não encontrado
pagina non trovata|errore 404|pagina inesistente|non trovato|la pagina non esiste
pagina niet gevonden|fout 404|niet gevonden|deze pagina bestaat niet
sidan hittades inte|sidan kunde inte hittas|sidan finns inte|siden blev ikke fundet
siden findes ikke|siden ble ikke funnet|siden finnes ikke|fant ikke siden|sivua ei löydy
sivua ei löytynyt|nie znaleziono strony|strona nie istnieje|strona nie została znaleziona
błąd 404|nie znaleziono|stránka nenalezena|stránka nebyla nalezena|az oldal nem található
sayfa bulunamadı|pagina nu a fost găsită|η σελίδα δεν βρέθηκε|страница не найдена|ошибка 404
не найдено|сторінку не знайдено|الصفحة غير موجودة|הדף לא נמצא|halaman tidak ditemukan
không tìm thấy trang|页面不存在|找不到页面|页面未找到|404页面|您访问的页面不存在|页面没有找到
頁面不存在|找不到頁面|ページが見つかりません|ページが見つかりませんでした|お探しのページは見つかりませんでした
指定されたページが見つかりません|페이지를 찾을 수 없습니다
"""
)

CHALLENGE = _phrases(
    """
just a moment|just a moment please|attention required
robot check|are you a robot|are you human|robot or human|pardon our interruption|security check
security verification|human verification|bot verification|verify you are human
verifying you are human|verifying your browser|checking your browser
checking your browser before accessing|ddos-guard|ddos protection by cloudflare
radware bot manager captcha|making sure you're not a bot|vercel security checkpoint
one moment, please|one moment please|please wait|please verify you are a human
access to this page has been denied|client challenge|captcha|captcha challenge|recaptcha
unusual traffic from your computer network|sorry, you have been blocked|you have been blocked
nur einen moment|einen moment bitte|un instant|un momento|um momento|een ogenblik|один момент
安全验证|百度安全验证|人机验证|访问验证|验证码|请稍候
しばらくお待ちください|잠시만 기다리십시오
"""
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases of one meaning: where they may stand, on how short a page, and what they mean."""

    outcome: Outcome
    reason: str  # with {phrase}
    words: int  # the page's main text has fewer words than this
    headings: frozenset[str] = frozenset()  # a whole part of the title or first heading
    texts: tuple[str, ...] = ()  # anywhere in title, first heading or the opening of the text


# The thresholds here and below are our choice: 300 words is more than any error page we saw and
# fewer than articles about error pages have.
ROBOT_CHECK = Phrases(
    Outcome.BOT_CHALLENGE,
    "a check for robots stands in front of the page ({phrase})",
    150,
    CHALLENGE,
    (
        "verify you are human",
        "verifying you are human",
        "checking your browser before",
        "checking if the site connection is secure",
        "enable javascript and cookies to continue",
        "unusual traffic from your computer network",
        "complete the security check to access",
        "prove you are human",
        "confirm you are human",
        "confirm that you are human",
        "you're not a robot",
        "you are not a robot",
        "please complete the captcha",
        "performance & security by cloudflare",
        "protected by anubis",
        "there was a problem providing the content you requested",
    ),
)

# In order of precedence.
PAGE_PHRASES = (
    ROBOT_CHECK,
    Phrases(
        Outcome.PARKED,
        "the domain is parked or for sale ({phrase})",
        300,
        texts=(
            "domain is for sale",
            "domain name is for sale",
            "domain may be for sale",
            "domain name may be for sale",
            "website is for sale",
            "buy this domain",
            "inquire about this domain",
            "make an offer on this domain",
            "parked free, courtesy of",
            "this domain is parked",
            "domain has expired",
            "domain name has expired",
            "this domain has been registered",
            "diese domain steht zum verkauf",
            "domain steht zum verkauf",
            "nom de domaine est à vendre",
            "dominio está en venta",
            "dominio in vendita",
            "домен продается",
            "домен продаётся",
            "域名出售",
            "域名正在出售",
            "このドメインは売り出し中",
        ),
    ),
    Phrases(
        Outcome.SOFT_404,
        "the page says that it is not there ({phrase})",
        300,
        NOT_FOUND,
    ),
    Phrases(
        Outcome.RATE_LIMITED,
        "the page says that we ask too often ({phrase})",
        150,
        _phrases("too many requests|429 too many requests|error 429|rate limit exceeded"),
    ),
    Phrases(
        Outcome.LEGAL_BLOCK,
        "the page is withheld in our region ({phrase})",
        200,
        _phrases("451|unavailable for legal reasons|451 unavailable for legal reasons"),
        (
            "unavailable due to legal reasons",
            "not available in your country",
            "not available in your region",
            "unavailable in your region",
            "unavailable in most european countries",
            "our european visitors are important to us",
        ),
    ),
    Phrases(
        Outcome.FORBIDDEN,
        "the page says that we may not see it ({phrase})",
        150,
        _phrases(
            "403|403 forbidden|error 403|forbidden|access denied|access forbidden"
            "|access restricted|request rejected|request blocked|zugriff verweigert|accès refusé"
            "|acceso denegado|accesso negato|доступ запрещен|доступ запрещён"
        ),
        ("the request could not be satisfied", "you don't have permission to access"),
    ),
    Phrases(
        Outcome.SERVER_ERROR,
        "the server shows an error instead of the page ({phrase})",
        200,
        _phrases(
            "maintenance|under maintenance|site maintenance|scheduled maintenance"
            "|down for maintenance|site under maintenance|website under maintenance"
            "|wartungsarbeiten"
            "|service unavailable|503 service unavailable|503 service temporarily unavailable"
            "|502 bad gateway|bad gateway|504 gateway time-out|500 internal server error"
            "|internal server error|server error|error 500|error 503|temporarily unavailable"
            "|database error|application error|runtime error|account suspended"
            "|bandwidth limit exceeded|welcome to nginx|apache2 ubuntu default page"
            "|apache2 debian default page|iis windows server|test page for the apache http server"
        ),
        ("error establishing a database connection", "this account has been suspended"),
    ),
    Phrases(
        Outcome.CONSENT_WALL,
        "a question about cookies stands in front of the page ({phrase})",
        120,
        _phrases("cookie consent|cookie settings|privacy settings|your privacy choices"),
        (
            "before you continue to",
            "we value your privacy",
            "we and our partners",
            "accept cookies to continue",
            "please accept cookies to",
            "bevor sie fortfahren",
            "bevor du fortfährst",
            "bevor sie zu google",
            "wir und unsere partner",
            "avant de continuer",
            "avant d'accéder à",
            "nous et nos partenaires",
            "antes de continuar",
            "prima di continuare",
            "voordat je verdergaat",
        ),
    ),
    Phrases(
        Outcome.PAYWALLED,
        "only the beginning is free ({phrase})",
        200,
        texts=(
            "subscribe to continue",
            "subscribe to read",
            "subscribe now to read",
            "subscribe to unlock",
            "to continue reading",
            "to keep reading",
            "to read the full article",
            "to read the full story",
            "already a subscriber",
            "already have a subscription",
            "for subscribers only",
            "subscriber-only",
            "subscribers only",
            "exclusive to subscribers",
            "exclusively for subscribers",
            "this article is for subscribers",
            "reached your limit of free articles",
            "reached your article limit",
            "nur für abonnenten",
            "weiterlesen mit",
            "jetzt abonnieren und weiterlesen",
            "réservé aux abonnés",
            "reste à lire",
            "solo para suscriptores",
            "exclusivo para suscriptores",
            "exclusivo para assinantes",
            "riservato agli abbonati",
            "alleen voor abonnees",
            "有料会員限定",
            "会員限定記事",
        ),
    ),
)

SIGN_IN = _phrases(
    "log in|login|sign in|sign-in|signin|log in to your account|sign in to your account"
    "|please log in|please sign in|login required|authentication required|single sign-on"
    "|anmelden|anmeldung|einloggen|connexion|se connecter|iniciar sesión|acceder|entrar|accedi"
    "|inloggen|logga in|log ind|logg inn|zaloguj się|вход|войти|登录|登入|ログイン|로그인"
)

NEEDS_SCRIPT = (
    "enable javascript",
    "enabling javascript",
    "javascript is disabled",
    "javascript is required",
    "javascript enabled",
    "requires javascript",
    "turn on javascript",
    "without javascript",
    "javascript aktivieren",
    "aktivieren sie javascript",
    "activer javascript",
    "activez javascript",
    "active javascript",
    "habilite javascript",
    "abilita javascript",
    "启用javascript",
    "javascriptを有効",
    "включите javascript",
)
