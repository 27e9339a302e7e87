"""What becomes of a human task: each row of the table, and what a form takes. Spec: platform-api 3.4, 10."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from domain.errors import AppError, Conflict, Forbidden, InvalidInput
from domain.human_tasks import (
    DECISIONS,
    OPEN,
    EscalationLevel,
    HumanTask,
    Person,
    TaskField,
    TaskStatus,
    assigned,
    cancelled,
    checked_fields,
    claimed,
    opened,
    overdue,
    resolved,
)

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
LATER = NOON + timedelta(minutes=5)
ADA, BOB = Person(user_id="usr_ada", email="ada@example.com"), Person(user_id="usr_bob", teams=frozenset({"night"}))
ADMIN = Person(user_id="usr_admin", is_admin=True)
TASK = HumanTask(task_id="ht_1", project_id="p", type="approval", title="Pay?", created_at=NOON, updated_at=NOON)
CLOSED = tuple(one for one in TaskStatus if one not in OPEN)


def approve(task: HumanTask, by: Person = ADA, **more: Any) -> HumanTask:
    return resolved(task, by, LATER, **{"decision": "approved", "fields": {}, **more})


def reason(refused: pytest.ExceptionInfo[AppError]) -> str:
    return str(refused.value.details["reason"])


def test_a_new_task_is_pending_until_it_has_somebody() -> None:
    assert opened(TASK).status == "pending"
    for given in ({"assigned_to": "usr_ada"}, {"assigned_to_team": "night"}):
        task = opened(replace(TASK, **given))
        assert (task.status, task.assigned_at) == ("assigned", NOON)


def test_without_a_time_of_its_own_a_task_is_due_after_its_first_level() -> None:
    chain = (EscalationLevel(after_minutes=30, team="second"),)
    assert opened(replace(TASK, escalation_chain=chain)).due_at == NOON + timedelta(minutes=30)
    assert opened(replace(TASK, escalation_chain=chain, due_at=LATER)).due_at == LATER
    assert opened(TASK).due_at is None


def test_a_pending_task_is_assigned_to_a_person_or_a_team() -> None:
    task = assigned(TASK, LATER, user="usr_ada")
    assert (task.status, task.assigned_to, task.assigned_to_team, task.assigned_at) == (
        "assigned", "usr_ada", None, LATER,
    )  # fmt: skip
    assert assigned(task, LATER, team="night").assigned_to is None


@pytest.mark.parametrize(
    ("given", "by"),
    [
        ({}, BOB),
        ({"assigned_to": "usr_ada"}, ADA),
        ({"assigned_to": "ada@example.com"}, ADA),
        ({"assigned_to_team": "night"}, BOB),
        ({"assigned_to": "usr_ada"}, ADMIN),
    ],
)
def test_a_task_is_claimed_by_whoever_may(given: dict[str, str], by: Person) -> None:
    task = claimed(opened(replace(TASK, **given)), by, LATER)
    assert (task.status, task.claimed_by, task.claimed_at) == ("in_progress", by.user_id, LATER)


@pytest.mark.parametrize("given", [{"assigned_to": "usr_ada"}, {"assigned_to_team": "day"}])
def test_a_task_of_others_cannot_be_claimed(given: dict[str, str]) -> None:
    with pytest.raises(Forbidden):
        claimed(opened(replace(TASK, **given)), BOB, LATER)


def test_only_a_project_admin_claims_for_somebody_else() -> None:
    assert claimed(TASK, ADMIN, LATER, "usr_ada").claimed_by == "usr_ada"
    assert claimed(TASK, ADA, LATER, "usr_ada").claimed_by == "usr_ada"
    with pytest.raises(Forbidden):
        claimed(TASK, BOB, LATER, "usr_ada")


def test_a_claimed_task_stays_as_it_is_for_its_claimant_and_is_a_conflict_for_others() -> None:
    mine = claimed(TASK, ADA, NOON)
    assert claimed(mine, ADA, LATER) is mine
    with pytest.raises(Conflict) as refused:
        claimed(mine, BOB, LATER)
    assert reason(refused) == "TASK_CLAIMED"


@pytest.mark.parametrize("before", [opened(replace(TASK, assigned_to="usr_bob")), claimed(TASK, BOB, NOON)])
def test_assigning_drops_the_claim(before: HumanTask) -> None:
    task = assigned(before, LATER, user="usr_ada")
    assert (task.status, task.assigned_to, task.claimed_by, task.claimed_at) == ("assigned", "usr_ada", None, None)


@pytest.mark.parametrize(
    "before", [TASK, opened(replace(TASK, assigned_to="usr_ada")), claimed(TASK, ADA, NOON)], ids=list(OPEN)
)
def test_an_open_task_is_resolved_and_claimed_first_where_nobody_had(before: HumanTask) -> None:
    task = approve(before, notes="fine")
    assert (task.status, task.claimed_by) == ("completed", "usr_ada")
    assert task.resolution == {
        "respondedBy": "usr_ada",
        "decision": "approved",
        "fields": {},
        "notes": "fine",
        "resolvedAt": "2026-03-02T12:05:00.000Z",
    }


def test_what_somebody_else_works_on_is_resolved_by_a_project_admin_only() -> None:
    taken = claimed(TASK, BOB, NOON)
    with pytest.raises(Conflict) as refused:
        approve(taken)
    assert reason(refused) == "TASK_CLAIMED"
    task = approve(taken, ADMIN, responded_by="usr_bob")
    assert task.resolution is not None
    assert (task.claimed_by, task.resolution["respondedBy"]) == ("usr_bob", "usr_bob")
    with pytest.raises(Forbidden):
        approve(opened(replace(TASK, assigned_to="usr_ada")), BOB)


CHAIN = (EscalationLevel(after_minutes=30, team="second"), EscalationLevel(after_minutes=60, user_id="usr_boss"))


def test_an_overdue_task_goes_up_its_chain_and_then_expires() -> None:
    task = claimed(replace(TASK, due_at=NOON, escalation_chain=CHAIN), ADA, NOON)
    first = overdue(task, LATER)
    assert (first.status, first.assigned_to_team, first.claimed_by) == ("assigned", "second", None)
    assert (first.current_escalation_level, first.due_at) == (1, LATER + timedelta(minutes=30))
    assert overdue(first, LATER) is first, "it is not due yet"
    second = overdue(first, LATER + timedelta(minutes=30))
    assert (second.assigned_to, second.assigned_to_team, second.current_escalation_level) == ("usr_boss", None, 2)
    assert overdue(second, LATER + timedelta(hours=2)).status == "expired"


@pytest.mark.parametrize("before", [TASK, opened(replace(TASK, assigned_to="usr_ada")), claimed(TASK, ADA, NOON)])
def test_an_overdue_task_without_a_further_level_expires(before: HumanTask) -> None:
    assert overdue(replace(before, due_at=NOON), LATER).status == "expired"
    assert overdue(before, LATER) is before, "it is never due"


@pytest.mark.parametrize("before", [TASK, opened(replace(TASK, assigned_to="usr_ada")), claimed(TASK, ADA, NOON)])
def test_an_open_task_is_cancelled(before: HumanTask) -> None:
    task = cancelled(before, LATER, "not needed")
    assert (task.status, task.cancel_reason) == ("cancelled", "not needed")


@pytest.mark.parametrize("status", CLOSED)
@pytest.mark.parametrize(
    "act",
    [
        lambda task: claimed(task, ADMIN, LATER),
        lambda task: assigned(task, LATER, user="usr_ada"),
        lambda task: approve(task, ADMIN),
        lambda task: cancelled(task, LATER),
    ],
    ids=["claim", "assign", "resolve", "cancel"],
)
def test_a_closed_task_stays_closed(status: TaskStatus, act: Callable[[HumanTask], HumanTask]) -> None:
    closed = replace(TASK, status=status, due_at=NOON, claimed_by="usr_admin")
    with pytest.raises(Conflict) as refused:
        act(closed)
    assert reason(refused) == "TASK_CLOSED"
    assert overdue(closed, LATER) is closed


@pytest.mark.parametrize(
    ("kind", "word"), [(kind, word) for kind, words in DECISIONS.items() for word in sorted(words)]
)
def test_each_type_takes_its_decisions_and_no_others(kind: Any, word: str) -> None:
    assert approve(replace(TASK, type=kind), decision=word).status == "completed"
    with pytest.raises(InvalidInput) as refused:
        approve(replace(TASK, type=kind), decision="perhaps")
    assert refused.value.details["fields"][0]["path"] == "/decision"


def test_a_decision_is_one_of_its_options() -> None:
    task = replace(TASK, type="decision", options=("red", "blue"))
    assert approve(task, decision="blue").status == "completed"
    with pytest.raises(InvalidInput):
        approve(task, decision="approved")


def test_every_type_of_the_specification_says_what_may_be_decided() -> None:
    assert set(DECISIONS) | {"decision"} == {"approval", "data_entry", "review", "decision", "escalation"}


FORM = (
    TaskField(name="name", type="text", required=True),
    TaskField(name="notes", type="textarea"),
    TaskField(name="limit", type="number"),
    TaskField(name="is_vip", type="boolean"),
    TaskField(name="colour", type="select", options=("red", "blue")),
    TaskField(name="on", type="date"),
)
FILLED = {"name": "Ada", "notes": "", "limit": 2.5, "is_vip": False, "colour": "red", "on": "2026-03-02"}


def test_a_form_takes_what_fits_and_leaves_open_what_is_not_given() -> None:
    task = replace(TASK, fields=FORM)
    assert checked_fields(task, FILLED) == FILLED
    assert checked_fields(task, {"name": "Ada", "limit": None}) == {"name": "Ada"}
    assert checked_fields(TASK, {"anything": 1}) == {"anything": 1}


def test_what_a_form_does_not_ask_for_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_fields(replace(TASK, fields=FORM), {**FILLED, "is_admin": True, "a/b": None})
    assert refused.value.details["fields"] == [
        {"path": "/fields/a~1b", "message": "is no field of this task"},
        {"path": "/fields/is_admin", "message": "is no field of this task"},
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", None),
        ("name", ""),
        ("name", 1),
        ("notes", ["a"]),
        ("limit", "2"),
        ("limit", True),
        ("is_vip", "true"),
        ("colour", "green"),
        ("colour", ["red"]),
        ("on", "tomorrow"),
        ("on", 20260302),
    ],
)
def test_a_form_says_which_field_is_wrong(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_fields(replace(TASK, fields=FORM), {**FILLED, name: value})
    (told,) = refused.value.details["fields"]
    assert told["path"] == f"/fields/{name}"
