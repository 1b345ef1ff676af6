"""Parameters that several tools take, described once."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

ReportId = Annotated[str, Field(description="Id from open_report. Or give report or report_path.")]
ReportText = Annotated[str, Field(description="The report as text (Markdown), whole.")]
ReportPath = Annotated[str, Field(description="A report file below an allowed folder.")]
Query = Annotated[str, Field(description="The question that the report answers.")]
Sources = Annotated[
    list[dict[str, Any]],
    Field(
        description="What the report's author read, one object {marker, url, text, retrieved_at} "
        "each: resolves markers such as turn0search3 and saves fetching."
    ),
]
JudgeName = Annotated[
    Literal["auto", "anthropic", "host", "agent", "offline"],
    Field(
        description="Who judges. agent: you answer work orders. offline: no model, findings and "
        "an estimate. auto: the best that needs nothing from you."
    ),
]
EvaluationId = Annotated[str, Field(description="Id that an evaluating tool returned.")]
WaitSeconds = Annotated[
    float, Field(ge=0, le=45, description="Wait up to this many seconds for the result.")
]
EMPTY: list[Any] = []
