"""Findings about session and persistent memory, remember and recall. Spec: abl-language 3.5, 8."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "DUPLICATE_MEMORY_NAME",
        "error",
        "memory declared twice",
        message="{name} is declared twice in MEMORY[[; the first is in line {line}]]. Remove one.",
        explanation="""
            A session variable or a persistent path has one declaration, with one type and one initial value.
            With two it is not clear which one holds.
            Delete one of them.
        """,
        wrong="""
            MEMORY:
              persistent:
                - user.preferred_hub
                - user.preferred_hub
        """,
        right="""
            MEMORY:
              persistent:
                - user.preferred_hub
        """,
    ),
    agent_rule(
        "REMEMBER_WITHOUT_STORE",
        "warning",
        "remember without STORE",
        message="This remember rule stores nothing: add `STORE: value -> user.path`.",
        explanation="""
            A rule of `remember` says when something is kept and what is kept where.
            Without STORE the condition is checked and nothing happens.
            Add a STORE line: what to keep, an arrow, and the path of the memory.
        """,
        wrong="""
            MEMORY:
              persistent:
                - user.last_language
              remember:
                - WHEN: turn_count > 3
                  TTL: "30d"
        """,
        right="""
            MEMORY:
              persistent:
                - user.last_language
              remember:
                - WHEN: turn_count > 3
                  STORE: language -> user.last_language
                  TTL: "30d"
        """,
    ),
    agent_rule(
        "RECALL_WITHOUT_EVENT",
        "warning",
        "recall without an event",
        message="This recall rule never runs: add `ON:` with an event such as session:start.",
        explanation="""
            A rule of `recall` runs at an event, named by ON.
            Without it the rule never runs.
            Begin the item with `- ON: session:start` or another event.
        """,
        wrong="""
            MEMORY:
              persistent:
                - user.preferred_hub
              recall:
                - ACTION: inject_context
                  PATHS: [user.preferred_hub]
        """,
        right="""
            MEMORY:
              persistent:
                - user.preferred_hub
              recall:
                - ON: session:start
                  ACTION: inject_context
                  PATHS: [user.preferred_hub]
        """,
    ),
    agent_rule(
        "W801",
        "warning",
        "session variable that nothing fills",
        message="The session variable {name} is declared, but nothing ever sets it. {suggestion}"
        "Set it, or give it an INITIAL.",
        explanation="""
            The variable has no INITIAL, and no SET, GATHER, CALL … AS or handoff gives it a value.
            Every condition that reads it sees null.
            Set it somewhere, give it an INITIAL, or remove it.
        """,
        wrong="""
            MEMORY:
              session:
                - parcel_status
        """,
        right="""
            MEMORY:
              session:
                - NAME: parcel_status
                  INITIAL: "unknown"
        """,
    ),
    agent_rule(
        "UNKNOWN_RECALL_TOOL",
        "warning",
        "recall after an unknown tool",
        message="The recall event {value} names the tool {name}, which is not declared. {suggestion}",
        explanation="""
            The rule runs after a tool that the agent does not have, so it never runs.
            Correct the spelling, declare the tool, or write `tool:*:after` for all tools.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            MEMORY:
              recall:
                - ON: tool:list_hbus:after
                  INSTRUCTION: "Mention the preferred hub"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            MEMORY:
              recall:
                - ON: tool:list_hubs:after
                  INSTRUCTION: "Mention the preferred hub"
        """,
    ),
    agent_rule(
        "UNKNOWN_RECALL_AGENT",
        "warning",
        "recall at an unknown agent",
        message="The recall event {value} names the agent {name}, which is not known. {suggestion}",
        explanation="""
            The rule runs before or after an agent that this one does not work with, so it never runs.
            Correct the spelling, or write `agent:*:before` for all agents.
        """,
        wrong="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
            MEMORY:
              recall:
                - ON: agent:Claim_Desk:after
                  INSTRUCTION: "Ask whether the claim went well"
        """,
        right="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
            MEMORY:
              recall:
                - ON: agent:Claims_Desk:after
                  INSTRUCTION: "Ask whether the claim went well"
        """,
    ),
    agent_rule(
        "UNKNOWN_RECALL_EVENT",
        "warning",
        "unknown recall event",
        message="{value} is not an event. {suggestion}[[Events are {known}.]]",
        explanation="""
            A recall rule runs at an event of the session, of an agent, a tool, a field or a step.
            This one does not exist, so the rule never runs.
            Events: session:start, session:end, agent:NAME:before, agent:NAME:after, tool:NAME:after,
            entity:FIELD:extracted, step:enter:STEP, step:exit:STEP.
        """,
        wrong="""
            MEMORY:
              recall:
                - ON: session:begin
                  INSTRUCTION: "Mention the preferred hub"
        """,
        right="""
            MEMORY:
              recall:
                - ON: session:start
                  INSTRUCTION: "Mention the preferred hub"
        """,
    ),
    agent_rule(
        "LEGACY_RECALL_EVENT_ALIAS",
        "warning",
        "old name of a recall event",
        message="{value} is the old name of an event[[: write {expected}]].",
        explanation="""
            Events were renamed; this is the old spelling.
            It was read as the new one. With strict it is an error.
            Write the new name.
        """,
        wrong="""
            MEMORY:
              recall:
                - ON: session_start
                  INSTRUCTION: "Mention the preferred hub"
        """,
        right="""
            MEMORY:
              recall:
                - ON: session:start
                  INSTRUCTION: "Mention the preferred hub"
        """,
        strict="error",
    ),
    agent_rule(
        "BLOCKED_RECALL_TOOL_BEFORE_EVENT",
        "error",
        "recall before a tool",
        message="{value} is not possible: recall runs only after a tool.[[ Write {expected}.]]",
        explanation="""
            What is recalled goes into the next request to the model. Before a tool runs there is no such request.
            The rule would never have an effect.
            Use `tool:NAME:after`, or load the values at session:start.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            MEMORY:
              recall:
                - ON: tool:list_hubs:before
                  INSTRUCTION: "Mention the preferred hub"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            MEMORY:
              recall:
                - ON: tool:list_hubs:after
                  INSTRUCTION: "Mention the preferred hub"
        """,
    ),
    agent_rule(
        "RESERVED_VARIABLE_NAME",
        "warning",
        "reserved variable name",
        message="{name} is a name of the engine and cannot be set. Choose another name.",
        explanation="""
            Names that begin with `_`, and names such as input, intent, channel or turn_count, are set by the engine.
            Your value would be overwritten, or would confuse the engine.
            Choose another name, without the underscore.
        """,
        wrong="""
            ON_START:
              SET: turn_count = 0
              RESPOND: "Which parcel are we looking for?"
        """,
        right="""
            ON_START:
              SET: questions_asked = 0
              RESPOND: "Which parcel are we looking for?"
        """,
    ),
)
