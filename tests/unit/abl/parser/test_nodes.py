"""Nested nodes and wrappers. Spec: abl-language 1.2, 3.2, 3.3, 3.8."""

import pytest

from abl.syntax.coordination import OnReturn
from abl.syntax.gather import Activation, MaskConfig, Validation

MASKS = [
    "\n  show_first: 2\n  char: '#'",
    ' {show_first: 2, char: "#"}',
    ' {show_first: 2,\n  char: "#"}',
    ' {SHOW_FIRST: 2, CHAR: "#"}  # said',
]


@pytest.mark.parametrize("written", MASKS)
def test_a_node_may_be_written_as_nested_lines_or_as_an_inline_map(read, written):
    (field,) = read.under("GATHER", "x:\n  mask_config:" + written.replace("\n", "\n  ")).gather.fields
    assert field.mask_config.show_first == 2
    assert field.mask_config.char.strip("'") == "#"


def test_a_value_of_an_inline_map_stands_where_the_node_says(read):
    (field,) = read.under("GATHER", "x:\n  mask_config: {show_first: 2, char: *}").gather.fields
    assert field.mask_config == MaskConfig(show_first=2, char="*")
    read.stands(field.mask_config, "char", "*")
    read.stands(field.mask_config, "show_first", "2")


@pytest.mark.parametrize(
    ("body", "field", "made"),
    [
        ("validate: email", "validation", Validation(rule="email")),
        ("validate:\n    type: llm\n    rule: a real name", "validation", Validation(type="llm", rule="a real name")),
        ("activation: optional", "activation", Activation(mode="optional")),
        ("activation:\n    WHEN: a == 1", "activation", Activation(when="a == 1")),
    ],
)
def test_an_inline_value_is_the_main_value_of_a_node(read, body, field, made):
    (found,) = read.under("GATHER", f"x:\n  {body}").gather.fields
    assert getattr(found, field) == made


@pytest.mark.parametrize(
    ("written", "made"),
    [
        (" continue", OnReturn(action="continue")),
        (" resume_intent", OnReturn(action="resume_intent")),
        (" after_claim", OnReturn(handler="after_claim")),
        ("\n  HANDLER: after_claim", OnReturn(handler="after_claim")),
        ("\n  ACTION: continue\n  MAP: {a: b}", OnReturn(action="continue", map={"a": "b"})),
        ("\n  set: {a: b}\n  resume_with: again", OnReturn(set={"a": "b"}, resume_with="again")),
    ],
)
def test_on_return_is_a_word_or_a_block(read, written, made):
    body = "- TO: B\n  ON_RETURN:" + written.replace("\n", "\n  ")
    assert read.under("HANDOFF", body).handoffs[0].on_return == made


def test_a_text_where_a_block_is_needed_is_kept_and_reported(read):
    document = read.under("GATHER", "x:\n  mask_config: hide it   #! EXPECTED_MAP\n  type: text")
    (field,) = document.gather.fields
    assert field.mask_config.extras == {"": "hide it"}
    assert field.type == "text"


def test_properties_nested_under_an_inline_value_are_those_around_it(read):
    (field,) = read.under("GATHER", "x:\n  validate: email\n    required: true   #! MISPLACED_INDENT").gather.fields
    assert field.validation.rule == "email"
    assert field.required is True


WRAPPED = [
    ("hints:\n  cacheable: true\n  latency: fast", {"cacheable": True, "latency": "fast"}),
    ("cacheable: true\nlatency: fast", {"cacheable": True, "latency": "fast"}),
    ("hints: {cacheable: true, latency: fast}", {"cacheable": True, "latency": "fast"}),
    ("context_access:\n  READ: [a]\n  WRITE: [b]", {"context_read": ["a"], "context_write": ["b"]}),
    (
        "compaction:\n  essential_fields: [a]\n  max_description_length: 9",
        {"essential_fields": ["a"], "max_description_length": 9},
    ),
    (
        "confirmation:\n  require: always\n  immutable_params: [a]",
        {"confirmation_require": "always", "immutable": ["a"]},
    ),
]


@pytest.mark.parametrize(("body", "found"), WRAPPED)
def test_the_content_of_a_wrapper_belongs_to_the_node_around_it(read, body, found):
    (tool,) = read.under("TOOLS", "f() -> any\n  " + body.replace("\n", "\n  ")).tools
    assert {name: getattr(tool, name) for name in found} == found


@pytest.mark.parametrize(
    "body",
    [
        "CONTEXT:\n  pass: [a, b]\n  summary: Lost\n  history: full",
        "PASS: [a, b]\nSUMMARY: Lost\nHISTORY: full",
        "CONTEXT: {pass: [a, b], summary: Lost, history: full}",
    ],
)
def test_what_a_handoff_target_is_told_may_stand_in_context_or_beside_it(read, body):
    (handoff,) = read.under("HANDOFF", "- TO: B\n  " + body.replace("\n", "\n  ")).handoffs
    assert (handoff.pass_, handoff.summary, handoff.history.mode) == (["a", "b"], "Lost", "full")


def test_a_text_where_a_wrapper_is_needed_is_reported(read):
    read.under("HANDOFF", "- TO: B\n  CONTEXT: everything   #! EXPECTED_MAP")
