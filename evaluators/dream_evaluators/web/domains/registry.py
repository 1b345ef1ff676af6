"""The registry of names: one file a category, one entry a line, matched from path to domain."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dream_evaluators.hashing import content_id
from dream_evaluators.web.domains.classes import CLASSES, MAX_OFFSET
from dream_evaluators.web.domains.vocabulary import words

_FOLDER = Path(__file__).with_name("registry")
_NOT_A_CLASS = frozenset({"doi", "hosts", "wrappers", "suffixes"})
TRUSTED = 60.0  # a name is worth imitating from this score on
_SECOND_LEVEL = words("ac co com edu go gov ne net or org")
COLUMNS = ("name", "offset", "country", "publisher", "flags")


class Entry(NamedTuple):
    """One line of the registry.

    Attributes:
        key: `nature.com`, `blog.google`, `*.substack.com` (subdomains only), or a host and a path
            prefix as `forbes.com/sites`; a last path segment may end in `*`.
        source_class: A key of `CLASSES`.
        offset: Points added to the prior of the class, -15 to 15.
        country: Two letters, for governments, news and the like; may be empty.
        publisher: Who stands behind it; empty = the registrable domain. `{sub}` is the label left
            of the key's host, `{1}` and `{2}` are path segments.
        flags: Flags beyond those of the class.
        origin: Which file it came from.
    """

    key: str
    source_class: str
    offset: int = 0
    country: str = ""
    publisher: str = ""
    flags: tuple[str, ...] = ()
    origin: str = ""

    @property
    def host(self) -> str:
        """The key without its path."""
        return self.key.partition("/")[0]


class Match(NamedTuple):
    """An entry that matched, and by which rule: path, host, registrable_domain or platform."""

    entry: Entry
    rule: str


class _PathRule(NamedTuple):
    segments: tuple[str, ...]
    open_end: bool  # the last segment is a prefix
    entry: Entry

    def fits(self, path: list[str]) -> bool:
        """Tell whether a path starts with this rule's segments."""
        count = len(self.segments)
        if len(path) < count:
            return False
        *front, last = self.segments
        if path[: count - 1] != front:
            return False
        return path[count - 1].startswith(last) if self.open_end else path[count - 1] == last


@dataclass(frozen=True, eq=False)
class Registry:
    """Names by key. Never changes: `with_entries` returns another.

    `trusted` gives, for the leftmost label of every name worth imitating, that name.
    """

    entries: dict[str, Entry]
    version: str
    trusted: dict[str, str] = field(default_factory=dict, repr=False)
    _paths: dict[str, list[_PathRule]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for entry in self.entries.values():
            host, slash, path = entry.key.partition("/")
            if slash:
                segments = tuple(path.rstrip("*").split("/"))
                rule = _PathRule(segments, path.endswith("*"), entry)
                self._paths.setdefault(host, []).append(rule)
        for rules in self._paths.values():
            rules.sort(key=lambda rule: (-len(rule.segments), rule.open_end, rule.entry.key))
        for key in self.entries:
            if _is_a_name(key) and self.prior(key) >= TRUSTED:
                self.trusted.setdefault(key.partition(".")[0], key)

    def with_entries(self, entries: list[Entry]) -> Registry:
        """Return a registry in which these entries come before the shipped ones."""
        merged = {**self.entries, **{entry.key: entry for entry in entries}}
        added = [[e.key, e.source_class, e.offset, e.publisher, list(e.flags)] for e in entries]
        return Registry(merged, content_id(self.version, added))

    def match(self, host: str, path: str, registrable: str, suffix: str) -> Match | None:
        """Find the most specific entry: path, then host, then each parent down to the domain.

        Above the registrable domain only platform keys (`*.name`) count, so a tenant never gets
        the entry of its landlord.
        """
        name = host[4:] if host.startswith("www.") and host != registrable else host
        floor = len(registrable or suffix)
        entries, paths = self.entries, self._paths
        while True:
            if len(name) >= floor:
                if path and name in paths:
                    rule = _fitting(paths[name], path)
                    if rule:
                        return Match(rule.entry, "path")
                entry = entries.get(name)
                if entry is not None:
                    return Match(entry, "registrable_domain" if name == registrable else "host")
            _, dot, parent = name.partition(".")
            if not dot:
                return None
            platform = entries.get("*." + parent)
            if platform is not None:
                return Match(platform, "platform")
            name = parent

    def prior(self, name: str) -> float:
        """Score that a host name has by its entry, or 0 if it has none."""
        entry = self.entries.get(name)
        return CLASSES[entry.source_class].prior + entry.offset if entry else 0.0


def _fitting(rules: list[_PathRule], path: str) -> _PathRule | None:
    """The most specific rule that a path fits, or None."""
    segments = path[1:].lower().split("/", 4)[:4]
    return next((rule for rule in rules if rule.fits(segments)), None)


def _is_a_name(key: str) -> bool:
    """Whether a key is a registrable domain by its looks: `who.int`, `bbc.co.uk`."""
    labels = key.split(".")
    return "/" not in key and (
        len(labels) == 2 or (len(labels) == 3 and labels[1] in _SECOND_LEVEL and labels[0] != "*")
    )


def _read_lines(path: Path) -> list[list[str]]:
    """Rows of a registry file: cells separated by tabs, `#` lines and empty ones left out."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and line[0] != "#"]


def parse_entry(cells: list[str], source_class: str, origin: str) -> Entry:
    """Read one row `name, offset, country, publisher, flags` (all but the name may be missing).

    Raises:
        ValueError: The class is unknown, the offset is no integer or beyond ±15.
    """
    key, offset, country, publisher, flags = (cells + [""] * len(COLUMNS))[: len(COLUMNS)]
    points = int(offset or 0)
    if source_class not in CLASSES:
        raise ValueError(f"{key}: unknown class {source_class!r}")
    if abs(points) > MAX_OFFSET:
        raise ValueError(f"{key}: offset {points} is beyond ±{MAX_OFFSET}")
    return Entry(key, source_class, points, country, publisher, tuple(flags.split()), origin)


def read_table(name: str) -> list[list[str]]:
    """Rows of one of the shipped tables that are no list of names: doi, wrappers, suffixes."""
    return _read_lines(_FOLDER / f"{name}.tsv")


def shipped_rows() -> list[Entry]:
    """Every shipped entry in file order, duplicates included (for the lint)."""
    entries = []
    for path in sorted(_FOLDER.glob("*.tsv")):
        if path.stem == "hosts":
            entries += [parse_entry([r[0], *r[2:]], r[1], path.stem) for r in _read_lines(path)]
        elif path.stem not in _NOT_A_CLASS:
            entries += [parse_entry(row, path.stem, path.stem) for row in _read_lines(path)]
    return entries


@functools.cache
def shipped() -> Registry:
    """The registry in this package."""
    return Registry({entry.key: entry for entry in shipped_rows()}, REGISTRY_VERSION)


def _version() -> str:
    """Hash the shipped files and the class table: two scores compare only if this is equal."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(_FOLDER.glob("*.tsv")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    priors = [[name, item.prior, item.is_scored] for name, item in CLASSES.items()]
    return content_id(digest.hexdigest(), priors)


REGISTRY_VERSION = _version()
