"""Findings about how the steps of a FLOW hang together. Spec: abl-language 5.1, 13.1."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "MISSING_ENTRY_POINT",
        "error",
        "entry point that is no step",
        message="The entry point {name} is not a step of the FLOW. {suggestion}[[Steps are {known}.]]",
        explanation="""
            `entry_point` names the step the flow begins with. There is no such step, so the flow cannot begin.
            Correct the spelling, or add the step.
        """,
        wrong="""
            FLOW:
              entry_point: great
              greet:
                REASONING: false
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "DANGLING_STEP_REF",
        "error",
        "way to a step that does not exist",
        message="There is no step {name}[[, to which {property} of {step} leads]]. {suggestion}[[Steps are {known}.]]",
        explanation="""
            THEN, GOTO and their like name the step that comes next. There is no step of this name,
            so the conversation would stop here.
            Correct the spelling, add the step, or write COMPLETE or ESCALATE.
        """,
        wrong="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: finish
        """,
        right="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "ORPHANED_STEP",
        "warning",
        "step that is never reached",
        message="The step {step} is never reached from the entry point. Lead to it with THEN, or remove it.",
        explanation="""
            No THEN, GOTO, branch or digression leads to this step, so it never runs.
            Often another step names it with a slip of the pen, or an older way was removed.
            Lead to it from somewhere, or delete it.
        """,
        wrong="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: COMPLETE
              goodbye:
                REASONING: false
                RESPOND: "Goodbye."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: goodbye
              goodbye:
                REASONING: false
                RESPOND: "Goodbye."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "ENDLESS_STEPS",
        "error",
        "steps that run in circles",
        message="The step {step} leads back to itself without asking anything ({detail}): let a step of the circle "
        "ask (ON_INPUT, or GATHER after CLEAR), or lead out of it.",
        explanation="""
            Within a turn the flow goes from step to step until one asks, waits or completes.
            Here none does: the steps follow each other again and again, until the limit of steps ends the turn.
            A GATHER whose values are known asks nothing: CLEAR them before you lead back to it.
            To wait for the next message write ON_INPUT; to end write `THEN: COMPLETE`.
        """,
        wrong="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "How can I help?"
                THEN: greet
        """,
        right="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "How can I help?"
                ON_INPUT:
                  - IF: input CONTAINS "nothing"
                    THEN: COMPLETE
                  - ELSE:
                    RESPOND: "I have noted that."
                    THEN: greet
        """,
    ),
    agent_rule(
        "REPEATED_CALL",
        "warning",
        "call that is made again at once",
        message="The step {step} calls {name} again at once with the same arguments ({detail}), up to the limit of "
        "steps in one turn: ask or wait on the way (ON_INPUT), count with MAX_ATTEMPTS, or use ON_ERROR with RETRY.",
        explanation="""
            What comes of the call leads back to its step, and nothing on the way asks, waits or changes an argument.
            So the same call is made many times within a second, until it comes out otherwise or the turn ends.
            For a service that may be down for a moment ON_ERROR with RETRY waits between its tries.
        """,
        wrong="""
            TOOLS:
              find_parcel() -> object
                description: "Finds the parcel"
            FLOW:
              entry_point: find
              find:
                REASONING: false
                CALL: find_parcel()
                ON_FAILURE:
                  THEN: find
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              find_parcel() -> object
                description: "Finds the parcel"
            FLOW:
              entry_point: find
              find:
                REASONING: false
                MAX_ATTEMPTS: 3
                ON_EXHAUSTED: COMPLETE
                CALL: find_parcel()
                ON_FAILURE:
                  THEN: find
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "DUPLICATE_STEP_NAME",
        "error",
        "two steps of one name",
        message="There are two steps named {name}[[; the first is in line {line}]]. Rename one.",
        explanation="""
            THEN and GOTO find a step by its name. With two of the same name one of them is never reached.
            Rename one, or join them.
        """,
        wrong="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: COMPLETE
              greet:
                REASONING: false
                RESPOND: "Goodbye."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: goodbye
              goodbye:
                REASONING: false
                RESPOND: "Goodbye."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "EMPTY_FLOW",
        "warning",
        "FLOW without steps",
        message="The FLOW has no steps: add one, or remove FLOW.",
        explanation="""
            FLOW: is there, but no step could be found in it. Steps are names with a colon,
            with their properties indented below.
            An agent without FLOW is led by the model; with an empty FLOW it does nothing at all.
        """,
        wrong="""
            FLOW:
              # greet:
              #   RESPOND: "Welcome."
        """,
        right="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: COMPLETE
        """,
        also=("EMPTY_SECTION",),
    ),
    agent_rule(
        "FLOW_STEP_NO_ACTION",
        "warning",
        "step with nothing to do",
        message="The step {step} has nothing to do: add RESPOND, GATHER, CALL, SET or another action.",
        explanation="""
            The step says nothing, asks nothing, calls nothing and sets nothing; it only passes on.
            Perhaps its lines were not indented, or are commented out.
            Add an action, or let the steps before it go straight to the next one.
        """,
        wrong="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: pause
              pause:
                REASONING: false
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              entry_point: greet
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "REASONING_ZONE_NO_MODEL",
        "warning",
        "reasoning step without a model",
        message="The step {step} reasons, but no model is set. Add `EXECUTION:` with `model:`, "
        "or rely on the default of the deployment.",
        explanation="""
            A step with REASONING: true asks a model, and this agent names none.
            The default of the deployment is used; where there is none, the step fails.
            Write `EXECUTION:` and `model:` below it.
        """,
        wrong="""
            FLOW:
              advise:
                REASONING: true
                GOAL: "Explain the options for a lost parcel"
                EXIT_WHEN: turn_count > 3
                THEN: COMPLETE
        """,
        right="""
            EXECUTION:
              model: "small-local"
            FLOW:
              advise:
                REASONING: true
                GOAL: "Explain the options for a lost parcel"
                EXIT_WHEN: turn_count > 3
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "LANGUAGE_WITHOUT_PACK",
        "warning",
        "language without words and sentences",
        message="LANGUAGE: {value} has no language pack, so built-in sentences are said in English. There are {known}; "
        "another one is a file languages/{name}.yaml of the project.",
        explanation="""
            LANGUAGE decides in which language built-in sentences are said, and how answers, numbers and dates are read.
            Nobody has described this language, so English is used.
            Write the tag of a language there is, or describe the language in `languages/<tag>.yaml` beside the agents.
        """,
        wrong="""
            LANGUAGE: xx
        """,
        right="""
            LANGUAGE: de
        """,
    ),
    rule(
        "SUPERVISOR_NO_REASONING_STEP",
        "error",
        "supervisor whose flow never reasons",
        message="The FLOW of the supervisor [[{agent} ]]has no reasoning step: set `REASONING: true` in one of them.",
        explanation="""
            A supervisor chooses the agent for each request, and a model does the choosing.
            Its FLOW has only fixed steps, so nothing ever chooses.
            Let one step reason, or remove the FLOW.
        """,
        wrong="""
            SUPERVISOR: Front_Desk
            GOAL: "Find the right agent"
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
            FLOW:
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: COMPLETE
        """,
        right="""
            SUPERVISOR: Front_Desk
            GOAL: "Find the right agent"
            EXECUTION:
              model: "small-local"
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
            FLOW:
              greet -> route
              greet:
                REASONING: false
                RESPOND: "Welcome."
                THEN: route
              route:
                REASONING: true
                GOAL: "Find out what the caller wants"
                EXIT_WHEN: turn_count > 5
                THEN: COMPLETE
        """,
    ),
    rule(
        "E727",
        "error",
        "compilation that took too long",
        message="Compiling took too long[[: {detail}]]. Split the project, or raise timeout_ms.",
        explanation="""
            A compilation has a time limit, so that one project cannot hold up a server. It was reached.
            What was compiled by then is not used.
            Raise the option `timeout_ms`, or split very large agents.
        """,
        wrong="",
        right="",
        example_note="There is no example in the language: the time limit is the option timeout_ms of the compiler.",
    ),
)
