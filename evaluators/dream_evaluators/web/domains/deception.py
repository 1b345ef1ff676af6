"""Names built to be taken for others: trusted names as subdomains, `gov` in a name, homographs."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from dream_evaluators.web.domains.fold import to_unicode
from dream_evaluators.web.domains.registry import TRUSTED
from dream_evaluators.web.domains.vocabulary import words

if TYPE_CHECKING:
    from dream_evaluators.web.domains.registry import Registry
    from dream_evaluators.web.domains.suffixes import HostParts

_TRUST_LABELS = frozenset({"gov", "edu", "mil", "govt"})
_TOP_LABELS = words("com org net int gov edu co ac")
# Offices whose initials turn up in fake names; any known name of the registry counts as well.
_OFFICES = words(
    "atf bls cbp cdc census cia cisa cms dea dhs dmv doj dol dot eia epa fbi fcc fda fdic fema ftc "
    "gsa hhs hmrc ice irs medicare nasa nhs nih nist noaa nsa nsf osha sba sec ssa tsa uscis usda "
    "usps usa uk us va who un state treasury healthcare grants studentaid tax harvard stanford mit "
    "yale princeton caltech berkeley oxford cambridge columbia cornell"
)
_BAIT = words(
    "account alert alerts auth billing help helpdesk login official portal refund secure security "
    "service signin support update verify wallet"
)
_SCRIPTS_APART = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
# Letters of other scripts that are drawn as Latin ones (Unicode TR 39, the ones in common abuse).
_CONFUSABLE = {
    ord(pair[0]): pair[1]
    for pair in words(
        "аa вb сc ԁd еe ғf һh іi јj кk мm нh оo рp ԛq гr ѕs тt уy ѵv ԝw хx ӏl ьb "
        "пn ζz αa βb εe ηn ιi κk νv οo ρp σo τt υu χx ωw ɑa ɡg ıi ƅb օo ոn ցg հh"
    )
}
_ASCII_TWINS = (("rn", "m"), ("vv", "w"), ("0", "o"), ("1", "l"), ("5", "s"), ("3", "e"))


@dataclass(frozen=True, slots=True)
class Deception:
    """What a name imitates, and by which trick."""

    trick: str
    imitates: str


def deception(host: str, parts: HostParts, registry: Registry) -> Deception | None:
    """Tell what a host pretends to be; None for an honest name.

    Args:
        host: Folded host without an entry in the registry and without an institution's suffix.
        parts: Its split.
        registry: Whose trusted names are worth imitating.
    """
    return (
        _as_subdomain(host, parts, registry)
        or _in_name(parts, registry)
        or _homograph(parts, registry)
    )


def _as_subdomain(host: str, parts: HostParts, registry: Registry) -> Deception | None:
    labels = host.split(".")
    del labels[-(parts.suffix.count(".") + 1) :]
    if labels and labels[-1] in _TRUST_LABELS and not parts.is_private:
        return Deception("trusted_label", ".".join(labels[-2:]))
    if parts.suffix == "com.co" and registry.prior(f"{parts.label}.com") >= TRUSTED:
        return Deception("trusted_name_other_suffix", f"{parts.label}.com")
    # `www-nature-com` is how library proxies write a host; a stranger's is no proxy.
    spelt_out = [pair for label in labels if "-" in label for pair in [label.split("-")[-2:]]]
    for before, label in [*pairwise(labels), *spelt_out]:
        pair = f"{before}.{label}"
        if label in _TRUST_LABELS and before != "www" and [before, label] not in spelt_out:
            return Deception("trusted_subdomain", pair)
        if label in _TOP_LABELS and registry.prior(pair) >= TRUSTED:
            return Deception("trusted_subdomain", pair)
    return None


def _in_name(parts: HostParts, registry: Registry) -> Deception | None:
    if "-" not in parts.label or parts.label.startswith("xn--"):
        return None
    tokens = parts.label.split("-")
    known = registry.trusted
    named = [w for w in tokens if w in _OFFICES or (len(w) > 2 and w in known)]
    named = [w for w in named if w not in _TRUST_LABELS and w not in _TOP_LABELS]
    others = [w for w in tokens if w not in named]
    if not named:
        return None
    if any(token in _TRUST_LABELS for token in others):
        return Deception("trusted_label_in_name", parts.label)
    top = [w for w in others if w in _TOP_LABELS]
    bait = [w for w in others if w in _BAIT]
    if (top or bait) and any(w in known for w in named):
        return Deception("trusted_name_in_name", known[next(w for w in named if w in known)])
    return None


def skeleton(label: str) -> str:
    """Write a label as a hasty reader sees it: accents off, look-alike letters made Latin."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c))
    return bare.translate(_CONFUSABLE)


def _homograph(parts: HostParts, registry: Registry) -> Deception | None:
    label, known = parts.label, registry.trusted
    if label.startswith("xn--"):
        label = to_unicode(label)
        seen = skeleton(label)
        if seen in known and seen != label:
            return Deception("homograph", known[seen])
        return None
    for letters, twin in _ASCII_TWINS:
        if letters in label and len(label) > 3:
            seen = label.replace(letters, twin)
            if seen in known and label not in known:
                return Deception("homograph", known[seen])
    return None


def is_mixed_script(host: str) -> bool:
    """Tell whether one label mixes scripts whose letters are mistaken for each other."""
    return "xn--" in host and any(_is_mixed(label) for label in to_unicode(host).split("."))


def _is_mixed(label: str) -> bool:
    scripts = {
        unicodedata.name(character, "").partition(" ")[0]
        for character in label
        if character.isalpha()
    }
    return len(scripts & _SCRIPTS_APART) > 1
