"""Findings about constraints and guardrails. Spec: abl-language 3.6, 3.7, 12.4."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "MALFORMED_CONSTRAINT",
        "error",
        "constraint without a condition",
        message="Malformed constraint requirement[[: `{value}`]][[ ({detail})]]. "
        "Write `- REQUIRE condition`, for example `- REQUIRE turn_count < 20`.",
        explanation="""
            A constraint is one of REQUIRE, WARN, LIMIT, RESTRICT with a condition after it.
            Here the condition is missing or cannot be read, so nothing is checked.
            Write the condition on the same line.
        """,
        wrong="""
            CONSTRAINTS:
              - REQUIRE
                ON_FAIL: "Let us stop here."
        """,
        right="""
            CONSTRAINTS:
              - REQUIRE turn_count < 20
                ON_FAIL: "Let us stop here."
        """,
    ),
    agent_rule(
        "CONSTRAINT_PLAIN_ITEM",
        "warning",
        "constraint in plain words",
        message="Constraints without REQUIRE, WARN, LIMIT or RESTRICT[[ ({value} here)]] are told to the model "
        "but not enforced.",
        explanation="""
            A constraint that begins with REQUIRE, WARN, LIMIT or RESTRICT, or is a condition, is checked by the engine.
            A plain sentence is only added to the instructions of the model, which may forget it.
            Write it as a condition where you can, or move it to LIMITATIONS.
        """,
        wrong="""
            CONSTRAINTS:
              - "Never talk about the weather"
        """,
        right="""
            LIMITATIONS:
              - "Never talk about the weather"
        """,
    ),
    agent_rule(
        "W823",
        "info",
        "label of constraints",
        message="The label {name} is only a label: its rules are checked always, like all others.",
        explanation="""
            Constraints may be grouped under labels such as `claims:`. The label does not limit them:
            each rule is checked on every turn.
            To limit a rule, write `WHEN condition` behind it; to silence this note, use the label `always:`.
        """,
        wrong="""
            CONSTRAINTS:
              claims:
                - REQUIRE turn_count < 20
                  ON_FAIL: "Let us stop here."
        """,
        right="""
            CONSTRAINTS:
              always:
                - REQUIRE turn_count < 20
                  ON_FAIL: "Let us stop here."
        """,
    ),
    agent_rule(
        "W824",
        "error",
        "BEFORE that is not understood",
        message="BEFORE {value} is not supported, so this constraint is never checked. "
        "Write `BEFORE calling some_tool` or `BEFORE returning results`.",
        explanation="""
            BEFORE binds a constraint to a moment: before a certain tool is called, or before a reply is sent.
            The moment written here is not one of these, so the rule would be true always.
            Use `BEFORE calling NAME_OF_TOOL` or `BEFORE returning results`, or leave BEFORE out.
        """,
        wrong="""
            CONSTRAINTS:
              - REQUIRE turn_count < 20 BEFORE lunch
                ON_FAIL: "Let us stop here."
        """,
        right="""
            CONSTRAINTS:
              - REQUIRE turn_count < 20 BEFORE returning results
                ON_FAIL: "Let us stop here."
        """,
    ),
    agent_rule(
        "BEFORE_UNKNOWN_TOOL",
        "error",
        "BEFORE of a tool that is not there",
        message="No tool is called {name}, so this rule is never checked. [[Tools are {known}.]]",
        explanation="""
            `BEFORE calling x` binds a rule to the moment before the tool x is called. The agent has no such tool,
            so that the moment never comes and the rule guards nothing.
            Declare the tool under TOOLS, name another one, or leave BEFORE out so that the rule always counts.
        """,
        wrong="""
            TOOLS:
              find_parcel(code: string) -> object
                description: "Finds a parcel"
            CONSTRAINTS:
              - REQUIRE turn_count < 20 BEFORE calling the_manager
                ON_FAIL: "Let us stop here."
        """,
        right="""
            TOOLS:
              find_parcel(code: string) -> object
                description: "Finds a parcel"
            CONSTRAINTS:
              - REQUIRE turn_count < 20 BEFORE calling find_parcel
                ON_FAIL: "Let us stop here."
        """,
        also=("MISSING_PARAM_DESCRIPTION",),
    ),
    agent_rule(
        "GUARDRAIL_UNKNOWN_NAME",
        "error",
        "guardrail that reads what nothing fills",
        message="The guardrail reads {variable}, which nothing fills, so it would find nothing. "
        "{suggestion}[[{detail}. ]]The checked text is called input.",
        explanation="""
            The check of a guardrail reads the checked text as `input` (or `output`, `text`, `content`, `response`,
            `message`), and the variables of the agent. With `kind: tool_input` and `tool_output` it knows `tool_name`
            and `arguments` too, and `result` with `tool_output`; with `kind: handoff` it knows `target`.
            The name written here is none of these, and a check of nothing would let everything pass.
            At run time such a guardrail counts as violated.
        """,
        wrong="""
            GUARDRAILS:
              no_rivals:
                kind: input
                check: utterance CONTAINS "acme"
                action: block
        """,
        right="""
            GUARDRAILS:
              no_rivals:
                kind: input
                check: input CONTAINS "acme"
                action: block
        """,
    ),
    agent_rule(
        "INVALID_OPERATOR",
        "error",
        "operator that does not exist",
        message="{name} is not an operator. {suggestion}"
        "Use one of == != > < >= <= contains startsWith endsWith matches.",
        explanation="""
            A condition compares two values with an operator, and this one is not in the language.
            The constraint cannot be checked.
            Replace it by one of: == != > < >= <= contains startsWith endsWith matches.
        """,
        wrong="""
            CONSTRAINTS:
              - REQUIRE language =~ "^de"
                ON_FAIL: "I speak German only."
        """,
        right="""
            CONSTRAINTS:
              - REQUIRE language matches "^de"
                ON_FAIL: "I speak German only."
        """,
    ),
    agent_rule(
        "INVALID_GUARDRAIL_ACTION",
        "error",
        "unknown guardrail action",
        message="{value} is not an action of a guardrail. {suggestion}[[Actions are {known}.]]",
        explanation="""
            A guardrail says what is done when its check finds something.
            The action written here does not exist, so the finding would have no effect.
            Use block, warn, redact, fix, reask, filter or escalate.
        """,
        wrong="""
            GUARDRAILS:
              no_card_numbers:
                kind: input
                check: contains_pii(input)
                action: redcat
                message: "Card numbers are removed."
        """,
        right="""
            GUARDRAILS:
              no_card_numbers:
                kind: input
                check: contains_pii(input)
                action: redact
                message: "Card numbers are removed."
        """,
    ),
    agent_rule(
        "GUARDRAIL_ACTION_WARNING",
        "warning",
        "action that does not fit the stage",
        message="The action {value} has no effect on {name}[[, which checks {expected}]]. {suggestion}",
        explanation="""
            Some actions need a model answer to work on: reask asks the model again, fix and filter change its text.
            On what the user says (kind input) or on the arguments of a tool there is no such answer.
            Use block, warn, redact or escalate there, or change the kind to output.
        """,
        wrong="""
            GUARDRAILS:
              stay_polite:
                kind: input
                llm_check: "The text contains insults"
                action: reask
        """,
        right="""
            GUARDRAILS:
              stay_polite:
                kind: output
                llm_check: "The text contains insults"
                action: reask
        """,
    ),
)
