"""The host rung: the client lends its model, in whichever way its protocol version allows.

Open work orders become sampling requests, all of a round at once. A 2026-07-28 client gets them in
one InputRequiredResult and calls the tool again with the answers; an older one is asked directly.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import anyio
from mcp import MCPError
from mcp.server.mcpserver import Context
from mcp.shared.message import ServerMessageMetadata
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
    Tool,
    ToolChoice,
    ToolUseContent,
)

from dream_evaluators.ledger.evaluations import EvaluationStatus

if TYPE_CHECKING:
    from dream_evaluators.judges.orders import WorkOrder

    from .app import App
    from .drive import Evaluation

logger = logging.getLogger(__name__)
MODERN = "2026"  # protocol versions are dates
# Questions, re-asks, and what re-asks open: hosts stop a tool after ten rounds.
MOST_ROUNDS = 4
ORDERS_A_ROUND = 20
ANSWER_TOKENS = 8_000
ANSWER_SECONDS = 40.0
TOOL_NAME = "submit_verdicts"
FORM = "Answer with the JSON object alone, by this schema:"


def lending_client(ctx: Context[Any, Any]) -> str:
    """The name of the client when it lends its model; "" when it does not."""
    capabilities = ctx.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        return ""
    if not _modern(ctx) and not ctx.session.can_send_request:
        return ""
    parameters = ctx.session.client_params
    return (parameters.client_info.name if parameters else "") or "client"


async def ask_host(
    ctx: Context[Any, Any], app: App, view: Evaluation, wait_seconds: float
) -> Evaluation | InputRequiredResult:
    """Have the client's model answer what is open, as far as it can be asked in this call.

    Returns:
        The evaluation as it then stands, or the questions that the client answers before it calls
        the tool again.
    """
    if view.request.judge != "host":
        return view
    if _modern(ctx) and ctx.input_responses:
        view = await _take(app, view, dict(ctx.input_responses), wait_seconds)
    for _ in range(MOST_ROUNDS):
        if view.status is not EvaluationStatus.NEEDS_WORK:
            return view
        orders, _ = await app.driver.orders.write_out(view.id, ORDERS_A_ROUND)
        requests = {order.id: _request(ctx, order) for order in orders}
        if _modern(ctx):
            return InputRequiredResult(input_requests=requests, request_state=view.id)
        answers = await _ask_now(ctx, requests)
        if not answers:
            return view
        view = await _take(app, view, answers, wait_seconds)
    return view


async def _take(
    app: App, view: Evaluation, responses: Mapping[str, Any], wait_seconds: float
) -> Evaluation:
    """Record what the model said and go on with the evaluation."""
    answers = [{"id": order, "answer": _answer(said)} for order, said in responses.items()]
    receipt = await app.driver.orders.submit(view.id, answers, view.request.judge_name)
    for refused in receipt.rejected:
        logger.warning("the client's answer to %s was refused: %s", refused.id, refused.reason)

    async def silent(_: float) -> None:
        return None

    return await app.work(view.id, wait_seconds, silent, again=True)


async def _ask_now(
    ctx: Context[Any, Any], requests: Mapping[str, CreateMessageRequest]
) -> dict[str, Any]:
    """Send all requests of a round; a client's refusal leaves its question open."""
    answers: dict[str, Any] = {}
    with_tools = _takes_tools(ctx)

    async def one(order: str, request: CreateMessageRequest) -> None:
        result_type = CreateMessageResultWithTools if with_tools else CreateMessageResult
        metadata = ServerMessageMetadata(related_request_id=ctx.request_id)
        try:
            answers[order] = await ctx.session.send_request(request, result_type, metadata=metadata)
        except MCPError as error:
            logger.warning("the client did not answer %s: %s", order, error)

    # No call over 50 seconds: what is not answered by then stays open, the next call goes on.
    with anyio.move_on_after(ANSWER_SECONDS):
        async with anyio.create_task_group() as group:
            for order, request in requests.items():
                group.start_soon(one, order, request)
    return answers


def _request(ctx: Context[Any, Any], order: WorkOrder) -> CreateMessageRequest:
    """Put an order to the client's model; with tools its answer has the schema's shape."""
    schema = dict(order.answer_schema)
    form = "" if _takes_tools(ctx) else f"\n\n{FORM} {json.dumps(schema, ensure_ascii=False)}"
    message = SamplingMessage(
        role="user", content=TextContent(type="text", text=order.prompt + form)
    )
    if not _takes_tools(ctx):
        parameters = CreateMessageRequestParams(messages=[message], max_tokens=ANSWER_TOKENS)
        return CreateMessageRequest(params=parameters)
    tool = Tool(name=TOOL_NAME, description="Hand in the verdicts.", input_schema=schema)
    return CreateMessageRequest(
        params=CreateMessageRequestParams(
            messages=[message],
            max_tokens=ANSWER_TOKENS,
            tools=[tool],
            tool_choice=ToolChoice(mode="required"),
        )
    )


def _answer(said: Any) -> Any:
    """What a model said, as an answer to be checked: a tool's input, else the JSON in its text."""
    content = getattr(said, "content", None)
    parts: Sequence[Any] = content if isinstance(content, list) else [content]
    for part in parts:
        if isinstance(part, ToolUseContent):
            return part.input
    text = "".join(part.text for part in parts if isinstance(part, TextContent))
    from dream_evaluators.judges.parsing import Unreadable, read_object  # noqa: PLC0415 - start-up

    try:
        return read_object(text, _verdicts)
    except Unreadable as error:
        return f"unreadable: {error}"


def _verdicts(value: Any) -> Any:
    from dream_evaluators.judges.parsing import Unreadable  # noqa: PLC0415 - start-up

    if isinstance(value, dict) and isinstance(value.get("verdicts"), list):
        return value
    raise Unreadable("it holds no list of verdicts")


def _takes_tools(ctx: Context[Any, Any]) -> bool:
    capabilities = ctx.client_capabilities
    return bool(capabilities and capabilities.sampling and capabilities.sampling.tools)


def _modern(ctx: Context[Any, Any]) -> bool:
    return (ctx.protocol_version or "") >= MODERN
