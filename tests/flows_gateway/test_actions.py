"""Buttons and forms with the real runtime behind them: each is run once, and answers only what is open.

Spec: platform-api 4.1, 5.9, 12.4, 13.2.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.flows_gateway.test_sockets import say, until
from tests.support.live_gateway import a_live_gateway
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
            acks = [(await until(socket, "message_ack"))[-1]["messageId"] for _ in range(2)]
            assert acks == ["f1", "f1"]
            assert (await until(socket, "response_end"))[-1]["fullText"] == "booked 1: window on 2026-12-01"
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
