"""A dead process of this machine gives up its lease at once; any other keeps it."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from dream_mcp.owners import is_gone, new_owner


def test_a_living_process_is_not_gone() -> None:
    assert not is_gone(new_owner())


def test_no_two_starts_share_a_name() -> None:
    assert new_owner() != new_owner()


def test_an_ended_process_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert is_gone(f"{platform.node()}/{process.pid}/token")


@pytest.mark.parametrize("owner", ["", "elsewhere/1/token", f"{platform.node()}/x/token"])
def test_what_cannot_be_told_is_not_gone(owner: str) -> None:
    assert not is_gone(owner)


def test_a_process_of_another_user_is_not_gone() -> None:
    assert not is_gone(f"{platform.node()}/1/token")
