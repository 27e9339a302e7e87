"""`max_retries: N` asks exactly N times again after the first question, then what the text says. Decision: 0063."""

from __future__ import annotations

import pytest

from engine.testing import Conversation, program_of, says

FIELD = {
    "gather": """
    GATHER:
      - code:
        PROMPT: "Code?"
        VALIDATION: "^[A-Z]{2}$"
        RETRY_PROMPT: "Two letters."
        MAX_RETRIES: %d
""",
    "collect": """
    COLLECT: code
    PROMPT: "Code?"
""",
    "branches": """
    COLLECT: code
    PROMPT: "Code?"
    ON_INPUT:
      - IF: code == "AB"
        THEN: done
""",
}
TOP = """
GATHER:
  code:
    validate: "^[A-Z]{2}$"
    retry_prompt: "Two letters."
    max_retries: %d
"""
OPEN = TOP.replace('    validate: "^[A-Z]{2}$"\n', "")
WAYS_OUT = {"    ON_FAIL:\n      RESPOND: Given up.\n      THEN: done\n": "Given up.", "": "a colleague"}


def desk(top: str, step: str) -> str:
    return f"AGENT: Desk\nGOAL: Help\n{top}FLOW:\n  ask:\n    REASONING: false{step}  done:\n    REASONING: false\n    RESPOND: Done.\n"


@pytest.mark.parametrize("retries", range(4))
@pytest.mark.parametrize("way_out", WAYS_OUT)
@pytest.mark.parametrize("form", FIELD)
def test_a_field_of_a_flow_is_asked_for_so_often_again(form: str, way_out: str, retries: int) -> None:
    top = {"gather": "", "collect": TOP % retries, "branches": OPEN % retries}[form]
    step = FIELD[form] % retries if form == "gather" else FIELD[form]
    talk = Conversation(program_of({"a.abl": desk(top, step + way_out)}))
    assert talk.begin() == "Code?"
    for _ in range(retries):
        assert talk.say("12 apples") == "Two letters."
    assert WAYS_OUT[way_out] in talk.say("12 apples")


@pytest.mark.parametrize("retries", range(4))
def test_a_field_is_asked_for_so_often_again_where_no_model_is(retries: int) -> None:
    text = f'AGENT: Desk\nGOAL: Help\n{TOP % retries}    prompt: "Code?"\n'
    talk = Conversation(program_of({"a.abl": text}))
    talk.begin(has_model=False)
    assert talk.say("hello there") == "Code?"
    for _ in range(retries):
        assert talk.say("12 apples") == "Two letters."
    assert "a colleague" in talk.say("12 apples")
    assert talk.ends[-1].status == "suspended"


@pytest.mark.parametrize("retries", range(4))
@pytest.mark.parametrize("way_out", WAYS_OUT)
def test_a_value_is_read_back_so_often_again(way_out: str, retries: int) -> None:
    step = """
    GATHER:
      STRATEGY: hybrid
      - city:
        PROMPT: "Which city?"
        TYPE: date
        INFER: true
        MAX_RETRIES: %d
    THEN: done
"""
    talk = Conversation(
        program_of({"a.abl": desk("", step % retries + way_out)}), reads=lambda _one: says('{"city": "2026-05-04"}')
    )
    talk.begin()
    question = talk.say("where the towers lean")
    assert "2026-05-04" in question
    for _ in range(retries):
        assert talk.say("what a lovely morning") == question
    assert WAYS_OUT[way_out] in talk.say("what a lovely morning")
    assert "city" not in talk.state.threads["Desk"].gathered


PROFILE = """BEHAVIOR_PROFILE: phone
PRIORITY: 1
WHEN: true
GATHER:
  FIELD_OVERRIDES:
    code:
"""


@pytest.mark.parametrize(
    ("check", "retries", "passes"),
    [
        ('      validation: "^[0-9]{2}$"\n', 1, "12"),
        ('      validation: "10-20"\n', 1, "15"),
        ('      validation:\n        rule: "^[0-9]{2}$"\n        max_retries: 2\n', 2, "12"),
        ("      validation:\n        max_retries: 0\n", 0, "AB"),
    ],
)
def test_a_profile_keeps_what_is_written_of_retries_and_reads_its_check_like_any_other(
    check: str, retries: int, passes: str
) -> None:
    step = '\n    COLLECT: code\n    PROMPT: "Code?"\n    ON_FAIL:\n      RESPOND: Given up.\n      THEN: done\n    THEN: done\n'
    text = desk(TOP % 1, step).replace("GATHER:", "USE BEHAVIOR_PROFILE: phone\nGATHER:", 1)
    program = program_of({"a.abl": text, "p.abl": PROFILE + check})
    talk = Conversation(program)
    talk.begin()
    for _ in range(retries):
        assert talk.say("nothing") == "Two letters."
    assert "Given up." in talk.say("nothing")
    other = Conversation(program)
    other.begin()
    assert "Done." in other.say(passes)
