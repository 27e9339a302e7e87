"""The credential matrix: every route against every credential in every state, and exactly the status the table says.

The routes are the app's; who comes, and what is expected of each, is `tests.support.visitors`.
Spec: platform-api 2.1 to 2.4; RFC 8725.
"""

from __future__ import annotations

import pytest

from actors.runtime import SessionRef
from domain.rates import RateSettings
from tests.spec.permissions_of_the_contract import RULES
from tests.spec.test_every_route import OF_SESSION, ROUTES, call, every, prepared
from tests.support.gateway import FOREIGN_KEY, FOREIGN_PROJECT, KEY, PROJECT, SECOND_PROJECT, TENANT, a_gateway
from tests.support.visitors import IN, Case, Visitor, add_people, bearer, from_outside, of_roles, the_visitors

pytestmark = pytest.mark.anyio

UNLIMITED = RateSettings(
    requests_per_second=0, requests_burst=0, session_messages_per_minute=0, concurrent_sessions=0,
    sdk_inits_per_minute=0, tickets_per_minute=0, tickets_per_tenant_minute=0,
)  # fmt: skip
CELLS_AT_LEAST = 1_000
NOTHING_THERE = 404
ADMITTED = {
    ("POST", "/api/auth/logout"): 200,
    ("GET", "/api/auth/me"): 200,
    ("POST", "/api/auth/password"): 200,
    ("GET", "/api/projects/{project_id}/callbacks"): 200,
    ("GET", "/api/projects/{project_id}/sessions"): 200,
    ("POST", "/api/projects/{project_id}/sessions"): 201,
    ("GET", "/api/projects/{project_id}/sessions/export"): 200,
    ("GET", "/api/projects/{project_id}/sessions/generations"): 200,
    ("POST", "/api/v1/chat/agent"): 200,
    ("POST", "/api/v1/chat/complete"): 200,
    ("POST", "/api/v1/chat/send"): 200,
    ("POST", "/api/v1/chat/stream"): 200,
    ("GET", "/api/v1/chat/usage"): 200,
    ("POST", "/api/v1/memory"): 200,
    ("POST", "/api/v1/sdk/init"): 200,
    ("POST", "/api/v1/sdk/refresh"): 200,
    ("POST", "/api/v1/sdk/ws-ticket"): 200,
    ("GET", "/health"): 200,
    ("GET", "/metrics"): 200,
    ("GET", "/ready"): 200,
    ("POST", "/mcp"): 400,
    ("POST", "/mcp/{project_id}"): 200,
    ("GET", "/.well-known/agent-card.json"): 400,
    ("GET", "/a2a/{project_id}/.well-known/agent-card.json"): 200,
    ("POST", "/a2a"): 400,
    ("POST", "/a2a/{project_id}"): 200,
    ("POST", "/ag-ui/{project_id}"): 200,
    ("POST", "/v1/chat/completions"): 400,
    ("GET", "/v1/models"): 400,
    ("GET", "/v1/models/{model}"): 400,
    ("POST", "/v1/responses"): 400,
    ("GET", "/v1/responses/{response_id}"): 400,
    ("GET", "/v1/responses/{response_id}/input_items"): 400,
    ("DELETE", "/v1/responses/{response_id}"): 400,
}
"""What an admitted caller gets here, where desks that a session does not need hold nothing and say 404 to everything; over
the store it is the status of the contract's row (tests/flows_gateway/test_admitted.py)."""

MISSING_PROJECT = "c" + "z" * 24
MISSING_SESSION = "sess_missing"


def wanted(visitor: Visitor, case: Case) -> int:
    """Return the one status that a visitor has to get."""
    route, method = case
    expected = IN if not RULES[method, route.path].kinds else visitor.expected(*case)
    return ADMITTED.get((method, route.path), NOTHING_THERE) if expected == IN else expected


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
            if reply.status != wanted(visitor, case):
                wrong.append((visitor.name, reply.status, wanted(visitor, case)))
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


async def test_the_matrix_has_its_thousand_cells_and_each_state_of_each_kind() -> None:
    visitors = await the_visitors(a_gateway(rates=UNLIMITED))
    cells = sum(counts(visitor, case) for visitor in visitors for case in ROUTES)
    assert cells >= CELLS_AT_LEAST
    assert len({visitor.name for visitor in visitors}) == len(visitors)
    named = " ".join(visitor.name for visitor in visitors)
    for words in ("expired", "changed", "as a bearer", "as an SDK token", "revoked", "key for", "another origin"):
        assert words in named
