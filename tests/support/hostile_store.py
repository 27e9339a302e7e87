"""The gateway over the real store, and the credentials of everybody who may attack it; no socket between.

A place has a tenant of its own, so that what attackers leave behind is nobody else's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from actors.clocks import RandomIds, SystemClock
from actors.projects import put_project
from actors.settings import ModelProvider, Settings
from actors.wiring import RunningRuntime, open_runtime
from cli.serving import access_services
from domain.permissions import DEFAULT_KEY_SCOPES
from gateway.app import build_app
from gateway.settings import GatewaySettings
from providers.specs import Price
from storage.repositories.api_keys import ApiKeys, NewKey
from storage.repositories.users import Users
from storage.statements import Statement
from tests.support.asgi import Client
from tests.support.live_gateway import NO_RATES, SECRET
from tests.support.servers import Servers
from tests.support.stub_model import StubModel

PASSWORD = "a long enough password"
ROLES = ("owner", "viewer", "key", "page")
CLERK = """\
AGENT: Clerk
GOAL: "Write down what is said"

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "heard: {{input}}"
        THEN: listen
"""
TABLES = Statement(
    "SELECT c.relname AS name, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid"
    " AND a.attname = 'tenant_id') AS of_tenant FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1"
)


@dataclass(frozen=True)
class Place:
    """A gateway with one tenant, one project, and callers of every role."""

    app: Any
    running: RunningRuntime
    tenant_id: str
    project_id: str
    headers: Mapping[str, Mapping[str, str]]

    def as_(self, role: str) -> Client:
        """Return a client with the credential of a role."""
        return Client(self.app, self.headers[role])

    async def rows(self) -> dict[str, int]:
        """Return how many rows of this tenant each table has."""
        tables = [row["name"] for row in await self.running.database.rows(TABLES) if row["of_tenant"]]
        counted = " UNION ALL ".join(
            f"SELECT '{table}' AS name, count(*) AS n FROM {table} WHERE tenant_id = :tenant_id" for table in tables
        )
        found = await self.running.database.rows(Statement(counted), tenant_id=self.tenant_id)
        return {row["name"]: row["n"] for row in found}


@asynccontextmanager
async def a_place(servers: Servers, *, name: str = "hostile") -> AsyncIterator[Place]:
    """Yield a gateway over these servers."""
    ids = RandomIds()
    tenant_id = ids.new("ten")
    async with StubModel() as model, open_runtime(_settings(servers, model)) as running:
        seeded = await put_project(running.database, name, {"clerk.abl": CLERK}, tenant_id=tenant_id)
        access = access_services(running, SystemClock(), ids)
        app = build_app(running.runtime, access, GatewaySettings(token_secret=SECRET, rates=NO_RATES))
        bare = Place(app, running, tenant_id, seeded.project_id, {})
        headers = {
            "owner": await _person(bare, ids, "owner"),
            "viewer": await _person(bare, ids, "viewer"),
            "key": {"Authorization": f"Bearer {await _key(bare, ids, 'abl_', tuple(DEFAULT_KEY_SCOPES))}"},
            "page": {"X-SDK-Token": await _page(bare, ids)},
        }
        async with app.router.lifespan_context(app):
            yield Place(app, running, tenant_id, seeded.project_id, headers)


async def another_tenant(place: Place, name: str, files: Mapping[str, str]) -> Place:
    """Return a place of another tenant at the same gateway, with one project and its owner.

    For whoever talks to agents: what is counted of that afterwards would be new rows to those who count rows.
    """
    ids = RandomIds()
    tenant_id = ids.new("ten")
    seeded = await put_project(place.running.database, name, files, tenant_id=tenant_id)
    bare = replace(place, tenant_id=tenant_id, project_id=seeded.project_id, headers={})
    return replace(bare, headers={"owner": await _person(bare, ids, "owner")})


def _settings(servers: Servers, model: StubModel) -> Settings:
    stub = ModelProvider(name="stub", base_url=model.base_url, models=("talker",))
    return Settings(
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        providers=(stub,),
        default_model="stub/talker",
        prices={"stub/talker": Price(1.0, 1.0)},
    )


async def _person(place: Place, ids: RandomIds, role: str) -> dict[str, str]:
    users, user_id = Users(place.running.database), ids.new("usr")
    email = f"{user_id}@example.com"
    kept = await place.running.desks.users._passwords.hashed(PASSWORD)  # type: ignore[attr-defined]
    await users.create(place.tenant_id, user_id, email=email, role=role, password_hash=kept)
    if role == "viewer":
        await users.join(place.tenant_id, place.project_id, user_id, "viewer")
    reply = await Client(place.app).post("/api/auth/login", {"email": email, "password": PASSWORD})
    assert reply.status == 200, reply.body
    return {"Authorization": f"Bearer {reply.json()['accessToken']}"}


async def _key(place: Place, ids: RandomIds, prefix: str, scopes: tuple[str, ...] = (), **more: Any) -> str:
    plaintext = ids.new(prefix)
    wanted = NewKey(key_id=ids.new("key"), plaintext=plaintext, scopes=scopes, **more)
    await ApiKeys(place.running.database).create(place.tenant_id, wanted)
    return plaintext


async def _page(place: Place, ids: RandomIds) -> str:
    more = {
        "kind": "public",
        "project_id": place.project_id,
        "details": {"allowedOrigins": ["*"], "requireOrigin": False},
    }
    headers = {"x-public-key": await _key(place, ids, "pk_", **more)}
    reply = await Client(place.app, headers).post("/api/v1/sdk/init", {"projectId": place.project_id})
    assert reply.status == 200, reply.body
    return str(reply.json()["token"])
