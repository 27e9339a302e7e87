"""Contacts over real sockets: kept, found, changed, deleted, linked to sessions. Spec: platform-api 7.4."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.projects import TENANT_ID
from actors.replaying import Replayer
from storage.statements import Statement
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import a_key, a_stranger, a_user

pytestmark = pytest.mark.anyio
PATH = "/api/contacts"
KEEPER = """\
AGENT: Keeper
GOAL: "Know people"

MEMORY:
  persistent:
    - user.name

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "who"
        RESPOND: "{{customer_id}} is {{user.name}}"
        THEN: listen
      - ELSE:
        SET: user.name = input
        RESPOND: "noted {{user.name}} of {{customer_id}}"
        THEN: listen
"""
WHOLE = {
    "type": "employee",
    "identity": "Ada@Example.com",
    "identityType": "email",
    "displayName": "Ada",
    "department": "Engines",
    "employeeId": "E-1",
    "company": "Analytical",
    "accountRef": "ACC-1",
    "channel": "web",
    "metadata": {"vip": True},
    "tags": ["first", "poet"],
}
EMPTY = {
    **dict.fromkeys(WHOLE), "type": "customer", "metadata": {}, "tags": [],
}  # fmt: skip
CLEAR = Statement("DELETE FROM contacts WHERE tenant_id = :tenant_id")
ROW = Statement("SELECT deleted_at FROM contacts WHERE tenant_id = :tenant_id AND contact_id = :contact_id")
DELETIONS = Statement("""
    SELECT entry FROM audit_log WHERE tenant_id = :tenant_id AND action = 'contact.delete' ORDER BY number
""")


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "contacts", {"k.abl": KEEPER}) as found:
        await found.running.database.execute(CLEAR, tenant_id=TENANT_ID)
        yield found


async def call(gateway: LiveGateway, method: str, path: str = "", body: Any = None, **headers: str) -> Answer:
    return await gateway.call(
        method, f"{PATH}{path}", body, {name.replace("_", "-"): one for name, one in headers.items()}
    )


async def made(gateway: LiveGateway, **given: Any) -> dict[str, Any]:
    answer = await call(gateway, "POST", body=given)
    assert answer.status == 201, answer.body
    contact: dict[str, Any] = answer.json()["data"]
    return contact


async def test_a_contact_has_all_its_fields_or_none_of_them(gateway: LiveGateway) -> None:
    contact = await made(gateway, **WHOLE)
    assert contact["id"].startswith("ct_")
    kept = {"id": contact["id"], "tenantId": TENANT_ID, "deletedAt": None}
    moments = {name: contact[name] for name in ("firstSeenAt", "lastSeenAt")}
    assert contact == {**WHOLE, **kept, **moments}
    assert (await call(gateway, "GET", f"/{contact['id']}")).json() == {"success": True, "data": contact}
    bare = await made(gateway)
    assert {name: bare[name] for name in EMPTY} == EMPTY


@pytest.mark.parametrize(
    "body",
    [
        {"displayName": "x" * 201},
        {"company": "x" * 201},
        {"employeeId": "x" * 101},
        {"department": "x" * 201},
        {"tags": ["t"] * 51},
        {"tags": ["t" * 51]},
        {"tags": "t"},
        {"metadata": {"a": "x" * 16_384}},
        {"metadata": ["a"]},
        {"type": "robot"},
        {"identity": "A-1", "identityType": "passport"},
        {"identity": ""},
        {"identity": 5},
    ],
)
async def test_what_breaks_a_limit_is_refused(gateway: LiveGateway, body: dict[str, Any]) -> None:
    answer = await call(gateway, "POST", body=body)
    assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")
    assert answer.json()["error"]["details"]["fields"]
    assert (await call(gateway, "GET")).json()["total"] == 0


async def test_what_reaches_a_limit_is_taken(gateway: LiveGateway) -> None:
    tags = [f"{number:050d}" for number in range(50)]
    contact = await made(gateway, displayName="x" * 200, company="x" * 200, employeeId="x" * 100, tags=tags)
    assert contact["tags"] == tags


async def test_contacts_are_listed_by_type_and_channel_with_their_total(gateway: LiveGateway) -> None:
    for number in range(5):
        await made(gateway, displayName=str(number), type="employee" if number % 2 else "customer", channel="sms")
    page = (await call(gateway, "GET", "?limit=2&offset=1")).json()
    assert set(page) == {"success", "data", "total"}
    assert ([one["displayName"] for one in page["data"]], page["total"]) == (["3", "2"], 5)
    assert (await call(gateway, "GET", "?type=employee")).json()["total"] == 2
    assert (await call(gateway, "GET", "?channel=sms&type=customer")).json()["total"] == 3
    assert (await call(gateway, "GET", "?channel=web")).json() == {"success": True, "data": [], "total": 0}
    for query in ("?limit=201", "?offset=-1", "?type=robot"):
        assert (await call(gateway, "GET", query)).status == 400


async def test_a_contact_is_looked_up_by_identity(gateway: LiveGateway) -> None:
    ada = await made(gateway, identity="Ada@Example.com", identityType="email")
    phone = await made(gateway, identity="+49 1", identityType="phone")
    plain = await made(gateway, identity="Ada-1")
    assert plain["identityType"] == "external"

    async def look(identity: str, kind: str = "") -> Answer:
        query = f"?identity={identity}" + (f"&identityType={kind}" if kind else "")
        return await call(gateway, "GET", f"/lookup{query}")

    assert (await look("ADA@example.COM")).json()["data"] == ada
    assert (await look("ada@example.com", "email")).json()["data"] == ada
    assert (await look("%2B49%201")).json()["data"] == phone
    assert (await look("Ada-1", "external")).json()["data"] == plain
    for identity, kind in (("ada-1", ""), ("ada@example.com", "phone"), ("nobody", "")):
        answer = await look(identity, kind)
        assert (answer.status, answer.json()["error"]["message"]) == (404, "Contact not found")
    unfit = (await call(gateway, "GET", "/lookup?identity=a%00")).json()["error"]
    assert (unfit["code"], unfit["details"]["fields"][0]["path"]) == ("VALIDATION_ERROR", "/identity")
    missing = await call(gateway, "GET", "/lookup")
    assert (missing.status, missing.json()["error"]["code"]) == (400, "BAD_REQUEST")
    assert (await look("a", "passport")).status == 400


async def test_an_identity_is_one_contacts(gateway: LiveGateway) -> None:
    first = await made(gateway, identity="Ada@Example.com", identityType="email")
    other = await made(gateway, identity="bob@example.com", identityType="email")
    twice = {"identity": "ada@example.com", "identityType": "email"}
    for answer in (await call(gateway, "POST", body=twice), await call(gateway, "PUT", f"/{other['id']}", twice)):
        assert (answer.status, answer.json()["error"]["details"]) == (409, {"reason": "DUPLICATE_CONTACT"})
    await made(gateway, identity="ada@example.com", identityType="external")
    assert (await call(gateway, "DELETE", f"/{first['id']}")).status == 200
    await made(gateway, **twice)


async def test_each_field_may_stand_alone_and_a_type_waits_for_its_identity(gateway: LiveGateway) -> None:
    later = await made(gateway, identityType="email")
    assert (later["identity"], later["identityType"]) == (None, "email")
    named = (await call(gateway, "PUT", f"/{later['id']}", {"identity": "Late@Example.com"})).json()["data"]
    assert (named["identity"], named["identityType"]) == ("Late@Example.com", "email")
    found = await call(gateway, "GET", "/lookup?identity=late@example.com&identityType=email")
    assert found.json()["data"]["id"] == later["id"]
    bare = await made(gateway)
    untyped = (await call(gateway, "PUT", f"/{bare['id']}", {"identity": "L-7"})).json()["data"]
    assert untyped["identityType"] == "external"


async def test_only_what_is_given_changes_and_null_clears(gateway: LiveGateway) -> None:
    contact = await made(gateway, **WHOLE)
    place = f"/{contact['id']}"
    changed = (await call(gateway, "PUT", place, {"displayName": "Countess", "tags": ["poet"]})).json()["data"]
    assert changed == {**contact, "displayName": "Countess", "tags": ["poet"]}
    assert (await call(gateway, "PUT", place, {})).json()["data"] == changed
    cleared = (await call(gateway, "PUT", place, dict.fromkeys(WHOLE))).json()["data"]
    assert {name: cleared[name] for name in EMPTY} == EMPTY
    assert (await call(gateway, "GET", "/lookup?identity=ada@example.com")).status == 404
    assert (await call(gateway, "PUT", place, {"displayName": "x" * 201})).status == 400


async def test_a_deleted_contact_is_not_found_and_its_row_stays(gateway: LiveGateway) -> None:
    contact = await made(gateway, **WHOLE)
    place = f"/{contact['id']}"
    deleted = (await call(gateway, "DELETE", place)).json()["data"]
    row = await gateway.running.database.row(ROW, tenant_id=TENANT_ID, contact_id=contact["id"])
    assert row is not None
    assert deleted == {"id": contact["id"], "deletedAt": deleted["deletedAt"]}
    assert row["deleted_at"] is not None
    link = (f"{place}/link-session", {"sessionId": "sess_none"})
    for method, path, body in (("GET", place, None), ("PUT", place, {}), ("DELETE", place, None), ("POST", *link)):
        answer = await call(gateway, method, path, body)
        assert (answer.status, answer.json()["error"]["message"]) == (404, "Contact not found")
    assert (await call(gateway, "GET", "/lookup?identity=ada@example.com")).status == 404
    assert (await call(gateway, "GET")).json()["total"] == 0
    (entry, *_) = (await gateway.running.database.rows(DELETIONS, tenant_id=TENANT_ID))[-1:]
    assert entry["entry"]["resource"] == {"type": "contact", "id": contact["id"], "name": ""}


async def say(gateway: LiveGateway, message: str, session_id: str = "") -> dict[str, Any]:
    body = {"projectId": gateway.project_id, "message": message, **({"sessionId": session_id} if session_id else {})}
    answer: dict[str, Any] = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()
    return answer


async def test_a_linked_session_is_the_contacts_from_its_next_turn_on(gateway: LiveGateway) -> None:
    contact = await made(gateway, displayName="Ada")
    session_id = (await say(gateway, "nobody"))["sessionId"]
    link = f"/{contact['id']}/link-session"
    assert (await call(gateway, "POST", link, {"sessionId": session_id})).json() == {"success": True}
    assert (await say(gateway, "Ada", session_id))["response"] == f"noted Ada of {contact['id']}"
    detail = await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions/{session_id}")
    assert detail.json()["session"]["contactId"] == contact["id"]
    seen = (await call(gateway, "GET", f"/{contact['id']}")).json()["data"]
    assert seen["lastSeenAt"] > contact["lastSeenAt"]
    second = (await say(gateway, "somebody"))["sessionId"]
    await call(gateway, "POST", link, {"sessionId": second})
    assert (await say(gateway, "who", second))["response"] == f"{contact['id']} is Ada"
    replayed = await Replayer(gateway.running.database).replay(TENANT_ID, session_id)
    assert not replayed.difference


async def test_a_session_that_has_not_spoken_or_has_ended_is_linked_too(gateway: LiveGateway) -> None:
    contact = await made(gateway)
    sessions = f"/api/projects/{gateway.project_id}/sessions"
    opened = (await gateway.call("POST", sessions, {"agentId": "Keeper"})).json()["session"]["id"]
    link = f"/{contact['id']}/link-session"
    assert (await call(gateway, "POST", link, {"sessionId": opened})).status == 200
    assert (await say(gateway, "Bob", opened))["response"] == f"noted Bob of {contact['id']}"
    await gateway.call("POST", f"/api/v1/sessions/{opened}/end", {})
    assert (await call(gateway, "POST", link, {"sessionId": opened})).status == 200


async def test_sessions_and_contacts_of_others_cannot_be_linked(gateway: LiveGateway) -> None:
    contact = await made(gateway)
    session_id = (await say(gateway, "hello"))["sessionId"]
    _, stranger = await a_stranger(gateway, {"k.abl": KEEPER})
    theirs = (await gateway.call("POST", PATH, {}, stranger)).json()["data"]
    for headers, contact_id, words in (
        (None, contact["id"], "Session not found"),
        (stranger, theirs["id"], "Session not found"),
        (stranger, contact["id"], "Contact not found"),
    ):
        named = "sess_none" if headers is None else session_id
        answer = await gateway.call("POST", f"{PATH}/{contact_id}/link-session", {"sessionId": named}, headers)
        assert (answer.status, answer.json()["error"]["message"]) == (404, words)
    assert (await call(gateway, "POST", f"/{contact['id']}/link-session", {})).status == 400


async def test_contacts_of_another_tenant_are_not_there(gateway: LiveGateway) -> None:
    contact = await made(gateway, **WHOLE)
    _, stranger = await a_stranger(gateway, {"k.abl": KEEPER})
    assert (await gateway.call("GET", PATH, headers=stranger)).json()["total"] == 0
    assert (await gateway.call("GET", f"{PATH}/lookup?identity=ada@example.com", headers=stranger)).status == 404
    missing = await gateway.call("GET", f"{PATH}/ct_none", headers=stranger)
    for method, body in (("GET", None), ("PUT", {"displayName": "x"}), ("DELETE", None)):
        answer = await gateway.call(method, f"{PATH}/{contact['id']}", body, stranger)
        assert (answer.status, answer.body) == (404, missing.body)
    assert (await call(gateway, "GET", f"/{contact['id']}")).json()["data"] == contact


async def test_reading_takes_a_view_of_projects_and_writing_its_own_permission(gateway: LiveGateway) -> None:
    contact = await made(gateway)
    _, viewer = await a_user(gateway, "viewer")
    _, member = await a_user(gateway, "member")
    reading = await a_key(gateway, "project:read")
    for headers, may_write in ((viewer, False), (member, True), (reading, False)):
        assert (await gateway.call("GET", f"{PATH}/{contact['id']}", headers=headers)).status == 200
        written = await gateway.call("PUT", f"{PATH}/{contact['id']}", {"displayName": "x"}, headers)
        assert written.status == (200 if may_write else 403)
    assert (await gateway.call("GET", PATH, headers=await a_key(gateway, "session:read"))).status == 403
