"""The classes of sources, with the prior, band and meaning of each."""

from __future__ import annotations

from dataclasses import dataclass

NEUTRAL = 50.0  # the documented stand-in for an unknown source in a report's mean (design §5)
NEUTRAL_LOW, NEUTRAL_HIGH = 20.0, 80.0  # the identification bound around it
MAX_OFFSET = 15  # how far one name may stand from the prior of its class, in points

# The four bands of the paper's domain authority (second-hand: 9-10, 7-8, 4-6, 1-3 of ten).
BANDS = ((90.0, "definitive"), (70.0, "high"), (40.0, "moderate"), (0.0, "low"))

UNKNOWN = "unknown"
IMPORTED = "imported_rating"
NOT_A_WEB_SOURCE = "not_a_web_source"
UNRESOLVED_REDIRECT = "unresolved_redirect"
UNATTRIBUTABLE = "unattributable"
LOOKALIKE = "lookalike"


@dataclass(frozen=True, slots=True)
class SourceClass:
    """One kind of source.

    Attributes:
        prior: Points, 0-100; 0 where `is_scored` is false.
        description: What a member is, in one line.
        is_scored: False for answers that name why there is no score.
        flags: Flags that every member carries.
    """

    prior: float
    description: str
    is_scored: bool = True
    flags: tuple[str, ...] = ()

    @property
    def band(self) -> str:
        """The band of the prior, empty for an unscored class."""
        return band_of(self.prior) if self.is_scored else ""


def band_of(score: float) -> str:
    """Name the band of a score in 0-100: definitive, high, moderate or low."""
    for floor, name in BANDS:
        if score >= floor:
            return name
    return "low"


_USER = ("user_content",)

# Priors: our choice, one person's judgement (docs/domains.md); changing one changes DA, so the
# registry version covers this table too.
CLASSES: dict[str, SourceClass] = {
    "peer_reviewed": SourceClass(92, "journal or proceedings with peer review"),
    "gov": SourceClass(92, "government or public authority"),
    "gov_statistics": SourceClass(92, "national statistics office"),
    "gov_filing": SourceClass(84, "a company's statement, filed with an authority"),
    "regulator": SourceClass(92, "regulator or central bank"),
    "court": SourceClass(92, "court or its published decisions"),
    "igo": SourceClass(92, "organisation of states"),
    "igo_statistics": SourceClass(92, "statistics of an organisation of states"),
    "wire": SourceClass(90, "news agency"),
    "standards_professional": SourceClass(90, "standards body or professional society"),
    "factcheck": SourceClass(86, "fact-checking desk"),
    "military": SourceClass(85, "armed forces"),
    "academic": SourceClass(85, "university or research institute"),
    "health_institution": SourceClass(85, "hospital, clinical reference, public health service"),
    "news_quality": SourceClass(85, "news with a reporting staff and a record of corrections"),
    "library_archive": SourceClass(84, "library, archive or museum"),
    "encyclopedia": SourceClass(80, "edited reference work"),
    "scholarly_index": SourceClass(80, "index of scholarly work; the work itself may be anything"),
    "oss_docs": SourceClass(80, "documentation by the project that it documents"),
    "legal_reference": SourceClass(80, "collection of statutes and cases"),
    "vendor_docs": SourceClass(78, "a vendor's technical documentation of its product"),
    "thinktank": SourceClass(78, "policy or survey research institute"),
    "patent": SourceClass(78, "patent record: an applicant's claims, filed"),
    "repository": SourceClass(
        72, "deposit of scholarly files, not reviewed", True, ("repository",)
    ),
    "preprint": SourceClass(72, "scholarly paper before review", True, ("preprint",)),
    "consultancy": SourceClass(68, "consultancy, bank or data firm with research staff"),
    "news_general": SourceClass(68, "news or magazine with mixed depth"),
    "publisher_blog": SourceClass(66, "blog or career pages of a scholarly publisher"),
    "news_syndicated": SourceClass(64, "portal that republishes others", True, ("syndicated",)),
    "trade_press": SourceClass(66, "press of one trade"),
    "oa_contested": SourceClass(65, "reviewed, with a contested record of review"),
    "school": SourceClass(64, "primary or secondary school"),
    "vendor": SourceClass(64, "company about itself and its products"),
    "wiki": SourceClass(62, "open encyclopedia with a community of editors"),
    "ngo_advocacy": SourceClass(62, "organisation that argues for a cause or its members"),
    "health_consumer": SourceClass(62, "health information for the public, advertising-funded"),
    "academic_personal": SourceClass(60, "personal page at a university"),
    "code_host": SourceClass(55, "code and data put up by anyone", True, _USER),
    "edu_platform": SourceClass(52, "courses and tutorials"),
    "academic_social": SourceClass(45, "papers put up or digested by anyone", True, _USER),
    "baike": SourceClass(45, "commercial encyclopedia written by users", True, _USER),
    "contributor": SourceClass(
        45, "outside contributors under a publisher's name", True, ("contributor",)
    ),
    "press_release": SourceClass(
        42, "a company's own announcement, distributed", True, ("press_release",)
    ),
    "qa_forum": SourceClass(42, "questions and answers by anyone", True, _USER),
    "state_media": SourceClass(38, "news under a government's direction"),
    "self_media": SourceClass(35, "articles by account holders of a portal", True, _USER),
    "personal_pages": SourceClass(35, "anyone's pages on a host", True, _USER),
    "personal_blog": SourceClass(35, "one person's blog under an own name"),
    "blog_platform": SourceClass(35, "anyone's posts on a platform", True, _USER),
    "tabloid_partisan": SourceClass(32, "tabloid or party-line outlet"),
    "file_host": SourceClass(30, "anyone's files on a host", True, _USER),
    "market_mill": SourceClass(28, "seller of market reports, figures without method"),
    "content_farm": SourceClass(28, "pages written for search traffic"),
    "social": SourceClass(28, "social network", True, _USER),
    "ecommerce": SourceClass(26, "shop"),
    "fan_wiki": SourceClass(22, "wiki of a fandom", True, _USER),
    "predatory": SourceClass(
        20, "journal that takes fees and does not review", True, ("predatory",)
    ),
    "shadow_library": SourceClass(20, "unlicensed copies", True, ("shadow_library",)),
    "doc_sharing": SourceClass(15, "uploads and homework answers behind a counter", True, _USER),
    "ai_generated": SourceClass(10, "output of a language model", True, ("ai_generated",)),
    "satire": SourceClass(8, "satire", True, ("satire",)),
    "misinformation": SourceClass(5, "record of invented or pseudo-medical claims"),
    LOOKALIKE: SourceClass(5, "pretends to be another site", True, ("lookalike",)),
    # Scored by the imported list alone: we know nothing of the name.
    IMPORTED: SourceClass(0, "known only from an imported list", False),
    UNKNOWN: SourceClass(0, "a name that the registry does not have", False),
    NOT_A_WEB_SOURCE: SourceClass(0, "no public web address", False),
    UNRESOLVED_REDIRECT: SourceClass(0, "a redirector that hides where it leads", False),
    UNATTRIBUTABLE: SourceClass(0, "an address that names no publisher", False),
}
