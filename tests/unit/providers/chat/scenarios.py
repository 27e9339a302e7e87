"""What models say, in neutral words: every protocol has to give the same internal events for each row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from domain.model_calls import FinishReason, ModelDelta, Usage
from tests.fakes.words import Call, End, Nothing, Ping, Say, Script, Think, Tokens, pieces, said

GREETING = "Grüße, 你好, 👩‍👩‍👧‍👦 and \u2028 done"
PARCEL = Call("call_a", "find_parcel", pieces({"code": "A1"}))
HUBS = Call("call_b", "list_hubs")
NESTED = {"code": "Ä1", "deep": {"n": [1, 2, {"x": None}], "t": True}, "note": 'He said "no"\n', "price": 1.5}
TOOLS_END = (Tokens(30, 12), End("tool_calls"))


class Scenario(NamedTuple):
    """A row; `piece_bytes` says how the bytes are cut on the way."""

    name: str
    script: Script
    piece_bytes: int = 0


SCENARIOS = (
    Scenario("one text", said("It is on its way")),
    Scenario("a text in pieces", said("It ", "is ", "on ", "its way")),
    Scenario("a single letter", said("y")),
    Scenario("letters of many scripts", said(GREETING)),
    Scenario("letters cut by the network, byte for byte", said(GREETING, GREETING), 1),
    Scenario("letters cut by the network, three bytes each", said(GREETING, GREETING), 3),
    Scenario("letters cut by the network, seven bytes each", said(GREETING, GREETING), 7),
    Scenario("all events in one piece", said("a", "b", "c", "d"), -1),
    Scenario("events cut across lines", said("a\n\nb", "c: d"), 11),
    Scenario("new lines and quotes", said('"a"\n\n', "\\b\t", "\r\nc")),
    Scenario("a text that looks like the wire", said("data: {}\n\n", "event: error\n", "[DONE]")),
    Scenario("white space is text too", said(" ", "\n", "a", " ")),
    Scenario("a long answer", said(*(f"word{n} " for n in range(300)))),
    Scenario("a large piece", said("x" * 200_000)),
    Scenario("pieces without text", (Nothing(), Say("a"), Nothing(), Nothing(), Say("b"), Tokens(), End())),
    Scenario("something that only keeps the line busy", (Ping(), Say("a"), Ping(), Ping(), Say("b"), Tokens(), End())),
    Scenario("several parts", (Say("a"), Say("b", new_block=True), Say("c", new_block=True), Tokens(), End())),
    Scenario("an answer without text", (Nothing(), Tokens(), End())),
    Scenario("thoughts before the text", (Think(), Say("So: yes"), Tokens(), End())),
    Scenario("hidden thoughts", (Think(hidden=True), Say("Yes"), Tokens(), End())),
    Scenario("thoughts between texts", (Say("Hm. "), Think(), Say("Yes"), Tokens(), End())),
    Scenario("thoughts alone", (Think("a"), Think("b"), Tokens(), End("length"))),
    Scenario("a tool without arguments", (HUBS, *TOOLS_END)),
    Scenario("a tool with arguments", (PARCEL, *TOOLS_END)),
    Scenario("arguments in pieces", (Call("c", "find", pieces(NESTED, 3, 9, 14, 30)), *TOOLS_END)),
    Scenario("arguments cut by the network", (Call("c", "find", pieces(NESTED, 9, 30)), *TOOLS_END), 2),
    Scenario("two tools at once", (PARCEL, HUBS, *TOOLS_END)),
    Scenario("five tools at once", (*(Call(f"c{n}", "find", pieces({"n": n}, 2)) for n in range(5)), *TOOLS_END)),
    Scenario("a tool twice", (PARCEL, Call("call_c", "find_parcel", pieces({"code": "B2"})), *TOOLS_END)),
    Scenario("a text before a tool", (Say("One moment. "), PARCEL, *TOOLS_END)),
    Scenario("thoughts before a tool", (Think(), PARCEL, *TOOLS_END)),
    Scenario("thoughts, a text and tools", (Think(), Say("Well: "), PARCEL, Think("b"), HUBS, *TOOLS_END)),
    Scenario("tools without names of their own", (Call("", "find", pieces({})), Call("", "list"), *TOOLS_END)),
    Scenario("tools, and an end that does not say so", (PARCEL, Tokens(), End("stop"))),
    Scenario("an answer of a schema", said('{"city":"Rome","guests":2}')),
    Scenario("an answer of a schema in pieces", said('{"ci', 'ty":"Ro', 'me","guests"', ":2}")),
    Scenario("an answer that was too long", said("It is ", "on", end="length")),
    Scenario("a refusal in the middle", said("First you ", end="content_filter")),
    Scenario("an end that nobody knows", said("Fine", end="something_new")),
    Scenario("cached tokens", said("a", tokens=Tokens(2_000, 5, cached=1_900))),
    Scenario("everything from the cache", said("a", tokens=Tokens(2_000, 5, cached=2_000))),
    Scenario("tokens written to a cache", said("a", tokens=Tokens(2_000, 5, cached=900, written=1_000))),
    Scenario("tokens of thoughts", (Think(), Say("a"), Tokens(50, 400, thoughts=380), End())),
    Scenario("many tokens", said("a", tokens=Tokens(1_000_000, 64_000))),
)

ENDS: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
}


def expected(script: Script, protocol: str, asked_messages: int) -> list[Any]:
    """Return the internal events that the words stand for."""
    found: list[Any] = []
    calls = [one for one in script if isinstance(one, Call)]
    for word in script:
        match word:
            case Say(text):
                found.append(("text", text))
            case Call():
                place = calls.index(word) if word.id else sum(one[0] == "call" for one in found)
                call_id = word.id or f"call_{asked_messages}_{place}"
                found.append(("call", place, call_id, word.name, msgspec.json.decode(word.arguments or "{}")))
            case End(reason):
                found.append(("end", "tool_calls" if calls and reason == "stop" else ENDS.get(reason, "stop")))
    tokens = next((one for one in script if isinstance(one, Tokens)), Tokens())
    written = tokens.written if protocol == "anthropic" else 0  # the others do not tell
    return [*found, ("usage", Usage(tokens.input, tokens.output, tokens.cached, written))]


def events_of(deltas: Iterable[ModelDelta]) -> list[Any]:
    """Return deltas as the events they stand for: a call is whole wherever its arguments were cut."""
    found: list[Any] = []
    arguments: dict[int, str] = {}
    for delta in deltas:
        if delta.text:
            found.append(("text", delta.text))
        if (part := delta.tool_call) is not None:
            if part.name:
                found.append(("call", part.index, part.id, part.name))
            arguments[part.index] = arguments.get(part.index, "") + part.arguments
        if delta.finish_reason:
            found.append(("end", delta.finish_reason))
        if delta.usage is not None:
            found.append(("usage", delta.usage))
    return [(*one, msgspec.json.decode(arguments[one[1]] or "{}")) if one[0] == "call" else one for one in found]


def joined(events: list[Any]) -> list[Any]:
    """Return events with all text in one, first: as a whole answer tells them."""
    text = "".join(one[1] for one in events if one[0] == "text")
    others = [one for one in events if one[0] != "text"]
    return [("text", text), *others]
