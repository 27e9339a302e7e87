"""What FILTER, MAP and MESSAGES read of a result is looked at like what an answer reads."""

import pytest

import abl

AGENT = """AGENT: Desk
GOAL: "Help"
TOOLS:
  find(code: string) -> {{hubs: {{city: string, size: number}}[]}}
    description: "Finds"
FLOW:
  entry_point: find
  find:
    REASONING: false
    CALL: find("x") AS found
    THEN: show
  show:
    REASONING: false
    TRANSFORM: found.hubs AS hub INTO big
      FILTER: hub.{filter} > 1
      MAP:
        city: UPPER(hub.{map})
    RESPOND: "{{{{#each big}}}}{{{{this.city}}}}{{{{/each}}}}"
    THEN: COMPLETE
MESSAGES:
  greeting: "{{{{found.{message}}}}}"
"""
RIGHT = {"filter": "size", "map": "city", "message": "hubs"}


def told(**names: str) -> list[str]:
    found = abl.validate_abl(AGENT.format(**{**RIGHT, **names}))
    return [one.message for one in found if one.code == "UNKNOWN_RESULT_FIELD"]


def test_fields_that_are_there_are_fine() -> None:
    assert told() == []


@pytest.mark.parametrize(
    ("place", "word", "near"), [("filter", "sise", "size"), ("map", "citty", "city"), ("message", "hubbs", "hubs")]
)
def test_a_field_that_is_not_there_is_told_with_the_near_one(place: str, word: str, near: str) -> None:
    (message,) = told(**{place: word})
    assert f"has no {word}" in message
    assert f"Did you mean {near}?" in message
