"""Entries that lack what they need, and values that do not go together. Spec: abl-language 3."""

import pytest

from abl.syntax.understanding import MAX_LOOKUP_VALUES_FUZZY

MISSING = [
    ("DESTINATIONS", "hook:   #! DESTINATION_WITHOUT_URL\n  method: POST"),
    ("DELEGATE", "- WHEN: a   #! INVALID_DELEGATE_ENTRY\n  PURPOSE: b"),
    ("HANDOFF", "- WHEN: a   #! INVALID_HANDOFF_ENTRY\n  RETURN: true"),
    ("MEMORY", "remember:\n  - WHEN: a   #! REMEMBER_WITHOUT_STORE"),
    ("MEMORY", "recall:\n  - ACTION: load_memory   #! RECALL_WITHOUT_EVENT"),
    ("LOOKUP_TABLES", "hubs:   #! LOOKUP_TABLE_INVALID\n  source: inline"),
    ("LOOKUP_TABLES", "hubs:   #! LOOKUP_TABLE_INVALID\n  source: collection"),
    ("LOOKUP_TABLES", "hubs:   #! LOOKUP_TABLE_INVALID\n  source: mongodb"),
    ("LOOKUP_TABLES", "hubs:   #! LOOKUP_TABLE_INVALID\n  source: api"),
    ("LOOKUP_TABLES", "hubs:   #! LOOKUP_TABLE_INVALID\n  source: http\n  endpoint: not an address"),
    ("LOOKUP_TABLES", "hubs:   #! LOOKUP_TABLE_INVALID\n  values: [a]\n  timeout_ms: 0"),
]


@pytest.mark.parametrize(("section", "body"), MISSING)
def test_an_entry_without_what_it_needs_is_reported_and_kept(read, section, body):
    document = read.under(section, body)
    assert getattr(document, document.BY_KEY[section].field)


@pytest.mark.parametrize(
    "body",
    [
        "hubs:\n  source: inline\n  values: [a]",
        "hubs:\n  values: [a]",
        "hubs:\n  source: collection\n  table_name: t",
        "hubs:\n  source: mongodb\n  collection: t",
        "hubs:\n  source: api\n  endpoint: https://x.example/h",
        'hubs:\n  source: http\n  endpoint: "{{env.HUBS}}/h"\n  timeout_ms: 5s',
    ],
)
def test_a_whole_table_is_not_reported(read, body):
    read.under("LOOKUP_TABLES", body)


@pytest.mark.parametrize(("extra", "codes"), [(0, []), (1, ["LOOKUP_TABLE_LARGE"])])
def test_a_large_table_is_reported_when_near_words_count(read, extra, codes):
    values = ", ".join(f"v{number}" for number in range(MAX_LOOKUP_VALUES_FUZZY + extra))
    read.raw(f"AGENT: A\nGOAL: b\nLOOKUP_TABLES:\n  hubs:\n    values: [{values}]\n    fuzzy_match: true\n")
    assert [one.code for one in read.findings] == codes
    read.raw(f"AGENT: A\nGOAL: b\nLOOKUP_TABLES:\n  hubs:\n    values: [{values}]\n")
    assert read.findings == []


def test_a_destination_without_address_is_named(read):
    read.under("DESTINATIONS", "hook:   #! DESTINATION_WITHOUT_URL\n  method: post")
    found = read.finding("DESTINATION_WITHOUT_URL")
    assert found.severity == "error"
    assert 'missing a required "url"' in found.message
    assert "hook" in found.message
    assert read.span("DESTINATION_WITHOUT_URL") == "hook"
    assert read.document.destinations[0].method == "POST"


def test_an_invalid_delegate_entry_is_a_warning(read):
    read.under("DELEGATE", "- WHEN: a   #! INVALID_DELEGATE_ENTRY")
    found = read.finding("INVALID_DELEGATE_ENTRY")
    assert found.severity == "warning"
    assert found.message.startswith("Invalid DELEGATE entry")


@pytest.mark.parametrize("written", ["Claims_Desk", "Claims_Desk (the other one)", '"Claims_Desk"'])
def test_the_target_of_a_handoff_is_its_first_word(read, written):
    assert read.under("HANDOFF", f"- TO: {written}").handoffs[0].to == "Claims_Desk"


@pytest.mark.parametrize(
    ("written", "action", "handler"),
    [("continue", "continue", ""), ("resume_intent", "resume_intent", ""), ("after_claim", "", "after_claim")],
)
def test_another_word_after_on_return_names_a_handler(read, written, action, handler):
    back = read.under("HANDOFF", f"- TO: B\n  ON_RETURN: {written}").handoffs[0].on_return
    assert (back.action, back.handler) == (action, handler)
    read.stands(back, "handler" if handler else "action", written)


@pytest.mark.parametrize("priority", ["low", "medium", "high", "critical", "HIGH", "0", "1", "12"])
def test_the_priority_of_an_escalation_is_a_word_or_a_number(read, priority):
    (trigger,) = read.under("ESCALATE", f"triggers:\n  - WHEN: a\n    PRIORITY: {priority}").escalate.triggers
    assert trigger.priority.lower() == priority.lower()


def test_another_priority_is_reported_with_the_near_one(read):
    read.under("ESCALATE", "triggers:\n  - WHEN: a\n    PRIORITY: hihg   #! UNKNOWN_CHOICE")
    assert "PRIORITY: high\n" in read.mended("UNKNOWN_CHOICE")
    read.under("ESCALATE", "triggers:\n  - WHEN: a\n    PRIORITY: -1   #! UNKNOWN_CHOICE")


@pytest.mark.parametrize("word", ["tool_timeout", "DEFAULT", "default", "out_of_coffee"])
def test_kinds_of_errors_are_open_words(read, word):
    (handler,) = read.under("ON_ERROR", f"{word}:\n  THEN: CONTINUE").on_error
    assert handler.type.lower() == word.lower()


def test_a_kind_of_error_near_a_known_one_is_reported(read):
    read.under("ON_ERROR", "tool_timout:   #! UNKNOWN_CHOICE\n  THEN: CONTINUE")
    assert "  tool_timeout:\n" in read.mended("UNKNOWN_CHOICE")


@pytest.mark.parametrize("body", ["9 lives: a   #! INTENT_INVALID", "a.b: c   #! INTENT_INVALID"])
def test_an_intent_has_a_name(read, body):
    assert len(read.under("INTENTS", body).intents.items) == 1


@pytest.mark.parametrize("section", ["GATHER", "ATTACHMENTS"])
def test_names_of_slots_are_identifiers(read, section):
    read.under(section, "my code:   #! INVALID_NAME\n  prompt: Which?")
    assert "  my_code:\n" in read.mended("INVALID_NAME")


CALLS = [
    "go:\n  CALL: f()   #! ACTION_CALL_WITHOUT_AS",
    "go:\n  DO:\n    - CALL: f()   #! ACTION_CALL_WITHOUT_AS",
]


@pytest.mark.parametrize("body", CALLS)
def test_a_call_of_a_handler_names_its_result(read, body):
    read.under("ACTION_HANDLERS", body)
    assert "must declare an AS result key" in read.finding("ACTION_CALL_WITHOUT_AS").message
    read.under("ACTION_HANDLERS", body.replace("f()   #! ACTION_CALL_WITHOUT_AS", "f() AS x"))
    assert read.step("ON_ACTION:\n  " + body.replace("\n", "\n  ")).on_action


def test_unknown_keys_of_handlers_are_errors(read):
    document = read.under("ACTION_HANDLERS", "go:\n  COLOUR: red   #! UNKNOWN_ACTION_KEY\n  TRANSITION: look")
    assert read.finding("UNKNOWN_ACTION_KEY").severity == "error"
    assert document.action_handlers[0].transition == "look"


HANDLER = """
    open-claim:
      CONDITION: a == 1
      SET: b = true
      SET: c = 2
      CLEAR: d
      RESPOND: "Opening."
      HANDOFF: Claims
      DELEGATE:
        AGENT: B
        RETURN: true
        ON_RETURN:
          MAP: {x: y}
      COMPLETE: true
    rate:
      DO:
        - SET: rating = _action.value
        - CALL: save(rating)
          AS: saved
        - RESPOND: "Thanks!"
        - COMPLETE
"""


def test_a_handler_has_direct_keys_or_an_ordered_list(read):
    one, two = read("ACTION_HANDLERS:\n" + HANDLER).action_handlers
    assert (one.action_id, one.condition, one.clear, one.respond, one.handoff) == (
        "open-claim",
        "a == 1",
        ["d"],
        "Opening.",
        "Claims",
    )
    assert [item.variable for item in one.set] == ["b", "c"]
    assert (one.delegate.agent, one.delegate.return_, one.delegate.map) == ("B", True, {"x": "y"})
    assert one.complete is True
    assert [
        item.set[0].expression if item.set else item.call.tool if item.call else item.respond for item in two.do[:3]
    ] == ["_action.value", "save", "Thanks!"]
    assert two.do[1].call.as_ == "saved"
    assert two.do[3].complete is True
