"""Conversations in files: what is said, what must come back, and that the recorded facts fold to the same bytes.

A file of `tests/corpus/turns` holds the agents (`agents:` text or `example:` project), the scripted outcomes of tools
and models, and the turns with what each must lead to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from domain.messages import ActionEvent, Attachment
from engine import CallbackArrived, HumanResolved, ModelFailed, SuspensionExpired, TestContext, ToolMock
from engine.testing import Conversation, fails, gives, program_of, replayed, same_bytes, says, uses

ROOT = Path(__file__).parents[3]
CORPUS = ROOT / "tests" / "corpus" / "turns"
FILES = sorted(CORPUS.glob("*.yaml"))


def files_of(case: dict[str, Any]) -> dict[str, str]:
    if "example" in case:
        folder = ROOT / "examples" / case["example"]
        return {str(path): path.read_text("utf-8") for path in sorted(folder.rglob("*.abl"))}
    return {"agents.abl": case["agents"], **({"tools.tools.abl": case["tool_file"]} if "tool_file" in case else {})}


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
        return uses(*[(name, arguments) for name, arguments in written["uses"]])
    return says(written["says"])


def conversation_of(case: dict[str, Any]) -> Conversation:
    return Conversation(
        program_of(files_of(case)),
        tools={name: result_of(written) for name, written in case.get("tools", {}).items()},
        model=[reply_of(one) for one in case.get("model", ())],
        reads=[reply_of(one) for one in case.get("reads", ())],
        memory=dict(case.get("memory", {})),
    )


def begun_of(case: dict[str, Any]) -> dict[str, Any]:
    given = dict(case.get("begin", {}))
    if "test_context" in given:
        context = dict(given["test_context"])
        context["tool_mocks"] = tuple(ToolMock(**one) for one in context.get("tool_mocks", ()))
        given["test_context"] = TestContext(**context)
    return given


def play(talk: Conversation, turn: dict[str, Any]) -> str:
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
    if "press" in turn:
        event = ActionEvent(turn["press"], str(turn.get("value", "")), form=turn.get("form", {}))
        return talk.say("", action=event)
    files = [Attachment(**one) for one in turn.get("attachments", ())]
    return talk.say(turn["say"], metadata=turn.get("metadata"), attachments=files)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_recorded_conversation_goes_as_written_and_folds_to_the_same_bytes(path: Path) -> None:
    case = yaml.safe_load(path.read_text("utf-8"))
    talk = conversation_of(case)
    if "opening" in case or "begin" in case:
        opening = talk.begin(**begun_of(case))
        assert opening == case.get("opening", opening)
    for number, turn in enumerate(case["turns"], 1):
        reply = play(talk, turn)
        where = f"turn {number}: {reply!r}"
        if "reply" in turn:
            assert reply == turn["reply"].strip("\n"), where
        for part in turn.get("contains", ()):
            assert part in reply, where
        for part in turn.get("lacks", ()):
            assert part not in reply, where
        end = talk.ends[-1]
        if "action" in turn:
            wanted = turn["action"] if isinstance(turn["action"], dict) else {"type": turn["action"]}
            assert wanted.items() <= end.action.items(), where
        assert end.status == turn.get("status", end.status), where
    check_end(talk, case.get("expect", {}))
    state, effects = replayed(talk.program, talk.facts)
    assert same_bytes(state, talk.state)
    assert effects == talk.effects


def check_end(talk: Conversation, expected: dict[str, Any]) -> None:
    thread = talk.state.threads[expected.get("agent", talk.state.active)]
    for name, value in expected.get("variables", {}).items():
        assert thread.variables.get(name) == value, name
    for path, value in expected.get("memory", {}).items():
        assert talk.memory.get(path) == value, path
    assert talk.state.active == expected.get("active", talk.state.active)
    assert set(expected.get("traces", ())) <= {one.type.value for one in talk.traces}
    made = [type(one).__name__ for one in talk.effects]
    for name, count in expected.get("effects", {}).items():
        assert made.count(name) == count, name
    for wanted in expected.get("events", ()):
        kind, data = wanted["type"], {key: value for key, value in wanted.items() if key != "type"}
        assert any(one.type == kind and data.items() <= one.data.items() for one in talk.traces), wanted
    for part in expected.get("prompt_contains", ()):
        prompts = [one.request.messages[0].content for one in talk.effects if type(one).__name__ == "AskModel"]
        assert any(part in prompt for prompt in prompts), part
