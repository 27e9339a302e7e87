"""Rich content: RESPOND and its blocks, formats, elements, templates. Spec: abl-language 3.14, 4."""

import pytest

from abl.syntax.rich import FORMAT_KEYS, Element, Option, Template, Voice

BLOCKS = """
RESPOND: "Your parcel"
{0}FORMATS:
{0}  MARKDOWN: "**b**"
{0}ACTIONS:
{0}  - BUTTON: "Open" -> open-claim
{0}VOICE:
{0}  PLAIN_TEXT: It is
THEN: COMPLETE
"""


@pytest.mark.parametrize("pad", ["  ", "", "      "])
def test_blocks_may_stand_under_an_answer_or_beside_it_in_any_order(read, pad):
    step = read.step(BLOCKS.format(pad))
    assert step.respond == "Your parcel"
    assert step.rich_content == {"markdown": "**b**"}
    assert step.actions.elements == [Element(type="button", label="Open", id="open-claim")]
    assert step.voice_config == Voice(plain_text="It is")
    assert step.then == "COMPLETE"


PLACES = [
    ("FLOW", "ask:\n  REASONING: false\n  {}", lambda d: d.flow.steps[0]),
    ("FLOW", "ask:\n  REASONING: false\n  ON_SUCCESS:\n    {}", lambda d: d.flow.steps[0].on_success),
    (
        "FLOW",
        "ask:\n  REASONING: false\n  ON_RESULT:\n    - IF: a\n      {}\n      THEN: b",
        lambda d: d.flow.steps[0].on_result[0],
    ),
    ("FLOW", "global_digressions:\n  - INTENT: a\n    {}", lambda d: d.flow.global_digressions[0]),
    ("ON_START", "{}", lambda d: d.on_start),
    ("COMPLETE", "- WHEN: a\n  {}", lambda d: d.complete[0]),
    ("ON_ERROR", "DEFAULT:\n  {}", lambda d: d.on_error[0]),
    ("HOOKS", "before_turn:\n  {}", lambda d: d.hooks[0]),
    ("ACTION_HANDLERS", "go:\n  {}", lambda d: d.action_handlers[0]),
    ("RETURN_HANDLERS", "back:\n  {}", lambda d: d.return_handlers[0]),
]


@pytest.mark.parametrize(("section", "body", "get"), PLACES)
def test_rich_content_may_stand_wherever_something_is_answered(read, section, body, get):
    column = next(len(row) - len(row.lstrip()) for row in body.split("\n") if "{}" in row)
    answer = "RESPOND: Hi\n  VOICE: Hello\n  RICH_CONTENT:\n    HTML: <b>Hi</b>".replace("\n", "\n" + " " * column)
    node = get(read.under(section, body.format(answer)))
    assert node.respond == "Hi"
    assert node.voice_config == Voice(plain_text="Hello")
    assert node.rich_content == {"html": "<b>Hi</b>"}


@pytest.mark.parametrize(
    "written", ['"Hello you"', "Hello you", "|\n  Hello you", "\n  Hello you", '"Hello you"  # said']
)
def test_an_answer_may_be_inline_or_a_block(read, written):
    step = read.step(f"RESPOND: {written}\nTHEN: COMPLETE")
    assert (step.respond, step.then) == ("Hello you", "COMPLETE")
    read.stands(step, "respond")


def test_a_block_may_be_followed_by_rich_content_beside_it(read):
    step = read.step("RESPOND: |\n  one\n  two\nVOICE: three")
    assert (step.respond, step.voice_config.plain_text) == ("one\ntwo", "three")


def test_other_properties_under_an_answer_are_indented_too_deep(read):
    step = read.step("RESPOND: Hi\n  THEN: look   #! MISPLACED_INDENT")
    assert (step.respond, step.then) == ("Hi", "look")


def test_a_quoted_answer_may_span_lines(read):
    step = read.step('RESPOND: "Hello   #! MULTILINE_STRING\n  you"\nTHEN: look')
    assert (step.respond, step.then) == ("Hello\nyou", "look")


@pytest.mark.parametrize(
    "key",
    [
        "VOICE:\n  SSML: <p>a</p>\n  INSTRUCTIONS: warm\n  PLAIN_TEXT: b",
        "voice:\n  ssml: <p>a</p>\n  instructions: |\n    warm\n  plain_text: b",
    ],
)
def test_a_voice_block_has_three_texts(read, key):
    assert read.step(key).voice_config == Voice(ssml="<p>a</p>", instructions="warm", plain_text="b")


@pytest.mark.parametrize("key", ["QUICK_REPLIES", "quick_replies", "QuickReplies", "quick-replies", "QUICK REPLIES"])
def test_format_keys_are_compared_without_signs_and_case(read, key):
    step = read.step(f"FORMATS:\n  {key}:\n    - id: again\n      label: Again")
    assert step.rich_content == {"quick_replies": [{"id": "again", "label": "Again"}]}


def test_every_format_of_the_table_is_known():
    table = (
        "DEFAULT TEXT MARKDOWN HTML ADAPTIVE_CARD SLACK AG_UI WHATSAPP CAROUSEL QUICK_REPLIES LIST IMAGE VIDEO AUDIO FILE "
        "KPI TABLE CHART FORM PROGRESS FEEDBACK"
    )
    assert [word for word in table.split() if word.replace("_", "") not in FORMAT_KEYS] == []


TABLE = {"columns": [{"key": "at", "header": "Time"}], "rows": "{{events}}"}


@pytest.mark.parametrize(
    "written",
    [
        ' |\n    columns:\n      - {key: at, header: Time}\n    rows: "{{events}}"',
        '\n    columns:\n      - {key: at, header: Time}\n    rows: "{{events}}"',
        '\n    columns:\n      - key: at\n        header: Time\n    rows: "{{events}}"',
        ' |\n    {"columns": [{"key": "at", "header": "Time"}], "rows": "{{events}}"}',
        ' {columns: [{key: at, header: Time}], rows: "{{events}}"}',
    ],
)
def test_a_structured_format_is_read_as_yaml_or_json(read, written):
    assert read.step(f"FORMATS:\n  TABLE:{written}").rich_content == {"table": TABLE}


def test_a_structured_format_that_cannot_be_read_is_reported(read):
    read.step("FORMATS:\n  TABLE: just words   #! INVALID_RICH_BODY")


def test_an_unknown_format_is_reported_with_the_near_one(read):
    step = read.step("FORMATS:\n  MARKDWON: a   #! UNKNOWN_FORMAT")
    assert step.rich_content == {"markdown": "a"}
    assert "  MARKDOWN: a" in read.mended("UNKNOWN_FORMAT")


ELEMENTS = [
    ('- BUTTON: "Open claim" -> open', Element(type="button", label="Open claim", id="open")),
    ("- BUTTON: Open claim \u2192 open", Element(type="button", label="Open claim", id="open")),
    ('- BUTTON: "Open"\n  ID: open\n  VALUE: 1\n  DESCRIPTION: d', Element(type="button", label="Open", id="open", value="1", description="d")),
    ('- BUTTON: "Open"\n  ACTION_ID: open\n  PAYLOAD: 1\n  SUBTITLE: d', Element(type="button", label="Open", id="open", value="1", description="d")),
    ('- BUTTON: "Open"\n  URL: "https://x.example"', Element(type="button", label="Open", url="https://x.example")),
    ('- button: "Open"\n  name: open', Element(type="button", label="Open", id="open")),
    ('- INPUT: "Note"\n  INPUT_TYPE: text\n  PLACEHOLDER: o\n  REQUIRED: false', Element(type="input", label="Note", input_type="text", placeholder="o", required=False)),
]  # fmt: skip


@pytest.mark.parametrize(("written", "element"), ELEMENTS)
def test_elements_have_a_label_and_properties(read, written, element):
    actions = read.step("ACTIONS:\n  SUBMIT_LABEL: Send\n  RENDER_ID: r1\n  " + written.replace("\n", "\n  ")).actions
    assert actions.elements == [element]
    assert (actions.submit_label, actions.render_id) == ("Send", "r1")
    read.stands(actions.elements[0], "label")


OPTIONS = [
    'OPTIONS:\n    - "Berlin" -> ber\n    - "Wien" -> vie',
    'OPTIONS:\n  - "Berlin" -> ber\n  - "Wien" -> vie',
    "OPTIONS:\n    - LABEL: Berlin\n      ID: ber\n    - LABEL: Wien\n      ID: vie",
    "OPTIONS: [Berlin -> ber, Wien -> vie]",
]


@pytest.mark.parametrize("written", OPTIONS)
def test_a_select_has_options(read, written):
    actions = read.step(
        f'ACTIONS:\n  - SELECT: "Hub"\n    ID: hub\n    {written.replace(chr(10), chr(10) + "  ")}'
    ).actions
    assert actions.elements == [
        Element(
            type="select",
            label="Hub",
            id="hub",
            options=[Option(label="Berlin", id="ber"), Option(label="Wien", id="vie")],
        )
    ]


def test_a_misspelt_element_is_read_as_the_one_that_was_meant(read):
    actions = read.step('ACTIONS:\n  - BUTTTON: "Open" -> open   #! INVALID_ACTION_ELEMENT').actions
    assert actions.elements == [Element(type="button", label="Open", id="open")]


TEMPLATES = [
    ("card: Hello", Template(name="card", text="Hello")),
    ('card: "Hello"', Template(name="card", text="Hello")),
    ("card: |\n  one\n  two", Template(name="card", text="one\ntwo")),
    (
        "card:\n  DEFAULT: Hello\n  MARKDOWN: |\n    **a**\n  VOICE: Spoken",
        Template(name="card", text="Hello", formats={"markdown": "**a**"}, voice=Voice(plain_text="Spoken")),
    ),
    (
        "card:\n  TEXT: Hello\n  VOICE INSTRUCTIONS: warm",
        Template(name="card", text="Hello", voice=Voice(instructions="warm")),
    ),
    (
        "card:\n  default: Hello\n  voice:\n    ssml: <p>a</p>",
        Template(name="card", text="Hello", voice=Voice(ssml="<p>a</p>")),
    ),
]


@pytest.mark.parametrize(("written", "template"), TEMPLATES)
def test_a_template_is_a_text_or_a_block_of_formats(read, written, template):
    assert read.under("TEMPLATES", written).templates == [template]
    head, _, rest = written.partition("\n")
    assert read(f"TEMPLATE {head}\n{rest}\nPERSONA: x\n").templates == [template]


def test_templates_are_collected_from_all_places(read):
    document = read("TEMPLATES:\n  a: A\nTEMPLATE b: B\nTEMPLATES:\n  c: C\n")
    assert [(one.name, one.text) for one in document.templates] == [("a", "A"), ("b", "B"), ("c", "C")]


def test_an_empty_template_and_a_repeated_one_are_reported(read):
    read("TEMPLATES:\n  a:   #! EMPTY_TEMPLATE\n  b: B\n  b: C   #! DUPLICATE_NAME\n")


@pytest.mark.parametrize(
    "written",
    [
        '\n  - "one"\n  - "two: 2"',
        '\n- "one"  # said first\n- "two: 2"',
        ' ["one", "two: 2"]',
        ' [ "one","two: 2" ]  # said',
    ],
)
def test_a_list_of_quoted_texts_is_said_line_by_line(read, written):
    step = read.step(f"RESPOND:{written}\nTHEN: look")
    assert (step.respond, step.then) == ("one\ntwo: 2", "look")
    assert read.text[step.at["respond"] :].startswith("one")


@pytest.mark.parametrize("written", ["\n  - one\n  - two", ' ["one", two]', " [one]", '\n  - "one"\n  two'])
def test_bare_items_and_brackets_are_text(read, written):
    step = read.step(f"RESPOND:{written}\nTHEN: look")
    assert step.respond.split() == written.split()


def test_a_prompt_is_read_as_an_answer_is(read):
    step = read.step("""
        GATHER:
          days:
            type: number
            prompt:
              - "How long?"
              - "In days, please."
        THEN: look
        """)
    assert step.gather.fields[0].prompt == "How long?\nIn days, please."
