"""A yes is for what was asked, when it was asked: states of older engines are asked again, long answers run nothing."""

from __future__ import annotations

import pytest

from abl.languages import load_pack
from engine.answer_question import Asked
from engine.answers import read_answer, read_truth, says_action
from engine.effects import CallTool
from engine.limits import MAX_ANSWER_CHARS
from engine.questions import as_words, asks_about
from engine.testing import Conversation
from tests.support.cells import over
from tests.support.turn_corpus import conversation_of

AGENT = """
AGENT: Desk
GOAL: "Help"
TOOLS:
  block_card(card: string) -> {ok: boolean}
    description: "Blocks"
    confirm: always
FLOW:
  entry_point: block
  block:
    REASONING: false
    CALL: block_card("4421")
    ON_SUCCESS:
      RESPOND: "Blocked."
      THEN: COMPLETE
"""
QUESTION = "Block card (card: 4421). Shall I go ahead?"
ASKED = Asked("I will rent the bike for 3 days for 60 euros (the van is out). Shall I?", ("rent bike",), {"days": 3})


@pytest.fixture
def talk() -> Conversation:
    made = conversation_of({"agents": AGENT, "tools": {"block_card": {"ok": True}}})
    assert made.begin() == QUESTION
    return made


def calls_of(talk: Conversation) -> int:
    return sum(isinstance(one, CallTool) for one in talk.effects)


def test_a_question_of_an_older_engine_is_asked_again(talk: Conversation) -> None:
    del talk.state.threads["Desk"].confirmation["turn"]
    assert talk.say("yes") == QUESTION
    assert not calls_of(talk)
    assert talk.say("yes") == "Blocked."
    assert calls_of(talk) == 1


def test_a_yes_to_a_question_of_an_earlier_turn_is_none(talk: Conversation) -> None:
    talk.state.threads["Desk"].confirmation["turn"] = -1
    assert talk.say("yes") == QUESTION
    assert not calls_of(talk)


@pytest.mark.parametrize(
    "answer", ["yes " * MAX_ANSWER_CHARS, "yes\n\n> On Monday Bob wrote:\n> go ahead", " ", "4421"]
)
def test_what_is_no_bare_yes_runs_nothing(talk: Conversation, answer: str) -> None:
    talk.say(answer)
    assert not calls_of(talk)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("yes, 3 days", "yes"),
        ("yes for 60 euros", "yes"),
        ("yes, 60 days", "other"),
        ("yes, the van", "other"),
        ("yes, 3 bikes", "other"),
        ("yes tomorrow", "other"),
        ("please rent the bike", "yes"),
        ("don't rent it", "no"),
    ],
)
def test_a_word_of_the_question_counts_where_it_stood(answer: str, label: str) -> None:
    assert read_answer(answer, load_pack("en"), ASKED).label == label


def test_a_second_language_counts_only_where_the_first_has_nothing_against_it() -> None:
    german, english = load_pack("de"), load_pack("en")
    assert read_answer("yes please", german, ASKED, english).label == "yes"
    assert read_answer("yes warte", german, ASKED, english).label != "yes"


def test_a_field_of_yes_and_no_takes_more_than_a_bare_yes() -> None:
    pack = load_pack("en")
    answers = {"yes, I have two": True, "true": True, "I don't": False, "sure is hot": None, "yes but later": None}
    assert {text: read_truth(text, pack, "Do you have a bike?") for text in answers} == answers


def test_a_wish_for_the_action_is_consent_and_its_words_alone_are_not() -> None:
    pack = load_pack("en")
    assert says_action("I want you to share my data", "share data", pack)
    assert not says_action("my bank will share data", "share data", pack)
    assert not says_action("I want to know who can share data", "share data", pack)


CARD = {"name": "block_card", "description": "Blocks a card"}
ABOUT = [
    "Shall I block your card?",
    "That is card 4421, the blue one. Do you want me to block it now?",
    "Would you like to block card 4421?",
    "Block card 4421?",
    "OK to block card 4421?",
    "Shall I go ahead and block card 4421? (yes/no)",
    "I will block card 4421, ok?",
    "4421, right?",
]
NOT_ABOUT = [
    "Is your card damaged?",
    "Do you still have card 4421?",
    "Do you still have access to card 4421?",
    "Did you ever block card 4421?",
    "Have you blocked card 4421?",
    "Is card 4421 blocked?",
    "Should I explain how to block card 4421?",
    "Do you want to keep the card and not block it?",
    "Do you want to block card 4421 later?",
    "Shall I block card 4421 or card 4422?",
    "I can block your card. Do you have its number?",
    "Your card will be blocked. Anything else?",
]


@over("text", ABOUT)
def test_a_question_that_offers_the_whole_action_or_all_arguments_is_about_the_call(text: str) -> None:
    assert asks_about(text, CARD, {"card": "4421"}, load_pack("en"))


@over("text", NOT_ABOUT)
def test_a_question_with_the_same_words_that_offers_something_else_is_not(text: str) -> None:
    assert not asks_about(text, CARD, {"card": "4421"}, load_pack("en"))


def test_a_question_in_the_words_of_the_consent_is_about_the_call() -> None:
    tool = {"name": "block_card", "confirmation": {"consent_action": "Karte sperren"}}
    german = load_pack("de")
    assert asks_about("Soll ich Ihre Karte sperren?", tool, {"card": "4421"}, german)
    assert not asks_about("Soll ich Ihre Karte behalten und nicht sperren?", tool, {"card": "4421"}, german)


def test_names_are_shown_as_words() -> None:
    assert as_words("cardId.last_four") == "card id last four"
