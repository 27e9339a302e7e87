"""Scripted conversations with a served project, and whether each has come to what it was for.

What is looked at is what the product itself says of a turn: its reply, its state, and the events of its trace.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from abl.folders import is_project_file
from benchmarks.serving import ROOT, Served
from cli.mocks import tool_mocks

STORIES = Path(__file__).with_name("embedded_stories.yaml")
EXAMPLES = ROOT / "examples"
ANSWER_S = 180.0
MAX_FAULT_CHARS = 200


@dataclass(slots=True)
class Told:
    """What a conversation has shown: replies, values, and the data of its trace events by type."""

    replies: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(
        self, reply: str, values: Mapping[str, Any] | None, action: str, events: Iterable[Mapping[str, Any]]
    ) -> None:
        """Take what one turn has shown."""
        self.replies.append(reply)
        self.values |= values or {}
        self.actions.append(action)
        self.events += [(one["type"], one["data"]) for one in events]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of all events of a type."""
        return [data for name, data in self.events if name == kind]


def stories() -> list[dict[str, Any]]:
    """Return the conversations."""
    found: list[dict[str, Any]] = yaml.safe_load(STORIES.read_text(encoding="utf-8"))
    return found


def texts_of(example: str) -> dict[str, str]:
    """Return name -> text of the files of an example, all in one folder."""
    files = [path for path in sorted((EXAMPLES / example).rglob("*")) if is_project_file(path.name)]
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def mocks_of(story: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the tools of a conversation answer: those of its example, but for what it says itself."""
    answers = {one["toolName"]: one for one in tool_mocks(str(EXAMPLES / story["example"] / "mocks.yaml"))}
    answers |= {name: {"toolName": name, "response": answer} for name, answer in story.get("tools", {}).items()}
    return list(answers.values())


def hold(served: Served, story: Mapping[str, Any]) -> Told:
    """Hold one conversation over HTTP; return what it has shown. A turn that fails ends it."""
    told, session = Told(), ""
    mocks = mocks_of(story)
    for text in story["turns"]:
        body: dict[str, Any] = {"projectId": served.project_id, "message": text, "includeTraces": True}
        body |= (
            {"sessionId": session}
            if session
            else {"testContext": {"toolMocks": mocks, "sessionVariables": story.get("variables", {})}}
        )
        try:
            answer = post(served, body)
        except urllib.error.HTTPError as error:
            with error:
                told.faults.append(error.read().decode()[:MAX_FAULT_CHARS])
            break
        except TimeoutError:
            told.faults.append(f"no answer in {ANSWER_S:g} s")
            break
        session = answer["sessionId"]
        told.add(answer["response"], answer.get("state"), answer["action"]["type"], answer.get("traceEvents") or ())
    return told


def post(served: Served, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to one message."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{served.port}/api/v1/chat/agent",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "X-API-Key": served.key},
    )
    with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
        found: dict[str, Any] = json.loads(answer.read())
    return found


def missed(told: Told, goal: Mapping[str, Any]) -> list[str]:
    """Return what of the goal was not reached, in words; nothing when all was."""
    found = [f"no call {one}" for one in goal.get("calls", ()) if not _was_called(told, one)]
    if "agent" in goal and goal["agent"] not in [one.get("toAgent") or one.get("to") for one in told.of("handoff")]:
        found.append(f"not handed to {goal['agent']}")
    if goal.get("escalated") and "escalate" not in told.actions:
        found.append("no person was asked")
    found += [
        f"{name} is {told.values.get(name)!r}"
        for name, value in goal.get("values", {}).items()
        if told.values.get(name) != value
    ]
    if "contains" in goal and not any(goal["contains"] in reply for reply in told.replies):
        found.append(f"no reply holds {goal['contains']!r}")
    return found + told.faults


def _was_called(told: Told, wanted: Mapping[str, Any]) -> bool:
    return any(
        one.get("toolName") == wanted["tool"]
        and all(_fits(one.get("parameters", {}).get(name), value) for name, value in wanted.get("args", {}).items())
        for one in told.of("tool_call")
    )


def _fits(value: object, wanted: object) -> bool:
    """Return whether an argument is what is wanted; of a text it is enough that it holds the word."""
    return wanted.casefold() in str(value).casefold() if isinstance(wanted, str) else value == wanted
