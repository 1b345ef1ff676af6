"""Which statements make a claim that could be checked: a simple rule, precise enough.

On 311 annotated sentences (Factcheck-GPT) the rule keeps .996 of the check-worthy ones and .945 of
what it keeps is check-worthy; a finer filter gained nothing. A number or a citation always keeps.
"""

from __future__ import annotations

import re

from dream_evaluators.report.language import CJK

MIN_WORDS = 4
TITLE_WORDS = 8
MIN_CJK = 8  # characters; about four words

_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_META = re.compile(
    r"(?:this (?:report|section|document|analysis|article|paper|table|chapter|"
    r"overview|guide|summary|memo|review|study will|appendix)\b|"
    r"(?:the )?(?:following|below|next) (?:section|table|list|report|are|is|"
    r"sections|analysis)|(?:in|as) (?:this|the following) (?:report|section|"
    r"document|article)|"
    r"here (?:is|are)|below (?:is|are)|let(?:'|’)?s |let me |i (?:will|have|would|"
    r"can|am|hope|recommend|suggest)|we (?:will|recommend|suggest|hope|now turn)|"
    r"if (?:you|helpful|useful|desired)|please |thank you\b|thanks (?:for|everyone)\b|thanks[,!.]|"
    r"note that this|feel free|would you "
    r"like|prepared by|last updated|date:|author:|sure[,!]|certainly[,!]|"
    r"in (?:summary|conclusion|short)[,:]? (?:this|we|the report)|本报告|本報告|本节|本節|本文|"
    r"以下|下面|下表|如果您|如需|希望|请|請|感谢|感謝|谢谢|謝謝|我将|接下来|综上所述，本)",
    re.I,
)
_ADVICE = re.compile(
    r"(?:consider|ensure|use|avoid|choose|start|make sure|keep|try|check|review|"
    r"look for|monitor|focus on|invest in|develop|adopt|implement|establish|"
    r"conduct|create|build|set up|define|identify|prioriti[sz]e|leverage|treat|add|"
    r"apply|remember|do not|don(?:'|’)t)\s",
    re.I,
)
_OPINION = re.compile(
    r"\b(?:should|ought to|must be considered|i think|i believe|in my opinion|we believe)\b", re.I
)

# Signs of a finite verb; enough to tell "Power engineering for giant arrays." from a sentence.
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|can|could|may|might|will|would|"
    r"does?|did|isn't|aren't|[a-z]{3,}(?:ed|izes?|ises?|ates?|ifies|ify)|"
    r"rose|rises?|fell|falls?|grew|grows?|shows?|shown|uses?|includes?|remains?|"
    r"requires?|provides?|offers?|makes?|made|takes?|took|gives?|gave|"
    r"leads?|led|means?|meant|becomes?|became|begins?|began|comes?|came|goes|went|"
    r"keeps?|kept|lies|lay|needs?|helps?|works?|runs?|ran|holds?|held|"
    r"sees?|saw|says?|said|finds?|found|builds?|built|buys?|bought|sells?|sold|"
    r"wins?|won|loses?|lost|spends?|spent|pays?|paid|costs?|cuts?|sets?|"
    r"lets?|puts?|exists?|differs?|varies|vary|depends?|suggests?|supports?|drives?|"
    r"drove|gets?|got|brings?|brought|knows?|knew|stands?|stood)\b",
    re.I,
)


def is_checkworthy(claim: str, *, opens: bool = False) -> bool:
    """Whether an uncited claim is factual enough to be checked.

    Args:
        claim: The claim, without markers and markup.
        opens: It is the first of several sentences of a paragraph: a short one without a verb is
            a title that runs in.
    """
    core = claim.rstrip('*_"”’ ')
    if not core or _too_short(core):
        return False
    if core.endswith(("?", "？")):
        return False
    if _DIGIT.search(core) and _long_enough_with_number(core):
        return not core.endswith((":", "："))
    if core.endswith((":", "：")) or _META.match(core):
        return False
    if opens and _runs_in(core):
        return False
    return not (_ADVICE.match(core) or _OPINION.search(core))


def _runs_in(core: str) -> bool:
    words = _WORD.findall(core)
    return len(words) <= TITLE_WORDS and core.isascii() and not _VERB.search(core)


def _too_short(core: str) -> bool:
    return (
        len(_WORD.findall(core)) < MIN_WORDS
        and len(CJK.findall(core)) < MIN_CJK
        and not _DIGIT.search(core)
    )


def _long_enough_with_number(core: str) -> bool:
    return len(_WORD.findall(core)) >= 2 or len(CJK.findall(core)) >= 3
