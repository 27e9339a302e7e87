"""The embedded model behind the ordinary adapter: tools and slots are asked for by JSON schema and checked.

The small Coder models write no tool calls of their own accord and seldom say that no tool is needed. So a round is a
few short questions over the same beginning: which tool, constrained to the names there are or `none`; its arguments,
as far as the agent's values do not give them; and else the words. A call whose required arguments nobody has said is
not made; what the agent still has to find out is asked in the words of its author.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from domain.json_values import JsonObject
from domain.model_calls import ModelDelta, ModelReply, ModelRequest, ToolCallPart, ToolSpec, Usage
from domain.tool_calls import ToolCall
from providers.chat import openai_compatible
from providers.embedded import prompting, reading
from providers.embedded.choosing import Choice, choice_of
from providers.embedded.grounding import Said, grounded_arguments, known_arguments
from providers.embedded.waiting import Queue, Waiting, always_ready
from providers.failures import ModelCallFailed
from providers.http import HttpClient
from providers.ports import ChatModel
from providers.specs import ProviderSpec

CALL_ID_BYTES: Final = 6
NO_JUDGE: Final = "The embedded model judges no texts; rules in words need a better model"
MAX_CHOICES: Final = 3
"""How often a tool is chosen anew when the arguments of the chosen one were not said."""
TIMEOUTS: Final[JsonObject] = {"total_s": 300.0, "connect_s": 5.0, "idle_s": 120.0}
"""A slow machine reads a long prompt for minutes; the deadline of the call itself comes first."""


class _Known(NamedTuple):
    """An answer that is known without asking for words, and the tokens spent on finding out."""

    reply: ModelReply | None
    usage: Usage = Usage()


class EmbeddedModel:
    """A small local model as a chat model. Satisfies `providers.ports.ChatModel`."""

    def __init__(
        self, model: ChatModel, name: str = "", until_ready: Callable[[], Awaitable[None]] = always_ready
    ) -> None:
        self._model = model
        self._name = name
        self._until_ready = until_ready
        self._turns = Queue()

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        await self._until_ready()
        async with self._turns.turn():
            known = await self._known(request)
            if known.reply is not None:
                return known.reply
            reply = await self._model.answer(prompting.to_reply(request))
        return msgspec.structs.replace(reply, usage=_sum(known.usage, reply.usage))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Yield the answer as it comes; what is no free text comes whole."""
        await self._until_ready()
        async with self._turns.turn():
            known = await self._known(request)
            if known.reply is not None:
                for delta in _deltas(known.reply):
                    yield delta
                return
            async with aclosing(self._model.stream(prompting.to_reply(request))) as deltas:
                async for delta in deltas:
                    yield msgspec.structs.replace(delta, usage=_sum(known.usage, delta.usage)) if delta.usage else delta

    async def _known(self, request: ModelRequest) -> _Known:
        """Return the answer where it is no free text: JSON of a schema, a tool call, or the agent's next question."""
        if request.json_schema is not None:
            return _Known(await self._read(request, request.json_schema))
        choice = choice_of(request)
        call, usage = await self._choose(request, choice)
        if call is not None:
            return _Known(ModelReply(tool_calls=(call,), usage=usage, finish_reason="tool_calls", model=self._name))
        if question := prompting.next_question(request) or prompting.question_for(choice.wanted):
            return _Known(ModelReply(text=question, usage=usage, model=self._name))
        return _Known(None, usage)

    async def _choose(self, request: ModelRequest, choice: Choice) -> tuple[ToolCall | None, Usage]:
        """Return the tool call that is due, if any, and the tokens spent on finding out."""
        usage = Usage()
        if choice.ready:
            tool, given = choice.ready[0]
            return _call(tool, given), usage
        tools = list(choice.open)
        for _ in range(min(MAX_CHOICES, len(tools))):
            reply = await self._model.answer(prompting.to_choose(request, tools))
            usage = _sum(usage, reply.usage)
            name = _object(reply.text).get("tool")
            chosen = next((one for one in tools if one.name == name), None)
            if chosen is None:
                break
            arguments, spent = await self._arguments(request, chosen)
            usage = _sum(usage, spent)
            if arguments is not None and not prompting.is_repeated(request, chosen.name, arguments):
                return _call(chosen, arguments), usage
            tools.remove(chosen)
        return None, usage

    async def _arguments(self, request: ModelRequest, tool: ToolSpec) -> tuple[JsonObject | None, Usage]:
        """Return the arguments of a tool, None when nobody has said one that it needs; and the tokens spent."""
        known = prompting.known_values(request)
        given = known_arguments(tool.parameters, known)
        names = [name for name in (tool.parameters.get("properties") or {}) if name not in given]
        if not names:
            return given, Usage()
        reply = await self._model.answer(prompting.to_fill(request, tool, names))
        said = Said.of([*prompting.said_texts(request, "user", "tool"), *known.values()])
        rest = grounded_arguments(_object(reply.text), _without(tool.parameters, given), said)
        return (None if rest is None else {**given, **rest}), reply.usage

    async def _read(self, request: ModelRequest, schema: JsonObject) -> ModelReply:
        """Return the answer of a schema, without values that the user has not said."""
        if reading.is_judgement(schema):
            raise ModelCallFailed("llm_error", NO_JUDGE, retryable=False)
        asked = reading.small_reading(request, schema)
        reply = await self._model.answer(asked) if asked is not None else ModelReply(model=self._name)
        answer = reading.answer_of(request, schema, _object(reply.text))
        return msgspec.structs.replace(reply, text=json.dumps(answer, ensure_ascii=False), finish_reason="stop")


class _Options(msgspec.Struct):
    """Where the model's file is; of one that can be pulled also its name."""

    path: str = ""
    weights: str = ""


def open_model(spec: ProviderSpec, model: str, client: HttpClient) -> EmbeddedModel:
    """Return the model that the local server of this provider serves."""
    options = spec.read_options(_Options)
    served = replace(spec, options=TIMEOUTS)
    waits = Waiting(spec.base_url, Path(options.path), options.weights)
    return EmbeddedModel(openai_compatible.open_model(served, model, client), model, waits.until_ready)


def _call(tool: ToolSpec, arguments: JsonObject) -> ToolCall:
    return ToolCall(f"call_{secrets.token_hex(CALL_ID_BYTES)}", tool.name, arguments)


def _without(parameters: JsonObject, given: JsonObject) -> JsonObject:
    """Return the parameters without those that are given."""
    properties = {name: one for name, one in (parameters.get("properties") or {}).items() if name not in given}
    return {
        "properties": properties,
        "required": [one for one in parameters.get("required") or () if one in properties],
    }


def _object(text: str) -> JsonObject:
    """Return the JSON object of a constrained answer; empty when it was cut off at its longest."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _deltas(reply: ModelReply) -> list[ModelDelta]:
    calls = [
        ModelDelta(tool_call=ToolCallPart(at, call.id, call.name, json.dumps(call.arguments, ensure_ascii=False)))
        for at, call in enumerate(reply.tool_calls)
    ]
    text = [ModelDelta(text=reply.text)] if reply.text else []
    return [
        *text,
        *calls,
        ModelDelta(finish_reason=reply.finish_reason, model=reply.model),
        ModelDelta(usage=reply.usage),
    ]


def _sum(one: Usage, other: Usage | None) -> Usage:
    if other is None:
        return one
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        one.cached_tokens + other.cached_tokens,
    )
