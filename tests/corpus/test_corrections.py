"""Corrections of what was asked about, in twelve languages: the value is changed and the question comes again.

Spec: abl-language 5.7, 8 (confirmation). Decision: 0044.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from abl.languages import TAGS, load_pack
from engine.program import Program
from engine.testing import Conversation, gives, program_of

TOLD = yaml.safe_load((Path(__file__).parent / "corrections" / "corrections.yaml").read_text("utf-8"))
AGAIN = yaml.safe_load((Path(__file__).parent / "corrections" / "again.yaml").read_text("utf-8"))
LEAST, LEAST_AGAIN = 13, 5
BEFORE = {"days": 3, "day": "2026-03-06", "time": "14:30", "room": "A1"}
AGENT = """AGENT: Desk
LANGUAGE: {tag}
GOAL: "Book a room"
TOOLS:
  book_room(days: integer, day: date, time: string, room: string) -> {{ok: boolean}}
    description: "Books a room"
    confirm: always
    side_effects: true
    confirm_message: "{question}"
FLOW:
  entry_point: take
  take:
    REASONING: false
    GATHER:
      days:
        type: integer
        required: true
        range: 1..7
        validation:
          type: range
          rule: "1..7"
          error_message: "[1 to 7 days]"
      day:
        type: date
        required: true
      time:
        type: time
        required: true
      room:
        type: string
        required: true
    THEN: book
  book:
    REASONING: false
    CALL: book_room(days, day, time, room)
    ON_SUCCESS:
      RESPOND: "[done]"
      THEN: COMPLETE
    ON_FAILURE:
      RESPOND: "[not done]"
      THEN: COMPLETE
"""


@lru_cache(maxsize=16)
def program(tag: str) -> Program:
    return program_of({"desk.abl": AGENT.format(tag=tag, question=TOLD[tag]["question"])})


def asked(tag: str) -> Conversation:
    talk = Conversation(program(tag), tools={"book_room": gives({"ok": True})})
    talk.begin()
    for value in BEFORE.values():
        talk.say(str(value))
    return talk


def changed(tag: str, text: str) -> object:
    """Return what an answer changes; `refused` where a value is not allowed; what was said where nothing is asked."""
    talk = asked(tag)
    was = talk.state.threads["Desk"].confirmation.get("arguments")
    assert was == BEFORE, was
    said = talk.say(text)
    now = talk.state.threads["Desk"].confirmation.get("arguments")
    if not now:
        return said
    if now == BEFORE and "[1 to 7 days]" in said:
        return "refused"
    return {name: now[name] for name in BEFORE if now[name] != BEFORE[name]}


@pytest.mark.parametrize("tag", TAGS)
def test_a_correction_changes_the_value_and_the_question_comes_again(tag: str) -> None:
    wanted = {text: as_told(value) for text, value in TOLD[tag]["said"].items()}
    assert len(wanted) >= LEAST
    assert {text: changed(tag, text) for text in wanted} == wanted


@pytest.mark.parametrize("tag", TAGS)
def test_what_tells_no_value_changes_none_and_the_question_comes_again(tag: str) -> None:
    texts = AGAIN[tag]["again"]
    assert len(texts) >= LEAST_AGAIN
    answers = {text: asked(tag) for text in texts}
    said = {text: talk.say(text) for text, talk in answers.items()}
    now = {text: talk.state.threads["Desk"].confirmation.get("arguments") for text, talk in answers.items()}
    assert now == dict.fromkeys(texts, BEFORE), said


@pytest.mark.parametrize("tag", TAGS)
def test_of_a_correction_that_is_half_understood_the_rest_is_said(tag: str) -> None:
    for text, wanted in AGAIN[tag]["partly"].items():
        assert changed(tag, text) == wanted, text
        sentence = load_pack(tag).sentences["correction_partly"]
        assert (sentence in asked(tag).say(text)) == bool(wanted), text


def as_told(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {name: one.isoformat() if isinstance(one, date) else one for name, one in value.items()}
