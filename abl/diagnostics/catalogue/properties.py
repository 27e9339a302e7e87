"""Findings about properties, their values and their place. Spec: abl-language 1.2, 1.4, 3."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "UNKNOWN_PROPERTY",
        "warning",
        "unknown property",
        message="{name} is not a known property[[ of {section}]]; it is kept but has no effect. "
        "{suggestion}[[Known are {known}.]]",
        explanation="""
            The language does not know this property here. It is kept in the document, so that nothing is lost,
            but nothing acts on it.
            Look for its name in the list of the section, or make it a comment.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                maintained_by_team: "Logistics"
        """,
        right="""
            TOOLS:
              # maintained by the logistics team
              list_hubs() -> object
                description: "Lists all hubs"
        """,
    ),
    agent_rule(
        "MISSPELT_PROPERTY",
        "warning",
        "misspelt property",
        message="{name} is not a known property[[ of {section}]]. {suggestion}[[Known are {known}.]]",
        explanation="""
            The name is nearly that of a known property, so it is probably a slip of the pen.
            As written it has no effect.
            Correct the spelling.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                paralelizable: true
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                parallelizable: true
        """,
    ),
    agent_rule(
        "WITHOUT_EFFECT",
        "warning",
        "property that nothing acts on",
        message="{name} is read, but changes nothing of what the agent does: {detail}.",
        explanation="""
            The language has the property, and this runtime does nothing with it.
            Leave it out, or say what you want as the message tells.
        """,
        wrong="""
            NLU:
              default_language: de
        """,
        right="""
            LANGUAGE: de
        """,
    ),
    agent_rule(
        "ACTION_LOST",
        "error",
        "action that would never be done",
        message="{name} [[is given twice in one block, first in line {line}: one of them would be lost]]"
        "[[is nothing that {section} can do: it would be lost]]. "
        "Write two conditions or lists as one, and actions as a DO list of the step (DO_AFTER for what comes after its "
        "CALL), or lead to a step of its own.",
        explanation="""
            A block does each of its actions once: of two CALL lines, two answers or two conditions the last one counts.
            DO takes a list of actions and does them in their order, CHECK with ON_FAIL among them; DO_AFTER does so
            after the CALL. A CHECK or a second condition inside of a branch is a step of its own, to which the branch
            leads, or a part of its IF.
        """,
        wrong="""
            FLOW:
              entry_point: track
              track:
                REASONING: false
                RESPOND: "One moment."
                RESPOND: "It is on its way."
                THEN: COMPLETE
        """,
        right="""
            FLOW:
              entry_point: track
              track:
                REASONING: false
                DO:
                  - RESPOND: "One moment."
                  - RESPOND: "It is on its way."
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "DUPLICATE_PROPERTY",
        "warning",
        "property written twice",
        message="{name} is given twice[[; the first is in line {line}]]. Keep one of them.",
        explanation="""
            A property has one value. Written twice, it is not clear which one is meant.
            Delete the one that is out of date.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                description: "Lists the hubs of a country"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists the hubs of a country"
        """,
    ),
    agent_rule(
        "PROPERTY_MISSING_COLON",
        "warning",
        "property without a colon",
        message="{name} needs a colon: write `{name}: …`.",
        explanation="""
            A property is its name, a colon and its value. The line begins with a name that is known here, so it was
            read as if the colon stood there. Put a colon after the name.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description "Lists all hubs"
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
        """,
    ),
    agent_rule(
        "EXPECTED_PROPERTY",
        "error",
        "line that is no property",
        message="A property is expected here: `name: value`[[, not {value}]].",
        explanation="""
            A property is its name, a colon and its value. This line has no colon, and begins with no name that is
            known here, so nothing acts on it. Write what it belongs to before it, or make it a comment.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                only those that are open
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                # only those that are open
        """,
    ),
    agent_rule(
        "MISPLACED_INDENT",
        "warning",
        "indent that fits no block",
        message="The indent of this line[[ ({name})]] fits no block around it[[: {expected} columns were expected]]. "
        "Align it with its neighbours.",
        explanation="""
            Lines that belong together have the same indent. This one stands at another level.
            It was read as part of the block it comes nearest to, which may not be the one you meant.
            Align it with the lines it belongs to; `abl fmt` does it for the whole file.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                  parallelizable: true
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                parallelizable: true
        """,
    ),
    agent_rule(
        "UNEXPECTED_NESTING",
        "warning",
        "lines below a value that takes none",
        message="{property} takes a value on its line, but has lines below it. Move them up a level, or remove them.",
        explanation="""
            The lines below are indented deeper than a property that has its value already.
            They have no meaning there and were ignored.
            Make them part of the value, give them the indent of the property above, or delete them.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                  sorted by city
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs, sorted by city"
        """,
    ),
    agent_rule(
        "EXPECTED_LIST_ITEM",
        "warning",
        "line that is no list item",
        message="Begin this line with `- `[[, as {property} is a list]].",
        explanation="""
            The section is a list, and each of its items starts with a dash and a space.
            A line without a dash is part of no item.
            Put `- ` before it.
        """,
        wrong="""
            LIMITATIONS:
              Cannot open customs cases
        """,
        right="""
            LIMITATIONS:
              - Cannot open customs cases
        """,
    ),
    agent_rule(
        "EXPECTED_BOOLEAN",
        "warning",
        "value that is not true or false",
        message="{property} must be true or false, not {value}. {suggestion}",
        explanation="""
            This property is a switch: true or false (yes and no are read too).
            The value is something else, so the default is used.
            Write true or false.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                parallelizable: sometimes
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                parallelizable: true
        """,
    ),
    agent_rule(
        "EXPECTED_NUMBER",
        "warning",
        "value that is not a number",
        message="{property} must be a number, not {value}.",
        explanation="""
            This property takes a number such as 3 or 0.25.
            The value is something else, so the default is used.
            Write digits, with a point before decimals and without a unit.
        """,
        wrong="""
            EXECUTION:
              temperature: low
        """,
        right="""
            EXECUTION:
              temperature: 0.2
        """,
    ),
    agent_rule(
        "EXPECTED_INTEGER",
        "warning",
        "value that is not a whole number",
        message="{property} must be a whole number, not {value}.",
        explanation="""
            This property counts something, so it takes a whole number.
            The value is something else, so the default is used.
            Write digits only.
        """,
        wrong="""
            EXECUTION:
              max_reasoning_iterations: many
        """,
        right="""
            EXECUTION:
              max_reasoning_iterations: 6
        """,
    ),
    agent_rule(
        "EXPECTED_DURATION",
        "warning",
        "value that is not a duration",
        message="{property} must be a duration, not {value}: write a number, or a number with ms, s, m, h or d.",
        explanation="""
            A duration is a bare number in the unit of the property, or a number with a unit: 500ms, 20s, 5m, 2h, 30d.
            The value is something else, so the default is used.
        """,
        wrong="""
            EXECUTION:
              tool_timeout: a while
        """,
        right="""
            EXECUTION:
              tool_timeout: 15s
        """,
    ),
    agent_rule(
        "EXPECTED_LIST",
        "warning",
        "value that is not a list",
        message="{property} must be a list[[, not {value}]]: write `[a, b]`, or one `- item` per line.",
        explanation="""
            This property takes several values: `[a, b]` on the line, or one line with a dash for each.
            Something else stands here, so it has no effect.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                compaction:
                  essential_fields: {city: yes}
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                compaction:
                  essential_fields: [city]
        """,
    ),
    agent_rule(
        "EXPECTED_MAP",
        "warning",
        "value that is not a map",
        message="{property} must be a map[[, not {value}]]: write `key: value` lines below it.",
        explanation="""
            This section takes names with values: one `name: value` line each, indented below it.
            Something else stands here, so it has no effect.
        """,
        wrong="""
            MESSAGES: "Hello from the parcel desk"
        """,
        right="""
            MESSAGES:
              greeting: "Hello from the parcel desk"
        """,
    ),
    agent_rule(
        "UNKNOWN_CHOICE",
        "warning",
        "value outside the choices",
        message="{value} is not a choice for {property}. {suggestion}[[Choose one of {known}.]]",
        explanation="""
            This property takes one of a few words, and the one written here is not among them.
            The default is used instead.
            Choose one of the words of the message.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                pii_access: lmm
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                pii_access: llm
        """,
    ),
    agent_rule(
        "UNKNOWN_OUTCOME",
        "error",
        "outcome of a human task that cannot be read",
        message="on_human_complete does not know {name}. {suggestion}An entry has IF, RESPOND and ACTION; "
        "ACTION is COMPLETE, CONTINUE, ESCALATE or HANDOFF to Agent.",
        explanation="""
            The entries of on_human_complete say what the customer is told once a person has decided, and what is done.
            An entry has IF, RESPOND and ACTION and nothing else: it sets no variables and leads to no step.
            Anything else would be lost, and the customer might be told the opposite of what was decided.
        """,
        wrong="""
            ESCALATE:
              triggers:
                - WHEN: input CONTAINS "refund"
              on_human_complete:
                - IF: resolution == "approved"
                  SET: done = true
                  ACTION: COMPLETE
        """,
        right="""
            ESCALATE:
              triggers:
                - WHEN: input CONTAINS "refund"
              on_human_complete:
                - IF: resolution == "approved"
                  RESPOND: "Your refund is approved."
                  ACTION: COMPLETE
        """,
    ),
    agent_rule(
        "UNREADABLE_GUARD",
        "error",
        "rule that cannot be read",
        message="{value} cannot be read for {property}, which keeps something from happening. {suggestion}"
        "[[Write one of {known}.]]",
        explanation="""
            This property says when somebody is asked first, or who may do something. The word written here is not
            known. Taken for the default it would ask nobody, so it is refused, and a tool with it asks each time.
            Write one of the words of the message.
        """,
        wrong="""
            TOOLS:
              cancel_ride(id: string) -> object
                description: "Cancels a ride"
                side_effects: true
                confirm: sometimes
        """,
        right="""
            TOOLS:
              cancel_ride(id: string) -> object
                description: "Cancels a ride"
                side_effects: true
                confirm: always
        """,
        also=("MISSING_PARAM_DESCRIPTION",),
    ),
    agent_rule(
        "OUT_OF_RANGE",
        "warning",
        "number outside its range",
        message="{property} is {value}, which is out of range[[: write {expected}]].",
        explanation="""
            The number is outside what this property can be.
            The nearest allowed value is used instead.
            Write a number of the range.
        """,
        wrong="""
            MULTI_INTENT:
              max_intents: 40
        """,
        right="""
            MULTI_INTENT:
              max_intents: 3
        """,
    ),
    agent_rule(
        "INVALID_NAME",
        "warning",
        "name with unusual characters",
        message="{name} is not a good name: use letters, digits and `_`, beginning with a letter"
        "[[, for example {expected}]].",
        explanation="""
            Names are used in conditions and templates, where spaces and signs end a name.
            As written, nothing can refer to it.
            Use letters, digits and `_`, beginning with a letter.
        """,
        wrong="""
            ATTACHMENTS:
              damage photo:
                prompt: "Please send a photo of the box"
        """,
        right="""
            ATTACHMENTS:
              damage_photo:
                prompt: "Please send a photo of the box"
        """,
    ),
    agent_rule(
        "DUPLICATE_NAME",
        "warning",
        "name declared twice",
        message="[[{section}: ]]{name} is declared twice[[; the first is in line {line}]]. Rename or remove one.",
        explanation="""
            Two entries of one section have the same name, so a reference cannot tell them apart.
            Rename one of them, or delete the one that is out of date.
        """,
        wrong="""
            INTENTS:
              trace: "Wants to know where a parcel is"
              trace: "Asks for a parcel"
        """,
        right="""
            INTENTS:
              trace: "Wants to know where a parcel is"
              claim: "Wants money for a lost parcel"
        """,
    ),
)
