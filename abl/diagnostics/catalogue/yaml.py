"""Findings about the YAML form. Spec: abl-language 9."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, rule

ROWS: tuple[Rule, ...] = (
    rule(
        "YAML_INVALID",
        "error",
        "text that is no YAML",
        message="The text is not valid YAML[[: {detail}]].",
        explanation="""
            The text starts with a lowercase key, so it is read as YAML, and it cannot be.
            Nothing of it is used.
            Often a value with a colon or a brace needs quotes, a bracket is open, or a tab stands in the indent.
        """,
        wrong="""
            agent: Parcel_Desk
            goal: "Help people find their parcels
        """,
        right="""
            agent: Parcel_Desk
            goal: "Help people find their parcels"
        """,
    ),
    rule(
        "YAML_NOT_MAPPING",
        "error",
        "YAML that is no mapping",
        message="An agent in YAML is a mapping of keys to values[[, but this is {value}]]. Begin with `agent: Name`.",
        explanation="""
            The YAML form is one mapping: `agent:`, `goal:` and so on, each at the left margin.
            The text is something else, such as a list or a single value.
            Remove the dashes or quotes around it.
        """,
        wrong="""
            - agent: Parcel_Desk
              goal: Help people find their parcels
        """,
        right="""
            agent: Parcel_Desk
            goal: Help people find their parcels
        """,
        needs="parse_yaml_abl",
    ),
    rule(
        "YAML_MISSING_AGENT",
        "error",
        "YAML without an agent",
        message='Missing required field: "agent" (agent name). Add a line such as `agent: Parcel_Desk`.',
        explanation="""
            Every agent has a name, by which others hand over to it. In YAML it is the value of `agent:`
            (or `supervisor:`).
            Add that line; the name may also stand as `agent: {name: Parcel_Desk}`.
        """,
        wrong="""
            goal: Help people find their parcels
        """,
        right="""
            agent: Parcel_Desk
            goal: Help people find their parcels
        """,
    ),
    rule(
        "YAML_OLD_KEY",
        "error",
        "renamed key in YAML",
        message="{name} was renamed[[: write {expected}]].",
        explanation="""
            The key is from an older version of the YAML form and is no longer read.
            `on_return_map` is now the map below `on_return`, `grant_memory` is now `memory_grants`.
            Rename it.
        """,
        wrong="""
            agent: Parcel_Desk
            goal: Help people find their parcels
            handoff:
              - to: Claims_Desk
                when: input CONTAINS "claim"
                return: true
                on_return_map: {claim_id: open_claim_id}
        """,
        right="""
            agent: Parcel_Desk
            goal: Help people find their parcels
            handoff:
              - to: Claims_Desk
                when: input CONTAINS "claim"
                return: true
                on_return:
                  map: {claim_id: open_claim_id}
        """,
    ),
)
