"""Whose `user.` memory it is: nobody gets another's by saying who they are. Spec: platform-api 12.1; abl-language 8."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from actors.projects import TENANT_ID
from storage.repositories.memory import Memory, MemoryValue
from storage.statements import Statement
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import a_key, a_user

pytestmark = pytest.mark.anyio
KEEPER = """\
AGENT: Keeper
GOAL: "Keep a word"

MEMORY:
  persistent:
    - PATH: user.word
      DEFAULT_VALUE: "nothing"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "what"
        RESPOND: "{{user.word}}"
        THEN: listen
      - ELSE:
        SET: user.word = input
        RESPOND: "kept"
        THEN: listen
"""
SUBJECTS = Statement("""
    SELECT subject FROM memory WHERE tenant_id = :tenant_id AND project_id = :project_id AND scope = 'user'
    ORDER BY subject
""")


OF_USER = Statement("""
    SELECT session_id FROM sessions WHERE tenant_id = :tenant_id AND project_id = :project_id AND user_id = :user_id
    ORDER BY created_at DESC LIMIT 1
""")
CLEAR = Statement("DELETE FROM memory WHERE tenant_id = :tenant_id AND project_id = :project_id")


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "user-memory", {"k.abl": KEEPER}) as found:
        yield found
        await found.running.database.execute(CLEAR, tenant_id=TENANT_ID, project_id=found.project_id)


async def a_page(gateway: LiveGateway, **user: Any) -> dict[str, str]:
    """Return the headers of a page that says this of its user."""
    body = {"projectId": gateway.project_id, **({"user": user} if user else {})}
    headers = {"x-api-key": "", "x-public-key": gateway.public_key}
    token = (await gateway.call("POST", "/api/v1/sdk/init", body, headers)).json()["token"]
    return {"x-api-key": "", "x-sdk-token": token}


async def say(gateway: LiveGateway, text: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    body = {"projectId": gateway.project_id, "message": text}
    answer = await gateway.call("POST", "/api/v1/chat/agent", body, headers)
    assert answer.status == 200, answer.body
    told: dict[str, Any] = answer.json()
    return told


async def word(gateway: LiveGateway, headers: Mapping[str, str] | None = None) -> str:
    return str((await say(gateway, "what", headers))["response"])


async def as_user(gateway: LiveGateway, user: str, text: str, headers: Mapping[str, str]) -> str:
    """Return what the agent answers a user whom an OpenAI client names."""
    body = {"model": "Keeper", "user": user, "messages": [{"role": "user", "content": text}]}
    answer = await gateway.call("POST", "/v1/chat/completions", body, {"openai-project": gateway.project_id, **headers})
    assert answer.status == 200, answer.body
    return str(answer.json()["choices"][0]["message"]["content"])


async def subjects(gateway: LiveGateway) -> list[str]:
    rows = await gateway.running.database.rows(SUBJECTS, tenant_id=TENANT_ID, project_id=gateway.project_id)
    return [row["subject"] for row in rows]


async def test_anonymous_visitors_do_not_see_each_others_memory(gateway: LiveGateway) -> None:
    first, second = await a_page(gateway), await a_page(gateway)
    await say(gateway, "secret of the first", first)
    assert await word(gateway, second) == "nothing"
    await say(gateway, "secret of the second", second)
    assert await word(gateway, first) == "secret of the first"


async def test_who_claims_to_be_somebody_else_gets_no_memory_of_theirs(gateway: LiveGateway) -> None:
    user_id, _ = await a_user(gateway)
    contact = (await gateway.call("POST", "/api/contacts", {"displayName": "Ada"})).json()["data"]["id"]
    page = await a_page(gateway, id="shop-user-7")
    told = await say(gateway, "of the page", page)
    kept = [
        MemoryValue(scope="user", subject=subject, path="user.word", value="secret")
        for subject in (contact, f"user:{user_id}", "api_key:anna", "anna")
    ]
    await Memory(gateway.running.database).write(TENANT_ID, gateway.project_id, kept)
    for claimed in (contact, user_id, f"user:{user_id}", "anna", "api_key:anna", "shop-user-7", told["sessionId"]):
        assert await word(gateway, await a_page(gateway, id=claimed)) == "nothing", claimed


async def test_a_linked_session_has_what_was_kept_for_its_contact(gateway: LiveGateway) -> None:
    contact = (await gateway.call("POST", "/api/contacts", {"displayName": "Ada"})).json()["data"]["id"]
    kept = MemoryValue(scope="user", subject=contact, path="user.word", value="of Ada")
    await Memory(gateway.running.database).write(TENANT_ID, gateway.project_id, [kept])
    page = await a_page(gateway)
    told = await say(gateway, "what", page)
    assert told["response"] == "nothing"
    link = await gateway.call("POST", f"/api/contacts/{contact}/link-session", {"sessionId": told["sessionId"]})
    assert link.status == 200
    assert await word(gateway, page) == "of Ada"
    await say(gateway, "new of Ada", page)
    assert await subjects(gateway) == [contact]


async def test_a_session_that_is_deleted_takes_its_memory_with_it(gateway: LiveGateway) -> None:
    page = await a_page(gateway)
    session_id = (await say(gateway, "secret", page))["sessionId"]
    assert await subjects(gateway) == [session_id]
    place = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
    assert (await gateway.call("DELETE", place)).status == 200
    assert await subjects(gateway) == []


async def test_a_user_whom_a_caller_vouches_for_keeps_memory_over_sessions(gateway: LiveGateway) -> None:
    user_id, user = await a_user(gateway, **{gateway.project_id: "developer"})
    another_key = await a_key(gateway, "session:execute", "project:read", project_id=gateway.project_id)
    await say(gateway, "of the user", user)
    assert await word(gateway, user) == "of the user"
    assert await as_user(gateway, user_id, "of the key", {}) == "kept"
    assert await as_user(gateway, user_id, "what", another_key) == "of the key"
    assert await as_user(gateway, "anna", "what", user) == "of the user"
    assert await subjects(gateway) == [f"api_key:{user_id}", f"user:{user_id}"]


async def link(gateway: LiveGateway, contact: str, session_id: str) -> None:
    answer = await gateway.call("POST", f"/api/contacts/{contact}/link-session", {"sessionId": session_id})
    assert answer.status == 200, answer.body


async def a_contact(gateway: LiveGateway) -> str:
    return str((await gateway.call("POST", "/api/contacts", {"displayName": "Ada"})).json()["data"]["id"])


async def session_of(gateway: LiveGateway, user: str) -> str:
    found = await gateway.running.database.value(
        OF_USER, tenant_id=TENANT_ID, project_id=gateway.project_id, user_id=user
    )
    return str(found)


async def test_what_a_stranger_said_is_the_contacts_once_it_is_known_who_that_is(gateway: LiveGateway) -> None:
    page, contact = await a_page(gateway), await a_contact(gateway)
    session_id = (await say(gateway, "of the stranger", page))["sessionId"]
    await link(gateway, contact, session_id)
    assert await subjects(gateway) == [contact], "nothing is left under the name of the session"
    assert await word(gateway, page) == "of the stranger"
    other = await a_page(gateway)
    second = (await say(gateway, "of another day", other))["sessionId"]
    await link(gateway, contact, second)
    assert await word(gateway, other) == "of the stranger", "what is known of a contact stays"
    assert await subjects(gateway) == [contact]


async def test_a_user_whom_a_program_answers_for_is_erased_with_the_contact(gateway: LiveGateway) -> None:
    contact = await a_contact(gateway)
    assert await as_user(gateway, "anna", "of anna", {}) == "kept"
    assert await as_user(gateway, "bert", "of bert", {}) == "kept"
    await link(gateway, contact, await session_of(gateway, "anna"))
    assert await subjects(gateway) == sorted(["api_key:anna", "api_key:bert", contact])
    assert await as_user(gateway, "anna", "what", {}) == "of anna", "sessions that are not linked go on"
    erased = await gateway.call("POST", f"/api/contacts/{contact}/erase", {})
    assert erased.status == 200, erased.body
    assert await subjects(gateway) == ["api_key:bert"]
    assert await as_user(gateway, "anna", "what", {}) == "nothing"


async def test_a_link_is_remembered_when_its_session_is_gone(gateway: LiveGateway) -> None:
    contact = await a_contact(gateway)
    await as_user(gateway, "anna", "of anna", {})
    session_id = await session_of(gateway, "anna")
    await link(gateway, contact, session_id)
    place = f"/api/projects/{gateway.project_id}/sessions/{session_id}"
    assert (await gateway.call("DELETE", place)).status == 200
    assert await subjects(gateway) == sorted(["api_key:anna", contact])
    assert (await gateway.call("POST", f"/api/contacts/{contact}/erase", {})).status == 200
    assert await subjects(gateway) == []


async def test_who_is_logged_in_keeps_what_is_his_when_he_tries_an_agent_out_for_a_contact(
    gateway: LiveGateway,
) -> None:
    user_id, user = await a_user(gateway, **{gateway.project_id: "developer"})
    contact = await a_contact(gateway)
    session_id = (await say(gateway, "of the developer", user))["sessionId"]
    await link(gateway, contact, session_id)
    assert await subjects(gateway) == [f"user:{user_id}"]
    assert (await gateway.call("POST", f"/api/contacts/{contact}/erase", {})).status == 200
    assert await subjects(gateway) == [f"user:{user_id}"]


async def test_a_user_who_is_removed_is_forgotten(gateway: LiveGateway) -> None:
    user_id, user = await a_user(gateway, **{gateway.project_id: "developer"})
    await say(gateway, "of the user", user)
    assert await subjects(gateway) == [f"user:{user_id}"]
    assert (await gateway.call("DELETE", f"/api/users/{user_id}")).status == 200
    assert await subjects(gateway) == []
