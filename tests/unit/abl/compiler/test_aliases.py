"""AGENTS gives agents other names: every reference to one leads to the agent it stands for."""

from __future__ import annotations

import pytest

import abl
from abl.project import Project, check_project, compile_project

DESK = (
    'AGENT: {name}\nGOAL: "Help"\nFLOW:\n  a:\n    REASONING: false\n    RESPOND: "{name} here."\n    THEN: COMPLETE\n'
)
FRONT = """
SUPERVISOR: Front
GOAL: "Route"
AGENTS:
  hotel: Hotel_Search
  cards: "./cards.agent.abl"
HANDOFF:
  - TO: hotel
    WHEN: input CONTAINS "hotel"
    ON_FAILURE: HANDOFF cards
DELEGATE:
  - AGENT: cards
    WHEN: input CONTAINS "card"
ESCALATE:
  triggers:
    - WHEN: input CONTAINS "human"
      REASON: "Wants a person"
  on_human_complete:
    - IF resolution == "cards": HANDOFF to cards
CONSTRAINTS:
  - REQUIRE input != "x"
    ON_FAIL: HANDOFF cards
"""


def project(front: str) -> Project:
    files = {"front.agent.abl": front.strip() + "\n", "agents/cards.agent.abl": DESK.format(name="Card_Desk")}
    return Project.from_files({**files, "agents/hotels.agent.abl": DESK.format(name="Hotel_Search")})


def test_every_reference_to_an_alias_leads_to_its_agent() -> None:
    made = project(FRONT)
    assert not [one.message for one in check_project(made) if one.code.startswith("INVALID")]
    ir = compile_project(made).output["agents"]["Front"]
    (handoff,), (delegate,) = ir["coordination"]["handoffs"], ir["coordination"]["delegates"]
    assert (handoff["to"], handoff["on_failure_target"], delegate["agent"]) == (
        "Hotel_Search",
        "Card_Desk",
        "Card_Desk",
    )
    assert ir["coordination"]["escalation"]["on_human_complete"][0]["action"] == "HANDOFF to Card_Desk"
    assert ir["constraints"]["constraints"][0]["on_fail"]["target"] == "Card_Desk"
    assert ir["available_agents"] == ["Hotel_Search", "Card_Desk"]
    enums = [one["enum"] for tool in ir["tools"] for one in tool["parameters"] if one["name"] == "target"]
    assert enums == [["Hotel_Search"], ["Card_Desk"]]


@pytest.mark.parametrize(
    "path", ["cards.agent.abl", "./agents/cards", "../agents/cards.abl", "agents/cards.agent.yaml"]
)
def test_a_path_is_found_however_it_is_written(path: str) -> None:
    ir = compile_project(project(FRONT.replace("./cards.agent.abl", path))).output["agents"]["Front"]
    assert ir["coordination"]["delegates"][0]["agent"] == "Card_Desk"


def test_a_path_that_no_file_has_leaves_the_alias_and_is_reported() -> None:
    made = project(FRONT.replace("cards.agent.abl", "loans.agent.abl"))
    found = [one for one in check_project(made) if one.code == "INVALID_DELEGATE_TARGET"]
    assert ["cards" in one.message for one in found] == [True]


def test_a_supervisor_that_only_names_its_agents_hands_over_to_them() -> None:
    front = """
SUPERVISOR: Front
GOAL: "Route"
AGENTS:
  - REF: Hotel_Search
    ALIAS: hotel
    WHEN: input CONTAINS "hotel"
  - REF: ./agents/cards.agent.abl
    ALIAS: cards
"""
    handoffs = compile_project(project(front)).output["agents"]["Front"]["coordination"]["handoffs"]
    assert [(one["to"], one.get("when")) for one in handoffs] == [
        ("Hotel_Search", 'input CONTAINS "hotel"'),
        ("Card_Desk", None),
    ]


@pytest.mark.parametrize("form", ["abl", "yaml"])
def test_aliases_survive_printing(form: str) -> None:
    document = abl.parse(FRONT.strip() + "\n").document
    assert document is not None
    again = abl.parse(abl.serialize(document, form)).document
    assert again is not None
    assert again.agents == {"hotel": "Hotel_Search", "cards": "./cards.agent.abl"}
