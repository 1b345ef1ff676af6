"""Every tool's schemas and texts are such that strict hosts take them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import Connect

pytestmark = pytest.mark.anyio
FORBIDDEN = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "$schema"}
TOOLS = {
    "open_report",
    "extract_claims",
    "audit_report",
    "evaluate_report",
    "get_evaluation",
    "get_work_orders",
    "submit_answers",
    "check_citation",
    "score_domain_authority",
    "fetch_source",
}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


async def test_the_tools_of_the_contract_are_listed(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS


async def test_no_schema_holds_references_unions_or_null(connect: Connect) -> None:
    async with connect() as client:
        for tool in (await client.list_tools()).tools:
            for schema in (tool.input_schema, tool.output_schema):
                for node in nodes(schema):
                    assert not FORBIDDEN & node.keys(), (tool.name, node)
                    assert not isinstance(node.get("type"), list), (tool.name, node)
                    assert node.get("type") != "null", (tool.name, node)


async def test_every_object_with_fields_is_closed(connect: Connect) -> None:
    async with connect() as client:
        for tool in (await client.list_tools()).tools:
            for schema in (tool.input_schema, tool.output_schema):
                for node in nodes(schema):
                    if "properties" in node and node.get("type") == "object":
                        assert node["additionalProperties"] is False, (tool.name, node)


async def test_every_parameter_is_described(connect: Connect) -> None:
    async with connect() as client:
        for tool in (await client.list_tools()).tools:
            for name, parameter in tool.input_schema["properties"].items():
                assert parameter.get("description"), (tool.name, name)


async def test_descriptions_are_short_and_tools_annotated(connect: Connect) -> None:
    async with connect() as client:
        assert len(client.instructions or "") < 1_500
        for tool in (await client.list_tools()).tools:
            assert 100 < len(tool.description or "") < 1_500
            assert tool.title
            assert tool.annotations is not None
            assert tool.annotations.idempotent_hint is True


async def test_the_list_of_tools_is_small_enough_to_read(connect: Connect) -> None:
    async with connect() as client:
        tools = (await client.list_tools()).tools
        inputs = sum(len(json.dumps(t.input_schema)) + len(t.description or "") for t in tools)
        assert inputs < 20_000
