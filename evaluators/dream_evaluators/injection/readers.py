"""How a text speaks to a program that reads and judges it: the word tables of each language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
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


@dataclass(frozen=True)
class Speeches:
    """All languages, and a verdict in so many words, which any of them may use."""

    by_language: Mapping[str, Speech]
    in_words: re.Pattern[str]

    def spoken_in(self, text: str, scripts: Collection[str]) -> Iterator[Speech]:
        """The languages that a text in some scripts may hold words of, by their cues."""
        for speech in self.by_language.values():
            if speech.script in scripts and any(cue in text for cue in speech.cues):
                yield speech


def scripts_of(text: str) -> set[str]:
    """The scripts that a text has a letter of, as keys of SCRIPTS."""
    blocks = {0} if text.isascii() else {0, *(ord(letter) >> 8 for letter in set(text))}
    return {name for name, places in SCRIPTS.items() if not blocks.isdisjoint(places)}


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
