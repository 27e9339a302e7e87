"""Which lists the benchmark of the platform finds in the app."""

from __future__ import annotations

from benchmarks.platform_lists import LEFT_OUT, PROJECT, list_routes
from tests.support.gateway import a_gateway

FOUND = {route.path for route in list_routes(a_gateway().app)}


def test_what_is_left_out_is_a_list_of_the_app() -> None:
    assert LEFT_OUT.keys() <= FOUND


def test_the_lists_of_the_contract_are_measured_those_without_pages_too() -> None:
    paged = {"sessions", "sessions/{session_id}/traces", "human-tasks", "webhooks", "callbacks", "sdk-channels"}
    whole = {"agents", "agents/{agent_name}/versions", "deployments", "variables"}
    of_tenant = {"/api/contacts", "/api/tool-secrets", "/api/agents", "/api/projects", "/api/audit-logs"}
    assert {f"{PROJECT}/{one}" for one in paged | whole} | of_tenant <= FOUND - LEFT_OUT.keys()


def test_what_shows_one_thing_is_no_list() -> None:
    assert FOUND.isdisjoint(
        {PROJECT, "/api/auth/me", "/api/contacts/{contact_id}", f"{PROJECT}/sessions/{{session_id}}"}
    )
