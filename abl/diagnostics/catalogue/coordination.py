"""Findings about how HANDOFF, DELEGATE and RETURN_HANDLERS are written. Spec: abl-language 3.8."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "INVALID_DELEGATE_ENTRY",
        "warning",
        "DELEGATE item that cannot be read",
        message="Invalid DELEGATE entry[[: {value}]][[ ({detail})]]. Begin it with `- AGENT: Name`.",
        explanation="""
            Each item of DELEGATE begins with the agent that is asked.
            This one does not, so it was left out and the agent is never asked.
            Begin the item with `- AGENT:` and the name.
        """,
        wrong="""
            DELEGATE:
              - WHEN: input CONTAINS "euro"
                PURPOSE: "Convert the amount to euros"
        """,
        right="""
            DELEGATE:
              - AGENT: Rate_Checker
                WHEN: input CONTAINS "euro"
                PURPOSE: "Convert the amount to euros"
        """,
    ),
    agent_rule(
        "INVALID_HANDOFF_ENTRY",
        "warning",
        "HANDOFF item that cannot be read",
        message="Invalid HANDOFF entry[[: {value}]][[ ({detail})]]. Begin it with `- TO: Name`.",
        explanation="""
            Each item of HANDOFF begins with the agent that takes over.
            This one does not, so it was left out and the agent never gets the conversation.
            Begin the item with `- TO:` and the name.
        """,
        wrong="""
            HANDOFF:
              - WHEN: input CONTAINS "claim"
        """,
        right="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
        """,
    ),
    agent_rule(
        "GRANT_MEMORY_RENAMED",
        "error",
        "grant_memory",
        message="grant_memory was renamed: write memory_grants, a list of `- path: …` with `access: read`.",
        explanation="""
            The list of memory paths that the other agent may see is now called memory_grants.
            The old name is refused: it did not say whether reading or writing was meant.
            Rename it, and give each path an access of read or readwrite.
        """,
        wrong="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
                CONTEXT:
                  grant_memory: [user.preferred_hub]
        """,
        right="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
                CONTEXT:
                  memory_grants:
                    - path: user.preferred_hub
                      access: read
        """,
    ),
    agent_rule(
        "INVALID_HISTORY",
        "error",
        "history mode that does not exist",
        message="{value} is not a history mode[[: {detail}]]. {suggestion}Use auto, none, summary_only, full or last_N "
        "(for example last_4).",
        explanation="""
            `history` says how much of the conversation the other agent sees.
            The mode written here does not exist; as a block, `mode: last_n` needs a `count`.
            Use auto, none, summary_only, full, or last_ with a number.
        """,
        wrong="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
                CONTEXT:
                  history: everything
        """,
        right="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
                CONTEXT:
                  history: full
        """,
    ),
    agent_rule(
        "MISPLACED_ON_RETURN",
        "warning",
        "part of ON_RETURN beside it",
        message="{name} belongs inside ON_RETURN: indent it below `ON_RETURN:`.",
        explanation="""
            MAP, ACTION and HANDLER say what is done when the other agent returns, so they stand below ON_RETURN.
            Beside it they were read as if they stood there. With strict this is an error.
            Write `ON_RETURN:` and indent them below it.
        """,
        wrong="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
                RETURN: true
                MAP: {claim_id: open_claim_id}
        """,
        right="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
                RETURN: true
                ON_RETURN:
                  MAP: {claim_id: open_claim_id}
        """,
        strict="error",
    ),
    agent_rule(
        "DUPLICATE_RETURN_HANDLER",
        "error",
        "two return handlers of one name",
        message="There are two return handlers named {name}[[; the first is in line {line}]]. Rename one.",
        explanation="""
            ON_RETURN finds a handler by its name, so each name may be used once.
            Rename one of them, or join the two.
        """,
        wrong="""
            RETURN_HANDLERS:
              after_claim:
                RESPOND: "Back with you."
              after_claim:
                CONTINUE: true
        """,
        right="""
            RETURN_HANDLERS:
              after_claim:
                RESPOND: "Back with you."
                CONTINUE: true
        """,
    ),
    agent_rule(
        "CEL_IN_INPUT_MAPPING",
        "warning",
        "operators in an INPUT map",
        message="The INPUT {name} is written with CEL operators[[: {value}]]. "
        "Write AND, OR, NOT, or SET a variable first.",
        explanation="""
            INPUT gives values to the other agent. Operators such as && and || are read by some versions
            of the language and passed on as plain text by others.
            Write AND, OR and NOT, or compute the value with SET and pass the variable.
        """,
        wrong="""
            DELEGATE:
              - AGENT: Rate_Checker
                WHEN: input CONTAINS "euro"
                INPUT: {urgent: turn_count > 3 && language == "de"}
        """,
        right="""
            DELEGATE:
              - AGENT: Rate_Checker
                WHEN: input CONTAINS "euro"
                INPUT: {urgent: turn_count > 3 AND language == "de"}
        """,
    ),
    agent_rule(
        "MIXED_ROUTING_CONDITION_STATE",
        "warning",
        "intent and state in one OR",
        message="This condition mixes intent and state in one OR[[: {value}]]. Write two entries.",
        explanation="""
            The intent is known only after the classifier has run; state is known before.
            Joined by OR, the rule may fire before the intent is known, or be tried twice.
            Write one entry for the intent and one for the state.
        """,
        wrong="""
            INTENTS:
              claim: "Wants money for a lost parcel"
            HANDOFF:
              - TO: Claims_Desk
                WHEN: intent.category == "claim" OR turn_count > 5
        """,
        right="""
            INTENTS:
              claim: "Wants money for a lost parcel"
            HANDOFF:
              - TO: Claims_Desk
                WHEN: intent.category == "claim"
              - TO: Claims_Desk
                WHEN: turn_count > 5
        """,
    ),
)
