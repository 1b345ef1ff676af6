"""How well a source suits a topic, kept apart from its authority.

Whose voice it is counts: a vendor is the primary source on its own product and an interested one
on a market, a government speaks first-hand of itself, a lobby is a party to its cause.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dream_evaluators.web.domains.vocabulary import words

NO_RELATION = 60.0  # neither at home in the topic nor a party to it: our choice
HOME = 90.0

_MAKERS = words("vendor vendor_docs oss_docs press_release ecommerce consultancy code_host")
_STATE = words("gov gov_statistics regulator court military igo igo_statistics library_archive")
_PARTIES = frozenset({"ngo_advocacy", "thinktank"})
_NEVER_FITS = words(
    "misinformation lookalike satire ai_generated predatory doc_sharing content_farm"
)
_NO_FIT = frozenset({"not_a_web_source", "unresolved_redirect", "unattributable"})

# Class -> (fit, reason) when the topic is about the publisher itself.
_OWN = {
    "gov_filing": (90.0, "a company's own filing: primary for what it states"),
    "state_media": (40.0, "a government's own voice on itself: its position, not a check of it"),
    **dict.fromkeys(_MAKERS, (85.0, "a maker on its own product: primary, self-published")),
    **dict.fromkeys(_STATE, (95.0, "a public body on itself: primary")),
    **dict.fromkeys(_PARTIES, (50.0, "a party to its own cause")),
}
# Words that turn a topic from a product into a market or a comparison.
_MARKET_WORDS = words(
    "market markets competitor competitors competition comparison compare versus vs best rival "
    "rivals alternatives industry landscape forecast"
)
_FIELD_WORDS = {
    "health": "health disease diseases drug drugs therapy treatment patient patients clinical "
    "cancer vaccine vaccines diabetes medical medicine symptom symptoms hospital surgery mental "
    "nutrition infection 健康 疾病 药物 治疗 医疗 患者 疫苗 gesundheit krankheit salud santé",
    "law": "law legal court courts statute regulation regulations gdpr copyright liability "
    "constitution ruling lawsuit contract 法律 法规 法院 条例 recht gesetz droit derecho",
    "software": "software programming api framework library kubernetes python javascript rust "
    "database compiler algorithm llm code cloud devops 软件 编程 算法 代码",
    "economy": "economy economic inflation gdp unemployment trade tariff bank banking monetary "
    "fiscal interest stock investment finance financial 经济 金融 通胀 投资 wirtschaft économie",
    "science": "physics chemistry biology quantum climate genome neuroscience astronomy material "
    "materials experiment theory molecular 物理 化学 生物 气候 量子",
    "affairs": "election elections war conflict policy politics government diplomacy sanctions "
    "protest parliament president 选举 战争 政治 外交 wahl guerre elección",
}
_FIELD_OF = {word: name for name, words in _FIELD_WORDS.items() for word in words.split()}
# Field -> classes that are at home in it.
_AT_HOME = {
    "health": "peer_reviewed health_institution regulator gov igo standards_professional",
    "law": "legal_reference court gov regulator igo peer_reviewed",
    "software": "oss_docs vendor_docs standards_professional peer_reviewed preprint",
    "economy": "gov_statistics igo_statistics regulator igo peer_reviewed gov_filing consultancy",
    "science": "peer_reviewed academic preprint gov igo",
    "affairs": "news_quality wire gov igo thinktank peer_reviewed factcheck",
}
# Country -> words of a topic that name it.
_COUNTRY_WORDS = {
    "us": "us usa america american states", "gb": "uk britain british england scotland wales",
    "cn": "china chinese 中国", "jp": "japan japanese 日本", "kr": "korea korean 한국",
    "de": "germany german deutschland deutsche", "fr": "france french française",
    "it": "italy italian italia", "es": "spain spanish españa", "pt": "portugal portuguese",
    "nl": "netherlands dutch nederland", "be": "belgium belgian", "ch": "switzerland swiss schweiz",
    "at": "austria austrian österreich", "se": "sweden swedish sverige",
    "no": "norway norwegian norge", "dk": "denmark danish danmark", "fi": "finland finnish suomi",
    "ie": "ireland irish", "pl": "poland polish polska", "cz": "czech czechia",
    "hu": "hungary hungarian", "gr": "greece greek", "ro": "romania romanian",
    "ua": "ukraine ukrainian", "ru": "russia russian россия", "tr": "turkey turkish türkiye",
    "il": "israel israeli", "sa": "saudi", "ae": "emirates uae dubai", "ir": "iran iranian",
    "eg": "egypt egyptian", "za": "africa african", "ng": "nigeria nigerian", "ke": "kenya kenyan",
    "in": "india indian", "pk": "pakistan pakistani", "bd": "bangladesh", "sg": "singapore 新加坡",
    "my": "malaysia malaysian", "id": "indonesia indonesian", "th": "thailand thai",
    "vn": "vietnam vietnamese", "ph": "philippines philippine", "tw": "taiwan taiwanese 台湾 臺灣",
    "hk": "hong-kong hongkong 香港", "au": "australia australian", "nz": "zealand",
    "ca": "canada canadian", "mx": "mexico mexican méxico", "br": "brazil brazilian brasil",
    "ar": "argentina argentine", "cl": "chile chilean", "co": "colombia colombian",
    "cu": "cuba cuban", "ve": "venezuela venezuelan",
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_GENERIC = words(
    "the and of for com org net www gov edu news blog docs group global company inc bank "
    "institute university national office research data science health world project"
)
MAX_TOPIC = 4000  # characters of a topic that are read


@dataclass(frozen=True, slots=True)
class Party:
    """Whose voice a page is."""

    publisher: str
    host: str
    country: str = ""


def fit_of(source_class: str, party: Party, topic: str) -> tuple[float | None, str]:
    """Rate how well a source suits a topic.

    Returns:
        Fit in 0-100, or None where there is no source to speak of, and the reason in one phrase.
    """
    if source_class in _NO_FIT:
        return None, ""
    if source_class in _NEVER_FITS:
        return 5.0, "suits no topic"
    text = topic[:MAX_TOPIC].lower()
    said = set(_WORD.findall(text))
    if _is_subject(party, said, text) and source_class in _OWN:
        return _OWN[source_class]
    if _names_country(party.country, said, text):
        if source_class in _STATE or source_class == "state_media":
            return _OWN[source_class]
        if source_class in ("news_quality", "news_general"):
            return 80.0, "press of the country in question"
    if source_class in _PARTIES and _label_holds(party.host, said):
        return _OWN[source_class]
    return _by_field(source_class, said, text)


def _by_field(source_class: str, said: set[str], text: str) -> tuple[float, str]:
    if source_class in _MAKERS and not said.isdisjoint(_MARKET_WORDS):
        return 45.0, "a maker or seller on a market it is part of"
    for field in _fields(said, text):
        if source_class in _AT_HOME[field].split():
            return HOME, f"at home in {field}"
    return NO_RELATION, "no particular relation to the topic"


def _fields(said: set[str], text: str) -> list[str]:
    found = [_FIELD_OF[word] for word in said if word in _FIELD_OF]
    if _CJK.search(text):
        found += [name for word, name in _FIELD_OF.items() if _CJK.match(word) and word in text]
    return sorted(set(found))


def _is_subject(party: Party, said: set[str], text: str) -> bool:
    """Whether the topic names the publisher: a word of its name, or its domain's label."""
    labels = set(party.host.split(".")[:-1])
    own = (set(_WORD.findall(party.publisher.lower())) | labels) - _GENERIC
    if any(len(word) > 2 and word in said for word in own):
        return True
    return bool(_CJK.search(party.publisher)) and party.publisher.lower() in text


def _label_holds(host: str, said: set[str]) -> bool:
    """Whether a longer word of the topic stands in the name: `worldsteel` and steel."""
    name = host.removeprefix("www.").rpartition(".")[0]
    return any(len(word) > 4 and word not in _GENERIC and word in name for word in said)


def _names_country(country: str, said: set[str], text: str) -> bool:
    names = _COUNTRY_WORDS.get(country, "").split()
    return any(name in said or (_CJK.match(name) and name in text) for name in names)
