"""Promotion preflight: exactly the live sessions that a candidate would lead elsewhere, where and why. Spec: 6.4."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.preflight import Preflight
from actors.projects import TENANT_ID
from storage.journal import Journal
from storage.repositories.deployments import Deployments
from storage.repositories.sessions import Sessions
from storage.statements import Statement
from tests.flows_gateway.test_deployments import ask, deploy
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
AT_ONCE = 8
DESK = """\
AGENT: Echo
GOAL: "Take orders"

MEMORY:
  session:
    - NAME: heard
      TYPE: number
      INITIAL: 0

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input contains "refund"
        RESPOND: "{refund}"
        THEN: listen
      - ELSE:
        SET: heard = heard + 1
        RESPOND: "heard {{{{heard}}}}: {{{{input}}}}"
        THEN: listen
"""
LIVED = DESK.format(refund="Refunds take a week")
CANDIDATE = DESK.format(refund="Refunds take a day")
FORGET_BEGINNING = Statement("""
    DELETE FROM journal WHERE session_key = session_key(:tenant_id, :session_id) AND seq = 1
""")


@pytest.fixture
async def gateway(servers: Servers, request: pytest.FixtureRequest) -> AsyncIterator[LiveGateway]:
    name = request.node.name.split("[")[0] + str(len(request.node.name))
    async with a_live_gateway(servers, name, {"e.abl": LIVED}) as found:
        yield found


async def say(gateway: LiveGateway, message: str, session_id: str = "") -> str:
    body = {"projectId": gateway.project_id, "message": message, "environment": "production"}
    answer = await gateway.call(
        "POST", "/api/v1/chat/agent", {**body, **({"sessionId": session_id} if session_id else {})}
    )
    assert answer.status == 200, answer.body
    return str(answer.json()["sessionId"])


async def live(gateway: LiveGateway, count: int, broken: set[int]) -> list[str]:
    """Open sessions of two messages each; those of `broken` ask for a refund in the second one."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> str:
        async with room:
            session = await say(gateway, "tea")
            return await say(gateway, "a refund please" if number in broken else "milk", session)

    return list(await asyncio.gather(*(one(number) for number in range(count))))


async def saved(gateway: LiveGateway, dsl: str) -> None:
    place = f"/api/projects/{gateway.project_id}/agents/Echo/dsl"
    assert (await gateway.call("PUT", place, {"dslContent": dsl})).status == 200


async def preflight(gateway: LiveGateway, deployment_id: str) -> dict[str, Any]:
    answer = await ask(gateway, "POST", f"/{deployment_id}/promote?dryRun=true", {"targetEnvironment": "production"})
    assert answer.status == 200, answer.body
    report: dict[str, Any] = answer.json()
    return report


@pytest.mark.parametrize(("count", "broken"), [(24, 5), (300, 37)], ids=["few", "many"])
async def test_exactly_the_sessions_that_would_diverge_are_named(gateway: LiveGateway, count: int, broken: int) -> None:
    running = await deploy(gateway, "production")
    numbers = {number * count // broken for number in range(broken)}
    sessions = await live(gateway, count, numbers)
    await saved(gateway, CANDIDATE)
    candidate = await deploy(gateway, "staging")
    report = await preflight(gateway, candidate["id"])
    assert (report["success"], report["dryRun"], report["deploymentId"]) == (True, True, running["id"])
    assert (report["sourceDeploymentId"], report["checked"], report["isTruncated"]) == (candidate["id"], count, False)
    assert {one["sessionId"] for one in report["diverging"]} == {sessions[number] for number in numbers}
    for one in report["diverging"]:
        assert (one["event"], one["turn"], one["agentName"]) == ("UserSpoke", 2, "Echo")
        assert one["reason"] == ("it says 'Refunds take a week', and the candidate says 'Refunds take a day'")
    assert report["unchecked"] == []
    assert len((await ask(gateway, path="?environment=production")).json()["deployments"]) == 1


async def test_the_same_program_leads_nobody_elsewhere(gateway: LiveGateway) -> None:
    await deploy(gateway, "production")
    await live(gateway, 3, {1})
    report = await preflight(gateway, (await deploy(gateway, "staging"))["id"])
    assert (report["checked"], report["diverging"]) == (3, [])


async def test_a_dry_run_is_no_promotion_also_under_its_key(gateway: LiveGateway) -> None:
    source = await deploy(gateway, "staging")
    place = f"/api/projects/{gateway.project_id}/deployments/{source['id']}/promote"
    headers = {"idempotency-key": f"promote-{source['id']}"}
    body = {"targetEnvironment": "production"}
    assert (await gateway.call("POST", f"{place}?dryRun=true", body, headers)).status == 200
    assert (await gateway.call("POST", place, body, headers)).status == 409
    assert (await gateway.call("POST", place, body)).status == 201


async def test_a_candidate_without_the_agent_cannot_take_the_first_event(gateway: LiveGateway) -> None:
    await deploy(gateway, "production")
    (session,) = await live(gateway, 1, set())
    body = {"name": "Other", "dslContent": LIVED.replace("AGENT: Echo", "AGENT: Other")}
    await gateway.call("POST", f"/api/projects/{gateway.project_id}/agents", body)
    other = await deploy(gateway, "staging", agentVersionManifest={"Other": "auto"}, entryAgentName="Other")
    (found,) = (await preflight(gateway, other["id"]))["diverging"]
    assert (found["sessionId"], found["event"], found["seq"]) == (session, "SessionBegun", 1)
    assert found["reason"].startswith("the candidate cannot take this event")


async def test_without_anything_active_in_the_target_the_sessions_of_the_source_are_looked_at(
    gateway: LiveGateway,
) -> None:
    source = await deploy(gateway, "staging")
    body = {"projectId": gateway.project_id, "message": "tea", "environment": "staging"}
    await gateway.call("POST", "/api/v1/chat/agent", body)
    report = await preflight(gateway, source["id"])
    assert (report["deploymentId"], report["checked"], report["diverging"]) == (source["id"], 1, [])


async def test_ended_sessions_are_not_looked_at_and_a_reset_one_from_its_new_start(gateway: LiveGateway) -> None:
    await deploy(gateway, "production")
    ended, reset, kept = await live(gateway, 3, {0, 1, 2})
    sessions = f"/api/projects/{gateway.project_id}/sessions"
    await gateway.call("POST", f"{sessions}/{reset}/reset")
    await say(gateway, "milk", reset)
    await gateway.call("DELETE", f"{sessions}/{ended}")
    await saved(gateway, CANDIDATE)
    report = await preflight(gateway, (await deploy(gateway, "staging"))["id"])
    assert report["checked"] == 2
    assert kept in [one["sessionId"] for one in report["diverging"]]


async def test_a_session_whose_journal_has_lost_its_beginning_is_said_to_be_unchecked(gateway: LiveGateway) -> None:
    await deploy(gateway, "production")
    lost, _ = await live(gateway, 2, set())
    await gateway.running.database.execute(FORGET_BEGINNING, tenant_id=TENANT_ID, session_id=lost)
    assert await Sessions(gateway.running.database).find(TENANT_ID, lost)
    await saved(gateway, CANDIDATE)
    report = await preflight(gateway, (await deploy(gateway, "staging"))["id"])
    assert (report["unchecked"], report["checked"]) == ([lost], 1)


async def test_sessions_that_are_too_long_or_come_too_late_are_unchecked(gateway: LiveGateway) -> None:
    running = await deploy(gateway, "production")
    short, long = await live(gateway, 2, set())
    for _ in range(4):
        await say(gateway, "milk", long)
    await saved(gateway, CANDIDATE)
    await deploy(gateway, "staging")
    database = gateway.running.database
    deployments, journal = Deployments(database), Journal(database)
    record = await deployments.get(TENANT_ID, running["id"])
    candidate = await deployments.active(TENANT_ID, gateway.project_id, "staging")
    assert candidate is not None
    head = await journal.head(TENANT_ID, short)
    assert head is not None
    bounded = Preflight(database, facts_max=head.last_seq)
    report = await bounded.run(TENANT_ID, gateway.project_id, record, candidate.program_id)
    assert (report.checked, report.unchecked, report.diverging) == (1, (long,), ())
    late = Preflight(database, deadline_s=0.0)
    report = await late.run(TENANT_ID, gateway.project_id, record, candidate.program_id)
    assert (report.checked, report.unchecked) == (0, tuple(sorted((short, long))))


async def test_a_dry_run_refuses_what_a_promotion_refuses(gateway: LiveGateway) -> None:
    source = await deploy(gateway, "staging")
    for body in (
        {"targetEnvironment": "staging"},
        {"targetEnvironment": "production", "modelOverrides": {"Nobody": {"maxTokens": 5}}},
    ):
        answers = [await ask(gateway, "POST", f"/{source['id']}/promote{dry}", body) for dry in ("?dryRun=true", "")]
        assert [answer.status for answer in answers] == [400, 400]
        errors = [answer.json()["error"] for answer in answers]
        assert errors[0]["details"]["fields"] == errors[1]["details"]["fields"]
