"""Findings about older generations of the language. Spec: abl-language 0, 5.9, 10."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "MODE_DEPRECATED",
        "warning",
        "MODE line",
        message="MODE is no longer supported: remove the line and write `REASONING: true` or `REASONING: false` "
        "in each step.",
        explanation="""
            Older versions set the whole agent to `reasoning` or `scripted`. Now each step of a FLOW says for itself
            whether a model leads it, and an agent without FLOW always reasons.
            The line was read as it was meant then. With strict it is an error.
            Delete it, and add REASONING to the steps.
        """,
        wrong="""
            MODE: reasoning
        """,
        right="""
            PERSONA: "Calm and brief"
        """,
        strict="error",
    ),
    rule(
        "LEGACY_ROUTING",
        "warning",
        "ROUTING or AGENTS section",
        message="{name} is an older way of routing: write HANDOFF, a list of `- TO: agent` with `WHEN: condition`.",
        explanation="""
            Supervisors of older versions list their agents under AGENTS and the rules under ROUTING.
            Both are now entries of HANDOFF, with a condition each; they were turned into such entries.
            With strict this is an error.
            `INTENT(a, b) -> x` becomes `- TO: x` with `WHEN: intent.category IN ["a", "b"]`.
        """,
        wrong="""
            SUPERVISOR: Front_Desk
            GOAL: "Find the right agent"
            ROUTING:
              - INTENT(claim, refund) -> Claims_Desk
              - DEFAULT -> Parcel_Desk
        """,
        right="""
            SUPERVISOR: Front_Desk
            GOAL: "Find the right agent"
            HANDOFF:
              - TO: Claims_Desk
                WHEN: intent.category IN ["claim", "refund"]
              - TO: Parcel_Desk
                WHEN: true
        """,
        strict="error",
    ),
    rule(
        "LEGACY_INVALID_STEP",
        "error",
        "numbered step that cannot be read",
        message="This step cannot be read[[: {value}]]. Write a number, a point and a name: `1. Ask`.",
        explanation="""
            In the numbered form each step begins with its number, a point and its name.
            This line does not, so what stands below it belongs to no step.
            Write it as `1. Name`, or move to FLOW with `abl convert`.
        """,
        wrong="""
            AGENT: Old_Desk
            IDENTITY:
              role: "Answers callers"
            STEPS:
              1. Ask
                RESPOND "Which code?"
                GOTO 2
              2.
                SIGNAL: COMPLETE
        """,
        right="""
            AGENT: Old_Desk
            IDENTITY:
              role: "Answers callers"
            STEPS:
              1. Ask
                RESPOND "Which code?"
                GOTO 2
              2. End
                SIGNAL: COMPLETE
        """,
    ),
    rule(
        "LEGACY_INVALID_LINE",
        "warning",
        "line of the numbered form that cannot be read",
        message="This line cannot be read[[: {value}]][[ ({detail})]]. {suggestion}[[Known are {known}.]]",
        explanation="""
            A line of the numbered form begins with one of its words: CALL, RESPOND, WAIT_INPUT, GOTO, SIGNAL,
            SET, CLASSIFY, ON_SUCCESS, ON_FAILURE, or with the name of a field.
            This one was left out.
            Correct the word, or move to FLOW with `abl convert`.
        """,
        wrong="""
            AGENT: Old_Desk
            IDENTITY:
              role: "Answers callers"
            STEPS:
              1. Ask
                REPSOND "Which code?"
                SIGNAL: COMPLETE
        """,
        right="""
            AGENT: Old_Desk
            IDENTITY:
              role: "Answers callers"
            STEPS:
              1. Ask
                RESPOND "Which code?"
                SIGNAL: COMPLETE
        """,
    ),
)
