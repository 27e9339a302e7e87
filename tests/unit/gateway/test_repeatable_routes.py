"""Each operation that changes something: what a client does that did not hear its answer. Decisions 0008 and 0049."""

from __future__ import annotations

from gateway.guarded import GuardedRoute
from tests.support.gateway import a_gateway

CREATES = "each makes another one, and the answer may hold a secret that is shown once: 409, look with GET (0008)"
OUTCOME_UNKNOWN = {
    "make_api_key": CREATES,
    "rotate_api_key": "a second one would end the secret of the first",
    "make_public_key": CREATES,
    "add_user": CREATES,
    "add_member": "who is one already is refused, so the client learns it",
    "add_provider": CREATES,
    "check_provider": "asks a model, which costs",
    "complete": "asks a model, which costs",
    "create_project": CREATES,
    "create_agent": "a name that is taken is refused, so the client learns it",
    "create_version": "each makes another one",
    "create_channel": CREATES,
    "set_project_budget": "each makes another one",
    "set_tenant_budget": "each makes another one",
    "import_project": "an import has a lock and an entry of the audit log of its own; the client looks at the project",
    "create_webhook": CREATES,
    "test_webhook": "sends something to a foreign server",
    "create_tool_secret": CREATES,
    "create_contact": "each makes another one",
}
"""Operations under a key that are not run again when it is not known whether they were made: why."""
WITHOUT_KEY = {
    "stream_completion": "nothing is kept of it",
    "log_in": "gives a new pair of tokens each time",
    "refresh": "a token that was used twice ends its family, which is how theft is found",
    "log_out": "twice is the same as once",
    "change_password": "the old password does not fit a second time, so the client learns it",
    "query_events": "reads",
    "aggregate_events": "reads",
    "erase_contact": "twice is the same as once",
    "erase_tenant": "twice is the same as once",
    "deliver_callback": "its id is the key: `already_processed`",
    "speak": "calls over MCP have their key in `_meta`",
    "speak_with_project": "the same",
}
"""POSTs that take no key: what keeps them from being done twice, or why that does no harm."""
STATES = {"PUT", "PATCH", "DELETE"}
"""They say what is to be, so twice is the same as once; a second DELETE is 404."""


def methods(route: GuardedRoute) -> set[str]:
    return set(route.methods or ())


def test_every_operation_that_changes_something_is_repeatable_or_says_why_not() -> None:
    routes = [route for route in a_gateway().app.routes if isinstance(route, GuardedRoute)]
    changing = [route for route in routes if methods(route) & ({"POST"} | STATES)]
    assert len(changing) > 80
    kept = {one.name for one in changing if one.access.replay == "reply" and not one.access.repeatable}
    assert kept == OUTCOME_UNKNOWN.keys()
    without = {one.name for one in changing if one.access.replay == "none" and not methods(one) & STATES}
    assert without == WITHOUT_KEY.keys()
