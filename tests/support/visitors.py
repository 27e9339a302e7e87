"""Who comes to the routes, and what the table says of them: each kind of credential, valid and spoilt in each way.

What a route takes is what the contract says of it (`tests.spec.permissions_of_the_contract`), what a role may is
`domain.permissions`; here stands what follows of both. Spec: platform-api 2.1 to 2.4; RFC 8725.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from actors.runtime import NewSession
from domain.permissions import ACTS_EVERYWHERE, Permission, ProjectRole, WorkspaceRole, effective, may
from domain.users import UserView
from gateway.auth.sdk_tokens import SdkClaims
from gateway.auth.user_tokens import TokenPair
from gateway.guarded import GuardedRoute
from gateway.services import Services
from tests.spec.permissions_of_the_contract import RULES, Rule
from tests.support.asgi import Client
from tests.support.fake_desks import PASSWORD
from tests.support.gateway import (
    FOREIGN_KEY,
    KEY,
    OTHER_TENANT,
    OWNER,
    PAGE,
    PROJECT,
    PUBLIC_KEY,
    SECOND_PROJECT,
    TENANT,
    Gateway,
    a_caller,
    a_public_key,
    sandbox_token,
)

Case = tuple[GuardedRoute, str]
OLD_PAGE_KEY, OLD_KEY, GONE_KEY, BOUND_ELSEWHERE = "pk_old", "abl_old", "abl_gone", "abl_elsewhere"
AN_HOUR_S, LONG_AGO_S = 3_601, 5_000
BOOTSTRAP, RENEWAL = "/api/v1/sdk/init", "/api/v1/sdk/refresh"

# --- what the table says -----------------------------------------------------------------------------------------------

IN = 0
"""Let in: the route answers as it answers an admitted caller."""
Expected = Callable[[GuardedRoute, str], int]


def refused(_: GuardedRoute, __: str) -> int:
    return 401


def rule_of(route: GuardedRoute, method: str) -> Rule:
    """Return what the contract says of a route."""
    return RULES[method, route.path]


def by_kind(kind: str) -> Expected:
    """Let in wherever this kind is taken; the bootstrap's key has a header of its own."""

    def expected(route: GuardedRoute, method: str) -> int:
        return IN if kind in rule_of(route, method).kinds and route.path != BOOTSTRAP else 401

    return expected


def bootstrap_only(route: GuardedRoute, _: str) -> int:
    return IN if route.path == BOOTSTRAP else 401


def within_grace(route: GuardedRoute, _: str) -> int:
    """An SDK token that expired a moment ago is still good for another one."""
    return IN if route.path == RENEWAL else 401


def from_elsewhere(kind: str, *, header_of_its_own: bool = False) -> Expected:
    """A page of another origin: 403 where its credential is taken."""

    def expected(route: GuardedRoute, method: str) -> int:
        taken = kind in rule_of(route, method).kinds and (route.path == BOOTSTRAP) is header_of_its_own
        return 403 if taken else 401

    return expected


def somebody(kind: str, granted: Callable[[str], frozenset[str]], sees: Callable[[str], bool], whole: bool) -> Expected:
    """A caller with permissions: `granted` in a project, empty for none; `sees` which projects; `whole` the tenant."""

    def expected(route: GuardedRoute, method: str) -> int:
        rule = rule_of(route, method)
        project = PROJECT if "{project_id}" in route.path else ""
        if kind not in rule.kinds:
            return 401
        if project and not sees(project):
            return 404
        one_of_several = len(rule.permissions) > 1
        if one_of_several and not sees(PROJECT):
            return 404
        held = granted(PROJECT if one_of_several else project)
        if rule.permissions and not any(may(held, Permission(one)) for one in rule.permissions):
            return 403
        if rule.named and not sees(PROJECT):
            return 404
        return 403 if rule.whole_tenant and not whole else IN

    return expected


def a_key(*scopes: str, project: str = "") -> Expected:
    return somebody("api_key", lambda _: frozenset(scopes), lambda one: project in ("", one), not project)


def a_user(role: WorkspaceRole, projects: Mapping[str, ProjectRole]) -> Expected:
    everywhere = role in ACTS_EVERYWHERE

    def granted(project: str) -> frozenset[str]:
        if everywhere or project:
            return frozenset(effective(role, None if everywhere else projects.get(project)))
        return frozenset(effective(role)).union(*(effective(role, one) for one in projects.values()))

    return somebody("user", granted, lambda project: everywhere or project in projects, everywhere)


# --- who comes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Visitor:
    """A credential as it is sent, and what the table says of it."""

    name: str
    headers: Mapping[str, str]
    expected: Expected


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def of_page(token: str, origin: str = PAGE) -> dict[str, str]:
    return {"x-sdk-token": token, "origin": origin}


def spoilt(token: str) -> str:
    """Return a token with another signature, or a key with another end."""
    last = token[-5:]
    return token[:-5] + last.translate(str.maketrans(last, "".join("A" if sign != "A" else "B" for sign in last)))


ROLES = {f"{role}-no-project": (role, {}) for role in WorkspaceRole} | {
    f"viewer-project-{role}": (WorkspaceRole.VIEWER, {PROJECT: role}) for role in ProjectRole
}
ROLES["viewer-of-another-project"] = (WorkspaceRole.VIEWER, {SECOND_PROJECT: ProjectRole.ADMIN})


async def a_session(gateway: Gateway) -> str:
    """Return the id of a session of the first tenant."""
    return (await gateway.runtime.create_session(NewSession(tenant_id=TENANT, project_id=PROJECT, agent="desk"))).id


async def logged_in(gateway: Gateway, email: str) -> TokenPair:
    """Return the tokens of a new log-in; attempts are not counted here."""
    services: Services = gateway.app.state.services
    return await services.user_tokens.log_in(email, PASSWORD, ip="127.0.0.1", request_id="r")


def add_people(gateway: Gateway) -> None:
    for role_name, (role, projects) in ROLES.items():
        email = f"{role_name}@example.com"
        gateway.desks.users.people[email] = UserView(
            id=f"usr_{role_name}", tenant_id=TENANT, email=email, display_name="", role=role,
            projects={project: str(one) for project, one in projects.items()},
        )  # fmt: skip
    foreign = UserView(id="usr_f", tenant_id=OTHER_TENANT, email="f@example.com", display_name="", role="owner")
    gateway.desks.users.people["f@example.com"] = foreign


async def expired(gateway: Gateway) -> list[Visitor]:
    """Return tokens that have run out; the clock has moved on."""
    long_ago = await gateway.sdk_token()
    gateway.clock.move(seconds=LONG_AGO_S)
    pair, sdk = await logged_in(gateway, OWNER), await gateway.sdk_token()
    sandbox = sandbox_token(gateway, await a_session(gateway))
    gateway.clock.move(seconds=AN_HOUR_S)
    return [
        Visitor("expired user token", bearer(pair.access_token), refused),
        Visitor("expired SDK token", of_page(sdk), within_grace),
        Visitor("SDK token that expired long ago", of_page(long_ago), refused),
        Visitor("expired sandbox token", bearer(sandbox), refused),
    ]


async def revoked(gateway: Gateway) -> list[Visitor]:
    """Return credentials that have worked and work no more."""
    services: Services = gateway.app.state.services
    out, removed, removed_email = await logged_in(gateway, OWNER), None, "removed@example.com"
    gateway.desks.users.people[removed_email] = UserView(
        id="usr_removed", tenant_id=TENANT, email=removed_email, display_name="", role="owner"
    )
    removed = await logged_in(gateway, removed_email)
    gateway.public_keys.keys[OLD_PAGE_KEY] = a_public_key(id="key_old")
    gateway.runtime.callers |= {OLD_KEY: a_caller(TENANT, "*"), GONE_KEY: a_caller(TENANT, "*")}
    reply = await Client(gateway.app, {"x-public-key": OLD_PAGE_KEY, "origin": PAGE}).post("/api/v1/sdk/init", {})
    token = reply.json()["token"]
    sessions = f"/api/projects/{PROJECT}/sessions"
    assert (await Client(gateway.app, of_page(token)).post("/api/v1/sdk/refresh", {})).status == 200
    for key in (OLD_KEY, GONE_KEY):
        assert (await gateway.as_(key).get(sessions)).status == 200
    for pair in (out, removed):
        assert (await gateway.as_(pair.access_token).get("/api/auth/me")).status == 200
    assert (await gateway.as_(out.access_token).post("/api/auth/logout")).status == 200
    del gateway.desks.users.people[removed_email]
    del gateway.public_keys.keys[OLD_PAGE_KEY]
    for key in (OLD_KEY, GONE_KEY):
        del gateway.runtime.callers[key]
    services.api_keys.forget(TENANT, f"key_of_{TENANT}")
    services.public_keys.changed(TENANT, "key_old")
    services.user_tokens.forget(TENANT)
    return [
        Visitor("token of a log-in that has ended", bearer(out.access_token), refused),
        Visitor("token of a user who is gone", bearer(removed.access_token), refused),
        Visitor("refreshed from a log-in that has ended", bearer(out.refresh_token), refused),
        Visitor("revoked API key", bearer(OLD_KEY), refused),
        Visitor("revoked API key in its header", {"x-api-key": GONE_KEY}, refused),
        Visitor("revoked public key", {"x-public-key": OLD_PAGE_KEY, "origin": PAGE}, refused),
        Visitor("revoked public key on widget configuration", {"x-api-key": OLD_PAGE_KEY, "origin": PAGE}, refused),
        Visitor("SDK token of a revoked key", of_page(token), refused),
    ]


async def valid(gateway: Gateway) -> list[Visitor]:
    """Return one of each kind, with everything that it can have."""
    pair, sdk = await logged_in(gateway, OWNER), await gateway.sdk_token()
    sandbox = sandbox_token(gateway, await a_session(gateway))
    everything = a_key("*")
    return [
        Visitor("nothing", {}, refused),
        Visitor("user token", bearer(pair.access_token), a_user(WorkspaceRole.OWNER, {})),
        Visitor("API key", bearer(KEY), everything),
        Visitor("API key in its header", {"x-api-key": KEY}, everything),
        Visitor("SDK token", of_page(sdk), by_kind("sdk")),
        Visitor("SDK token of another origin", of_page(sdk, "https://evil.example"), from_elsewhere("sdk")),
        Visitor("public key", {"x-public-key": PUBLIC_KEY, "origin": PAGE}, bootstrap_only),
        Visitor("public key on widget configuration", {"x-api-key": PUBLIC_KEY, "origin": PAGE}, by_kind("public_key")),
        Visitor(
            "public key of another origin",
            {"x-public-key": PUBLIC_KEY, "origin": "https://evil.example"},
            from_elsewhere("public_key", header_of_its_own=True),
        ),
        Visitor("sandbox token", bearer(sandbox), by_kind("sandbox")),
        Visitor("callback signature", {"x-callback-signature": "sha256=" + "0" * 64}, refused),
    ]


async def confused(gateway: Gateway) -> list[Visitor]:
    """Return credentials that are changed, or stand where another kind belongs: no `typ` is taken for another."""
    services: Services = gateway.app.state.services
    pair, sdk = await logged_in(gateway, OWNER), await gateway.sdk_token()
    sandbox = sandbox_token(gateway, await a_session(gateway))
    claims = SdkClaims(tenant_id=TENANT, project_id=PROJECT, key_id="key_page", family="f", subject="s")
    ticket, resume = services.sdk_tokens.make_ticket(claims), services.sdk_tokens.make_resume(claims)
    in_bearer = {"SDK token": sdk, "refresh token": pair.refresh_token, "ticket": ticket, "resume token": resume}
    in_page = {"user token": pair.access_token, "refresh token": pair.refresh_token, "sandbox token": sandbox}
    in_page |= {"ticket": ticket, "resume token": resume, "API key": KEY, "public key": PUBLIC_KEY}
    return [
        Visitor("changed user token", bearer(spoilt(pair.access_token)), refused),
        Visitor("changed SDK token", of_page(spoilt(sdk)), refused),
        Visitor("changed sandbox token", bearer(spoilt(sandbox)), refused),
        Visitor("changed API key", bearer(spoilt(KEY)), refused),
        Visitor("changed public key", {"x-public-key": spoilt(PUBLIC_KEY), "origin": PAGE}, refused),
        Visitor("public key as a bearer", bearer(PUBLIC_KEY), refused),
        Visitor("user token as an API key", {"x-api-key": pair.access_token}, refused),
        *(Visitor(f"{kind} as a bearer", bearer(token), refused) for kind, token in in_bearer.items()),
        *(Visitor(f"{kind} as an SDK token", of_page(token), refused) for kind, token in in_page.items()),
        Visitor("invalid winner before a valid key", {**bearer(spoilt(KEY)), "x-api-key": KEY}, refused),
        Visitor("API key before an SDK token", {"x-api-key": KEY, **of_page(sdk)}, a_key("*")),
    ]


async def of_roles(gateway: Gateway) -> list[Visitor]:
    """Return a user of each role, and keys that may little, or only elsewhere."""
    gateway.runtime.callers |= {
        f"abl_only_{permission}": a_caller(TENANT, str(permission)) for permission in LITTLE
    } | {BOUND_ELSEWHERE: a_caller(TENANT, "*", project_id=SECOND_PROJECT)}
    people = [
        Visitor(f"user: {one}", bearer((await logged_in(gateway, f"{one}@example.com")).access_token), a_user(*given))
        for one, given in ROLES.items()
    ]
    keys = [Visitor(f"key for {one} only", bearer(f"abl_only_{one}"), a_key(one)) for one in LITTLE]
    return people + keys


LITTLE = (Permission.SESSION_READ, Permission.SESSION_EXECUTE, Permission.APIKEY_WRITE, Permission.SESSION_SEND_MESSAGE)


async def from_outside(gateway: Gateway) -> list[Visitor]:
    """Return callers to whom the project of the path does not exist; they come to such paths only."""
    foreign = (await logged_in(gateway, "f@example.com")).access_token
    elsewhere = (await logged_in(gateway, "viewer-of-another-project@example.com")).access_token
    nobody = (await logged_in(gateway, "member-no-project@example.com")).access_token
    return [
        Visitor("API key of another tenant", bearer(FOREIGN_KEY), outside("api_key")),
        Visitor("API key of another project", bearer(BOUND_ELSEWHERE), outside("api_key")),
        Visitor("owner of another tenant", bearer(foreign), outside("user")),
        Visitor("administrator of another project", bearer(elsewhere), outside("user")),
        Visitor("member of no project", bearer(nobody), outside("user")),
    ]


def outside(kind: str) -> Expected:
    return lambda route, method: 404 if kind in rule_of(route, method).kinds else 401


async def the_visitors(gateway: Gateway) -> list[Visitor]:
    add_people(gateway)
    return [
        *await expired(gateway),
        *await revoked(gateway),
        *await valid(gateway),
        *await confused(gateway),
        *await of_roles(gateway),
    ]
