"""Findings about how tools and outbound endpoints are used. Spec: abl-language 3.2, 3.4, 5.4."""

from __future__ import annotations

from abl.diagnostics.catalogue.rule import Rule, agent_rule, rule

_METADATA = """=== desk.agent.abl
AGENT: Desk
GOAL: "Help"
TOOLS:
  FROM "./hubs.tools.abl" USE: list_hubs
=== hubs.tools.abl
TOOLS:
  list_hubs() -> object
    description: "Lists all hubs"
    type: http
    endpoint: "https://hubs.example/list"
    headers:
      X-Page: "{{message_metadata.page}}"
    DECLARED
"""

ROWS: tuple[Rule, ...] = (
    agent_rule(
        "SIDE_EFFECT_TOOL_WITHOUT_CONFIRMATION",
        "warning",
        "side effects without a confirmation",
        message="The tool {name} has side effects but asks for no confirmation: add `confirm: always` "
        "(or `confirm: when_side_effects`, or `confirm: never` when that is meant).",
        explanation="""
            The tool changes something outside the conversation: it books, pays, sends or deletes.
            A model may call it on a misunderstanding, and nobody is asked before.
            Add `confirm: always`, or say `confirm: never` to show that it is meant so.
        """,
        wrong="""
            TOOLS:
              open_claim() -> object
                description: "Opens a compensation claim"
                side_effects: true
        """,
        right="""
            TOOLS:
              open_claim() -> object
                description: "Opens a compensation claim"
                side_effects: true
                confirm: always
        """,
    ),
    agent_rule(
        "CALL_NOBODY_CAN_CONFIRM",
        "error",
        "call in a hook that needs a yes",
        message="The tool {tool} needs a yes before each call, and in a hook nobody is asked: the call is never made. "
        "CALL it in a step or branch, or write `confirm: never` at the tool when no yes is meant.",
        explanation="""
            Hooks run around turns, where no question can be put to the user and no answer be waited for.
            A call that needs a yes is asked about in steps, branches, outcomes, handlers, digressions and ON_START.
            In a hook it is refused each time. Move the CALL, or let the tool need no yes.
        """,
        wrong="""
            TOOLS:
              open_claim() -> object
                description: "Opens a compensation claim"
                confirm: always
            HOOKS:
              after_turn:
                CALL: open_claim()
        """,
        right="""
            TOOLS:
              open_claim() -> object
                description: "Opens a compensation claim"
                confirm: never
            HOOKS:
              after_turn:
                CALL: open_claim()
        """,
    ),
    agent_rule(
        "NOT_ENFORCED",
        "error",
        "guard of a tool that nothing enforces",
        message="{name} of this tool keeps nobody from having it called: {detail}.",
        explanation="""
            The property says who may have a tool called, or with what. Nothing in this runtime makes sure of it here,
            so that anybody could have the tool called, and the agent would look guarded.
            Write what the message says instead, or leave the property out.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                identity_tier_required: 2
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                auth_profile: parcels_login
                auth_jit: true
        """,
    ),
    agent_rule(
        "AUTH_JIT_WITHOUT_PROFILE",
        "warning",
        "authorisation without a profile",
        message="The tool {name} asks for authorisation at first use but names no auth_profile: add one.",
        explanation="""
            With `auth_jit: true` the user is asked to sign in when the tool is first used.
            Which credentials are meant is said by `auth_profile`; without it nobody can sign in.
            Add the name of a stored profile.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                auth_jit: true
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                auth_profile: parcels_login
                auth_jit: true
        """,
    ),
    agent_rule(
        "UNDEFINED_TOOL_CALL",
        "error",
        "call of an undeclared tool",
        message="The tool {name} is called[[ in {step}]] but not declared. {suggestion}Declare it under TOOLS.",
        explanation="""
            A CALL names a tool that the agent does not have, so the step fails every time it is reached.
            Correct the spelling, or declare the tool under TOOLS.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              entry_point: look
              look:
                REASONING: false
                CALL: list_hbus()
                  AS: hubs
                THEN: COMPLETE
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
            FLOW:
              entry_point: look
              look:
                REASONING: false
                CALL: list_hubs()
                  AS: hubs
                THEN: COMPLETE
        """,
    ),
    agent_rule(
        "CONTEXT_ACCESS_UNDECLARED",
        "warning",
        "access to an undeclared name",
        message="The tool {tool} wants access to {name}, which is declared neither in MEMORY nor in GATHER. "
        "{suggestion}",
        explanation="""
            `context_access` lists what a tool may read and write of the session.
            A name that is declared nowhere gives it nothing.
            Correct the spelling, or declare the name under MEMORY or GATHER.
        """,
        wrong="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                context_access:
                  READ: [country_code]
        """,
        right="""
            TOOLS:
              list_hubs() -> object
                description: "Lists all hubs"
                context_access:
                  READ: [country_code]
            MEMORY:
              session:
                - NAME: country_code
                  INITIAL: "DE"
        """,
    ),
    rule(
        "METADATA_NOT_DECLARED",
        "warning",
        "metadata that a tool does not see",
        message="The tool {tool} mentions {name}, but does not see it: declare `message_metadata` under "
        "`context_access: READ:`.",
        explanation="""
            What a caller says beside a message is seen only by a tool that declares it, since the page of an end user
            may write there. Without the declaration the mention is empty.
            Add `context_access` with `READ: [message_metadata]`.
        """,
        wrong=_METADATA.replace("DECLARED", ""),
        right=_METADATA.replace("DECLARED", "context_access:\n      READ: [message_metadata]"),
        needs="a project",
        also=("E720",),
    ),
    agent_rule(
        "DESTINATION_WITHOUT_URL",
        "error",
        "destination without an address",
        message='The destination {name} is missing a required "url".',
        explanation="""
            A destination is an address outside to which something is sent.
            Without `url` there is nowhere to send to, so it is left out.
            Add the complete address, beginning with https://.
        """,
        wrong="""
            DESTINATIONS:
              claims_hook:
                method: POST
        """,
        right="""
            DESTINATIONS:
              claims_hook:
                url: "https://claims.example/hook"
                method: POST
        """,
        also=("WITHOUT_EFFECT",),
    ),
    agent_rule(
        "PRIVATE_DESTINATION",
        "error",
        "destination inside the network",
        message="{name} points at a private address[[ ({value})]]: only public hosts may be called.",
        explanation="""
            Private, loopback and link-local hosts are inside your own network.
            An agent that may call them could be talked into reading or changing internal services.
            Use a public host, or let the operator allow this host in the settings of the deployment.
        """,
        wrong="""
            DESTINATIONS:
              claims_hook:
                url: "http://192.168.0.7/hook"
                method: POST
        """,
        right="""
            DESTINATIONS:
              claims_hook:
                url: "https://claims.example/hook"
                method: POST
        """,
        also=("WITHOUT_EFFECT",),
    ),
)
