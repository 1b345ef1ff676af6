"""What a sentence says beside its content words: negation, opposites, absolutes, names, quotes."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

from dream_evaluators.passages.terms import STOPWORDS, stem, word_set, words

NEGATIONS = word_set(
    """
    not no never none neither nor without cannot fail fails failed failing lack lacks lacked lacking
    absent unable denies denied deny refute refuted refutes false hardly rarely unlikely refused
    """
)
ABSOLUTES = word_set(
    """
    only first never always all most largest every none must best solely entirely exclusively
    highest lowest sole unique last biggest greatest
    """
)
RELATIONS = word_set(
    """
    because cause caused causes causing due led leads leading result resulted results thanks owing
    than compared versus exceed exceeds exceeded outperform outperforms outperformed despite
    """
)
_OPPOSITES = word_set("""
    increase/decrease increase/decline increase/reduce rise/fall rise/drop grow/shrink grow/decline
    gain/lose gain/loss high/low higher/lower more/less more/fewer before/after win/lose won/lost
    positive/negative support/oppose accept/reject approve/reject allow/ban allow/prohibit
    open/close start/end begin/end major/minor majority/minority largest/smallest best/worst
    always/never early/late earlier/later older/younger northern/southern eastern/western
    north/south east/west true/false male/female success/failure succeed/fail safe/dangerous
    effective/ineffective warm/cool above/below maximum/minimum strong/weak stronger/weaker
    beneficial/harmful benefit/harm prevent/cause likely/unlikely activate/inhibit promote/inhibit
    improve/worsen import/export public/private rich/poor hot/cold present/absent buy/sell
    hire/fire expand/contract optimistic/pessimistic legal/illegal possible/impossible
""")
OPPOSITES: dict[str, frozenset[str]] = {}
for _pair in _OPPOSITES:
    for _one, _other in (_pair.split("/"), _pair.split("/")[::-1]):
        OPPOSITES[stem(_one)] = OPPOSITES.get(stem(_one), frozenset()) | {stem(_other)}

_NAME_WORD = re.compile(r"[^\W_][\w’'&-]*")
# Whatever stands between two marks is taken first and filtered later: the closing mark of a short
# quotation must not be taken for the opening one of the next.
_QUOTED = re.compile(
    r"\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|„([^“\n]{1,400})“|«([^»\n]{1,400})»|「([^」\n]{1,400})」"
)
_PUNCTUATION = re.compile(r"[^\w\s’'&-]")
_DEBUNK = re.compile(
    r"\bfact[- ]?check|\bdebunk|\bhoax|\bmyths?\b|\bmisinformation|\bfalse claim|\bfake news|"
    r"\bmisleading|\bno evidence that|\bdid not actually|\bpolitifact|\bsnopes|辟谣|谣言"
)
DEBUNK_SCOPE = 600  # characters at a page's head that say what kind of page it is


def negated(tokens: Collection[str]) -> bool:
    """Tell whether folded words hold a negation."""
    return not NEGATIONS.isdisjoint(tokens)


def opposites(claim: Collection[str], passage: Collection[str]) -> int:
    """Count stems of the claim that the passage lacks while it holds their opposite."""
    return sum(
        1
        for term in claim
        if term not in passage and not OPPOSITES.get(term, frozenset()).isdisjoint(passage)
    )


def name_stems(claim: str) -> tuple[tuple[str, str], ...]:
    """Find the name words of a claim: `(as written, stem)`, in order, each once.

    A name word is capitalised and not the first word, or mixes letters and digits, or is written in
    capitals.
    """
    found: dict[str, str] = {}
    for place, name in enumerate(_NAME_WORD.findall(claim)):
        cased = name[0].isupper() and (place > 0 or (name.isupper() and len(name) > 1))
        mixed = any(c.isdigit() for c in name) and any(c.isalpha() for c in name)
        if not (cased or mixed) or name.lower() in STOPWORDS:
            continue
        for word in words(name):
            if word not in STOPWORDS and len(word) > 1:
                found.setdefault(stem(word), name)
    return tuple((name, root) for root, name in found.items())


def name_pairs(claim: str) -> frozenset[tuple[str, str]]:
    """Find the stems of capitalised words that follow each other, as in a name of several words.

    Function words between them do not part them ("Bank of England"), punctuation does.
    """
    pairs = set()
    for stretch in _PUNCTUATION.split(claim):
        names = [name for name in _NAME_WORD.findall(stretch) if name.lower() not in STOPWORDS]
        for one, other in pairwise(names):
            if one[0].isupper() and other[0].isupper():
                left, right = list(words(one)), list(words(other))
                pairs.add((stem(left[-1]), stem(right[0])))
    return frozenset(pairs)


def quotations(claim: str) -> tuple[str, ...]:
    """Find what a claim puts between quotation marks, from three words up."""
    quotes = ("".join(groups).strip() for groups in _QUOTED.findall(claim))
    return tuple(quote for quote in quotes if len(quote.split()) > 2)


def debunks(title: str, text: str) -> bool:
    """Tell whether a page sets out to refute what it repeats (fact checks, myth lists)."""
    head = f"{title}\n{text[:DEBUNK_SCOPE]}".lower()
    return _DEBUNK.search(head) is not None
