from __future__ import annotations

import pytest

from abl.compiler.content import id_from_label


def started(agent_of, text: str) -> dict:
    return agent_of("ON_START:\n" + text)["on_start"]


def test_voice_formats_and_actions_stand_beside_the_answer(agent_of) -> None:
    lowered = started(
        agent_of,
        """  RESPOND: "It is {{status}}."
    VOICE:
      PLAIN_TEXT: "It is here."
      INSTRUCTIONS: "cheerful"
    FORMATS:
      MARKDOWN: "**{{status}}**"
      QUICK_REPLIES:
        - id: again
          label: "Check another"
      TABLE: |
        columns:
          - {key: at, header: Time}
        rows: "{{events}}"
    ACTIONS:
      SUBMIT_LABEL: "Send"
      - BUTTON: "Open claim" -> open-claim
      - SELECT: "Your Hub!"
        OPTIONS:
          - "Berlin" -> ber
          - "Wien"
      - INPUT: "Note"
        PLACEHOLDER: "optional"
        REQUIRED: false
""",
    )
    assert lowered["respond"] == "It is {{status}}."
    assert lowered["voice_config"] == {"instructions": "cheerful", "plain_text": "It is here."}
    assert lowered["rich_content"]["markdown"] == "**{{status}}**"
    assert lowered["rich_content"]["quick_replies"] == [{"id": "again", "label": "Check another"}]
    assert lowered["rich_content"]["table"] == {"columns": [{"key": "at", "header": "Time"}], "rows": "{{events}}"}
    assert lowered["actions"] == {
        "elements": [
            {"id": "open-claim", "type": "button", "label": "Open claim", "value": "open-claim"},
            {
                "id": "your_hub",
                "type": "select",
                "label": "Your Hub!",
                "options": [{"id": "ber", "label": "Berlin"}, {"id": "wien", "label": "Wien"}],
            },
            {
                "id": "note",
                "type": "input",
                "label": "Note",
                "input_type": "text",
                "placeholder": "optional",
                "required": False,
            },
        ],
        "submit_label": "Send",
    }


def test_a_default_format_is_the_answer_when_there_is_no_other(agent_of) -> None:
    lowered = started(agent_of, '  RESPOND: ""\n    FORMATS:\n      DEFAULT: "Plain."\n      HTML: "<b>x</b>"\n')
    assert lowered == {"respond": "Plain.", "rich_content": {"html": "<b>x</b>"}}


def test_a_carousel_has_cards_with_buttons_as_actions(agent_of) -> None:
    lowered = started(
        agent_of,
        """  RESPOND: "Pick"
    CAROUSEL:
      - TITLE: "One"
        SUBTITLE: "s"
        IMAGE: "https://i.example/1.png"
        BUTTONS:
          - BUTTON: "Go" -> go
      - TITLE: "Two"
""",
    )
    assert lowered["rich_content"]["carousel"] == {
        "cards": [
            {
                "title": "One",
                "subtitle": "s",
                "image_url": "https://i.example/1.png",
                "buttons": [{"id": "go", "type": "button", "label": "Go", "value": "go"}],
            },
            {"title": "Two"},
        ]
    }


def test_chart_data_may_be_written_as_text(agent_of) -> None:
    text = "  RESPOND: x\n    FORMATS:\n      CHART: |\n        type: bar\n        data:\n          - a / 3 / red\n          - b / 1.5\n"
    assert started(agent_of, text)["rich_content"]["chart"]["data"] == [
        {"label": "a", "value": 3, "color": "red"},
        {"label": "b", "value": 1.5},
    ]


TEMPLATES = """TEMPLATES:
  card: "**{{code}}**"
  pick:
    DEFAULT: "Choose"
    MARKDOWN: "- a"
    VOICE: "Which one?"
"""


def test_a_template_is_replaced_by_its_content(agent_of) -> None:
    agent = agent_of(
        TEMPLATES + "ON_START:\n  RESPOND: TEMPLATE(pick)\nCOMPLETE:\n  - WHEN: a\n    RESPOND: TEMPLATE(card)\n"
    )
    assert agent["on_start"] == {
        "respond": "Choose",
        "voice_config": {"plain_text": "Which one?"},
        "rich_content": {"markdown": "- a"},
    }
    assert agent["completion"]["conditions"][0]["respond"] == "**{{code}}**"
    assert agent["templates"] == {"card": "**{{code}}**", "pick": "Choose"}
    assert agent["template_formats"] == {"pick": {"markdown": "- a", "voice_config": {"plain_text": "Which one?"}}}


def test_what_stands_at_the_answer_goes_before_the_template(agent_of) -> None:
    lowered = agent_of(TEMPLATES + 'ON_START:\n  RESPOND: TEMPLATE(pick)\n    FORMATS:\n      MARKDOWN: "- mine"\n')[
        "on_start"
    ]
    assert lowered["rich_content"]["markdown"] == "- mine"


def test_an_unknown_template_is_reported_at_its_place(compile_text) -> None:
    found = compile_text(TEMPLATES + "ON_START:\n  RESPOND: TEMPLATE(cart)\n").findings
    assert [(one.code, one.line, one.column) for one in found if one.code == "E601"] == [("E601", 10, 12)]
    assert "Did you mean card?" in found[0].message


def test_unused_templates_are_reported(compile_text) -> None:
    found = compile_text(TEMPLATES + "ON_START:\n  RESPOND: TEMPLATE(pick)\n").findings
    assert [(one.code, one.line) for one in found] == [("W602", 4)]


@pytest.mark.parametrize("text", ["Use TEMPLATE(card) here", "template(card)"])
def test_only_the_whole_value_is_a_template(agent_of, text: str) -> None:
    assert started(agent_of, f'  RESPOND: "{text}"\n')["respond"] == text


def test_templates_are_replaced_in_plain_texts_as_well(agent_of) -> None:
    agent = agent_of(TEMPLATES + "MESSAGES:\n  greeting: TEMPLATE(card)\nGATHER:\n  a:\n    prompt: TEMPLATE(pick)\n")
    assert agent["messages"]["greeting"] == "**{{code}}**"
    assert agent["gather"]["fields"][0]["prompt"] == "Choose"


@pytest.mark.parametrize(
    ("label", "identity"), [("Open Claim!", "open_claim"), ("  A  b ", "a_b"), ("re-try", "re-try")]
)
def test_an_id_is_made_from_the_label(label: str, identity: str) -> None:
    assert id_from_label(label) == identity
