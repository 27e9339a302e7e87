"""The ids of human tasks, and their form on the wire."""

from datetime import UTC, datetime

from actors.callbacks import callback_id_of
from actors.human_tasks import DECISIONS, task_id_of, wire_task
from storage.repositories.human_tasks import TaskRecord
from tests.support.sessions import PIN

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def test_a_suspension_has_one_task_and_one_callback_however_often_it_is_asked_for() -> None:
    assert task_id_of(PIN, "1.3") == task_id_of(PIN, "1.3")
    assert len({task_id_of(PIN, "1.3"), task_id_of(PIN, "1.4")}) == 2
    assert task_id_of(PIN, "1.3").startswith("ht_c")
    assert callback_id_of(PIN, "1.3").startswith("cb_c")


def test_a_task_has_the_fields_of_the_wire() -> None:
    task = TaskRecord(
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
        status="pending",
        resolution=None,
        created_at=NOON,
        updated_at=NOON,
    )
    wire = wire_task("ten_a", task)
    assert wire["id"] == "ht_1"
    assert wire["dueAt"] == "2026-03-02T12:00:00.000Z"
    assert wire["source"] == {"kind": "session", "sessionId": "sess_1", "agentName": "Desk"}
    assert wire["tags"] == ["legal"]


def test_every_type_of_the_specification_says_what_may_be_decided() -> None:
    assert set(DECISIONS) | {"decision"} == {"approval", "data_entry", "review", "decision", "escalation"}
