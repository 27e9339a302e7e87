"""The Gemini API as it is documented: words -> events and bodies; what a request has to look like."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.fakes.words import MODEL, Call, Fail, Nothing, Ping, Say, Script, Think, Tokens, end_of, tokens_of

PATH = re.compile(r"^/v1beta/models/[^/:]+:(generateContent|streamGenerateContent\?alt=sse)([?&]|$)")
END = b""
_REASONS = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


def events(script: Script) -> list[bytes]:
    tokens = tokens_of(script)
    found: list[bytes] = []
    for word in script:
        match word:
            case Say() | Think() | Nothing() | Call():
                found.append(_event(_chunk(_parts(word), None, tokens)))
            case Ping():
                found.append(b": ping\r\n\r\n")
            case Fail(message):
                found.append(_event({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}}))
                return found
    if (reason := end_of(script)) is not None:
        found.append(_event(_chunk([{"text": ""}], _REASONS.get(reason, reason), tokens)))
    return found


def body(script: Script) -> bytes:
    reason = end_of(script) or "stop"
    parts = [part for word in script for part in _parts(word)]
    return json.dumps(_chunk(parts, _REASONS.get(reason, reason), tokens_of(script))).encode()


def usage(tokens: Tokens) -> dict[str, Any]:
    counted: dict[str, Any] = {
        "promptTokenCount": tokens.input,
        "candidatesTokenCount": tokens.output - tokens.thoughts,
        "totalTokenCount": tokens.input + tokens.output,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": tokens.input}],
    }
    if tokens.cached:
        counted["cachedContentTokenCount"] = tokens.cached
    if tokens.thoughts:
        counted["thoughtsTokenCount"] = tokens.thoughts
    return counted


def error(status: int, message: str, kind: str = "") -> bytes:
    names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
    names |= {429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}
    if kind == "context":
        message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    if kind == "filter":
        return json.dumps({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": MODEL}).encode()
    return json.dumps({"error": {"code": status, "message": message, "status": names.get(status, "UNKNOWN")}}).encode()


def complaint(path: str, headers: dict[str, str], request: dict[str, Any]) -> str:
    """Return what the documented API would refuse a request for, empty for a good one."""
    if not PATH.match(path):
        return f"Unknown path {path}"
    if not headers.get("x-goog-api-key"):
        return "API key not valid. Please pass a valid API key."
    unknown = set(request) - {"contents", "systemInstruction", "tools", "generationConfig", "safetySettings"}
    if unknown:
        return f'Invalid JSON payload received. Unknown name "{min(unknown)}"'
    contents = request.get("contents") or [{"role": ""}]
    if contents[0]["role"] != "user" or any(one["role"] not in ("user", "model") for one in contents):
        return "Please use a valid role: user, model."
    return _turns_complaint(contents)


def _turns_complaint(contents: list[dict[str, Any]]) -> str:
    wanted: list[str] = []
    for one in contents:
        if not one["parts"] or any(not part for part in one["parts"]):
            return "Unable to submit request because it must have a text parameter"
        given = [part["functionResponse"]["name"] for part in one["parts"] if "functionResponse" in part]
        if sorted(given) != sorted(wanted):
            return "the number of function response parts is equal to the number of function call parts"
        wanted = [part["functionCall"]["name"] for part in one["parts"] if "functionCall" in part]
    return ""


def _parts(word: Any) -> list[dict[str, Any]]:
    match word:
        case Say(text):
            return [{"text": text}]
        case Nothing():
            return [{"text": ""}]
        case Think(text):
            return [{"text": text, "thought": True}]
        case Call():
            try:
                given = json.loads(word.arguments or "{}")
            except ValueError:  # on this wire arguments are part of the chunk: a broken one is a broken chunk
                return [{"functionCall": {"id": word.id, "name": word.name, "args": "BROKEN"}}]
            part: dict[str, Any] = {"functionCall": {"name": word.name, "args": given}}
            if word.id:
                part["functionCall"]["id"] = word.id
            if word.signature:
                part["thoughtSignature"] = word.signature
            return [part]
    return []


def _chunk(parts: list[dict[str, Any]], reason: str | None, tokens: Tokens) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if reason is not None:
        candidate["finishReason"] = reason
    return {"candidates": [candidate], "usageMetadata": usage(tokens), "modelVersion": MODEL, "responseId": "r1"}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\r\n\r\n"
