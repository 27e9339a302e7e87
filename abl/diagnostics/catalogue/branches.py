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
        "UNKNOWN_BRANCH",
        "error",
        "branch that begins with an unknown word",
        message="{name} begins no branch, so it would be taken whatever was said. Write `- IF: condition`, "
        "`- ELSE IF: condition` or `- ELSE:`.",
        explanation="""
            A branch is tried by its condition, and a branch without one is always taken. This one begins with a word
            that says no condition here, as CASE or a mere answer does.
            Write the condition out: `- IF: input == "yes"`. The branch for all the rest is `- ELSE:`.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - CASE: "no"
                    THEN: COMPLETE
                  - ELSE:
                    THEN: ask
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Anything else?"
                ON_INPUT:
                  - IF: input == "no"
                    THEN: COMPLETE
                  - ELSE:
                    THEN: ask
        """,
        also=("UNKNOWN_PROPERTY", "UNREACHABLE_BRANCH"),
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
        "branch after one that always matches",
        message="This branch is never reached: the branch before it[[ in line {line}]] always matches.",
        explanation="""
            Branches are tried from the top, and the first that matches is taken. ELSE and a branch
            without a condition always match, so what stands below them never runs.
            Give the branch its condition, or move it to the end.
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
    agent_rule(
        "CLEARED_BEFORE_IT_IS_READ",
        "warning",
        "CLEAR before what reads the variable",
        message="{name} is cleared before {property} reads it, so it is empty there"
        "[[: a {section} clears before it calls and answers]]. "
        "Write CLEAR below it in a branch or handler, or in a step after this one.",
        explanation="""
            A CLEAR that stands above an answer or a call is done before it, and a step clears before all else it does.
            The answer shows nothing for a variable that was cleared before it, and a call gets no value.
            In a branch, outcome or handler write CLEAR below the answer and the call: it is done last then.
            In a step clear the variable in its branches, or in the step that comes next.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Which number has the parcel?"
                ON_INPUT:
                  - IF: input == ""
                    CLEAR: parcel
                    RESPOND: "There is no parcel {{parcel}}."
                    THEN: ask
                  - ELSE:
                    SET: parcel = input
                    THEN: ask
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Which number has the parcel?"
                ON_INPUT:
                  - IF: input == ""
                    RESPOND: "There is no parcel {{parcel}}."
                    CLEAR: parcel
                    THEN: ask
                  - ELSE:
                    SET: parcel = input
                    THEN: ask
        """,
    ),
    agent_rule(
        "CLEARED_AFTER_SET",
        "warning",
        "CLEAR takes what SET has set",
        message="{name} has no value after this block: SET is done before CLEAR, though it stands below it. "
        "Leave {name} out of CLEAR.",
        explanation="""
            A block sets first and clears afterwards, also where SET is written below CLEAR.
            A variable that stands in both has no value when the block is done, and the SET was for nothing.
            SET alone gives it the new value: leave it out of CLEAR.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Parcels so far: {{parcels}}. Another one?"
                ON_INPUT:
                  - ELSE:
                    CLEAR: parcels
                    SET: parcels = 0
                    THEN: ask
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                RESPOND: "Parcels so far: {{parcels}}. Another one?"
                ON_INPUT:
                  - ELSE:
                    SET: parcels = 0
                    THEN: ask
        """,
    ),
    agent_rule(
        "SET_BEFORE_IT_IS_READ",
        "warning",
        "SET below what reads the variable",
        message="{property} reads {name} after this SET, which is done first though it stands below. "
        "Write SET above {property}; where the old value is meant, keep it in another variable.",
        explanation="""
            A block sets before it calls and answers, also where SET is written below them.
            An answer or a call above it reads the new value, and not the one that its place in the text suggests.
            Write SET above: that says what happens. To read the old value, keep it in a variable of its own first.
        """,
        wrong="""
            FLOW:
              ask:
                REASONING: false
                SET: parcels = 0
                RESPOND: "Another parcel?"
                ON_INPUT:
                  - ELSE:
                    RESPOND: "Parcels: {{parcels}}."
                    SET: parcels = parcels + 1
                    THEN: COMPLETE
        """,
        right="""
            FLOW:
              ask:
                REASONING: false
                SET: parcels = 0
                RESPOND: "Another parcel?"
                ON_INPUT:
                  - ELSE:
                    SET: parcels = parcels + 1
                    RESPOND: "Parcels: {{parcels}}."
                    THEN: COMPLETE
        """,
    ),
)
