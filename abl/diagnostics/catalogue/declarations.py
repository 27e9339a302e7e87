"""Findings about declarations that cannot work: hooks, models, memory, handlers. Spec: abl-language 3.3 to 3.15."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

_TWO_AGENTS = """=== desk.agent.abl
AGENT: Desk
GOAL: "Help"
GATHER:
  zip_code:
    prompt: "Where to?"
DELEGATE:
  - AGENT: Prices
    WHEN: zip_code IS SET
    INPUT: {KEY: zip_code}
=== prices.agent.abl
AGENT: Prices
GOAL: "Tell the price of a parcel"
GATHER:
  postcode:
    prompt: "Which postcode?"
"""

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "UNKNOWN_HOOK",
        "warning",
        "hook that is never run",
        message="There is no hook {name}, so it is never run. {suggestion}[[Hooks are {known}.]]",
        explanation="""
            Hooks run around the agent and around each turn, and only under the four names that are known.
            What stands under another name is never run.
            Write before_agent, after_agent, before_turn or after_turn.
        """,
        wrong="""
            HOOKS:
              befor_turn:
                SET: attempts = 1
        """,
        right="""
            HOOKS:
              before_turn:
                SET: attempts = 1
        """,
    ),
    agent_rule(
        "UNKNOWN_MODEL_OPERATION",
        "warning",
        "model for an unknown operation",
        message="No operation is called {name}, so this model is never used. {suggestion}[[Operations are {known}.]]",
        explanation="""
            Under `models` a model can be chosen for each kind of work: extraction, reasoning and others.
            For a name that is no such kind the model is never used.
            Correct the spelling.
        """,
        wrong="""
            EXECUTION:
              models:
                extractoin: "tiny-local"
        """,
        right="""
            EXECUTION:
              models:
                extraction: "tiny-local"
        """,
    ),
    agent_rule(
        "UNKNOWN_MESSAGE",
        "warning",
        "text that is never said",
        message="No text of the platform is called {name}, and no MESSAGE_KEY names it, so it is never said. "
        "{suggestion}[[Texts are {known}.]]",
        explanation="""
            MESSAGES replaces what the platform says by itself, and holds texts that MESSAGE_KEY of a step names.
            This text is neither, so nobody ever reads it.
            Correct the spelling, or name it with MESSAGE_KEY.
        """,
        wrong="""
            MESSAGES:
              greting: "Hello from the parcel desk"
        """,
        right="""
            MESSAGES:
              greeting: "Hello from the parcel desk"
        """,
    ),
    agent_rule(
        "UNKNOWN_ERROR_ACTION",
        "error",
        "error handler that leads nowhere",
        message="{value} is neither a step nor what an error handler does next. {suggestion}"
        "Write a step, or one of {known}.",
        explanation="""
            After its answer an error handler tries the step again, goes back to a step, brings in a person, hands over,
            ends, or goes on. With another word behind THEN the flow would go on as if nothing had failed.
            Write one of the words of the message, or the name of a step.
        """,
        wrong="""
            FLOW:
              entry_point: ask
              ask:
                REASONING: false
                RESPOND: "Hello."
                THEN: COMPLETE
            ON_ERROR:
              tool_error:
                RESPOND: "Once more, please."
                THEN: asc
        """,
        right="""
            FLOW:
              entry_point: ask
              ask:
                REASONING: false
                RESPOND: "Hello."
                THEN: COMPLETE
            ON_ERROR:
              tool_error:
                RESPOND: "Once more, please."
                THEN: ask
        """,
    ),
    agent_rule(
        "UNKNOWN_MEMORY_PATH",
        "warning",
        "memory path that is not declared",
        message="The memory path {name} is not declared. {suggestion}",
        explanation="""
            Facts that outlive the session are declared under MEMORY: persistent.
            This path is not, but nearly one that is, so nothing would be loaded or lent.
            Correct the spelling, or declare the path.
        """,
        wrong="""
            MEMORY:
              persistent:
                - PATH: user.preferred_hub
              recall:
                - ON: session:start
                  ACTION: inject_context
                  PATHS: [user.prefered_hub]
        """,
        right="""
            MEMORY:
              persistent:
                - PATH: user.preferred_hub
              recall:
                - ON: session:start
                  ACTION: inject_context
                  PATHS: [user.preferred_hub]
        """,
    ),
    agent_rule(
        "UNKNOWN_ACTION_ID",
        "warning",
        "button that nothing handles",
        message="Nothing handles the action {name}. {suggestion}",
        explanation="""
            A button sends its id, and the handler of that id under ACTION_HANDLERS or ON_ACTION answers.
            No handler has this id, but one whose button is missing has nearly the same.
            Correct the spelling.
        """,
        wrong="""
            ON_START:
              RESPOND: "Hello."
                ACTIONS:
                  - BUTTON: "Open a claim" -> open-clam
            ACTION_HANDLERS:
              open-claim:
                RESPOND: "Opening a claim."
        """,
        right="""
            ON_START:
              RESPOND: "Hello."
                ACTIONS:
                  - BUTTON: "Open a claim" -> open-claim
            ACTION_HANDLERS:
              open-claim:
                RESPOND: "Opening a claim."
        """,
    ),
    agent_rule(
        "UNKNOWN_RETURN_HANDLER",
        "warning",
        "return handler that does not exist",
        message="RETURN_HANDLERS has no entry {name}. {suggestion}[[Entries are {known}.]]",
        explanation="""
            ON_RETURN names the handler that runs when the other agent comes back.
            No handler has this name, so nothing would happen.
            Correct the spelling, or add the handler to RETURN_HANDLERS.
        """,
        wrong="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: intent.category == "claim"
                RETURN: true
                ON_RETURN:
                  HANDLER: after_clam
            RETURN_HANDLERS:
              after_claim:
                RESPOND: "Your claim is open."
        """,
        right="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: intent.category == "claim"
                RETURN: true
                ON_RETURN:
                  HANDLER: after_claim
            RETURN_HANDLERS:
              after_claim:
                RESPOND: "Your claim is open."
        """,
    ),
    rule(
        "UNKNOWN_INPUT_FIELD",
        "warning",
        "value that the other agent does not know",
        message="{value} knows nothing called {name}. {suggestion}",
        explanation="""
            INPUT (and `set` of a handoff) gives values to another agent, under the names that it uses.
            It never mentions this name, but knows one that is nearly the same.
            Correct the spelling.
        """,
        wrong=_TWO_AGENTS.replace("KEY", "postcoed"),
        right=_TWO_AGENTS.replace("KEY", "postcode"),
        needs="a project",
    ),
    agent_rule(
        "GUARDRAIL_WITHOUT_CHECK",
        "error",
        "guardrail that looks at nothing",
        message="The guardrail {name} has neither check, llm_check nor provider: it never finds anything. Add one.",
        explanation="""
            A guardrail looks at a text by a condition (`check`), by a sentence that a model judges (`llm_check`),
            or by a classifier (`provider`).
            Without any of them it does nothing. Add one, or remove the guardrail.
        """,
        wrong="""
            GUARDRAILS:
              no_insults:
                kind: output
                action: block
        """,
        right="""
            GUARDRAILS:
              no_insults:
                kind: output
                llm_check: "The answer insults the user"
                action: block
        """,
    ),
    agent_rule(
        "GUARDRAIL_BY_DEFAULT",
        "warning",
        "guardrail that does less than it seems to",
        message="The guardrail {name} has no `{property}`, so it {detail}. Write `{property}:`.",
        explanation="""
            A guardrail without `kind` looks at what the agent says (`output`), one without `action` only warns.
            This one speaks of the user's text, or has a message for the user, so that more seems to be meant.
            Write `kind: input`, `output` or `both`, and `action: block` or another one.
        """,
        wrong="""
            GUARDRAILS:
              no_rivals:
                check: input CONTAINS "acme"
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
        "GUARDRAIL_CHECK_IS_SENTENCE",
        "warning",
        "check in words",
        message="The check of {name} is a sentence: a model judges every text by it, and where there is no model every "
        "text counts as a violation. Write `llm_check:` instead of `check:`, or a condition.",
        explanation="""
            A `check` is a condition that is computed: true means violation.
            A sentence cannot be computed, so a model judges it, as it does `llm_check`.
            Write `llm_check:` to say so, or a condition such as `abl.matches_pattern(input, "refund")`.
        """,
        wrong="""
            GUARDRAILS:
              no_insults:
                kind: output
                check: "The answer insults the user"
                action: block
        """,
        right="""
            GUARDRAILS:
              no_insults:
                kind: output
                llm_check: "The answer insults the user"
                action: block
        """,
    ),
    agent_rule(
        "BACKTRACK_WITHOUT_TARGET",
        "warning",
        "going back to nowhere",
        message="BACKTRACK needs a step to go back to[[ ({name})]]: add `BACKTRACK_TO: step`.",
        explanation="""
            After this error the flow shall go back, but the step is not named.
            Add a line `BACKTRACK_TO:` with the name of a step.
        """,
        wrong="""
            FLOW:
              entry_point: ask
              ask:
                REASONING: false
                RESPOND: "Hello."
                THEN: COMPLETE
            ON_ERROR:
              invalid_input:
                RESPOND: "Once more, please."
                THEN: BACKTRACK
        """,
        right="""
            FLOW:
              entry_point: ask
              ask:
                REASONING: false
                RESPOND: "Hello."
                THEN: COMPLETE
            ON_ERROR:
              invalid_input:
                RESPOND: "Once more, please."
                THEN: BACKTRACK
                BACKTRACK_TO: ask
        """,
    ),
    agent_rule(
        "INVALID_TTL",
        "warning",
        "lifetime that is no duration",
        message="{value} is no duration: write a number and a unit, e.g. 30d, 12h or 90s.",
        explanation="""
            TTL says how long a fact is kept, as a number with a unit: s, m, h, d or w.
            What stands here cannot be read as one, so the fact would be kept without an end.
        """,
        wrong="""
            GATHER:
              hub:
                prompt: "Which hub?"
            MEMORY:
              persistent:
                - PATH: user.hub
              remember:
                - WHEN: hub IS SET
                  STORE: hub -> user.hub
                  TTL: thirty days
        """,
        right="""
            GATHER:
              hub:
                prompt: "Which hub?"
            MEMORY:
              persistent:
                - PATH: user.hub
              remember:
                - WHEN: hub IS SET
                  STORE: hub -> user.hub
                  TTL: 30d
        """,
    ),
    agent_rule(
        "ENUM_WITHOUT_OPTIONS",
        "warning",
        "choice without options",
        message="The field {name} is an enum without options: add `options: [..]`.",
        explanation="""
            The answer has to be one of a list of values, and the list is missing.
            Nothing could be an answer, or anything.
            Add `options: [a, b]`, or name an entity that has the values with `entity_ref`.
        """,
        wrong="""
            GATHER:
              size:
                prompt: "Which size?"
                type: enum
        """,
        right="""
            GATHER:
              size:
                prompt: "Which size?"
                type: enum
                options: [small, large]
        """,
    ),
    agent_rule(
        "INVALID_RANGE",
        "error",
        "range without bounds",
        message="{value} is no range[[ (field {name})]]: write two bounds, e.g. 1..10, or one, e.g. >= 1. "
        "A bound that changes is `type: custom`, e.g. value >= TODAY().",
        explanation="""
            The check of type `range` compares the answer with a lower and an upper bound, or with one of them.
            They are numbers, dates (2026-05-01) or times of day (08:30). What stands here is none of it.
            No answer passes by a rule that cannot be read, so the agent is not compiled with it.
        """,
        wrong="""
            GATHER:
              weight:
                prompt: "How heavy is it?"
                type: number
                validate:
                  type: range
                  rule: "heavy"
        """,
        right="""
            GATHER:
              weight:
                prompt: "How heavy is it?"
                type: number
                validate:
                  type: range
                  rule: "1..30"
        """,
    ),
    agent_rule(
        "EMPTY_RANGE",
        "error",
        "range that no value lies in",
        message="No value lies in {value}[[ (field {name})]]: the first bound is above the second. Write {expected}.",
        explanation="""
            The check of type `range` lets pass what lies between its two bounds, the lower one first.
            Here the first is the higher one, so every answer would be refused.
            Exchange the bounds.
        """,
        wrong="""
            GATHER:
              weight:
                prompt: "How heavy is it?"
                type: number
                validate: "30-1"
        """,
        right="""
            GATHER:
              weight:
                prompt: "How heavy is it?"
                type: number
                validate: "1-30"
        """,
    ),
    agent_rule(
        "INVALID_FIELD_CHECK",
        "error",
        "check that cannot be used",
        message="The check of the field {name} cannot be used: {detail}.",
        explanation="""
            A check of a field has a type and a rule that the type can use: a pattern, a range, a list of values,
            a condition (`type: custom`), a sentence for the model (`type: llm`), or the name of a built-in check.
            What cannot be used would let every answer pass, or none. Mend the rule, or take the check out.
        """,
        wrong="""
            GATHER:
              weight:
                prompt: "How heavy is it?"
                type: number
                validate:
                  type: custom
                  rule: "weight << 10"
        """,
        right="""
            GATHER:
              weight:
                prompt: "How heavy is it?"
                type: number
                validate:
                  type: custom
                  rule: "weight < 10"
        """,
    ),
)
