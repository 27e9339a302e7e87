"""Schemathesis over the whole OpenAPI document, per role: no 5xx, no broken schema, no ignored credential, no use after free.

Spec: platform-api 1.3, 2, 17. The bounded run has every phase: examples, coverage, fuzzing, stateful. The long one is
marked `soak`.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest

from actors import passwords
from domain import limits
from tests.support.hostile_schema import Found, run, served
from tests.support.hostile_store import ROLES, a_place
from tests.support.servers import Servers

LOG = logging.getLogger(__name__)
SEED = 5
EXAMPLES = 5_000
"""For each operation in the long run, each role sending its share of them."""
COVERED = 12
"""In the default run the coverage of one role is of every so-many-th operation, each role beginning with another."""
OPERATIONS_MIN = 120
each_role = pytest.mark.parametrize(
    "role", [pytest.param(role, marks=pytest.mark.xdist_group(f"as {role}")) for role in ROLES]
)
"""A group for each: together they would keep one worker for minutes."""


def check(found: Found) -> None:
    told = [f"{name}\n{message}" for name, message in found.failures.items()]
    wrong = [*told, *found.errors]
    assert not wrong, "\n\n".join(wrong)
    assert max(found.statuses) < 500, found.statuses


def phases(**chosen: dict[str, Any]) -> dict[str, Any]:
    return {
        "phases": {
            name: {"enabled": True, **chosen.get(name, {})} for name in ("examples", "coverage", "fuzzing", "stateful")
        }
    }


@each_role
def test_every_operation_keeps_to_its_description(servers: Servers, role: str) -> None:
    generation = {"max-examples": 1, "deterministic": True, "no-shrink": True, "with-security-parameters": False}
    settings = {
        "seed": SEED,
        "generation": generation,
        **phases(
            examples={"fill-missing": True},
            coverage={"enabled": False},
            stateful={"generation": {**generation, "max-examples": 4}},
        ),
    }
    covering = {"seed": SEED, "generation": generation, "phases": {"enabled": False, "coverage": {"enabled": True}}}
    with served(lambda: a_place(servers)) as app:
        found = run(app, role, settings)
    with served(lambda: a_place(servers)) as app:
        covered = run(app, role, covering, every=COVERED, beginning=ROLES.index(role))
    check(found)
    check(covered)
    assert len(found.operations) >= OPERATIONS_MIN
    assert set(found.phases) >= {"examples", "fuzzing"}
    assert covered.phases["coverage"] > OPERATIONS_MIN
    if role == "owner":
        assert found.phases["stateful"] > 0
        assert found.statuses[200] + found.statuses[201] >= OPERATIONS_MIN // 2


@pytest.mark.soak
@each_role
def test_every_operation_keeps_to_its_description_for_long(
    servers: Servers, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "ITERATIONS", 1)  # thousands of sign-ins; what they cost is tested elsewhere
    monkeypatch.setattr(passwords, "MEMORY_KIB", passwords.LANES * 8)
    for life in ("USER_TOKEN_S", "SDK_TOKEN_S"):
        monkeypatch.setattr(limits, life, limits.DAY_S)
    generation = {
        "max-examples": EXAMPLES // len(ROLES),
        "with-security-parameters": False,
        "database": "none",
        "no-shrink": True,
    }
    with served(lambda: a_place(servers)) as app:
        found = run(app, role, {"generation": generation, **phases()})
    LOG.info("%s: %s over %d operations, %s", role, dict(found.phases), len(found.operations), dict(found.statuses))
    check(found)
    assert len(found.operations) >= OPERATIONS_MIN
    assert set(found.phases) >= {"coverage", "fuzzing", "stateful"}
