"""Reads and plays the recorded conversations of `tests/corpus/turns`.

A file holds the agents (`agents:` text, `example:` project, further files in `files:`), the scripted outcomes of tools
and models, the turns with what each must lead to, and what must stand at the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from domain.messages import ActionEvent, Attachment
from engine import (
    CallbackArrived,
    HumanResolved,
    ModelFailed,
    Program,
    StartTimer,
    SuspensionExpired,
    TestContext,
    TimerFired,
    ToolMock,
    UserSpoke,
)
from engine.testing import Conversation, fails, gives, program_of, says, uses

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus" / "turns"
FILES = sorted(CORPUS.glob("*.yaml"))


def files_of(case: dict[str, Any]) -> dict[str, str]:
    if "example" in case:
        folder = ROOT / "examples" / case["example"]
        return {str(path): path.read_text("utf-8") for path in sorted(folder.rglob("*.abl"))}
    tools = {"tools.tools.abl": case["tool_file"]} if "tool_file" in case else {}
    return {"agents.abl": case["agents"], **tools, **case.get("files", {})}


def program_of_case(case: dict[str, Any]) -> Program:
    return program_of(files_of(case))


def result_of(written: Any) -> Any:
    if isinstance(written, dict) and "fails" in written:
        return fails(written["fails"], written.get("message", "It failed"), str(written.get("code", "")))
    if isinstance(written, dict) and "script" in written:
        return [result_of(one) for one in written["script"]]
    if isinstance(written, dict) and written.get("accepted"):
        return gives(None).__class__(ok=True, accepted=True)
    return gives(written)


def reply_of(written: Any) -> Any:
    if "fails" in written:
        return ModelFailed(at="", effect_id="", kind=written["fails"], message="scripted")
    if "uses" in written:
        return uses(*[(name, arguments) for name, arguments in written["uses"]], text=written.get("text", ""))
    return says(written["says"])


def conversation_of(case: dict[str, Any]) -> Conversation:
    return Conversation(
        program_of_case(case),
        tools={name: result_of(written) for name, written in case.get("tools", {}).items()},
        model=[reply_of(one) for one in case.get("model", ())],
        reads=[reply_of(one) for one in case.get("reads", ())],
        memory=dict(case.get("memory", {})),
        others=dict(case.get("others", {})),
    )


def begun_of(case: dict[str, Any]) -> dict[str, Any]:
    given = dict(case.get("begin", {}))
    if "test_context" in given:
        context = dict(given["test_context"])
        context["tool_mocks"] = tuple(ToolMock(**one) for one in context.get("tool_mocks", ()))
        given["test_context"] = TestContext(**context)
    return given


def play(talk: Conversation, turn: dict[str, Any]) -> str:
    """Play one turn and return what was said."""
    open_ids = list(talk.state.suspensions) if talk._state is not None else []
    if "callback" in turn:
        return talk.tell(CallbackArrived(at=talk._at(), suspension_id=open_ids[-1], payload=turn["callback"]))
    if "human" in turn:
        fact = HumanResolved(
            at=talk._at(), suspension_id=open_ids[-1], fields=turn["human"] or {}, approved=turn.get("approved")
        )
        return talk.tell(fact)
    if turn.get("expired"):
        return talk.tell(SuspensionExpired(at=talk._at(), suspension_id=open_ids[-1]))
    if turn.get("timer"):
        timers = [one.id for one in talk.effects if isinstance(one, StartTimer) and one.outlives_turn]
        return talk.tell(TimerFired(at=talk._at(), effect_id=timers[-1]))
    if "press" in turn:
        event = ActionEvent(turn["press"], str(turn.get("value", "")), form=turn.get("form", {}))
        return talk.say("", action=event)
    files = [Attachment(**one) for one in turn.get("attachments", ())]
    talk.cancels = bool(turn.get("cancelled"))
    if "agent" in turn:
        return talk.tell(UserSpoke(at=talk._at(), text=turn["say"], agent=turn["agent"]))
    return talk.say(turn["say"], metadata=turn.get("metadata"), attachments=files)


def holds(found: Any, wanted: Any) -> bool:
    """Return whether all that `wanted` names is in `found`."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            key in found and holds(found[key], value) for key, value in wanted.items()
        )
    if isinstance(found, tuple):
        found = list(found)
    return bool(found == wanted)


def check_turn(talk: Conversation, turn: dict[str, Any], reply: str, where: str) -> None:
    if "reply" in turn:
        assert reply == turn["reply"].strip("\n"), where
    for part in turn.get("contains", ()):
        assert part in reply, f"{where} lacks {part!r}"
    for part in turn.get("lacks", ()):
        assert part not in reply, f"{where} holds {part!r}"
    end = talk.ends[-1]
    if "action" in turn:
        wanted = turn["action"] if isinstance(turn["action"], dict) else {"type": turn["action"]}
        assert holds(end.action, wanted), f"{where} {end.action}"
    for name in ("status", "error", "agent"):
        wanted = turn.get("by" if name == "agent" else name)
        assert wanted is None or getattr(end, name) == wanted, f"{where} {name} {getattr(end, name)!r}"
    for name in ("rich_content", "actions", "voice", "state"):
        assert holds(getattr(end, name), turn.get(name, {})), f"{where} {name} {getattr(end, name)}"
    for name in turn.get("without", ()):
        assert not getattr(end, name), f"{where} {name} {getattr(end, name)}"


def check_end(talk: Conversation, expected: dict[str, Any]) -> None:
    thread = talk.state.threads[expected.get("agent", talk.state.active)]
    for name, value in expected.get("variables", {}).items():
        assert thread.variables.get(name) == value, f"{name}: {thread.variables.get(name)!r}"
    for path, value in expected.get("memory", {}).items():
        assert talk.memory.get(path) == value, path
    assert talk.state.active == expected.get("active", talk.state.active)
    kinds = {one.type.value for one in talk.traces}
    assert set(expected.get("traces", ())) <= kinds, kinds
    made = [type(one).__name__ for one in talk.effects]
    for name, count in expected.get("effects", {}).items():
        assert made.count(name) == count, f"{name}: {made.count(name)}"
    for wanted in expected.get("asked", ()):
        kind, data = wanted["effect"], {key: value for key, value in wanted.items() if key != "effect"}
        found = [one for one in talk.effects if type(one).__name__ == kind]
        fits = [one for one in found if all(holds(getattr(one, key), value) for key, value in data.items())]
        assert fits, f"{wanted} is not among {found}"
    for wanted in expected.get("events", ()):
        kind, data = wanted["type"], {key: value for key, value in wanted.items() if key != "type"}
        found_events = [one.data for one in talk.traces if one.type == kind]
        assert any(holds(one, data) for one in found_events), f"{wanted} is not among {found_events}"
    requests = [one.request for one in talk.effects if type(one).__name__ == "AskModel"]
    for part in expected.get("prompt_contains", ()):
        assert any(part in request.messages[0].content for request in requests), part
    every_word = "\n".join(message.content for request in requests for message in request.messages)
    for part in expected.get("models_read", ()):
        assert part in every_word, part
    for part in expected.get("models_never_read", ()):
        assert part not in every_word, part
    for part in expected.get("traces_never_tell", ()):
        assert part not in str([one.data for one in talk.traces]), part
