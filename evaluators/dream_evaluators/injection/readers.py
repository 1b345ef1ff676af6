"""How a text speaks to a program that reads and judges it: the word tables of each language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

# Where the letters of a script stand, in blocks of 256 characters.
SCRIPTS: dict[str, range] = {
    "": range(1),  # Latin: every text is searched for it
    "greek": range(0x03, 0x04),
    "cyrillic": range(0x04, 0x05),
    "hebrew": range(0x05, 0x06),
    "arabic": range(0x06, 0x07),
    "devanagari": range(0x09, 0x0A),
    "thai": range(0x0E, 0x0F),
    "kana": range(0x30, 0x31),
    "han": range(0x4E, 0xA0),
    "hangul": range(0xAC, 0xD8),
}
TABLES = files("dream_evaluators.injection") / "readers.toml"


@dataclass(frozen=True)
class Speech:
    """The words of one language; all lower case.

    Attributes:
        script: The script of its letters, a key of SCRIPTS.
        cues: Pieces of words; each program and each examiner holds one of them.
        programs: A reader that is no person.
        examiners: One who judges texts, person or program.
        verdict: What such a reader decides.
        order: That it shall.
        matter: What it decides about: the page, the claim, its rules.
        address: That it is spoken to.
        approval: What is said of something true or false, by anybody.
    """

    script: str
    cues: tuple[str, ...]
    programs: tuple[str, ...]
    examiners: tuple[str, ...]
    verdict: re.Pattern[str]
    order: re.Pattern[str]
    matter: re.Pattern[str]
    address: re.Pattern[str]
    approval: re.Pattern[str]

    def named(self, words: Sequence[str], text: Lowered) -> Iterator[str]:
        """Those of its programs or examiners that stand in a text."""
        cues = [cue for cue in self.cues if text.holds(cue)]
        for word in words:
            if any(cue in word for cue in cues) and text.holds(word):
                yield word


@dataclass(frozen=True)
class Speeches:
    """All languages, and a verdict in so many words, which any of them may use."""

    by_language: Mapping[str, Speech]
    in_words: re.Pattern[str]

    def spoken_in(self, text: Lowered) -> Iterator[Speech]:
        """The languages that a text may hold words of, by its letters and their cues."""
        for speech in self.by_language.values():
            if speech.script in text.scripts and any(map(text.holds, speech.cues)):
                yield speech


class Lowered:
    """A text in lower case, laid out for looking up many words.

    Attributes:
        text: The text.
        scripts: The scripts it has a letter of, as keys of SCRIPTS; Latin always.
    """

    def __init__(self, text: str) -> None:
        self.text = text.lower()
        # Bytes are searched several times faster than a text with letters beyond Latin-1.
        self._bytes = self.text.encode("utf-8", "surrogatepass")
        self._held: dict[str, bool] = {}
        letters = set() if text.isascii() else set(self.text)
        blocks = {0, *(ord(letter) >> 8 for letter in letters)}
        self.scripts = {name for name, places in SCRIPTS.items() if not blocks.isdisjoint(places)}

    def holds(self, word: str) -> bool:
        """Whether a word, or a piece of one, stands in the text."""
        found = self._held.get(word)
        if found is None:
            found = self._held[word] = word.encode() in self._bytes
        return found


@cache
def speeches() -> Speeches:
    """Read the tables that come with the package, once."""
    tables = tomllib.loads(TABLES.read_text(encoding="utf-8"))
    labels: list[str] = tables["in_words"]
    return Speeches(
        {language: _speech(table, labels) for language, table in tables["speech"].items()},
        _either(labels),
    )


def _speech(table: Mapping[str, Sequence[str]], labels: Sequence[str]) -> Speech:
    return Speech(
        script=str(table.get("script", "")),
        cues=tuple(table["cues"]),
        programs=tuple(table["programs"]),
        examiners=tuple(table["examiners"]),
        verdict=_either([*labels, *table["verdict"]]),
        order=_either(table["order"]),
        matter=_either(table["matter"]),
        address=_either(table["address"]),
        approval=_either(table["approval"]),
    )


def _either(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(patterns))
