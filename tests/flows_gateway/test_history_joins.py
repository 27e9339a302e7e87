"""The history of a session and its numbered output join: whatever is cut where, nothing is missing and nothing twice.

Spec: platform-api 5.9, 12.6; decision 0076.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from actors.clocks import RandomIds
from actors.projects import TENANT_ID
from storage.repositories.api_keys import ApiKeys, NewKey
from tests.flows_gateway.test_sockets import say, until
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio

DESK = """\
AGENT: Desk
GOAL: "Find a room"

TOOLS:
  find_room(day: string) -> {room: string}
    description: "Finds a room"
    type: http
    endpoint: "https://rooms.example/free"
    method: POST

HANDOFF:
  - TO: Concierge
    WHEN: false

MEMORY:
  session:
    - NAME: day
      INITIAL: ""

FLOW:
  entry_point: ask

  ask:
    REASONING: false
    RESPOND: "For which day?"
      ACTIONS:
        SUBMIT_ID: day-form
        - INPUT: "Day"
          ID: day
          INPUT_TYPE: date
          REQUIRED: true
    ON_ACTION:
      day-form:
        SET: day = _action.formData.day
        TRANSITION: look
    ON_INPUT:
      - ELSE:
        RESPOND: "a day, please"

  look:
    REASONING: false
    CALL: find_room(day)
      AS: found
    ON_SUCCESS:
      RESPOND: "{{found.room}} is free"
      THEN: offer
    ON_FAILURE:
      RESPOND: "Nothing is free"
      THEN: ask

  offer:
    REASONING: false
    RESPOND: "Take it?"
      ACTIONS:
        RENDER_ID: offer
        - BUTTON: "Yes" -> yes
        - BUTTON: "No" -> no
    ON_ACTION:
      yes:
        HANDOFF: Concierge
      no:
        TRANSITION: ask
"""
CONCIERGE = 'AGENT: Concierge\nGOAL: "Welcome guests"\nPERSONA: "Warm"\n'
TEXTS = {"desk.abl": DESK, "concierge.abl": CONCIERGE}
ROOM = {"toolName": "find_room", "response": {"room": "Room 7"}}
WORDS = "Welcome to the house and have a very good stay"
STORY: tuple[dict[str, Any], ...] = (
    {"type": "chat_message", "text": "hello"},
    {"type": "chat_message", "text": "what is a day?"},
    {"type": "action_submit", "actionId": "day-form", "formData": {"day": "2026-12-01"}},
    {"type": "action_submit", "actionId": "yes", "renderId": "offer"},
    {"type": "chat_message", "text": "thank you"},
)
OWN = frozenset({"session_start", "message_ack", "pong"})
"""Frames of a connection; all others are the session's output."""


async def told_until_answered(socket: ClientConnection, frames: list[dict[str, Any]], turns: int) -> None:
    """Read output until so many turns have ended in it."""
    while sum(frame["type"] == "response_end" for frame in frames) < turns:
        frames += [frame for frame in await until(socket, "response_end") if frame["type"] not in OWN]


async def history(gateway: LiveGateway, token: str, session_id: str, query: str = "") -> dict[str, Any]:
    """Return what a page reads with the credential that it has."""
    path = f"/api/projects/{gateway.project_id}/sessions/{session_id}/messages{query}"
    answer = await gateway.call("GET", path, None, {"x-api-key": "", "x-sdk-token": token})
    assert answer.status == 200, answer.body
    told: dict[str, Any] = answer.json()
    return told


PUBLIC_KEYS: dict[str, str] = {}
"""Token of a page -> the public key that it was made with."""


async def init(gateway: LiveGateway, token: str, resume_token: str) -> str:
    """Return the token of a page that was loaded again."""
    headers = {"x-api-key": "", "x-public-key": PUBLIC_KEYS[token]}
    body = {"projectId": gateway.project_id, "resumeToken": resume_token}
    answer = await gateway.call("POST", "/api/v1/sdk/init", body, headers)
    assert answer.json()["sessionId"], answer.body
    return str(answer.json()["token"])


async def busy_page(gateway: LiveGateway) -> str:
    """Return the token of a page that is shown what its agents are busy with."""
    ids = RandomIds()
    details = {"allowedOrigins": ["*"], "requireOrigin": False, "showActivityUpdates": True}
    key = NewKey(
        key_id=ids.new("key"), plaintext=f"pk_{ids.new('')}", kind="public", project_id=gateway.project_id,
        details=details,
    )  # fmt: skip
    await ApiKeys(gateway.running.database).create(TENANT_ID, key)
    headers = {"x-api-key": "", "x-public-key": key.plaintext}
    answer = await gateway.call("POST", "/api/v1/sdk/init", {"projectId": gateway.project_id}, headers)
    token = str(answer.json()["token"])
    PUBLIC_KEYS[token] = key.plaintext
    return token


def as_told(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return frames without their times, and without what clears a status that another socket may have been told."""
    told = [{name: value for name, value in frame.items() if name != "timestamp"} for frame in frames]
    return [frame for frame in told if frame["type"] != "status_clear" or frame["text"]]


async def run_cut_at(gateway: LiveGateway, cut: int) -> int:
    """Run the story, cut behind so many frames of output; return how many there are in all."""
    token = await busy_page(gateway)
    before: list[dict[str, Any]] = []
    sent = 0
    async with gateway.socket(token) as socket:
        session_id = (await until(socket, "session_start"))[-1]["sessionId"]
        for number, frame in enumerate(STORY, 1):
            await say(socket, **frame, messageId=f"m{number}")
            await until(socket, "message_ack")
            sent = number
            while len(before) < cut and sum(one["type"] == "response_end" for one in before) < number:
                told = json.loads(await socket.recv())
                before += [told] if told["type"] not in OWN else []
            if len(before) == cut:
                break
    page = await history(gateway, token, session_id)
    reached = page["lastSeq"]
    known = {row["id"]: row for row in page["messages"]}
    open_actions = page["openActions"]
    after: list[dict[str, Any]] = []
    async with gateway.socket(token, f"?lastSeq={reached}") as socket:
        told_already = sum(row["role"] == "assistant" for row in page["messages"])
        await told_until_answered(socket, after, sent - told_already)
        for number, frame in list(enumerate(STORY, 1))[sent:]:
            await say(socket, **frame, messageId=f"m{number}")
            await told_until_answered(socket, after, number - told_already)
    async with gateway.socket(token, "?lastSeq=0") as socket:
        whole: list[dict[str, Any]] = []
        await told_until_answered(socket, whole, len(STORY))
    last = await history(gateway, token, session_id)
    ends = [frame for frame in whole if frame["type"] == "response_end"]
    assert as_told(after) == as_told([frame for frame in whole if frame["seq"] > reached])
    assert all(frame["seq"] <= whole[-1]["seq"] for frame in before)
    in_history = [(row["id"], row["content"]) for row in page["messages"] if row["role"] == "assistant"]
    assert in_history == [(end["messageId"], end["fullText"]) for end in ends if end["seq"] <= reached]
    for frame in after:  # what a page makes of the frames is what the history says in the end
        if frame["type"] == "response_start" and frame.get("answers"):
            assert open_actions == frame["answers"]
            open_actions = None
        if frame["type"] == "response_end":
            open_actions = frame["openActions"]
            known[frame["messageId"]] = {"content": frame["fullText"]}
    assert open_actions == last["openActions"]
    assert {row["id"] for row in last["messages"] if row["role"] == "assistant"} <= set(known)
    assert last["lastSeq"] >= whole[-1]["seq"]
    said = [row for row in last["messages"] if row["role"] == "user"]
    assert [row["clientMessageId"] for row in said] == [f"m{number}" for number in range(1, len(STORY) + 1)]
    return len(whole)


async def test_the_history_and_the_output_behind_it_join_at_every_cut_of_a_story(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text=WORDS, deltas=4)) as model,
        a_live_gateway(servers, "join", TEXTS, model_url=model.base_url, tool_mocks=(ROOM,)) as gateway,
    ):
        count = await run_cut_at(gateway, 1)
        assert count > 20
        for cut in range(2, count + 1):
            assert await run_cut_at(gateway, cut) == count


async def test_a_form_that_is_being_answered_does_not_wake_up(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text=WORDS, deltas=4, holds_after=1)) as model,
        a_live_gateway(servers, "wakes", TEXTS, model_url=model.base_url, tool_mocks=(ROOM,)) as gateway,
    ):
        token = await busy_page(gateway)
        async with gateway.socket(token) as socket:
            began = (await until(socket, "session_start"))[-1]
            session_id = began["sessionId"]
            for number, frame in enumerate(STORY[:3], 1):
                await say(socket, **frame, messageId=f"m{number}")
                offer = (await until(socket, "response_end"))[-1]["messageId"]
            await say(socket, **STORY[3], messageId="m4")
            await until(socket, "response_chunk")
        page = await history(gateway, token, session_id)
        states = [row["actionState"] for row in page["messages"] if "actionState" in row]
        assert states == ["answered", "open"]
        assert page["openActions"] == offer
        reloaded = await init(gateway, token, began["resumeToken"])
        async with gateway.socket(reloaded) as late, gateway.socket(token, f"?lastSeq={page['lastSeq']}") as socket:
            start = (await until(socket, "response_start"))[-1]
            assert start["answers"] == offer
            again = await until(late, "response_start")  # who names no number hears the answer that runs, whole
            assert [frame["type"] for frame in again] == ["session_start", "response_start"]
            assert (again[0]["lastSeq"], again[1]["messageId"]) == (page["lastSeq"], start["messageId"])
            model.may_go_on.set()
            end = (await until(socket, "response_end"))[-1]
            assert (end["messageId"], end["openActions"]) == (start["messageId"], None)
        page = await history(gateway, token, session_id)
        told = {row["id"]: row for row in page["messages"]}
        assert told[offer]["actionState"] == "answered"
        answer = told[offer]["answer"]
        assert (answer["actionId"], answer["value"], answer["renderId"]) == ("yes", "yes", "offer")
        pressed = told[answer["messageId"]]
        assert (pressed["role"], pressed["clientMessageId"], pressed["timestamp"]) == (
            "user", "m4", answer["timestamp"],
        )  # fmt: skip
        assert pressed["action"] == {"actionId": "yes", "value": "yes", "renderId": "offer", "answers": offer}


async def test_every_page_of_any_size_says_how_far_it_goes_and_what_became_of_forms(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text=WORDS, deltas=4)) as model,
        a_live_gateway(servers, "pages", TEXTS, model_url=model.base_url, tool_mocks=(ROOM,)) as gateway,
    ):
        token = await busy_page(gateway)
        async with gateway.socket(token) as socket:
            session_id = (await until(socket, "session_start"))[-1]["sessionId"]
            for number, frame in enumerate(STORY, 1):
                await say(socket, **frame, messageId=f"m{number}")
                await until(socket, "response_end")
            await say(socket, type="chat_message", text="x", messageId="m9")
            await until(socket, "response_end")
        whole = await history(gateway, token, session_id)
        async with gateway.socket(token, "?lastSeq=0") as socket:
            ends = [(await until(socket, "response_end"))[-1] for _ in range(len(STORY) + 1)]
        for direction in ("asc", "desc"):
            rows = whole["messages"][:: 1 if direction == "asc" else -1]
            for limit in range(1, len(rows) + 1):
                read: list[Any] = []
                query = f"?limit={limit}&direction={direction}"
                cursor = ""
                while cursor is not None:
                    page = await history(gateway, token, session_id, query + (cursor and f"&cursor={cursor}"))
                    read += page["messages"]
                    newest = max(whole["messages"].index(row) for row in page["messages"])
                    told = [row["id"] for row in whole["messages"][: newest + 1] if row["role"] == "assistant"]
                    assert [end["messageId"] for end in ends if end["seq"] <= page["lastSeq"]] == told
                    assert page["openActions"] == whole["openActions"]
                    cursor = page["nextCursor"]
                assert read == rows
        behind = await history(gateway, token, session_id, f"?cursor={len(whole['messages'])}")
        assert (behind["messages"], behind["lastSeq"]) == ([], whole["lastSeq"])


async def test_an_end_and_a_reset_close_what_is_open_in_the_history(servers: Servers) -> None:
    async with a_live_gateway(servers, "ends", TEXTS, tool_mocks=(ROOM,)) as gateway:
        body = {"projectId": gateway.project_id, "message": "hello"}
        reply = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()
        path = f"/api/projects/{gateway.project_id}/sessions/{reply['sessionId']}"

        async def states() -> tuple[list[str], str | None]:
            page = (await gateway.call("GET", f"{path}/messages")).json()
            return [row["actionState"] for row in page["messages"] if "actionState" in row], page["openActions"]

        assert await states() == (["open"], reply["messageId"])
        assert (await gateway.call("POST", f"{path}/reset", {})).status == 200
        assert await states() == (["closed"], None)
        again = (await gateway.call("POST", "/api/v1/chat/agent", {**body, "sessionId": reply["sessionId"]})).json()
        assert await states() == (["closed", "open"], again["messageId"])
        end = f"/api/v1/sessions/{reply['sessionId']}/end"
        assert (await gateway.call("POST", end, {})).status == 200
        assert await states() == (["closed", "closed"], None)


async def test_the_history_of_a_session_that_has_said_nothing_begins_the_output(servers: Servers) -> None:
    async with a_live_gateway(servers, "silent", TEXTS, tool_mocks=(ROOM,)) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            session_id = (await until(socket, "session_start"))[-1]["sessionId"]
            page = await history(gateway, token, session_id)
            assert (page["messages"], page["lastSeq"], page["openActions"]) == ([], 0, None)
