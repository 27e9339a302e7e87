"""Intents by meaning: asked after the words and before the model, followed only when far enough ahead."""

from __future__ import annotations

from typing import Any

from domain.model_calls import ModelReply
from engine import AskModel, Classify
from engine.testing import Conversation, program_of, replayed, same_bytes

BANK = """\
SUPERVISOR: Desk
GOAL: "Find out what is wanted"
INTENTS:
  card_problem: "A card is lost or declined"
  savings: "Wants to put money aside"
HANDOFF:
  - TO: Cards
    WHEN: intent.category == "card_problem"
  - TO: Saver
    WHEN: intent.category == "savings"
"""
CARDS = 'AGENT: Cards\nGOAL: "Cards"\nON_START:\n  RESPOND: "Cards here."\n'
SAVER = 'AGENT: Saver\nGOAL: "Saving"\nON_START:\n  RESPOND: "Saver here."\n'


def conversation(scores: dict[str, float], *, text: str = BANK, **given: Any) -> Conversation:
    program = program_of({"desk.abl": text, "cards.abl": CARDS, "saver.abl": SAVER})
    talk = Conversation(program, scores=lambda _effect: scores, reads=lambda _effect: ModelReply(text="{}"))
    talk.begin(**{"has_model": False, "has_classifier": True, **given})
    return talk


def asked(talk: Conversation) -> list[Classify]:
    return [one for one in talk.effects if isinstance(one, Classify)]


def test_the_nearest_label_is_the_intent_without_any_model() -> None:
    talk = conversation({"card_problem": 0.86, "savings": 0.8, "": 0.81})
    talk.say("it vanished at the cash machine")
    assert talk.state.active == "Cards"
    assert [one.data["decision"] for one in talk.traces if one.data.get("kind") == "embeddings"] == ["card_problem"]
    assert not [one for one in talk.effects if isinstance(one, AskModel)]
    [effect] = asked(talk)
    assert effect.labels["card_problem"] == ["A card is lost or declined", "card problem"]
    assert "Find out what is wanted" in effect.labels[""]


def test_a_label_that_is_hardly_ahead_leaves_the_words() -> None:
    talk = conversation({"card_problem": 0.801, "savings": 0.8, "": 0.7})
    talk.say("it vanished at the cash machine")
    assert (talk.state.active, talk.state.intent["category"]) == ("Desk", "unclear")


def test_what_is_nearest_to_everything_else_is_no_intent() -> None:
    talk = conversation({"card_problem": 0.8, "savings": 0.8, "": 0.9})
    talk.say("it rains in the evening")
    assert talk.state.intent["category"] == "unclear"


def test_the_model_is_asked_where_the_classifier_is_not_sure() -> None:
    talk = conversation({"card_problem": 0.8, "savings": 0.8}, has_model=True)
    talk.reads = lambda _effect: ModelReply(text='{"intents": [{"category": "savings", "confidence": 0.9}]}')
    talk.say("it vanished at the cash machine")
    assert talk.state.active == "Saver"


def test_what_the_words_say_plainly_is_not_asked() -> None:
    talk = conversation({"card_problem": 0.9, "savings": 0.8})
    talk.say("savings please")
    assert (asked(talk), talk.state.active) == ([], "Saver")


def test_a_classifier_that_gives_nothing_changes_nothing() -> None:
    talk = conversation({})
    talk.say("it vanished at the cash machine")
    assert talk.state.intent["category"] == "unclear"


def test_an_installation_without_a_classifier_asks_none() -> None:
    talk = conversation({"card_problem": 0.9, "savings": 0.8}, has_classifier=False)
    talk.say("it vanished at the cash machine")
    assert asked(talk) == []


def test_embeddings_that_are_switched_off_are_not_asked() -> None:
    off = BANK + "NLU:\n  embeddings:\n    enabled: false\n"
    talk = conversation({"card_problem": 0.9, "savings": 0.8}, text=off)
    talk.say("it vanished at the cash machine")
    assert asked(talk) == []


def test_the_short_cut_of_a_pipeline_follows_a_clear_intent() -> None:
    pipeline = (
        "EXECUTION:\n  pipeline:\n    enabled: true\n    shortCircuit:\n"
        "      enabled: true\n      confidenceThreshold: 0.8\n"
    )
    talk = conversation({"card_problem": 0.9, "savings": 0.8, "": 0.7}, text=BANK + pipeline)
    talk.say("it vanished at the cash machine")
    assert talk.state.active == "Cards"


def test_a_session_with_classified_texts_folds_again_to_the_same_state() -> None:
    talk = conversation({"card_problem": 0.86, "savings": 0.8, "": 0.81})
    talk.say("it vanished at the cash machine")
    state, _ = replayed(talk.program, talk.facts)
    assert same_bytes(state, talk.state)


def test_a_model_that_is_not_there_yet_fails_the_turn_with_its_reason() -> None:
    from engine import ModelFailed

    failed = ModelFailed(at="", effect_id="", kind="model_not_ready", message="43 % of 491 MB")
    talk = Conversation(program_of({"a.abl": 'AGENT: Desk\nGOAL: "Help"\n'}), model=lambda _effect: failed)
    talk.begin()
    talk.say("what can you do for me")
    end = talk.ends[-1]
    assert (end.status, end.error, end.metadata["refusal"]) == ("failed", "model_not_ready", "43 % of 491 MB")
    talk.model = lambda _effect: ModelReply(text="Much.")
    assert talk.say("and now") == "Much."
