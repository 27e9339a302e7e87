"""Findings about digressions and sub-intents of a FLOW. Spec: abl-language 5.6."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "DIGRESSION_MIXED_FORMS",
        "error",
        "digression in two forms",
        message="A digression has either DO or direct actions such as {name}, not both. Move {name} into DO.",
        explanation="""
            The actions of a digression are listed in order under DO; older files write them directly.
            With both it is not clear in which order they run.
            Move all of them under DO.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: opening_hours
                    RESPOND: "Nine to five."
                    DO:
                      - RESUME
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: opening_hours
                    DO:
                      - RESPOND: "Nine to five."
                      - RESUME
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "DIGRESSION_AFTER_TERMINAL",
        "error",
        "action after RESUME or GOTO",
        message="{name} never runs: RESUME and GOTO end a digression. Move it above them.",
        explanation="""
            RESUME and GOTO leave the digression at once, so an action below them never runs.
            Put RESUME or GOTO last.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: opening_hours
                    DO:
                      - RESUME
                      - RESPOND: "Nine to five."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: opening_hours
                    DO:
                      - RESPOND: "Nine to five."
                      - RESUME
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "DIGRESSION_WITHOUT_INTENT",
        "error",
        "digression without an intent",
        message="This digression has no INTENT: begin it with `- INTENT: name`.",
        explanation="""
            A digression starts when the user shows a certain intent.
            Without INTENT nothing ever starts it.
            Begin the item with `- INTENT:` and a name; KEYWORDS may stand beside it.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - KEYWORDS: [open, hours]
                    DO:
                      - RESPOND: "Nine to five."
                      - RESUME
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: opening_hours
                    KEYWORDS: [open, hours]
                    DO:
                      - RESPOND: "Nine to five."
                      - RESUME
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "DIGRESSION_INTENT_TEXT",
        "warning",
        "sentence in place of an intent",
        message="The INTENT {value} is a sentence: it is used as keywords. Write a name, and the words under KEYWORDS.",
        explanation="""
            INTENT names an intent, in one word. A quoted sentence is not a name;
            its words are looked for in what the user says.
            Give the intent a name and list the words under KEYWORDS.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: "asks for opening hours"
                    DO:
                      - RESPOND: "Nine to five."
                      - RESUME
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: opening_hours
                    KEYWORDS: ["opening hours"]
                    DO:
                      - RESPOND: "Nine to five."
                      - RESUME
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "DIGRESSION_DELEGATE_RETURN",
        "error",
        "delegation that does not return",
        message="The DELEGATE of a digression needs `RETURN: true`, as the flow goes on afterwards.",
        explanation="""
            A digression interrupts the flow and comes back to it. A delegation without RETURN: true
            would not come back, and the flow would be lost.
            Add `RETURN: true`, or leave with GOTO.
        """,
        wrong="""
            DELEGATE:
              - AGENT: Hours_Desk
                WHEN: false
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: opening_hours
                    DO:
                      - DELEGATE:
                          AGENT: Hours_Desk
                      - RESUME
                THEN: COMPLETE
        """,
        right="""
            DELEGATE:
              - AGENT: Hours_Desk
                WHEN: false
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                DIGRESSIONS:
                  - INTENT: opening_hours
                    DO:
                      - DELEGATE:
                          AGENT: Hours_Desk
                          RETURN: true
                      - RESUME
                THEN: COMPLETE
        """,
    ),
)
