from __future__ import annotations

import msgspec

from domain.model_calls import Message, ModelDelta, ModelReply, ModelRequest, ToolCallPart, ToolSpec, Usage
from domain.tool_calls import ToolCall, ToolResult


def test_requests_replies_and_pieces_survive_json() -> None:
    call = ToolCall("c1", "find", {"code": "x"})
    request = ModelRequest((Message("system", "s"), Message("assistant", "", (call,))), (ToolSpec("find"),), "m", 0.1)
    reply = ModelReply("text", (call,), Usage(1, 2), "tool_calls", "m")
    delta = ModelDelta(tool_call=ToolCallPart(0, "c1", "find", '{"co'))
    for one in (request, reply, delta, ToolResult(ok=False, error_kind="tool_timeout")):
        assert msgspec.json.decode(msgspec.json.encode(one), type=type(one)) == one
