"""A gateway over a fake runtime: two tenants, three keys, one public key, a clock that stands still."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from actors.agent_cards import AgentCard
from actors.counters import LocalCounters
from actors.runtime import Caller
from actors.sandbox_tokens import SandboxClaims, SandboxTokens
from domain.clock import CountingIds, FixedClock
from domain.rates import RateSettings
from domain.users import UserView
from gateway.app import build_app
from gateway.auth.public_keys import PublicKey
from gateway.idempotency import LocalReplyStore
from gateway.services import AccessServices
from gateway.settings import GatewaySettings
from tests.support.asgi import Client
from tests.support.fake_desks import PASSWORD, FakeDesks, fake_desks
from tests.support.fake_runtime import FakeRuntime

TENANT, OTHER_TENANT = "ten_one", "ten_two"
PROJECT = "c" + "a" * 24
SECOND_PROJECT = "c" + "b" * 24
FOREIGN_PROJECT = "c" + "f" * 24
KEY, READER_KEY, FOREIGN_KEY, BOUND_KEY = (f"abl_{word}" for word in ("full", "reader", "foreign", "bound"))
PUBLIC_KEY = "pk_page"
PAGE = "https://shop.example.com"
OWNER, DEVELOPER = "owner@example.com", "developer@example.com"
PEOPLE = (
    UserView(id="usr_1", tenant_id=TENANT, email=OWNER, display_name="Ada", role="owner"),
    UserView(
        id="usr_2",
        tenant_id=TENANT,
        email=DEVELOPER,
        display_name="Dev",
        role="viewer",
        projects={PROJECT: "developer"},
    ),
)
SECRET = b"0123456789abcdef0123456789abcdef"


@dataclass
class FakePublicKeys:
    keys: dict[str, PublicKey] = field(default_factory=dict)

    async def find_by_secret(self, secret: str) -> PublicKey | None:
        return self.keys.get(secret)

    async def find_by_id(self, tenant_id: str, key_id: str) -> PublicKey | None:
        return next((key for key in self.keys.values() if (key.tenant_id, key.id) == (tenant_id, key_id)), None)


@dataclass
class FakeProjects:
    owned: set[tuple[str, str]] = field(default_factory=set)

    async def exists(self, tenant_id: str, project_id: str) -> bool:
        return (tenant_id, project_id) in self.owned


class FakeCards:
    async def cards(self, tenant_id: str, project_id: str) -> tuple[AgentCard, ...]:
        return (AgentCard("Front_Desk", "Greets", is_entry=True), AgentCard("bank/Clerk", "Counts"))


@dataclass
class Gateway:
    app: Any
    runtime: FakeRuntime
    desks: FakeDesks
    clock: FixedClock
    public_keys: FakePublicKeys
    client: Client
    active_sessions: dict[str, int]
    tenant_settings: dict[str, dict[str, Any]]

    def as_(self, key: str) -> Client:
        return Client(self.app, {"authorization": f"Bearer {key}"})

    async def user(self, email: str = OWNER) -> Client:
        """Return a client with the access token of somebody who has logged in."""
        reply = await self.nobody().post("/api/auth/login", {"email": email, "password": PASSWORD})
        assert reply.status == 200, reply.body
        return self.as_(reply.json()["accessToken"])

    def nobody(self) -> Client:
        return Client(self.app)

    async def sdk_token(self, **body: Any) -> str:
        reply = await Client(self.app, {"x-public-key": PUBLIC_KEY, "origin": PAGE}).post("/api/v1/sdk/init", body)
        assert reply.status == 200, reply.body
        return str(reply.json()["token"])

    def page(self, token: str) -> Client:
        return Client(self.app, {"x-sdk-token": token, "origin": PAGE})


def a_caller(tenant_id: str, *permissions: str, project_id: str = "") -> Caller:
    return Caller(tenant_id, f"key_of_{tenant_id}", frozenset(permissions), project_id, rate_key=tenant_id)


def a_public_key(**fields: Any) -> PublicKey:
    given = {"id": "key_page", "tenant_id": TENANT, "project_id": PROJECT, "allowed_origins": (PAGE,), **fields}
    return PublicKey(**given)


def sandbox_token(gateway: Gateway, session_id: str, *, tenant: str = TENANT, project: str = PROJECT) -> str:
    """Return the token of sandboxed code of a session."""
    claims = SandboxClaims(tenant_id=tenant, project_id=project, session_id=session_id, agent="Desk")
    return SandboxTokens(SECRET, gateway.clock, CountingIds()).make(claims)


def a_gateway(*, rates: RateSettings | None = None, sandbox: bool = True, **settings: Any) -> Gateway:
    runtime, clock = FakeRuntime(), FixedClock()
    runtime.callers = {
        KEY: a_caller(TENANT, "*"),
        READER_KEY: a_caller(TENANT, "project:read"),
        FOREIGN_KEY: a_caller(OTHER_TENANT, "*"),
        BOUND_KEY: a_caller(TENANT, "*", project_id=PROJECT),
    }
    public_keys = FakePublicKeys({PUBLIC_KEY: a_public_key()})
    projects = FakeProjects({(TENANT, PROJECT), (TENANT, SECOND_PROJECT), (OTHER_TENANT, FOREIGN_PROJECT)})
    active: dict[str, int] = {}
    of_tenants: dict[str, dict[str, Any]] = {}

    async def active_sessions(tenant_id: str) -> int | None:
        return active.get(tenant_id)

    async def tenant_settings(tenant_id: str) -> dict[str, Any]:
        return of_tenants.get(tenant_id, {})

    desks = fake_desks(runtime, clock)
    desks.users.people = {one.email: one for one in PEOPLE}
    access = AccessServices(
        desks=desks.as_desks(),
        public_keys=public_keys,
        projects=projects,
        counters=LocalCounters(clock),
        replies=LocalReplyStore(clock),
        active_sessions=active_sessions,
        tenant_settings=tenant_settings,
        clock=clock,
        ids=CountingIds(),
        agent_cards=FakeCards(),
        sandbox_tokens=SandboxTokens(SECRET, clock, CountingIds()) if sandbox else None,
    )
    told = replace(GatewaySettings(token_secret=SECRET, version="1.2.3", rates=rates or RateSettings()), **settings)
    app = build_app(runtime, access, told)
    client = Client(app, {"authorization": f"Bearer {KEY}"})
    return Gateway(app, runtime, desks, clock, public_keys, client, active, of_tenants)
