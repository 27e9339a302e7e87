"""Answers of tools from a file: sessions of the working copy get them, and a session's own answers come first."""

from __future__ import annotations

import pytest

from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
DESK = """\
AGENT: Desk
GOAL: "Find parcels"

TOOLS:
  find(code: string) -> {place: string}
    description: "Finds"
    type: http
    endpoint: "http://127.0.0.1:9/find"
    method: POST

FLOW:
  entry_point: find

  find:
    REASONING: false
    CALL: find("A1")
      AS: found
    ON_SUCCESS:
      RESPOND: "It is in {{found.place}}"
      THEN: COMPLETE
    ON_FAILURE:
      RESPOND: "Nobody answers"
      THEN: COMPLETE
"""
MOCK = {"toolName": "find", "response": {"place": "Leipzig"}}


async def answer(gateway: LiveGateway, **more: object) -> str:
    body = {"projectId": gateway.project_id, "message": "hello", **more}
    said = str((await gateway.call("POST", "/api/v1/chat/agent", body)).json()["response"])
    return said.rsplit("\n\n", 1)[-1]  # what it said when it began, before the message, stands first


async def test_sessions_of_the_working_copy_get_the_answers_of_the_file(servers: Servers) -> None:
    async with a_live_gateway(servers, "mocked", {"desk.abl": DESK}, tool_mocks=(MOCK,)) as gateway:
        assert await answer(gateway) == "It is in Leipzig"
        own = {"toolMocks": [{"toolName": "find", "response": {"place": "Rome"}}]}
        assert await answer(gateway, testContext=own) == "It is in Rome"


@pytest.mark.parametrize(
    "context",
    [
        {},
        {"sessionVariables": {"a": 1}},
        {"toolMocks": []},
        {"toolMocks": [{"toolName": "other", "response": 1}]},
        {"toolMocks": [{"toolName": "find", "response": {"place": "Rome"}, "match": {"code": "B2"}}]},
    ],
)
async def test_a_test_context_that_answers_for_other_calls_leaves_the_answers_of_the_file(
    servers: Servers, context: dict[str, object]
) -> None:
    async with a_live_gateway(servers, "mocked-beside", {"desk.abl": DESK}, tool_mocks=(MOCK,)) as gateway:
        assert await answer(gateway, testContext=context) == "It is in Leipzig"
        place = f"/api/projects/{gateway.project_id}/sessions"
        opened = (await gateway.call("POST", place, {"agentId": "Desk"})).json()["session"]["id"]
        assert await answer(gateway, sessionId=opened, testContext=context) == "It is in Leipzig"


async def test_without_a_file_the_tool_is_called(servers: Servers) -> None:
    async with a_live_gateway(servers, "called", {"desk.abl": DESK}) as gateway:
        assert await answer(gateway) == "Nobody answers"
