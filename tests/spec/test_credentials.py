"""The credential matrix: every route against every credential in every state, and exactly the status the table says.

The routes are the app's; what each takes is its own declaration (`gateway.access`), what a role may is `domain.permissions`.
What is generated here is who comes: each kind of platform-api 2.1, valid and spoilt in each way, and each role.
Spec: platform-api 2.1 to 2.4; RFC 8725.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from actors.runtime import SessionRef
from domain.permissions import (
    ACTS_EVERYWHERE,
    Permission,
    ProjectRole,
    WorkspaceRole,
    effective,
    may,
)
from domain.users import UserView
from gateway.access import BODY_METHODS, Access
from gateway.auth.sdk_tokens import SdkClaims
from gateway.auth.user_tokens import TokenPair
from gateway.guarded import GuardedRoute
from gateway.services import Services
from gateway.settings import RateSettings
from tests.spec.test_every_route import EXAMPLES, OF_SESSION, QUERIES, ROUTES, call, every, name, path_of, prepared
from tests.support.asgi import Client, Reply
from tests.support.fake_desks import PASSWORD
from tests.support.gateway import (
    FOREIGN_KEY,
    FOREIGN_PROJECT,
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
    a_gateway,
    a_public_key,
    sandbox_token,
)

pytestmark = pytest.mark.anyio

Case = tuple[GuardedRoute, str]
UNLIMITED = RateSettings(
    requests_per_second=0, requests_burst=0, session_messages_per_minute=0, concurrent_sessions=0,
    sdk_inits_per_minute=0, tickets_per_minute=0, tickets_per_tenant_minute=0,
)  # fmt: skip
CELLS_AT_LEAST = 1_000
MISSING_PROJECT = "c" + "z" * 24
MISSING_SESSION = "sess_missing"
OLD_PAGE_KEY, OLD_KEY, GONE_KEY, BOUND_ELSEWHERE = "pk_old", "abl_old", "abl_gone", "abl_elsewhere"
AN_HOUR_S, LONG_AGO_S = 3_601, 5_000
WHOLE_TENANT = {
    ("GET", "/api/budgets"),
    ("GET", "/api/budgets/{budget_id}"),
    ("POST", "/api/budgets"),
    ("PUT", "/api/budgets/{budget_id}"),
    ("DELETE", "/api/budgets/{budget_id}"),
    ("POST", "/api/users"),
    ("PATCH", "/api/users/{user_id}"),
    ("DELETE", "/api/users/{user_id}"),
    ("POST", "/api/api-keys"),
    ("POST", "/api/model-providers"),
    ("PATCH", "/api/model-providers/{provider_id}"),
    ("DELETE", "/api/model-providers/{provider_id}"),
    ("POST", "/api/model-providers/{provider_id}/test"),
}
"""Routes with a permission that is granted in projects too, but only for those who see the whole tenant."""

ANY_OF = {("GET", "/api/v1/chat/usage"): (Permission.USAGE_READ, Permission.PROJECT_READ)}
"""Routes that ask for one of several permissions, in the project of their query."""

# --- what the table says -----------------------------------------------------------------------------------------------

IN = 0
"""Let in: the route answers, with neither 401 nor 403."""
Expected = Callable[[GuardedRoute, str], int]


def refused(_: GuardedRoute, __: str) -> int:
    return 401


def by_kind(kind: str) -> Expected:
    """Let in wherever this kind is taken; the bootstrap's key has a header of its own."""

    def expected(route: GuardedRoute, _: str) -> int:
        return IN if kind in route.access.kinds and not route.access.public_key_header else 401

    return expected


def bootstrap_only(route: GuardedRoute, _: str) -> int:
    return IN if route.access.public_key_header else 401


def within_grace(route: GuardedRoute, _: str) -> int:
    """An SDK token that expired a moment ago is still good for another one."""
    return IN if "sdk" in route.access.kinds and route.access.token_grace_s else 401


def from_elsewhere(kind: str, *, header_of_its_own: bool = False) -> Expected:
    """A page of another origin: 403 where its credential is taken."""

    def expected(route: GuardedRoute, _: str) -> int:
        taken = kind in route.access.kinds and route.access.public_key_header is header_of_its_own
        return 403 if taken else 401

    return expected


def somebody(kind: str, granted: Callable[[str], frozenset[str]], sees: Callable[[str], bool], whole: bool) -> Expected:
    """A caller with permissions: `granted` in a project, empty for none; `sees` which projects; `whole` the tenant."""

    def expected(route: GuardedRoute, method: str) -> int:
        access: Access = route.access
        project = PROJECT if "{project_id}" in route.path else ""
        if kind not in access.kinds:
            return 401
        if project and not sees(project):
            return 404
        if access.permission is not None and not may(granted(project), access.permission):
            return 403
        any_of = ANY_OF.get((method, route.path))
        if any_of is not None and sees(PROJECT) and not any(may(granted(PROJECT), one) for one in any_of):
            return 403
        return 403 if (method, route.path) in WHOLE_TENANT and not whole else IN

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
    sandbox = sandbox_token(gateway, await prepared(gateway))
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
    reply = await Client(gateway.app, {"x-public-key": OLD_PAGE_KEY}).post("/api/v1/sdk/init", {})
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
    sandbox = sandbox_token(gateway, await prepared(gateway))
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
    sandbox = sandbox_token(gateway, await prepared(gateway))
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
    return lambda route, _: 404 if kind in route.access.kinds else 401


async def the_visitors(gateway: Gateway) -> list[Visitor]:
    add_people(gateway)
    return [
        *await expired(gateway),
        *await revoked(gateway),
        *await valid(gateway),
        *await confused(gateway),
        *await of_roles(gateway),
    ]


# --- the matrix --------------------------------------------------------------------------------------------------------


def wanted(visitor: Visitor, case: Case) -> int:
    return IN if case[0].access.is_public else visitor.expected(*case)


def agrees(status: int, expected: int, case: Case) -> bool:
    if expected != IN:
        return status == expected
    if case[0].access.errors == "callback":
        return status in (401, 404)  # its signature is the body's business, not the door's
    return status < 500 and status not in (401, 403)


def counts(visitor: Visitor, case: Case) -> bool:
    """Leave out what the body of a public route decides: a log-in with an old refresh token is refused as such."""
    return not (case[0].access.is_public and case[0].path.startswith("/api/auth/"))


@every(ROUTES)
async def test_each_credential_gets_exactly_what_the_table_says(case: Case) -> None:
    gateway = a_gateway(rates=UNLIMITED)
    wrong = []
    for visitor in await the_visitors(gateway):
        if counts(visitor, case):
            reply = await call(gateway, case, dict(visitor.headers))
            expected = wanted(visitor, case)
            if not agrees(reply.status, expected, case):
                wrong.append((visitor.name, reply.status, expected or "let in"))
    assert not wrong


@every([case for case in ROUTES if "{project_id}" in case[0].path and not case[0].access.is_public])
async def test_a_project_of_others_is_byte_for_byte_one_that_is_not_there(case: Case) -> None:
    gateway = a_gateway(rates=UNLIMITED)
    add_people(gateway)
    await of_roles(gateway)
    session = await prepared(gateway)
    for visitor in await from_outside(gateway):
        theirs = await call(gateway, case, dict(visitor.headers), project=PROJECT, session=session)
        missing = await call(gateway, case, dict(visitor.headers), project=MISSING_PROJECT, session=session)
        assert theirs.status == visitor.expected(*case), visitor.name
        assert theirs.body == missing.body, visitor.name


@every([case for case in OF_SESSION if "api_key" in case[0].access.kinds])
async def test_a_session_of_others_is_byte_for_byte_one_that_is_not_there(case: Case) -> None:
    gateway = a_gateway(rates=UNLIMITED)
    theirs = await prepared(gateway)
    for project in (FOREIGN_PROJECT, SECOND_PROJECT):
        key = FOREIGN_KEY if project == FOREIGN_PROJECT else KEY
        if "{project_id}" not in case[0].path and project == SECOND_PROJECT:
            continue  # of their own tenant, and no project is named
        known = await call(gateway, case, bearer(key), project=project, session=theirs)
        missing = await call(gateway, case, bearer(key), project=project, session=MISSING_SESSION)
        assert (known.status, known.body) == (404, missing.body)
    found = await gateway.runtime.session(SessionRef(TENANT, PROJECT, theirs))
    assert (found.id, found.status) == (theirs, "active")


def _id_fields() -> list[tuple[Case, str, str]]:
    """Return every id that a body or query of a route names, with where it stands; an `agentId` is a name."""
    found = []
    for route, method in ROUTES:
        example = EXAMPLES.get(f"{method} {route.path}", EXAMPLES.get(route.path, {}))
        if method in BODY_METHODS and isinstance(example, dict):
            found += [((route, method), "body", field) for field in example if _is_id(field)]
        query = QUERIES.get(route.path, "").removeprefix("?")
        if method not in BODY_METHODS:
            fields = [one.partition("=")[0] for one in query.split("&") if one]
            found += [((route, method), "query", field) for field in fields if _is_id(field)]
    return found


def _is_id(field: str) -> bool:
    return field.endswith("Id") and field != "agentId"


@pytest.mark.parametrize(
    ("case", "place", "field"), [pytest.param(*one, id=f"{name(one[0])} {one[1]} {one[2]}") for one in _id_fields()]
)
async def test_an_id_of_another_tenant_in_a_body_or_query_is_one_that_is_not_there(
    case: Case, place: str, field: str
) -> None:
    gateway = a_gateway(rates=UNLIMITED)
    session = await prepared(gateway)
    theirs = {"projectId": PROJECT, "sessionId": session}.get(field, "x_1")
    missing = {"projectId": MISSING_PROJECT, "sessionId": MISSING_SESSION}.get(field, "x_2")
    replies = [await _with(gateway, case, place, field, value) for value in (theirs, missing)]
    assert replies[0].status == 404
    assert replies[0].body == replies[1].body


async def _with(gateway: Gateway, case: Case, place: str, field: str, value: str) -> Reply:
    """Send a request of the other tenant in which one id is another."""
    route, method = case
    project = FOREIGN_PROJECT
    example: dict[str, Any] = EXAMPLES.get(f"{method} {route.path}", EXAMPLES.get(route.path, {}))
    client = Client(gateway.app, bearer(FOREIGN_KEY))
    path = path_of(route, project=project)
    if place == "query":
        return await client.request(method, f"{path}?{field}={value}")
    own = {one: FOREIGN_PROJECT if one == "projectId" else given for one, given in example.items()}
    return await client.request(method, path, body={**own, field: value})


async def test_the_matrix_has_its_thousand_cells_and_each_state_of_each_kind() -> None:
    visitors = await the_visitors(a_gateway(rates=UNLIMITED))
    cells = sum(counts(visitor, case) for visitor in visitors for case in ROUTES)
    assert cells >= CELLS_AT_LEAST
    assert len({visitor.name for visitor in visitors}) == len(visitors)
    named = " ".join(visitor.name for visitor in visitors)
    for words in ("expired", "changed", "as a bearer", "as an SDK token", "revoked", "key for", "another origin"):
        assert words in named
