"""The tools, called as a client calls them, on the example report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from dream_mcp.app import build
from dream_mcp.settings import Settings

from .conftest import ROOT, Connect

pytestmark = pytest.mark.anyio
REPORT = """# Rain

Rain fell on 12 days [1]. Storms cost 45% more in 2024 than in 2023.

## References

[1] Rain: https://rain.test/days
"""
PAGE = "In March rain fell on twelve days. Storms were not counted."


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    card: dict[str, Any] | None = answer.structured_content
    assert card is not None
    return card


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.structured_content
    text: str = answer.content[0].text  # type: ignore[union-attr]
    assert "pydantic" not in text
    assert str(ROOT) not in text
    return text


async def test_a_report_is_opened_once_and_then_named(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        opened = await call(client, "open_report", report=REPORT, query="How much rain?")
        assert opened["stats"]["cited"] == 1
        claims = await call(client, "extract_claims", report_id=opened["report_id"])
        first = claims["statements"][0]
        assert first["citations"][0]["url"] == "https://rain.test/days"
        assert REPORT[first["start"] : first["end"]] == first["text"]


async def test_claims_come_in_pages(connect: Connect) -> None:
    async with connect() as client:
        one = await call(client, "extract_claims", report=REPORT, limit=1)
        two = await call(
            client, "extract_claims", report=REPORT, limit=1, cursor=one["next_cursor"]
        )
        assert one["statements"][0]["id"] != two["statements"][0]["id"]
        assert "cursor" in await refused(client, "extract_claims", report=REPORT, cursor="nonsense")


async def test_an_offline_evaluation_scores_what_needs_no_reading(
    connect: Connect, mode: str
) -> None:
    async with connect(mode) as client:
        card = await call(client, "evaluate_report", report=REPORT)
        assert card["status"] == "complete"
        assert card["scores"]["CA"]["value"] == 50.0
        assert card["scores"]["CF"] == {
            **card["scores"]["CF"],
            "status": "unscored",
            "reason": "source_unreachable",
        }
        assert "value" not in card["scores"]["CF"]
        assert not [f for f in card["top_findings"] if f["kind"] == "dead_source"]


async def test_asking_twice_gives_the_same_evaluation(connect: Connect) -> None:
    async with connect() as client:
        one = await call(client, "evaluate_report", report=REPORT)
        two = await call(client, "evaluate_report", report=REPORT)
        anew = await call(client, "evaluate_report", report=REPORT, fresh=True)
        assert one == two
        assert anew["evaluation_id"] != one["evaluation_id"]
        assert anew["scores"] == one["scores"]


async def test_the_calling_agent_judges_by_work_orders(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        card = await call(
            client, "check_citation", claim="Rain fell on 12 days.", source_text=PAGE, judge="agent"
        )
        assert card["status"] == "needs_work"
        order = card["work_orders"][0]
        assert PAGE in order["prompt"]
        verdict = {
            "question": order["questions"][0],
            "facts": [
                {
                    "fact": "rain on 12 days",
                    "quote": "In March rain fell on twelve days.",
                    "relation": "supported",
                }
            ],
            "reasoning": "Twelve is 12.",
            "verdict": "full_support",
        }
        done = await call(
            client,
            "submit_answers",
            evaluation_id=card["evaluation_id"],
            answers=[{"id": order["id"], "answer": {"verdicts": [verdict]}}],
            answered_by="test-model",
        )
        assert done["status"] == "complete"
        assert done["accepted"] == order["questions"]
        assert done["scores"]["CF"]["value"] == 100.0
        again = await call(
            client, "check_citation", claim="Rain fell on 12 days.", source_text=PAGE, judge="agent"
        )
        assert again["verdict"]["label"] == "full_support"
        assert again["verdict"]["judge"] == "agent:test-model"
        assert again["verdict"]["evidence"][0]["quote"] in PAGE


async def test_a_bad_answer_is_refused_with_its_path_and_stays_open(connect: Connect) -> None:
    async with connect() as client:
        card = await call(
            client, "check_citation", claim="Rain fell.", source_text=PAGE, judge="agent"
        )
        sent = await call(
            client,
            "submit_answers",
            evaluation_id=card["evaluation_id"],
            answers=[
                {"id": "w1", "answer": {"verdicts": [{"question": "q1", "verdict": "maybe"}]}}
            ],
        )
        assert sent["accepted"] == []
        assert "verdicts.0.facts" in sent["rejected"][0]["reason"]
        assert sent["remaining"]["orders"] == 1


async def test_an_ungrounded_quote_earns_one_re_ask_that_names_it(connect: Connect) -> None:
    async with connect() as client:
        card = await call(
            client, "check_citation", claim="Rain fell.", source_text=PAGE, judge="agent"
        )
        fact = {"fact": "rain fell", "quote": "It poured all spring.", "relation": "supported"}
        wrong = {"facts": [fact], "reasoning": "So it says.", "verdict": "full_support"}
        one = await call(
            client,
            "submit_answers",
            evaluation_id=card["evaluation_id"],
            answers=[{"id": "q1", "answer": json.dumps(wrong)}],
        )
        assert one["status"] == "needs_work"
        assert "It poured all spring." in one["work_orders"][0]["prompt"]
        two = await call(
            client,
            "submit_answers",
            evaluation_id=card["evaluation_id"],
            answers=[{"id": one["work_orders"][0]["id"], "answer": wrong}],
        )
        assert two["status"] == "complete"
        assert two["scores"]["CF"]["reason"] == "judge_failed"


async def test_the_offline_judge_abstains_or_says_so(connect: Connect) -> None:
    async with connect() as client:
        card = await call(client, "check_citation", claim="Rain fell.", source_text=PAGE)
        assert card["verdict"]["judge"].startswith("offline:")
        assert card["verdict"]["label"] != "contradict"
        assert "judge='agent'" in card["next"]


async def test_details_open_the_numbers(connect: Connect) -> None:
    async with connect() as client:
        card = await call(client, "evaluate_report", report=REPORT)
        sources = await call(
            client, "get_evaluation", evaluation_id=card["evaluation_id"], detail="sources"
        )
        assert sources["sources"][0]["url"] == "https://rain.test/days"
        findings = await call(
            client,
            "get_evaluation",
            evaluation_id=card["evaluation_id"],
            detail="findings",
            limit=1,
        )
        assert findings["findings"][0]["id"] == "f1"
        judged = await call(
            client, "get_evaluation", evaluation_id=card["evaluation_id"], detail="statements"
        )
        assert judged["statements"][0]["pairs"][0]["label"] == "source_unknown"


async def test_an_audit_tells_what_a_new_draft_changed(connect: Connect) -> None:
    async with connect() as client:
        first = await call(client, "audit_report", report=REPORT)
        assert any(f["kind"] == "uncited_claim" for f in first["findings"])
        mended = REPORT.replace("in 2023.", "in 2023 [1].")
        second = await call(
            client, "audit_report", report=mended, previous_report_id=first["report_id"]
        )
        assert second["changed"]["kept"] == 2
        assert any("uncited_claim" in line for line in second["changed"]["fixed_findings"])


async def test_authority_of_unknown_names_is_no_number(connect: Connect) -> None:
    async with connect() as client:
        card = await call(
            client,
            "score_domain_authority",
            urls='["https://www.nature.com/articles/x", "https://nobody-knows-this.example.net/"]',
        )
        known, unknown = card["results"]
        assert known["class"] == "peer_reviewed"
        assert "score" not in unknown
        assert card["coverage"] == 0.5


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("open_report", {}, "Give one of"),
        ("open_report", {"report": "   \n"}, "empty"),
        ("open_report", {"report": "x\x00y" * 100}, "binary"),
        ("open_report", {"report": "word " * 1_100_000}, "MB are the limit"),
        ("open_report", {"report_path": "/etc/passwd"}, "outside"),
        ("open_report", {"report_path": "../../etc/passwd"}, "outside"),
        ("open_report", {"reprt": "x"}, "Did you mean 'report'"),
        ("open_report", {"report": "x", "sources": [{"marker": "1"}]}, "needs a url"),
        ("evaluate_report", {"report": REPORT, "metrics": ["XX"]}, "is no metric"),
        ("evaluate_report", {"report": REPORT, "metrics": ["WQ"]}, "not part of this version"),
        ("evaluate_report", {"report": REPORT, "as_of": "yesterday"}, "date"),
        ("evaluate_report", {"report": REPORT, "samples": 3}, "samples"),
        ("evaluate_report", {"report": REPORT, "protocol_id": "b2:0"}, "protocol_id"),
        ("evaluate_report", {"report": REPORT, "judge": "host"}, "'agent'"),
        ("evaluate_report", {"report_id": "b2:unknown"}, "open_report"),
        ("evaluate_report", {"report": REPORT, "wait_seconds": 900}, "wait_seconds"),
        ("get_evaluation", {"evaluation_id": "b2:none"}, "No evaluation"),
        ("get_work_orders", {"evaluation_id": "b2:none"}, "No evaluation"),
        ("submit_answers", {"evaluation_id": "b2:none", "answers": [{}]}, "No evaluation"),
        ("check_citation", {"claim": " "}, "claim"),
        ("check_citation", {"claim": "x"}, "source_text"),
        ("score_domain_authority", {"urls": []}, "1 to 50"),
    ],
)
async def test_bad_input_gets_an_error_that_says_what_to_do(
    connect: Connect, tool: str, arguments: dict[str, Any], says: str
) -> None:
    async with connect() as client:
        assert says in await refused(client, tool, **arguments)


async def test_missing_and_broken_files_are_named(connect: Connect, tmp_path: Path) -> None:
    broken = tmp_path / "pack.zip"
    broken.write_bytes(b"PK\x03\x04 not a zip")
    async with connect() as client:
        missing = str(tmp_path / "none.md")
        assert "none.md" in await refused(client, "open_report", report_path=missing)
        text = await refused(client, "evaluate_report", report=REPORT, evidence_pack=str(broken))
        assert "pack.zip" in text


async def test_free_text_that_looks_like_json_arrives_as_it_is(connect: Connect) -> None:
    async with connect() as client:
        for text in ("null", "[1,2]", '{"a": 1}'):
            opened = await call(client, "open_report", report=text)
            claims = await call(client, "extract_claims", report_id=opened["report_id"])
            assert claims["report_id"] == opened["report_id"]


async def test_surrogates_and_control_characters_do_not_break_a_result(connect: Connect) -> None:
    async with connect() as client:
        report = "A claim of 5 % \u202e\u0007 here [1].\n\n[1]: https://a.test/\ud800x"
        card = await call(
            client, "extract_claims", report=report.encode("utf-8", "replace").decode()
        )
        assert card["stats"]["statements"] >= 1


async def test_what_a_result_links_to_can_be_read(tmp_path: Path) -> None:
    env = {"DREAM_STORE": str(tmp_path / "links.sqlite3"), "DREAM_OFFLINE": "1"}
    async with Client(build(Settings.from_env(env), env)) as client:
        done = await client.call_tool("audit_report", {"report": "Rain fell on 12 days."})
        [link] = [part for part in done.content if part.type == "resource_link"]
        [read] = (await client.read_resource(link.uri)).contents
        record = json.loads(read.text)  # type: ignore[union-attr]
        assert str(link.uri).endswith(record["evaluation_id"])
        assert record["scorecard"]["scores"]["CA"]["value"] == 0.0
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == ["dream://evaluations/{evaluation}"]
