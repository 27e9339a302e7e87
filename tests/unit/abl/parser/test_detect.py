"""Which kind of document a text is. Spec: abl-language 2.2, 2.3."""

import pytest

from abl.parser.detect import YAML_KEYS, detect, first_line, has_mode, is_legacy, is_yaml_format, split_documents
from benchmarks.shapes import of_signs
from tests.support.cells import over
from tests.support.proportion import grows_in_proportion


@pytest.mark.parametrize(
    "opening",
    [
        "",
        "\n\n",
        "# said\n",
        "// said\n",
        "/* said */\n",
        "/* said\n more */\n",
        "---\n",
        "\ufeff",
        "  \n# a\n\n  ",
        "```abl\n",
    ],
)
def test_blank_lines_and_comments_are_passed_over(opening):
    text = opening + "AGENT: A\n"
    assert detect(text) == "agent"
    assert first_line(text.removeprefix("\ufeff")) == "AGENT: A"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("agent: A\ngoal: b\n", "yaml"),
        ("TOOLS:\n  f() -> any\n", "tools"),
        ("SUPERVISOR: A\n", "supervisor"),
        ("SUPERVISOR: A\nMODE: reasoning\n", "agent-based"),
        ("AGENT: A\n", "agent"),
        ("AGENT: A\nMODE: scripted\n", "agent-based"),
        ("BEHAVIOR_PROFILE: a\n", "agent-based"),
        ("TOOLS:\n  f() -> any\nAGENT: A\n", "agent-based"),
        ("Hello you\n", None),
        ("", None),
        ('{"agent": "A"}', None),
        ("- agent: A\n", None),
    ],
)
def test_the_first_keyword_decides(text, kind):
    assert detect(text) == kind


@pytest.mark.parametrize("line_end", ["\r\n", "\r", "\n"])
def test_line_ends_make_no_difference(line_end):
    assert detect(line_end.join(["# said", "AGENT: A", "MODE: reasoning", ""])) == "agent-based"
    assert is_yaml_format(line_end.join(["", "---", "agent: A"]))


def test_yaml_comes_before_everything_else():
    assert detect("goal: b\nAGENT: A\n") == "yaml"
    assert detect("mode: x\nMODE: y\n") == "yaml"


@over("key", sorted(YAML_KEYS))
def test_a_text_that_begins_with_a_known_lower_case_key_is_yaml(key):
    assert is_yaml_format(f"{key}: x\n")
    assert is_yaml_format(f"\n# said\n---\n{key} : x\n")


def test_the_known_keys_are_those_of_the_list():
    listed = (
        "agent supervisor mode goal persona identity tools gather constraints guardrails flow handoff return_handlers "
        "delegate escalate complete on_error on_start memory execution language version description limitations messages "
        "templates hooks system_prompt nlu conversation action_handlers"
    )
    assert set(listed.split()) == YAML_KEYS


@pytest.mark.parametrize(
    "text", ["AGENT: A", "Agent: A", "model: x", "- agent: A", '{"agent": 1}', "agent A", "", "agent-x: 1"]
)
def test_other_texts_are_not_yaml(text):
    assert not is_yaml_format(text)


def test_an_agent_with_its_first_word_in_lower_case_is_still_one():
    assert detect("agent: A\nGOAL: b\n") == "agent"
    assert detect("tools:\n  f(a: string) -> any\n") == "tools"


@pytest.mark.parametrize(
    ("text", "found"), [("MODE: x", True), ("  MODE: x", True), ("A: MODE: x", False), ("MODEL: x", False), ("", False)]
)
def test_the_mark_of_the_older_generation_begins_a_line(text, found):
    assert has_mode(f"AGENT: A\n{text}\n") is found


@pytest.mark.parametrize("word", ["CONTRACT", "STATE", "POLICIES", "COMMUNICATION", "BEHAVIOR"])
def test_a_section_only_the_numbered_grammar_has_decides_for_it(word):
    assert is_legacy(f"AGENT: A\n{word}:\n  a: b\n")
    assert is_legacy(f"AGENT: A\nFLOW:\n{word}:\n  a: b\n")
    assert not is_legacy(f"AGENT: A\n  {word}:\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("STEPS:\n  1. Ask\n", True),
        ("STEPS:\n\n  # said\n  1. Ask\n", True),
        ("STEPS:\n1. Ask\n", True),
        ("STEPS:\n  1. Ask\nFLOW:\n  a:\n", False),
        ("STEPS:\n  ask:\n    RESPOND: 1. x\n", False),
        ("STEPS:\n  - ask\n", False),
        ("FLOW:\n  1. Ask\n", False),
        ("GOAL: 1. Ask\n", False),
    ],
)
def test_numbered_steps_without_a_flow_decide_for_the_numbered_grammar(text, found):
    assert is_legacy(f"AGENT: A\n{text}") is found


def test_a_text_that_is_indented_as_a_whole_is_looked_at_without_its_indent():
    text = 'AGENT: A\nSTEPS:\n  1. X\n    RESPOND "x"\n'
    assert is_legacy(text)
    assert is_legacy("".join(f"    {line}\n" for line in text.splitlines()))
    assert not is_legacy("  AGENT: A\n  FLOW:\n    STEPS:\n      1. X\n")


def test_a_text_is_cut_before_each_unindented_header():
    one, two, three = "# said\nAGENT: A\nGOAL: b\n", "SUPERVISOR: B\n  AGENT: no\n", "AGENT : C\n"
    assert split_documents(one + two + three) == [one, two, three]


@pytest.mark.parametrize("text", ["", "AGENT: A\n", "TOOLS:\n", "prose"])
def test_a_text_with_one_document_stays_whole(text):
    assert split_documents(text) == [text]


@pytest.mark.parametrize(
    "unit", ["STEPS:\n", "\n", "# x\n", "/* \n", "  \n", "INTENTS:\n", "MODE", "AGENT", "tools:\n  f("]
)
def test_detection_takes_time_in_proportion_to_the_text(unit):
    shape = of_signs("", unit, "")
    grows_in_proportion(lambda text: (detect(text), is_legacy(text), split_documents(text)), shape, len(unit) * 20_000)
