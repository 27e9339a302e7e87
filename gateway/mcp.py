"""The platform as an MCP server, the protocol alone: JSON-RPC messages in, answers out. Every agent is a tool.

One message per request, answered at once as JSON; no session of the protocol and no stream of the server's own, so any
gateway answers any request. Spec: Model Context Protocol 2025-11-25, streamable HTTP. Decision: 0017.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from actors.agent_cards import AgentCard
from actors.runtime import TurnReply
from domain.errors import AppError, InvalidInput, Overloaded
from domain.json_values import JsonObject, JsonValue
from domain.limits import IDEMPOTENCY_KEY_MAX_CHARS, MESSAGE_MAX_CHARS
from gateway.errors import answer, sentence_of

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
BATCHING: Final = "2025-03-26"
"""The only version in which a message may be a batch."""
BATCH_MAX: Final = 50
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32_700, -32_600, -32_601, -32_602
IDEMPOTENCY_KEY: Final = "abl.runtime/idempotency-key"
"""In `_meta` of a call, where a client repeats calls by itself."""
INSTRUCTIONS: Final = (
    "Each tool is an agent: give it a message, get its reply. Pass the sessionId of a reply to go on with that "
    "conversation. A call with a requestId can be repeated: it answers with the first reply."
)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")
INPUT_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "message": {"type": "string", "description": "What to say", "minLength": 1, "maxLength": MESSAGE_MAX_CHARS},
        "sessionId": {"type": "string", "description": "Of an earlier reply: goes on with that conversation"},
        "requestId": {
            "type": "string",
            "description": "A UUID made up by you; the same one with the same message is carried out once",
            "maxLength": IDEMPOTENCY_KEY_MAX_CHARS,
        },
        "metadata": {"type": "object", "description": "For this message only", "additionalProperties": True},
    },
    "required": ["message"],
}
OUTPUT_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "reply": {"type": "string"},
        "sessionId": {"type": "string"},
        "agent": {"type": "string"},
        "status": {"type": "string", "description": "idle, suspended (somebody else is waited for), ended, ..."},
    },
    "required": ["reply", "sessionId", "agent", "status"],
}


class AgentCards(Protocol):
    """Which agents a project has."""

    async def cards(self, tenant_id: str, project_id: str) -> tuple[AgentCard, ...]:
        """Return them by name."""
        ...


class NoCards:
    """A gateway that tells of no agents."""

    async def cards(self, tenant_id: str, project_id: str) -> tuple[AgentCard, ...]:
        """Return none."""
        return ()


@dataclass(frozen=True, slots=True)
class Question:
    """What a call asks of an agent."""

    agent: str
    message: str
    session_id: str
    request_id: str
    metadata: JsonObject


Ask = Callable[[Question], Awaitable[TurnReply]]


class RpcFault(Exception):
    """A message cannot be answered with a result."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


async def answer_to(message: JsonValue, cards: tuple[AgentCard, ...], ask: Ask, version: str) -> JsonObject | None:
    """Return the answer to one JSON-RPC message, None for a notification."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error_to(None, INVALID_REQUEST, "One JSON-RPC 2.0 message is expected")
    request_id, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if request_id is None or not isinstance(method, str):
        return None  # a notification, or the answer to something that was not asked
    if not isinstance(request_id, str | int) or not isinstance(params, dict):
        return error_to(None, INVALID_REQUEST, "The request has no fit id or params")
    try:
        result = await _result_of(method, params, cards, ask, version)
    except RpcFault as fault:
        return error_to(request_id, fault.code, fault.message)
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


async def answers_to(
    messages: list[JsonValue], cards: tuple[AgentCard, ...], ask: Ask, version: str
) -> list[JsonObject] | JsonObject | None:
    """Return the answers to a batch, one after the other; None where it holds nothing but notifications."""
    if not 1 <= len(messages) <= BATCH_MAX:
        return error_to(None, INVALID_REQUEST, f"A batch has 1 to {BATCH_MAX} messages")
    answers = [await answer_to(one, cards, ask, version) for one in messages]
    return [one for one in answers if one is not None] or None


def takes_batches(version: str) -> bool:
    """Return whether a client of this version may send batches; one that names none is of the first version.

    >>> takes_batches(""), takes_batches("2025-03-26"), takes_batches("2025-06-18")
    (True, True, False)
    """
    return version in ("", BATCHING)


def error_to(request_id: str | int | None, code: int, message: str) -> JsonObject:
    """Return the answer to a message that has no result."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def tool_name(agent: str) -> str:
    """Return the name under which an agent is a tool.

    >>> tool_name("bank/Front_Desk")
    'bank_Front_Desk'
    """
    return _NOT_IN_NAMES.sub("_", agent)


async def _result_of(
    method: str, params: JsonObject, cards: tuple[AgentCard, ...], ask: Ask, version: str
) -> JsonObject:
    match method:
        case "initialize":
            wanted = params.get("protocolVersion")
            return {
                "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
                "capabilities": {"tools": {"listChanged": False}},
                "serverInfo": {"name": "abl-runtime", "title": "ABL Runtime", "version": version},
                "instructions": INSTRUCTIONS,
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [_tool(card) for card in cards]}
        case "tools/call":
            return await _called(params, cards, ask)
    raise RpcFault(METHOD_NOT_FOUND, f"There is no method {method!r} here")


def _tool(card: AgentCard) -> JsonObject:
    return {
        "name": tool_name(card.name),
        "title": card.name,
        "description": card.description,
        "inputSchema": INPUT_SCHEMA,
        "outputSchema": OUTPUT_SCHEMA,
        "annotations": {"readOnlyHint": False, "idempotentHint": False, "openWorldHint": True},
    }


async def _called(params: JsonObject, cards: tuple[AgentCard, ...], ask: Ask) -> JsonObject:
    by_name: Mapping[str, str] = {tool_name(card.name): card.name for card in cards}
    agent = by_name.get(str(params.get("name")))
    if agent is None:
        raise RpcFault(INVALID_PARAMS, f"There is no agent {params.get('name')!r}")
    try:
        reply = await ask(_question(agent, params))
    except AppError as error:
        return _refused(error)
    told: JsonObject = {
        "reply": reply.response,
        "sessionId": reply.session_id,
        "agent": reply.agent_name,
        "status": reply.status,
    }
    texts = (reply.response, f"sessionId: {reply.session_id}")  # clients that show their model nothing but texts
    content = [{"type": "text", "text": text} for text in texts]
    return {"content": content, "structuredContent": told, "isError": False}


def _question(agent: str, params: JsonObject) -> Question:
    given, meta = params.get("arguments") or {}, params.get("_meta") or {}
    if not isinstance(given, dict) or not isinstance(meta, dict):
        raise RpcFault(INVALID_PARAMS, "The arguments are an object")
    texts = {name: given.get(name) or "" for name in ("message", "sessionId", "requestId")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise InvalidInput("message, sessionId and requestId are texts")
    if not 1 <= len(texts["message"]) <= MESSAGE_MAX_CHARS:
        raise InvalidInput(f"A message has 1 to {MESSAGE_MAX_CHARS} characters")
    key = texts["requestId"] or str(meta.get(IDEMPOTENCY_KEY) or "")
    return Question(agent, texts["message"], texts["sessionId"], key, given.get("metadata") or {})


def _refused(error: AppError) -> JsonObject:
    """Return the result of a call that was refused: the model behind the client reads the sentence."""
    told: JsonObject = {"code": answer(error).code}
    if isinstance(error, Overloaded):
        told["retryAfterMs"] = error.retry_after_ms
    text = sentence_of(error) if "retryAfterMs" not in told else f"{error.message} (again in {told['retryAfterMs']} ms)"
    return {"content": [{"type": "text", "text": text}], "_meta": {"abl.runtime/error": told}, "isError": True}
