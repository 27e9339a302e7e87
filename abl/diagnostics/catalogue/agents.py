"""Findings about agents that refer to each other. Spec: abl-language 7, 13.1."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

_CLAIMS = """
            === claims.agent.abl
            AGENT: Claims_Desk
            GOAL: "Handle claims for lost parcels"
"""

ROWS: tuple[Rule, ...] = (
    rule(
        "INVALID_HANDOFF_TARGET",
        "error",
        "handoff to an unknown agent",
        message="HANDOFF goes to {name}, which is no agent of this project. {suggestion}[[Agents are {known}.]]",
        explanation="""
            The conversation is to be passed to an agent that does not exist, so the handoff fails.
            Correct the spelling, add the agent, or declare it with `LOCATION: remote`.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            HANDOFF:
              - TO: Claim_Desk
                WHEN: input CONTAINS "claim"
        """
        + _CLAIMS,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
        """
        + _CLAIMS,
        needs="a project",
    ),
    rule(
        "INVALID_DELEGATE_TARGET",
        "error",
        "delegation to an unknown agent",
        message="DELEGATE asks {name}, which is no agent of this project. {suggestion}[[Agents are {known}.]]",
        explanation="""
            A task is to be given to an agent that does not exist, so the delegation fails.
            Correct the spelling, add the agent, or declare it with `LOCATION: remote`.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            DELEGATE:
              - AGENT: Claim_Desk
                WHEN: input CONTAINS "claim"
        """
        + _CLAIMS,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            DELEGATE:
              - AGENT: Claims_Desk
                WHEN: input CONTAINS "claim"
        """
        + _CLAIMS,
        needs="a project",
    ),
    rule(
        "INVALID_ROUTING_TARGET",
        "error",
        "routing to an unknown agent",
        message="A routing rule goes to {name}, which is no agent of this project. {suggestion}[[Agents are {known}.]]",
        explanation="""
            A supervisor chooses among its rules, and one of them leads to an agent that does not exist.
            Requests that match it would fail.
            Correct the spelling, or add the agent.
        """,
        wrong="",
        right="",
        example_note="Shown by an IR whose routing was written by hand: a text has the HANDOFF entry reported.",
    ),
    rule(
        "INVALID_IR",
        "error",
        "no compiled agent",
        message="This is no compiled agent: {detail}. Give an agent of `compile_abl_to_ir`, or its whole output.",
        explanation="""
            `validate_ir` takes one compiled agent, or the output of a compile with its `agents`.
            What it was given is neither, or an agent without a name or an identity.
            Compile the text first and give what comes of it.
        """,
        wrong="",
        right="",
        example_note="Shown by a value that is no IR: whatever a text compiles to is one.",
    ),
    rule(
        "INVALID_DEFAULT_ROUTING_TARGET",
        "error",
        "unknown default agent",
        message="The default agent {name} is no agent of this project. {suggestion}[[Agents are {known}.]]",
        explanation="""
            The rule with `WHEN: true` takes every request that no other rule takes.
            Its agent does not exist, so all of these would fail.
            Correct the spelling, or add the agent.
        """,
        wrong="",
        right="",
        example_note="Shown by an IR whose routing was written by hand: a text has the HANDOFF entry reported.",
    ),
    agent_rule(
        "SELF_HANDOFF_TARGET",
        "error",
        "handoff to itself",
        message="{name} hands over to itself. Name another agent.",
        explanation="""
            A handoff passes the conversation to another agent. To itself it would never end, so it is refused.
            Name the agent that is meant, or use a step of a FLOW to go on within this agent.
        """,
        wrong="""
            HANDOFF:
              - TO: Parcel_Desk
                WHEN: input CONTAINS "claim"
        """,
        right="""
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
        """,
    ),
    agent_rule(
        "SELF_DELEGATE_TARGET",
        "error",
        "delegation to itself",
        message="{name} delegates to itself. Name another agent.",
        explanation="""
            A delegation asks another agent for a result. An agent that asks itself would wait for ever.
            Name the agent that is meant.
        """,
        wrong="""
            DELEGATE:
              - AGENT: Parcel_Desk
                WHEN: input CONTAINS "euro"
        """,
        right="""
            DELEGATE:
              - AGENT: Rate_Checker
                WHEN: input CONTAINS "euro"
        """,
    ),
    rule(
        "SELF_ROUTING_TARGET",
        "error",
        "routing to itself",
        message="The supervisor {name} routes to itself. Name another agent.",
        explanation="""
            A routing rule of a supervisor leads to the supervisor itself. The request would go round in circles,
            so it is refused.
            Name the agent that is meant.
        """,
        wrong="",
        right="",
        example_note="Shown by an IR whose routing was written by hand: a text has the HANDOFF entry reported.",
    ),
    rule(
        "UNKNOWN_HANDOFF_RETURN_FIELD",
        "error",
        "returned field that nobody produces",
        message="ON_RETURN maps {name}, which is never produced[[ by {value}]]. {suggestion}",
        explanation="""
            MAP copies values of the other agent when it returns: `its_name: my_name`.
            The other agent has no value of this name, so null would be copied.
            Correct the spelling on the left side, or gather or SET the value in the other agent.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
                RETURN: true
                ON_RETURN:
                  MAP: {claim_nmuber: open_claim}
            === claims.agent.abl
            AGENT: Claims_Desk
            GOAL: "Handle claims for lost parcels"
            ON_START:
              SET: claim_number = UNIQUE_ID()
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            HANDOFF:
              - TO: Claims_Desk
                WHEN: input CONTAINS "claim"
                RETURN: true
                ON_RETURN:
                  MAP: {claim_number: open_claim}
            === claims.agent.abl
            AGENT: Claims_Desk
            GOAL: "Handle claims for lost parcels"
            ON_START:
              SET: claim_number = UNIQUE_ID()
        """,
        needs="a project",
    ),
    rule(
        "UNKNOWN_DELEGATE_RETURN_FIELD",
        "warning",
        "returned field that nobody produces",
        message="RETURNS maps {name}, which is never produced[[ by {value}]]. {suggestion}",
        explanation="""
            RETURNS copies values of the agent that was asked: `its_name: my_name`.
            No value of this name was found in it, so null would be copied.
            Correct the spelling on the left side, or gather or SET the value in the other agent.
        """,
        wrong="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            DELEGATE:
              - AGENT: Rate_Checker
                WHEN: input CONTAINS "euro"
                RETURNS: {rat: exchange_rate}
            === rates.agent.abl
            AGENT: Rate_Checker
            GOAL: "Know exchange rates"
            ON_START:
              SET: rate = 1.1
        """,
        right="""
            === desk.agent.abl
            AGENT: Parcel_Desk
            GOAL: "Help people find their parcels"
            DELEGATE:
              - AGENT: Rate_Checker
                WHEN: input CONTAINS "euro"
                RETURNS: {rate: exchange_rate}
            === rates.agent.abl
            AGENT: Rate_Checker
            GOAL: "Know exchange rates"
            ON_START:
              SET: rate = 1.1
        """,
        needs="a project",
    ),
    rule(
        "E728",
        "error",
        "more than one supervisor",
        message="A project has one supervisor, but there are several[[: {known}]]. Make the others agents.",
        explanation="""
            The supervisor is where a conversation begins. With several it is not known which one begins.
            Keep one, and write AGENT: in place of SUPERVISOR: in the others; an agent may hand over as well.
        """,
        wrong="""
            === front.agent.abl
            SUPERVISOR: Front_Desk
            GOAL: "Find the right agent"
            === night.agent.abl
            SUPERVISOR: Night_Desk
            GOAL: "Find the right agent at night"
        """,
        right="""
            === front.agent.abl
            SUPERVISOR: Front_Desk
            GOAL: "Find the right agent"
            === night.agent.abl
            AGENT: Night_Desk
            GOAL: "Find the right agent at night"
        """,
        needs="a project",
    ),
)
