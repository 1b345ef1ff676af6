"""The command line, as a user calls it."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from dream_evaluators.hashing import text_id
from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.model.source import Outcome, Source
from dream_evaluators.urls import canonicalise
from dream_evaluators.web.packs import write_pack
from dream_mcp.__main__ import main
from tests.evaluators.judges.onnx_file import write_model
from tests.strategies import claim_answer

from .conftest import ROOT

REPORT = "Rain fell on 12 days ([Rain](https://rain.test/days)). Snow fell on 3 days.\n"


@dataclass(frozen=True)
class Done:
    """What a command did."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, in a folder and with a store of its own."""

    def ran(*arguments: str, env: dict[str, str] | None = None) -> Done:
        settings = {"DREAM_STORE": str(tmp_path / "commands.sqlite3"), "DREAM_OFFLINE": "1"}
        for name, value in {**settings, "ANTHROPIC_API_KEY": "", **(env or {})}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        written = capsys.readouterr()
        return Done(code, written.out, written.err)

    return ran


@pytest.fixture
def report(tmp_path: Path) -> str:
    path = tmp_path / "report.md"
    path.write_text(REPORT, encoding="utf-8")
    return str(path)


def test_evaluate_prints_a_scorecard_and_what_to_do_next(
    run: Run, tmp_path: Path, report: str
) -> None:
    done = run("evaluate", report)
    assert done.returncode == 0
    assert "| CA Citation accuracy | 50.0 |" in done.stdout
    assert "source_unreachable" not in done.stderr
    assert "complete" in done.stderr


def test_json_is_the_tools_structured_content(run: Run, tmp_path: Path, report: str) -> None:
    card = json.loads(run("evaluate", report, "--json").stdout)
    assert card["scores"]["CA"]["value"] == 50.0
    assert card["scores"]["CF"]["reason"] == "source_unreachable"


@pytest.mark.parametrize(
    ("threshold", "code"), [("CA=10", 0), ("CA=99", 1), ("CF=10", 2), ("DA=1", 2)]
)
def test_a_threshold_sets_the_exit_code(
    run: Run, tmp_path: Path, report: str, threshold: str, code: int
) -> None:
    assert run("evaluate", report, "--fail-under", threshold).returncode == code


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200), "Markdown"),
        (b"word " * 1_100_000, "MB are the limit"),
    ],
)
def test_an_unusable_report_is_refused_with_exit_code_2(
    run: Run, tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "bad.md"
    path.write_bytes(content)
    done = run("evaluate", str(path))
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["evaluate", "none.md"], "none.md"),
        (["evaluate", "."], "folder"),
        (["evaluate", "report.md", "--metric", "XX"], "is no metric"),
        (["evaluate", "report.md", "--metric", "WQ"], "not part of this version"),
        (["evaluate", "report.md", "--as-of", "soon"], "date"),
        (["evaluate", "report.md", "--fail-under", "CA"], "METRIC=SCORE"),
        (["evaluate", "report.md", "--pack", "report.md"], "report.md"),
        (["evaluate", "report.md", "--judge", "anthropic"], "agent"),
        (["work", "b2:00000000"], "No evaluation"),
        (["answer", "b2:00000000", "none.json"], "none.json"),
        (["answer", "b2:00000000", "report.md"], "not valid JSON"),
        (["pack", "b2:00000000"], "No evaluation"),
        (["claims", "none.md"], "none.md"),
    ],
)
def test_bad_input_exits_2_and_says_what_to_do(
    run: Run, tmp_path: Path, report: str, arguments: list[str], says: str
) -> None:
    env = {"ANTHROPIC_API_KEY": ""}
    done = run(*arguments, env=env)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("store", ["folder", "file"])
def test_an_unusable_store_is_an_error_and_nothing_is_half_written(
    run: Run, tmp_path: Path, report: str, store: str
) -> None:
    target = tmp_path / "store"
    if store == "folder":
        target.mkdir()
    else:
        target.write_text("this is no database, and long enough to be taken for one\n" * 40)
    done = run("evaluate", report, env={"DREAM_STORE": str(target)})
    assert done.returncode == 2
    assert "DREAM_STORE" in done.stderr
    assert "Traceback" not in done.stderr
    if store == "file":
        assert target.read_text().startswith("this is no database")


def test_a_bad_setting_is_named(run: Run, tmp_path: Path, report: str) -> None:
    done = run("evaluate", report, env={"DREAM_JUDGE": "judy"})
    assert done.returncode == 2
    assert "DREAM_JUDGE" in done.stderr


def test_a_read_only_home_runs_in_memory_and_says_what_is_lost(
    run: Run, tmp_path: Path, report: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # A file where the data folder should be: not even root can write below it.
    (home / ".local").write_text("in the way")
    env = {"DREAM_STORE": "", "HOME": str(home), "XDG_DATA_HOME": ""}
    done = run("evaluate", report, env=env)
    assert done.returncode == 0
    assert "nothing will be kept" in done.stderr
    assert "CA Citation accuracy" in done.stdout


def test_the_default_store_lies_in_the_users_data_folder(
    run: Run, tmp_path: Path, report: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    env = {"DREAM_STORE": "", "HOME": str(home), "XDG_DATA_HOME": ""}
    assert run("evaluate", report, env=env).returncode == 0
    assert (home / ".local" / "share" / "dream-mcp" / "ledger.sqlite3").is_file()


def test_an_agent_can_judge_from_a_shell(run: Run, tmp_path: Path) -> None:
    pack = ROOT / "examples" / "pack.zip"
    example = ROOT / "examples" / "report.md"
    started = run("evaluate", str(example), "--pack", str(pack), "--judge", "agent", "--json")
    card = json.loads(started.stdout)
    assert card["status"] == "needs_work"
    short = re.search(r"dream-mcp work (\S+)", started.stderr)
    assert short is not None
    orders = json.loads(run("work", short[1], "--json", "--limit", "1").stdout)
    questions = orders["work_orders"][0]["questions"]
    assert f"work order {orders['work_orders'][0]['id']}" in run("work", short[1]).stdout
    silent = {
        "facts": [{"fact": "all of it", "quote": "", "relation": "absent"}],
        "reasoning": "Not found.",
        "verdict": "unverifiable",
    }
    answers = tmp_path / "answers.json"
    answers.write_text(
        json.dumps([{"id": q, "answer": silent} for q in questions] + [{"id": "q999"}])
    )
    done = run("answer", short[1], str(answers), "--by", "shell-model", "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["accepted"] == questions
    assert result["rejected"][0]["id"] == "q999"
    plain = run("answer", short[1], str(answers), "--by", "shell-model")
    assert "Accepted" in plain.stdout


def judged(run: Run, tmp_path: Path, verdict: str, by: str, *more: str) -> str:
    """Evaluate a one-sentence report, answer every question alike; its evaluation's id."""
    text = "The plant opened in 2019 ([Plant](https://plant.test/))."
    (tmp_path / "one.md").write_text(text, encoding="utf-8")
    page = Source(
        url="https://plant.test/",
        canonical_url=canonicalise("https://plant.test/"),
        outcome=Outcome.OK,
        text="The plant opened in 2019.",
        content_hash=text_id("The plant opened in 2019."),
    )
    (tmp_path / "one.zip").write_bytes(write_pack([OpenedReport(text=text)], [page], []))
    card = json.loads(
        run("evaluate", "one.md", "--pack", "one.zip", "--judge", "agent", "--json", *more).stdout
    )
    evaluation: str = card["evaluation_id"]
    quote = "" if verdict == "absent" else "opened in 2019"
    answer = json.loads(claim_answer(("opened in 2019", verdict, quote)))
    open_ = range(1, 1 + int(more[-1] if more else 1))
    given = tmp_path / "given.json"
    given.write_text(json.dumps([{"id": f"q{n}", "answer": answer} for n in open_]))
    done = run("answer", evaluation, str(given), "--by", by)
    assert done.returncode == 0, done.stderr
    return evaluation


def test_every_judgement_is_exported_as_a_row(run: Run, tmp_path: Path) -> None:
    evaluation = judged(run, tmp_path, "supported", "shell-model")
    judged(run, tmp_path, "absent", "human:Ada")
    rows = [json.loads(line) for line in run("export", evaluation, "--jsonl").stdout.splitlines()]
    assert [(row["judge"], row["label"], row["sample"]) for row in rows] == [
        ("agent:shell-model", "full_support", 0),
        ("human:Ada", "unverifiable", 0),
    ]
    assert rows[0]["quotes"] == ["opened in 2019"]
    assert rows[0]["url"] == "https://plant.test/"
    assert rows[0]["claim"].startswith("The plant opened")
    assert len({row["item"] for row in rows}) == 1


def test_judges_are_compared_and_a_person_outranks_the_model(run: Run, tmp_path: Path) -> None:
    evaluation = judged(run, tmp_path, "supported", "shell-model")
    alone = run("agreement", evaluation)
    assert "agent:shell-model: 1 of 1 questions" in alone.stdout
    assert "--by human:NAME" in alone.stderr
    judged(run, tmp_path, "absent", "human:Ada")
    assert "0 of 1 alike" in run("agreement", evaluation).stdout
    found = json.loads(run("agreement", evaluation, "--json").stdout)
    assert found["pairs"][0]["n"] == 1
    assert "kendall_w" not in found
    page = run("evaluate", "one.md", "--pack", "one.zip", "--judge", "agent", "--json").stdout
    score = json.loads(page)["scores"]["CF"]
    assert (score["value"], score["judge"]) == (0.0, "human:Ada")


def test_a_question_is_put_as_often_as_asked(run: Run, tmp_path: Path) -> None:
    evaluation = judged(run, tmp_path, "supported", "m", "--samples", "3")
    rows = [json.loads(line) for line in run("export", evaluation).stdout.splitlines()]
    assert [row["sample"] for row in rows] == [0, 1, 2]
    again = ("evaluate", "one.md", "--pack", "one.zip", "--judge", "agent", "--samples", "3")
    score = json.loads(run(*again, "--json").stdout)["scores"]["CF"]
    assert score["variants"]["repeat_spread"] == 0.0
    written = run("pack", evaluation, "-o", "repeats.zip")
    assert written.returncode == 0
    other = {"DREAM_STORE": str(tmp_path / "other.sqlite3")}
    replayed = ("evaluate", "one.md", "--pack", "repeats.zip", "--judge", "agent", "--json")
    card = json.loads(run(*replayed, "--samples", "3", env=other).stdout)
    assert (card["status"], card["scores"]["CF"]["value"]) == ("complete", 100.0)


@pytest.mark.parametrize("command", [("export",), ("agreement",)])
def test_without_a_judgement_there_is_nothing_to_export_or_compare(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = run(*command, "b2:0123456789")
    assert done.returncode == 2
    assert "No evaluation" in done.stderr


@pytest.mark.parametrize(
    ("judge", "samples", "said"),
    [("agent", "0", "between 1 and 9"), ("agent", "10", "between 1 and 9"),
     ("offline", "2", "the same every time")],
)  # fmt: skip
def test_repeats_that_cannot_be_meant_are_refused(
    run: Run, report: str, judge: str, samples: str, said: str
) -> None:
    done = run("evaluate", report, "--judge", judge, "--samples", samples)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_pack_carries_an_evaluation_to_another_store(run: Run, tmp_path: Path) -> None:
    pack = ROOT / "examples" / "pack.zip"
    example = ROOT / "examples" / "report.md"
    one = json.loads(run("evaluate", str(example), "--pack", str(pack), "--json").stdout)
    written = run("pack", one["evaluation_id"][:20], "-o", "carried.zip")
    assert written.stdout.strip() == "carried.zip"
    env = {"DREAM_STORE": str(tmp_path / "other.sqlite3")}
    two = json.loads(
        run("evaluate", str(example), "--pack", "carried.zip", "--json", env=env).stdout
    )
    assert two["scores"] == one["scores"]
    assert two["top_findings"] == one["top_findings"]


def test_claims_and_authority_answer_at_once(run: Run, tmp_path: Path, report: str) -> None:
    listed = run("claims", report)
    assert "[cited] Rain fell on 12 days." in listed.stdout
    claims = json.loads(run("claims", report, "--json").stdout)
    assert claims["stats"]["statements"] == 2
    rated = run("authority", "https://www.nature.com/articles/x")
    assert "peer_reviewed" in rated.stdout
    as_json = json.loads(run("authority", "--json", "https://www.nature.com/").stdout)
    assert as_json["results"][0]["class"] == "peer_reviewed"


def test_output_into_a_closed_pipe_is_no_fault(run: Run, tmp_path: Path, report: str) -> None:
    script = f'"{sys.executable}" -m dream_mcp claims report.md | true'
    env = {
        **os.environ,
        "DREAM_STORE": str(tmp_path / "pipe.sqlite3"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "server"), str(ROOT / "evaluators")]),
    }
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, env=env, cwd=tmp_path, check=False
    )
    assert "Traceback" not in done.stderr


def test_the_version_is_told(run: Run, tmp_path: Path) -> None:
    assert run("--version").stdout.startswith("dream-mcp ")


def test_a_store_without_write_permission_is_an_error(
    run: Run, tmp_path: Path, report: str
) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    done = run("evaluate", report, env={"DREAM_STORE": str(folder / "x.sqlite3")})
    assert done.returncode == 2


def test_an_audit_exits_1_while_something_is_badly_wrong(run: Run, tmp_path: Path) -> None:
    draft = tmp_path / "draft.md"
    listed = "\n## References\n\n[1] Rain: https://rain.test/\n"
    draft.write_text(f"Rain fell on 12% of days [7]. It cost 5 million in 2024 [1].\n{listed}")
    first = run("audit", "draft.md", "--no-links")
    assert first.returncode == 1
    assert "dangling_marker" in first.stdout
    previous = re.search(r"--previous (\S+)", first.stderr)
    assert previous is not None
    draft.write_text(f"Rain fell on 12% of days [1]. It cost 5 million in 2024 [1].\n{listed}")
    second = run("audit", "draft.md", "--no-links", "--previous", previous[1])
    assert second.returncode == 0
    assert "fixed: high dangling_marker" in second.stdout
    card = json.loads(run("audit", "draft.md", "--no-links", "--json").stdout)
    assert card["stats"]["cited"] == 2


def test_doctor_says_what_is_missing_and_what_that_costs(run: Run, tmp_path: Path) -> None:
    done = run("doctor")
    assert done.returncode == 0
    assert "missing  judge: no ANTHROPIC_API_KEY" in done.stdout
    assert "off      network" in done.stdout
    checks = json.loads(run("doctor", "--json", env={"ANTHROPIC_API_KEY": "sk-x"}).stdout)
    assert checks["judge"]["state"] == "ok"
    assert "sk-x" not in json.dumps(checks)


def test_doctor_tries_the_model_of_inference(run: Run, tmp_path: Path) -> None:
    assert "off      inference" in run("doctor").stdout
    model = write_model(tmp_path / "nli")
    env = {"DREAM_NLI": str(model), "DREAM_NLI_SHA256": "0" * 64}
    wrong = json.loads(run("doctor", "--json", env=env).stdout)["inference"]
    assert (wrong["state"], "hash" in wrong["says"]) == ("missing", True)
    env["DREAM_NLI_SHA256"] = hashlib.sha256(model.read_bytes()).hexdigest()
    tried = json.loads(run("doctor", "--json", env=env).stdout)["inference"]
    if importlib.util.find_spec("onnxruntime"):  # the model of the tests knows no word of the probe
        assert "does not find that a sentence follows from itself" in tried["says"]
    else:
        assert "pip install 'dream-mcp[nli]'" in tried["says"]


def test_evaluating_with_a_model_of_inference_names_it(
    run: Run, report: str, tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `nli` is not installed")
    model = write_model(tmp_path / "nli")
    env = {
        "DREAM_NLI": str(model),
        "DREAM_NLI_SHA256": hashlib.sha256(model.read_bytes()).hexdigest(),
    }
    pack = str(ROOT / "examples" / "pack.zip")
    example = str(ROOT / "examples" / "report.md")
    done = run("evaluate", example, "--pack", pack, "--judge", "offline", "--json", env=env)
    assert "+nli:" in json.loads(done.stdout)["scores"]["CF"]["judge"], done.stderr


def test_doctor_finds_a_damaged_store(run: Run, report: str, tmp_path: Path) -> None:
    assert run("claims", report).returncode == 0
    with closing(sqlite3.connect(tmp_path / "commands.sqlite3")) as store, store:
        store.execute("update body set content = x'00'")
    done = run("doctor")
    assert done.returncode == 1
    assert "damaged" in done.stdout


def test_imported_ratings_stand_beside_ours(run: Run, tmp_path: Path) -> None:
    (tmp_path / "raters.csv").write_text("domain,score\nnature.com,1\n", encoding="utf-8")
    ours = json.loads(run("authority", "https://www.nature.com/x", "--json").stdout)
    told = run("ratings", "import", "raters.csv", "--date", "2026-01-31", "--scale", "1:5")
    assert told.stdout.startswith("raters (2026-01-31): 1 domains")
    blended = json.loads(run("authority", "https://www.nature.com/x", "--json").stdout)
    rated = blended["results"][0]
    assert rated["ratings"] == [{"list_name": "raters", "value": 0.0, "date": "2026-01-31"}]
    assert rated["score"] < ours["results"][0]["score"]
    assert rated["disagreement"] > 30
    assert "raters" in run("ratings", "list").stdout
    assert run("ratings", "remove", "raters").returncode == 0
    assert json.loads(run("authority", "https://www.nature.com/x", "--json").stdout) == ours


def test_a_registry_of_ones_own_comes_first(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text("our-institute.org\tthinktank\n", encoding="utf-8")
    assert "1 entries" in run("ratings", "registry", "own.tsv").stdout
    card = json.loads(run("authority", "https://our-institute.org/x", "--json").stdout)
    assert card["results"][0]["class"] == "thinktank"


@pytest.mark.parametrize(
    ("content", "arguments", "says"),
    [
        ("domain,score\nx.org,1\n", ["--date", "2026-01-31"], "scale"),
        ("domain,score\nx.org,1\n", ["--date", "soon", "--scale", "0:1"], "date"),
        ("domain,score\nx.org,9\n", ["--date", "2026-01-31", "--scale", "0:1"], "scale"),
        ("domain,score\nx.org,1\n", ["--date", "2026-01-31", "--scale", "one"], "WORST:BEST"),
        ("nothing", ["--date", "2026-01-31", "--scale", "0:1"], ""),
    ],
)
def test_a_list_that_cannot_be_read_is_not_stored(
    run: Run, tmp_path: Path, content: str, arguments: list[str], says: str
) -> None:
    (tmp_path / "raters.csv").write_text(content, encoding="utf-8")
    done = run("ratings", "import", "raters.csv", *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert run("ratings", "list").stdout == ""


def test_forgetting_a_list_that_is_not_there_is_said(run: Run) -> None:
    assert "ratings list" in run("ratings", "remove", "none").stderr


def test_the_coloured_view_is_written_whole(run: Run, report: str, tmp_path: Path) -> None:
    assert run("claims", report, "--html", "view.html").stdout == "view.html\n"
    assert "Rain fell on 12 days" in (tmp_path / "view.html").read_text(encoding="utf-8")
    assert run("claims", report, "--html", "none/view.html").returncode == 2


def test_an_order_says_how_to_hand_it_in_and_what_remains(run: Run, tmp_path: Path) -> None:
    example = str(ROOT / "examples" / "report.md")
    pack = str(ROOT / "examples" / "pack.zip")
    done = run("evaluate", example, "--pack", pack, "--judge", "agent", "--effort", "full")
    [short] = re.findall(r"dream-mcp work (\S+)", done.stderr)
    printed = run("work", short, "--limit", "1")
    assert re.search(r"\d+ work orders are open \(about \d+ minutes\)\.", printed.stderr)
    assert 'Write [{"id": "w1", "answer"' in printed.stderr
    (tmp_path / "none.json").write_text("[]", encoding="utf-8")
    handed = run("answer", short, "none.json", "--by", "m")
    assert f"Print the next with: dream-mcp work {short}" in handed.stderr
    assert "submit_answers" not in handed.stderr
