"""Only what lies below an allowed folder is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dream_evaluators.errors import PathRefused, ReportUnreadable
from dream_mcp.files import Roots, read_report


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "report.md").write_text("A claim of 5 %.", encoding="utf-8")
    (tmp_path / "secret.md").write_text("Secret.", encoding="utf-8")
    return Roots.of([tmp_path / "open"], home=tmp_path / "home")


def test_a_file_below_a_root_is_admitted(roots: Roots, tmp_path: Path) -> None:
    path = roots.admit(str(tmp_path / "open" / "report.md"))
    assert read_report(path) == b"A claim of 5 %."


@pytest.mark.parametrize(
    "path", ["secret.md", "open/../secret.md", "open/../../etc/passwd", "open-x"]
)
def test_a_path_outside_is_refused(roots: Roots, tmp_path: Path, path: str) -> None:
    with pytest.raises(PathRefused, match="outside"):
        roots.admit(str(tmp_path / path))


def test_a_link_that_leads_outside_is_refused(roots: Roots, tmp_path: Path) -> None:
    link = tmp_path / "open" / "link.md"
    link.symlink_to(tmp_path / "secret.md")
    with pytest.raises(PathRefused):
        roots.admit(str(link))


@pytest.mark.parametrize("path", ["a\x00b", "~nobody-has-this-name/x"])
def test_what_is_no_path_is_refused(roots: Roots, path: str) -> None:
    with pytest.raises(PathRefused):
        roots.admit(path)


def test_neither_the_root_nor_the_home_becomes_a_default_root(tmp_path: Path) -> None:
    assert Roots.of([Path("/"), tmp_path], home=tmp_path).folders == ()


def test_without_a_root_the_error_says_how_to_open_one(tmp_path: Path) -> None:
    with pytest.raises(PathRefused, match="DREAM_ROOTS"):
        Roots(()).admit(str(tmp_path / "x.md"))


def test_a_refusal_names_folders_but_not_where_they_lie(roots: Roots, tmp_path: Path) -> None:
    with pytest.raises(PathRefused) as refused:
        roots.admit("elsewhere.md")
    assert str(tmp_path) not in str(refused.value)


def test_a_folder_is_no_report(roots: Roots, tmp_path: Path) -> None:
    with pytest.raises(ReportUnreadable, match="folder"):
        read_report(tmp_path / "open")


def test_a_pipe_that_never_ends_is_no_report(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    with pytest.raises(ReportUnreadable, match="no file"):
        read_report(pipe)


def test_a_file_that_became_a_link_since_it_was_admitted_is_not_read(
    roots: Roots, tmp_path: Path
) -> None:
    path = roots.admit(str(tmp_path / "open" / "report.md"))
    path.unlink()
    path.symlink_to(tmp_path / "secret.md")
    with pytest.raises(ReportUnreadable):
        read_report(path)


def test_a_folder_that_became_a_link_since_it_was_admitted_is_not_read(
    roots: Roots, tmp_path: Path
) -> None:
    (tmp_path / "open" / "sub").mkdir()
    (tmp_path / "open" / "sub" / "secret.md").write_text("Mine.", encoding="utf-8")
    path = roots.admit(str(tmp_path / "open" / "sub" / "secret.md"))
    path.parent.rename(tmp_path / "open" / "moved")
    path.parent.symlink_to(tmp_path)
    with pytest.raises(ReportUnreadable, match="changed while"):
        read_report(path)
