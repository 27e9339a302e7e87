"""The ids of human tasks, and their form on the wire."""

from __future__ import annotations

from datetime import UTC, datetime

from actors.human_tasks import wire_task
from actors.suspensions import callback_id_of, id_at, place_of, task_id_of
from domain.human_tasks import EscalationLevel, HumanTask, TaskField
from tests.support.sessions import PIN

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def test_a_suspension_has_one_task_and_one_callback_however_often_it_is_asked_for() -> None:
    assert task_id_of(PIN, "1.3") == task_id_of(PIN, "1.3")
    assert len({task_id_of(PIN, "1.3"), task_id_of(PIN, "1.4")}) == 2
    assert task_id_of(PIN, "1.3").startswith("ht_c")
    assert callback_id_of(PIN, "1.3").startswith("cb_c")
    assert callback_id_of(PIN, "1.3") == id_at("callback", PIN.session_id, place_of(PIN, "1.3"))


def test_a_task_has_the_fields_of_the_wire() -> None:
    task = HumanTask(
        task_id="ht_1",
        project_id="p",
        session_id="sess_1",
        place="c1/1.3",
        type="escalation",
        title="Help",
        priority="high",
        agent_name="Desk",
        tags=("legal",),
        due_at=NOON,
        fields=(TaskField(name="verdict", type="select", label="Verdict", options=("yes", "no")),),
        escalation_chain=(EscalationLevel(after_minutes=5, team="night"),),
        created_at=NOON,
        updated_at=NOON,
    )
    wire = wire_task("ten_a", task)
    assert (wire["id"], wire["status"], wire["tenantId"]) == ("ht_1", "pending", "ten_a")
    assert wire["dueAt"] == "2026-03-02T12:00:00.000Z"
    callback_id = id_at("callback", "sess_1", "c1/1.3")
    assert wire["source"] == {
        "kind": "session", "sessionId": "sess_1", "agentName": "Desk", "callbackId": callback_id,
    }  # fmt: skip
    assert wire["tags"] == ["legal"]
    assert wire["escalationChain"] == [{"afterMinutes": 5, "team": "night"}]
    assert wire["fields"] == [
        {"name": "verdict", "type": "select", "label": "Verdict", "required": False, "options": ["yes", "no"]}
    ]
