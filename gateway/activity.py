"""What an agent is busy with, for pages whose key shows it: frames made from the session's trace events.

A tool that is called and an agent that is asked are told when they begin and cleared when they end; of several at once
the last one that is still out stands. Whatever stands when a turn ends, as that of a tool whose answer comes later, is
cleared with it, also when an earlier socket was told. Spec: platform-api 12.4.
"""

from __future__ import annotations

from actors.runtime import StreamEvent
from domain.json_values import JsonObject
from domain.traces import TraceType
from gateway import wire
from gateway.frames import Marks

TURN_ENDS = ("complete", "error")
DELEGATION = "delegation"
TOOL, AGENT = "tool_call", "delegate"
"""What `operation` says."""


class Activity:
    """What is under way, as one socket has been told."""

    def __init__(self, *, resumed: bool = False) -> None:
        """`resumed`: an earlier socket of the page may have been told of something that this one never hears of."""
        self._open: dict[tuple[str, str], str] = {}
        self._may_stand = resumed

    def frames(self, event: StreamEvent, marks: Marks) -> list[wire.ServerFrame]:
        """Return what an event tells of activity: nothing, or a frame."""
        if event.kind in TURN_ENDS:
            return self._all_ended(marks)
        if event.kind != "trace_event":
            return []
        traced: JsonObject = event.data.get("event", {})
        data: JsonObject = traced.get("data", {})
        match traced.get("type"):
            case TraceType.HANDOFF:
                metadata = {"fromAgent": data["fromAgent"], "toAgent": data["toAgent"]}
                return [wire.Handoff(**marks._asdict(), metadata=metadata)]
            case TraceType.TOOL_CALL:
                return self._began(TOOL, str(data["toolCallId"]), f"Using {data['toolName']}", marks)
            case TraceType.TOOL_RESULT:
                return self._ended(TOOL, str(data["toolCallId"]), marks)
            case TraceType.DECISION if data.get("decisionKind") == DELEGATION:
                return self._began(AGENT, str(data["decision"]), f"Asking {data['decision']}", marks)
            case TraceType.DELEGATE:
                return self._ended(AGENT, str(data["toAgent"]), marks)
            case _:
                return []

    def _began(self, operation: str, name: str, text: str, marks: Marks) -> list[wire.ServerFrame]:
        self._open[operation, name] = text
        return [wire.StatusUpdate(**marks._asdict(), text=text, operation=operation)]

    def _ended(self, operation: str, name: str, marks: Marks) -> list[wire.ServerFrame]:
        text = self._open.pop((operation, name), "")
        if not self._open:
            return [wire.StatusClear(**marks._asdict(), text=text, operation=operation)]
        (still, _), shown = next(reversed(self._open.items()))
        return [wire.StatusUpdate(**marks._asdict(), text=shown, operation=still)]

    def _all_ended(self, marks: Marks) -> list[wire.ServerFrame]:
        if not self._open and not self._may_stand:
            return []
        (operation, _), text = next(reversed(self._open.items()), ((TOOL, ""), ""))
        self._open.clear()
        self._may_stand = False
        return [wire.StatusClear(**marks._asdict(), text=text, operation=operation)]
