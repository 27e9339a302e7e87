"""Which language a session has: by the caller, the agent, or what is spoken. Spec: abl-language 3.1, 5.7."""

from __future__ import annotations

import pytest

from abl.languages import TAGS, load_pack
from engine.spoken import language_of
from engine.testing import Conversation, fails, gives, program_of

DESK = """AGENT: Desk
{language}GOAL: "Take a booking"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      day:
        type: date
        required: true
    THEN: done
  done:
    REASONING: false
    RESPOND: "{{{{day}}}}"
    THEN: COMPLETE
"""
PACKS = {tag: load_pack(tag) for tag in TAGS}


def desk(language: str = "", **files: str) -> Conversation:
    text = DESK.format(language=f"LANGUAGE: {language}\n" if language else "")
    return Conversation(program_of({"desk.abl": text, **files}))


@pytest.mark.parametrize(
    ("language", "begun", "word"),
    [
        ("", {}, "Please tell me"),
        ("de", {}, "Bitte nennen"),
        ("de-AT", {}, "Bitte nennen"),
        ("German", {}, "Bitte nennen"),
        ("Deutsch", {}, "Bitte nennen"),
        ("de", {"language": "fr"}, "Veuillez m'indiquer"),
        ("", {"locale": "pl-PL"}, "Proszę podać"),
        ("", {"caller": {"language": "ja"}}, "教えてください"),
        ("it", {"language": "tlh"}, "Mi indichi"),
    ],
)
def test_the_caller_decides_then_the_agent(language: str, begun: dict[str, object], word: str) -> None:
    talk = desk(language)
    assert word in talk.begin(**begun)


@pytest.mark.parametrize(
    ("first", "word"),
    [
        ("Ich hätte gern einen Termin bitte", "Bitte nennen"),
        ("Bonjour, je voudrais un rendez-vous", "Veuillez m'indiquer"),
        ("Hola, quiero una cita por favor", "Por favor, indíqueme"),
        ("予約をお願いします", "教えてください"),
        ("hello there", "Please tell me"),
        ("Die Hard", "Please tell me"),
        ("Anna", "Please tell me"),
    ],
)
def test_else_what_is_spoken_decides(first: str, word: str) -> None:
    talk = desk()
    talk.begin()
    assert word in talk.say(first)


def test_the_metadata_of_a_message_may_say_the_language() -> None:
    talk = desk("en")
    talk.begin()
    assert "Bitte nennen" in talk.say("hm", metadata={"language": "de"})


def test_what_is_spoken_is_read_beside_the_language_of_the_agent_and_english() -> None:
    for text in ("bitte am dritten Mai", "the third of May", "le 3 mai"):
        talk = desk("fr")
        talk.begin()
        assert talk.say(text).startswith("2026-05-03"), text


def test_a_word_of_the_own_language_is_none_of_another() -> None:
    talk = desk("fr")
    talk.begin()
    assert "Monday" not in (said := talk.say("mon anniversaire"))
    assert not said.startswith("2026")


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("oui merci", "fr"),
        ("si", ""),
        ("no", ""),
        ("ok", ""),
        ("Taxi Berlin Hotel", ""),
        ("chciałbym zmienić termin proszę", "pl"),
        ("merhaba randevu almak istiyorum", "tr"),
        ("quero marcar uma consulta, por favor", "pt"),
        ("vorrei prenotare un tavolo per favore", "it"),
        ("ik wil graag een afspraak maken", "nl"),
        ("أريد موعدا", "ar"),
        ("मुझे समय चाहिए", "hi"),
        ("I would like a table please", "en"),
    ],
)
def test_a_language_is_heard_only_where_it_is_clear(text: str, tag: str) -> None:
    assert language_of(text, PACKS) == tag


def test_a_failure_and_a_message_key_are_told_in_the_language_of_the_session() -> None:
    text = """AGENT: Desk
LANGUAGE: de
GOAL: "Look up"
TOOLS:
  look_up() -> object
    description: "Look up"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    CALL: look_up
      AS: found
    ON_SUCCESS:
      RESPOND: ""
        MESSAGE_KEY: greeting
      THEN: COMPLETE
"""
    german = PACKS["de"].sentences
    talk = Conversation(program_of({"desk.abl": text}), tools={"look_up": fails("tool_timeout")})
    assert german["error_tool_timeout"] in talk.begin()
    talk = Conversation(program_of({"desk.abl": text}), tools={"look_up": gives({"x": 1})})
    assert german["greeting"] in talk.begin()
