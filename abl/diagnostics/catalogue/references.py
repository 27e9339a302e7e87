"""Findings about names that conditions, texts and templates refer to. Spec: abl-language 3.14, 6.7, 13.4."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "UNDEFINED_CONDITION_VAR",
        "warning",
        "condition over an unknown name",
        message="Nothing is called {name}[[ ({property})]]. {suggestion}Set it, or declare it under GATHER or MEMORY.",
        explanation="""
            The condition reads a name that is neither gathered, nor set, nor declared, nor built in.
            It is always null, so the condition is never (or always) true.
            Correct the spelling, or declare the name under GATHER or MEMORY.
        """,
        wrong="""
            GATHER:
              tracking_code:
                prompt: "Which code?"
            COMPLETE:
              - WHEN: tracking_cod IS SET
                RESPOND: "We look for {{tracking_code}}."
        """,
        right="""
            GATHER:
              tracking_code:
                prompt: "Which code?"
            COMPLETE:
              - WHEN: tracking_code IS SET
                RESPOND: "We look for {{tracking_code}}."
        """,
    ),
    agent_rule(
        "UNDEFINED_NAME",
        "warning",
        "text or value over an unknown name",
        message="Nothing is called {name}. {suggestion}Set it, or declare it under GATHER or MEMORY.",
        explanation="""
            A text, a call, an assignment or a list of passed values reads a name that is neither gathered, nor set,
            nor declared, nor built in. It has no value: a text has a hole there, a call gets null.
            Correct the spelling, or declare the name under GATHER or MEMORY.
            Where a model or another agent may set names, only one that is nearly a known name is reported.
        """,
        wrong="""
            GATHER:
              tracking_code:
                prompt: "Which code?"
            COMPLETE:
              - WHEN: tracking_code IS SET
                RESPOND: "We look for {{traking_code}}."
        """,
        right="""
            GATHER:
              tracking_code:
                prompt: "Which code?"
            COMPLETE:
              - WHEN: tracking_code IS SET
                RESPOND: "We look for {{tracking_code}}."
        """,
    ),
    agent_rule(
        "SECRET_IN_TEXT",
        "warning",
        "secret in a text",
        message="{name} has no value here: only addresses, headers and credentials of tools are filled in with "
        "secrets. Write config.NAME for a value that may be read.",
        explanation="""
            A secret is filled in when a tool is called, and never into what a customer or a model reads.
            The text has a hole there. What may be read is a variable of the project: `config.NAME`.
        """,
        wrong="""
            ON_START:
              RESPOND: "Call us: {{secrets.PHONE}}."
        """,
        right="""
            ON_START:
              RESPOND: "Call us any time."
        """,
    ),
    agent_rule(
        "SINGLE_BRACES",
        "warning",
        "variable in single braces",
        message="{value} is said as it stands: write {expected}.",
        explanation="""
            A variable stands in a text between two braces on each side. With one the customer reads the braces and
            the name, and not the value.
        """,
        wrong="""
            GATHER:
              tracking_code:
                prompt: "Which code?"
            COMPLETE:
              - WHEN: tracking_code IS SET
                RESPOND: "We look for {tracking_code}."
        """,
        right="""
            GATHER:
              tracking_code:
                prompt: "Which code?"
            COMPLETE:
              - WHEN: tracking_code IS SET
                RESPOND: "We look for {{tracking_code}}."
        """,
    ),
    agent_rule(
        "UNKNOWN_RESULT_FIELD",
        "warning",
        "field that a tool does not return",
        message="{value} has no {name}: its tool does not return that. {suggestion}[[There is {known}.]]",
        explanation="""
            The signature of a tool says which fields its result has. A text or condition reads one that is not there:
            where the customer should read a value, there is a hole.
            Correct the spelling, or add the field to what the tool returns. A list has `length` and numbered elements.
        """,
        wrong="""
            TOOLS:
              find_parcel(code: string) -> {status: string}
                description: "Finds a parcel"
            FLOW:
              show:
                REASONING: false
                CALL: find_parcel("AB1")
                  AS: parcel
                RESPOND: "It is {{parcel.staus}}."
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              find_parcel(code: string) -> {status: string}
                description: "Finds a parcel"
            FLOW:
              show:
                REASONING: false
                CALL: find_parcel("AB1")
                  AS: parcel
                RESPOND: "It is {{parcel.status}}."
                THEN: COMPLETE
        """,
        also=("MISSING_PARAM_DESCRIPTION",),
    ),
    agent_rule(
        "MISSING_VARIABLE_PRODUCER_WARNING",
        "warning",
        "name read before it is set",
        message="{name} is read[[ in {step}]], but nothing sets it before. {suggestion}",
        explanation="""
            The name is known, but on no way to this place does anything give it a value.
            It is null when the condition is checked.
            Set or gather it in an earlier step.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              check -> look
              check:
                REASONING: false
                RESPOND: "One moment."
                CHECK: hubs IS SET
                THEN: look
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
              look -> check
              look:
                REASONING: false
                CALL: list_hubs()
                  AS: hubs
                THEN: check
              check:
                REASONING: false
                RESPOND: "One moment."
                CHECK: hubs IS SET
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "UNDEFINED_CONFIG_VARIABLE",
        "error",
        "undefined config variable",
        message="The config variable {name}[[ in {agent}]] has no value. {suggestion}Write `{name}: ...` under "
        "`config:` in variables.yaml, or set ABL_CONFIG_{name}, `--set {name}=...`, or the variable of the project.",
        explanation="""
            `{{config.NAME}}` is replaced when the agent is compiled. There is no value of this name, so the text
            would be sent with a hole in it. Correct the spelling, or give it a value: under `config:` in
            variables.yaml of the project's folder, as ABL_CONFIG_NAME in the environment, with `--set NAME=...` on
            the command line, or as a variable of the project on a server.
        """,
        wrong="""
            PERSONA: "Signs as {{config.DESK_NAME}}"
        """,
        right="""
            PERSONA: "Signs as the parcel desk"
        """,
        needs="compiling, with configuration variables that lack DESK_NAME",
    ),
    agent_rule(
        "E601",
        "error",
        "unknown template",
        message="There is no template {name}. {suggestion}[[Templates are {known}.]]",
        explanation="""
            `TEMPLATE(name)` is replaced by the text of that name under TEMPLATES when the agent is compiled.
            There is none, so nothing could be said here.
            Correct the spelling, or add the template.
        """,
        wrong="""
            TEMPLATES:
              goodbye: "Have a good day."
            COMPLETE:
              - WHEN: turn_count > 3
                RESPOND: TEMPLATE(goodbye)
              - WHEN: turn_count > 9
                RESPOND: TEMPLATE(godbye)
        """,
        right="""
            TEMPLATES:
              goodbye: "Have a good day."
            COMPLETE:
              - WHEN: turn_count > 3
                RESPOND: TEMPLATE(goodbye)
        """,
    ),
    agent_rule(
        "W602",
        "warning",
        "template that is never used",
        message="The template {name} is never used. Use it with `RESPOND: TEMPLATE({name})`, or remove it.",
        explanation="""
            A template has an effect only where `TEMPLATE(name)` is the whole value of a RESPOND.
            Nothing uses this one; perhaps another name was written there.
            Use it or delete it.
        """,
        wrong="""
            TEMPLATES:
              goodbye: "Have a good day."
        """,
        right="""
            TEMPLATES:
              goodbye: "Have a good day."
            COMPLETE:
              - WHEN: turn_count > 3
                RESPOND: TEMPLATE(goodbye)
        """,
    ),
    agent_rule(
        "EMPTY_TEMPLATE",
        "warning",
        "template without text",
        message="The template {name} is empty: write its text after the colon, or indented below.",
        explanation="""
            A template is a text, or a block of formats, and this one has neither.
            Where it is used nothing is said.
            Write its text after the colon, or indented below after `|`.
        """,
        wrong="""
            TEMPLATES:
              goodbye:
            COMPLETE:
              - WHEN: turn_count > 3
                RESPOND: TEMPLATE(goodbye)
        """,
        right="""
            TEMPLATES:
              goodbye: "Have a good day."
            COMPLETE:
              - WHEN: turn_count > 3
                RESPOND: TEMPLATE(goodbye)
        """,
    ),
)
