"""Dash items and `name:` entries. Spec: abl-language 1.2, 3.3, 3.5, 3.16, 5.3."""

import pytest

from abl.source import Pos
from abl.syntax.gather import GatherField


@pytest.mark.parametrize("width", [1, 2, 4, 6])
@pytest.mark.parametrize("section", ["GATHER", "GUARDRAILS", "ON_ERROR", "ENTITIES", "ATTACHMENTS", "HOOKS"])
def test_the_names_of_a_section_stand_at_its_smallest_indent(read, section, width):
    one, two = ("before_turn", "after_turn") if section == "HOOKS" else ("one", "two")
    pad = " " * width
    key = {"GUARDRAILS": "description", "ENTITIES": "PATTERN", "ATTACHMENTS": "prompt", "GATHER": "prompt"}.get(
        section, "RESPOND"
    )
    document = read(f"{section}:\n{pad}{one}:\n{pad * 2}{key}: a\n\n{pad}{two}:\n{pad}  {key}: b\nPERSONA: x\n")
    row = document.BY_KEY[section]
    items = getattr(document, row.field)
    items = items.fields if section == "GATHER" else items
    assert [getattr(item, type(item).MAIN) for item in items] == [one, two]
    field = items[0].BY_KEY[key.upper()].field
    assert [getattr(item, field) for item in items] == ["a", "b"]


@pytest.mark.parametrize("width", [1, 2, 5])
def test_synonyms_need_only_stand_deeper_than_their_key(read, width):
    body = f"carrier:\n  SYNONYMS:\n{' ' * (2 + width)}dhx: [a, b]\n  TYPE: enum"
    (entity,) = read.under("ENTITIES", body).entities
    assert entity.synonyms == {"dhx": ["a", "b"]}
    assert entity.type == "enum"


FIELDS = [
    "code:\n  prompt: Which?\nhub:\n  required: false",
    "- code:\n    prompt: Which?\n- hub: optional",
    "- code:\n  prompt: Which?\n\n- hub:\n  required: no",
    "fields:\n  - code\n    prompt: Which?\n  - hub: optional",
    "fields:\n  code:\n    prompt: Which?\n  hub:\n    required: false",
    "code: {prompt: Which?}\nhub: {required: false}",
]


@pytest.mark.parametrize("body", FIELDS)
def test_the_slots_may_be_names_items_or_wrapped_and_in_any_mixture(read, body):
    assert read.under("GATHER", body).gather.fields == [
        GatherField(name="code", prompt="Which?"),
        GatherField(name="hub", required=False),
    ]


def test_a_strategy_may_stand_beside_the_slots(read):
    gather = read.under("GATHER", "strategy: hybrid\nfields:\n  code:\n    type: text").gather
    assert gather.strategy == "hybrid"
    assert gather.fields == [GatherField(name="code", type="text")]


@pytest.mark.parametrize(
    ("written", "field"),
    [
        ("- code", GatherField(name="code")),
        ("- code: required", GatherField(name="code", required=True)),
        ("- code: optional", GatherField(name="code", required=False)),
        ("- code: default=EU", GatherField(name="code", default="EU")),
        ("- code: default = 3", GatherField(name="code", default=3)),
        ("- code: required, number", GatherField(name="code", required=True, type="number")),
        ("- code: string", GatherField(name="code", type="string")),
        ("code: required", GatherField(name="code", required=True)),
        ("code:", GatherField(name="code")),
        ("- code  # said", GatherField(name="code")),
    ],
)
def test_a_short_form_may_stand_after_the_name(read, written, field):
    assert read.under("GATHER", written).gather.fields == [field]


def test_an_entry_knows_its_place_and_that_of_its_name(read):
    (variable,) = read.under("MEMORY", "session:\n  - NAME: code").memory.session
    assert variable.pos == Pos(5, 5, len("AGENT: Desk\nGOAL: Help\nMEMORY:\n  session:\n    "))
    read.stands(variable, "name")


@pytest.mark.parametrize("written", ["code:", "- code", "- code: required", '"code":'])
def test_the_name_of_an_entry_stands_where_the_node_says(read, written):
    (field,) = read.under("GATHER", written).gather.fields
    assert field.name == "code"
    read.stands(field, "name")


MEMORIES = [
    "session:\n  - a\n  - NAME: b\n    INITIAL: 0",
    "SESSION:\n  - a\n  - NAME: b\n  INITIAL: 0",
    "session:\n  a:\n  b:\n    initial: 0",
    "Session:\n  - name: a\n  - name: b\n    initial_value: 0",
]


@pytest.mark.parametrize("body", MEMORIES)
def test_session_variables_may_be_items_or_names(read, body):
    session = read.under("MEMORY", body).memory.session
    assert [(one.name, one.initial_value) for one in session] == [("a", None), ("b", 0)]


def test_comments_may_stand_behind_memory_names(read):
    memory = read.under("MEMORY", "session:\n  - a # the first\npersistent:\n  - user.hub # the second").memory
    assert memory.session[0].name == "a"
    assert memory.persistent[0].path == "user.hub"


def test_a_property_beside_its_entry_is_read_with_a_warning(read):
    (field,) = read.under("GATHER", "code:\nprompt: Which?   #! MISPLACED_INDENT").gather.fields
    assert field == GatherField(name="code", prompt="Which?")
    assert "\n    prompt: Which?" in read.mended("MISPLACED_INDENT")


def test_a_name_without_colon_is_reported_and_read(read):
    fields = read.under(
        "GATHER", "code   #! PROPERTY_MISSING_COLON\n  prompt: Which?\nhub:\n  type: text"
    ).gather.fields
    assert fields == [GatherField(name="code", prompt="Which?"), GatherField(name="hub", type="text")]
    assert "  code:\n" in read.mended("PROPERTY_MISSING_COLON")


def test_an_item_without_dash_is_reported_and_read(read):
    document = read.under("COMPLETE", "WHEN: a   #! EXPECTED_LIST_ITEM\n- WHEN: b")
    assert [one.when for one in document.complete] == ["a", "b"]


@pytest.mark.parametrize(
    ("section", "body", "code"),
    [
        ("GATHER", "code:\n  type: text\n{}:\n  type: text", "DUPLICATE_FIELD"),
        ("MEMORY", "session:\n  - a\n  - {}", "DUPLICATE_MEMORY_NAME"),
        ("MEMORY", "persistent:\n  - user.a\n  - {}", "DUPLICATE_MEMORY_NAME"),
        ("RETURN_HANDLERS", "code:\n  CONTINUE: true\n{}:\n  CONTINUE: true", "DUPLICATE_RETURN_HANDLER"),
        ("GUARDRAILS", "code:\n  check: a\n{}:\n  check: b", "DUPLICATE_NAME"),
        ("ENTITIES", "code:\n  TYPE: text\n{}:\n  TYPE: text", "DUPLICATE_NAME"),
        ("INTENTS", "code: a\n{}: b", "DUPLICATE_NAME"),
    ],
)
def test_a_name_declared_twice_is_reported_at_the_second(read, section, body, code):
    name = {"session": "a", "persistent": "user.a"}.get(body.split(":")[0], "code")
    text = f"{section}:\n" + "".join(f"  {row}\n" for row in body.format(name).split("\n"))
    read.raw("AGENT: Desk\nGOAL: Help\n" + text)
    assert [one.code for one in read.findings] == [code]
    assert read.span(code) == name
    assert read.finding(code).offset == read.text.rindex(name)


def test_an_inline_entry_may_carry_a_description(read):
    intents = read.under("INTENTS", 'trace: "Where is it"\n- claim\nLEXICAL_FALLBACK: always').intents
    assert [(one.name, one.description) for one in intents.items] == [("trace", "Where is it"), ("claim", "")]
    assert intents.lexical_fallback == "always"


def test_properties_may_be_nested_under_the_key_after_a_dash(read):
    (handoff,) = read.under("HANDOFF", "- TO: B\n    WHEN: a\n  PRIORITY: 1").handoffs
    assert (handoff.to, handoff.when, handoff.priority) == ("B", "a", 1)


def test_a_long_list_of_entries_is_read_in_proportion(read):
    rows = "".join(f"  f{number}:\n    type: text\n" for number in range(5000))
    read.raw(f"AGENT: A\nGOAL: b\nGATHER:\n{rows}")
    assert len(read.document.gather.fields) == 5000
    assert read.findings == []


def test_a_single_target_may_stand_without_its_dash(read):
    document = read("HANDOFF:\n  TO: B\n  WHEN: a == 1\n  CONTEXT:\n    pass: [a]\nDELEGATE:\n  AGENT: C\n  WHEN: b\n")
    (handoff,), (delegate,) = document.handoffs, document.delegates
    assert (handoff.to, handoff.when, handoff.pass_) == ("B", "a == 1", ["a"])
    assert (delegate.agent, delegate.when) == ("C", "b")


def test_an_item_one_column_too_deep_is_an_item(read):
    text = """
        HANDOFF:
          - TO: A
            WHEN: a == 1
           - TO: B   #! MISPLACED_INDENT
             WHEN: b == 1
          - TO: C
            WHEN: c == 1
    """
    assert [(one.to, one.when) for one in read(text).handoffs] == [("A", "a == 1"), ("B", "b == 1"), ("C", "c == 1")]
    read(read.mended("MISPLACED_INDENT"))


@pytest.mark.parametrize(
    ("written", "kind", "required", "options"),
    [
        ("number, required", "number", True, []),
        ("number required", "number", True, []),
        ("date?", "date", False, []),
        ("date?, default=today", "date", False, []),
        ("enum [a, b] required", "enum", True, ["a", "b"]),
    ],
)
def test_the_type_of_a_field_may_stand_behind_its_name(read, written, kind, required, options):
    (field,) = read(f"GATHER:\n  days: {written}\n").gather.fields
    assert (field.type, field.required, field.options or [], field.prompt) == (kind, required, options, "")


@pytest.mark.parametrize(
    "written", ["number, min 1", "number min 1", "number (min 1)", "number 1-10", "enum(a, b), min 1"]
)
def test_what_is_not_read_behind_a_type_is_told_and_never_said_to_a_customer(read, written):
    (field,) = read(f"GATHER:\n  days: {written}   #! UNREAD_SHORT_FORM\n").gather.fields
    assert field.type in ("number", "enum")
    assert not field.prompt


@pytest.mark.parametrize("written", ["number of days?", "date of travel", '"number, min 1"', "When, and where?"])
def test_a_question_behind_the_name_of_a_field_stays_one(read, written):
    (field,) = read(f"GATHER:\n  days: {written}\n").gather.fields
    assert field.prompt == written.strip('"')


@pytest.mark.parametrize("key", ["ACTION", "ID", "BUTTON", "action", "ON"])
def test_a_list_of_action_handlers_names_them_with_a_key(read, key):
    document = read(f"ACTION_HANDLERS:\n  - {key}: b1\n    RESPOND: Hi\n  - b2:\n    RESPOND: Ho\n")
    assert [(one.action_id, one.respond) for one in document.action_handlers] == [("b1", "Hi"), ("b2", "Ho")]
    (handler,) = read.step(f"ON_ACTION:\n  - {key}: b1\n    RESPOND: Hi").on_action
    assert (handler.action_id, handler.respond) == ("b1", "Hi")


def test_a_value_that_no_action_handler_has_is_refused(read):
    read('ACTION_HANDLERS:\n  b1: RESPOND "Hi"   #! UNKNOWN_ACTION_KEY\n')
    assert read.finding("UNKNOWN_ACTION_KEY").severity == "error"
