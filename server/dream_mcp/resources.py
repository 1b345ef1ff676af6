"""What a client can read besides calling tools: a whole evaluation as JSON."""

from __future__ import annotations

import json
from typing import Any

from mcp.server.mcpserver import Context, MCPServer

from dream_evaluators.model.stored import as_plain

from .strict import clean
from .tools.results import app_of

EVALUATION = "dream://evaluations/{evaluation}"


def register(server: MCPServer[Any]) -> None:
    """Offer the records that the tools' results point to."""

    @server.resource(
        EVALUATION,
        name="evaluation",
        title="An evaluation",
        description="The whole scorecard of an evaluation: scores, verdicts, findings, sources.",
        mime_type="application/json",
    )
    async def read_evaluation(evaluation: str, context: Context[Any, Any]) -> str:
        view = await app_of(context).driver.get(evaluation)
        record = {
            "evaluation_id": view.id,
            "status": view.status.value,
            "message": view.message,
            "scorecard": as_plain(view.scorecard) if view.scorecard else None,
        }
        return json.dumps(clean(record), ensure_ascii=False)
