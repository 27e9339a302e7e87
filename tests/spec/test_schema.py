"""Schemathesis over the whole OpenAPI document, per role: no 5xx, no broken schema, no ignored credential, no use after free.

Spec: platform-api 1.3, 2, 17. The bounded run has every phase: examples, coverage, fuzzing, stateful. The long one is
marked `soak`.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.hostile_schema import Found, run, served
from tests.support.hostile_store import ROLES, a_place
from tests.support.servers import Servers

SEED = 5
EXAMPLES = 5_000
COVERED = 12
"""In the default run the coverage of one role is of every so-many-th operation, each role beginning with another."""
OPERATIONS_MIN = 120


def check(found: Found) -> None:
    told = [f"{name}\n{message}" for name, message in found.failures.items()]
    wrong = [*told, *found.errors]
    assert not wrong, "\n\n".join(wrong)


def phases(**chosen: dict[str, Any]) -> dict[str, Any]:
    return {
        "phases": {
            name: {"enabled": True, **chosen.get(name, {})} for name in ("examples", "coverage", "fuzzing", "stateful")
        }
    }


@pytest.mark.parametrize("role", ROLES)
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
@pytest.mark.parametrize("role", ROLES)
def test_every_operation_keeps_to_its_description_for_long(servers: Servers, role: str) -> None:
    settings = {"generation": {"max-examples": EXAMPLES, "with-security-parameters": False}, **phases()}
    with served(lambda: a_place(servers)) as app:
        check(run(app, role, settings))
