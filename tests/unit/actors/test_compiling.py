"""Texts of a project compiled, and what is told when they do not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from actors.compiling import (
    UnreadableProject,
    compiled,
    env_keys,
    files_of,
    findings,
    kind_of,
    misnamed,
)
from storage.repositories.agents import AgentRecord

DESK = "AGENT: Desk\nGOAL: Help with {{config.SHOP}}\n"
FRONT = "SUPERVISOR: Front\nGOAL: Route\n"


def a_document(name: str, dsl: str, path: str = "", kind: str = "agent") -> AgentRecord:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return AgentRecord(
        project_id="c1", agent_id=f"ag_{name}", name=name, kind=kind, path=path, domain="", description=None, dsl=dsl,
        source_hash="", created_at=at, updated_at=at, version_count=0,
    )  # fmt: skip


def test_config_values_stand_in_the_program_and_change_its_id() -> None:
    tea = compiled({"d.abl": DESK}, config={"SHOP": "tea"})
    assert b"Help with tea" in tea.ir
    assert tea == compiled({"d.abl": DESK}, config={"SHOP": "tea"})
    assert tea.program_id != compiled({"d.abl": DESK}, config={"SHOP": "coffee"}).program_id


def test_what_is_wrong_is_told_with_its_place() -> None:
    with pytest.raises(UnreadableProject, match="1 error: d.abl:2: ") as refused:
        compiled({"d.abl": DESK})
    (found,) = refused.value.details["diagnostics"]
    assert (found["severity"], found["line"], found["agent"]) == ("error", 2, "Desk")


def test_agents_elsewhere_are_not_missed() -> None:
    asking = "AGENT: Desk\nGOAL: Help\nHANDOFF:\n  - TO: Cards\n    WHEN: true\n"
    assert "INVALID_HANDOFF_TARGET" in [one.code for one in findings({"d.abl": asking})]
    assert not [one for one in findings({"d.abl": asking}, known_agents=["Cards"]) if one.is_error]
    assert compiled({"d.abl": asking}, known_agents=["Cards"], entry_agent="Desk").output["entry_agent"] == "Desk"


@pytest.mark.parametrize(
    ("dsl", "kind"),
    [
        (DESK, "agent"),
        (FRONT, "supervisor"),
        ("supervisor: Front\ngoal: Route\n", "supervisor"),
        ("", "agent"),
        ("?", "agent"),
    ],
)
def test_a_text_says_whether_it_is_a_supervisor(dsl: str, kind: str) -> None:
    assert kind_of(dsl) == kind


def test_a_text_that_declares_another_name_is_found() -> None:
    assert misnamed("Desk", DESK) == []
    assert misnamed("Desk", "") == []
    (found,) = misnamed("Other", DESK)
    assert (found.code, found.is_error) == ("NAME_MISMATCH", True)


def test_documents_of_one_file_are_texts_of_their_own() -> None:
    documents = [
        a_document("Desk", DESK, "all.abl"),
        a_document("Front", FRONT, "all.abl", "supervisor"),
        a_document("Empty", " \n"),
        a_document("Plain", "AGENT: Plain\nGOAL: x\n"),
    ]
    assert files_of(documents, {"Plain": "other"}) == {"all.abl": DESK, "Front.abl": FRONT, "Plain.abl": "other"}


def test_the_variables_that_a_program_reads_are_named_once() -> None:
    assert env_keys(b'{"a": "{{ env.B }} {{env.A_1}} {{env.B}} env.C {{config.D}}"}') == ["A_1", "B"]
