"""CONVERSATION: a YAML body with closed keys. Spec: abl-language 3.17."""

import pytest

BODIES = [
    "speaking:\n  style: concise\n  max_sentences: 3\n  tool_results: {style: summary, max_points: 3}\nlistening:\n  barge_in: true",
    "speaking:\n  style: concise\n  max_sentences: 3\n  tool_results:\n    style: summary\n    max_points: 3\nlistening: {barge_in: true}",
    "SPEAKING:\n  Style: concise\n  MAX_SENTENCES: 3  # said\n  tool_results:\n    style: summary\n    max_points: 3\n\nlistening:\n  barge_in: true",
]


@pytest.mark.parametrize("body", BODIES)
def test_the_body_is_yaml_with_keys_in_any_case(read, body):
    assert read.under("CONVERSATION", body).conversation == {
        "speaking": {"style": "concise", "max_sentences": 3, "tool_results": {"style": "summary", "max_points": 3}},
        "listening": {"barge_in": True},
    }


def test_the_body_may_be_a_block(read):
    document = read("CONVERSATION: |\n  listening:\n    barge_in: true\nPERSONA: x\n")
    assert document.conversation == {"listening": {"barge_in": True}}
    assert document.persona == "x"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("singing:   #! CONVERSATION_UNKNOWN_FIELD\n  style: a", "CONVERSATION.singing"),
        ("speaking:\n  volume: loud   #! CONVERSATION_UNKNOWN_FIELD", "CONVERSATION.speaking.volume"),
        ("interaction:\n  repair: {shout: 2}   #! CONVERSATION_UNKNOWN_FIELD", "CONVERSATION.interaction.repair.shout"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_its_path(read, body, path):
    read.under("CONVERSATION", body)
    found = read.finding("CONVERSATION_UNKNOWN_FIELD")
    assert found.severity == "error"
    assert path in found.message
    assert "is not a supported Conversation Behavior field" in found.message
    assert read.span("CONVERSATION_UNKNOWN_FIELD") == path.rsplit(".", 1)[1]


def test_a_misspelt_key_is_read_as_the_one_that_was_meant(read):
    document = read.under("CONVERSATION", "listning:   #! CONVERSATION_UNKNOWN_FIELD\n  barge_in: true")
    assert document.conversation == {"listening": {"barge_in": True}}
    assert "  listening:\n" in read.mended("CONVERSATION_UNKNOWN_FIELD")


@pytest.mark.parametrize(
    "body",
    [
        "speaking:\n  max_sentences: few   #! CONVERSATION_WRONG_TYPE",
        "speaking:\n  max_sentences: 2.5   #! CONVERSATION_WRONG_TYPE",
        "listening:\n  barge_in: often   #! CONVERSATION_WRONG_TYPE",
        "listening:\n  barge_in: 1   #! CONVERSATION_WRONG_TYPE",
        "speaking: loud   #! CONVERSATION_WRONG_TYPE",
        "speaking:\n  style:   #! CONVERSATION_WRONG_TYPE\n    kind: a",
        "interaction:\n  repair: 2   #! CONVERSATION_WRONG_TYPE",
    ],
)
def test_a_value_of_another_type_is_an_error(read, body):
    document = read.under("CONVERSATION", body)
    assert read.finding("CONVERSATION_WRONG_TYPE").severity == "error"
    assert not any(document.conversation.values())


def test_other_words_are_open_but_the_policy_of_languages_is_noted(read):
    document = read.under("CONVERSATION", "speaking:\n  style: baroque\n  language_policy: mine   #! UNKNOWN_CHOICE")
    assert document.conversation == {"speaking": {"style": "baroque", "language_policy": "mine"}}


@pytest.mark.parametrize("policy", ["interaction_context", "agent_default", "fixed"])
def test_the_known_policies_are_not_noted(read, policy):
    read.under("CONVERSATION", f"speaking:\n  language_policy: {policy}")


@pytest.mark.parametrize("body", ["just words", "- a\n- b"])
def test_a_body_that_is_no_map_is_an_error(read, body):
    read.raw(f"AGENT: A\nGOAL: b\nCONVERSATION:\n  {body}\nPERSONA: c\n")
    assert [one.code for one in read.findings] == ["CONVERSATION_INVALID_YAML"]
    assert read.document.persona == "c"


def test_an_empty_section_is_reported(read):
    read("CONVERSATION:   #! EMPTY_SECTION\nPERSONA: c\n")


def test_the_section_may_stand_only_once(read):
    document = read(
        "CONVERSATION:\n  listening: {barge_in: true}\nCONVERSATION:   #! DUPLICATE_SECTION\n  listening: {barge_in: false}\n"
    )
    assert document.conversation == {"listening": {"barge_in": True}}


def test_every_key_of_the_list_is_known(read):
    read.under(
        "CONVERSATION",
        """
        speaking:
          {style: a, tone: a, emotion: a, pace: a, variety: a, language_policy: fixed, fixed_language: de, max_sentences: 1, one_thing_at_a_time: true, tool_lead_in: a, tool_results: {style: a, max_points: 1}, readback: {numbers: a, codes: a, critical_details: a}, handoffs: {internal: a, human: a}, phrases_ref: a, pronunciations_ref: a}
        listening:
          {barge_in: true, backchannels: a, on_pause: a, on_overlap: a, on_unclear_audio: a, on_self_correction: a, use_audio_cues: true}
        interaction:
          {answer_shape: a, detail: a, initiative: a, grounding: {mode: a}, clarification: {mode: a, max_questions: 1, assume_when_low_risk: true}, confirmation: {parameters: a, actions: a}, uncertainty: {mode: a, offer_next_step: true}, empathy: a, repair: {on_correction: a, on_confusion: a, on_misheard: a, max_attempts: 1}, context: {avoid_reasking: true, remember_recent_constraints: true}, closure: a, assumption_handling: a, guidance: a, failure_recovery: a, adaptation: a, flow_mode: a}
        """,
    )
