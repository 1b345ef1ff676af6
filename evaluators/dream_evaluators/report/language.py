"""Title, language and length of a report."""

from __future__ import annotations

import re
from collections import Counter

_SAMPLE = 8_000  # characters; enough for stop words to tell
_LETTER = re.compile(r"[^\W\d_]")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af][\w'’-]*")
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]"), 0.1),
    ("ko", re.compile(r"[\uac00-\ud7af]"), 0.2),
    ("zh", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"), 0.2),
    ("ru", re.compile(r"[\u0400-\u04ff]"), 0.3),
    ("ar", re.compile(r"[\u0600-\u06ff]"), 0.3),
    ("he", re.compile(r"[\u0590-\u05ff]"), 0.3),
    ("hi", re.compile(r"[\u0900-\u097f]"), 0.3),
    ("el", re.compile(r"[\u0370-\u03ff]"), 0.3),
    ("th", re.compile(r"[\u0e00-\u0e7f]"), 0.3),
)
_STOP_WORDS = {
    "en": "the of and to in is that for with as are by on from was this",
    "de": "der die und das den von ist mit des für auf im nicht eine dem auch",
    "fr": "le les des et la une dans est pour que sur du par avec plus aux",
    "es": "el los las de la y en que una por con para del como más su",
    "pt": "o os as de da do e em que uma para com não dos mais são",
    "it": "il di che la e per con una del della sono gli nel dei più è",
    "nl": "de het een van en in is dat op te voor met zijn niet aan door",
}
_LANGUAGE_OF = {lang: frozenset(words.split()) for lang, words in _STOP_WORDS.items()}


def count_words(text: str) -> int:
    """Count Latin (and other alphabetic) words plus CJK characters."""
    return len(CJK.findall(text)) + len(_LATIN_WORD.findall(text))


def tell_language(text: str) -> str:
    """Return the ISO 639-1 code of the main language by script and stop words, "" when unsure."""
    sample = re.sub(r"https?://\S{1,2000}", "", text[:_SAMPLE])
    letters = len(_LETTER.findall(sample)) or 1
    for language, script, share in _SCRIPTS:
        if len(script.findall(sample)) / letters >= share:
            return language
    words = Counter(word.lower() for word in _LATIN_WORD.findall(sample))
    scores = {lang: sum(words[w] for w in stops) for lang, stops in _LANGUAGE_OF.items()}
    best = max(scores, key=lambda lang: scores[lang])
    return best if scores[best] >= max(2, 0.05 * words.total()) else ""
