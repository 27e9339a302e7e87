"""Calls that lead inwards: whatever an address looks like, and whichever way it comes, no socket is opened for it.

Spec: platform-api 14.6 (also for HTTP tools), abl-language 3.2, 3.8.
"""

from __future__ import annotations

import pytest

from providers.addresses import AddressPolicy
from providers.http import HttpClient
from tests.support.hostile_addresses import inward_addresses
from tests.support.hostile_calls import WAYS, a_canary, a_redirecting_tool, an_mcp_tool, reaches, ways
from tests.support.hostile_store import Place, another_tenant

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hostile")]
AT_LEAST = 300
EVERYTHING = AddressPolicy(everything=True)


async def test_no_way_leads_inwards(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_canary(monkeypatch) as canary, ways(AddressPolicy()) as known:
        addresses = inward_addresses(canary.port)
        assert len(set(addresses)) >= AT_LEAST
        for name, call in known.items():
            for address in addresses:
                assert not await call(address), f"{name}: {address!r} was answered"
                canary.check(address)
        assert len(known) == WAYS
        assert len(canary.looked_up) >= WAYS, "names were looked up, and what they mean was refused"


async def test_no_redirect_leads_inwards(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_canary(monkeypatch) as canary:
        targets = {str(at): address for at, address in enumerate(inward_addresses(canary.port)) if "\t" not in address}
        assert len(targets) >= AT_LEAST
        async with a_redirecting_tool(targets, allowed=()) as call:
            for number, address in targets.items():
                assert not await call(number), f"a redirect to {address!r} was answered"
                canary.check(address)


async def test_without_the_guard_all_ways_lead_to_the_canary_and_most_addresses_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_canary(monkeypatch) as canary, ways(EVERYTHING) as known:
        for name, call in known.items():
            await call(f"http://127.0.0.1:{canary.port}/")
            assert canary.heard(), f"{name} calls nobody"
        client = HttpClient(EVERYTHING)
        reached = [address for address in inward_addresses(canary.port) if await reaches(client, address, canary)]
        await client.close()
        assert len(reached) >= AT_LEAST
        async with a_redirecting_tool({"0": f"http://127.0.0.1:{canary.port}/"}, allowed=("127.0.0.1",)) as redirected:
            await redirected("0")
            assert canary.heard()


CALLER = """\
AGENT: Caller
GOAL: "Look up whatever is named"

TOOLS:
  look_up(address: string) -> {found: string}
    description: "Look it up"
    type: http
    endpoint: "{{address}}"
    method: GET
    on_http_error: error

ON_ERROR:
  DEFAULT:
    RETRY: 0
    THEN: CONTINUE

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        THEN: look
  look:
    REASONING: false
    CALL: look_up(input)
      AS: found
    ON_SUCCESS:
      RESPOND: "came {{found}}"
      THEN: listen
    ON_FAILURE:
      RESPOND: "failed"
      THEN: listen
"""


async def test_no_tool_of_a_session_leads_inwards(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = await another_tenant(place, "caller", {"c.abl": CALLER})
    owner = caller.as_("owner")

    async def say(text: str, **more: str) -> tuple[str, str]:
        reply = await owner.post("/api/v1/chat/agent", {"projectId": caller.project_id, "message": text, **more})
        assert reply.status == 200, reply.body
        return reply.json()["response"], reply.json()["sessionId"]

    async with a_canary(monkeypatch) as canary:
        _, session_id = await say("nothing")
        for address in inward_addresses(canary.port):
            said, _ = await say(address, sessionId=session_id)
            assert said == "failed", f"{address!r}: {said}"
            canary.check(address)
    traces = f"/api/projects/{caller.project_id}/sessions/{session_id}/traces?eventType=tool_result&limit=200"
    pages = [(await owner.get(f"{traces}&offset={offset}")).json()["traces"] for offset in (0, 200)]
    errors = [one["data"]["error"]["message"] for page in pages for one in page]
    assert sum("may not be called" in error for error in errors) >= AT_LEAST


async def test_no_mcp_server_is_inwards(monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_canary(monkeypatch) as canary, an_mcp_tool(AddressPolicy()) as call:
        for address in inward_addresses(canary.port):
            assert not await call(address), f"{address!r} was answered"
            canary.check(address)
    async with a_canary(monkeypatch) as canary, an_mcp_tool(EVERYTHING) as call:
        await call(f"http://127.0.0.1:{canary.port}/mcp")
        assert canary.heard()
