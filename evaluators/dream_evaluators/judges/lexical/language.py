"""Which kind of language a text is written in, as far as the offline judge needs to know."""

from __future__ import annotations

import re
from typing import Literal

from dream_evaluators.passages.terms import STOPWORDS, UNSPACED, word_set, words

Language = Literal["english", "latin", "unspaced", "other"]

READ = 6000  # characters that are looked at
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_LETTER = re.compile(r"[^\W\d_]")

# Function words of the other large languages in Latin letters that are no English words, folded.
_FOREIGN = (
    word_set(
        """
    der die das und ist nicht mit ein eine einen dem den des sich auf fur von zu im auch wird wurde
    als bei nach wie werden sind le la les et est une du au aux dans pour qui que sur par pas avec
    sont cette ete ses ont el los las un y en del por con para una su se lo mas fue como al es il
    di che della dei per gli nel sono da o e os um uma nao na no dos em foi het een van zijn op te
    dat voor og er av det att och som pa till ar i w z nie jest do oraz ve bir bu icin ile
    """
    )
    - STOPWORDS
)


def language_of(text: str) -> Language:
    """Tell English from other languages in Latin letters, from unspaced scripts, from the rest.

    A text with hardly any function words (a list, a table, a name) counts as English if its
    letters are Latin: English is what nothing speaks against.
    """
    text = text[:READ]
    letters = len(_LETTER.findall(text))
    if len(_UNSPACED.findall(text)) > letters / 4:
        return "unspaced"
    if len(_LATIN.findall(text)) < letters / 2:
        return "other"
    tokens = list(words(text))
    english = sum(1 for word in tokens if word in STOPWORDS)
    foreign = sum(1 for word in tokens if word in _FOREIGN)
    return "latin" if foreign > english else "english"
