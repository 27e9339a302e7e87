"""Ratings and activity over real sockets, with the real runtime and store behind them. Spec: platform-api 12.4."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from actors.projects import TENANT_ID
from storage.statements import Statement
from tests.flows_gateway.test_contract import CLERK
from tests.flows_gateway.test_sockets import say, until
from tests.support.live_gateway import LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stories import a_workshop

pytestmark = pytest.mark.anyio
KEPT = Statement("""
    SELECT feedback_id, rating, stars, comment FROM feedback
    WHERE tenant_id = :tenant_id AND session_id = :session_id ORDER BY message_id
""")
ANSWERS_LATE_S = 1.0
BUSY = """\
AGENT: Busy
GOAL: "Look it up and ask"

TOOLS:
  look(code: string) -> {{done: boolean}}
    description: "Looks"
    type: http
    endpoint: "{url}"
    method: POST

DELEGATE:
  - AGENT: Helper
    WHEN: input CONTAINS "ask"
    PURPOSE: "Help"
    INPUT: {{question: input}}
    RETURNS: {{answer: help}}
    USE_RESULT: "Said: {{{{help}}}}"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: look
  look:
    REASONING: false
    CALL: look(input)
      AS: seen
    RESPOND: "seen"
    THEN: listen
"""
HELPER = """\
AGENT: Helper
GOAL: "Help"

FLOW:
  entry_point: work
  work:
    REASONING: false
    SET: answer = "yes"
    RESPOND: "done"
    THEN: COMPLETE
"""


@asynccontextmanager
async def said(gateway: LiveGateway) -> AsyncIterator[tuple[ClientConnection, str, str]]:
    """Yield a page's socket, its session, and the id of an answer."""
    async with gateway.socket(await gateway.page_token()) as socket:
        session_id = (await until(socket, "session_start"))[-1]["sessionId"]
        await say(socket, type="chat_message", text="hello", messageId="m1")
        yield socket, session_id, (await until(socket, "response_end"))[-1]["messageId"]


async def rated(socket: ClientConnection, **fields: Any) -> dict[str, Any]:
    await say(socket, type="feedback.submit", **fields)
    return (await until(socket, "feedback.ack"))[-1]


async def test_an_answer_is_rated_over_a_socket_and_the_rating_is_the_one_of_http(servers: Servers) -> None:
    async with (
        a_live_gateway(servers, "rated", {"c.abl": CLERK}) as gateway,
        said(gateway) as (socket, session, answer),
    ):
        first = await rated(
            socket,
            id="f1",
            messageId=answer,
            ratingType="star",
            ratingValue=9,
            feedbackText="Good",
            actionRenderId="r1",
        )
        assert (first["success"], first["messageId"], first["replyTo"], first["actionRenderId"]) == (
            *(True, answer, "f1", "r1"),
        )
        again = await rated(socket, messageId=answer, ratingType="thumbs", ratingValue=0)
        assert (again["success"], again["feedbackId"]) == (True, first["feedbackId"])
        rows = await gateway.running.database.rows(KEPT, tenant_id=TENANT_ID, session_id=session)
        assert [tuple(row) for row in rows] == [(first["feedbackId"], "negative", None, "")]
        for fields, code in (
            ({"messageId": "msg_unknown", "ratingType": "thumbs", "ratingValue": 1}, "NOT_FOUND"),
            ({"messageId": answer, "ratingType": "star", "ratingValue": 11}, "VALIDATION_ERROR"),
            ({"messageId": answer, "ratingType": "text"}, "VALIDATION_ERROR"),
        ):
            refused = await rated(socket, **fields)
            assert (refused["success"], refused["error"]["code"]) == (False, code)
            assert "feedbackId" not in refused
        await say(socket, type="feedback.submit", messageId=answer, ratingType="smile")
        assert (await until(socket, "error"))[-1]["code"] == "VALIDATION_ERROR"


async def test_feedback_of_another_session_is_not_found_and_two_gateways_keep_one(servers: Servers) -> None:
    async with (
        a_live_gateway(servers, "rated-twice", {"c.abl": CLERK}) as one,
        another_gateway(one) as other,
        said(one) as (socket, _, answer),
        said(other) as (stranger, theirs, _),
    ):
        refused = await rated(stranger, messageId=answer, ratingType="thumbs", ratingValue=0)
        assert (refused["success"], refused["error"]["code"]) == (False, "NOT_FOUND")
        assert await one.running.database.rows(KEPT, tenant_id=TENANT_ID, session_id=theirs) == []
        acks = [await rated(socket, messageId=answer, ratingType="thumbs", ratingValue=1) for _ in range(3)]
        assert len({ack["feedbackId"] for ack in acks}) == 1


async def test_a_page_sees_a_tool_and_a_sub_task_only_where_its_key_shows_activity(servers: Servers) -> None:
    async with a_workshop() as workshop:
        texts = {"busy.abl": BUSY.format(url=workshop.url), "helper.abl": HELPER}
        async with a_live_gateway(servers, "busy", texts, allowed_networks=("127.0.0.1/32",)) as gateway:
            keys = f"/api/projects/{gateway.project_id}/public-keys"
            shown = {}
            for shows in (True, False):
                body = {"name": "page", "allowedOrigins": ["*"], "requireOrigin": False, "showActivityUpdates": shows}
                secret = (await gateway.call("POST", keys, body)).json()["secret"]
                begun = await gateway.call("POST", "/api/v1/sdk/init", {}, {"x-api-key": "", "x-public-key": secret})
                async with gateway.socket(begun.json()["token"]) as socket:
                    workshop.takes_s = ANSWERS_LATE_S if shows else 0.0
                    await say(socket, type="chat_message", text="look", messageId="m1")
                    during = await until(socket, "status_update") if shows else []
                    assert len(workshop.keys) == workshop.under_way or not shows  # before the tool has answered
                    shown[shows] = [*during, *await until(socket, "response_end")]
                    workshop.takes_s = 0.0
                    await say(socket, type="chat_message", text="ask", messageId="m2")
                    shown[shows] += await until(socket, "response_end")
            told = [
                (frame["type"], frame["text"], frame["operation"])
                for frame in shown[True]
                if frame["type"].startswith("status_")
            ]
            looks = [("status_update", "Using look", "tool_call"), ("status_clear", "Using look", "tool_call")]
            asks = [("status_update", "Asking Helper", "delegate"), ("status_clear", "Asking Helper", "delegate")]
            assert told == [*looks, *asks, *looks]
            assert not [frame for frame in shown[False] if frame["type"].startswith("status_")]
