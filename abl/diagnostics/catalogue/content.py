"""Findings about rich content, actions and conversation behaviour. Spec: abl-language 3.13, 3.17, 4."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "ACTION_CALL_WITHOUT_AS",
        "warning",
        "call in a handler without AS",
        message="The CALL of {tool}[[ in {name}]] must declare an AS result key: add `AS: name` below it.",
        explanation="""
            A handler runs between two turns, so there is no `result` to read its answer from.
            The call must name the variable that keeps it. With strict this is an error.
            Add a line `AS:` below the CALL.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            ACTION_HANDLERS:
              show-hubs:
                CALL: list_hubs()
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            ACTION_HANDLERS:
              show-hubs:
                CALL: list_hubs()
                  AS: hubs
        """,
        strict="error",
    ),
    agent_rule(
        "UNKNOWN_ACTION_KEY",
        "error",
        "unknown key in a handler",
        message="{name} is not a key of an action handler. {suggestion}[[Known are {known}.]]",
        explanation="""
            A handler says what happens when a button is pressed or a form is sent.
            Its keys are CONDITION, RESPOND, SET, CLEAR, CALL, TRANSITION, HANDOFF, DELEGATE, COMPLETE and DO.
            Anything else would be ignored at a moment when the user waits for something.
            Correct the spelling.
        """,
        wrong="""
            ACTION_HANDLERS:
              say-thanks:
                REPSOND: "Thanks!"
        """,
        right="""
            ACTION_HANDLERS:
              say-thanks:
                RESPOND: "Thanks!"
        """,
    ),
    agent_rule(
        "INVALID_ACTION_ELEMENT",
        "warning",
        "action that cannot be read",
        message='This action cannot be read[[: {value}]]. {suggestion}Write `- BUTTON: "Label" -> id`, '
        '`- SELECT: "Label"` or `- INPUT: "Label"`.',
        explanation="""
            ACTIONS holds buttons, selections and inputs: `- BUTTON:`, `- SELECT:`, `- INPUT:`.
            This item is none of them and was left out, so the user does not see it.
            Begin it with one of the three.
        """,
        wrong="""
            ON_START:
              RESPOND: "Which parcel are we looking for?"
                ACTIONS:
                  - BUTON: "The last one" -> last-one
        """,
        right="""
            ON_START:
              RESPOND: "Which parcel are we looking for?"
                ACTIONS:
                  - BUTTON: "The last one" -> last-one
        """,
    ),
    agent_rule(
        "UNKNOWN_FORMAT",
        "warning",
        "unknown format",
        message="{name} is not a format. {suggestion}[[Formats are {known}.]]",
        explanation="""
            FORMATS offers the same answer in other shapes: MARKDOWN, HTML, TABLE, QUICK_REPLIES and so on.
            No channel knows this one, so it is never shown.
            Correct the spelling.
        """,
        wrong="""
            ON_START:
              RESPOND: "Which parcel are we looking for?"
                FORMATS:
                  MARKDWON: "**Which parcel** are we looking for?"
        """,
        right="""
            ON_START:
              RESPOND: "Which parcel are we looking for?"
                FORMATS:
                  MARKDOWN: "**Which parcel** are we looking for?"
        """,
    ),
    agent_rule(
        "INVALID_RICH_BODY",
        "warning",
        "format whose content cannot be read",
        message="The content of {name} cannot be read[[: {detail}]].",
        explanation="""
            Structured formats are written as YAML or JSON below their key.
            This content is neither, or has not the shape of its format, so the plain text is sent instead.
            Check brackets, colons and indents.
        """,
        wrong="""
            ON_START:
              RESPOND: "Which parcel are we looking for?"
                FORMATS:
                  TABLE: |
                    columns: [code, hub
                    rows: []
        """,
        right="""
            ON_START:
              RESPOND: "Which parcel are we looking for?"
                FORMATS:
                  TABLE: |
                    columns:
                      - {key: code, header: Code}
                    rows: []
        """,
    ),
    agent_rule(
        "CONVERSATION_UNKNOWN_FIELD",
        "error",
        "unknown field of CONVERSATION",
        message="{name} is not a supported Conversation Behavior field. {suggestion}[[Known are {known}.]]",
        explanation="""
            CONVERSATION has a fixed set of fields in speaking, listening and interaction.
            A field outside the set would be ignored by every channel.
            Correct the spelling, or say what you want in PERSONA or INSTRUCTIONS.
        """,
        wrong="""
            CONVERSATION:
              speaking:
                max_sentence: 3
        """,
        right="""
            CONVERSATION:
              speaking:
                max_sentences: 3
        """,
    ),
    agent_rule(
        "CONVERSATION_WRONG_TYPE",
        "error",
        "wrong type in CONVERSATION",
        message="{name} has the wrong type[[: write {expected}]][[, not {value}]].",
        explanation="""
            The field takes a value of another type: a number, a switch, a text or a group of fields.
            With the wrong type it has no effect.
            Write a value of the type that the message names.
        """,
        wrong="""
            CONVERSATION:
              speaking:
                max_sentences: few
        """,
        right="""
            CONVERSATION:
              speaking:
                max_sentences: 3
        """,
    ),
    agent_rule(
        "CONVERSATION_INVALID_YAML",
        "error",
        "CONVERSATION that is no YAML",
        message="The body of CONVERSATION is not a valid YAML mapping[[: {detail}]]. Write `key: value` lines.",
        explanation="""
            The lines below CONVERSATION are read as a YAML mapping of keys to values, and they are none.
            None of its settings are used.
            Write keys with values, without dashes; each level is indented by two spaces.
        """,
        wrong="""
            CONVERSATION:
              - speaking: concise
              - listening: barge_in
        """,
        right="""
            CONVERSATION:
              speaking:
                style: concise
              listening:
                barge_in: true
        """,
    ),
)
