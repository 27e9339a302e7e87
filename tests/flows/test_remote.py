"""Agents in other systems: control and sub-tasks go there over HTTP, are kept in the journal, and come back."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import Any

import pytest

from actors.clocks import RandomIds
from actors.first_keys import make_key
from actors.hosts.process import ChildHosts
from actors.installation import master_keys
from actors.projects import put_project
from actors.replaying import Replayer
from storage.repositories.credentials import Credentials
from storage.vault import Vault
from tests.support.live_gateway import LiveGateway, another_gateway
from tests.support.placement import written_by
from tests.support.stories import Story, a_story, eventually
from tests.support.stub_endpoint import Answer, Asked, StubEndpoint

FRONT = """\
AGENT: Front
GOAL: "Send people on"

MEMORY:
  session:
    - NAME: city
      INITIAL: "Bern"
    - NAME: room
      INITIAL: ""
    - NAME: rate
      INITIAL: ""
    - NAME: wanted
      INITIAL: ""

HANDOFF:
  - TO: Hotel
    WHEN: input CONTAINS "hotel"
    LOCATION: remote
    ENDPOINT: "{endpoint}"
    PROTOCOL: {protocol}
    EXPERIENCE_MODE: visible_handoff
    CONTEXT:
      pass: [city]
      summary: "Wants a room in {{city}}"
    RETURN: true
    ON_RETURN:
      HANDLER: back
      MAP: {{number: room}}
  - TO: Later
    WHEN: input CONTAINS "later"
    LOCATION: remote
    ENDPOINT: "{endpoint}"
    PROTOCOL: {protocol}
    ASYNC: true
    TIMEOUT: 600
    RETURN: true
    ON_RETURN:
      HANDLER: back
      MAP: {{number: room}}
    ON_TIMEOUT: RESPOND "Nobody answered."

DELEGATE:
  - AGENT: Rates
    WHEN: wanted == "rate"
    LOCATION: remote
    ENDPOINT: "{endpoint}"
    PROTOCOL: {protocol}
    INPUT: {{city: city}}
    RETURNS: {{number: rate}}
    TIMEOUT: 20s

RETURN_HANDLERS:
  back:
    RESPOND: "Back with you, room {{{{room}}}}."

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET: wanted = input
        RESPOND: "front heard {{{{input}}}}, rate {{{{rate}}}}"
        THEN: listen
"""
HOTEL = """\
AGENT: Hotel
GOAL: "Book a room"

FLOW:
  entry_point: ask
  ask:
    REASONING: false
    ON_INPUT:
      - IF: session.messageMetadata.context.city IS SET
        RESPOND: "Which night in {{session.messageMetadata.context.city}}?"
        THEN: ask
      - ELSE:
        SET: number = 12
        THEN: done
  done:
    REASONING: false
    RESPOND: "Booked."
    THEN: COMPLETE
"""


def task(state: str, text: str, **data: Any) -> Answer:
    parts = [{"kind": "text", "text": text}, *([{"kind": "data", "data": data}] if data else [])]
    message = {"kind": "message", "role": "agent", "messageId": "m", "parts": parts}
    found = {"kind": "task", "id": "t1", "contextId": "c1", "status": {"state": state, "message": message}}
    return Answer(200, json.dumps({"jsonrpc": "2.0", "id": "1", "result": found}).encode())


ASKS, BOOKED = task("input-required", "Which night?"), task("completed", "Booked.", number=12)


def front(endpoint: str, protocol: str = "a2a") -> dict[str, str]:
    return {"front.abl": FRONT.format(endpoint=endpoint, protocol=protocol)}


def sent(asked: Asked) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asked.body)["params"]["message"]
    return found


async def replayed(told: Story, session: str) -> None:
    again = await Replayer(told.running.database).replay(told.tenant, session)
    assert again.difference == ""


def test_control_goes_to_an_agent_elsewhere_and_comes_back_over_a_restart(data_dir: str) -> None:
    async def story() -> None:
        async with StubEndpoint(ASKS, BOOKED) as hotel:
            async with a_story(data_dir, "remote", front(hotel.url)) as told:
                first = await told.say("a hotel please")
                session = first.session_id
                assert first.response == "I am connecting you with Hotel.\n\nWhich night?"
                assert first.agent_name == "Hotel"
                moved = [one["data"] for one in first.trace_events if one["type"] == "handoff"]
                assert [(one["fromAgent"], one["toAgent"], one["returnExpected"]) for one in moved] == [
                    ("Front", "Hotel", True)
                ]
                view = await told.running.runtime.session(told.ref(session))
                assert [one["agentName"] for one in view.detail["agentStack"]] == ["Front", "Hotel"]
            async with a_story(data_dir, "remote", front(hotel.url)) as told:
                second = await told.say("Friday", session)
                assert second.response == "Booked.\n\nBack with you, room 12."
                assert [one["data"]["direction"] for one in second.trace_events if one["type"] == "handoff"] == [
                    "return"
                ]
                assert "front heard hello" in (await told.say("hello", session)).response
                await replayed(told, session)
            assert len(hotel.asked) == 2
            begun, next_one = map(sent, hotel.asked)
            assert begun["parts"][1]["data"] == {"city": "Bern"}
            assert begun["metadata"]["summary"] == "Wants a room in Bern"
            assert begun["metadata"]["from"] == f"{session}/Front"
            assert (next_one["contextId"], next_one["taskId"]) == ("c1", "t1")
            assert next_one["messageId"] != begun["messageId"]

    asyncio.run(story())


def test_a_sub_task_is_done_elsewhere(data_dir: str) -> None:
    async def story() -> None:
        async with (
            StubEndpoint(task("working", ""), BOOKED) as rates,
            a_story(data_dir, "rates", front(rates.url)) as told,
        ):
            session = (await told.say("rate")).session_id
            reply = await told.say("well?", session)
            assert reply.response == "front heard well?, rate 12"
            await replayed(told, session)
            assert len(rates.asked) == 2

    asyncio.run(story())


def test_work_elsewhere_answers_the_session_that_waits_for_it(data_dir: str) -> None:
    async def story() -> None:
        async with StubEndpoint(BOOKED) as hotel, a_story(data_dir, "later", front(hotel.url)) as told:
            reply = await told.say("that can come later")
            assert reply.status == "suspended"

            async def is_back() -> bool:
                return any("Back with you, room 12." in line for _, line in await told.lines(reply.session_id))

            await eventually(is_back)
            assert len(hotel.asked) == 1

        async with StubEndpoint(Answer(raw=b"")) as hotel, a_story(data_dir, "lost", front(hotel.url)) as told:
            reply = await told.say("that can come later")

            async def is_given_up() -> bool:
                return any("Nobody answered." in line for _, line in await told.lines(reply.session_id))

            await eventually(is_given_up)
            assert len(hotel.asked) == 1

    asyncio.run(story())


@pytest.mark.parametrize(("protocol", "times"), [("a2a", 1), ("rest", 2)])
def test_a_host_that_dies_while_it_asks_sends_nothing_twice_that_counts_twice(
    data_dir: str, protocol: str, times: int
) -> None:
    async def story() -> None:
        reply = Answer(
            200, b'{"sessionId": "s1", "response": "12", "action": {"type": "respond"}, "state": {"number": 12}}'
        )
        async with (
            StubEndpoint(Answer(hang=True), reply) as rates,
            a_story(data_dir, f"dying-{protocol}", front(rates.url, protocol), runtime="process", hosts=2) as told,
        ):
            session = (await told.say("hello")).session_id
            hosts = told.running.hosts
            assert isinstance(hosts, ChildHosts)
            asked = asyncio.create_task(told.say("rate", session, idempotency_key="k1"))

            async def is_asked() -> bool:
                return bool(rates.asked)

            await eventually(is_asked)
            host_id, _ = await written_by(told.running.database, told.tenant, session)
            pid = next(child.pid for child in hosts.children if child.host_id == host_id)
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            told_so = (await asked).response
            assert ("I cannot tell whether Rates was done." in told_so) == (protocol == "a2a")
            assert len(rates.asked) == times
            assert len({one.headers["idempotency-key"] for one in rates.asked}) == 1
            after = (await told.say("well?", session)).response
            assert after == ("front heard well?, rate " + ("12" if protocol == "rest" else ""))
            await replayed(told, session)

    asyncio.run(story())


def test_an_agent_elsewhere_that_cannot_be_reached_leaves_control_where_it_is(data_dir: str) -> None:
    async def story() -> None:
        async with StubEndpoint() as gone:
            url = gone.url
        async with a_story(data_dir, "gone", front(url)) as told:
            reply = await told.say("a hotel please")
            assert reply.response.endswith("I could not connect you. Let us go on here.")
            assert "front heard hello" in (await told.say("hello", reply.session_id)).response
            await replayed(told, reply.session_id)

    asyncio.run(story())


def test_another_project_of_this_platform_is_an_agent_elsewhere(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "hotel", {"hotel.abl": HOTEL}) as told:
            database = told.running.database
            key = await make_key(database, RandomIds())
            beside = LiveGateway(0, told.project, key, "", told.running, None)
            async with another_gateway(beside) as gateway:
                endpoint = f"http://127.0.0.1:{gateway.port}/api/v1/chat/agent?projectId={told.project}&agentId=Hotel"
                asking = await put_project(database, "asking", front(endpoint, "rest"))
                here = Story(told.running, told.tenant, asking.project_id)
                assert "I could not connect you" in (await here.say("a hotel please")).response
                secrets = Credentials(database, Vault(database, master_keys(told.running.settings)))
                await secrets.create(
                    told.tenant,
                    "sec_hotel",
                    project_id=asking.project_id,
                    tool_name="Hotel",
                    secret_key="agent_token",
                    value=key,
                    environment="dev",
                )
                first = await here.say("a hotel please")
                assert first.response.endswith("Which night in Bern?")
                second = await here.say("Friday", first.session_id)
                assert second.response == "Booked.\n\nBack with you, room 12."
                assert key not in str([first.trace_events, second.trace_events])
                await replayed(here, first.session_id)

    asyncio.run(story())
