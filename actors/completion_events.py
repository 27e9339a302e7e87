"""Pieces of a model's answer -> the events of a streamed completion. Spec: platform-api 4.3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from actors.desks import CompletionEvent
from domain.model_calls import ModelDelta, ToolCallPart

NO_ARGUMENTS = "{}"


@dataclass(slots=True)
class _OpenCall:
    """A tool call that has been announced."""

    id: str
    name: str
    is_announced: bool = False
    arguments: list[str] = field(default_factory=list)


class CallTracker:
    """Says which events a piece makes; tool calls end with the answer, for models may write several at once."""

    def __init__(self) -> None:
        self._calls: dict[int, _OpenCall] = {}

    def events(self, delta: ModelDelta) -> Iterator[CompletionEvent]:
        """Yield the events of one piece."""
        if delta.text:
            yield CompletionEvent("text_delta", {"delta": delta.text})
        if delta.tool_call is not None:
            yield from self._part(delta.tool_call)

    def end(self) -> Iterator[CompletionEvent]:
        """Yield what closes the calls."""
        for call in self._calls.values():
            if call.is_announced:
                arguments = "".join(call.arguments) or NO_ARGUMENTS
                yield CompletionEvent("tool_call_end", {"id": call.id, "name": call.name, "arguments": arguments})

    def _part(self, part: ToolCallPart) -> Iterator[CompletionEvent]:
        call = self._calls.get(part.index)
        if call is None:
            call = self._calls[part.index] = _OpenCall(self._named(part), part.name)
        call.name = call.name or part.name
        if call.name and not call.is_announced:
            call.is_announced = True
            yield CompletionEvent("tool_call_start", {"id": call.id, "name": call.name})
            if call.arguments:  # pieces that came before the name
                yield CompletionEvent("tool_call_delta", {"id": call.id, "arguments": "".join(call.arguments)})
        if part.arguments:
            call.arguments.append(part.arguments)
            if call.is_announced:
                yield CompletionEvent("tool_call_delta", {"id": call.id, "arguments": part.arguments})

    def _named(self, part: ToolCallPart) -> str:
        """Return the id of a call; one that the model does not give, or gives twice, is made of its place."""
        taken = {one.id for one in self._calls.values()}
        wanted = part.id or f"call_{part.index}"
        return wanted if wanted not in taken else f"{wanted}_{part.index}"
