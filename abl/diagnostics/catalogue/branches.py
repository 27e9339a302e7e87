"""Findings about the branches of a step. Spec: abl-language 5.5."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "BRANCH_WITHOUT_THEN",
        "warning",
        "branch without THEN",
        message="This branch[[ of {step}]] has no THEN: the flow stays at the step. Add `THEN: step` to move on.",
        explanation="""
            A branch of ON_INPUT or ON_RESULT says with THEN where the flow goes next.
            Without it the flow stays where it is and waits. Other versions of the language drop the branch.
            Add a THEN; write the name of this step when staying is meant.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - IF: input CONTAINS "yes"
                    RESPOND: "Please go on."
                  - ELSE:
                    THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - IF: input CONTAINS "yes"
                    RESPOND: "Please go on."
                    THEN: ask
                  - ELSE:
                    THEN: COMPLETE
        """,
    ),
    agent_rule(
        "BRANCH_WITHOUT_CONDITION",
        "warning",
        "branch without IF or ELSE",
        message="A branch[[ of {property}]] has no condition: begin it with `- IF: condition` or `- ELSE:`.",
        explanation="""
            Each branch of ON_INPUT, ON_RESULT or ON_SUCCESS begins with a condition, or with ELSE.
            Without one it cannot be told when the branch is meant.
            Write `- IF: condition` above its lines, or `- ELSE:`.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - RESPOND: "Goodbye."
                    THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - ELSE:
                    RESPOND: "Goodbye."
                    THEN: COMPLETE
        """,
    ),
    agent_rule(
        "BRANCHES_WITHOUT_KEY",
        "warning",
        "IF and ELSE that stand right in a step",
        message="Branches stand under a key: this is read as part of {property}.",
        explanation="""
            IF and ELSE are branches of ON_INPUT, which waits for the user, or of ON_RESULT, which follows a call.
            These stand right in the step: after a CALL they are read as ON_RESULT, else as ON_INPUT.
            Write the key above them, so that everybody sees when they are tried.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                - IF: input CONTAINS "yes"
                  THEN: ask
                - ELSE:
                  THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - IF: input CONTAINS "yes"
                    THEN: ask
                  - ELSE:
                    THEN: COMPLETE
        """,
    ),
    agent_rule(
        "UNREACHABLE_BRANCH",
        "warning",
        "branch after ELSE",
        message="This branch is never reached: the branch before it[[ in line {line}]] always matches.",
        explanation="""
            Branches are tried from the top, and the first that matches is taken. ELSE always matches,
            so what stands below it never runs.
            Move ELSE to the end.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - ELSE:
                    THEN: COMPLETE
                  - IF: input CONTAINS "yes"
                    THEN: ask
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - IF: input CONTAINS "yes"
                    THEN: ask
                  - ELSE:
                    THEN: COMPLETE
        """,
    ),
)
