"""What protection services leave in the answers they give in a site's place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """Bytes that a protection service leaves in the page, and whether it does so in no other."""

    mark: bytes
    service: str
    only_challenges: bool


# "/cdn-cgi/challenge-platform/" is missing on purpose: Cloudflare puts it into ordinary pages.
CHALLENGE_TRACES = (
    Trace(b"_cf_chl_opt", "Cloudflare", only_challenges=True),
    Trace(b"captcha-delivery.com", "DataDome", only_challenges=True),
    Trace(b"px-captcha", "HUMAN", only_challenges=True),
    Trace(b"_Incapsula_Resource", "Imperva", only_challenges=False),
    Trace(b"errors.edgesuite.net", "Akamai", only_challenges=False),
    Trace(b"sec-cpt-if", "Akamai", only_challenges=True),
    Trace(b"bm-verify=", "Akamai", only_challenges=True),
    Trace(b"AwsWafIntegration", "AWS", only_challenges=False),
    Trace(b"sucuri_cloudproxy", "Sucuri", only_challenges=True),
    Trace(b"anubis_challenge", "Anubis", only_challenges=True),
    Trace(b"/.well-known/sgcaptcha", "SiteGround", only_challenges=True),
    Trace(b"acw_sc__v2", "Alibaba Cloud", only_challenges=True),
    Trace(b"ddos-guard", "DDoS-Guard", only_challenges=False),
)
# Header name, beginning of its value, service.
CHALLENGE_HEADERS = (
    ("cf-mitigated", "challenge", "Cloudflare"),
    ("x-amzn-waf-action", "", "AWS"),
    ("x-datadome", "protected", "DataDome"),
)
