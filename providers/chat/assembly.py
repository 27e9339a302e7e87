"""Deltas -> one reply: for adapters, for what is wrapped around them, and for whoever shows a stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from domain.json_values import JsonObject, is_too_deep
from domain.model_calls import FinishReason, ModelDelta, ModelReply, Usage
from domain.tool_calls import ToolCall
from providers.failures import ModelCallFailed

MAX_REPLY_CHARS: Final = 1_000_000
MAX_TOOL_CALLS: Final = 64

_DECODER = msgspec.json.Decoder()


@dataclass(slots=True)
class _OpenCall:
    """A tool call whose parts are still coming."""

    id: str = ""
    name: str = ""
    signature: str = ""
    arguments: list[str] = field(default_factory=list)


class ReplyAssembler:
    """Collects deltas; `reply` gives the whole."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._chars = 0
        self._calls: dict[int, _OpenCall] = {}
        self._usage = Usage()
        self._finish: FinishReason | None = None
        self._model = ""
        self._provider = ""
        self._cost: float | None = None

    @property
    def has_output(self) -> bool:
        """Whether any text or tool call has come."""
        return bool(self._texts or self._calls)

    @property
    def is_finished(self) -> bool:
        """Whether the model has said why it stopped."""
        return self._finish is not None

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    def add(self, delta: ModelDelta) -> None:
        """Take one delta.

        Raises:
            ModelCallFailed: The answer outgrows its bounds.
        """
        if delta.text:
            self._texts.append(delta.text)
            self._chars += len(delta.text)
        part = delta.tool_call
        if part is not None:
            call = self._calls.setdefault(part.index, _OpenCall())
            call.id = call.id or part.id
            call.name = call.name or part.name
            call.signature = call.signature or part.signature
            if part.arguments:
                call.arguments.append(part.arguments)
                self._chars += len(part.arguments)
        if self._chars > MAX_REPLY_CHARS or len(self._calls) > MAX_TOOL_CALLS:
            raise ModelCallFailed("llm_error", "The model's answer outgrows its bounds")
        if delta.usage is not None:
            self._usage, self._cost = delta.usage, delta.estimated_cost
        self._provider = delta.provider or self._provider
        self._finish = delta.finish_reason or self._finish
        self._model = delta.model or self._model

    def reply(
        self, *, provider: str = "", latency_ms: int = 0, first_token_ms: int = 0, attempts: int = 1
    ) -> ModelReply:
        """Return the reply of all deltas; every call has an id of its own.

        Raises:
            ModelCallFailed: The arguments of a tool call are no JSON object; asking again may help.
        """
        calls = tuple(
            ToolCall(call_id, call.name, tool_arguments("".join(call.arguments)), call.signature)
            for call_id, call in self._named_calls()
        )
        return ModelReply(
            text=self.text,
            tool_calls=calls,
            usage=self._usage,
            finish_reason=self._finish or ("tool_calls" if calls else "stop"),
            model=self._model,
            provider=provider or self._provider,
            estimated_cost=self._cost,
            latency_ms=latency_ms,
            first_token_ms=first_token_ms,
            attempts=attempts,
        )

    def _named_calls(self) -> list[tuple[str, _OpenCall]]:
        named: dict[str, _OpenCall] = {}
        for index, call in sorted(self._calls.items()):
            call_id = call.id or f"call_{index}"
            named[call_id if call_id not in named else f"{call_id}_{index}"] = call
        return list(named.items())


def tool_arguments(text: str) -> JsonObject:
    """Return the arguments that `text` spells; nothing at all means none.

    Raises:
        ModelCallFailed: It is no JSON object.
    """
    if not text.strip():
        return {}
    try:
        arguments = _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelCallFailed("llm_error", "The model's tool arguments are not JSON", retryable=True) from error
    if not isinstance(arguments, dict):
        raise ModelCallFailed("llm_error", "The model's tool arguments are no object", retryable=True)
    if is_too_deep(arguments):
        raise ModelCallFailed("llm_error", "The model's tool arguments are nested too deeply", retryable=True)
    return arguments
