"""Chat completions as OpenAI documents them: words -> events and bodies; what a request has to look like."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.words import MODEL, Call, End, Fail, Nothing, Ping, Say, Script, Think, Tokens, end_of, tokens_of

PATH = "/v1/chat/completions"
END = b"data: [DONE]\n\n"
_REASONS = {"stop": "stop", "tool_calls": "tool_calls", "length": "length", "content_filter": "content_filter"}


def events(script: Script) -> list[bytes]:
    found = [_delta({"role": "assistant", "content": ""})]
    calls = 0
    for word in script:
        match word:
            case Say(text):
                found.append(_delta({"content": text}))
            case Think(text):
                found.append(_delta({"reasoning_content": text}))
            case Nothing():
                found.append(_delta({"content": ""}))
            case Ping():
                found.append(b": keep-alive\n\n")
            case Call(id=call_id, name=name, pieces=parts):
                head = {"index": calls, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
                found.append(_delta({"tool_calls": [head]}))
                found += [_delta({"tool_calls": [{"index": calls, "function": {"arguments": one}}]}) for one in parts]
                calls += 1
            case Fail(message):
                found.append(_event({"error": {"message": message, "type": "server_error", "code": None}}))
                return found
    if (reason := end_of(script)) is not None:
        found.append(_delta({}, _REASONS.get(reason, reason)))
        found.append(_event({**_HEAD, "choices": [], "usage": usage(tokens_of(script))}))
        found.append(END)
    return found


def body(script: Script) -> bytes:
    text = "".join(one.text for one in script if isinstance(one, Say))
    calls = [
        {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
        for one in script
        if isinstance(one, Call)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": None}
    if calls:
        message["tool_calls"] = calls
    reason = end_of(script) or "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _REASONS.get(reason, reason)}
    whole = {**_HEAD, "object": "chat.completion", "choices": [choice], "usage": usage(tokens_of(script))}
    return json.dumps(whole).encode()


def usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": tokens.thoughts},
    }


def error(status: int, message: str, kind: str = "") -> bytes:
    codes = {"context": "context_length_exceeded", "filter": "content_filter"}
    error_type = "invalid_request_error" if status < 500 else "server_error"
    return json.dumps(
        {"error": {"message": message, "type": error_type, "param": None, "code": codes.get(kind)}}
    ).encode()


def complaint(path: str, headers: dict[str, str], request: dict[str, Any]) -> str:
    """Return what the documented API would refuse a request for, empty for a good one."""
    if path.partition("?")[0] != PATH:
        return f"Unknown request URL: POST {path}"
    if not headers.get("authorization", "").startswith("Bearer "):
        return "You didn't provide an API key"
    if not isinstance(request.get("model"), str) or not request.get("messages"):
        return "you must provide a model parameter and messages"
    open_calls: set[str] = set()
    for message in request["messages"]:
        if open_calls and message["role"] != "tool":
            return "An assistant message with 'tool_calls' must be followed by tool messages"
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            open_calls.discard(message["tool_call_id"])
        open_calls |= {call["id"] for call in message.get("tool_calls", ())}
    return ""


_HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_790_000_000, "model": MODEL}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def _delta(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _event({**_HEAD, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]})


__all__ = ["End", "body", "complaint", "error", "events"]
