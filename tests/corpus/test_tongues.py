"""Which language is spoken: first sentences of conversations, and sessions in which one sentence is in another.

Spec: abl-language 5.7. Decision: 0042.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from abl.languages import TAGS, load_pack
from engine.spoken import language_of
from engine.testing import Conversation, program_of

FOLDER = Path(__file__).parent / "tongues"
FIRST = yaml.safe_load((FOLDER / "first.yaml").read_text("utf-8"))
FRESH = yaml.safe_load((FOLDER / "fresh.yaml").read_text("utf-8"))
SESSIONS = yaml.safe_load((FOLDER / "sessions.yaml").read_text("utf-8"))
PACKS = {tag: load_pack(tag) for tag in TAGS}
LEAST = 20
LEAST_RIGHT = 0.9
DESK = """AGENT: Desk
GOAL: "Take a booking"
FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      day:
        type: date
        required: true
        max_retries: 9
    THEN: COMPLETE
"""


def test_the_language_of_a_first_sentence_is_heard() -> None:
    heard = {text: language_of(text, PACKS) for texts in FIRST.values() for text in texts}
    wanted = {text: tag for tag, texts in FIRST.items() for text in texts}
    wrong = {text: tag for text, tag in heard.items() if tag not in ("", wanted[text])}
    right = sum(tag == wanted[text] for text, tag in heard.items() if wanted[text])
    spoken = sum(map(bool, wanted.values()))
    sys.stdout.write(f"first sentences: {right} of {spoken} heard, in another language {len(wrong)}\n")
    assert set(TAGS) < set(FIRST)
    assert all(len(texts) >= LEAST for texts in FIRST.values())
    assert wrong == {}
    assert right >= LEAST_RIGHT * spoken


def test_sentences_that_the_word_lists_were_not_made_with_are_heard_too() -> None:
    heard = [(tag, text, language_of(text, PACKS)) for tag, texts in FRESH.items() for text in texts]
    right = sum(tag == found for tag, _, found in heard)
    sys.stdout.write(f"fresh sentences: {right} of {len(heard)} heard\n")
    assert [one for one in heard if one[2] not in ("", one[0])] == []


@pytest.mark.parametrize("said", SESSIONS, ids=[one[0][0] for one in SESSIONS])
def test_a_session_keeps_its_language_until_two_sentences_are_in_another(said: list[list[str]]) -> None:
    talk = Conversation(program_of({"desk.abl": DESK}))
    talk.begin()
    heard = []
    for text, _ in said:
        talk.say(text)
        heard.append(talk.state.spoken)
    assert heard == [tag for _, tag in said]
