"""Buttons and forms with the real runtime behind them: each is run once, and answers only what is open.

Spec: platform-api 4.1, 5.9, 12.4, 13.2.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.flows_gateway.test_contract import CHAT
from tests.flows_gateway.test_sockets import say, until
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio

DESK = """\
AGENT: Desk
GOAL: "Book a seat"

MEMORY:
  session:
    - NAME: presses
      TYPE: number
      INITIAL: 0

FLOW:
  entry_point: menu

  menu:
    REASONING: false
    RESPOND: "What is it?"
      ACTIONS:
        RENDER_ID: menu_set
        - BUTTON: "A seat" -> seat
          VALUE: "I want a seat"
        - SELECT: "Hub"
          ID: hub
          OPTIONS:
            - "Berlin" -> ber
            - "Wien" -> vie
        - INPUT: "How many"
          ID: how_many
          INPUT_TYPE: number
    ON_ACTION:
      seat:
        SET: presses = presses + 1
        RESPOND: "press {{presses}}: {{input}}"
        TRANSITION: form
      hub:
        RESPOND: "hub {{_action.value}}"
        TRANSITION: menu
      how_many:
        RESPOND: "{{_action.formData.how_many}} of them"
        TRANSITION: menu
    ON_INPUT:
      - IF: input == "form"
        THEN: form
      - ELSE:
        RESPOND: "you said {{input}}"
        THEN: listen

  form:
    REASONING: false
    RESPOND: "Which seat?"
      FORMATS:
        FORM:
          title: "Your seat"
          fields:
            - {id: seat, label: Seat, type: select, required: true, options: [window, aisle]}
            - {id: mail, label: Mail, type: email}
          submit_label: "Take it"
      ACTIONS:
        SUBMIT_LABEL: "Take it"
        SUBMIT_ID: seat-form
        - INPUT: "Day"
          ID: day
          INPUT_TYPE: date
          REQUIRED: true
    ON_ACTION:
      seat-form:
        SET: presses = presses + 1
        RESPOND: "booked {{presses}}: {{_action.formData.seat}} on {{_action.formData.day}}"
        TRANSITION: listen
    ON_INPUT:
      - IF: input == "move"
        THEN: listen
      - ELSE:
        RESPOND: "first the form, please"

  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "again"
        THEN: menu
      - ELSE:
        RESPOND: "heard {{input}}"
        THEN: listen
"""
TEXTS = {"d.abl": DESK}
FORM = {"actionId": "seat-form", "formData": {"seat": "window", "day": "2026-12-01"}}


async def asked(socket: Any, text: str, message_id: str) -> dict[str, Any]:
    """Return the end of the answer to a message."""
    await say(socket, type="chat_message", text=text, messageId=message_id)
    return (await until(socket, "response_end"))[-1]


async def test_a_repeated_form_is_acknowledged_again_and_runs_once(servers: Servers) -> None:
    async with a_live_gateway(servers, "form-twice", TEXTS) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            await asked(socket, "hello", "m1")
            assert (await asked(socket, "form", "m2"))["fullText"] == "Which seat?"
            for _ in range(3):
                await say(socket, type="action_submit", messageId="f1", **FORM)
            await say(socket, type="ping")
            told = await until(socket, "pong")
            assert [frame["messageId"] for frame in told if frame["type"] == "message_ack"] == ["f1"] * 3
            told += (
                [] if any(frame["type"] == "response_end" for frame in told) else await until(socket, "response_end")
            )
            ends = [frame["fullText"] for frame in told if frame["type"] == "response_end"]
            assert ends == ["booked 1: window on 2026-12-01"]
        async with gateway.socket(token) as socket:
            await say(socket, type="action_submit", messageId="f1", id="x", **FORM)
            ack = (await until(socket, "message_ack"))[-1]
            assert (ack["messageId"], ack["replyTo"]) == ("f1", "x")
            assert (await asked(socket, "on", "m4"))["fullText"] == "heard on"


async def test_another_form_under_an_id_that_was_used_is_a_conflict(servers: Servers) -> None:
    async with (
        a_live_gateway(servers, "form-other", TEXTS) as gateway,
        gateway.socket(await gateway.page_token()) as socket,
    ):
        await asked(socket, "hello", "m1")
        await asked(socket, "form", "m2")
        await say(socket, type="action_submit", messageId="f1", **FORM)
        await until(socket, "response_end")
        other = {**FORM, "formData": {"seat": "aisle", "day": "2026-12-01"}}
        await say(socket, type="action_submit", messageId="f1", **other)
        error = (await until(socket, "error"))[-1]
        assert (error["code"], error["messageId"]) == ("BAD_REQUEST", "f1")
        assert error["reason"] == "IDEMPOTENCY_KEY_REUSED"
        assert error["fatal"] is False


async def test_forms_and_buttons_are_taken_over_http_under_the_key_of_their_turn(servers: Servers) -> None:
    async with a_live_gateway(servers, "form-http", TEXTS) as gateway:
        first = await post(gateway, message="hello")
        session_id = first["sessionId"]
        told = await post(gateway, "press", sessionId=session_id, action={"actionId": "seat"})
        assert told["response"] == "press 1: I want a seat\n\nWhich seat?"
        again = await post(gateway, "press", sessionId=session_id, action={"actionId": "seat"})
        assert again == told
        other = await send(gateway, "press", sessionId=session_id, action={"actionId": "hub", "value": "ber"})
        assert (other.status, reason_of(other)) == (409, "IDEMPOTENCY_KEY_REUSED")
        events = await streamed(gateway, sessionId=session_id, action=FORM)
        assert events["complete"]["response"] == "booked 2: window on 2026-12-01"
        assert events["response_start"]["answers"] == told["messageId"]
        assert events["response_end"]["openActions"] is None


async def test_a_page_may_send_a_form_over_http(servers: Servers) -> None:
    async with a_live_gateway(servers, "form-page", TEXTS) as gateway:
        page = {"x-api-key": "", "x-sdk-token": await gateway.page_token()}
        body = {"projectId": gateway.project_id}
        assert (await gateway.call("POST", CHAT, {**body, "message": "hello"}, page)).status == 200
        told = await gateway.call("POST", CHAT, {**body, "action": {"actionId": "hub", "value": "ber"}}, page)
        assert told.json()["response"] == "hub ber\n\nWhat is it?"


@pytest.mark.parametrize(
    ("action", "status", "reason", "path"),
    [
        ({"actionId": "nobody"}, 400, "UNKNOWN_ACTION", "/action/actionId"),
        ({"actionId": "seat-form"}, 400, "UNKNOWN_ACTION", "/action/actionId"),
        ({"actionId": "seat", "value": "no seat"}, 400, "INVALID_ACTION_VALUE", "/action/value"),
        ({"actionId": "hub", "value": "muc"}, 400, "INVALID_ACTION_VALUE", "/action/value"),
        ({"actionId": "how_many", "value": "few"}, 400, "INVALID_ACTION_VALUE", "/action/value"),
        ({"actionId": "seat", "formData": {"x": "y"}}, 400, "INVALID_ACTION_VALUE", "/action/formData/x"),
        ({"actionId": "seat", "renderId": "other_set"}, 409, "ACTION_CLOSED", None),
    ],
)
async def test_what_was_not_offered_is_refused_and_leaves_all_as_it_was(
    servers: Servers, action: dict[str, Any], status: int, reason: str, path: str | None
) -> None:
    async with a_live_gateway(servers, "not-offered", TEXTS) as gateway:
        token = await gateway.page_token()
        async with gateway.socket(token) as socket:
            shown = await asked(socket, "hello", "m1")
            session_id, message_id = shown["sessionId"], shown["messageId"]
            refused = await send(gateway, sessionId=session_id, action=action)
            assert (refused.status, reason_of(refused)) == (status, reason)
            fields = refused.json()["error"]["details"].get("fields", [{"path": None}])
            assert [one["path"] for one in fields] == [path]
            await say(socket, type="action_submit", messageId="f1", **action)
            told = await until(socket, "error")
            assert "response_start" not in {frame["type"] for frame in told}
            assert (told[-1]["messageId"], told[-1]["reason"], told[-1]["fatal"]) == ("f1", reason, False)
            assert told[-1]["code"] == ("BAD_REQUEST" if status == 409 else "VALIDATION_ERROR")
            await say(socket, type="action_submit", messageId="f2", actionId="seat", renderId=message_id)
            assert (await until(socket, "response_end"))[-1]["fullText"].startswith("press 1: I want a seat")


async def test_a_first_message_that_is_an_action_is_refused_and_leaves_no_session(servers: Servers) -> None:
    async with a_live_gateway(servers, "first-press", TEXTS) as gateway:
        refused = await send(gateway, action={"actionId": "seat"})
        assert (refused.status, reason_of(refused)) == (409, "ACTION_CLOSED")
        listed = (await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions")).json()
        assert listed["total"] == 0


async def test_a_message_is_needed_where_there_is_no_action(servers: Servers) -> None:
    async with a_live_gateway(servers, "no-words", TEXTS) as gateway:
        for body, code in (({}, "BAD_REQUEST"), ({"message": ""}, "VALIDATION_ERROR"), ({"action": 5}, None)):
            refused = await send(gateway, **body)
            assert refused.status == 400
            told = refused.json()["error"]
            assert code in (None, told["code"])
            assert [one["path"] for one in told["details"]["fields"]] == ["/action" if "action" in body else "/message"]


async def test_what_was_answered_is_open_no_more(servers: Servers) -> None:
    async with a_live_gateway(servers, "once", TEXTS) as gateway:
        told = await post(gateway, message="hello")
        session_id, menu = told["sessionId"], told["messageId"]
        form = await post(gateway, sessionId=session_id, action={"actionId": "seat"})
        for render_id in (menu, "menu_set"):
            late = await send(gateway, sessionId=session_id, action={"actionId": "seat", "renderId": render_id})
            assert (late.status, reason_of(late)) == (409, "ACTION_CLOSED")
        late = await send(gateway, sessionId=session_id, action={"actionId": "seat"})
        assert (late.status, reason_of(late)) == (400, "UNKNOWN_ACTION")
        done = await post(gateway, sessionId=session_id, action={**FORM, "renderId": form["messageId"]})
        assert done["response"].startswith("booked 2")
        late = await send(gateway, sessionId=session_id, action=FORM)
        assert (late.status, reason_of(late)) == (409, "ACTION_CLOSED")


async def test_a_form_stays_open_while_the_conversation_stands_where_it_was_shown(servers: Servers) -> None:
    async with a_live_gateway(servers, "stands", TEXTS) as gateway:
        session_id = (await post(gateway, message="hello"))["sessionId"]
        form = await post(gateway, sessionId=session_id, message="form")
        aside = await streamed(gateway, sessionId=session_id, message="what is a seat?")
        assert aside["response_end"]["fullText"] == "first the form, please"
        assert aside["response_end"]["openActions"] == form["messageId"]
        moved = await streamed(gateway, sessionId=session_id, message="move")
        assert moved["response_end"]["openActions"] is None
        late = await send(gateway, sessionId=session_id, action=FORM)
        assert (late.status, reason_of(late)) == (409, "ACTION_CLOSED")


async def test_a_reset_and_the_end_of_a_session_close_its_forms(servers: Servers) -> None:
    async with a_live_gateway(servers, "closed", TEXTS) as gateway:
        session_id = (await post(gateway, message="hello"))["sessionId"]
        place = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
        assert (await gateway.call("POST", f"{place}/reset", {})).status == 200
        late = await send(gateway, sessionId=session_id, action={"actionId": "seat"})
        assert (late.status, reason_of(late)) == (409, "ACTION_CLOSED")
        assert (await post(gateway, sessionId=session_id, message="hello"))["actions"]
        assert (await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {})).status == 200
        late = await send(gateway, sessionId=session_id, action={"actionId": "seat"})
        assert (late.status, reason_of(late)) == (409, "SESSION_ENDED")


async def send(gateway: LiveGateway, key: str = "", **body: Any) -> Answer:
    """Return the answer to a turn over HTTP."""
    headers = {"idempotency-key": key} if key else {}
    return await gateway.call("POST", CHAT, {"projectId": gateway.project_id, **body}, headers)


async def post(gateway: LiveGateway, key: str = "", **body: Any) -> dict[str, Any]:
    """Return what a turn answered."""
    answer = await send(gateway, key, **body)
    assert answer.status == 200, answer.body
    told: dict[str, Any] = answer.json()
    return told


async def streamed(gateway: LiveGateway, **body: Any) -> dict[str, dict[str, Any]]:
    """Return the last event of each kind of a turn's stream."""
    headers = {"accept": "text/event-stream"}
    answer = await gateway.call("POST", CHAT, {"projectId": gateway.project_id, **body}, headers)
    events: dict[str, dict[str, Any]] = {}
    for block in answer.body.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and line[0] != ":")
        if "event" in fields:
            events[fields["event"]] = json.loads(fields["data"])
    return events


def reason_of(answer: Answer) -> str:
    """Return why a request was refused."""
    return str(answer.json()["error"]["details"]["reason"])
