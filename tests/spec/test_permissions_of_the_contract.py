"""What the routes declare against what the contract says of them, both ways. Spec: platform-api 2, 4 to 10, 12, 14."""

from __future__ import annotations

from typing import Any

from domain.permissions import Permission
from tests.spec.permissions_of_the_contract import LINES, NOT_YET, RULES
from tests.spec.test_every_route import ROUTES, every
from tests.support.cells import over
from tests.support.visitors import Case

DECLARED = {(method, route.path) for route, method in ROUTES}


def test_each_route_of_the_contract_is_offered_and_each_that_is_offered_has_a_row() -> None:
    assert set(RULES) - DECLARED == set()
    assert DECLARED - set(RULES) == set()
    assert not NOT_YET & DECLARED
    assert len(RULES) == len(LINES.strip().splitlines()), "two rows of one route"


@every(ROUTES)
def test_a_route_takes_the_credentials_and_asks_for_the_permission_of_its_row(case: Case) -> None:
    route, method = case
    rule = RULES[method, route.path]
    declared = {str(route.access.permission)} if route.access.permission is not None else set()
    assert set(route.access.kinds) == rule.kinds
    assert declared == (rule.permissions if len(rule.permissions) == 1 else set()), "of several, the route asks itself"


@over("rule", RULES.values(), ids=[" ".join(name) for name in RULES])
def test_a_row_names_its_section_or_says_why_there_is_none(rule: Any) -> None:
    assert rule.permissions <= set(Permission)
    assert rule.section != "-" or "not in the contract" in rule.why
    assert rule.section == "-" or rule.section[0].isdigit()


@every([case for case in ROUTES if "sdk" in case[0].access.kinds or "public_key" in case[0].access.kinds])
def test_only_the_bootstrap_has_a_key_header_and_only_a_renewal_a_grace(case: Case) -> None:
    route, _ = case
    assert route.access.public_key_header is (route.path == "/api/v1/sdk/init")
    assert bool(route.access.token_grace_s) is (route.path == "/api/v1/sdk/refresh")
