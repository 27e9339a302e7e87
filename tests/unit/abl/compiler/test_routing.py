from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

ROUTES = """HANDOFF:
  - TO: Cards
    WHEN: intent.category == "card" OR intent.category IN ["fraud", "card"]
    CONTEXT:
      summary: "A card problem"
  - TO: Savings
    WHEN: intent == "savings" AND amount > 5
    PRIORITY: 7
    RETURN: true
  - TO: General
    WHEN: true
"""


@pytest.fixture
def supervisor(compile_files) -> Callable[..., dict[str, Any]]:
    def run(text: str) -> dict[str, Any]:
        return compile_files({"f.abl": "SUPERVISOR: Front\nGOAL: Route\n" + text}).output["agents"]["Front"]

    return run


def test_an_agent_without_handoff_routes_nothing(agent_of) -> None:
    assert "routing" not in agent_of("")


def test_rules_have_a_description_and_a_priority(agent_of) -> None:
    agent = agent_of(ROUTES + "DELEGATE:\n  - AGENT: Rates\n")
    rules = agent["routing"]["rules"]
    assert [(one["to"], one["description"], one["priority"], one["return"]) for one in rules] == [
        ("Cards", "A card problem", 1, False),
        ("Savings", "Route to Savings", 7, True),
        ("General", "Route to General", 3, False),
    ]
    assert agent["routing"]["default_agent"] == "General"
    assert agent["available_agents"] == ["Cards", "Savings", "General", "Rates"]


def test_categories_are_inferred_from_the_conditions(supervisor) -> None:
    classification = supervisor(ROUTES)["routing"]["intent_classification"]
    assert [one["name"] for one in classification["categories"]] == [
        "card", "fraud", "savings", "greeting", "farewell", "escalation",
    ]  # fmt: skip
    assert classification["categories"][0]["description"] == "A card problem"
    assert (classification["source"], classification["min_confidence"]) == ("inferred", 0.5)


def test_declared_intents_are_the_categories(supervisor) -> None:
    text = ROUTES + 'INTENTS:\n  card: "Card"\n  fraud: "Fraud"\n  savings: "Saving"\n  LEXICAL_FALLBACK: never\n'
    classification = supervisor(text)["routing"]["intent_classification"]
    assert [one["name"] for one in classification["categories"]][:3] == ["card", "fraud", "savings"]
    assert (classification["source"], classification["lexical_fallback"]) == ("explicit", "never")


def test_a_supervisor_only_routes_unless_it_has_tools_or_a_flow(supervisor) -> None:
    assert supervisor(ROUTES)["routing"]["direct_response_allowed"] is False
    assert supervisor(ROUTES + "TOOLS:\n  f() -> object\n")["routing"]["direct_response_allowed"] is True
    assert supervisor(ROUTES + "FLOW:\n  a:\n    REASONING: true\n")["routing"]["direct_response_allowed"] is True


def test_the_last_rule_without_a_condition_is_a_supervisors_default(supervisor) -> None:
    routing = supervisor("HANDOFF:\n  - TO: Cards\n    WHEN: a\n  - TO: General\n")["routing"]
    assert routing["default_agent"] == "General"


def test_a_supervisor_without_handoff_has_an_empty_table(supervisor) -> None:
    agent = supervisor("")
    assert agent["routing"]["rules"] == []
    assert agent["metadata"]["type"] == "supervisor"
