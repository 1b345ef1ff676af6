"""The environment is read once, and what cannot be meant is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dream_evaluators.errors import BadInput
from dream_mcp.ratings import build_scorer
from dream_mcp.settings import Settings, data_folder


def test_what_is_set_is_taken() -> None:
    settings = Settings.from_env(
        {
            "DREAM_STORE": "/tmp/x.sqlite3",  # noqa: S108 - only a name
            "DREAM_ROOTS": "/a:/b",
            "DREAM_OFFLINE": "yes",
            "DREAM_BATCHES": "1",
            "DREAM_FETCH_ALLOW": "localhost:8080, 10.0.0.0/8",
            "ANTHROPIC_API_KEY": "sk-secret-123",
        }
    )
    assert settings.roots == (Path("/a"), Path("/b"))
    assert settings.offline
    assert settings.batches
    assert settings.fetch_allow == ("localhost:8080", "10.0.0.0/8")
    assert settings.store_path({}) == "/tmp/x.sqlite3"  # noqa: S108


def test_a_key_never_shows_in_the_settings() -> None:
    settings = Settings.from_env({"ANTHROPIC_API_KEY": "sk-secret-123"})
    assert "sk-secret-123" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [("DREAM_JUDGE", "judy"), ("DREAM_OFFLINE", "maybe"), ("DREAM_BATCHES", "10")],
)
def test_a_value_that_cannot_be_meant_is_named(name: str, value: str) -> None:
    with pytest.raises(BadInput, match=name):
        Settings.from_env({name: value})


@pytest.mark.parametrize(
    ("platform", "env", "folder"),
    [
        ("linux", {}, "/home/ada/.local/share"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data"),
        ("darwin", {}, "/home/ada/Library/Application Support"),
        ("win32", {}, "/home/ada/AppData/Local"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local"),
    ],
)
def test_the_data_folder_is_where_the_system_keeps_data(
    platform: str, env: dict[str, str], folder: str
) -> None:
    assert data_folder(Path("/home/ada"), env, platform) == Path(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DREAM_MAX_USD", "much"),
        ("DREAM_SUFFIX_LIST", "/no/such/file.dat"),
        ("DREAM_PROXY", "socks5://127.0.0.1:1"),
    ],
)
def test_amounts_and_files_are_checked_too(name: str, value: str) -> None:
    with pytest.raises(BadInput, match=name):
        Settings.from_env({name: value})


@pytest.mark.parametrize(
    ("hash_", "says"),
    [("", "go together"), ("abc", "64 hexadecimal"), ("g" * 64, "64 hexadecimal")],
)
def test_a_model_of_inference_comes_with_its_hash(tmp_path: Path, hash_: str, says: str) -> None:
    model = tmp_path / "model.onnx"
    model.write_bytes(b"x")
    with pytest.raises(BadInput, match=says):
        Settings.from_env({"DREAM_NLI": str(model), "DREAM_NLI_SHA256": hash_})
    settings = Settings.from_env({"DREAM_NLI": str(model), "DREAM_NLI_SHA256": "A" * 64})
    assert (settings.nli, settings.nli_sha256) == (str(model), "a" * 64)
    with pytest.raises(BadInput, match="go together"):
        Settings.from_env({"DREAM_NLI_SHA256": "a" * 64})


def test_a_newer_suffix_list_is_used(tmp_path: Path) -> None:
    newer = tmp_path / "list.dat"
    newer.write_text("// ===BEGIN ICANN DOMAINS===\ncom\nco.newland\nnewland\n", encoding="utf-8")
    settings = Settings.from_env({"DREAM_SUFFIX_LIST": str(newer)})
    known = build_scorer((), settings.suffix_list).score("https://rain.co.newland/x")
    assert known.registrable_domain == "rain.co.newland"
