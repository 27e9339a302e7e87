"""Findings about the steps of a FLOW and what stands in them. Spec: abl-language 5.1 to 5.5."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "PROPERTY_BEFORE_STEP",
        "warning",
        "property before the first step",
        message="{name} stands before the first step of the FLOW and was ignored. "
        "Write the name of a step above it, for example `greet:`.",
        explanation="""
            A FLOW consists of steps: a name with a colon, and its properties indented below.
            This property is not below any step, so nothing runs it.
            Write a step name above it.
        """,
        wrong="""
            FLOW:
              RESPOND: "Welcome."
              greet:
                REASONING: false
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              greet:
                REASONING: false
                RESPOND: "Welcome. The desk is open from nine to five."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "REASONING_MISSING",
        "warning",
        "step without REASONING",
        message="The step {step} must declare REASONING: write `REASONING: false`, or `REASONING: true` "
        "when a model leads it.",
        explanation="""
            A step is either fixed (REASONING: false) or led by a model (REASONING: true).
            Older versions took false when nothing was said; this was done here. With strict it is an error.
            Add the line as the first of the step.
        """,
        wrong="""
            FLOW:
              greet:
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              greet:
                REASONING: false
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
        strict="error",
    ),
    rule(
        "REASONING_WITHOUT_GOAL",
        "error",
        "reasoning step without a goal",
        message="The step {step} reasons but has no goal, and neither has the agent. Add `GOAL:` to the step.",
        explanation="""
            In a step with REASONING: true a model decides what to do, guided by the goal of the step or of the agent.
            With neither it has nothing to go by.
            Add a GOAL to the step, or to the agent.
        """,
        wrong="""
            AGENT: Parcel_Desk
            EXECUTION:
              model: "small-local"
            FLOW:
              advise:
                REASONING: true
                EXIT_WHEN: turn_count > 3
                THEN: COMPLETE
        """,
        right="""
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            EXECUTION:
              model: "small-local"
            FLOW:
              advise:
                REASONING: true
                GOAL: "Explain the options for a lost parcel"
                EXIT_WHEN: turn_count > 3
                THEN: COMPLETE
        """,
        also=("GOAL_REQUIRED",),
    ),
    agent_rule(
        "GOAL_IN_DETERMINISTIC_STEP",
        "warning",
        "goal in a fixed step",
        message="{name} has no effect in the step {step}, which has `REASONING: false`. "
        "Remove it, or write `REASONING: true`.",
        explanation="""
            GOAL and AVAILABLE_TOOLS guide a model. A step with REASONING: false asks no model,
            it only does what its lines say.
            Remove them, or let the step reason.
        """,
        wrong="""
            FLOW:
              greet:
                REASONING: false
                GOAL: "Be welcoming"
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              greet:
                REASONING: false
                RESPOND: "Welcome. The desk is open from nine to five."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "WITH_OUTSIDE_CALL",
        "warning",
        "WITH or AS outside its CALL",
        message="{name} must be nested under CALL: indent it deeper than the CALL line.",
        explanation="""
            WITH gives the arguments of a CALL and AS names its result, so both stand indented below the CALL.
            Beside it they were taken to mean the CALL of the step. With strict this is an error.
            Indent the line by two more spaces.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              look:
                REASONING: false
                CALL: list_hubs()
                AS: hubs
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              look:
                REASONING: false
                CALL: list_hubs()
                  AS: hubs
                THEN: COMPLETE
        """,
        strict="error",
    ),
    agent_rule(
        "INVALID_STEP_NAME",
        "warning",
        "step name with unusual characters",
        message="{name} is not a good name for a step: use letters, digits and `_`[[, for example {expected}]].",
        explanation="""
            Steps are the targets of THEN and GOTO, where a name ends at a space.
            A name with spaces or signs cannot be reached from everywhere.
            Use letters, digits and `_`, beginning with a letter.
        """,
        wrong="""
            FLOW:
              say-hello:
                REASONING: false
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              say_hello:
                REASONING: false
                RESPOND: "The desk is open from nine to five."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "INVALID_CALL",
        "error",
        "CALL that cannot be read",
        message="This CALL cannot be read[[ (`{value}`)]][[: {detail}]]. Write `CALL: tool(argument, …)`.",
        explanation="""
            A CALL is the name of a tool, then its arguments in parentheses, separated by commas.
            This one cannot be read, so the tool is not called.
            Close the parenthesis and the quotes, and put a comma between two arguments.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              look:
                REASONING: false
                CALL: list_hubs)
                  AS: hubs
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              look:
                REASONING: false
                CALL: list_hubs()
                  AS: hubs
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "INVALID_SET",
        "error",
        "SET that cannot be read",
        message="This SET cannot be read[[ (`{value}`)]][[: {detail}]].",
        explanation="""
            SET gives a variable a value: its name (points are allowed), one `=`, and an expression.
            This line cannot be read as that, so nothing is set.
            Write the name on the left and the value on the right of one `=`.
        """,
        wrong="""
            ON_START:
              SET: questions_asked
              RESPOND: "Which parcel are we looking for?"
        """,
        right="""
            ON_START:
              SET: questions_asked = 0
              RESPOND: "Which parcel are we looking for?"
        """,
    ),
    agent_rule(
        "INVALID_TRANSFORM",
        "error",
        "TRANSFORM that cannot be read",
        message="This TRANSFORM cannot be read[[ (`{value}`)]][[: {detail}]]. "
        "Write `TRANSFORM: list AS item INTO target`.",
        explanation="""
            TRANSFORM makes a new list of an old one: the old list, AS a name for one item, INTO the new list.
            One of these is missing, so nothing is made.
            Write all three, and FILTER, MAP, SORT_BY or LIMIT indented below.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              look -> pick
              look:
                REASONING: false
                CALL: list_hubs()
                  AS: hubs
                THEN: pick
              pick:
                REASONING: false
                TRANSFORM: hubs AS hub
                  LIMIT: 3
                RESPOND: "There are several hubs."
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              look -> pick
              look:
                REASONING: false
                CALL: list_hubs()
                  AS: hubs
                THEN: pick
              pick:
                REASONING: false
                TRANSFORM: hubs AS hub INTO first_hubs
                  LIMIT: 3
                RESPOND: "There are several hubs."
                THEN: COMPLETE
        """,
    ),
)
