"""What the environment says, read once and checked before anything starts."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dream_evaluators.errors import BadInput

JUDGES = ("auto", "anthropic", "host", "agent", "offline")
TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"", "0", "false", "no", "off"})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one process. Keys are never logged, stored or returned."""

    store: str = ""  # DREAM_STORE: a file; "" is the user's data folder
    roots: tuple[Path, ...] = ()  # DREAM_ROOTS: folders that reports and packs may lie in
    judge: str = "auto"  # DREAM_JUDGE
    offline: bool = False  # DREAM_OFFLINE: ask the network for nothing
    fetch_allow: tuple[str, ...] = ()  # DREAM_FETCH_ALLOW: exempt from the address guard
    contact: str = ""  # DREAM_CONTACT: whom to write to about our requests
    suffix_list: str = ""  # DREAM_SUFFIX_LIST: a newer public_suffix_list.dat than the bundled one
    proxy: str = ""  # DREAM_PROXY: http(s)://host:port for fetching pages
    anthropic_key: str = field(default="", repr=False)  # ANTHROPIC_API_KEY
    anthropic_url: str = field(default="", repr=False)  # ANTHROPIC_BASE_URL; may hold a password
    model: str = ""  # DREAM_MODEL
    max_usd: float = 0.0  # DREAM_MAX_USD: of one evaluation's sitting, 0 for no cap
    nli: str = ""  # DREAM_NLI: an .onnx file, the offline judge's model of textual inference
    nli_sha256: str = ""  # DREAM_NLI_SHA256: the hash it must have
    batches: bool = False  # DREAM_BATCHES: large rounds at half price, within a day
    home: Path = field(default_factory=Path.home)

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Settings:
        """Read the environment.

        Raises:
            BadInput: A variable has a value that cannot be meant.
        """
        judge = env.get("DREAM_JUDGE", "").strip() or "auto"
        if judge not in JUDGES:
            raise BadInput(f"DREAM_JUDGE={judge!r}: choose one of {', '.join(JUDGES)}.")
        return cls(
            store=env.get("DREAM_STORE", "").strip(),
            roots=tuple(map(_folder, _listed(env, "DREAM_ROOTS", _separator()))),
            judge=judge,
            offline=_switch(env, "DREAM_OFFLINE"),
            fetch_allow=_listed(env, "DREAM_FETCH_ALLOW", ","),
            contact=env.get("DREAM_CONTACT", "").strip(),
            suffix_list=_file(env, "DREAM_SUFFIX_LIST"),
            proxy=_proxy(env, "DREAM_PROXY"),
            anthropic_key=env.get("ANTHROPIC_API_KEY", "").strip(),
            anthropic_url=env.get("ANTHROPIC_BASE_URL", "").strip(),
            model=env.get("DREAM_MODEL", "").strip(),
            max_usd=_dollars(env, "DREAM_MAX_USD"),
            nli=_file(env, "DREAM_NLI"),
            nli_sha256=_sha256(env, "DREAM_NLI_SHA256", beside="DREAM_NLI"),
            batches=_switch(env, "DREAM_BATCHES"),
            home=Path(env.get("HOME") or Path.home()),
        )

    def store_path(self, env: Mapping[str, str]) -> str:
        """The ledger's file: DREAM_STORE, or `dream-mcp/ledger.sqlite3` in the data folder."""
        return self.store or str(data_folder(self.home, env) / "dream-mcp" / "ledger.sqlite3")


def data_folder(home: Path, env: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Where programs keep a user's data on this system."""
    if platform == "win32":
        return Path(env.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(env.get("XDG_DATA_HOME") or home / ".local" / "share")


def _separator() -> str:
    return ";" if sys.platform == "win32" else ":"


def _listed(env: Mapping[str, str], name: str, separator: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in env.get(name, "").split(separator) if part.strip())


def _file(env: Mapping[str, str], name: str) -> str:
    value = env.get(name, "").strip()
    if value and not Path(value).expanduser().is_file():
        raise BadInput(f"{name}={value!r}: there is no such file.")
    return str(Path(value).expanduser()) if value else ""


def _folder(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise BadInput(f"DREAM_ROOTS: {text!r} names no folder.") from None


def _dollars(env: Mapping[str, str], name: str) -> float:
    text = env.get(name, "").strip() or "0"
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise BadInput(f"{name}={text!r}: write an amount of dollars such as 2.50, or 0.")
    return value


def _proxy(env: Mapping[str, str], name: str) -> str:
    value = env.get(name, "").strip()
    if value and not re.match(r"https?://[^/\s]", value):
        raise BadInput(f"{name}: write http://host:port or https://host:port.")
    return value


def _sha256(env: Mapping[str, str], name: str, *, beside: str) -> str:
    value = env.get(name, "").strip().lower()
    if bool(value) != bool(env.get(beside, "").strip()):
        raise BadInput(
            f"{beside} and {name} go together: the file of the model, and the SHA-256 it must have "
            "(type: sha256sum FILE, and compare with what the model's publisher says)."
        )
    if value and not re.fullmatch(r"[0-9a-f]{64}", value):
        raise BadInput(f"{name}={value[:70]!r}: write the 64 hexadecimal digits of a SHA-256.")
    return value


def _switch(env: Mapping[str, str], name: str) -> bool:
    value = env.get(name, "").strip().lower()
    if value not in TRUE | FALSE:
        raise BadInput(f"{name}={value!r}: write 1 for yes or 0 for no.")
    return value in TRUE
