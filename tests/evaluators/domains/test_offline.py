"""No socket, no file written, no suffix library at import, the same answers from every thread."""

from __future__ import annotations

import builtins
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dream_evaluators.web.domains import DomainAuthority

URLS = [
    "https://www.nature.com/articles/x",
    "https://someone.github.io/",
    "https://www.bücher.de/",
    "https://unheard-of-name.com/x",
    "https://www.stat.go.jp/data/",
]
ROOT = Path(__file__).resolve().parents[3]


def run_alone(code: str, home: Path) -> str:
    """Run code in a fresh interpreter whose home is an empty folder."""
    path = os.pathsep.join([str(ROOT / "server"), str(ROOT / "evaluators")])
    env = {"PYTHONPATH": path, "HOME": str(home), "PATH": os.environ["PATH"],
           "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=env, capture_output=True, text=True, check=True, cwd=home,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.strip()


def test_scoring_opens_no_socket_and_writes_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    real_open = builtins.open

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    def read_only(file: object, mode: str = "r", *rest: object, **named: object) -> object:
        assert not set(mode) & set("wax+"), f"{file} was opened to write"
        return real_open(file, mode, *rest, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(builtins, "open", read_only)
    scorer = DomainAuthority()
    assert {scorer.score(url).registrable_domain for url in URLS} >= {"nature.com", "stat.go.jp"}


def test_a_fresh_home_stays_empty_and_nothing_is_said(tmp_path: Path) -> None:
    code = (
        "from dream_evaluators.web.domains import DomainAuthority\n"
        "print(DomainAuthority().score('https://www.nature.com/').source_class)"
    )
    assert run_alone(code, tmp_path) == "peer_reviewed"
    assert list(tmp_path.iterdir()) == []


def test_importing_loads_no_suffix_library(tmp_path: Path) -> None:
    code = (
        "import sys, dream_evaluators.web.domains\n"
        "print([m for m in ('tldextract', 'idna', 'requests') if m in sys.modules])"
    )
    assert run_alone(code, tmp_path) == "[]"


def test_sixteen_threads_that_start_cold_agree() -> None:
    answers: list[object] = []
    gate = threading.Barrier(16)
    shared: list[DomainAuthority] = []
    lock = threading.Lock()

    def work() -> None:
        gate.wait()
        with lock:
            if not shared:
                shared.append(DomainAuthority())
        own = DomainAuthority()
        answers.append([(own.score(url), shared[0].score(url)) for url in URLS])

    crew = [threading.Thread(target=work) for _ in range(16)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert len(answers) == 16
    assert all(answer == answers[0] for answer in answers)
    first = answers[0]
    assert isinstance(first, list)
    assert all(own == common for own, common in first)
