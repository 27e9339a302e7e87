"""Findings about entities, intents and lookup tables. Spec: abl-language 3.16."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "ENTITY_CONFLICT",
        "error",
        "entity declared with two types",
        message="The entity {name} is declared twice with different types[[: {detail}]]. Use one type.",
        explanation="""
            ENTITIES and NLU both declare this entity, but with different types.
            Entities of NLU are added to the same list, where a name has one type.
            Give both the same type, or remove one.
        """,
        wrong="""
            ENTITIES:
              carrier:
                TYPE: enum
                VALUES: [dhx, upx]
            NLU:
              entities:
                - NAME: carrier
                  TYPE: number
        """,
        right="""
            ENTITIES:
              carrier:
                TYPE: enum
                VALUES: [dhx, upx]
        """,
    ),
    agent_rule(
        "INTENT_INVALID",
        "warning",
        "intent that cannot be read",
        message='This intent cannot be read[[: {value}]]. Write `name: "what the user wants"` or `- name`.',
        explanation="""
            An intent is a name with a description, or a list item that holds just the name.
            This line is neither and was left out, so nobody is routed by it.
            Use letters, digits and `_` in the name, and quotes around the description.
        """,
        wrong="""
            INTENTS:
              trace: "Wants to know where a parcel is"
              wants a refund: "Wants money back"
        """,
        right="""
            INTENTS:
              trace: "Wants to know where a parcel is"
              refund: "Wants money back"
        """,
    ),
    agent_rule(
        "UNDECLARED_INTENT",
        "warning",
        "intent that is not declared",
        message="The intent {name} is used in a condition but not declared under INTENTS. {suggestion}",
        explanation="""
            The classifier chooses among the intents of the INTENTS section.
            An intent that is not in the list is never chosen, so the condition is never true.
            Correct the spelling, or add the intent with a description.
        """,
        wrong="""
            INTENTS:
              trace: "Wants to know where a parcel is"
            COMPLETE:
              - WHEN: intent.category == "trase"
                RESPOND: "Goodbye."
        """,
        right="""
            INTENTS:
              trace: "Wants to know where a parcel is"
            COMPLETE:
              - WHEN: intent.category == "trace"
                RESPOND: "Goodbye."
        """,
    ),
    agent_rule(
        "LOOKUP_TABLE_INVALID",
        "error",
        "lookup table that cannot work",
        message="The lookup table {name} cannot work[[: {detail}]].",
        explanation="""
            A table with `source: inline` needs `values`, one with `source: collection` needs `table_name`,
            one with `source: api` needs a complete `endpoint`. `timeout_ms` must be above 0.
            As written, no value is ever found in it.
            Add what is missing, or change the source.
        """,
        wrong="""
            LOOKUP_TABLES:
              hubs:
                source: api
        """,
        right="""
            LOOKUP_TABLES:
              hubs:
                source: api
                endpoint: "https://api.parcels.example/hubs"
        """,
    ),
    rule(
        "LOOKUP_TABLE_LARGE",
        "warning",
        "fuzzy search in a large table",
        message="The lookup table {name} has [[{value} ]]values: fuzzy matching over more than 1000 is slow.",
        explanation="""
            Fuzzy matching compares what the user said with every value of the table.
            With more than 1000 values each turn becomes slow, and near misses become likely.
            Switch `fuzzy_match` off, or keep the values in a collection.
        """,
        wrong="",
        right="",
        example_note="There is no short example: it takes a table with 1001 values.",
    ),
)
