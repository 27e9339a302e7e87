"""Carries out compiled agents: a turn is a pure fold of facts, `advance(program, state, fact) -> Step`.

No clock, no randomness, no socket and no waiting in here: moments and outcomes come in as facts, wishes go out as
effects. Spec: abl-language 7, 8, 14.

>>> from engine import Program, SessionBegun, begin
"""

from __future__ import annotations

from engine.effects import (
    AnyEffect,
    AskModel,
    CallTool,
    Classify,
    Delegate,
    Effect,
    EndTurn,
    HandOff,
    MemoryWrite,
    OpenTask,
    ReadMemory,
    Say,
    StartTimer,
    Suspend,
    Trace,
    WriteMemory,
    expects_outcome,
    request_hash,
)
from engine.facts import (
    AnyFact,
    CallbackArrived,
    ChildReplied,
    Classified,
    ContactLinked,
    Fact,
    HumanResolved,
    MemoryRead,
    MemoryWritten,
    ModelAnswered,
    ModelFailed,
    OutcomeUnknown,
    SessionBegun,
    SuspensionExpired,
    TestContext,
    TimerFired,
    ToolMock,
    ToolReturned,
    TurnCancelled,
    UserSpoke,
)
from engine.program import Program
from engine.state import SessionState, decode_state, encode_state
from engine.turn import Step, advance, begin

ENGINE_VERSION = "15"
"""Written beside facts and snapshots; exact replay is promised under the same version, older ones are read.

3 does otherwise than 2 only for agents that hand over to other systems, have a model sum up, or read lookup tables from
an interface.
"""

__all__ = [
    "ENGINE_VERSION",
    "AnyEffect",
    "AnyFact",
    "AskModel",
    "CallTool",
    "CallbackArrived",
    "ChildReplied",
    "Classified",
    "Classify",
    "ContactLinked",
    "Delegate",
    "Effect",
    "EndTurn",
    "Fact",
    "HandOff",
    "HumanResolved",
    "MemoryRead",
    "MemoryWrite",
    "MemoryWritten",
    "ModelAnswered",
    "ModelFailed",
    "OpenTask",
    "OutcomeUnknown",
    "Program",
    "ReadMemory",
    "Say",
    "SessionBegun",
    "SessionState",
    "StartTimer",
    "Step",
    "Suspend",
    "SuspensionExpired",
    "TestContext",
    "TimerFired",
    "ToolMock",
    "ToolReturned",
    "Trace",
    "TurnCancelled",
    "UserSpoke",
    "WriteMemory",
    "advance",
    "begin",
    "decode_state",
    "encode_state",
    "expects_outcome",
    "request_hash",
]
