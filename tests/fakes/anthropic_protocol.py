"""The Anthropic Messages API as it is documented: words -> events and bodies; what a request has to look like."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from tests.fakes.words import MODEL, Call, Fail, Nothing, Ping, Say, Script, Think, Tokens, end_of, tokens_of

PATH = "/v1/messages"
END = b'event: message_stop\ndata: {"type": "message_stop"}\n\n'
_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}
_ID = re.compile(r"^[a-zA-Z0-9_-]+$")


def events(script: Script) -> list[bytes]:
    tokens = tokens_of(script)
    found = [_event("message_start", message={**_message([], None), "usage": {**usage(tokens), "output_tokens": 1}})]
    writer = _Blocks(found)
    for word in script:
        match word:
            case Say(text, new_block):
                writer.text(text, new_block=new_block)
            case Nothing():
                writer.text("")
            case Ping():
                found.append(_event("ping"))
            case Think():
                writer.thought(word)
            case Call():
                writer.call(word)
            case Fail(message):
                found.append(_event("error", error={"type": "overloaded_error", "message": message}))
                return found
    writer.close()
    if (reason := end_of(script)) is not None:
        delta = {"stop_reason": _REASONS.get(reason, reason), "stop_sequence": None}
        found.append(_event("message_delta", delta=delta, usage={"output_tokens": tokens.output}))
        found.append(END)
    return found


class _Blocks:
    """Opens, fills and closes content blocks."""

    def __init__(self, found: list[bytes]) -> None:
        self._found = found
        self._index = -1
        self._kind = ""

    def open(self, block: dict[str, Any]) -> None:
        self.close()
        self._index += 1
        self._kind = block["type"]
        self._found.append(_event("content_block_start", index=self._index, content_block=block))

    def delta(self, delta: dict[str, Any]) -> None:
        self._found.append(_event("content_block_delta", index=self._index, delta=delta))

    def close(self) -> None:
        if self._kind:
            self._found.append(_event("content_block_stop", index=self._index))
        self._kind = ""

    def text(self, text: str, *, new_block: bool = False) -> None:
        if self._kind != "text" or new_block:
            self.open({"type": "text", "text": ""})
        self.delta({"type": "text_delta", "text": text})

    def thought(self, word: Think) -> None:
        if word.hidden:
            self.open({"type": "redacted_thinking", "data": word.signature})
            return
        self.open({"type": "thinking", "thinking": "", "signature": ""})
        self.delta({"type": "thinking_delta", "thinking": word.text})
        self.delta({"type": "signature_delta", "signature": word.signature})

    def call(self, word: Call) -> None:
        self.open({"type": "tool_use", "id": word.id, "name": word.name, "input": {}})
        self.delta({"type": "input_json_delta", "partial_json": ""})
        for piece in word.pieces:
            self.delta({"type": "input_json_delta", "partial_json": piece})


def body(script: Script) -> bytes:
    blocks: list[dict[str, Any]] = []
    for word in script:
        match word:
            case Say(text, new_block):
                if blocks and blocks[-1]["type"] == "text" and not new_block:
                    blocks[-1]["text"] += text
                else:
                    blocks.append({"type": "text", "text": text})
            case Think(text, signature, hidden):
                known = {"type": "thinking", "thinking": text, "signature": signature}
                blocks.append({"type": "redacted_thinking", "data": signature} if hidden else known)
            case Call():
                try:
                    given = json.loads(word.arguments or "{}")
                except ValueError:  # in a whole answer the wire itself would be broken
                    return b'{"type": "message", "content": [{"type": "tool_use", "input": ' + word.arguments.encode()
                blocks.append({"type": "tool_use", "id": word.id, "name": word.name, "input": given})
    reason = end_of(script) or "stop"
    whole = _message(blocks, _REASONS.get(reason, reason))
    return json.dumps({**whole, "usage": usage(tokens_of(script))}).encode()


def usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "input_tokens": tokens.input - tokens.cached - tokens.written,
        "cache_creation_input_tokens": tokens.written,
        "cache_read_input_tokens": tokens.cached,
        "output_tokens": tokens.output,
        "service_tier": "standard",
    }


def error(status: int, message: str, kind: str = "") -> bytes:
    types = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 413: "request_too_large"}
    types |= {429: "rate_limit_error", 400: "invalid_request_error", 529: "overloaded_error"}
    sentences = {
        "context": "prompt is too long: 215001 tokens > 200000 maximum",
        "filter": "Output blocked by content filtering policy",
    }
    told = {"type": types.get(status, "api_error"), "message": sentences.get(kind, message)}
    return json.dumps({"type": "error", "error": told, "request_id": "req_1"}).encode()


def complaint(path: str, headers: dict[str, str], request: dict[str, Any]) -> str:
    """Return what the documented API would refuse a request for, empty for a good one."""
    if path.partition("?")[0] != PATH:
        return "Not Found"
    if not headers.get("x-api-key"):
        return "x-api-key header is required"
    if headers.get("anthropic-version") != "2023-06-01":
        return "anthropic-version: header is required"
    if not isinstance(request.get("max_tokens"), int) or not request.get("messages"):
        return "max_tokens: Field required"
    roles = [message["role"] for message in request["messages"]]
    if set(roles) - {"user", "assistant"} or roles[0] != "user" or any(a == b for a, b in pairwise(roles)):
        return "messages: roles must alternate between user and assistant, beginning with user"
    if roles[-1] != "user":
        return "This model does not support assistant message prefill"
    return _blocks_complaint(request["messages"]) or _marks_complaint(request)


def _blocks_complaint(messages: list[dict[str, Any]]) -> str:
    seen: set[str] = set()
    wanted: set[str] = set()
    for message in messages:
        given: set[str] = set()
        calls: set[str] = set()
        for block in message["content"]:
            if block["type"] == "text" and not block["text"].strip():
                return "messages: text content blocks must contain non-whitespace text"
            if block["type"] == "tool_use":
                if not _ID.match(block["id"]) or block["id"] in seen:
                    return "messages: `tool_use` ids must be unique"
                seen.add(block["id"])
                calls.add(block["id"])
            if block["type"] == "tool_result":
                given.add(block["tool_use_id"])
        if given - wanted:
            return "unexpected `tool_use_id` found in `tool_result` blocks"
        if wanted - given:
            return "`tool_use` ids were found without `tool_result` blocks immediately after"
        wanted = calls
    return ""


def _marks_complaint(request: dict[str, Any]) -> str:
    blocks = [*request.get("tools", ()), *request.get("system", ())]
    for message in request["messages"]:
        blocks += message["content"]
    marks = sum("cache_control" in block for block in blocks)
    return "A maximum of 4 blocks with cache_control may be provided" if marks > 4 else ""


def _message(content: list[dict[str, Any]], reason: str | None) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
    }


def _event(kind: str, **fields: Any) -> bytes:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False).encode()
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"
