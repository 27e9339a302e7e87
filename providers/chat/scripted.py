"""A model that answers from a table, or from a seed where no row matches: for tests, examples and benchmarks.

A provider like any other; no code path knows that it is being tested.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from hashlib import sha256
from typing import Final, Literal

import msgspec
from msgspec import Struct, field

from abl.templates import render_template
from domain.json_values import JsonObject, JsonValue
from domain.model_calls import FinishReason, ModelDelta, ModelReply, ModelRequest, ToolCallPart, Usage
from providers.chat.assembly import ReplyAssembler
from providers.chat.schema_values import smallest_value
from providers.failures import ModelCallFailed
from providers.http import HttpClient
from providers.retry import Sleep
from providers.specs import ProviderSpec

PROVIDER: Final = "scripted"
HANG_S: Final = 3_600.0
CHARS_PER_TOKEN: Final = 4
MILLISECONDS_PER_SECOND: Final = 1_000
SEEDED_WORDS: Final = tuple("yes the parcel order claim is on its way and we will see to it today thank you".split())

_ENCODER = msgspec.json.Encoder()


class ScriptedCall(Struct, frozen=True, omit_defaults=True):
    """A tool call the model makes."""

    name: str
    arguments: JsonObject = field(default_factory=dict)
    id: str = ""


class ScriptedFault(Struct, frozen=True, omit_defaults=True):
    """How a row goes wrong: an error, a silence, or a cut after so many deltas."""

    kind: Literal["error", "hang", "cut"] = "error"
    error: str = "llm_api_error"
    message: str = "The scripted model fails as its table says"
    after_deltas: int = 0
    retryable: bool = True
    retry_after_s: float | None = None


class ScriptedRow(Struct, frozen=True, omit_defaults=True):
    """One answer and when it is given; conditions left out hold always, texts are compared without case.

    Attributes:
        user: Is part of the last message of the user.
        system: Is part of the system messages.
        agent, operation: Equal those of the request's metadata.
        turn: Counts the messages of the user.
        after_tool: The last message is the result of this tool; `*` of any; empty: it is no result.
        times: How often the row can be used; None means for ever.
        text: A template that knows `input`, `turn`, `agent`, `result` (of the last tool).
        json: An answer given as JSON instead of `text`.
        delta_chars: Length of the pieces of a stream; 0 cuts at words.
        delay_ms: Before the first delta.
        delta_delay_ms: Before every other one.
    """

    user: str = ""
    system: str = ""
    agent: str = ""
    operation: str = ""
    turn: int | None = None
    after_tool: str = ""
    times: int | None = None
    text: str = ""
    json: JsonValue = None
    tool_calls: tuple[ScriptedCall, ...] = ()
    finish_reason: FinishReason | None = None
    usage: Usage | None = None
    delta_chars: int = 0
    delay_ms: float = 0
    delta_delay_ms: float = 0
    fault: ScriptedFault | None = None


class ScriptedTable(Struct, frozen=True):
    """Rows in order, the first that matches and is not used up answers; else a text made from the seed."""

    rows: tuple[ScriptedRow, ...] = ()
    seed: int = 0


class ScriptedModel:
    """Answers from its table; the same requests in the same order give the same answers."""

    def __init__(self, table: ScriptedTable, *, model: str = PROVIDER, sleep: Sleep = asyncio.sleep) -> None:
        self._table = table
        self._model = model
        self._sleep = sleep
        self._used = [0] * len(table.rows)

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        assembler = ReplyAssembler()
        async for delta in self.stream(request):
            assembler.add(delta)
        return assembler.reply(provider=PROVIDER)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer of the first row that matches."""
        row = self._row(request)
        fault = row.fault
        await self._wait(row.delay_ms)
        count = 0
        for count, delta in enumerate(self._deltas(row, request)):
            if fault is not None and count >= fault.after_deltas:
                await self._fail(fault, after_output=count > 0)
            if count:
                await self._wait(row.delta_delay_ms)
            yield delta
        if fault is not None:
            await self._fail(fault, after_output=count > 0)

    def _row(self, request: ModelRequest) -> ScriptedRow:
        for place, row in enumerate(self._table.rows):
            if (row.times is None or self._used[place] < row.times) and matches(row, request):
                self._used[place] += 1
                return row
        return seeded_row(self._table.seed, request)

    def _deltas(self, row: ScriptedRow, request: ModelRequest) -> Sequence[ModelDelta]:
        text = _text(row, request)
        deltas = [ModelDelta(text=piece, model=self._model) for piece in _pieces(text, row.delta_chars)]
        for place, call in enumerate(row.tool_calls):
            arguments = _ENCODER.encode(call.arguments).decode()
            half = len(arguments) // 2
            name = call.id or f"call_{len(request.messages)}_{place}"
            deltas.append(ModelDelta(tool_call=ToolCallPart(place, name, call.name, arguments[:half])))
            deltas.append(ModelDelta(tool_call=ToolCallPart(place, arguments=arguments[half:])))
        usage = row.usage or Usage(
            _tokens(sum(len(message.content) for message in request.messages)), _tokens(len(text))
        )
        finish = row.finish_reason or ("tool_calls" if row.tool_calls else "stop")
        return [*deltas, ModelDelta(finish_reason=finish, usage=usage, model=self._model)]

    async def _fail(self, fault: ScriptedFault, *, after_output: bool) -> None:
        if fault.kind == "hang":
            await self._sleep(HANG_S)
        error = "llm_api_error" if fault.kind == "cut" else fault.error
        raise ModelCallFailed(
            error,
            fault.message,
            retryable=fault.retryable,
            after_output=after_output,
            retry_after_s=fault.retry_after_s,
        )

    async def _wait(self, delay_ms: float) -> None:
        if delay_ms > 0:
            await self._sleep(delay_ms / MILLISECONDS_PER_SECOND)


def open_model(spec: ProviderSpec, model: str, client: HttpClient) -> ScriptedModel:
    """Return a model with the table of the provider's options, or with that under `tables` of the model's name."""
    tables = spec.read_options(_Options)
    return ScriptedModel(tables.tables.get(model) or ScriptedTable(tables.rows, tables.seed), model=model)


class _Options(Struct):
    """One table for all models of the provider, and own ones by name."""

    rows: tuple[ScriptedRow, ...] = ()
    seed: int = 0
    tables: dict[str, ScriptedTable] = {}  # msgspec copies empty defaults


def matches(row: ScriptedRow, request: ModelRequest) -> bool:
    """Return whether the row's conditions hold for the request."""
    last = request.messages[-1] if request.messages else None
    is_result = last is not None and last.role == "tool"
    tool = last.name if last is not None else ""
    return (
        (bool(row.after_tool) == is_result)
        and (row.after_tool in {"", "*"} or row.after_tool == tool)
        and row.user.casefold() in last_user_text(request).casefold()
        and row.system.casefold() in _system_text(request).casefold()
        and row.agent in {"", request.metadata.get("agent", "")}
        and row.operation in {"", request.metadata.get("operation", "")}
        and row.turn in {None, turn_of(request)}
    )


def last_user_text(request: ModelRequest) -> str:
    """Return what the user said last."""
    return next((message.content for message in reversed(request.messages) if message.role == "user"), "")


def turn_of(request: ModelRequest) -> int:
    """Return how many messages of the user the request holds."""
    return sum(message.role == "user" for message in request.messages)


def seeded_row(seed: int, request: ModelRequest) -> ScriptedRow:
    """Return an answer that depends on the seed and the whole request only; a schema gets its smallest value."""
    if request.json_schema is not None:
        return ScriptedRow(json=smallest_value(request.json_schema))
    digest = sha256(_ENCODER.encode((seed, request.messages))).digest()
    return ScriptedRow(text=" ".join(SEEDED_WORDS[byte % len(SEEDED_WORDS)] for byte in digest[:12]))


def _text(row: ScriptedRow, request: ModelRequest) -> str:
    if row.json is not None:
        return _ENCODER.encode(row.json).decode()
    result = next((message.content for message in reversed(request.messages) if message.role == "tool"), "")
    variables = {
        "input": last_user_text(request),
        "turn": turn_of(request),
        "agent": request.metadata.get("agent", ""),
        "result": _maybe_json(result),
    }
    return render_template(row.text, variables)


def _maybe_json(text: str) -> JsonValue:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _system_text(request: ModelRequest) -> str:
    return "\n".join(message.content for message in request.messages if message.role == "system")


def _pieces(text: str, delta_chars: int) -> list[str]:
    if delta_chars > 0:
        return [text[at : at + delta_chars] for at in range(0, len(text), delta_chars)]
    words = text.split(" ")
    return [word if place == 0 else f" {word}" for place, word in enumerate(words)] if text else []


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)
