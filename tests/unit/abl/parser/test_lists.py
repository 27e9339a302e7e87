"""Lists and maps, inline or nested. Spec: abl-language 1.4."""

import pytest


@pytest.mark.parametrize(
    "written",
    [
        ' [a, "b c", d]',
        " [a, 'b c', d,]",
        ' a, "b c", d',
        ' [a, "b c", d]  # said',
        " [\n  a,\n  'b c',\n  d\n]",
        " [\n  a,  # one\n  b c,\n  d,\n  ]",
        "\n  - a\n  - b c\n  - d",
        "\n  - \"a\"\n  - 'b c'\n\n  - d  # said",
        "\n  -   a\n  -b c\n  - d",
        " |\n  a\n  b c\n  d",
    ],
)
def test_a_list_may_be_written_inline_or_with_dashes(read, written):
    step = read.step(f"AVAILABLE_TOOLS:{written}\nREASONING: true   #! DUPLICATE_PROPERTY")
    assert step.available_tools == ["a", "b c", "d"]
    assert step.reasoning is True


@pytest.mark.parametrize(
    "written", [' [a, "b c", d]', ' a, "b c", d', " [\n  a,\n  'b c',\n  d\n]", '\n  - a\n  - "b c"\n  - d']
)
def test_every_item_stands_where_the_node_says(read, written):
    step = read.step(f"CLEAR:{written}")
    for index, item in enumerate(["a", "b c", "d"]):
        read.stands(step, f"clear.{index}", item)


@pytest.mark.parametrize(
    ("section", "body", "get"),
    [
        ("FLOW", "ask:\n  REASONING: false\n  CLEAR: a, b", lambda d: d.flow.steps[0].clear),
        ("FLOW", "ask:\n  REASONING: true\n  AVAILABLE_TOOLS: a, b", lambda d: d.flow.steps[0].available_tools),
        ("GATHER", "x:\n  options: a, b", lambda d: d.gather.fields[0].options),
        ("GATHER", "x:\n  depends_on: a, b", lambda d: d.gather.fields[0].depends_on),
        ("HANDOFF", "- TO: B\n  CONTEXT:\n    pass: a, b", lambda d: d.handoffs[0].pass_),
        (
            "CONSTRAINTS",
            "- REQUIRE x\n  ON_FAIL:\n    COLLECT: a, b",
            lambda d: d.constraints[0].on_fail.collect_fields,
        ),
        (
            "FLOW",
            "global_digressions:\n  - INTENT: x\n    KEYWORDS: a, b",
            lambda d: d.flow.global_digressions[0].keywords,
        ),
        ("ESCALATE", "triggers:\n  - WHEN: x\n    TAGS: a, b", lambda d: d.escalate.triggers[0].tags),
    ],
)
def test_a_comma_list_needs_no_brackets(read, section, body, get):
    assert get(read.under(section, body)) == ["a", "b"]


def test_an_empty_list_of_tools_is_not_an_absent_one(read):
    assert read.step("CLEAR: a").available_tools is None
    assert read.step("AVAILABLE_TOOLS: []").available_tools == []


def test_a_bracket_that_is_not_closed_is_reported(read):
    step = read.step("CLEAR: [a, b   #! UNCLOSED_BRACKET\nTHEN: COMPLETE")
    assert step.clear == ["a", "b"]
    assert step.then == "COMPLETE"
    assert "CLEAR: [a, b]" in read.mended("UNCLOSED_BRACKET")


def test_an_item_without_dash_is_taken_with_a_warning(read):
    document = read("LIMITATIONS:\n  - a\n  b   #! EXPECTED_LIST_ITEM\n  - c\n")
    assert document.limitations == ["a", "b", "c"]
    assert "\n  - b\n" in read.mended("EXPECTED_LIST_ITEM")


def test_a_list_section_written_twice_is_replaced(read):
    assert read("LIMITATIONS:\n  - a\nLIMITATIONS: [b]\n").limitations == ["b"]


def test_dashes_may_stand_in_the_column_of_the_section(read):
    document = read('LIMITATIONS:\n- a\n- "b"\nPERSONA: x\n')
    assert document.limitations == ["a", "b"]
    assert document.persona == "x"


def test_an_item_may_go_on_in_deeper_lines(read):
    assert read("LIMITATIONS:\n  - one\n    two\n  - |\n    three\n    four\n").limitations == [
        "one two",
        "three\nfour",
    ]


def test_text_of_an_item_with_a_number_sign_stays_whole(read):
    assert read("LIMITATIONS:\n  - Never open ticket #12 again\n").limitations == ["Never open ticket #12 again"]


MAPS = [
    " {to: code, at: hub}",
    " to: code, at: hub",
    ' {"to": code, at: hub,}',
    " {to: code,\n  at: hub}",
    " {to: code, at: hub}  # said",
    "\n  to: code\n  at: hub",
    "\n  to: code  # said\n\n  at: hub",
    "\n  to = code\n  at = hub",
    "\n  - to: code\n  - at: hub",
]


@pytest.mark.parametrize("written", MAPS)
def test_a_map_may_be_written_inline_or_nested(read, written):
    body = "- AGENT: B\n  RETURNS:" + written.replace("\n", "\n  ")
    (delegate,) = read.under("DELEGATE", body).delegates
    assert delegate.returns == {"to": "code", "at": "hub"}
    read.stands(delegate, "returns.to", "code")
    read.stands(delegate, "returns.at", "hub")


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (" {amount: a + 1, currency}", {"amount": "a + 1", "currency": "currency"}),
        (" {currency, rate}", {"currency": "currency", "rate": "rate"}),
        (" [currency, rate]", {"currency": "currency", "rate": "rate"}),
        (" currency, rate", {"currency": "currency", "rate": "rate"}),
        ('\n  name: "quoted"\n  currency', {"name": '"quoted"', "currency": "currency"}),
        ("\n  - currency\n  - rate", {"currency": "currency", "rate": "rate"}),
        (' {name: "quoted", n: f(1, 2)}', {"name": '"quoted"', "n": "f(1, 2)"}),
    ],
)
def test_input_values_are_expressions_and_a_bare_name_stands_for_itself(read, written, found):
    body = "- AGENT: B\n  INPUT:" + written.replace("\n", "\n  ")
    assert read.under("DELEGATE", body).delegates[0].input == found


def test_values_of_plain_maps_lose_their_quotes(read):
    document = read.under("MESSAGES", "greeting: \"Hello\"\nbye: 'Bye'\nEMPTY_INPUT: |\n  one\n  two")
    assert document.messages == {"greeting": "Hello", "bye": "Bye", "empty_input": "one\ntwo"}
    read.stands(document, "messages.greeting", "Hello")


def test_keys_of_messages_are_lowered(read):
    assert read.under("MESSAGES", "Greeting: Hi").messages == {"greeting": "Hi"}


def test_a_key_that_stands_twice_in_a_map_is_reported(read):
    document = read.under("MESSAGES", "greeting: Hi\ngreeting: Ho   #! DUPLICATE_PROPERTY")
    assert document.messages == {"greeting": "Ho"}


def test_a_line_of_a_map_without_colon_is_reported_and_read(read):
    document = read.under("MESSAGES", "greeting Hello   #! PROPERTY_MISSING_COLON\nbye: Bye")
    assert document.messages == {"greeting": "Hello", "bye": "Bye"}


def test_a_text_where_a_map_is_needed_is_kept_and_reported(read):
    (delegate,) = read.under("DELEGATE", "- AGENT: B\n  INPUT: all of it   #! EXPECTED_MAP").delegates
    assert delegate.input == {}
    assert delegate.extras == {"INPUT": "all of it"}


def test_a_map_where_a_list_is_needed_is_reported(read):
    read.under("HANDOFF", "- TO: B\n  PASS: {a: b}   #! EXPECTED_LIST")


def test_a_brace_that_is_not_closed_is_reported(read):
    (delegate,) = read.under("DELEGATE", "- AGENT: B\n  RETURNS: {a: b   #! UNCLOSED_BRACKET\n  WHEN: x").delegates
    assert (delegate.returns, delegate.when) == ({"a": "b"}, "x")
