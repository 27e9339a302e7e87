"""YAML texts to documents, shape by shape. Spec: abl-language 9."""

from textwrap import dedent

import pytest

from abl.syntax.rules import FailAction
from abl.yaml_form import parse_yaml

HEAD = "agent: Desk\ngoal: Help\n"


def read(body, *, clean=True):
    result = parse_yaml(HEAD + dedent(body))
    assert result.document is not None, result.errors
    if clean:
        assert not result.errors
    return result.document


def codes(body, head=HEAD):
    return [one.code for one in parse_yaml(head + dedent(body)).findings]


EXAMPLE = """\
agent: Parcel_Tracer
version: 2.10
goal: {description: Locate a parcel}
tools:
  - name: find_parcel
    description: Look a parcel up
    parameters:
      - {name: code, type: string, required: true}
    returns: {type: object, fields: {status: string, hub?: "string[]"}}
    type: http
    http_binding: {endpoint: "https://api.parcels.example/p/{code}", method: GET}
gather:
  - {name: tracking_code, prompt: "Code?", type: string, required: true}
constraints:
  - condition: claim_amount <= 500
    on_fail: {action: respond, message: "Limit is 500"}
handoff:
  - to: Claims_Desk
    when: parcel_status == "lost"
    context: {pass: [tracking_code], history: last_3}
    return: true
    on_return: {action: continue}
flow:
  entry_point: ask
  steps:
    ask:
      reasoning: false
      gather: {fields: [{name: tracking_code, required: true}]}
      then: show
    show:
      reasoning: false
      call: find_parcel
      call_with: {code: tracking_code}
      call_as: parcel
      on_result:
        - {condition: "parcel.status == 'lost'", then: complete}
      respond: "{{parcel.status}}"
complete:
  - {when: parcel IS SET, respond: Done}
"""


def test_the_whole_example_is_read():
    result = parse_yaml(EXAMPLE)
    made = result.document
    assert made is not None
    assert not result.errors
    assert (made.format, made.detected_type, made.name, made.version, made.goal) == (
        "yaml", "yaml", "Parcel_Tracer", "2.10", "Locate a parcel",
    )  # fmt: skip
    tool = made.tools[0]
    assert (tool.type, tool.endpoint, tool.method) == ("http", "https://api.parcels.example/p/{code}", "GET")
    assert [(one.name, one.optional) for one in tool.returns.fields] == [("status", None), ("hub", True)]
    assert made.constraints[0].on_fail == FailAction(type="respond", message="Limit is 500")
    assert (made.handoffs[0].history.mode, made.handoffs[0].history.count) == ("last_n", 3)
    show = made.flow.steps[1]
    assert (show.call.tool, show.call.with_, show.call.as_) == ("find_parcel", {"code": "tracking_code"}, "parcel")
    assert show.on_result[0].then == "COMPLETE"


def test_values_know_their_places():
    made = parse_yaml(EXAMPLE).document
    when = made.handoffs[0].at["when"]
    assert EXAMPLE[when:].startswith('parcel_status == "lost"')
    condition = made.flow.steps[1].on_result[0].at["condition"]
    assert EXAMPLE[condition:].startswith("parcel.status == 'lost'")
    assert made.flow.steps[1].pos.line == EXAMPLE[: EXAMPLE.index("    show:")].count("\n") + 1


@pytest.mark.parametrize("shape", ["agent: {name: Desk, version: 1.0}", "supervisor: Desk\nversion: '1.0'"])
def test_a_name_may_stand_in_a_map(shape):
    made = parse_yaml(shape + "\ngoal: x\n").document
    assert (made.name, made.version, made.kind) == ("Desk", "1.0", shape.split(":")[0])


@pytest.mark.parametrize(
    "gather",
    [
        "[{name: a, type: number}, {name: b}]",
        "{strategy: llm, fields: [{name: a, type: number}, {name: b}]}",
        "{a: {type: number}, b: {}}",
        "[{a: number}, b]",
    ],
)
def test_gather_is_a_list_a_block_or_a_map(gather):
    made = read(f"gather: {gather}\n")
    assert [(one.name, one.type) for one in made.gather.fields] == [("a", "number"), ("b", "")]


@pytest.mark.parametrize(
    "constraints",
    [
        "[{condition: a < 3, kind: warn}, {name: late, requirements: [{condition: b}]}]",
        '["WARN a < 3", {name: late, requirements: [{require: b}]}]',
        "[{warn: a < 3}, {condition: b, phase: late}]",
    ],
)
def test_constraints_have_both_shapes(constraints):
    made = read(f"constraints: {constraints}\n").constraints
    assert [(one.kind, one.condition, one.phase) for one in made] == [("warn", "a < 3", ""), ("require", "b", "late")]


@pytest.mark.parametrize(
    ("on_fail", "expected"),
    [
        ("Only 500", FailAction(message="Only 500")),
        ('BLOCK "No"', FailAction(type="block", message="No")),
        ("{action: collect_field, fields: [a]}", FailAction(collect_fields=["a"])),
        ("{action: goto_step, target: s}", FailAction(goto="s")),
        ("{action: retry_step}", FailAction(retry=True)),
        ("{action: handoff, target: B}", FailAction(type="handoff", target="B")),
        ("{reason: Upset}", FailAction(type="escalate", reason="Upset")),
    ],
)
def test_failure_actions_equal_those_of_the_text_form(on_fail, expected):
    assert read(f"constraints: [{{condition: a, on_fail: {on_fail}}}]\n").constraints[0].on_fail == expected


@pytest.mark.parametrize(
    "call",
    [
        "call: 'find(a, k: b) AS c'",
        "call: 'find(a, k: b)'\n      call_as: c",
        "call_as: c\n      call: 'find(a, k: b)'",
        "call_spec: {tool: 'find(a, k: b)', as: c}",
    ],
)
def test_calls_have_several_shapes(call):
    made = read(f"flow:\n  steps:\n    s:\n      reasoning: false\n      {call}\n").flow.steps[0].call
    assert (made.tool, [(one.name, one.expression) for one in made.arguments], made.as_) == (
        "find", [("", "a"), ("k", "b")], "c",
    )  # fmt: skip


@pytest.mark.parametrize("shape", ["{a: b + 1}", "[{variable: a, expression: b + 1}]", "a = b + 1", "[a = b + 1]"])
def test_assignments_have_several_shapes(shape):
    made = read(f"on_start: {{set: {shape}}}\n").on_start.set
    assert [(one.variable, one.expression) for one in made] == [("a", "b + 1")]


@pytest.mark.parametrize(
    "steps",
    [
        "{a: {reasoning: false, then: b}, b: {reasoning: true}}",
        "[{name: a, reasoning: false, then: b}, {b: {reasoning: true}}]",
    ],
)
def test_steps_are_a_map_or_a_list(steps):
    made = read(f"flow: {{steps: {steps}, sequence: a -> b}}\n").flow
    assert [(one.name, one.reasoning, one.then) for one in made.steps] == [("a", False, "b"), ("b", True, "")]
    assert made.sequences == [["a", "b"]]


@pytest.mark.parametrize("shape", ['["IF ok: COMPLETE"]', "[{condition: ok, action: COMPLETE}]", "[IF ok: COMPLETE]"])
def test_human_outcomes_have_several_shapes(shape):
    made = read(f"escalate: {{on_human_complete: {shape}}}\n").escalate.on_human_complete
    assert [(one.condition, one.action) for one in made] == [("ok", "COMPLETE")]


def test_templates_are_a_list_or_a_map():
    one = read("templates: [{name: a, content: Hi}, {name: b, markdown: '*x*', voice: Hello}]\n").templates
    two = read("templates: {a: Hi, b: {markdown: '*x*', voice: {plain_text: Hello}}}\n").templates
    assert one == two
    assert (one[0].text, one[1].formats, one[1].voice.plain_text) == ("Hi", {"markdown": "*x*"}, "Hello")


@pytest.mark.parametrize(
    "tools", ['["find(code: string) -> object"]', "{find: {parameters: {code: string}, returns: object}}"]
)
def test_tools_may_be_signatures_or_a_map(tools):
    tool = read(f"tools: {tools}\n").tools[0]
    assert (tool.name, tool.parameters[0].name, tool.parameters[0].type.base, tool.returns.base) == (
        "find", "code", "string", "object",
    )  # fmt: skip


def test_items_and_properties_refine_the_type():
    body = "{name: p, type: array, items: {type: object, properties: {a: {type: date, description: when}}}}"
    parameter = read(f"tools: [{{name: t, parameters: [{body}]}}]\n").tools[0].parameters[0]
    inner = parameter.type.items.fields[0]
    assert (inner.name, inner.type.base, inner.description) == ("a", "date", "when")


def test_guardrail_defaults_differ_from_the_text_form():
    made = read("guardrails: [{name: g, check: x}, {name: h, check: y, kind: output, action: warn}]\n").guardrails
    assert [(one.kind, one.action.type) for one in made] == [("input", "block"), ("output", "warn")]


def test_words_of_yaml_are_turned_back_into_text():
    made = read("complete: [{when: true}, {when: yes}, {when: 3}]\nescalate: {context_for_human: [on, {name: code}]}\n")
    assert [one.when for one in made.complete] == ["true", "yes", "3"]
    assert made.escalate.context_for_human == ["on", "code"]


def test_templates_without_quotes_are_texts():
    assert read("on_start: {respond: {{name}}}\n").on_start.respond == "{{name}}"


def test_memory_items_may_be_words():
    made = read("memory: {session: [a, {name: b, initial_value: 0}], persistent: [user.x], reads: [user.y]}\n").memory
    assert [(one.name, one.initial_value) for one in made.session] == [("a", None), ("b", 0)]
    assert (made.persistent[0].path, made.reads) == ("user.x", ["user.y"])


def test_handlers_are_a_map_or_a_list():
    made = read(
        "on_error: {tool_timeout: {retry: 2}}\nhooks: [{name: before_turn, call: log}]\nreturn_handlers: {a: {continue: true}}\n"
    )
    assert (made.on_error[0].type, made.on_error[0].retry) == ("tool_timeout", 2)
    assert (made.hooks[0].name, made.hooks[0].call.tool) == ("before_turn", "log")
    assert (made.return_handlers[0].name, made.return_handlers[0].continue_) == ("a", True)


def test_a_list_of_actions_holds_words_and_maps():
    made = read("action_handlers: {x: {do: [{set: {a: '1'}}, RESUME]}}\n").action_handlers[0]
    assert made.do[0].set[0].variable == "a"
    assert made.do[1].resume is True


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("- a", "YAML_NOT_MAPPING"),
        ("", "YAML_NOT_MAPPING"),
        ("goal: x", "YAML_MISSING_AGENT"),
        ("agent:\ngoal: x", "YAML_MISSING_AGENT"),
        ("agent: 'x", "YAML_INVALID"),
        (None, "NOT_TEXT"),
    ],
)
def test_what_is_no_agent_gives_one_error(text, code):
    result = parse_yaml(text)
    assert result.document is None
    assert [one.code for one in result.errors] == [code]


def test_invalid_yaml_is_reported_with_its_line():
    error = parse_yaml("agent: A\ngoal: 'x\n").errors[0]
    assert (error.code, error.line) == ("YAML_INVALID", 2)


def test_a_value_that_needs_quotes_gets_them():
    text = HEAD + "on_start:\n  respond: Note: this\n"
    error = parse_yaml(text).errors[0]
    mended = error.fix.apply(text)
    assert mended == HEAD + "on_start:\n  respond: 'Note: this'\n"
    assert parse_yaml(mended).document.on_start.respond == "Note: this"


def test_old_keys_are_errors():
    body = "handoff:\n  - to: B\n    when: x\n    grant_memory: [a]\n    on_return_map: {a: b}\n"
    assert codes(body) == ["YAML_OLD_KEY", "YAML_OLD_KEY"]


def test_misspelt_keys_are_read_and_reported_with_a_fix():
    result = parse_yaml(HEAD + "limitatoins: [a]\n")
    assert result.document.limitations == ["a"]
    finding = result.findings[0]
    assert (finding.code, finding.line, finding.column) == ("MISSPELT_PROPERTY", 3, 1)
    assert finding.fix.apply(HEAD + "limitatoins: [a]\n") == HEAD + "limitations: [a]\n"


def test_a_key_that_may_mean_something_else_is_kept_and_the_near_one_named():
    result = parse_yaml(HEAD + "gather:\n  a:\n    prompt: x\n    optional: true\n")
    (field,) = result.document.gather.fields
    assert (field.extras, field.options) == ({"optional": "true"}, [])
    (finding,) = result.findings
    assert (finding.code, finding.severity) == ("UNKNOWN_PROPERTY", "warning")
    assert "Did you mean options?" in finding.message


def test_unknown_keys_are_kept():
    made = read("owner: me\nx_settings:\n  a: [1]\n")
    assert made.extras == {"owner": "me", "x_settings": "\na: [1]"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("mode: scripted\n", "MODE_DEPRECATED"),
        ("goal: again\n", "DUPLICATE_PROPERTY"),
        ("flow: {steps: {a: {reasoning: maybe}}}\n", "EXPECTED_BOOLEAN"),
        ("execution: {temperature: hot}\n", "EXPECTED_NUMBER"),
        ("execution: {temperature: 9}\n", "OUT_OF_RANGE"),
        ("gather: [{name: a, prompt_mode: whisper}]\n", "UNKNOWN_CHOICE"),
        ("attachments: {a: [x]}\n", "EXPECTED_MAP"),
        ("tools: [{name: a}, {name: a}]\n", "DUPLICATE_TOOL"),
        ("tools: [__x]\n", "RESERVED_TOOL_NAME"),
        ("conversation: {speaking: {stile: x}}\n", "CONVERSATION_UNKNOWN_FIELD"),
        ("conversation: [a]\n", "CONVERSATION_INVALID_YAML"),
        ("templates: {a: ''}\n", "EMPTY_TEMPLATE"),
        ("flow: {steps: {a: {then: b}}}\n", "REASONING_MISSING"),
    ],
)
def test_faults_of_values_have_the_codes_of_the_text_form(body, code):
    assert code in codes(body)


def test_findings_point_at_the_value():
    result = parse_yaml(HEAD + "execution:\n  temperature: hot\n")
    assert [(one.line, one.column) for one in result.findings] == [(4, 16)]


def test_strict_turns_the_same_warnings_into_errors():
    text = HEAD + "mode: scripted\n"
    assert not parse_yaml(text).errors
    assert [one.code for one in parse_yaml(text, strict=True).errors] == ["MODE_DEPRECATED"]


def test_line_ends_and_a_mark_at_the_start_change_nothing():
    text = HEAD + "persona: |\n  a\n  b\n"
    assert parse_yaml("\ufeff" + text.replace("\n", "\r\n")).document == parse_yaml(text).document


@pytest.mark.parametrize("pad", ["", "  ", "        "])
def test_the_marks_of_a_document_may_be_indented_with_it(pad):
    lines = ["---", "agent: Desk", "goal: Help", "persona: |", "  Calm", "  ...", "  and brief", "..."]
    result = parse_yaml("".join(f"{pad}{line}\n" for line in lines))
    assert result.findings == []
    assert result.document.persona == "Calm\n...\nand brief"
