"""Keys, users, members, providers and entries of another tenant: byte for byte those that are not there. Spec: 2.1."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from actors.clocks import RandomIds
from actors.projects import TENANT_ID
from storage.statements import Statement
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.strangers import a_stranger

pytestmark = pytest.mark.anyio
TALKER = 'AGENT: Talker\nGOAL: "Talk"\nPERSONA: "Calm"\n'
WRITTEN = Statement("""
    SELECT (SELECT count(*) FROM api_keys WHERE tenant_id = :tenant_id AND revoked_at IS NULL) AS keys,
        (SELECT count(*) FROM users WHERE tenant_id = :tenant_id) AS users,
        (SELECT count(*) FROM project_members WHERE tenant_id = :tenant_id) AS members,
        (SELECT count(*) FROM model_providers WHERE tenant_id = :tenant_id) AS providers,
        (SELECT max(number) FROM audit_log WHERE tenant_id = :tenant_id) AS entries
""")


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "isolated", {"t.abl": TALKER}) as found:
        yield found


async def ours(gateway: LiveGateway) -> dict[str, str]:
    """Return what another tenant may want: kind -> id."""
    project = f"/api/projects/{gateway.project_id}"
    email = f"{RandomIds().new('')}@example.com"
    made: dict[str, tuple[str, dict[str, Any], str]] = {
        "key": ("/api/api-keys", {"name": "k"}, "key"),
        "page": (f"{project}/public-keys", {"name": "p", "allowedOrigins": []}, "key"),
        "user": ("/api/users", {"email": email, "role": "viewer"}, "user"),
        "provider": ("/api/model-providers", {"name": RandomIds().new("p"), "kind": "mock"}, "provider"),
    }
    ids = {}
    for kind, (path, body, word) in made.items():
        answer = await gateway.call("POST", path, body)
        assert answer.status == 201, answer.body
        ids[kind] = str(answer.json()[word]["id"])
    body = {"userId": ids["user"], "role": "viewer"}
    assert (await gateway.call("POST", f"{project}/members", body)).status == 201
    return ids


async def test_nothing_of_another_tenant_is_there_and_nothing_is_written(gateway: LiveGateway) -> None:
    ids = await ours(gateway)
    project, stranger = await a_stranger(gateway, {"t.abl": TALKER})
    theirs, here = f"/api/projects/{project}", f"/api/projects/{gateway.project_id}"
    before = dict((await gateway.running.database.row(WRITTEN, tenant_id=TENANT_ID)) or {})
    asked: list[tuple[str, str, str, Any]] = [
        ("DELETE", "/api/api-keys/{}", "key", None),
        ("POST", "/api/api-keys/{}/rotate", "key", {"graceSec": 5}),
        ("PATCH", f"{theirs}/public-keys/{{}}", "page", {"name": "mine"}),
        ("DELETE", f"{theirs}/public-keys/{{}}", "page", None),
        ("PATCH", "/api/users/{}", "user", {"displayName": "mine"}),
        ("DELETE", "/api/users/{}", "user", None),
        ("PATCH", f"{theirs}/members/{{}}", "user", {"role": "viewer"}),
        ("DELETE", f"{theirs}/members/{{}}", "user", None),
        ("PATCH", "/api/model-providers/{}", "provider", {"name": "mine"}),
        ("DELETE", "/api/model-providers/{}", "provider", None),
        ("POST", "/api/model-providers/{}/test", "provider", None),
    ]
    for method, path, kind, body in asked:
        known = await gateway.call(method, path.format(ids[kind]), body, stranger)
        missing = await gateway.call(method, path.format("x_missing"), body, stranger)
        assert (known.status, known.body) == (404, missing.body), (method, path)
    in_bodies: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/api/api-keys", {"name": "k", "projectId": gateway.project_id}),
        ("POST", f"{theirs}/members", {"userId": ids["user"], "role": "viewer"}),
        ("GET", f"/api/api-keys?projectId={gateway.project_id}", {}),
        ("GET", f"/api/audit-logs?projectId={gateway.project_id}", {}),
        *(("GET", f"{here}/{words}", {}) for words in ("members", "public-keys", "models", "models/resolve")),
    ]
    for method, path, fields in in_bodies:
        assert (await gateway.call(method, path, fields or None, stranger)).status == 404, (method, path)
    for path, word in (("/api/api-keys", "keys"), ("/api/users", "users"), ("/api/model-providers", "providers")):
        seen = (await gateway.call("GET", f"{path}?limit=200", headers=stranger)).json()[word]
        assert not {one["id"] for one in seen} & set(ids.values())
    log = (await gateway.call("GET", "/api/audit-logs?limit=200", headers=stranger)).json()["entries"]
    assert not {one["resource"]["id"] for one in log} & set(ids.values())
    assert dict((await gateway.running.database.row(WRITTEN, tenant_id=TENANT_ID)) or {}) == before
