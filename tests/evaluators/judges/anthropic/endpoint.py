"""A Messages API on loopback that answers by a script: real HTTP, for the real SDK."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

KEY = "sk-test-0123456789abcdef"
MODEL = "claude-sonnet-5-5"
QUESTION = re.compile(r"^Question (q\d+)\n.*?^Claim: (.*?)$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Call:
    """One request as it came in."""

    number: int
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    path: str = "/v1/messages"

    @property
    def text(self) -> str:
        """What the user's turn says."""
        return "\n\n".join(block["text"] for block in self.body["messages"][0]["content"])

    @property
    def questions(self) -> dict[str, str]:
        """The claims asked about, by handle."""
        return dict(QUESTION.findall(self.text))


@dataclass(frozen=True)
class Act:
    """What the endpoint does: a status and a body; status 0 hangs up without a word."""

    status: int = 200
    body: Mapping[str, Any] | str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks_with: str = ""  # in a stream: the error event that ends it; "cut" ends it without one


Script = Callable[[Call], Act]
DROP = Act(status=0)
BATCHES = "/v1/messages/batches"
CREATED_AT = "2999-01-01T00:00:00Z"  # later than any clock of ours says
# What becomes of a request in a message batch that the endpoint never comes to.
UNDONE = {0: "expired", -1: "canceled"}


def verdict(handle: str, claim: str, **changed: Any) -> dict[str, Any]:
    """An entry that every check accepts."""
    fact = {"fact": claim, "quote": "", "relation": "absent"}
    plain = {"facts": [fact], "reasoning": "It says nothing.", "verdict": "unverifiable"}
    return {"question": handle, **plain, **changed}


def verdicts(call: Call, **changed: Any) -> str:
    """A complete answer to a call."""
    entries = [verdict(handle, claim, **changed) for handle, claim in call.questions.items()]
    return json.dumps({"verdicts": entries})


def message(
    text: str,
    stop: str | None = "end_turn",
    model: str = MODEL,
    usage: Mapping[str, int] | None = None,
) -> Act:
    """An answer with this text."""
    counted = {"input_tokens": 100, "output_tokens": 10, **(usage or {})}
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": counted,
    }
    return Act(body=body)


def failure(status: int, kind: str, words: str = "", code: str = "", **headers: str) -> Act:
    """An error as the API writes them; `retry_after="3"` sets Retry-After."""
    error: dict[str, Any] = {"type": kind, "message": words}
    if code:
        error["details"] = {"error_code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Act(status, {"type": "error", "error": error}, named)


def answer(call: Call) -> Act:
    """Answer every question of a call."""
    return message(verdicts(call))


def in_turn(*acts: Act | Script) -> Script:
    """The first act for the first call and so on; the last one stays."""
    left = list(acts)

    def script(call: Call) -> Act:
        act = left.pop(0) if len(left) > 1 else left[0]
        return act(call) if callable(act) else act

    return script


@dataclass
class BatchRoutes:
    """Message batches: the script answers each request as it is handed in, results come reversed.

    Attributes:
        closed: Whether there are none here.
        looks: How often a batch is looked at before it has ended.
        lost: How many of the next batches are taken without an answer.
        troubles: What the next calls meet, whatever they want.
        calls: The requests in all batches, as if each had come by itself.
    """

    closed: bool = False
    looks: int = 0
    lost: int = 0
    troubles: list[Act] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    looked: dict[str, int] = field(default_factory=dict)
    results: dict[str, list[str]] = field(default_factory=dict)

    def act(self, call: Call, script: Script) -> Act:
        """Take a batch, tell how it stands, or give its results."""
        if self.troubles:
            return self.troubles.pop(0)
        name, _, wanted = (
            call.path.partition("?")[0].removeprefix(BATCHES).strip("/").partition("/")
        )
        if self.closed or (name and name not in self.results):
            return failure(404, "not_found_error", "Not found")
        if not name:
            return self._take(call, script) if call.body else self._list()
        if wanted:
            return Act(body="\n".join(reversed(self.results[name])))
        self.looked[name] += 1
        return Act(body=self._batch(name))

    def _take(self, call: Call, script: Script) -> Act:
        name = f"msgbatch_{len(self.results) + 1}"
        self.looked[name], self.results[name] = 0, []
        for entry in call.body["requests"]:
            self.calls.append(Call(len(self.calls), call.headers, entry["params"]))
            result = _result(script(self.calls[-1]))
            line = {"custom_id": entry["custom_id"], "result": result}
            self.results[name].append(json.dumps(line))
        if self.lost:
            self.lost -= 1
            return DROP
        return Act(body=self._batch(name))

    def _list(self) -> Act:
        for name in self.results:
            self.looked[name] += 1
        return Act(body={"data": [self._batch(name) for name in reversed(self.results)]})

    def _batch(self, name: str) -> dict[str, Any]:
        ended = self.looked[name] > self.looks
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"succeeded" if ended else "processing": len(self.results[name])},
            "created_at": CREATED_AT,
            # Leads nowhere: the results are asked for where the batch was.
            "results_url": "http://a.test/",
        }


def _result(act: Act) -> dict[str, Any]:
    if act.status == 200:
        return {"type": "succeeded", "message": act.body}
    return {"type": UNDONE.get(act.status, "errored"), "error": act.body}


@dataclass
class Endpoint:
    """The server: its script, and what it was asked."""

    port: int = 0
    script: Script = answer
    calls: list[Call] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0
    held: asyncio.Event | None = None  # answers wait for it
    batches: BatchRoutes = field(default_factory=BatchRoutes)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection."""
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        with suppress(OSError, asyncio.IncompleteReadError):
            call = await _read(reader, len(self.calls))
            act = self._act(call)
            if self.held:
                await self.held.wait()
            writer.write(_stream(act) if call.body.get("stream") else _plain(act))
            await writer.drain()
        self.open_now -= 1
        writer.close()

    def _act(self, call: Call) -> Act:
        if call.path.startswith(BATCHES):
            return self.batches.act(call, self.script)
        self.calls.append(call)
        return self.script(call)


@asynccontextmanager
async def endpoint(script: Script = answer) -> AsyncIterator[Endpoint]:
    """Start an endpoint, and stop it whatever hangs."""
    started = Endpoint(script=script)
    server = await asyncio.start_server(started.serve, "127.0.0.1", 0)
    started.port = server.sockets[0].getsockname()[1]
    try:
        yield started
    finally:
        server.close()
        if started.held:
            started.held.set()
        await asyncio.wait_for(server.wait_closed(), 5)


async def _read(reader: asyncio.StreamReader, number: int) -> Call:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])
    }
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Call(number, headers, json.loads(body or "{}"), head[0].split()[1])


def _plain(act: Act) -> bytes:
    if not act.status:
        return b""
    body = act.body if isinstance(act.body, str) else json.dumps(act.body)
    return _head(act, "application/json", len(body.encode())) + body.encode()


def _stream(act: Act) -> bytes:
    if act.status != 200 or not isinstance(act.body, Mapping):
        return _plain(act)
    return _head(act, "text/event-stream") + b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in _events(act)
    )


def _events(act: Act) -> Sequence[dict[str, Any]]:
    assert isinstance(act.body, Mapping)
    text = act.body["content"][0]["text"]
    start = {**act.body, "content": [], "stop_reason": None}
    stop = {"stop_reason": act.body["stop_reason"], "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text},
        },
    ]
    if act.breaks_with == "cut":
        return events
    if act.breaks_with:
        error = {"type": act.breaks_with, "message": "busy"}
        events.append({"type": "error", "error": error})
        return events
    return [
        *events,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": act.body["usage"]},
        {"type": "message_stop"},
    ]


def _head(act: Act, media_type: str, length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {act.status} X", f"content-type: {media_type}", "connection: close"]
    lines += [f"{name}: {value}" for name, value in act.headers.items()]
    if length is not None:
        lines.append(f"content-length: {length}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
