"""What people write in twelve languages, run through the engine. Spec: abl-language 3.1, 3.3, 5.7.

`LEAST` utterances a language; each is said to a small agent whose LANGUAGE it is, and what came of it is compared.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from abl.languages import DEFAULT_TAG, TAGS, load_pack, words_only
from engine.program import Program
from engine.testing import Conversation, gives, program_of

FOLDER = Path(__file__).parent / "languages"
LEAST = 60
GATHERED = {"number": "number", "date": "date", "time": "time", "name": "string"}
"""Kind of an utterance -> type of the field it answers."""

FIELD = """AGENT: Desk
LANGUAGE: {tag}
GOAL: "Take a value"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      value:
        type: {kind}
        required: true
    THEN: COMPLETE
"""
BOOKING = """AGENT: Desk
LANGUAGE: {tag}
GOAL: "Book a table"
TOOLS:
  book_table(people: integer, day: date) -> {{ok: boolean}}
    description: "{{{{people}}}} {{{{day}}}}"
    confirm: always
    side_effects: true
FLOW:
  entry_point: people
  people:
    REASONING: false
    GATHER:
      people:
        type: integer
        required: true
    THEN: day
  day:
    REASONING: false
    GATHER:
      day:
        type: date
        required: true
    THEN: book
  book:
    REASONING: false
    CALL: book_table
      WITH:
        people: people
        day: day
      AS: done
    ON_SUCCESS:
      RESPOND: "[done]"
      THEN: COMPLETE
    ON_FAILURE:
      RESPOND: "[not done]"
      THEN: COMPLETE
"""


def corpus(tag: str) -> dict[str, object]:
    return yaml.safe_load((FOLDER / f"{tag}.yaml").read_text("utf-8"))


@lru_cache(maxsize=64)
def program(tag: str, kind: str = "") -> Program:
    return program_of({"desk.abl": FIELD.format(tag=tag, kind=kind) if kind else BOOKING.format(tag=tag)})


def asked(tag: str) -> Conversation:
    """Return a conversation in which the agent has asked whether it shall book for 3 people on 6 March."""
    talk = Conversation(program(tag), tools={"book_table": gives({"ok": True})})
    talk.begin()
    talk.say("3")
    talk.say("2026-03-06")
    return talk


def read(tag: str, kind: str, text: str) -> object:
    talk = Conversation(program(tag, GATHERED[kind]))
    talk.begin()
    talk.say(text)
    return talk.state.threads["Desk"].variables.get("value")


def answered(tag: str, text: str) -> str:
    """Return what an answer to the question comes to: `done`, `not done`, or `asked` once more."""
    said = asked(tag).say(text)
    return "done" if "[done]" in said else "not done" if "[not done]" in said else "asked"


def corrected(tag: str, text: str) -> str:
    """Return which argument an answer changes; nothing when the call was made or nothing is asked any more."""
    talk = asked(tag)
    talk.say(text)
    now = talk.state.threads["Desk"].confirmation.get("arguments") or {}
    return ",".join(
        f"{name}={now[name]}" for name, before in (("people", 3), ("day", "2026-03-06")) if now.get(name) != before
    )


def faults(tag: str) -> list[str]:
    found = []
    for kind, told in corpus(tag).items():
        for text in told:
            if kind in GATHERED:
                wanted, got = told[text], read(tag, kind, text)
            elif kind == "correct":
                wanted, got = told[text], corrected(tag, text)
            else:
                wanted = {"yes": "done", "no": "not done", "cancel": "not done", "wait": "asked"}[kind]
                got = answered(tag, text)
            if got != wanted:
                found.append(f"{kind}: {text!r} is {got!r}, not {wanted!r}")
    return found


@pytest.mark.parametrize("tag", TAGS)
def test_what_people_write_is_understood(tag: str) -> None:
    assert sum(len(told) for told in corpus(tag).values()) >= LEAST
    assert faults(tag) == []


@pytest.mark.parametrize("tag", TAGS)
def test_a_whole_conversation_is_in_its_language(tag: str) -> None:
    words, told = load_pack(tag).sentences, corpus(tag)
    talk = Conversation(program(tag), tools={"book_table": gives({"ok": True})})
    number, day = next(iter(told["number"])), next(iter(told["date"]))
    heard = [talk.begin(), talk.say("???"), talk.say(number), talk.say(day), talk.say(told["wait"][0])]
    asked_for = {name: words["gather_prompt"].replace("{{fields}}", name) for name in ("people", "day")}
    again = words["confirm_call"].partition("{{call}}")[2].strip()
    assert heard[0] == asked_for["people"]
    assert heard[1] == f"{words['error_validation']} {asked_for['people']}"
    assert heard[2] == asked_for["day"]
    assert all(again in said for said in heard[3:]), heard
    changed, _, value = next(iter(told["correct"].values())).partition("=")
    heard.append(talk.say(next(iter(told["correct"]))))
    assert again in heard[-1]
    assert value in heard[-1], changed
    heard.append(talk.say(told["yes"][0]))
    assert "[done]" in heard[-1]
    if tag != DEFAULT_TAG:
        assert [one for one in heard if leaks(one)] == []


def leaks(said: str) -> bool:
    """Return whether a text has a built-in sentence of English in it."""
    english = (words_only(part) for text in load_pack(DEFAULT_TAG).sentences.values() for part in text.split("{{")[:1])
    return any(part in words_only(said) for part in english if len(part.split()) > 1)
