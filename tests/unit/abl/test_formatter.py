"""Formatting: the layout, and above all that it never changes what a text says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abl.formatter import format_text
from abl.formatter.sayings import sayings
from abl.parser import parse_text
from benchmarks.shapes import of_lines, of_signs
from tests.support.cells import over
from tests.support.proportion import grows_in_proportion
from tests.support.repository import ROOT

EXAMPLES = sorted((ROOT / "examples").rglob("*.abl"))
HEAD = "AGENT: A\nGOAL: x\n"


def formatted(text: str) -> str:
    """Return the formatted text, once it is certain that it says the same and stays as it is."""
    made = format_text(text)
    assert format_text(made) == made
    assert parse_text(made).document == parse_text(text).document
    return made


@over("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_keep_their_meaning_and_their_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    made = formatted(text)
    assert [line.strip() for line in made.split("\n") if line.strip()] == [
        line.strip() for line in text.split("\n") if line.strip()
    ]


def test_lines_are_indented_by_two_spaces_a_level() -> None:
    text = (
        HEAD
        + "FLOW:\n    ask:\n         REASONING: false\n         ON_INPUT:\n            - IF: a\n              THEN: b\n"
    )
    assert formatted(text) == (
        HEAD + "\nFLOW:\n  ask:\n    REASONING: false\n    ON_INPUT:\n      - IF: a\n        THEN: b\n"
    )


def test_tabs_become_spaces() -> None:
    assert formatted(HEAD + "FLOW:\n\task:\n\t\tREASONING: false\n") == HEAD + "\nFLOW:\n  ask:\n    REASONING: false\n"


def test_steps_at_the_start_of_a_line_go_under_flow() -> None:
    text = HEAD + "FLOW:\nask:\n  REASONING: false\n  THEN: done\ndone:\n  REASONING: false\n"
    assert formatted(text) == (
        HEAD + "\nFLOW:\n  ask:\n    REASONING: false\n    THEN: done\n  done:\n    REASONING: false\n"
    )


def test_a_dash_list_in_the_column_of_its_key_is_indented() -> None:
    text = (
        HEAD
        + "LIMITATIONS:\n- a\n- b\nFLOW:\n  s:\n    ON_INPUT:\n    - IF: x\n      THEN: s\n    - ELSE:\n      THEN: t\n"
    )
    assert formatted(text) == (
        HEAD + "LIMITATIONS:\n  - a\n  - b\n\nFLOW:\n  s:\n    ON_INPUT:\n      - IF: x\n        THEN: s\n"
        "      - ELSE:\n        THEN: t\n"
    )


def test_keys_nested_under_the_key_of_an_item_stay_nested() -> None:
    text = (
        HEAD
        + "FLOW:\n  s:\n    DIGRESSIONS:\n      - INTENT: a\n        DO:\n          - CALL: f(x)\n              AS: y\n          -   RESUME\n"
    )
    assert "          - CALL: f(x)\n              AS: y\n          - RESUME\n" in formatted(text)


def test_spacing_of_keys_and_dashes_is_made_even() -> None:
    text = HEAD + "FLOW:\n  s:\n    REASONING:false\n    THEN :  t\n    CLEAR:\n      -a\n      -   b\n"
    assert (
        formatted(text) == HEAD + "\nFLOW:\n  s:\n    REASONING: false\n    THEN: t\n    CLEAR:\n      - a\n      - b\n"
    )


def test_text_with_a_colon_is_no_key() -> None:
    text = HEAD + "LIMITATIONS:\n  - Note:   two spaces stay\n  - a:b\n"
    assert formatted(text) == text


def test_a_wrong_case_section_is_written_in_capitals() -> None:
    assert formatted("agent : A\n") == "agent : A\n"  # a lower-case first key is the YAML form
    assert formatted("Agent: A\nGoal: x\n") == HEAD


def test_block_texts_move_as_a_whole() -> None:
    text = 'AGENT: A\nGOAL: |\n      First.\n        deeper   \n\n\n      Last.\nPERSONA: "calm"\n'
    assert formatted(text) == 'AGENT: A\nGOAL: |\n  First.\n    deeper\n\n\n  Last.\nPERSONA: "calm"\n'


def test_text_under_a_lone_key_keeps_its_own_layout() -> None:
    text = "AGENT: A\nGOAL:\n    First.\n      # no comment\n\n\n      deeper: yes\nVERSION: 1\n"
    assert formatted(text) == "AGENT: A\nGOAL:\n  First.\n    # no comment\n\n\n    deeper: yes\nVERSION: 1\n"


def test_program_text_is_only_moved() -> None:
    text = "TOOLS:\n  f(x: number) -> number\n     runtime: python\n     code: |\n         if x:\n             return 1\n         return 2\n"
    assert formatted(text) == (
        "TOOLS:\n  f(x: number) -> number\n    runtime: python\n    code: |\n      if x:\n          return 1\n      return 2\n"
    )


def test_a_signature_over_several_lines_keeps_its_shape() -> None:
    text = "TOOLS:\n    find(\n        code: string,\n        region: string\n    ) -> {status: string}\n        description: d\n"
    assert formatted(text) == (
        "TOOLS:\n  find(\n    code: string,\n    region: string\n  ) -> {status: string}\n    description: d\n"
    )


def test_comments_go_with_what_they_stand_before() -> None:
    text = (
        "# first\nAGENT: A\nGOAL: x\n# about the flow\nFLOW:\n    # about the step\n    s:\n"
        "       REASONING: false\n       # end of the step\n    # about t\n    t:\n        REASONING: false\n# last\n"
    )
    assert formatted(text) == (
        "# first\nAGENT: A\nGOAL: x\n\n# about the flow\nFLOW:\n  # about the step\n  s:\n"
        "    REASONING: false\n    # end of the step\n  # about t\n  t:\n    REASONING: false\n# last\n"
    )


def test_a_comment_over_several_lines_moves_as_a_whole() -> None:
    text = HEAD + "FLOW:\n      /* one\n           two\n      three */\n      s:\n        REASONING: false\n"
    assert "  /* one\n       two\n  three */\n  s:" in formatted(text)


def test_blank_lines_group_but_never_pile_up() -> None:
    text = (
        "\n\n"
        + HEAD
        + "\n\n\nFLOW:\n  s:\n    REASONING: false\n\n\n\n  t:\n    REASONING: false\nCOMPLETE:\n  - WHEN: x\n\n\n"
    )
    assert formatted(text) == (
        HEAD + "\nFLOW:\n  s:\n    REASONING: false\n\n  t:\n    REASONING: false\n\nCOMPLETE:\n  - WHEN: x\n"
    )


def test_line_ends_and_byte_order_mark_are_normalised() -> None:
    assert formatted("\ufeffAGENT: A\r\nGOAL: x  \r\n") == HEAD


def test_agents_pasted_together_are_all_looked_at() -> None:
    text = "AGENT: A\nGOAL: x\nFLOW:\n     s:\n        REASONING: false\nAGENT: B\nGOAL:   y\n"
    assert format_text(text) == "AGENT: A\nGOAL: x\n\nFLOW:\n  s:\n    REASONING: false\n\nAGENT: B\nGOAL: y\n"


def test_a_section_whose_layout_means_something_stays_as_it_is() -> None:
    text = HEAD + "FLOW:\n   s:\n      REASONING:false\nNONSENSE:\n     deep\n   shallow\n"
    made = formatted(text)
    assert "    REASONING: false\n" in made
    assert "deep" in made


def test_yaml_loses_only_trailing_space() -> None:
    text = "agent: A   \r\ngoal: |\n  keep   \n  this\n\ntools:   \n    - a:    1  \n\n\n"
    assert format_text(text) == "agent: A\ngoal: |\n  keep   \n  this\n\ntools:\n    - a:    1\n"
    assert format_text("agent: A\ngoal: |\n  no end") == "agent: A\ngoal: |\n  no end"
    assert format_text("agent: A\ngoal: !!str &a |  \n  keep   \n") == "agent: A\ngoal: !!str &a |\n  keep   \n"


def test_a_line_of_yaml_tags_is_looked_at_once() -> None:
    shape = of_signs("agent: A\ngoal: ", "!: ", "x\n")
    grows_in_proportion(format_text, shape, 300_000)
    assert format_text(shape(300_000)) == shape(300_000)


@pytest.mark.parametrize(
    "text", ["", "\n \n", "hello\n   world", "{}", "- a\n-b", "\t|", 'STEPS:\n 1. a\n   RESPOND "x"\n']
)
def test_what_is_no_document_is_left_alone(text: str) -> None:
    made = format_text(text)
    assert made.split() == text.split()
    assert format_text(made) == made


LINES = st.sampled_from(
    [
        line.replace("~", "|")
        for line in """AGENT: A|GOAL: x|goal: y|FLOW:|TOOLS:|GATHER:|LIMITATIONS:|HANDOFF:|GUARDRAILS:|TEMPLATES:|CONSTRAINTS:|- a|-b|- IF: x
|- ELSE:|ask:|THEN: b|THEN:|RESPOND: "x|RESPOND: Hi #1|ON_INPUT:|SET: a = [|]|f(a: string|) -> {b: c}|key: ~|GOAL:|text: >|# c|/* c
|*/|```|---||a -> b|x: {a: b|- TO: B|WHEN: a|MEMORY:|session:|- NAME: n|MAP:|a: b|CALL: f(|AS: y|FORMATS:|HTML:|BEHAVIOR_PROFILE: p
|DO:|- RESUME|INITIAL: 1|- REQUIRE a > 1|unknown: 1|ROUTING:|MODE: scripted|::|:""".replace("\n", "").split("|")
    ]
)
INDENTS = st.sampled_from(["", "", "  ", "    ", "      ", " ", "   ", "\t", "\t\t", "        "])


@given(st.lists(st.tuples(INDENTS, LINES), max_size=25), st.sampled_from(["", HEAD, HEAD + "FLOW:\n  s:\n"]))
def test_no_arrangement_of_lines_changes_its_meaning(lines: list[tuple[str, str]], head: str) -> None:
    formatted(head + "\n".join(indent + line for indent, line in lines))


@given(st.text(alphabet=" \n\t:-|>#\"'[]{}()AGENTagent\u00a0\u2028\r\ufeff/*`", max_size=120))
def test_no_text_is_too_odd(text: str) -> None:
    formatted(text)


def test_time_grows_with_the_length_only() -> None:
    step = "  step_{}:\n     REASONING:false\n     ON_INPUT:\n     - IF: a\n       THEN: b\n\n\n     # c\n"
    grows_in_proportion(format_text, of_lines(HEAD + "FLOW:\n", step.format), 160_000)


def test_a_text_that_is_not_read_to_its_end_keeps_its_layout():
    text = "AGENT: A\nGOAL: x\nGATHER:\n" + " - f\n" * 100_000
    assert "TEXT_TOO_LARGE" in [one.code for one in parse_text(text).errors]
    assert format_text(text) == text


def test_a_bullet_becomes_a_dash():
    text = "AGENT: A\nGOAL: x\n\nLIMITATIONS:\n  * none\n"
    assert format_text(text) == text.replace("*", "-")


def test_documents_that_say_the_same_have_the_same_sayings():
    one = parse_text("AGENT: A\nGOAL:   x\nLIMITATIONS: [a, b]\nEXECUTION:\n  model: m\n").document
    same = parse_text("AGENT: A\n\nGOAL: x\nLIMITATIONS:\n  - a\n  - b\nEXECUTION:\n    model: m\n").document
    other = parse_text("AGENT: A\nGOAL: x\nLIMITATIONS: [a, c]\nEXECUTION:\n  model: m\n").document
    assert sayings(one) == sayings(same)
    assert {name for name, value in sayings(other).items() if sayings(one).get(name) != value} == {"limitations"}
