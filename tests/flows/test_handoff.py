"""Control that moves to another agent and comes back, in the session or while it waits; and what a tool's secret is."""

from __future__ import annotations

import asyncio

from storage.crypto import MasterKeys
from storage.repositories.credentials import Credentials
from storage.vault import Vault
from tests.support.stories import a_story, a_workshop, eventually

FRONT = """\
AGENT: Front
GOAL: "Send people on"

HANDOFF:
  - TO: Specialist
    WHEN: input CONTAINS "special"
    CONTEXT:
      pass: [topic]
      summary: "Wants something special"
    RETURN: true
    ON_RETURN:
      HANDLER: back
      MAP: {verdict: answer}
  - TO: Backoffice
    WHEN: input CONTAINS "later"
    CONTEXT:
      pass: [topic]
    RETURN: true
    ASYNC: true
    TIMEOUT: 600
    ON_RETURN:
      HANDLER: back
      MAP: {verdict: answer}

RETURN_HANDLERS:
  back:
    RESPOND: "Back with you: {{answer}}."

MEMORY:
  session:
    - NAME: topic
      INITIAL: "tea"
    - NAME: answer
      INITIAL: ""

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "front heard {{input}}"
        THEN: listen
"""
SPECIALIST = """\
AGENT: Specialist
GOAL: "Answer"

FLOW:
  entry_point: ask
  ask:
    REASONING: false
    RESPOND: "How much {{topic}}?"
    ON_INPUT:
      - ELSE:
        SET: verdict = input
        THEN: done
  done:
    REASONING: false
    RESPOND: "Noted."
    THEN: COMPLETE
"""
BACKOFFICE = """\
AGENT: Backoffice
GOAL: "Work in peace"

FLOW:
  entry_point: work
  work:
    REASONING: false
    SET: verdict = "{{topic}} is ready"
    RESPOND: "done"
    THEN: COMPLETE
"""
TEAM = {"front.abl": FRONT, "specialist.abl": SPECIALIST, "backoffice.abl": BACKOFFICE}
SECRETIVE = """\
AGENT: Secretive
GOAL: "Call with a key"

TOOLS:
  call(code: string) -> {{done: boolean}}
    description: "Calls"
    type: http
    endpoint: "{url}"
    method: GET
    auth: api_key
    auth_config:
      header_name: "X-Key"
      api_key: "{{{{secrets.KEY}}}}"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: call
  call:
    REASONING: false
    CALL: call("x")
      AS: result
    ON_SUCCESS:
      RESPOND: "called"
      THEN: listen
    ON_FAILURE:
      RESPOND: "no key"
      THEN: listen
"""


def test_control_moves_and_returns_over_several_turns_and_a_restart(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "team", TEAM) as told:
            first = await told.say("something special", agent="Front")
            assert "handoff" in {one["type"] for one in first.trace_events}
            assert first.response.endswith("How much tea?")
            view = await told.running.runtime.session(told.ref(first.session_id))
            assert view.agent_name == "Specialist"
            assert [one["agentName"] for one in view.detail["agentStack"]] == ["Front", "Specialist"]
        async with a_story(data_dir, "team", TEAM) as told:
            second = await told.say("two pounds", first.session_id)
            assert second.response.startswith("Noted.")
            assert "Back with you: two pounds." in second.response
            view = await told.running.runtime.session(told.ref(first.session_id))
            assert view.agent_name == "Front"
            assert view.handoff_count >= 1
            assert not await told.rows(
                "SELECT 1 FROM sessions WHERE parent_session_id = :session", session=first.session_id
            )

    asyncio.run(story())


def test_an_agent_that_works_while_the_session_waits_answers_it_once_also_after_a_restart(data_dir: str) -> None:
    async def story() -> None:
        async with a_story(data_dir, "team", TEAM) as told:
            reply = await told.say("that can come later", agent="Front")
            session = reply.session_id
            assert reply.status == "suspended"
        async with a_story(data_dir, "team", TEAM) as told:

            async def has_returned() -> bool:
                return any("Back with you" in line for _, line in await told.lines(session))

            await eventually(has_returned)
            texts = [line for _, line in await told.lines(session)]
            assert len([line for line in texts if "Back with you: tea is ready." in line]) == 1, texts
            children = await told.rows(
                "SELECT status, agent_name FROM sessions WHERE parent_session_id = :session", session=session
            )
            assert children == [{"status": "ended", "agent_name": "Backoffice"}]
            assert "front heard hello" in (await told.say("hello", session)).response

    asyncio.run(story())


def test_a_tool_shows_the_secret_of_its_project_and_environment(data_dir: str) -> None:
    async def story() -> None:
        async with (
            a_workshop() as workshop,
            a_story(data_dir, "secretive", {"a.abl": SECRETIVE.format(url=workshop.url)}) as told,
        ):
            assert (await told.say("go")).response == "no key"
            assert workshop.headers == []
            database = told.running.database
            keys = MasterKeys.kept_in(told.data_folder / "master.key")
            credentials = Credentials(database, Vault(database, keys))
            await credentials.create(
                told.tenant,
                "sec_1",
                project_id=told.project,
                tool_name="*",
                secret_key="KEY",
                value="hush",
                environment="dev",
            )
            reply = await told.say("go")
            assert reply.response == "called"
            assert workshop.headers[0]["X-Key"] == "hush"
            assert "hush" not in str(reply.trace_events)

    asyncio.run(story())
